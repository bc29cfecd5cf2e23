//! Says when a class of cross-checks could not be made at all: absence of a finding must not read as a pass.

use narrows_model::Run;

use crate::evaluate::{Case, Evidence, has};
use crate::select::Select;

/// Fires when no measurement of the class that was asked something (`have`) has a figure that would check it
/// (`lack`). One that has is enough: the rules then judge that one, and the others show in its place by name.
pub(crate) fn evidence(run: &Run, of: &Select, have: &[&str], lack: &[&str]) -> Option<Evidence> {
    let class: Vec<&str> = run
        .measurements
        .iter()
        .filter(|m| of.takes(&Case { run, measurement: m }))
        .filter(|m| have.is_empty() || have.iter().any(|name| has(m, name)))
        .map(|m| m.id.as_str())
        .collect();
    let checked = run
        .measurements
        .iter()
        .any(|m| class.contains(&m.id.as_str()) && lack.iter().any(|name| has(m, name)));
    if class.is_empty() || checked {
        return None;
    }
    let names: Vec<String> = lack.iter().map(|name| name.replace('_', " ")).collect();
    Some(Evidence::new(format!("no {} in {} measurements", names.join(" or "), class.len())))
}
