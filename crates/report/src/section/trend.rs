//! Figures over many runs: where their level changed, and what else changed there.

use narrows_compare::trend::{FEWEST_RUNS_OF_A_TREND, LevelChange, Trend};

use crate::chart::compared as chart;
use crate::document::{
    At, Block, Column, Depth, Document, Figure, Inline, Remarks, Row, Section, Style, Table,
};
use crate::print::{self, Units};
use crate::words::counted;

/// Conditions of a change that have room beside it.
const MOST_CONDITIONS: usize = 4;

/// All trends, and the measurements that too few runs have.
pub fn trends(trends: &[Trend], few: &[String], machine: &str, units: Units) -> Document {
    let mut blocks = Vec::new();
    let changed = trends.iter().filter(|trend| !trend.changes.is_empty()).count();
    let sentence = match trends.len() {
        0 => format!("no measurement has {FEWEST_RUNS_OF_A_TREND} valid runs of one workload"),
        all => format!("{changed} of {} changed its level", counted(all, "measurement")),
    };
    blocks.push(Block::paragraph(Inline::of(Style::Strong, sentence)));
    if !trends.is_empty() {
        let mut table = Table::new(vec![
            Column::name("measurement", 2),
            Column::words("metric", At::Left(36)),
            Column::figure("runs", 56),
            Column::figure("first level", 70),
            Column::figure("last level", 84),
            Column::figure("change", 94),
        ])
        .remarked("changes", Remarks::Below(6));
        table.rows = trends.iter().map(|trend| row(trend, units)).collect();
        blocks.push(Block::Table(table));
    }
    let figures: Vec<Figure> = trends.iter().filter_map(|trend| figure(trend, units)).collect();
    if !figures.is_empty() {
        blocks.push(Block::From(Depth::Page, vec![Block::Figures(figures)]));
    }
    if !few.is_empty() {
        blocks.push(Block::paragraph(format!(
            "{} with fewer than {FEWEST_RUNS_OF_A_TREND} valid runs of one workload",
            counted(few.len(), "measurement")
        )));
    }
    let section =
        Section::new("trends", format!("Over time: {machine}")).short("OVER TIME").with(blocks);
    Document::of([section]).headed("Over time", machine).holding(trends)
}

/// A picture of a figure that changed its level; of those that did not a line says enough.
fn figure(trend: &Trend, units: Units) -> Option<Figure> {
    let picture = (!trend.changes.is_empty()).then(|| chart::trend(trend, units))??;
    let caption = format!("{} {}", trend.measurement, trend.metric.replace('_', " "));
    Some(Figure::new(caption, "a dot is a run; a line is where the level changed", picture))
}

fn row(trend: &Trend, units: Units) -> Row {
    let values: Vec<f64> = trend.points.iter().map(|point| point.value).collect();
    let whole = narrows_stats::median(&values).unwrap_or(f64::NAN);
    let (first, last) = match trend.changes.as_slice() {
        [] => (whole, whole),
        [one] => (one.before, one.after),
        [first, .., last] => (first.before, last.after),
    };
    let growth = last / first - 1.0;
    let style = match (trend.more_is_better, growth) {
        _ if trend.changes.is_empty() => Style::Faint,
        (Some(more), growth) if (growth > 0.0) == more => Style::Good,
        (Some(_), _) => Style::Bad,
        (None, _) => Style::Plain,
    };
    let change = if trend.changes.is_empty() { "none".to_string() } else { print::change(growth) };
    let cells = vec![
        Inline::of(Style::Code, trend.measurement.clone()).into(),
        trend.metric.replace('_', " ").into(),
        trend.points.len().to_string().into(),
        units.quantity(first, trend.unit).into(),
        units.quantity(last, trend.unit).into(),
        Inline::of(style, change).into(),
    ];
    Row::Cells(cells, trend.changes.iter().map(|change| Inline::from(sentence(change))).collect())
}

/// `-20 % from 2026-01-15 on (run r14): kernel 6.1.0, then 6.12.0`.
fn sentence(change: &LevelChange) -> String {
    let day = change.started_at.get(..10).unwrap_or(&change.started_at);
    let mut text = format!("{} from {day} on (run {})", print::change(change.growth), change.run);
    let shown: Vec<String> = change
        .conditions
        .iter()
        .take(MOST_CONDITIONS)
        .map(|c| format!("{} {}, then {}", c.what, c.base.join(" | "), c.other.join(" | ")))
        .collect();
    if shown.is_empty() {
        text += ": nothing else that was recorded changed there";
    } else {
        text += &format!(": {}", shown.join("; "));
        let more = change.conditions.len() - shown.len();
        if more > 0 {
            text += &format!("; and {more} more, see narrows compare");
        }
    }
    text
}
