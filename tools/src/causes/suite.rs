//! The suite as data: what is wrong with a server, and which cause must be named first.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;

const TEXT: &str = include_str!("suite.toml");

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Suite {
    situation: Vec<Situation>,
}

/// One trouble at one strength.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Situation {
    pub name: String,
    pub what: String,
    pub strength: String,
    #[serde(default)]
    pub server: Server,
    /// What psql runs before all else.
    #[serde(default)]
    pub setup: String,
    #[serde(default)]
    pub loads: Vec<Load>,
    /// Statements of sessions that stay open.
    #[serde(default)]
    pub before: Vec<Vec<String>>,
    /// Statements of sessions that are at work on the last one to the end.
    #[serde(default)]
    pub running: Vec<Vec<String>>,
    /// Commands that run beside.
    #[serde(default)]
    pub shell: Vec<String>,
    /// How long all of it runs before the look, s.
    #[serde(default)]
    pub warm_up_s: Option<u64>,
    /// The file system of the server is frozen when all of it has warmed up.
    #[serde(default)]
    pub frozen: bool,
    /// It is filled then.
    #[serde(default)]
    pub filled: bool,
    /// Causes of which one must come first; none: nothing above a risk may be named.
    pub right: Vec<String>,
    /// What the first cause has to name.
    #[serde(default)]
    pub names: Vec<String>,
    /// Statements that do what the screen says.
    #[serde(default)]
    pub fix: Vec<String>,
    /// What PgHero's published checks would say.
    #[serde(default)]
    pub pghero: String,
    /// What those of postgres-checkup would.
    #[serde(default)]
    pub checkup: String,
    /// Why the expectation isn't the one of the first run.
    #[serde(default)]
    pub changed: Option<String>,
}

/// The server.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Server {
    /// pgbench's scale.
    pub scale: u32,
    /// Memory of its control group, page cache with it, MiB.
    pub memory_mb: Option<u64>,
    pub slow_flush_us: Option<u32>,
    /// It is on a file system of its own, MiB.
    pub disk_mb: Option<u64>,
    /// Size of MariaDB's buffer pool, MiB.
    pub pool_mb: Option<u64>,
    pub product: Product,
    pub settings: BTreeMap<String, String>,
}

impl Default for Server {
    fn default() -> Server {
        Server {
            scale: 4,
            memory_mb: None,
            slow_flush_us: None,
            disk_mb: None,
            pool_mb: None,
            product: Product::PostgreSql,
            settings: BTreeMap::new(),
        }
    }
}

/// Whose server it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Product {
    /// Under pgbench.
    PostgreSql,
    /// Under sysbench: a script is what an event of it does, in Lua, with the connection `con`.
    MariaDb,
}

/// One pgbench, or one sysbench.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Load {
    /// A script that pgbench has.
    #[serde(default)]
    pub builtin: Option<String>,
    /// One of ours.
    #[serde(default)]
    pub script: Option<String>,
    /// So many times in one transaction.
    #[serde(default)]
    pub repeat: Option<u32>,
    pub sessions: u32,
    /// Transactions per second, all sessions together; as many as go where there is none.
    #[serde(default)]
    pub rate: Option<u32>,
    /// A new connection for each transaction.
    #[serde(default)]
    pub reconnect: bool,
    /// `simple` or `prepared`.
    #[serde(default)]
    pub protocol: Option<String>,
    /// `application_name`.
    #[serde(default)]
    pub application: Option<String>,
    /// Whether it begins when those of `running` do already.
    #[serde(default)]
    pub after: bool,
}

impl Load {
    /// Its script, in a transaction where it is repeated.
    pub fn text(&self) -> Option<String> {
        let script = self.script.as_ref()?;
        Some(match self.repeat {
            Some(times) => format!("BEGIN;\n{}COMMIT;\n", script.repeat(times as usize)),
            None => script.clone(),
        })
    }
}

impl Situation {
    /// In one line: it is stored with what came out, so that a later change shows.
    pub fn expectation(&self) -> String {
        let mut text = match self.right.as_slice() {
            [] => "nothing".to_string(),
            right => right.join(" or "),
        };
        if !self.names.is_empty() {
            text += &format!(", naming {}", self.names.join(", "));
        }
        text
    }
}

/// All situations.
pub(super) fn read() -> Result<Vec<Situation>> {
    let suite: Suite = toml::from_str(TEXT).context("reading suite.toml")?;
    for (at, situation) in suite.situation.iter().enumerate() {
        let name = &situation.name;
        ensure!(
            suite.situation[..at].iter().all(|other| other.name != *name),
            "{name} is there twice"
        );
        for load in &situation.loads {
            ensure!(load.builtin.is_some() != load.script.is_some(), "{name} needs one script");
        }
        let on_disk = situation.server.disk_mb.is_some();
        let disturbed = situation.frozen || situation.filled;
        ensure!(on_disk || !disturbed, "{name} needs a file system of its own");
        let is_postgres = situation.server.product == Product::PostgreSql;
        ensure!(is_postgres || situation.fix.is_empty(), "{name}: gains are PostgreSQL's alone");
    }
    Ok(suite.situation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_trouble_has_two_strengths_and_there_are_five_healthy_servers() {
        let all = read().unwrap();
        let whats: std::collections::BTreeSet<&str> =
            all.iter().map(|situation| situation.what.as_str()).collect();
        for what in &whats {
            let same: Vec<_> = all.iter().filter(|situation| situation.what == *what).collect();
            let least = if same[0].right.is_empty() { 5 } else { 2 };
            assert!(same.len() >= least, "{what}: {}", same.len());
        }
        assert!(whats.len() > 25, "{}", whats.len());
    }

    #[test]
    fn a_repeated_script_is_one_transaction() {
        let all = read().unwrap();
        let chatty = all.iter().find(|situation| situation.name == "chatty").unwrap();
        let text = chatty.loads[0].text().unwrap();
        assert!(text.starts_with("BEGIN;\n") && text.ends_with("COMMIT;\n"), "{text}");
        assert_eq!(text.matches("SELECT").count(), 30);
    }
}
