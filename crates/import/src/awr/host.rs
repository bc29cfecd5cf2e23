//! The CPUs of the report's host, and whose they were.

use super::report::Report;

/// Of the host's CPUs, the share in use from which a session that wants one waits for it.
const FULL: f64 = 0.85;

/// CPUs of the host, and how many were in use on average.
#[derive(Debug, Clone, Copy)]
pub(super) struct HostUse {
    pub(super) cpus: f64,
    pub(super) busy: f64,
    /// By the instance, by its own account.
    pub(super) own: f64,
    /// Whether the rest may be the instance's too: where a part of an instance is reported, or where the system counts the time of
    /// hardware threads and the database that of cores.
    pub(super) rest_unknown: bool,
}

impl HostUse {
    /// `own_s`: CPU time of the instance, s; `pluggable`: the report is of a part of it.
    pub(super) fn of(
        report: &Report,
        own_s: f64,
        interval_s: f64,
        pluggable: bool,
    ) -> Option<HostUse> {
        let (cpus, busy) = report.cpus().zip(report.system.get("BUSY_TIME"))?;
        let own = (own_s / interval_s).min(cpus);
        // Times of the operating system are in hundredths.
        let busy = (busy / 100.0 / interval_s).max(own).min(cpus);
        let aix = report.platform.as_ref().is_some_and(|platform| platform.starts_with("AIX"));
        Some(HostUse { cpus, busy, own, rest_unknown: pluggable || aix })
    }

    /// In use, and not on the instance's account.
    fn rest(self) -> f64 {
        (self.busy - self.own).max(0.0)
    }

    /// Of others, as far as that is known.
    pub(super) fn others(self) -> f64 {
        if self.rest_unknown { 0.0 } else { self.rest() }
    }

    /// Whose is unknown.
    pub(super) fn unattributed(self) -> Option<f64> {
        self.rest_unknown.then(|| self.rest())
    }

    /// What grows with the rate: what may be the instance's is taken to do so.
    pub(super) fn growing(self) -> f64 {
        self.own + self.unattributed().unwrap_or(0.0)
    }

    pub(super) fn is_full(self) -> bool {
        self.busy >= FULL * self.cpus
    }
}
