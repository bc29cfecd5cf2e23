//! CSV: one row for each platform and kind of work.

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
                quoted(&plan.name),
                quoted(work.as_ref().and_then(|work| work.as_str()).unwrap_or_default()),
                answer.operation_bytes.to_string(),
                answer.ceiling_per_s.to_string(),
                answer.ceiling_bytes_per_s.to_string(),
                number(answer.expected_per_s),
                quoted(&binding.join("; ")),
                quoted(&first.map(|w| w.components.join("; ")).unwrap_or_default()),
                number(first.map(|w| w.by_a_tenth)),
                number(first.and_then(|w| w.lifted)),
            ];
            out += &cells.join(",");
            out.push('\n');
        }
    }
    out
}

/// Quoted where needed; what a spreadsheet would take for a formula gets a mark before it.
pub(super) fn quoted(text: &str) -> String {
    let text = crate::error::printable(text);
    let guarded = if text.starts_with(['=', '+', '-', '@']) { format!("'{text}") } else { text };
    if guarded.contains([',', '"']) {
        format!("\"{}\"", guarded.replace('"', "\"\""))
    } else {
        guarded
    }
}
