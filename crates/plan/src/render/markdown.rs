//! Markdown: one table, then what binds each.

use super::rows::{binds, compared, widening};
use crate::answer::Plan;
use crate::error::printable;

/// Plans side by side.
pub fn markdown(plans: &[Plan]) -> String {
    let mut out = String::from("| |");
    for plan in plans {
        out += &format!(" {} |", cell(&plan.name));
    }
    out += "\n| --- |";
    out += &" ---: |".repeat(plans.len());
    out.push('\n');
    for row in compared(plans) {
        let cells: Vec<String> = row.cells.iter().map(|text| cell(text)).collect();
        out += &format!("| {} | {} |\n", cell(row.left.trim()), cells.join(" | "));
    }
    for plan in plans {
        out += &format!("\n**{}**\n\n", cell(&plan.name));
        for answer in &plan.works {
            let binding = answer.binding.iter().map(binds).collect::<Vec<_>>().join("; ");
            let widen = answer.widen.first().map(|w| format!(". Widen first: {}", widening(w)));
            let widen = widen.unwrap_or_default();
            out += &format!("- {}: {}{}\n", answer.work.title(), cell(&binding), cell(&widen));
        }
        for note in &plan.notes {
            out += &format!("- not reckoned: {}\n", cell(note));
        }
        out += "\n```text\n";
        for line in plan.drawing.lines() {
            // Names can't hold what would end the block; notes stand above.
            out += &format!("{}\n", printable(&line).replace('`', "'"));
        }
        out += "```\n";
    }
    out
}

pub(super) fn cell(text: &str) -> String {
    let mut safe = String::new();
    for c in printable(text).chars() {
        if "|<>*_`[]\\".contains(c) {
            safe.push('\\');
        }
        safe.push(c);
    }
    safe
}
