//! Behind the answer: distributions, sweeps, time series, and every metric of every measurement.

use std::collections::{BTreeMap, BTreeSet};

use narrows_model::{
    Better, LimitBasis, Measurement, Metric, MetricValue, Series, Validity, condition, family,
    metric,
};
use serde_json::{Map, Value};

use super::values::facts;
use super::workloads;
use crate::calibration::owner;
use crate::capacity::nearest;
use crate::chart::charts;
use crate::document::{At, Block, Cell, Column, Depth, Figure, Inline, Row, Section, Style, Table};
use crate::print::{half_width, percent};
use crate::report::Report;
use crate::words;

/// Metrics that say most about a measurement, in this order.
const PRIMARY: [Metric; 4] =
    [metric::THROUGHPUT, metric::BANDWIDTH, metric::COST, metric::LATENCY_MEAN];

/// A condition that takes more characters than this is long.
const LONG_CONDITION: usize = 100;
/// By so many measurements.
const SHARED_BY: usize = 3;

fn drawable(report: &Report) -> impl Iterator<Item = &Measurement> {
    // A calibration's windows and the log's ladder have pictures of their own.
    let elsewhere = |m: &Measurement| {
        owner(&report.run.calibrations, &m.id).is_some() || family::LOG_LADDER.has(&m.id)
    };
    let usable = |m: &&Measurement| m.validity != Validity::Invalid;
    report.run.measurements.iter().filter(usable).filter(move |m| !elsewhere(m))
}

fn figure(m: &Measurement, how: impl Into<String>, svg: crate::document::Svg) -> Figure {
    Figure::new(Inline::of(Style::Code, m.id.as_str()), how, svg)
}

/// Pictures of one kind; nothing where there are none.
fn pictures(id: &'static str, title: &str, how: &str, figures: Vec<Figure>) -> Option<Section> {
    let section = Section::new(id, title).from(Depth::Page);
    let some = !figures.is_empty();
    some.then(|| section.with([Block::explanation(how), Block::Figures(figures)]))
}

/// Latency by percentile, small multiples.
pub(super) fn latency(report: &Report) -> Option<Section> {
    let mut figures = Vec::new();
    for m in drawable(report) {
        let mut names: BTreeSet<&str> = m.histograms.iter().map(|h| h.name.as_str()).collect();
        names.remove(charts::STRAGGLERS);
        for name in names {
            if let Some(svg) = charts::percentiles(m, name, report.units) {
                let how = m.text(condition::LOOP).map_or(String::new(), |l| format!("{l} loop, "));
                let what = match name {
                    "latency_intended" => "from scheduled start".to_string(),
                    name => name.replace('_', " "),
                };
                figures.push(figure(m, format!("{how}{what}"), svg));
            }
        }
    }
    let elsewhere = !report.run.calibrations.is_empty() || !report.ladder.is_empty();
    if figures.is_empty() && !elsewhere {
        let none = Block::explanation("No distribution was recorded.");
        return Some(Section::new("latency", "Latency").from(Depth::Page).with([none]));
    }
    let how = "All repeats together in bold, each repeat thin. Percentiles on a scale of nines; a curve ends where fewer than ten \
               samples lie beyond.";
    pictures("latency", "Latency", how, figures)
}

/// What each depth gave.
pub(super) fn sweeps(report: &Report) -> Option<Section> {
    let mut figures = Vec::new();
    for m in drawable(report) {
        let swept = |s: &&Series| !s.x.is_empty();
        let names: BTreeSet<&str> =
            m.series.iter().filter(swept).map(|s| s.name.as_str()).collect();
        for name in names {
            let series: Vec<&Series> =
                m.series.iter().filter(swept).filter(|s| s.name == name).collect();
            let chosen = m.number(condition::DEPTH).or(m.value(metric::DEPTH));
            if let Some(svg) = charts::sweep(&series, chosen, report.units) {
                let what = name.strip_prefix("curve.").unwrap_or(name).replace(['_', '.'], " ");
                figures.push(figure(m, what, svg));
            }
        }
    }
    let how = "Each step of the search for the knee; the dashed line is the step that was chosen.";
    pictures("sweeps", "Sweeps", how, figures)
}

