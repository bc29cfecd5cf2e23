//! The answer in words.

use narrows_engine::rate_search::SearchDescription;
use narrows_units::Bytes;

use super::plan::CalibratePlan;
use super::search::Searched;

/// `8 KiB random reads`.
pub(super) fn what(plan: &CalibratePlan) -> String {
    let size = Bytes(u64::from(plan.block_bytes)).iec();
    match plan.read_percent.min(100) {
        100 => format!("{size} random reads"),
        0 => format!("{size} random writes"),
        reads => format!("{size} random reads and writes, {reads}:{}", 100 - reads),
    }
}

/// `a durable 8 KiB log stream, 200 writes per second`.
pub(super) fn beside(plan: &CalibratePlan) -> Option<String> {
    let log = plan.beside?;
    let size = Bytes(u64::from(log.block_bytes)).iec();
    Some(format!("a WAL-like stream, {size} writes and flushes, {:.0} per second", log.rate_per_s))
}

/// How the search ended, in one sentence with its figures.
pub(super) fn sentence(plan: &CalibratePlan, searched: &Searched) -> String {
    let worst = searched.spoiled.iter().max_by_key(|(_, count)| **count);
    let told = SearchDescription {
        limited: "latency",
        windows: searched.windows,
        unusable: searched.unusable(),
        disturbed: worst.map_or("were disturbed", |(spoiled, _)| spoiled.words()),
    };
    let ended = searched.outcome.sentence(&plan.goal, &told);
    if plan.mix().writes() {
        // The rate of an open loop is its schedule's: no search this short sees what a full drive does.
        return format!("{ended}; for writes this is a burst: minutes, not hours");
    }
    ended
}
