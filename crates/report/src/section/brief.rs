//! What ten lines say of a run: the answers, the figures that they are of, what to do.

use narrows_model::{Layer, Validity};

use super::capacity::{counted_by, layer_name};
use super::tables::printed;
use super::{head, name};
use crate::bottleneck::Block as Judged;
use crate::calibration::RateAnswer;
use crate::capacity::CapacityRow;
use crate::document::{
    At, Block, Cell, Column, Depth, Document, Entry, Facts, Foot, Inline, Row, Section, Style,
    Table,
};
use crate::question;
use crate::report::Report;
use crate::slb::slb;

/// Lines of answers and figures, at most.
const LINES: usize = 6;
/// These and advice together: the first answer, head and foot have a line each.
const WITH_ADVICE: usize = 7;
/// Lines of advice, at most.
const ADVICE: usize = 2;
/// Rows of a layer, as long as others have none.
const OF_A_LAYER: usize = 2;
/// Where texts begin beside their labels.
const TEXT: usize = 12;

/// A document of sections whose rows and labelled lines need a line each.
pub(super) fn brief(report: &Report) -> Document {
    let facts = if report.narrow.is_empty() { answers(report) } else { Vec::new() };
    let facts: Vec<Entry> = facts.into_iter().take(LINES).collect();
    let rows = rows(report, LINES - facts.len());
    let advice = advice(report, (WITH_ADVICE - facts.len() - rows.len()).min(ADVICE));
    let result = report.result.join(" ");
    let result = (!result.is_empty()).then(|| {
        let said = Block::paragraph(Inline::of(Style::Strong, result));
        Section::new("result", "Result").from(Depth::Brief).with([said])
    });
    let known = Section::new("", "").from(Depth::Brief).with([
        Block::Facts(Facts { entries: facts, labels: Style::Plain, at: (2, TEXT) }),
        Block::Table(table(rows)),
        Block::Facts(Facts { entries: advice, labels: Style::Strong, at: (0, TEXT) }),
    ]);
    let whole = format!("narrows report {}", report.run.id);
    Document {
        head: head::head(report),
        sections: result.into_iter().chain([known]).collect(),
        foot: Foot {
            more: vec![Inline::from("The whole screen: ").put(Style::Code, whole)],
            ..Foot::default()
        },
        ..Document::default()
    }
}

/// What commands without a server answer, a line each.
fn answers(report: &Report) -> Vec<Entry> {
    let rates = report.answers.iter().map(|answer| Entry::new("rate", headline(answer)));
    let reads = report.interference.iter();
    let reads = reads.map(|of| Entry::new("reads", format!("{}: {}", of.what, of.sentence)));
    let writers = question::file_sharing(&report.run).into_iter().flat_map(|view| view.sentences);
    let writers = writers.map(|said| Entry::new("writers", said));
    let writes = question::steady(&report.run).into_iter().map(|said| Entry::new("writes", said));
    let places = report.run.comparison.iter().flat_map(|of| &of.sentences);
    let places = places.map(|said| Entry::new("WAL", said.as_str()));
    // Where pools lie and what has aged is no row of the hardware.
    let pools = report.memory.iter().filter(|_| report.wide.is_empty());
    let pools = pools.flat_map(|view| &view.sentences);
    let pools = pools.map(|said| Entry::new("memory", said.as_str()));
    let all = rates.chain(report.short.iter().cloned()).chain(reads).chain(writers);
    all.chain(writes).chain(places).chain(pools).chain(loops(report)).collect()
}

/// The rate that was searched for and what is said behind it.
fn headline(answer: &RateAnswer) -> String {
    let mark = if answer.validity == Validity::Suspect { " ?" } else { "" };
    match &answer.rate {
        Some(rate) => format!("{rate}{mark} {}", answer.sentence),
        None => answer.sentence.clone(),
    }
}

/// SLB's lines and what they mean.
fn loops(report: &Report) -> Vec<Entry> {
    let Some(view) = slb(&report.run) else { return Vec::new() };
    let lines = view.lines.lines().map(str::to_string);
    lines.chain(view.sentences).map(|said| Entry::new("SLB", said)).collect()
}