/// What happened inside the windows.
pub(super) fn time_series(report: &Report) -> Option<Section> {
    let mut figures = Vec::new();
    for m in drawable(report) {
        let timed = |s: &&Series| s.x.is_empty() && s.interval_ns > 0 && !workloads::draws(&s.name);
        let names: BTreeSet<&str> =
            m.series.iter().filter(timed).map(|s| s.name.as_str()).collect();
        for name in names {
            let series: Vec<&Series> =
                m.series.iter().filter(timed).filter(|s| s.name == name).collect();
            if let Some(svg) = charts::over_time(&series, report.units) {
                figures.push(figure(m, name.replace('_', " "), svg));
            }
        }
    }
    let how = "One line per repeat, from the start of its window.";
    pictures("over-time", "Over time", how, figures)
}

/// Every measurement with its repeats; the rest of its metrics and its conditions open on demand.
pub(super) fn measurements(report: &Report) -> Option<Section> {
    let how = "A dot per repeat, the 95 % interval as a band, the median as a tick; a strip spans at least ±5 %. Of what is neither better nor worse the lowest and the highest repeat.";
    let shared = shared_conditions(&report.run.measurements);
    let all = report.run.measurements.iter().map(|m| measurement(report, m, &shared));
    let section = Section::new("measurements", "Measurements").from(Depth::Page);
    let said_once = (!shared.is_empty()).then(|| {
        let facts = facts(&shared, report.units);
        Block::Folded("Conditions that several measurements share".into(), vec![facts])
    });
    Some(section.with([Block::explanation(how)]).with(said_once).with(all))
}

/// Long conditions that are the same in several measurements, such as how their server was built: they are said once.
fn shared_conditions(measurements: &[Measurement]) -> Map<String, Value> {
    let mut values: BTreeMap<&str, (&Value, bool, usize)> = BTreeMap::new();
    for (key, value) in measurements.iter().flat_map(|m| m.conditions.iter()) {
        let (first, alike, times) = values.entry(key).or_insert((value, true, 0));
        *alike &= *first == value;
        *times += 1;
    }
    let long = |value: &Value| value.to_string().len() > LONG_CONDITION;
    let shared = values
        .into_iter()
        .filter(|(_, (value, alike, times))| *alike && *times >= SHARED_BY && long(value));
    shared.map(|(key, (value, ..))| (key.to_string(), value.clone())).collect()
}

fn measurement(report: &Report, m: &Measurement, shared: &Map<String, Value>) -> Block {
    let invalid = m.validity == Validity::Invalid;
    let lead = PRIMARY.into_iter().find_map(|metric| m.metric(metric)).or(m.metrics.first());
    let mut summary = Inline::of(Style::Code, m.id.as_str());
    if let Some(lead) = lead.filter(|_| !invalid) {
        let spread = half_width(lead.interval_95.as_ref()).map(percent);
        summary = summary
            .put(Style::Strong, report.units.quantity(lead.value, lead.unit))
            .put(Style::Faint, spread.map_or(" ".to_string(), |share| format!("±{share}")));
        if let Some(picture) = charts::repeats(lead) {
            summary = summary.picture(picture);
        }
    }
    let word = words::validity(m.validity);
    summary = match m.validity {
        Validity::Valid => summary,
        Validity::Suspect => summary.put(Style::Careful, format!("{word} ")),
        Validity::Invalid => summary.put(Style::Bad, format!("{word} ")),
    };
    summary = summary.put(Style::Faint, words::counted(m.repeats as usize, "repeat"));
    let mut blocks = Vec::new();
    if invalid {
        let said = "Invalid: these figures are wrong and are shown only as evidence.";
        blocks.push(Block::paragraph(Inline::of(Style::Bad, said)));
    }
    blocks.push(metrics(report, m));
    blocks.extend(zeros(m));
    blocks.extend(limits(report, m, lead.and_then(|lead| nearest(m, lead.unit))));
    blocks.extend(normals(report, m));
    for (title, map) in [("Asked for", &m.workload), ("Obtained", &m.conditions)] {
        let said = |key: &str, value: &Value| match shared.get(key) == Some(value) {
            true => Value::from("as above"),
            false => value.clone(),
        };
        let map: Map<String, Value> =
            map.iter().map(|(k, v)| (k.to_string(), said(k, v))).collect();
        if !map.is_empty() {
            blocks.extend([Block::Heading(title.into()), facts(&map, report.units)]);
        }
    }
    Block::Folded(summary, blocks)
}

/// Of every measurement a dozen metrics only say that something did not happen: they share a line.
fn is_zero(metric: &MetricValue) -> bool {
    metric.value == 0.0 && metric.samples.iter().all(|sample| *sample == 0.0)
}

