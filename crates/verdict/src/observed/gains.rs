//! What a faster drive or log could take off the time of a server's own report, at most.
//!
//! Upper bounds and no forecasts: a wait that is gone may uncover the next one. A commit waits for the flush that is under way and for
//! its own, so that without any time of the device at most two of its writes are gone; what a commit waits beyond that is CPU, the
//! log writer's queue, or the answer that wakes it up.

use narrows_units::{Nanos, Ratio, significant};

use super::time::time_ns;
use crate::analysis::Analysis;
use crate::session::TimeComponent;
use crate::threshold::NOT_WORTH_A_WORD;

/// Writes of the log that a commit may wait for.
const WRITES_PER_COMMIT: f64 = 2.0;

/// `Drives that answered at once would take at most 43 % off DB time, a redo log that did 3.8 %: log file parallel write takes 4.4 ms of
/// the 12 ms of a commit's wait.`; `None` for a server that was asked, and where neither is worth a word.
pub(super) fn gains(analysis: &Analysis) -> Option<String> {
    let report = analysis.demand.observed.as_ref()?.report()?;
    let parts = analysis.parts.as_ref().ok()?;
    let all = analysis.demand.active_ns.or(time_ns(analysis).map(|ns| ns.value))?;
    let share = |ns: f64| ns / all;
    let mut texts = Vec::new();
    let reads = share(parts.ns(TimeComponent::Read));
    if reads >= NOT_WORTH_A_WORD {
        texts.push(format!(
            "drives that answered reads at once would take at most {} off DB time",
            Ratio(reads)
        ));
    }
    let log = share(log_ns(analysis, report));
    let waits = report.commit_waits.filter(|waits| *waits > 0.0).zip(report.commit_wait_ns);
    if let Some((waits, wait_ns)) = waits.filter(|_| log >= NOT_WORTH_A_WORD) {
        let write = analysis.demand.flush_ns().map_or(String::new(), |ns| {
            format!(
                " (log file parallel write {} of log file sync {})",
                time(ns),
                time(wait_ns / waits)
            )
        });
        texts.push(format!("a redo log that answered at once at most {}{write}", Ratio(log)));
    }
    let together = reads + log;
    if texts.len() == 2 && together < 0.99 {
        texts.push(format!(
            "both at most {}, {}x the rate",
            Ratio(together),
            significant(1.0 / (1.0 - together), 2)
        ));
    }
    let mut text = texts.join("; ");
    // A sentence begins with a capital.
    let first = text.get(..1)?.to_uppercase();
    text.replace_range(..1, &first);
    Some(format!("{text}."))
}

/// Time of a transaction that the log's device has part in, ns: no more than commits waited, nor than two writes for each.
fn log_ns(analysis: &Analysis, report: &narrows_model::ServerReport) -> f64 {
    let transactions =
        analysis.demand.observed.as_ref().and_then(|o| o.seen?.counted.transactions());
    let Some(((waits, wait_ns), transactions)) = report
        .commit_waits
        .zip(report.commit_wait_ns)
        .zip(transactions.filter(|transactions| *transactions > 0.0))
    else {
        return 0.0;
    };
    let device_ns = analysis.demand.flush_ns().map_or(wait_ns, |ns| WRITES_PER_COMMIT * ns * waits);
    device_ns.min(wait_ns) / transactions
}

fn time(ns: f64) -> String {
    Nanos(ns.max(0.0) as u64).to_string()
}
