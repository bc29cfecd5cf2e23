//! What is asked and looked at between two edges: states of the sessions, ages and holders of locks, processes of the server.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use narrows_engine::{LiveValue, now_ns};
use narrows_facts::{ProcessTable, process};
use narrows_model::{Consumers, LoadChange, Observation, ProcessClass, Unknown};
use narrows_observe::{Snapshot, Watch};
use narrows_units::significant;

use super::activity::{Sampled, Window};
use super::consumers::{ConsumerProbes, Scope, lock_queue, sampled};
use super::host::{Ledger, OtherPrograms, ServerOnHost, Used, clients, others_between};
use super::load_change;
use super::machine::KernelThreads;
use super::slow_probes::SlowProbes;
use super::wait_checks::WaitChecks;
use crate::monitor::poll_loop::{self, Plan};
use crate::monitor::samples;
use crate::monitor::session::SamplingSession;
use crate::monitor::sources::Count;
use crate::wire::WireError;

/// Between two looks at the processes at least, so that those that come and go are seen.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Sessions at work, mean, of which fewer are no load that has come. Judgement.
const LEAST_AT_WORK: f64 = 0.5;
/// Looking at them takes a half of a hundredth of a processor at most.
const AT_MOST_OF_TIME: u64 = 200;

/// What the machine's counters said at an edge.
#[derive(Debug, Clone)]
pub(crate) struct MachineReading {
    pub(super) snapshot: Snapshot,
    pub(super) used: BTreeMap<ProcessClass, Used>,
    /// Of the process that serves us, ns.
    pub(super) own_ns: u64,
    /// Of the window that ends here: number, class, ns.
    pub(super) busiest: Option<(u32, ProcessClass, u64)>,
}

impl MachineReading {
    /// Looks at the processes; the window of the account goes on.
    fn within(ledger: &mut Ledger, watch: &Watch) -> MachineReading {
        ledger.look();
        MachineReading {
            snapshot: watch.snapshot(),
            used: ledger.used(),
            own_ns: ledger.own_ns(),
            busiest: None,
        }
    }

    /// Looks at the processes and ends a window of the account.
    pub(crate) fn take(ledger: &mut Ledger, watch: &Watch) -> MachineReading {
        let within = MachineReading::within(ledger, watch);
        MachineReading { busiest: ledger.end_window(), ..within }
    }
}

/// A reading of the counters, and of the machine's where the server's processes can be seen.
pub(super) type Edge = poll_loop::Edge<Option<MachineReading>>;

/// The interval in progress.
pub(super) type PollLoop = poll_loop::PollLoop<Sampler>;

/// What was found so far.
pub(super) struct Sampler {
    pub(super) sampled: Sampled,
    /// Absent where the role may not see what others do.
    pub(super) slow_probes: Option<SlowProbes>,
    consumers: ConsumerProbes,
    pub(super) ledger: Option<Ledger>,
    watch: Watch,
    pub(super) kernel: KernelThreads,
    pub(super) wait_checks: WaitChecks,
    /// All processes of the machine, at the beginning and at the end.
    programs: [Option<ProcessTable>; 2],
    /// At the end, those of them that are the server's clients.
    clients: Option<BTreeSet<u32>>,
    next_look_ns: u64,
    /// What questions and looks with a pace of their own took, ns.
    paced_elsewhere_ns: u64,
    /// Bytes that the server's processes had read from drives, at the beginning and at the end.
    drive_bytes: [Option<u64>; 2],
}

impl Sampler {
    /// Prepares the questions, where states are to be seen.
    ///
    /// # Errors
    /// A statement failed.
    pub(super) fn prepare(
        session: &mut SamplingSession,
        sees_states: bool,
        ledger: Option<Ledger>,
        watch: Watch,
        plan: &Plan,
        scope: Scope,
    ) -> Result<Sampler, WireError> {
        let mut slow_probes = None;
        session.query(samples::ROOM)?;
        if sees_states {
            session.query(samples::PREPARE_WITH_PIDS)?;
            slow_probes = Some(SlowProbes::prepare(session, scope.texts)?);
        }
        Ok(Sampler {
            sampled: Sampled::new(plan.least().as_nanos() as f64, plan.window_ns()),
            // What it reads begins here, and so comes last.
            consumers: ConsumerProbes::begin(
                session,
                scope,
                slow_probes.as_ref().map(|probes| &probes.queue),
            )?,
            slow_probes,
            kernel: KernelThreads::begin(ledger.is_some()),
            wait_checks: WaitChecks::new(),
            ledger,
            watch,
            programs: [None, None],
            clients: None,
            next_look_ns: 0,
            paced_elsewhere_ns: 0,
            drive_bytes: [None; 2],
        })
    }

