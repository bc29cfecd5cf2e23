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
    /// Time of sessions that waited for room in the log's buffer or for the next log file, ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_space_ns: Option<f64>,
    /// Time of sessions that waited for writes of data files, ns: their own, or for blocks that others had to write first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_write_ns: Option<f64>,
    /// What says that commits wait for a standby too: the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standby: Option<String>,
    /// Figures of the report that contradict each other, a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contradictions: Vec<String>,
}

impl ServerReport {
    /// Letters of a host's name in a report in text.
    const CUT: usize = 16;

    /// Whether it is of a machine of that name: domains are left out on one side or the other, and reports in text cut names.
    pub fn is_of_host(&self, name: &str) -> bool {
        let first = |name: &str| name.split('.').next().unwrap_or(name).to_lowercase();
        self.host.as_ref().is_some_and(|host| {
            let cut = host.chars().count() == Self::CUT && !host.contains('.');
            let (host, name) = (first(host), first(name));
            !host.is_empty() && (host == name || (cut && name.starts_with(&host)))
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
        assert!(of("warehouse-produc").is_of_host("warehouse-production-7.example.com"), "cut");
        assert!(!of("db-production").is_of_host("db-production-2"), "whole");
        assert!(of("db7.fbu.lab.exam").is_of_host("db7"));
        assert!(!of("db7").is_of_host("db70"));
        assert!(!of("").is_of_host("db7"));
        assert!(!ServerReport::default().is_of_host("db7"));
    }
}
