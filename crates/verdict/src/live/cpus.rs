//! Where the server's CPUs end, beside where its sessions do: a wait for WAL is what binds as far as CPUs would do more.
//!
//! The law is that of an observed server's verdict (`X ≤ C / D` and `X ≤ N / R`, queues for a CPU left out of `R`), so that both
//! commands say the same of one server.

use narrows_model::{LiveCpuWindow, LiveLog};
use narrows_stats::paired_ratio;

use super::groups::Groups;
use crate::estimate::Estimate;
use crate::threshold::SATURATED;

/// The CPUs' limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CpuLimit {
    /// Commits per second there over those of now.
    pub(super) times: f64,
    /// Share of the CPUs that are in use.
    pub(super) busy: f64,
    /// Beside the limit of the sessions.
    pub(super) beside_sessions: BesideSessions,
}

/// Which of two limits comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BesideSessions {
    /// The sessions': what they wait for binds.
    Higher,
    /// The CPUs', and they are full.
    Lower,
    /// Too close to tell.
    Close,
}

/// `None` where the server's processes are not to be seen, or used nothing.
pub(super) fn limit(log: &LiveLog, groups: &Groups) -> Option<CpuLimit> {
    let cpus = log.cpus.as_ref().filter(|cpus| cpus.used > 0.0 && cpus.available > 0.0)?;
    let sessions = cpus.sessions.unwrap_or(0.0).max(groups.active());
    let whole =
        LiveCpuWindow { available: cpus.available, used: cpus.used, run_queue: cpus.run_queue };
    // Both limits over the rate of now: the rate is the same and falls out.
    let of_cpus = |window: &LiveCpuWindow| window.available / window.used;
    let of_sessions =
        |window: &LiveCpuWindow| sessions / (sessions - window.run_queue).max(f64::MIN_POSITIVE);
    let by_windows =
        |of: &dyn Fn(&LiveCpuWindow) -> f64| -> Vec<f64> { cpus.windows.iter().map(of).collect() };
    let ratio = paired_ratio(&by_windows(&of_cpus), &by_windows(&of_sessions));
    let half = ratio
        .and_then(|ratio| ratio.interval_95)
        .map(|ratio| of_cpus(&whole) * ((ratio.high / ratio.low).sqrt() - 1.0));
    let times = of_cpus(&whole);
    let own = Estimate { value: times, half };
    let differs = own.differs_from(&Estimate::exact(of_sessions(&whole)));
    let beside_sessions = match times > of_sessions(&whole) {
        true if differs => BesideSessions::Higher,
        false if differs && cpus.busy() >= SATURATED => BesideSessions::Lower,
        _ => BesideSessions::Close,
    };
    Some(CpuLimit { times, busy: cpus.busy(), beside_sessions })
}