    /// What is read once, when the first edge has been.
    pub(super) fn begin(&mut self) {
        self.programs[0] = self.ledger.as_ref().map(|_| ProcessTable::read());
        self.drive_bytes[0] = self.ledger.as_ref().and_then(Ledger::drive_read_bytes);
    }

    /// What is read once more at the end, and who did something up to then, where the server can still be asked.
    pub(super) fn end(&mut self, session: Option<&mut SamplingSession>) {
        self.kernel.end();
        self.programs[1] = self.ledger.as_ref().map(|_| ProcessTable::read());
        self.clients = self.ledger.as_ref().and_then(|ledger| clients(&ledger.sessions()));
        self.drive_bytes[1] = self.ledger.as_ref().and_then(Ledger::drive_read_bytes);
        let Some(session) = session else { return };
        self.consumers.end(session);
        if let Some(slow_probes) = &mut self.slow_probes {
            // What it doesn't answer now stays as it was last answered.
            let _ = slow_probes.ask_all(session, self.sampled.waits_for_locks(), true);
        }
        let _ = session.query(samples::NO_MORE_ROOM);
    }

    /// Who took what, and what of that is missing.
    pub(super) fn consumers(&self, windows_apart: bool) -> (Consumers, &[Unknown]) {
        let queue = self.slow_probes.as_ref().map(|probes| &probes.queue);
        self.consumers.found(queue, windows_apart)
    }

    /// Sessions that did nothing during the look, between two moments of it, mean; `None` where that was not to be seen.
    pub(super) fn unused(&self, from_ns: u64, to_ns: u64) -> Option<f64> {
        self.slow_probes.as_ref()?.participants.unused(from_ns, to_ns)
    }

    /// What other programs used of the machine, over `ns`; `None` where the server's processes can't be seen.
    pub(super) fn others(&self, server: u32, allowed: &[u32], ns: f64) -> Option<OtherPrograms> {
        let [begin, end] = &self.programs;
        let beside = ServerOnHost { server, allowed, clients: self.clients.as_ref() };
        Some(others_between(begin.as_ref()?, end.as_ref()?, &beside, ns))
    }

    /// Bytes that the server's processes had read from drives; `None` where that may not be seen.
    pub(super) fn drive_read_bytes(&self) -> Option<f64> {
        let [begin, end] = self.drive_bytes;
        Some(end?.saturating_sub(begin?) as f64)
    }

    /// Another load, of so many windows or more. Where less is done than before and hardly anybody is at work, or nobody knows, a load has ended,
    /// and no other one has come.
    pub(super) fn load_change(&self, edges: &[Edge], since: usize) -> Option<LoadChange> {
        let at_work = |window: &Window| {
            window.samples > 0 && window.at_work(ProcessClass::Session) >= LEAST_AT_WORK
        };
        let works = self.sampled.windows().last().is_some_and(at_work);
        let change = load_change::between(edges, since)?;
        (works || change.rate_since > change.rate_before).then_some(change)
    }

    /// Where the server's process for us can be seen: its own account, which doesn't grow while it waits for a processor, and this
    /// thread's, which is on the same machine. Elsewhere how long answers took.
    fn all_work_ns(&self, session: &SamplingSession) -> u64 {
        let backend = self.ledger.as_ref().map(Ledger::backend);
        match backend.and_then(process::main_thread_ns) {
            Some((cpu_ns, _)) => cpu_ns + process::thread_cpu_ns(),
            None => session.worked_ns(),
        }
    }

    fn look(&mut self) {
        let Some(ledger) = &mut self.ledger else { return };
        let before_ns = process::thread_cpu_ns();
        ledger.look();
        self.looked_since(before_ns);
    }

    /// The next look is due when the last, begun at `before_ns` of this thread's CPU time, is paid for.
    fn looked_since(&mut self, before_ns: u64) {
        let took_ns = process::thread_cpu_ns() - before_ns;
        let pause_ns = (LOOK_EVERY.as_nanos() as u64).max(took_ns * AT_MOST_OF_TIME);
        self.next_look_ns = now_ns() + pause_ns;
    }
}

impl poll_loop::Sampler for Sampler {
    type MachineReading = Option<MachineReading>;

    fn next_window(&mut self, start_ns: u64) {
        self.sampled.next_window(now_ns() - start_ns);
        self.consumers.sampled.next_window(now_ns() - start_ns);
    }

