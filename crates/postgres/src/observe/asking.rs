//! The interval: a reading of all counters at each window's edge, and questions in between.

use std::collections::BTreeMap;
use std::time::Duration;

use narrows_engine::{Phase, Progress, Stop, now_ns};
use narrows_facts::process;
use narrows_model::{Layer, ProcessClass};
use narrows_observe::{Snapshot, Watch};

use super::activity::{self, Sampled};
use super::counts::{Reading, Statement};
use super::host::{Ledger, Used};
use super::look::STATES;
use super::machine::KernelThreads;
use super::seldom::Seldom;
use crate::look::error::LiveError;
use crate::look::watcher::Watcher;
use crate::look::windows::Pace;
use crate::wire::WireError;

/// Between two looks at the processes at least, so that those that come and go are seen.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Looking at them takes a half of a hundredth of a processor at most.
const AT_MOST_OF_TIME: u64 = 200;

/// How long, in how many windows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    pub(super) length: Duration,
    pub(super) windows: u32,
    pub(super) seed: u64,
}

/// A reading at a moment, with what we had asked, and asked in vain, by then.
#[derive(Debug, Clone)]
pub(super) struct Edge {
    pub(super) at_ns: u64,
    pub(super) statements: u64,
    pub(super) unanswered: u64,
    /// Time that the server counts as ours in statements, ns.
    pub(super) active_ns: u64,
    pub(super) reading: Reading,
    pub(super) machine: Option<Machine>,
}

/// What the machine's counters said at an edge.
#[derive(Debug, Clone)]
pub(super) struct Machine {
    pub(super) snapshot: Snapshot,
    pub(super) used: BTreeMap<ProcessClass, Used>,
    /// Of the process that serves us, ns.
    pub(super) own_ns: u64,
    /// Of the window that ends here: number, class, ns.
    pub(super) busiest: Option<(u32, ProcessClass, u64)>,
}

/// The look in progress: a window lies between each two neighbouring edges.
pub(super) struct Asking {
    pub(super) watcher: Watcher,
    statement: Statement,
    pub(super) sampled: Sampled,
    /// Absent where the role may not see what others do.
    pub(super) seldom: Option<Seldom>,
    pub(super) ledger: Option<Ledger>,
    watch: Watch,
    pub(super) kernel: KernelThreads,
    pub(super) edges: Vec<Edge>,
    pace: Pace,
    /// What looking had taken when the last question was answered, ns.
    worked_ns: Option<u64>,
    next_look_ns: u64,
    start_ns: u64,
    /// Bytes that the server's processes had read from drives, at the beginning and at the end.
    drive_bytes: [Option<u64>; 2],
}

impl Asking {
    /// Prepares the questions and reads the first edge.
    ///
    /// # Errors
    /// A statement failed.
    pub(super) fn begin(
        mut watcher: Watcher,
        statement: Statement,
        sees_states: bool,
        ledger: Option<Ledger>,
        watch: Watch,
        plan: &Plan,
    ) -> Result<Asking, LiveError> {
        let mut seldom = None;
        if sees_states {
            watcher.query(STATES)?;
            seldom = Some(Seldom::prepare(&mut watcher)?);
        }
        let mut asking = Asking {
            watcher,
            statement,
            sampled: Sampled::new(plan.length.as_nanos() as f64),
            seldom,
            kernel: KernelThreads::begin(ledger.is_some()),
            ledger,
            watch,
            edges: Vec::new(),
            pace: Pace::new(plan.seed),
            worked_ns: None,
            next_look_ns: 0,
            start_ns: 0,
            drive_bytes: [None; 2],
        };
        asking.edge().map_err(LiveError::silent)?;
        asking.drive_bytes[0] = asking.ledger.as_ref().and_then(Ledger::drive_read_bytes);
        asking.start_ns = now_ns();
        Ok(asking)
    }

