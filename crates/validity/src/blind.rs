//! Says when a class of cross-checks could not be made at all: absence of a finding must not read as a pass.

use narrows_model::{Metric, Run};

use crate::evaluate::{Case, Evidence, has};
use crate::quantity::words;
use crate::select::Select;

/// Fires when no measurement of the class that was asked something (`have`) has a figure that would check it
/// (`lack`). One that has is enough: the rules then judge that one, and the others show in its place by name.
pub(crate) fn evidence(
    run: &Run,
    of: &Select,
    have: &[Metric],
    lack: &[Metric],
) -> Option<Evidence> {
    let class: Vec<&str> = run
        .measurements
        .iter()
        .filter(|m| of.takes(&Case { run, measurement: m }))
        .filter(|m| have.is_empty() || have.iter().any(|metric| has(m, *metric)))
        .map(|m| m.id.as_str())
        .collect();
    let checked = run
        .measurements
        .iter()
        .any(|m| class.contains(&m.id.as_str()) && lack.iter().any(|metric| has(m, *metric)));
    if class.is_empty() || checked {
        return None;
    }
    let names: Vec<String> = lack.iter().map(|metric| words(*metric)).collect();
    Some(Evidence::new(format!("no {} in {} measurements", names.join(" or "), class.len())))
}