    fn end_window(&mut self, start_ns: u64) {
        self.sampled.end_window(now_ns() - start_ns);
        self.consumers.sampled.end_window(now_ns() - start_ns);
    }

    fn drop_window(&mut self) {
        self.sampled.drop_window();
        self.consumers.sampled.drop_window();
    }

    /// Without the right to see states it only looks at the processes.
    fn ask(&mut self, session: &mut SamplingSession, start_ns: u64) -> Result<bool, WireError> {
        if let Some(slow_probes) = &mut self.slow_probes {
            let ledger = self.ledger.as_ref();
            let before = self.wait_checks.before(|number| ledger?.here(number));
            // The question about states, now and then with whose they are.
            let whose = self.consumers.asks_whose();
            let before_ns = session.worked_ns();
            let question = if whose { sampled::READ } else { samples::SQL };
            if let Some(rows) = session.ask(question)? {
                let at_ns = now_ns();
                if whose {
                    let worked_ns = session.worked_ns() - before_ns;
                    self.consumers.sampled.take(at_ns - start_ns, &rows, worked_ns);
                }
                self.wait_checks.after(&before, &rows);
                slow_probes.queue.manager_is_busy = lock_queue::manager_is_busy(&rows);
                self.sampled.take(at_ns - start_ns, &rows);
                slow_probes.participants.sample(at_ns, samples::sessions_at_work(&rows));
            }
        }
        let before_ns = self.all_work_ns(session);
        if let Some(slow_probes) = &mut self.slow_probes {
            slow_probes.ask(session, self.sampled.waits_for_locks())?;
            self.consumers.ask_names(session)?;
        }
        if now_ns() >= self.next_look_ns {
            self.look();
        }
        self.paced_elsewhere_ns += self.all_work_ns(session).saturating_sub(before_ns);
        Ok(self.slow_probes.is_some())
    }

    fn has_enough(&self, edges: &[Edge], times: f64) -> bool {
        let more_helps = |n: f64, least: f64| n < least && n * times >= least;
        let samples = self.slow_probes.is_some()
            && more_helps(self.sampled.samples() as f64, Observation::LEAST_SAMPLES);
        let [first, .., last] = edges else { return false };
        let ended = ended(first, last).unwrap_or(0.0);
        !samples && !more_helps(ended, Observation::LEAST_TRANSACTIONS)
    }

    fn load_changed(&self, edges: &[Edge]) -> bool {
        self.load_change(edges, load_change::SINCE).is_some()
    }

    fn load_may_have_changed(&self, edges: &[Edge]) -> bool {
        self.load_change(edges, 1).is_some()
    }

    fn so_far(&self, edges: &[Edge]) -> Option<String> {
        let [first, .., last] = edges else { return None };
        let seconds = (last.at_ns - first.at_ns) as f64 / 1e9;
        let tps = ended(first, last).map(|ended| LiveValue::Tps(ended / seconds));
        let tps = tps.map(|tps| format!("{tps} so far"));
        let states = Window::together(self.sampled.windows());
        let active = (states.samples > 0).then(|| states.at_work(ProcessClass::Session));
        let active = active.map(|n| format!("{} sessions active", significant(n, 2)));
        let both: Vec<String> = tps.into_iter().chain(active).collect();
        (!both.is_empty()).then(|| both.join(", "))
    }

    /// Of the question about states, and what comes with it.
    fn work_ns(&self, session: &SamplingSession) -> u64 {
        self.all_work_ns(session).saturating_sub(self.paced_elsewhere_ns)
    }

    fn beside_within(&mut self) -> Option<MachineReading> {
        let ledger = self.ledger.as_mut()?;
        let before_ns = process::thread_cpu_ns();
        let reading = MachineReading::within(ledger, &self.watch);
        self.looked_since(before_ns);
        Some(reading)
    }

    fn beside(&mut self) -> Option<MachineReading> {
        let ledger = self.ledger.as_mut()?;
        let before_ns = process::thread_cpu_ns();
        let reading = MachineReading::take(ledger, &self.watch);
        self.looked_since(before_ns);
        Some(reading)
    }
}

/// Transactions of others that ended between two edges; `None` where counters were reset in between.
pub(super) fn ended(first: &Edge, last: &Edge) -> Option<f64> {
    let changed = last.reading.since(&first.reading);
    let ours = (last.statements - first.statements) as f64;
    let ended = [changed.get(Count::Commits), changed.get(Count::Rollbacks)];
    let known = ended.iter().any(Option::is_some);
    known.then(|| (ended.into_iter().flatten().sum::<f64>() - ours).max(0.0))
}
