//! Members of a whole that does not stand. Of several streams side by side the drives' counters tell only of all together, so what
//! they contradict is found on the measurement of all; whose part of it is true then, nobody knows.

use narrows_model::{Finding, Measurement, Run, Severity, condition};

use crate::describe::severity_word;
use crate::evaluate::Evidence;
use crate::rule::Group;
use crate::rules::rules;

/// The members of wholes that `found` makes of that severity, with what it was found on.
pub(crate) fn hits<'a>(
    severity: Severity,
    run: &'a Run,
    found: &[(usize, Finding)],
) -> Vec<(usize, &'a Measurement, Evidence)> {
    let reasons = |whole: &str| -> Vec<&str> {
        let of_whole = found.iter().map(|(_, finding)| finding).filter(|finding| {
            finding.severity == severity
                && finding.measurement.as_deref() == Some(whole)
                && (severity == Severity::Invalid || only_seen_on_the_whole(&finding.id))
        });
        of_whole.map(|finding| finding.id.as_str()).collect()
    };
    let members = run.measurements.iter().enumerate().filter_map(|(index, member)| {
        let whole = member.text(condition::PART_OF)?;
        let reasons = reasons(whole);
        let text = format!("{whole} is {}: {}", severity_word(severity), reasons.join(", "));
        (!reasons.is_empty()).then(|| (index, member, Evidence::new(text)))
    });
    members.collect()
}

/// What casts doubt on members only where they can't be looked at themselves: who else used the drives, which blocks were read.
fn only_seen_on_the_whole(id: &str) -> bool {
    let rule = rules().iter().find(|rule| rule.id == id);
    rule.is_some_and(|rule| matches!(rule.group, Group::Device | Group::Order))
}