fn zeros(m: &Measurement) -> Option<Block> {
    let zeros = m.metrics.iter().filter(|metric| is_zero(metric));
    let names: Vec<String> = zeros.map(|metric| metric.name.replace('_', " ")).collect();
    let said = || Block::explanation(format!("Zero in every repeat: {}.", names.join(", ")));
    (!names.is_empty()).then(said)
}

fn metrics(report: &Report, m: &Measurement) -> Block {
    let mut table = Table::new(vec![
        Column::name("metric", 0),
        Column::figure("value", 50),
        Column::figure("95 % interval", 80),
        Column::words("repeats", At::Left(82)),
    ]);
    let rows = m.metrics.iter().filter(|metric| !is_zero(metric)).map(|metric| {
        let quantity = |value| report.units.quantity(value, metric.unit);
        let interval = metric.interval_95.as_ref();
        let interval = interval.map(|i| format!("{} to {}", quantity(i.low), quantity(i.high)));
        let mut name = Inline::from(metric.name.replace('_', " ").as_str());
        if metric.samples.len() != m.repeats as usize {
            name = name.put(Style::Faint, format!(" n = {}", metric.samples.len()));
        }
        let cells = vec![
            name.into(),
            quantity(metric.value).into(),
            interval.unwrap_or_else(|| "-".to_string()).into(),
            repeats(report, metric),
        ];
        Row::Cells(cells, Vec::new())
    });
    table.rows = rows.collect();
    Block::Table(table)
}

/// A picture of what may be better or worse; of what only describes, from where to where it goes.
fn repeats(report: &Report, metric: &MetricValue) -> Cell {
    if metric.better != Better::Neither {
        let picture = charts::repeats(metric);
        return picture.map_or("alike".into(), |picture| Inline::default().picture(picture).into());
    }
    let ends = [f64::INFINITY, f64::NEG_INFINITY];
    let [low, high] = metric
        .samples
        .iter()
        .fold(ends, |[low, high], sample| [low.min(*sample), high.max(*sample)]);
    if low >= high {
        return "alike".into();
    }
    let quantity = |value| report.units.quantity(value, metric.unit);
    format!("{} to {}", quantity(low), quantity(high)).into()
}

fn basis(basis: LimitBasis) -> &'static str {
    match basis {
        LimitBasis::Raw => "signal rate",
        LimitBasis::Protocol => "after headers",
        LimitBasis::Expected => "as good systems",
        LimitBasis::Configured => "set",
    }
}

fn limits(
    report: &Report,
    m: &Measurement,
    near: Option<&narrows_model::LimitShare>,
) -> Option<Block> {
    let mut table = Table::new(vec![
        Column::name("limit", 0),
        Column::words("basis", At::Left(40)),
        Column::figure("value", 70),
        Column::words("", At::Left(72)),
        Column::figure("share", 80),
        Column::words("source", At::Left(82)),
    ]);
    let rows = m.limits.iter().map(|limit| {
        let mark = if near == Some(limit) { " nearest" } else { "" };
        let cells = vec![
            Inline::from(limit.id.as_str()).put(Style::Strong, mark).into(),
            basis(limit.basis).into(),
            report.units.quantity(limit.value, limit.unit).into(),
            Inline::default().picture(charts::share_bar(limit.share)).into(),
            percent(limit.share).into(),
            limit.source.as_str().into(),
        ];
        Row::Cells(cells, Vec::new())
    });
    table.rows = rows.collect();
    (!m.limits.is_empty()).then_some(Block::Table(table))
}

/// Is this normal? What others measured on the same class of part, beside what was measured here.
fn normals(report: &Report, m: &Measurement) -> Option<Block> {
    let mut table = Table::new(vec![
        Column::name("is this normal?", 0),
        Column::words("measured on", At::Left(30)),
        Column::figure("here", 60),
        Column::figure("there", 76),
        Column::words("grade", At::Left(78)),
        Column::words("source", At::Left(90)),
    ]);
    let rows = m.normals.iter().map(|normal| {
        let figure = |value: f64| report.units.quantity(value, normal.unit);
        let range = match normal.low == normal.high {
            true => figure(normal.low),
            false => format!("{} to {}", figure(normal.low), figure(normal.high)),
        };
        let cells = vec![
            normal.what.as_str().into(),
            normal.of.as_str().into(),
            figure(normal.measured).into(),
            range.into(),
            normal.grade.replace('_', " ").into(),
            normal.source.as_str().into(),
        ];
        Row::Cells(cells, Vec::new())
    });
    table.rows = rows.collect();
    (!m.normals.is_empty()).then_some(Block::Table(table))
}
