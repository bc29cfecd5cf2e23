//! Names for people: of workloads, of narrow places, of grades. One table each.

use narrows_model::{Bottleneck, Grade, LiveBound, Severity, Validity, Workload};

/// What verdicts of scans are about, whatever their workers.
const SCAN: &str = Workload::ScanMany.word();

/// A workload's name in a table and in a sentence, by the last part of its measurement's id; `scan` is both.
fn names(id: &str) -> Option<(&'static str, &'static str)> {
    let known = Workload::ALL.into_iter().find(|workload| workload.id_word() == id);
    let names = known.map(|workload| (workload.name(), workload.plural()));
    names.or_else(|| (id == SCAN).then_some((SCAN, Workload::ScanMany.plural())))
}

/// The workloads that a run of ours has, in the order of the screen.
pub(crate) fn order() -> impl Iterator<Item = &'static str> {
    let ours = Workload::ALL.into_iter().filter(|workload| *workload != Workload::Observed);
    ours.map(Workload::id_word)
}

/// The name of a workload in a table; a scan says its workers where known.
pub(crate) fn workload(id: &str, workers: Option<u32>) -> String {
    match (id, workers) {
        ("scan" | "scan_1" | "scan_n", Some(1)) => "scan, 1 worker".to_string(),
        ("scan" | "scan_1" | "scan_n", Some(n)) => format!("scan, {n} workers"),
        _ => names(id).map_or_else(|| id.replace('_', " "), |(name, _)| name.to_string()),
    }
}

/// The name of a workload inside a sentence; a scan says its workers where known.
pub(crate) fn workload_plural(id: &str, workers: Option<u32>) -> String {
    match workers {
        Some(1) if id.starts_with("scan") => return "scans with 1 worker".to_string(),
        Some(n) if id.starts_with("scan") => return format!("scans with {n} workers"),
        _ => {}
    }
    names(id).map_or_else(|| id.replace('_', " "), |(_, plural)| plural.to_string())
}

/// What holds a rate back, as the subject of a sentence, and what is said of it there.
pub(crate) fn bottleneck(narrow: Bottleneck) -> (&'static str, &'static str) {
    const IS: &str = "is the bottleneck";
    const ARE: &str = "are the bottleneck";
    match narrow {
        Bottleneck::Cpu => ("CPU", IS),
        Bottleneck::CpuQuota => ("the CPU quota", IS),
        Bottleneck::CpuTaken => ("CPU time that other programs use", IS),
        Bottleneck::CpuPerSession => {
            ("the CPU time of each session", "is the bottleneck; CPUs are idle")
        }
        Bottleneck::ReadLatency => ("read latency", "is the bottleneck, not drive throughput"),
        Bottleneck::ReadRate => ("the drives' read IOPS", ARE),
        Bottleneck::ReadBandwidth => ("the drives' read throughput", IS),
        Bottleneck::IoLimit => ("the I/O limit", IS),
        Bottleneck::CommitWait => {
            ("commit wait", "is the bottleneck: each commit waits until it is durable")
        }
        Bottleneck::CommitInsideServer => ("the WAL flush inside the server", IS),
        Bottleneck::WriteRate => ("the drives' write IOPS", ARE),
        Bottleneck::Lock => ("locks", ARE),
        Bottleneck::HotThread => ("one server process", IS),
        Bottleneck::Workers => ("the number of parallel workers", IS),
        Bottleneck::Client => ("the client", "is the bottleneck: the server waits for it"),
        Bottleneck::Unknown => ("something that was not measured", IS),
    }
}

/// What holds commits back on a server that was observed, as the subject of a sentence, and what is said of it there.
pub(crate) fn live_bound(bound: LiveBound) -> (&'static str, &'static str) {
    const IS: &str = "is the bottleneck";
    const ARE: &str = "are the bottleneck";
    match bound {
        LiveBound::Idle => ("too few transactions wrote to tell what a commit waits for", ""),
        LiveBound::NotWaitedFor => {
            ("the WAL", "is not waited for: fsync or synchronous_commit is off")
        }
        LiveBound::NotTheLog => ("the WAL", "is not the bottleneck"),
        LiveBound::FlushTime => ("the time of a WAL flush", IS),
        LiveBound::CommitDelay => ("commit_delay, a setting,", IS),
        LiveBound::FlushBusy => ("WAL flushes that follow each other", ARE),
        LiveBound::Locks => ("locks that are held through commits", ARE),
        LiveBound::Insert => ("the lock to insert WAL records", IS),
        LiveBound::Standby => ("the standby's answer", IS),
        LiveBound::Unknown => ("undecided, what was observed does not tell", ""),
    }
}

/// The grade as printed.
pub(crate) fn grade(grade: Grade) -> &'static str {
    match grade {
        Grade::Confirmed => "CONFIRMED",
        Grade::Likely => "LIKELY",
        Grade::Undecided => "UNDECIDED",
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
pub(crate) const LEGEND: &str = "CONFIRMED: model and test agree.  LIKELY: one of them, or a doubt is left.  UNDECIDED: cannot tell.  \
                                 ?: suspect, kept out of verdicts";

/// What stands behind a figure.
pub(crate) const INTERVAL: &str = "±95%: half of the 95 % confidence interval";

/// What the grades mean where a log was only looked at.
pub(crate) const LOOKED_LEGEND: &str =
    "LIKELY: counters and waits name it, no change tested it.  UNDECIDED: cannot tell.";

/// What the mark means where nothing is graded.
pub(crate) const SUSPECT: &str = "? suspect: something disturbed the test, or contradicts it";

/// What the lines under a verdict are.
pub(crate) const LINES: &str = "sum: the rate from its parts.  use: how full a resource is.  test: what a change did.  \
                                then: the next limits.  why: why not CONFIRMED";

/// The text as the beginning of a sentence.
pub(crate) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// `1 core`, `2 cores`.
pub(crate) fn counted(n: usize, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}
