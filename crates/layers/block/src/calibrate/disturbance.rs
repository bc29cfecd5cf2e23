//! Whether something outside spoiled a window, so that the search does not learn from it.
//!
//! The thresholds are those of the validity rules `steal-heavy`, `other-load`, `throttled` and `io-limit-changed`; any
//! operation that failed, was short or brought wrong data counts, too. A window is judged by these alone, never by
//! whether its rate passed: to keep disturbed passes and repeat disturbed failures would lift the answer.

use crate::outcome::StreamOutcome;

/// Share of processor time that the hypervisor may give to others.
const STEAL: f64 = 0.05;
/// Share of the window that our threads may be kept waiting for a processor, or of all processors that others may use.
const OTHERS: f64 = 0.05;
/// Stops by a processor quota, per second.
const THROTTLED_PER_S: f64 = 0.5;
/// CPUs that a processor quota kept its group from.
const THROTTLED_CPUS: f64 = 0.02;

/// What spoiled a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Spoiled {
    Failed,
    LimitChanged,
    Steal,
    OtherLoad,
    Throttled,
    StoodStill,
    Capped,
}

impl Spoiled {
    /// Whether others were in the way, who may be gone after a pause.
    pub(super) fn by_others(self) -> bool {
        match self {
            Spoiled::Steal | Spoiled::OtherLoad | Spoiled::StoodStill | Spoiled::LimitChanged => {
                true
            }
            Spoiled::Failed | Spoiled::Throttled | Spoiled::Capped => false,
        }
    }

    /// As the end of a sentence that begins with a number of windows.
    pub(super) fn words(self) -> &'static str {
        match self {
            Spoiled::Failed => "had operations that failed, were short or returned wrong data",
            Spoiled::LimitChanged => "saw the control group's I/O limits change",
            Spoiled::Steal => "had steal",
            Spoiled::OtherLoad => "shared the CPUs with other programs",
            Spoiled::Throttled => "were throttled by a CPU quota",
            Spoiled::Capped => "needed more I/Os in flight than buffers are allowed for",
            Spoiled::StoodStill => "saw the whole machine stand still, the load generator with it",
        }
    }
}

/// What the kernel does on processors of its own for one operation of ours, ns: the least seen in closed loops. Drivers of
/// encryption, loops and compression work there, and are nobody else's load.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Helpers(Option<f64>);

impl Helpers {
    /// A window of the closed loop.
    pub(super) fn saw(&mut self, outcome: &StreamOutcome) {
        let per_s = outcome.throughput_per_s();
        if per_s > 0.0 {
            let each_ns = outcome.seen.other_cpus * 1e9 / per_s;
            self.0 = Some(self.0.map_or(each_ns, |least| least.min(each_ns)));
        }
    }

    fn cpus(self, outcomes: &[StreamOutcome]) -> f64 {
        let rate: f64 = outcomes.iter().map(StreamOutcome::throughput_per_s).sum();
        self.0.unwrap_or(0.0) * rate / 1e9
    }
}

/// What spoiled the window, if anything did.
pub(super) fn spoiled(outcomes: &[StreamOutcome], helpers: Helpers) -> Option<Spoiled> {
    let first = outcomes.first()?;
    if outcomes.iter().any(|o| o.failed() + o.wrong + o.short() > 0) {
        return Some(Spoiled::Failed);
    }
    let seen = &first.seen;
    if seen.io_limit_changed == Some(true) {
        return Some(Spoiled::LimitChanged);
    }
    if seen.steal.is_some_and(|share| share > STEAL) {
        return Some(Spoiled::Steal);
    }
    // What others did to our threads, and only where that isn't known, what they used.
    let other_load = match first.kept_waiting {
        // No more than they ran: the rest was for threads of the kernel, which complete our requests.
        Some(share) => share > OTHERS && (seen.other_cpus > OTHERS || seen.per_cpu.is_empty()),
        None => {
            let others = seen.other_cpus - helpers.cpus(outcomes);
            others > OTHERS * seen.per_cpu.len() as f64 && !seen.per_cpu.is_empty()
        }
    };
    if other_load {
        return Some(Spoiled::OtherLoad);
    }
    let seconds = seen.window.as_secs_f64();
    let stops = seen.throttled.unwrap_or(0) as f64;
    let kept_off = seen.quota_stopped_cpus.is_some_and(|cpus| cpus > THROTTLED_CPUS);
    (kept_off || (seconds > 0.0 && stops / seconds > THROTTLED_PER_S)).then_some(Spoiled::Throttled)
}
