//! What somebody's server was seen to do over an interval: its own counters, what its processes were found waiting for,
//! and what they took of the machine where that could be seen.
//!
//! Nothing is measured by loading. Counts are sums over the interval and over all databases; what the server doesn't count,
//! or the role may not see, is absent and never zero.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod activity;
mod consumers;
mod counts;
mod lock_kept;
mod mariadb;
mod objects;
mod processes;
mod report;
mod sessions;
mod statement_history;

pub use activity::{
    Activity, ActivityMoment, ActivityState, ActivityWhere, ProcessClass, WaitCheck,
};
pub use consumers::{
    ConsumerKind, Consumers, FileSystemRoom, HorizonHolder, HorizonKind, QueuedSession, Reserves,
    SampledConsumers, SampledGroup, StatementFigures, StatementStatistics, StatementUse, TableUse,
    UnindexedKey,
};
pub use counts::ObservedCounts;
pub use lock_kept::{
    LockKept, cancels_in_transaction, cancels_waiting, ends_idle_in_transaction,
    ends_transaction_between_statements,
};
pub use mariadb::{MariaDbProcess, MariaDbStatement, MariaDbUse};
pub use objects::{IndexSums, IndexUse, PlanNode, SequenceUse, StatementPlan, TriedIndex};
pub use processes::{ClassUse, HotProcess, ObservedProcesses, ProgramUse};
pub use report::ServerReport;
pub use sessions::{Duty, LockHolder, LockHolders, ObservedSessions, SessionsOfDuty};
pub use statement_history::{StatementGroup, StatementHistory, StatementMoment, StatementSamples};

use crate::{LiveCost, LiveSetting, Unknown};

/// A server over an interval. What follows from it stands in the run's verdicts, under the measurement named here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Observation {
    /// The measurement that holds the demand of one transaction, with intervals over the windows.
    pub measurement: String,
    /// Address at which it was observed, without a password.
    pub address: String,
    /// The server's version in its own words.
    pub version: String,
    /// Length of the interval, ns.
    pub interval_ns: f64,
    /// What came before, where the load had changed while observed: all else is of another look, after that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_change: Option<LoadChange>,
    /// Windows of it, each with figures of its own; one: too short to be cut.
    pub windows: u32,
    /// What the server counted.
    pub counted: ObservedCounts,
    /// What its processes were found doing.
    pub activity: Activity,
    /// Who was connected.
    pub sessions: ObservedSessions,
    /// Who took what; absent where it was not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consumers: Option<Consumers>,
    /// What its processes took of the machine; absent where they can't be seen from here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processes: Option<ObservedProcesses>,
    /// Settings that are not the defaults, and those that bear on a verdict whatever they are.
    pub settings: Vec<LiveSetting>,
    /// How the server was built, in its own words, where it says so (`pg_config`): `CFLAGS`, `CONFIGURE`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub build: Vec<(String, String)>,
    /// Where the capacities come from that the demand is compared with, in a sentence for each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capacities_from: Vec<String>,
    /// The server's own report that all of it is read from; absent where the server was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<ServerReport>,
    /// What observing cost.
    pub cost: LiveCost,
    /// What could not be learned, and what it would take.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<Unknown>,
}

/// A load that changed while observed, so that another look followed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LoadChange {
    /// Length of the look that was ended by it, ns.
    pub before_ns: f64,
    /// Transactions per second in its first windows, median.
    pub rate_before: f64,
    /// Transactions per second in its last windows, median.
    pub rate_since: f64,
}

impl Observation {
    /// Questions about sessions of which fewer don't tell what they wait for: a share of one half is known to ± 7 points with so many
    /// (binomial proportion, normal approximation).
    pub const LEAST_SAMPLES: f64 = 200.0;
    /// Transactions of which fewer don't tell what one takes.
    pub const LEAST_TRANSACTIONS: f64 = 100.0;
    /// What is unknown where counters were reset.
    pub const COUNTERS_RESET: &str = "counters that were reset while observed";

    /// What is unknown where the load had changed, and a second look ended before it was one.
    pub const SINCE_ITS_LOAD_CHANGED: &str = "the server since its load changed";

    /// What to type for a look that has more in it: one of less than a minute was cut by `--for`, and a longer one has ended because
    /// ten minutes would not have been enough either.
    pub fn longer_look(&self) -> String {
        let minutes = self.interval_ns / 60e9;
        let most = if minutes < 0.95 { 10.0 } else { (10.0 * minutes).ceil().max(60.0) };
        format!("observe longer: narrows observe --for {most}min")
    }

    /// The setting of that name.
    pub fn setting(&self, name: &str) -> Option<&LiveSetting> {
        self.settings.iter().find(|setting| setting.name == name)
    }

    /// Whether counters were reset while observed.
    pub fn counters_were_reset(&self) -> bool {
        self.unknown.iter().any(|unknown| unknown.what == Self::COUNTERS_RESET)
    }

    /// Whether the figures are of two loads, because no second look followed the change.
    pub fn is_of_two_loads(&self) -> bool {
        self.unknown.iter().any(|unknown| unknown.what == Self::SINCE_ITS_LOAD_CHANGED)
    }

    /// A count per second; `None` where it is unknown.
    pub fn per_s(&self, count: Option<f64>) -> Option<f64> {
        (self.interval_ns > 0.0).then_some(count? / self.interval_ns * 1e9)
    }

    /// A count for each transaction that ended; `None` where it is unknown or none ended.
    pub fn per_transaction(&self, count: Option<f64>) -> Option<f64> {
        self.counted.transactions().filter(|n| *n > 0.0).and_then(|n| Some(count? / n))
    }
}
