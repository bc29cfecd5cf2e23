//! For a terminal of 100 columns.

use super::rows::{binds, rows, widening};
use crate::answer::Plan;
use crate::error::printable;

/// Columns of the left edge's words.
const LEFT: usize = 26;
/// Columns of one platform.
const CELL: usize = 24;

/// Plans side by side, as many in a row of tables as `width` columns hold, then what binds each.
pub fn text(plans: &[Plan], width: usize) -> String {
    let across = ((width.saturating_sub(LEFT)) / CELL).max(1);
    let mut out = String::new();
    for some in plans.chunks(across) {
        table(&mut out, some);
        out.push('\n');
    }
    for plan in plans {
        details(&mut out, plan, width);
    }
    out.push_str("Ceilings: what no system passes; in brackets where good systems end, where a source says so.\n");
    out
}

fn table(out: &mut String, plans: &[Plan]) {
    let mut line = " ".repeat(LEFT);
    for plan in plans {
        line += &right(&printable(&plan.name));
    }
    push(out, &line);
    for row in rows(plans) {
        let mut line = left(&row.left);
        for cell in &row.cells {
            line += &right(cell);
        }
        push(out, &line);
    }
}

fn details(out: &mut String, plan: &Plan, width: usize) {
    push(out, &printable(&plan.name).to_uppercase());
    for answer in &plan.works {
        let binding = answer.binding.iter().map(binds).collect::<Vec<_>>().join("; ");
        paragraph(out, answer.work.title(), &binding, width);
        if let Some(best) = answer.widen.first() {
            let mut words = widening(best);
            if !answer.next.is_empty() {
                let next = answer.next.iter().map(|b| b.component.as_str()).collect::<Vec<_>>();
                words += &format!("; then {}", next.join(", "));
            }
            paragraph(out, "  widen first", &words, width);
        }
        if let [_, _, ..] = answer.shares.as_slice() {
            let share = |share: &crate::answer::Share| {
                let (number, prefix) =
                    narrows_units::si(share.per_s * answer.operation_bytes as f64);
                format!("{} {number} {prefix}B/s", share.of)
            };
            let words = answer.shares.iter().map(share).collect::<Vec<_>>().join(", ");
            paragraph(out, "  each", &words, width);
        }
    }
    for note in &plan.notes {
        paragraph(out, "not reckoned", note, width);
    }
    if let Some(price) = plan.price.as_ref().filter(|price| !price.unpriced.is_empty()) {
        paragraph(out, "no price", &price.unpriced.join(", "), width);
    }
    out.push('\n');
}

/// A word at the left, a text beside it, broken at spaces.
fn paragraph(out: &mut String, word: &str, text: &str, width: usize) {
    const INDENT: usize = 16;
    let mut line = format!("{word:<INDENT$}");
    for piece in printable(text).split(' ') {
        let length = line.chars().count();
        if length + piece.chars().count() > width && length > INDENT {
            push(out, &line);
            line = " ".repeat(INDENT);
        }
        line.push_str(piece);
        line.push(' ');
    }
    push(out, &line);
}

fn push(out: &mut String, line: &str) {
    out.push_str(line.trim_end());
    out.push('\n');
}

fn left(text: &str) -> String {
    format!("{text:<LEFT$}")
}

/// Right-aligned in its column, with a gap before it; what is too long loses its end.
fn right(text: &str) -> String {
    let shown: String = text.chars().take(CELL - 2).collect();
    format!("{shown:>CELL$}")
}
