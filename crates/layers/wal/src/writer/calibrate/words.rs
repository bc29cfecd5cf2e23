//! The answer in words.

use narrows_engine::rate_search::SearchDescription;

use super::closed::Closed;
use super::plan::CommitPlan;
use super::search::Searched;
use crate::writer::Style;

/// Part of the processors above which they are what ends the growth.
const BUSY: f64 = 0.9;

/// `commits of 200 bytes`.
pub fn what(plan: &CommitPlan) -> String {
    let mean = plan.sizes.mean().round() as u64;
    let size = if plan.sizes.is_fixed() {
        format!("commits of {mean} bytes")
    } else {
        format!("commits of {mean} bytes on average")
    };
    let style = match plan.style {
        Style::Leader => "",
        Style::Writer => " to a log writer",
    };
    let delay = match plan.delay.time.as_micros() {
        0 => String::new(),
        us => format!(", delayed by {us} µs"),
    };
    format!("{size}{style}{delay}")
}

/// How the search ended, in one sentence with its figures.
pub fn sentence(plan: &CommitPlan, searched: &Searched) -> String {
    let told = SearchDescription {
        limited: "the wait",
        windows: searched.windows,
        unusable: searched.unusable,
        disturbed: "were disturbed",
    };
    searched.outcome.sentence(&plan.goal, &told)
}

/// What ends the growth of the closed loops, as far as it is known.
pub fn bound(closed: &Closed) -> Option<String> {
    let (used, cpus) = closed.busy;
    if used >= BUSY * cpus as f64 {
        return Some(format!(
            "CPUs: sessions and WAL writer used {used:.1} of {cpus}, most of it to sleep and wake"
        ));
    }
    if closed.still_grew {
        return Some(format!(
            "sessions: the rate still grew at {}, the most tried",
            closed.sessions
        ));
    }
    None
}
