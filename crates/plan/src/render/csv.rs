//! CSV: one row for each platform and kind of work.

use narrows_units::shown_cell;

use crate::answer::Plan;

/// All plans; units stand in the column's names.
pub fn csv(plans: &[Plan]) -> String {
    let mut out = String::from(
        "platform,work,operation_bytes,ceiling_per_s,ceiling_bytes_per_s,expected_per_s,binding,widen_first,\
         widen_by_a_tenth,widen_at_most\n",
    );
    for plan in plans {
        for answer in &plan.works {
            let first = answer.widen.first();
            let binding: Vec<&str> = answer.binding.iter().map(|b| b.component.as_str()).collect();
            let number = |value: Option<f64>| value.map_or(String::new(), |v| v.to_string());
            let work = serde_json::to_value(answer.work).ok();
            let cells = [
                shown_cell(&plan.name),
                shown_cell(work.as_ref().and_then(|work| work.as_str()).unwrap_or_default()),
                answer.operation_bytes.to_string(),
                answer.ceiling_per_s.to_string(),
                answer.ceiling_bytes_per_s.to_string(),
                number(answer.expected_per_s),
                shown_cell(&binding.join("; ")),
                shown_cell(&first.map(|w| w.components.join("; ")).unwrap_or_default()),
                number(first.map(|w| w.by_a_tenth)),
                number(first.and_then(|w| w.lifted)),
            ];
            out += &cells.join(",");
            out.push('\n');
        }
    }
    out
}