    /// All windows, told as they begin.
    ///
    /// # Errors
    /// The server no longer answers; the window in hand is forgotten, and those before it stand.
    pub(super) fn windows(
        &mut self,
        plan: &Plan,
        address: &str,
        stop: &Stop,
        progress: &dyn Progress,
    ) -> Result<(), WireError> {
        for window in 1..=plan.windows {
            let detail = format!("{address}, window {window} of {}", plan.windows);
            progress.phase(Layer::Database, Phase::Measure, &detail);
            let end = (plan.length * window / plan.windows).as_nanos() as u64;
            self.sampled.next_window();
            if let Err(error) = self.ask_until(self.start_ns + end, stop).and_then(|()| self.edge())
            {
                self.sampled.drop_window();
                return Err(error);
            }
            if stop.is_set() {
                break;
            }
        }
        Ok(())
    }

    /// What is read once more at the end.
    pub(super) fn end(&mut self) {
        self.kernel.end();
        self.drive_bytes[1] = self.ledger.as_ref().and_then(Ledger::drive_read_bytes);
    }

    /// Bytes that the server's processes had read from drives; `None` where that may not be seen.
    pub(super) fn drive_read_bytes(&self) -> Option<f64> {
        let [begin, end] = self.drive_bytes;
        Some(end?.saturating_sub(begin?) as f64)
    }

    /// Asks what processes do until the window ends; without the right to see it only waits.
    fn ask_until(&mut self, end_ns: u64, stop: &Stop) -> Result<(), WireError> {
        self.pace.again();
        // The edge is no question.
        self.worked_ns = None;
        loop {
            let left = Duration::from_nanos(end_ns.saturating_sub(now_ns()));
            let pause = self.pace.pause();
            if stop.sleep(pause.min(left)).is_err() || pause >= left {
                return Ok(());
            }
            if self.seldom.is_some() {
                self.ask()?;
            }
            self.look_now_and_then();
        }
    }

    fn ask(&mut self) -> Result<(), WireError> {
        let before_ns = self.work_ns();
        if let Some(rows) = self.watcher.ask(activity::SQL)? {
            self.sampled.take((now_ns() - self.start_ns) as f64, &rows);
        }
        if let Some(seldom) = &mut self.seldom {
            seldom.ask(&mut self.watcher, self.sampled.waits_for_locks())?;
        }
        // With what comes with it: the looks at processes, and waking up.
        let worked_ns = self.work_ns().saturating_sub(self.worked_ns.unwrap_or(before_ns));
        self.worked_ns = Some(self.work_ns());
        self.pace.took(Duration::from_nanos(worked_ns) * 4 / 3);
        Ok(())
    }

    /// What looking took so far, ns. Where the server's process for us can be seen: its own account, which doesn't grow while it waits
    /// for a processor, and this thread's, which is on the same machine. Elsewhere how long answers took.
    fn work_ns(&self) -> u64 {
        let backend = self.ledger.as_ref().map(Ledger::backend);
        match backend.and_then(process::main_thread_ns) {
            Some((cpu_ns, _)) => cpu_ns + process::thread_cpu_ns(),
            None => self.watcher.worked_ns(),
        }
    }

    fn look_now_and_then(&mut self) {
        if now_ns() < self.next_look_ns {
            return;
        }
        self.look();
    }

    fn look(&mut self) {
        let Some(ledger) = &mut self.ledger else { return };
        let before_ns = process::thread_cpu_ns();
        ledger.look();
        let took_ns = process::thread_cpu_ns() - before_ns;
        let pause_ns = (LOOK_EVERY.as_nanos() as u64).max(took_ns * AT_MOST_OF_TIME);
        self.next_look_ns = now_ns() + pause_ns;
    }

    /// Reads everything; asked again where it stays unanswered.
    fn edge(&mut self) -> Result<(), WireError> {
        let rows = loop {
            if let Some(rows) = self.watcher.ask(&self.statement.sql)? {
                break rows;
            }
        };
        let row = rows.first().ok_or(WireError::Unexpected("no row of its counters"))?;
        let reading = self.statement.read(row);
        self.look();
        let machine = self.ledger.as_mut().map(|ledger| Machine {
            snapshot: self.watch.snapshot(),
            used: ledger.used(),
            own_ns: ledger.own_ns(),
            busiest: ledger.end_window(),
        });
        self.edges.push(Edge {
            at_ns: now_ns(),
            statements: self.watcher.statements(),
            unanswered: self.watcher.unanswered(),
            active_ns: self.watcher.active_ns(),
            reading,
            machine,
        });
        Ok(())
    }
}
