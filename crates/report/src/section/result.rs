//! The answer first: a sentence for each workload, and a row for each with its rate.

use narrows_model::{Grade, Validity};

use super::tables::printed;
use super::{name, noted};
use crate::bottleneck::Block as Judged;
use crate::document::{
    At, Block, Cell, Column, Entry, Facts, Inline, Remarks, Row, Section, Style, Table,
};
use crate::print::{Units, plus_minus};
use crate::report::Report;

/// What the run says, in sentences.
pub(crate) fn result(report: &Report) -> Option<Section> {
    let text = report.result.join(" ");
    let said = Block::paragraph(Inline::of(Style::Strong, text.as_str()));
    let section = Section::new("result", "Result").leading();
    (!text.is_empty()).then(|| section.with([said]))
}

/// Workloads of ours with their rates, what holds each back, and how sure that is.
pub(crate) fn workloads(report: &Report) -> Option<Section> {
    if report.narrow.is_empty() || !report.run.observations.is_empty() {
        return None;
    }
    let columns = vec![
        Column::name("workload", 2),
        Column::figure("throughput", 34),
        Column::figure("±95%", 41),
        Column::figure("p99 *", 52),
        Column::words("bottleneck", At::Wrapped(55, usize::MAX)),
        Column::words("confidence", At::Edge),
    ];
    let mut table = Table::new(columns).remarked("", Remarks::Below(4));
    table.rows = report.narrow.iter().map(|block| row(block, report.units)).collect();
    let point = Inline::of(Style::Faint, format!("* {}", report.operating_point));
    let blocks = [Block::Table(table), Block::Paragraph(point, 2)];
    Some(Section::new("by-workload", "Workload").leading().with(blocks))
}

/// Why some can't be told: the first reason of each. What explains the others has all.
pub(crate) fn undecided(report: &Report) -> Option<Section> {
    if !report.run.observations.is_empty() {
        return None;
    }
    let entries = report.narrow.iter().filter_map(|block| {
        let open = block.grade == Some(Grade::Undecided) || block.validity == Validity::Invalid;
        // What the test says is beside the question why the figures don't.
        let of_figures = block.why.iter().find(|reason| !reason.starts_with("the test "));
        let first = of_figures.or(block.why.first()).filter(|_| open)?;
        let more = match block.why.len() - 1 {
            0 => String::new(),
            1 => "; one reason more with --explain".to_string(),
            n => format!("; {n} reasons more with --explain"),
        };
        Some(Entry::new(block.name.as_str(), format!("{first}{more}")))
    });
    let entries: Vec<Entry> = entries.collect();
    let some = !entries.is_empty();
    let facts = Block::Facts(Facts { entries, labels: Style::Plain, at: (2, 20) });
    some.then(|| Section::new("undecided", "Why undecided").with([facts]))
}

fn row(block: &Judged, units: Units) -> Row {
    let mut cells = vec![name(Inline::of(Style::Strong, block.name.as_str()), block.validity)];
    if !block.measured {
        let why = format!("not measured: {}", block.why.join("; "));
        return Row::Cells(cells, vec![Inline::of(Style::Faint, why)]);
    }
    let rate: Cell = match block.rate {
        Some(rate) => Inline::of(Style::Strong, units.work(rate.value, rate.unit, "tps")).into(),
        None => Inline::of(Style::Bad, "invalid").into(),
    };
    let spread = match (block.rate, block.half_width) {
        (None, _) => "-".to_string(),
        (Some(_), Some(share)) => plus_minus(share),
        (Some(_), None) => format!("n {}", block.repeats),
    };
    let latency = block.latency.strip_prefix("p99@70% ").unwrap_or(&block.latency);
    let confidence = block.grade.map_or(Inline::from("-"), |grade| {
        let grade = printed(grade);
        Inline::of(grade.style, grade.word)
    });
    cells.extend([rate, spread.into(), latency.into()]);
    cells.push(noted(Inline::from(block.phrase.as_str()), &block.notes).into());
    cells.push(confidence.into());
    Row::Cells(cells, Vec::new())
}
