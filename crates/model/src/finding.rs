//! What bears on whether a number is true, or why it is low.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Platform;

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing; the number stands.
    Note,
    /// The number may not mean what it seems to.
    Suspect,
    /// The number is wrong.
    Invalid,
}

/// A rule that more than the table of rules asks about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleId(&'static str);

impl RuleId {
    /// An observation of a server that was shorter than ten seconds.
    pub const OBSERVED_TOO_SHORT: RuleId = RuleId("observed-too-short");
    /// Too few samples of sessions.
    pub const OBSERVED_FEW_SAMPLES: RuleId = RuleId("observed-few-samples");
    /// The figure was still changing.
    pub const NOT_STEADY: RuleId = RuleId("not-steady");
    /// Repeats that differ too much.
    pub const WIDE_SPREAD: RuleId = RuleId("wide-spread");
    /// Few transactions in an observation.
    pub const OBSERVED_FEW_TRANSACTIONS: RuleId = RuleId("observed-few-transactions");
    /// Counters that were reset during an observation.
    pub const OBSERVED_COUNTERS_RESET: RuleId = RuleId("observed-counters-reset");
    /// Commits of a load of narrows that were acknowledged with fewer flushes on the drive.
    pub const COMMITS_NOT_FLUSHED: RuleId = RuleId("commits-not-flushed");
    /// The same with less written than the log has.
    pub const COMMITS_NOT_WRITTEN: RuleId = RuleId("commits-not-written");
    /// The same of an observed server.
    pub const OBSERVED_NOT_FLUSHED: RuleId = RuleId("observed-not-flushed");
    /// The same with less written than the log has.
    pub const OBSERVED_NOT_WRITTEN: RuleId = RuleId("observed-not-written");
    /// The same of a live server whose WAL was observed.
    pub const LIVE_NOT_FLUSHED: RuleId = RuleId("live-not-flushed");

    /// As findings have it.
    pub const fn as_str(self) -> &'static str {
        self.0
    }

    /// Whether it is the rule of that finding's id.
    pub fn is(self, id: &str) -> bool {
        self.0 == id
    }
}

/// Ids that rules had in run files of before, and those of today.
pub const FORMER_FINDING_IDS: [(&str, &str); 15] = [
    ("mitigations-dear", "mitigations-costly"),
    ("few-checkpoints-sketch", "few-checkpoints-quick"),
    ("cell-unlike-its-distance", "nodes-unlike-their-distance"),
    ("moved-off-processor", "moved-off-cpu"),
    ("processors-hot", "cpus-hot"),
    ("cached-rows-in-processor-caches", "cached-rows-in-cpu-caches"),
    ("live-looking-costs", "live-sampling-costs"),
    ("observed-others", "observed-other-programs"),
    ("observed-pool-small", "observed-buffer-pool-small"),
    ("nothing-done", "no-operations"),
    ("orders-counted-otherwise", "orders-counts-differ"),
    ("server-counted-otherwise", "server-counts-differ"),
    ("others-unseen", "other-load-unseen"),
    ("data-can-be-saved", "data-compressible"),
    ("blocks-of-nothing", "blocks-never-written"),
];

/// The id that a rule has today.
pub fn current_finding_id(id: &str) -> &str {
    FORMER_FINDING_IDS.iter().find(|(former, _)| *former == id).map_or(id, |(_, current)| current)
}

fn read_id<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let id = String::deserialize(deserializer)?;
    Ok(current_finding_id(&id).to_string())
}

pub(crate) fn read_ids<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<String>, D::Error> {
    let ids = Vec::<String>::deserialize(deserializer)?;
    Ok(ids.iter().map(|id| current_finding_id(id).to_string()).collect())
}

/// One finding, with its evidence in figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Finding {
    /// The rule's id, for example `device-saw-less`.
    #[serde(deserialize_with = "read_id")]
    pub id: String,
    /// How much it weighs.
    pub severity: Severity,
    /// The measurement it concerns; absent for findings about the host or the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measurement: Option<String>,
    /// One sentence for the screen.
    pub summary: String,
    /// The figures it rests on.
    pub evidence: String,
    /// What to do about it.
    pub advice: String,
    /// The places of the machine that it is about, all of them; empty where it is about none in particular.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<FindingPlace>,
}

impl Finding {
    /// Beginning of the ids of findings that are made while a run goes on, when a layer or a workload can't be measured. They are
    /// evidence: no rule makes them again.
    const NOT_MEASURED: &str = "absent-";

    /// The id of the finding that says why `what` is not measured.
    pub fn id_of_not_measured(what: &str) -> String {
        format!("{}{what}", Finding::NOT_MEASURED)
    }

    /// The layer or workload whose absence it explains.
    pub fn not_measured(&self) -> Option<&str> {
        self.id.strip_prefix(Finding::NOT_MEASURED)
    }
}

/// A machine of which nothing was measured, and what the rules find in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Inventory {
    /// The machine.
    #[serde(flatten)]
    pub platform: Platform,
    /// What its structure costs, the heaviest first.
    #[serde(default)]
    pub findings: Vec<Finding>,
}

/// A place of a machine, and what was found there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct FindingPlace {
    /// The parts that it concerns, by their names in the inventory: `0000:41:00.0`, `nvme0n1`, `md0`, `node 1`; empty for
    /// the machine as a whole.
    pub parts: Vec<String>,
    /// The figures.
    pub evidence: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_of_older_run_files_have_the_ids_of_today() {
        let finding = r#"{"id": "processors-hot", "severity": "note", "summary": "s", "evidence": "e", "advice": "a"}"#;
        let read: Finding = serde_json::from_str(finding).unwrap();
        assert_eq!(read.id, "cpus-hot");
        for (former, current) in FORMER_FINDING_IDS {
            assert_eq!(current_finding_id(former), current);
            assert_eq!(current_finding_id(current), current, "named once more");
        }
        assert_eq!(current_finding_id("steal"), "steal");
    }
}
