//! The suite as data: what is planted, how strongly, and what must be said of it.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, ensure};
use narrows_model::Bottleneck;
use serde::Deserialize;

const TEXT: &str = include_str!("suite.toml");

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Suite {
    plant: Vec<Plant>,
}

/// One bottleneck at one strength.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Plant {
    pub name: String,
    pub what: String,
    #[serde(default)]
    pub strength: String,
    #[serde(default)]
    pub sight: Sight,
    pub look: LookKind,
    /// Of a load of narrows' own.
    #[serde(default)]
    pub workload: Option<String>,
    #[serde(default)]
    pub load: Load,
    #[serde(default)]
    pub server: Server,
    #[serde(default)]
    pub plant: Planted,
    /// Length of the look, where it is not the suite's, s.
    #[serde(default)]
    pub for_s: Option<u32>,
    /// Names that are right; none: only UNDECIDED is.
    #[serde(default)]
    pub right: Vec<Bottleneck>,
    /// Part of the phrase.
    #[serde(default)]
    pub sentence: String,
    /// A change that decides which name is right.
    #[serde(default)]
    pub decided: Option<Decided>,
    /// A rule that must have fired.
    #[serde(default)]
    pub finding: Option<String>,
    /// Why the expectation isn't the one of the first run.
    #[serde(default)]
    pub changed: Option<String>,
}

/// Whether the cause can be read somewhere.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Sight {
    #[default]
    Seen,
    Hidden,
}

/// How narrows looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum LookKind {
    /// `narrows run --observe`.
    Observe,
    /// The same with `--capacities`.
    Compare,
    /// `narrows run --quick`.
    Sketch,
    /// `narrows run`.
    Full,
}

impl LookKind {
    /// Whether narrows loads a server of its own.
    pub fn is_own(self) -> bool {
        matches!(self, LookKind::Sketch | LookKind::Full)
    }
}

/// What pgbench does.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Load {
    /// A script that pgbench has.
    pub builtin: Option<String>,
    /// One of ours.
    pub script: Option<String>,
    pub sessions: u32,
    /// A new connection for each transaction.
    pub reconnect: bool,
}

impl Default for Load {
    fn default() -> Load {
        Load { builtin: None, script: None, sessions: 8, reconnect: false }
    }
}

/// The server that it is planted under. Plants one after the other with the same server share it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Server {
    /// pgbench's scale.
    pub scale: u32,
    pub cpus: u32,
    /// Memory of its control group, page cache with it, MiB.
    pub memory_mb: Option<u64>,
    pub slow_flush_us: Option<u32>,
    pub slow_read_us: Option<u32>,
    /// Reads of tables that all its processes together may do in a second: a volume's budget, which nothing tells.
    pub reads_per_s: Option<u32>,
    pub settings: BTreeMap<String, String>,
    /// Statements that make what a load needs.
    pub setup: String,
    /// A synchronous standby on the client's processor, whose flushes take that much longer, µs.
    pub standby_flush_us: Option<u32>,
}

impl Default for Server {
    fn default() -> Server {
        Server {
            scale: 10,
            cpus: 1,
            memory_mb: None,
            slow_flush_us: None,
            slow_read_us: None,
            reads_per_s: None,
            settings: BTreeMap::new(),
            setup: String::new(),
            standby_flush_us: None,
        }
    }
}

/// What is planted while the server runs.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Planted {
    /// Processors of the server's group.
    pub cpus: Option<f64>,
    /// The limits are on the group above the server's.
    pub above: bool,
    /// Share of the time in which the server's processes are stopped.
    pub frozen: Option<f64>,
    /// Share of the server's processor that another program takes, whatever else wants it.
    pub hog: Option<f64>,
    /// Another program wants all of the server's processor, at that nice value.
    pub hog_nice: Option<i32>,
    /// Another program takes what is left of the server's processor (`SCHED_IDLE`).
    pub hog_idle: bool,
    /// narrows looks from a control-group namespace of its own, as a container beside the server's does.
    pub sidecar: bool,
    /// The limits begin so many seconds after the load: a volume whose credits are used up.
    pub limits_after_s: Option<u32>,
    pub reads_per_s: Option<u32>,
    pub writes_per_s: Option<u32>,
    /// Processors of the client's group.
    pub client_cpus: Option<f64>,
    /// How much later bytes arrive, each way, µs.
    pub proxy_us: Option<u64>,
    /// Sessions that are open beside pgbench's and do nothing, as a pool has them.
    pub unused: u32,
}

