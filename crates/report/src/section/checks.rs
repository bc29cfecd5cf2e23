//! What the answers rest on, one line each: where an operation's time goes, the model against the rate, the test, the next limit.

use super::noted;
use crate::bottleneck::Block as Judged;
use crate::document::{At, Block, Column, Inline, Remarks, Row, Section, Style, Table};
use crate::print;
use crate::report::Report;
use crate::sum::{SumPart, SumText};

/// Letters of a bar: all of an operation's time.
const BAR: f64 = 25.0;
/// What fills it.
const FILL: &str = "#";

/// An operation's time, part by part, in a bar of letters.
pub(crate) fn time(report: &Report) -> Option<Section> {
    if !report.run.observations.is_empty() {
        return None;
    }
    let columns = vec![
        Column::name("", 2),
        Column::figure("mean time", 34),
        Column::words(format!("{FILL} is {} %", 100.0 / BAR), At::Left(37)),
    ];
    let mut table = Table::new(columns);
    for block in &report.narrow {
        let Some(sum) = block.sum.as_ref().filter(|sum| sum.parts.len() > 1) else { continue };
        let bar = format!("{}{}", bar(sum), of_workers(report, block));
        let cells = vec![block.name.as_str().into(), sum.total.as_str().into(), bar.into()];
        table.rows.push(Row::Cells(cells, Vec::new()));
    }
    let some = !table.rows.is_empty();
    some.then(|| Section::new("time", "Where the time goes").with([Block::Table(table)]))
}

/// ` | sum of 2 workers`: together they spend more than the scan takes.
fn of_workers(report: &Report, block: &Judged) -> String {
    let verdict = report.run.verdicts.iter().find(|v| v.measurement == block.measurement);
    let workers = verdict.and_then(|v| v.operating_point.workers).filter(|n| *n > 1);
    workers.map_or(String::new(), |n| format!(" | sum of {n} workers"))
}

/// `######## flush 301 | ##### run queue 232 | CPU 64`, the largest part first.
fn bar(sum: &SumText) -> String {
    let whole: f64 = sum.parts.iter().map(|part| part.ns_per_op.max(0.0)).sum();
    let mut parts: Vec<&SumPart> = sum.parts.iter().collect();
    parts.sort_by(|a, b| b.ns_per_op.total_cmp(&a.ns_per_op));
    let one = |part: &SumPart| {
        let letters = (BAR * part.ns_per_op.max(0.0) / whole).round() as usize;
        let fill = FILL.repeat(letters);
        let space = if fill.is_empty() { "" } else { " " };
        format!("{fill}{space}{} {}", part.name, part.printed)
    };
    parts.into_iter().map(one).collect::<Vec<_>>().join(" | ")
}

/// Model, test and next limit of each workload.
pub(crate) fn checks(report: &Report) -> Option<Section> {
    if !report.run.observations.is_empty() {
        return None;
    }
    let columns = vec![
        Column::name("checks", 2),
        Column::figure("model", 32),
        Column::figure("off by", 41),
        Column::figure("resolution", 53),
        Column::words("test", At::Wrapped(56, 20)),
        Column::words("next limit", At::Wrapped(78, usize::MAX)),
    ];
    let mut table = Table::new(columns).remarked("", Remarks::Below(4));
    table.rows = report.narrow.iter().filter_map(|block| row(report, block)).collect();
    let some = !table.rows.is_empty();
    some.then(|| Section::new("checks", "Checks").with([Block::Table(table)]))
}

fn row(report: &Report, block: &Judged) -> Option<Row> {
    let sum = block.sum.as_ref();
    let test = block.test.as_ref();
    if sum.is_none() && test.is_none() && block.then.is_empty() {
        return None;
    }
    let ratio = sum.map(|sum| sum.predicted_over_measured);
    let model = block.rate.zip(ratio).map_or("-".to_string(), |(rate, ratio)| {
        report.units.work(rate.value * ratio, rate.unit, "tps")
    });
    let off = ratio.map_or("-".to_string(), |ratio| print::change(ratio - 1.0));
    let off = match sum {
        Some(sum) if !sum.agrees => Inline::of(Style::Careful, off),
        _ => Inline::from(off),
    };
    let cells = vec![
        block.name.as_str().into(),
        model.into(),
        off.into(),
        sum.and_then(|sum| sum.checked_to)
            .map_or_else(|| "-".to_string(), print::plus_minus)
            .into(),
        noted(Inline::from(test.map_or("none", |test| test.short.as_str())), &[]).into(),
        block.next_limit.as_deref().unwrap_or("-").into(),
    ];
    Some(Row::Cells(cells, Vec::new()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_has_a_letter_for_each_part_of_the_time_that_has_one() {
        let part = |name: &str, ns_per_op: f64, printed: &str| SumPart {
            name: name.into(),
            ns_per_op,
            printed: printed.into(),
        };
        let sum = SumText {
            expression: String::new(),
            remarks: Vec::new(),
            parts: vec![
                part("CPU", 60e3, "60"),
                part("flush", 175e3, "175"),
                part("lock", 5e3, "5"),
            ],
            total: "240 µs".into(),
            agrees: true,
            label: "sum",
            predicted_over_measured: 1.0,
            checked_to: None,
        };
        assert_eq!(bar(&sum), "################## flush 175 | ###### CPU 60 | # lock 5");
    }
}
