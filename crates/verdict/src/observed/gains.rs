//! What faster drives or a faster redo log could take off the time of a server's own report, at most.
//!
//! Upper bounds and no forecasts: a wait that is gone may uncover the next one. A commit waits for the write that is under way and for
//! its own, so that without any time of the device at most two of the log's writes are gone; what a commit waits beyond that is CPU, the
//! log writer's queue, a standby, or the answer that wakes it up. Waits for room in the log are the log's whole.

use narrows_model::{Headroom, ServerReport};
use narrows_units::{Nanos, Ratio, significant};

use crate::analysis::Analysis;
use crate::session::TimeComponent;
use crate::threshold::NOT_WORTH_A_WORD;

/// Writes of the log that a commit may wait for.
const WRITES_PER_COMMIT: f64 = 2.0;
/// Of DB time, a share that leaves no rate to be told.
const ALL: f64 = 0.99;

/// `Of DB time, at most this would go if the drives answered at once: reads 31 %, the redo log 5.9 %; together 37 %, but the rate would rise
/// to 1.1x at most: the server's 8 CPUs are 92 % in use. A commit waits …`; `None` for a server that was asked, and where none is worth a
/// word.
pub(super) fn gains(analysis: &Analysis, nearest: Option<&Headroom>) -> Option<String> {
    let observed = analysis.demand.observed.as_ref()?;
    let (report, seen) = (observed.report()?, observed.seen?);
    let transactions = seen.counted.transactions().filter(|n| *n > 0.0)?;
    let all = analysis.demand.active_ns.filter(|ns| *ns > 0.0)? * transactions;
    let reads = analysis.parts.as_ref().ok()?.ns(TimeComponent::Read) * transactions / all;
    let writes = report.data_write_ns.unwrap_or(0.0) / all;
    let log = (report.log_space_ns.unwrap_or(0.0) + device_ns(analysis, report)) / all;
    let parts = [("reads", reads), ("writes of data files", writes), ("the redo log", log)];
    let worth: Vec<&(&str, f64)> =
        parts.iter().filter(|(_, share)| *share >= NOT_WORTH_A_WORD).collect();
    if worth.is_empty() {
        return None;
    }
    let each: Vec<String> =
        worth.iter().map(|(name, share)| format!("{name} {}", Ratio(*share))).collect();
    let together: f64 = worth.iter().map(|(_, share)| share).sum();
    let mut text = format!(
        "Of DB time, at most this would go if the drives answered at once: {}{}",
        each.join(", "),
        rise(together, worth.len() > 1, nearest)
    );
    if let Some(commit) = commit(analysis, report).filter(|_| log >= NOT_WORTH_A_WORD) {
        text += &format!(". {commit}");
    }
    Some(format!("{text}."))
}

/// To what the rate would rise by that part of DB time, as far as the nearest end of a resource lets it; empty where nothing is left that
/// would bound it.
fn rise(together: f64, several: bool, nearest: Option<&Headroom>) -> String {
    let mut text = if several { format!("; together {}", Ratio(together)) } else { String::new() };
    let by_time = 1.0 / (1.0 - together.min(1.0));
    match nearest.filter(|end| end.factor_at_most < by_time) {
        Some(end) => {
            text += &format!(
                "; the rate would rise to {}x at most, for {}, {} in use, would be full",
                significant(end.factor_at_most.max(1.0), 2),
                end.label,
                Ratio(end.utilisation)
            );
        }
        None if together < ALL => {
            text += &format!("; the rate would rise to {}x at most", significant(by_time, 3));
        }
        None => {}
    }
    text
}

/// How much of a commit's wait is the device.
fn commit(analysis: &Analysis, report: &ServerReport) -> Option<String> {
    let waits = report.commit_waits.filter(|waits| *waits > 0.0)?;
    let each = report.commit_wait_ns? / waits;
    let write = analysis.demand.flush_ns()?;
    let standby = report
        .standby
        .as_ref()
        .map_or(String::new(), |event| format!("; a standby's answer is in it too ({event})"));
    Some(format!(
        "A commit waits {} (log file sync), a write of the log takes {} (log file parallel write): two of these at most are the device's part{standby}",
        time(each),
        time(write)
    ))
}

/// Time of commits that the log's device has part in, ns: no more than they waited, nor than two writes for each.
fn device_ns(analysis: &Analysis, report: &ServerReport) -> f64 {
    let Some((waits, wait_ns)) = report.commit_waits.zip(report.commit_wait_ns) else { return 0.0 };
    let device_ns = analysis.demand.flush_ns().map_or(wait_ns, |ns| WRITES_PER_COMMIT * ns * waits);
    device_ns.min(wait_ns)
}

fn time(ns: f64) -> String {
    Nanos(ns.max(0.0) as u64).to_string()
}
