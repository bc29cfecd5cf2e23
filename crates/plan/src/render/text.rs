//! For a terminal of 100 columns.

use super::lines::{indented, paragraph, push};
use super::rows::{binds, compared, widening};
use crate::answer::{Plan, Share, WorkAnswer};
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
    for row in compared(plans) {
        let mut line = left(&row.left);
        for cell in &row.cells {
            line += &right(cell);
        }
        push(out, &line);
    }
}

fn details(out: &mut String, plan: &Plan, width: usize) {
    push(out, &printable(&plan.name).to_uppercase());
    for group in alike(plan) {
        let answer = group[0];
        let titles: Vec<&str> = group.iter().map(|answer| answer.work.title()).collect();
        let binding = answer.binding.iter().map(binds).collect::<Vec<_>>().join("; ");
        paragraph(out, &titles.join(", "), &binding, width);
        if let Some(best) = answer.widen.first() {
            let mut words = widening(best);
            let mut next: Vec<&str> = Vec::new();
            for bound in &answer.next {
                if !next.contains(&bound.component.as_str()) {
                    next.push(&bound.component);
                }
            }
            if !next.is_empty() {
                words += &format!("; then {}", next.join(", "));
            }
            paragraph(out, "  widen first", &words, width);
        }
        if let [_, _, ..] = answer.shares.as_slice() {
            let share = |share: &Share| {
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
    for line in plan.drawing.lines() {
        indented(out, &format!("  {line}"), width);
    }
    out.push('\n');
}

/// Neighbours that the same limits hold in the same way.
fn alike(plan: &Plan) -> Vec<Vec<&WorkAnswer>> {
    let mut groups: Vec<Vec<&WorkAnswer>> = Vec::new();
    for answer in &plan.works {
        let words = |answer: &WorkAnswer| -> Vec<String> {
            let binding = answer.binding.iter().map(binds);
            binding.chain(answer.widen.iter().map(widening)).collect()
        };
        let same = |a: &WorkAnswer, b: &WorkAnswer| {
            a.work.is_random() == b.work.is_random() && words(a) == words(b)
        };
        match groups.last_mut() {
            Some(group) if same(group[0], answer) => group.push(answer),
            _ => groups.push(vec![answer]),
        }
    }
    groups
}

fn left(text: &str) -> String {
    format!("{text:<LEFT$}")
}

/// Right-aligned in its column, with a gap before it; what is too long loses its end.
fn right(text: &str) -> String {
    let room = CELL - 2;
    let long = text.chars().count() > room;
    let mut shown: String = text.chars().take(if long { room - 1 } else { room }).collect();
    if long {
        shown.push('…');
    }
    format!("{shown:>CELL$}")
}