/// A change after the look, and which name is right by what it does.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Decided {
    pub by: Change,
    pub gains: Vec<Bottleneck>,
    pub otherwise: Vec<Bottleneck>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Change {
    /// `synchronous_commit = off` in all sessions.
    NoWaitForCommits,
    TwiceTheSessions,
}

impl Change {
    pub fn words(self) -> &'static str {
        match self {
            Change::NoWaitForCommits => "`synchronous_commit` off",
            Change::TwiceTheSessions => "twice the sessions",
        }
    }
}

impl Plant {
    /// What is expected, in one line: it is stored with what came out, so that a later change shows.
    pub fn expectation(&self) -> String {
        let mut text = match &self.decided {
            Some(decided) => format!(
                "{} if {} gains 15 % beyond its CPU time, else {}",
                words(&decided.gains),
                decided.by.words(),
                words(&decided.otherwise)
            ),
            None if self.right.is_empty() => "UNDECIDED: no name".to_string(),
            None => words(&self.right),
        };
        if !self.sentence.is_empty() {
            text += &format!(": “{}”", self.sentence);
        }
        if let Some(rule) = &self.finding {
            text += &format!(", with `{rule}`");
        }
        text
    }
}

fn words(names: &[Bottleneck]) -> String {
    names.iter().map(|name| word(*name)).collect::<Vec<_>>().join(" or ")
}

/// The name as the run file writes it.
pub(super) fn word(narrow: Bottleneck) -> String {
    serde_json::to_value(narrow)
        .ok()
        .and_then(|value| value.as_str().map(str::to_string))
        .unwrap_or_default()
}

/// All plants.
pub(super) fn read() -> Result<Vec<Plant>> {
    let suite: Suite = toml::from_str(TEXT).context("reading suite.toml")?;
    for (at, plant) in suite.plant.iter().enumerate() {
        let name = &plant.name;
        ensure!(suite.plant[..at].iter().all(|other| other.name != *name), "{name} is there twice");
        ensure!(
            plant.look.is_own() == plant.workload.is_some(),
            "{name}: workload and look differ"
        );
        let scripts =
            u8::from(plant.load.builtin.is_some()) + u8::from(plant.load.script.is_some());
        ensure!(scripts == u8::from(!plant.look.is_own()), "{name} needs one script, or none");
        ensure!(
            plant.decided.is_none() || plant.right.is_empty(),
            "{name}: what is right is said twice"
        );
    }
    Ok(suite.plant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suite_reads_and_has_each_plant_at_two_strengths() {
        let all = read().unwrap();
        assert!(all.len() > 40);
        let planted = all.iter().filter(|plant| !plant.what.starts_with("nothing"));
        for plant in planted {
            let same = all.iter().filter(|other| {
                other.what == plant.what && other.look.is_own() == plant.look.is_own()
            });
            assert!(same.count() >= 2, "{} has one strength", plant.what);
        }
    }

    #[test]
    fn what_is_expected_is_one_line() {
        let all = read().unwrap();
        let of = |name: &str| all.iter().find(|plant| plant.name == name).unwrap().expectation();
        assert_eq!(of("quota-half"), "cpu_quota: “CPU quota”");
        assert_eq!(of("frozen-half"), "UNDECIDED: no name");
        assert_eq!(
            of("checkpoints-64"),
            "commit_wait if `synchronous_commit` off gains 15 % beyond its CPU time, else cpu, with `observed-checkpoints-requested`"
        );
    }
}