/// What was measured: each workload, and without one what ran on storage and what the hardware gave.
fn rows(report: &Report, most: usize) -> Vec<Row> {
    let mut rows: Vec<Row> = match report.narrow.as_slice() {
        [] => report.loads.iter().filter_map(load).collect(),
        judged => judged.iter().map(|block| workload(report, block)).collect(),
    };
    if report.narrow.is_empty() {
        rows.extend(hardware(report, most.saturating_sub(rows.len())));
    }
    if rows.len() > most {
        let more = rows.len() - most + 1;
        rows.truncate(most.saturating_sub(1));
        rows.extend(
            (most > 0).then(|| Row::Cells(vec![format!("and {more} more").into()], vec![])),
        );
    }
    rows
}

fn table(rows: Vec<Row>) -> Table {
    let words = |at| Column::words("", at).under_title();
    let columns = vec![
        Column::name("", 2),
        Column::figure("", 36).under_title(),
        words(At::Left(38)),
        words(At::Wrapped(49, usize::MAX)),
    ];
    Table { rows, ..Table::new(columns) }
}

fn row(name: Cell, figure: Cell, grade: Inline, words: impl Into<Cell>) -> Row {
    Row::Cells(vec![name, figure, grade.into(), words.into()], Vec::new())
}

fn workload(report: &Report, block: &Judged) -> Row {
    let named = name(Inline::of(Style::Strong, block.name.as_str()), block.validity);
    if !block.measured {
        let why = format!("not measured: {}", block.why.join("; "));
        return row(named, Cell::default(), Inline::default(), why);
    }
    let rate = match block.rate {
        Some(of) => Inline::of(Style::Strong, report.units.work(of.value, of.unit, "tps")),
        None => Inline::of(Style::Bad, "invalid"),
    };
    let grade = block.grade.map(printed);
    let grade = grade.map_or_else(Inline::default, |grade| Inline::of(grade.style, grade.word));
    row(named, rate.into(), grade, block.phrase.as_str())
}

/// Name, rate, bytes, mean and p99 of a load.
fn load(of: &Row) -> Option<Row> {
    let Row::Cells(cells, _) = of else { return None };
    let text = |at: usize| cells.get(at).map_or_else(String::new, |cell| cell.text.text());
    let words = format!("{}, mean {}, p99 {}", text(2), text(3), text(5));
    Some(row(cells.first()?.clone(), cells.get(1)?.clone(), Inline::default(), words))
}

/// The rows of most weight, in their order: what is absent, and of each layer the first ones.
fn hardware(report: &Report, most: usize) -> Vec<Row> {
    let of_a_layer = |chosen: &[usize], layer: Layer| {
        chosen.iter().filter(|at| report.wide[**at].layer == layer).count()
    };
    let mut chosen: Vec<usize> = Vec::new();
    for (at, row) in report.wide.iter().enumerate() {
        let one_of_few = of_a_layer(&chosen, row.layer) < OF_A_LAYER && row.layer != Layer::Clock;
        if row.absent.is_some() || one_of_few {
            chosen.push(at);
        }
    }
    let rest = (0..report.wide.len()).filter(|at| !chosen.contains(at));
    let rest: Vec<usize> = rest.collect();
    chosen.extend(rest);
    chosen.truncate(most);
    chosen.sort_unstable();
    chosen.into_iter().map(|at| capacity(report, &report.wide[at])).collect()
}

fn capacity(report: &Report, of: &CapacityRow) -> Row {
    let named = name(format!("{} {}", layer_name(of.layer), of.name), of.validity);
    if let Some(why) = &of.absent {
        return row(named, Cell::default(), Inline::default(), format!("not measured: {why}"));
    }
    let figure = match of.measured {
        Some(measured) => {
            let what = counted_by(of.layer);
            Inline::of(Style::Strong, report.units.work(measured.value, measured.unit, what))
        }
        None => Inline::of(Style::Bad, "invalid"),
    };
    row(named, figure.into(), Inline::default(), of.remark.as_str())
}

/// What to do, first things first, with what it may bring or how to see it.
fn advice(report: &Report, most: usize) -> Vec<Entry> {
    let of_tables = report.next.iter().map(|row| {
        let aside = match row.expect.as_str() {
            "-" | "unknown" => row.prove.clone(),
            gain => format!("expected gain {gain}"),
        };
        format!("{} ({aside})", row.sentence())
    });
    let logs = report.run.live_logs.iter().filter_map(|log| log.verdict.as_ref());
    let of_logs = logs.flat_map(|verdict| verdict.changes.iter().cloned());
    let labels = std::iter::once("What to do").chain(std::iter::repeat(""));
    let numbered = of_tables.chain(of_logs).take(most).zip(labels).zip(1..);
    numbered
        .map(|((text, label), number): (_, u32)| Entry::new(label, format!("{number}  {text}")))
        .collect()
}
