//! Where the server's CPUs end, beside where its sessions do: a wait for WAL is what binds as far as CPUs would do more.
//!
//! The law is that of an observed server's verdict (`X ≤ C / D` and `X ≤ N / R`, queues for a CPU left out of `R`), with the same
//! thresholds.

use narrows_model::{LiveCpuWindow, LiveCpus, LiveLog};
use narrows_stats::{interval_95, median, paired_ratio};

use super::groups::Groups;
use crate::estimate::Estimate;
use crate::threshold::{NEAR_SATURATION, SATURATED, WINDOWS_ALIKE};

/// Of the sessions' time, what is taken to be no wait for a CPU at least.
const LEAST_NOT_QUEUED: f64 = 0.05;

/// The CPUs' limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CpuLimit {
    /// Commits per second there over those of now, at today's CPU time per commit.
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
    /// The CPUs', by the law, and they are not full.
    LowerNotFull,
    /// The sessions', and so much of the CPUs is in use that what waits for them is not seen apart.
    NearlyFull,
    /// Too close to tell.
    Close,
}

/// `None` where the server's processes are not to be seen, or used nothing.
pub(super) fn limit(log: &LiveLog, groups: &Groups) -> Option<CpuLimit> {
    let cpus = log.cpus.as_ref().filter(|cpus| cpus.used > 0.0 && cpus.available > 0.0)?;
    let times = cpus.available / cpus.used;
    let beside_sessions = match cpus.sessions {
        Some(sessions) => beside(cpus, sessions.max(groups.active())),
        None if cpus.busy() >= NEAR_SATURATION => BesideSessions::NearlyFull,
        None => BesideSessions::Higher,
    };
    Some(CpuLimit { times, busy: cpus.busy(), beside_sessions })
}

fn beside(cpus: &LiveCpus, sessions: f64) -> BesideSessions {
    // Both limits over the rate of now: the rate is the same and falls out.
    let of_cpus = |window: &LiveCpuWindow| window.available / window.used;
    let of_sessions = |window: &LiveCpuWindow| {
        sessions / (sessions - window.run_queue).max(LEAST_NOT_QUEUED * sessions)
    };
    let whole =
        LiveCpuWindow { available: cpus.available, used: cpus.used, run_queue: cpus.run_queue };
    let (own, other) = (of_cpus(&whole), of_sessions(&whole));
    let half = windows_doubt(&cpus.windows, of_cpus, of_sessions).map(|relative| own * relative);
    let differs = Estimate { value: own, half }.differs_from(&Estimate::exact(other));
    match own > other {
        _ if !differs => BesideSessions::Close,
        true if cpus.busy() >= NEAR_SATURATION => BesideSessions::NearlyFull,
        true => BesideSessions::Higher,
        false if cpus.busy() >= SATURATED => BesideSessions::Lower,
        false => BesideSessions::LowerNotFull,
    }
}

/// Relative half width of the ratio of the two limits, window by window; `None` where windows are no repeats of each other.
fn windows_doubt(
    windows: &[LiveCpuWindow],
    of_cpus: impl Fn(&LiveCpuWindow) -> f64,
    of_sessions: impl Fn(&LiveCpuWindow) -> f64,
) -> Option<f64> {
    let used: Vec<f64> = windows.iter().map(|window| window.used).collect();
    let alike = interval_95(&used)
        .zip(median(&used))
        .is_some_and(|(i, middle)| (i.high - i.low) / 2.0 <= WINDOWS_ALIKE * middle);
    if !alike || used.iter().any(|used| *used <= 0.0) {
        return None;
    }
    let cpus: Vec<f64> = windows.iter().map(of_cpus).collect();
    let sessions: Vec<f64> = windows.iter().map(of_sessions).collect();
    let ratio = paired_ratio(&cpus, &sessions)?.interval_95?;
    let relative = (ratio.high / ratio.low).sqrt() - 1.0;
    relative.is_finite().then_some(relative)
}
