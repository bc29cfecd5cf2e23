//! What happened between two edges.

use std::collections::BTreeMap;

use narrows_model::ProcessClass;
use narrows_observe::HostWindow;

use super::activity;
use super::host::Used;
use super::sampling::{Edge, MachineReading, PollLoop};
use crate::monitor::counters::Changed;
use crate::monitor::sources::Count;

/// A window, or all of them as one.
#[derive(Debug, Clone)]
pub(super) struct Window {
    /// Its length, ns.
    pub(super) ns: f64,
    /// What the server counted, less what we did ourselves.
    pub(super) changed: Changed,
    /// What processes were found doing; without samples where that was not to be seen.
    pub(super) states: activity::Window,
    /// What the machine's counters say; absent where the server's processes can't be seen.
    pub(super) machine: Option<Took>,
    /// Sessions connected at its ends, without ours, mean.
    connected: Option<f64>,
    /// Sessions that did nothing during the whole look, mean; absent where that was not to be seen.
    pub(super) unused: Option<f64>,
}

/// What was taken of the machine.
#[derive(Debug, Clone)]
pub(crate) struct Took {
    pub(crate) seen: HostWindow,
    pub(super) used: BTreeMap<ProcessClass, Used>,
    /// Of the process that serves us, ns.
    pub(super) own_ns: f64,
    /// Number, class and processor time of the busiest process, ns.
    pub(super) busiest: Option<(u32, ProcessClass, u64)>,
}

impl Took {
    /// Between two readings.
    pub(crate) fn between(from: &MachineReading, to: &MachineReading) -> Took {
        let change = |(class, now): (&ProcessClass, &Used)| {
            let then = from.used.get(class).copied().unwrap_or_default();
            (*class, now.plus(then, -1.0))
        };
        Took {
            seen: to.snapshot.since(&from.snapshot),
            used: to.used.iter().map(change).collect(),
            own_ns: (to.own_ns - from.own_ns) as f64,
            busiest: to.busiest,
        }
    }

    /// Of processes of these classes, ns.
    pub(crate) fn of(&self, whose: impl Fn(ProcessClass) -> bool) -> Used {
        let these = self.used.iter().filter(|(class, _)| whose(**class));
        these.fold(Used::default(), |sum, (_, used)| sum.plus(*used, 1.0))
    }
}

impl Window {
    /// Transactions that ended, one way or the other, without ours.
    pub(super) fn transactions(&self) -> Option<f64> {
        Some(self.changed.get(Count::Commits)? + self.changed.get(Count::Rollbacks).unwrap_or(0.0))
    }

    /// Sessions connected, mean: as found, or as counted at both ends.
    pub(super) fn open(&self) -> Option<f64> {
        if self.states.samples > 0 { Some(self.states.open()) } else { self.connected }
    }

    /// Of these, those that did something during the look; at least those at work.
    pub(super) fn participating(&self) -> Option<f64> {
        let at_work = self.states.at_work(ProcessClass::Session);
        Some((self.open()? - self.unused?).max(at_work))
    }
}

/// One window between each two neighbouring edges.
pub(super) fn cut(poll: &PollLoop) -> Vec<Window> {
    let pairs = poll.edges.windows(2).zip(poll.sampler.sampled.windows());
    pairs.map(|(two, states)| between(poll, &two[0], &two[1], states.clone())).collect()
}

/// All of them as one.
pub(super) fn whole(poll: &PollLoop) -> Window {
    let edges = &poll.edges;
    let (first, last) = (&edges[0], &edges[edges.len() - 1]);
    let together = activity::Window::together(poll.sampler.sampled.windows());
    let window = between(poll, first, last, together);
    // Each edge's busiest process is that of the window that ends there.
    let busiest = edges.iter().skip(1).filter_map(|edge| edge.beside.as_ref()?.busiest);
    let most = busiest.max_by_key(|(_, _, ns)| *ns);
    Window { machine: window.machine.map(|took| Took { busiest: most, ..took }), ..window }
}

fn between(poll: &PollLoop, from: &Edge, to: &Edge, states: activity::Window) -> Window {
    let mut changed = to.reading.since(&from.reading);
    let unanswered = (to.unanswered - from.unanswered) as f64;
    let answered = (to.statements - from.statements) as f64 - unanswered;
    // A connection's own start is a transaction to the server.
    let started = changed.get(Count::Connections).unwrap_or(0.0);
    changed.less(Count::Commits, answered + started);
    changed.less(Count::Rollbacks, unanswered);
    changed.less(Count::ActiveMs, (to.active_ns - from.active_ns) as f64 / 1e6);
    let others = |edge: &Edge| edge.reading.connected.map(|n| (n - 1.0).max(0.0));
    Window {
        ns: (to.at_ns - from.at_ns) as f64,
        changed,
        states,
        machine: from.beside.as_ref().zip(to.beside.as_ref()).map(|(a, b)| Took::between(a, b)),
        connected: others(from).zip(others(to)).map(|(a, b)| (a + b) / 2.0),
        unused: poll.sampler.unused(from.at_ns, to.at_ns),
    }
}
