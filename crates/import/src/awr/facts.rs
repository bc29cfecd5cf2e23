//! What of a report the measurement and the observation need alike: its totals, and its time by what sessions did.

use narrows_model::ActivityState;

use super::host::HostUse;
use super::report::{Report, Waits};
use super::{TOOL, events};
use crate::{ImportError, nothing};

/// Parameters of the instance that bear on a figure; all others are in the report.
const PARAMETERS: [&str; 18] = [
    "commit_logging",
    "commit_wait",
    "commit_write",
    "cpu_count",
    "db_block_size",
    "db_cache_size",
    "db_flash_cache_size",
    "db_writer_processes",
    "disk_asynch_io",
    "fast_start_mttr_target",
    "filesystemio_options",
    "log_buffer",
    "memory_target",
    "parallel_max_servers",
    "pga_aggregate_target",
    "resource_manager_plan",
    "sga_target",
    "use_large_pages",
];

/// What all of it needs.
pub(super) struct Facts<'r> {
    pub(super) report: &'r Report,
    pub(super) interval_s: f64,
    pub(super) db_time_s: f64,
    pub(super) cpu_s: f64,
    pub(super) transactions: Option<f64>,
    pub(super) host: Option<HostUse>,
    /// DB time that is neither CPU nor a wait, s.
    pub(super) unaccounted_s: f64,
    /// Of a pluggable database, beside which others use the host.
    pub(super) pluggable: bool,
}

impl<'r> Facts<'r> {
    pub(super) fn of(report: &'r Report, pluggable: bool) -> Result<Facts<'r>, ImportError> {
        let interval_s = report
            .interval_s()
            .ok_or_else(|| nothing(TOOL, "its snapshots and Elapsed are missing"))?;
        let db_time_s = report.db_time_s().ok_or_else(|| nothing(TOOL, "no DB time in it"))?;
        let cpu_s = report
            .time_model
            .get("dbcpu")
            .copied()
            .ok_or_else(|| nothing(TOOL, "no DB CPU in its time model"))?;
        if report.foreground.is_empty() {
            return Err(nothing(TOOL, "no foreground wait events in it"));
        }
        let background_s = report.time_model.get("backgroundcputime").copied().unwrap_or(0.0);
        let host = HostUse::of(report, cpu_s + background_s, interval_s, pluggable);
        Ok(Facts {
            report,
            interval_s,
            db_time_s,
            cpu_s,
            transactions: report.transactions().filter(|n| *n > 0.0),
            host,
            unaccounted_s: db_time_s - cpu_s - report.waited_s(),
            pluggable,
        })
    }

    /// Time of sessions in a state, s.
    pub(super) fn state_s(&self, states: &[ActivityState]) -> f64 {
        self.waits_in(states).map(|waits| waits.total_s).sum()
    }

    pub(super) fn waits_in(&self, states: &[ActivityState]) -> impl Iterator<Item = &'r Waits> {
        let states = states.to_vec();
        let waits = self.report.foreground.iter().filter(|waits| !waits.idle);
        waits.filter(move |waits| states.contains(&events::state(&waits.event)))
    }

    /// Time of sessions that were ready and had no CPU, s: what lies between CPU and waits, as far as the operating system counted such
    /// time or the host was full, and what the resource manager held back.
    pub(super) fn run_queue_s(&self) -> f64 {
        let unaccounted = self.unaccounted_s.max(0.0);
        let counted =
            self.report.system.get("OS_CPU_WAIT_TIME").map(|hundredths| hundredths / 100.0);
        let full = self.host.is_some_and(HostUse::is_full);
        let queued = match counted.filter(|s| *s > 0.0) {
            Some(counted) => unaccounted.min(counted),
            None if full => unaccounted,
            None => 0.0,
        };
        queued + self.state_s(&[ActivityState::Running])
    }

    /// CPUs that the resource manager leaves the instance, where it caged it.
    pub(super) fn caged(&self) -> Option<f64> {
        let (_, count) = self.parameters().find(|(name, _)| *name == "cpu_count")?;
        let count: f64 = count.parse().ok()?;
        let held_back = self.state_s(&[ActivityState::Running]) > 0.0;
        let cpus = self.host?.cpus;
        (held_back && count >= 1.0 && count < cpus).then_some(count)
    }

    /// Sessions that were open, mean of the two snapshots, background processes among them; `None` where more were at work in between.
    pub(super) fn open(&self) -> Option<f64> {
        let counted = &self.report.sessions;
        let mean = counted.iter().sum::<f64>() / counted.len() as f64;
        (mean >= self.db_time_s / self.interval_s).then_some(mean)
    }

    /// Time of waits that begin so, s; names may be cut.
    pub(super) fn waits_named(&self, names: &[&str]) -> f64 {
        let waits = self.report.foreground.iter().filter(|waits| !waits.idle);
        waits
            .filter(|w| names.iter().any(|name| events::begins_alike(&w.event, name)))
            .map(|w| w.total_s)
            .sum()
    }

    /// The event that says that commits wait for a standby.
    pub(super) fn standby(&self) -> Option<String> {
        let all = self.report.foreground.iter().chain(&self.report.background);
        let of = |waits: &&Waits| {
            waits.total_s > 0.0
                && events::STANDBY.iter().any(|name| events::begins_alike(&waits.event, name))
        };
        all.filter(of).map(|waits| waits.event.clone()).next()
    }

    /// Writes of the log, and their time, s, where it is known.
    pub(super) fn flushes(&self) -> Option<(f64, Option<f64>)> {
        let waits = self.report.background("log file parallel write").filter(|w| w.count > 0.0);
        let timed = waits.map(|waits| (waits.count, Some(waits.total_s)));
        timed.or_else(|| Some((self.report.count("redo writes")?, None)))
    }

    pub(super) fn version(&self) -> String {
        let release = self.report.release.as_deref().unwrap_or("of an unknown release");
        format!("Oracle Database {release}")
    }

    pub(super) fn parameters(&self) -> impl Iterator<Item = (&'r str, &'r str)> {
        let all = self.report.parameters.iter();
        all.map(|(name, value)| (name.as_str(), value.as_str()))
            .filter(|(name, _)| PARAMETERS.contains(name))
    }

    /// Blocks found in the buffer cache.
    pub(super) fn hits(&self) -> Option<f64> {
        let all = self.report.count("session logical reads")?;
        let missed = self.report.count("physical reads cache")?
            + self.report.count("physical reads direct").unwrap_or(0.0);
        Some((all - missed).max(0.0))
    }
}
