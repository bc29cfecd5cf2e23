//! The same rows for text and Markdown: what stands at the left, and one cell for each plan.

use narrows_units::{Bytes, BytesPerSecond, OpsPerSecond, Ratio, si, significant};

use crate::answer::{Binding, Plan, Widen, WorkAnswer};
use crate::work::Work;

/// A row of the comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What it is about; two spaces before it where it belongs to the row above.
    pub left: String,
    /// One for each plan, `-` where it has none.
    pub cells: Vec<String>,
}

/// Ceilings, then prices; rows that no plan can fill are left out.
pub fn compared(plans: &[Plan]) -> Vec<Row> {
    let Some(first) = plans.first() else { return Vec::new() };
    let block = Bytes(first.question.block_bytes).iec();
    let table = Bytes(first.question.table_bytes);
    let mut rows = Vec::new();
    for work in Work::ALL {
        let left = match work {
            Work::RandomRead | Work::RandomWrite => format!("{} {block}", work.title()),
            _ => work.title().to_string(),
        };
        rows.push(row(&left, plans, |plan| plan.work(work).map(rate)));
        if work == Work::Scan {
            let left = format!("  a table of {table}");
            rows.push(row(&left, plans, |plan| plan.scan_s().map(seconds)));
        }
    }
    rows.push(row("price", plans, |plan| {
        plan.price.as_ref().map(|price| {
            let beside = if price.unpriced.is_empty() { "" } else { " +" };
            money(price.total, price.currency.as_deref()) + beside
        })
    }));
    rows.push(row("  per k/s of random reads", plans, |plan| {
        per(plan, plan.work(Work::RandomRead)?.ceiling_per_s / 1e3)
    }));
    rows.push(row("  per GB/s of scan", plans, |plan| {
        per(plan, plan.work(Work::Scan)?.ceiling_bytes_per_s / 1e9)
    }));
    rows.retain(|row| row.cells.iter().any(|cell| cell != "-"));
    rows
}

fn row(left: &str, plans: &[Plan], cell: impl Fn(&Plan) -> Option<String>) -> Row {
    let cells = plans.iter().map(|plan| cell(plan).unwrap_or_else(|| "-".to_string())).collect();
    Row { left: left.to_string(), cells }
}

/// `2.31 M/s (2.1)`: the ceiling, and where good systems end.
fn rate(answer: &WorkAnswer) -> String {
    let (ceiling, expected) = if answer.work.is_random() {
        let expected = answer.expected_per_s.map(|rate| OpsPerSecond(rate).to_string());
        (OpsPerSecond(answer.ceiling_per_s).to_string(), expected)
    } else {
        let bytes = answer.operation_bytes as f64;
        let expected = answer.expected_per_s.map(|rate| BytesPerSecond(rate * bytes).to_string());
        (BytesPerSecond(answer.ceiling_bytes_per_s).to_string(), expected)
    };
    match expected {
        Some(expected) => format!("{ceiling} ({expected})"),
        None => ceiling,
    }
}

pub(super) fn seconds(seconds: f64) -> String {
    format!("{} s", significant(seconds, 3))
}

fn per(plan: &Plan, units: f64) -> Option<String> {
    let price = plan.price.as_ref()?;
    (units > 0.0).then(|| money(price.total / units, price.currency.as_deref()))
}

fn money(value: f64, currency: Option<&str>) -> String {
    let (number, prefix) = si(value);
    let number = format!("{number} {prefix}");
    format!("{} {}", number.trim(), currency.unwrap_or("")).trim().to_string()
}

/// `link fabric (hdr-200, in)`.
pub fn binds(binding: &Binding) -> String {
    let slack = if binding.slack == 0.0 {
        String::new()
    } else {
        format!(", {} left", Ratio(binding.slack))
    };
    format!("{} ({}{slack})", binding.component, binding.limit)
}

/// `link fabric: +9.0 % for a tenth more, +35 % at most`.
pub fn widening(widen: &Widen) -> String {
    let gain = |share: f64| format!("+{}", Ratio(share));
    let most = match widen.lifted {
        Some(lifted) => format!("{} at most", gain(lifted)),
        None => "then nothing described is in the way".to_string(),
    };
    let names = widen.components.join(" and ");
    let together = if widen.components.len() > 1 { " together" } else { "" };
    format!("{names}{together}: {} for a tenth more, {most}", gain(widen.by_a_tenth))
}
