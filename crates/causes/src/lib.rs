//! From the narrow resource to its cause: who takes it, and what would change that.
//!
//! [`rules()`] is the table, like that of validity: each [`CauseRule`] reads one observed server beside the verdict on it and says
//! nothing, or one cause or several with their figures, what speaks against them, what to do, how to take that back, and what
//! it would give at most by the verdict's own law. [`causes`] walks the table. What can't be seen fires nothing.
//!
//! Data in, data out: no statement is ever run, and every text of others is shown as the model holds it.

#![forbid(unsafe_code)]

mod look;
mod rule;
mod rules;

pub use look::Look;
pub use rule::CauseRule;
pub use rules::rules;

use narrows_model::{Cause, Run};

/// Every cause of every observed server of the run: what stands still first, then the largest share, risks last.
pub fn causes(run: &Run) -> Vec<Cause> {
    let mut found: Vec<Cause> = run
        .observations
        .iter()
        .filter(|seen| seen.report.is_none())
        .filter_map(|seen| Look::of(run, seen))
        .flat_map(|look| {
            rules().iter().flat_map(move |rule| (rule.find)(&look)).collect::<Vec<_>>()
        })
        .collect();
    let share = |cause: &Cause| cause.share.map_or(0.0, |(_, share)| share);
    found.sort_by(|a, b| a.urgency.cmp(&b.urgency).then(share(b).total_cmp(&share(a))));
    found
}
