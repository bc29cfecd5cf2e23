//! A server's own report of an interval, as Oracle's AWR is.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which report it is, and what in it doesn't agree.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct ServerReport {
    /// Its kind: `AWR`.
    pub kind: String,
    /// The host that the server ran on, where the report names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Its snapshots, first and last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshots: Option<(String, String)>,
    /// Commits that waited for the redo log, and how long in all, ns: `log file sync`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_waits: Option<f64>,
    /// The time of these waits, ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_wait_ns: Option<f64>,
    /// Time of sessions that is neither CPU nor a wait, ns: below zero where both are more than the server's own account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unaccounted_ns: Option<f64>,
    /// Figures of the report that contradict each other, a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contradictions: Vec<String>,
}

impl ServerReport {
    /// Whether it is of a machine of that name: reports cut names, and domains are left out on one side or the other.
    pub fn is_of_host(&self, name: &str) -> bool {
        let first = |name: &str| name.split('.').next().unwrap_or(name).to_lowercase();
        self.host.as_ref().is_some_and(|host| {
            let (host, name) = (first(host), first(name));
            !host.is_empty() && (host == name || (host.len() >= 12 && name.starts_with(&host)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_told_by_their_first_name() {
        let of =
            |host: &str| ServerReport { host: Some(host.to_string()), ..ServerReport::default() };
        assert!(of("db7.example.com").is_of_host("DB7"));
        assert!(of("warehouse-prod").is_of_host("warehouse-production-7.example.com"), "cut");
        assert!(!of("db7").is_of_host("db70"));
        assert!(!of("").is_of_host("db7"));
        assert!(!ServerReport::default().is_of_host("db7"));
    }
}
