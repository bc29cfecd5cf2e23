//! One observed server as the rules read it.

use narrows_model::{
    Consumers, Measurement, Observation, Run, TableUse, Validity, Verdict, metric,
};

use crate::CauseRule;
use crate::rules::mariadb;
use crate::statements::{StatementLoad, statement_loads};

/// Tables that are read: more are kept by no run of ours.
const MOST_TABLES: usize = 200;

/// An observation with its measurement, its verdict and its consumers.
#[derive(Debug, Clone)]
pub struct ObservedServer<'a> {
    /// What was seen.
    pub seen: &'a Observation,
    /// Its measurement.
    pub measured: &'a Measurement,
    /// The verdict on it; absent where none is given.
    pub verdict: Option<&'a Verdict>,
    /// Who took what.
    pub consumers: &'a Consumers,
    /// Memory of the machine, or less where a control group around narrows limits it, bytes; absent where the server runs on another
    /// machine, or nothing tells.
    pub(crate) memory_bytes: Option<f64>,
    /// What statements took, by the server's books and by samples.
    pub(crate) statements: Vec<StatementLoad<'a>>,
}

impl<'a> ObservedServer<'a> {
    /// `None` where nobody asked who takes what, and where the observation is invalid.
    pub fn of(run: &'a Run, seen: &'a Observation) -> Option<ObservedServer<'a>> {
        let measured = run.measurement(&seen.measurement)?;
        if measured.validity == Validity::Invalid {
            return None;
        }
        let verdict = run.verdicts.iter().find(|v| v.measurement == seen.measurement);
        let consumers = seen.consumers.as_ref()?;
        let statements = statement_loads(consumers);
        // Whoever sees the server's processes is on its machine.
        let memory_bytes = seen.processes.as_ref().and_then(|_| {
            let platform = run.platform()?;
            // A limit that can't be seen may be less than all of it.
            if platform.cgroup.hidden.iter().any(|kind| kind == "memory") {
                return None;
            }
            let limit = platform.cgroup.memory_limit_bytes.unwrap_or(u64::MAX);
            Some(platform.memory.total_bytes.min(limit) as f64).filter(|bytes| *bytes > 0.0)
        });
        Some(ObservedServer { seen, measured, verdict, consumers, memory_bytes, statements })
    }

    /// Whether a rule is one for this kind of server: its words and its statements are of that.
    pub(crate) fn is_asked(&self, rule: &CauseRule) -> bool {
        rule.id.starts_with(mariadb::PREFIX) == self.consumers.mariadb.is_some()
    }

    /// Tables of the observed database that were read or changed.
    pub(crate) fn tables(&self) -> impl Iterator<Item = &'a TableUse> {
        self.consumers.tables.iter().take(MOST_TABLES)
    }

    /// Transactions that ended per second.
    pub(crate) fn rate(&self) -> Option<f64> {
        self.measured.value(metric::THROUGHPUT).filter(|rate| rate.is_finite())
    }

    /// A setting's value as the server shows it, unless it was set for our own session, role or database.
    pub(crate) fn setting(&self, name: &str) -> Option<&'a str> {
        let of_all = self.seen.setting(name).filter(|setting| !setting.is_ours());
        of_all.map(|setting| setting.value.as_str())
    }

    /// A setting that is a number without a unit.
    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        self.setting(name)?.parse().ok().filter(|n: &f64| n.is_finite())
    }

    /// A setting of memory or WAL, bytes: `128MB`.
    pub(crate) fn bytes(&self, name: &str) -> Option<f64> {
        let (number, unit) = with_unit(self.setting(name)?)?;
        let scale = match unit {
            "B" | "" => 1.0,
            "kB" => 1024.0,
            "MB" => 1024.0 * 1024.0,
            "GB" => 1024.0 * 1024.0 * 1024.0,
            "TB" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
            _ => return None,
        };
        Some(number * scale)
    }

    /// A setting of time, ns: `5min`.
    pub(crate) fn time_ns(&self, name: &str) -> Option<f64> {
        let (number, unit) = with_unit(self.setting(name)?)?;
        let scale = match unit {
            "us" => 1e3,
            "ms" => 1e6,
            "s" => 1e9,
            "min" => 60e9,
            "h" => 3600e9,
            "d" => 86_400e9,
            _ => return None,
        };
        Some(number * scale)
    }

    /// Bytes of a block.
    pub(crate) fn block_bytes(&self) -> f64 {
        self.number("block_size").filter(|bytes| *bytes >= 1024.0).unwrap_or(8192.0)
    }
}

/// `128MB` as `(128, "MB")`
fn with_unit(value: &str) -> Option<(f64, &str)> {
    let digits = value.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: f64 = digits.parse().ok().filter(|n: &f64| n.is_finite() && *n >= 0.0)?;
    Some((number, &value[digits.len()..]))
}
