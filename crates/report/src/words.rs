//! Names for people: of workloads, of narrow places, of grades. One table each.

use narrows_model::{Grade, Narrow, Severity, Validity};

/// A database workload's id, its name in a table, and its name in a sentence.
const WORKLOADS: [(&str, &str, &str); 9] = [
    ("lookup_cached", "lookup, cached", "cached lookups"),
    ("lookup_uncached", "lookup, uncached", "uncached lookups"),
    ("update", "update, durable", "updates"),
    ("batch", "batch", "batches"),
    ("commit", "commit, durable", "commits"),
    ("orders", "orders", "transactions of orders"),
    ("scan", "scan", "scans"),
    ("scan_1", "scan, 1 worker", "scans with 1 worker"),
    ("scan_n", "scan, workers", "scans"),
];

/// The workloads a run has, in the order of the screen.
pub(crate) const ORDER: [&str; 8] =
    ["lookup_cached", "lookup_uncached", "batch", "update", "commit", "orders", "scan_1", "scan_n"];

/// The name of a workload in a table; a scan says its workers where known.
pub(crate) fn workload(id: &str, workers: Option<u32>) -> String {
    match (id, workers) {
        ("scan" | "scan_1" | "scan_n", Some(1)) => "scan, 1 worker".to_string(),
        ("scan" | "scan_1" | "scan_n", Some(n)) => format!("scan, {n} workers"),
        _ => WORKLOADS
            .iter()
            .find(|(word, _, _)| *word == id)
            .map_or_else(|| id.replace('_', " "), |(_, name, _)| (*name).to_string()),
    }
}

/// The name of a workload inside a sentence; a scan says its workers where known.
pub(crate) fn workload_plural(id: &str, workers: Option<u32>) -> String {
    match workers {
        Some(1) if id.starts_with("scan") => return "scans with 1 worker".to_string(),
        Some(n) if id.starts_with("scan") => return format!("scans with {n} workers"),
        _ => {}
    }
    WORKLOADS
        .iter()
        .find(|(word, _, _)| *word == id)
        .map_or_else(|| id.replace('_', " "), |(_, _, plural)| (*plural).to_string())
}

/// Two or three words for a narrow place.
pub(crate) fn narrow(narrow: Narrow) -> &'static str {
    match narrow {
        Narrow::Cpu => "CPU",
        Narrow::CpuQuota => "CPU quota",
        Narrow::CpuTaken => "CPU taken by others",
        Narrow::CpuPerSession => "CPU time of each session",
        Narrow::ReadLatency => "read latency",
        Narrow::ReadRate => "drives' read rate",
        Narrow::ReadBandwidth => "drives' read bandwidth",
        Narrow::IoLimit => "I/O limit",
        Narrow::CommitWait => "commit wait",
        Narrow::CommitInsideServer => "flush inside the server",
        Narrow::WriteRate => "drives' write rate",
        Narrow::Lock => "locks",
        Narrow::HotThread => "one server process",
        Narrow::Workers => "workers",
        Narrow::Client => "client",
        Narrow::Unknown => "not known",
    }
}

/// The grade as printed.
pub(crate) fn grade(grade: Grade) -> &'static str {
    match grade {
        Grade::Sure => "SURE",
        Grade::Likely => "LIKELY",
        Grade::Open => "OPEN",
    }
}

/// The validity as printed.
pub(crate) fn validity(validity: Validity) -> &'static str {
    match validity {
        Validity::Valid => "valid",
        Validity::Suspect => "suspect",
        Validity::Invalid => "invalid",
    }
}

/// The severity as printed.
pub(crate) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Suspect => "suspect",
        Severity::Invalid => "invalid",
    }
}

/// What the grades and marks mean.
pub(crate) const LEGEND: &str = "SURE: sum and test agree.  LIKELY: sum agrees.  OPEN: cannot tell.  \
                                 ? suspect, kept out of verdicts";

/// What the mark means where nothing is graded.
pub(crate) const SUSPECT: &str = "? suspect: something disturbed it, or speaks against it";

/// What the lines under a verdict are.
pub(crate) const LINES: &str = "sum: the rate from its parts.  test: what a change did.  then: the next limits.  \
                                why: why not SURE";

/// `1 core`, `2 cores`.
pub(crate) fn counted(n: usize, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}
