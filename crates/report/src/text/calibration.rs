//! The answer of a calibration and the loads of storage alone, as text.

use narrows_model::Validity;

use super::with_marks;
use crate::calibration::{CurveRow, OracleForm, RateAnswer};
use crate::layout::{Line, Style, paragraph, width};
use crate::loads::LoadRow;
use crate::print::{rate, time};
use crate::report::Report;

/// Facts begin here.
const FACT: usize = 11;

// Columns of the curve; figures end here.
const ASKED: usize = 21;
const REACHED: usize = 32;
const P50: usize = 42;
const P99: usize = 52;
const P999: usize = 62;
const CPU: usize = 72;
const REMARK: usize = 74;

// Columns of the loads.
const LOAD_NAME: usize = 2;
const LOAD_RATE: usize = 39;
const LOAD_BYTES: usize = 50;
const LOAD_MEAN: usize = 60;
const LOAD_P50: usize = 70;
const LOAD_P99: usize = 80;
const LOAD_P999: usize = 90;
const LOAD_CPU: usize = 100;

/// One answer with everything beside it.
pub(super) fn answer(answer: &RateAnswer, edge: usize) -> Vec<Line> {
    let mut lines = headline(answer, edge);
    for fact in &answer.facts {
        let start = Line::new().to(2).put(Style::Faint, fact.label).to(FACT);
        lines.extend(paragraph(start, Style::Plain, &fact.text, FACT, edge));
    }
    if let Some(form) = &answer.oracle {
        lines.push(Line::new());
        lines.extend(oracle(form, edge));
    }
    if answer.validity != Validity::Invalid {
        lines.push(Line::new());
        lines.extend(curve(answer, edge));
    }
    lines.push(Line::new());
    let start = Line::of(Style::Strong, "METHOD").to(FACT);
    lines.extend(paragraph(start, Style::Plain, &answer.method, FACT, edge));
    lines
}

fn headline(answer: &RateAnswer, edge: usize) -> Vec<Line> {
    let mut start = Line::new();
    match (answer.validity, &answer.rate) {
        (Validity::Invalid, _) => start = start.put(Style::Bad, "INVALID "),
        (_, None) => start = start.put(Style::Careful, "NOT FOUND "),
        (validity, Some(rate)) => {
            start = start.put(Style::Strong, rate).put(Style::Plain, " ");
            if validity == Validity::Suspect {
                start = start.put(Style::Careful, "? ");
            }
        }
    }
    paragraph(start, Style::Strong, &with_marks(&answer.sentence, &answer.notes), 2, edge)
}

fn oracle(form: &OracleForm, edge: usize) -> Vec<Line> {
    let name = form.lines.iter().map(|line| width(&line.0)).max().unwrap_or(0).min(edge);
    let number = form.lines.iter().map(|line| width(&line.1)).max().unwrap_or(0).min(edge);
    let mut lines = Vec::new();
    for (i, (word, figure, what)) in form.lines.iter().enumerate() {
        let start = if i == 0 { Line::of(Style::Strong, "ORACLE") } else { Line::new() };
        let text = format!("{word:<name$} = {figure:<number$}");
        let start = start.to(FACT).put(Style::Plain, &text).put(Style::Plain, "   ");
        let indent = start.width();
        lines.extend(paragraph(start, Style::Faint, what, indent, edge));
    }
    let start = Line::new().to(FACT);
    lines.extend(paragraph(start, Style::Plain, &form.differs, FACT, edge));
    lines
}

fn curve(answer: &RateAnswer, edge: usize) -> Vec<Line> {
    let start = Line::of(Style::Strong, "CURVE");
    if answer.curve.is_empty() {
        let remark = with_marks(&answer.curve_remark, &answer.curve_notes);
        return paragraph(start.to(FACT), Style::Plain, &remark, FACT, edge);
    }
    let mut lines = vec![
        start
            .right(Style::Faint, "asked", ASKED)
            .right(Style::Faint, "reached", REACHED)
            .right(Style::Faint, "p50", P50)
            .right(Style::Faint, "p99", P99)
            .right(Style::Faint, "p99.9", P999)
            .right(Style::Faint, "CPU/op", CPU),
    ];
    for row in &answer.curve {
        lines.extend(curve_row(row, edge));
    }
    let remark = with_marks(&answer.curve_remark, &answer.curve_notes);
    if !remark.is_empty() {
        lines.extend(paragraph(Line::new().to(FACT), Style::Plain, &remark, FACT, edge));
    }
    lines
}

fn curve_row(row: &CurveRow, edge: usize) -> Vec<Line> {
    let cell = |ns: Option<f64>| ns.map_or_else(|| "-".to_string(), time);
    let line = Line::new()
        .right(Style::Strong, &rate(row.asked_per_s), ASKED)
        .right(Style::Plain, &rate(row.achieved_per_s), REACHED)
        .right(Style::Plain, &cell(row.latency_p50_ns), P50)
        .right(Style::Plain, &cell(row.latency_p99_ns), P99)
        .right(Style::Plain, &cell(row.latency_p999_ns), P999)
        .right(Style::Plain, &cell(row.cpu_per_op_ns), CPU)
        .to(REMARK);
    paragraph(line, Style::Plain, &row.remark, REMARK, edge)
}

/// The loads of a run of storage alone.
pub(super) fn loads(report: &Report, edge: usize) -> Vec<Line> {
    let mut lines = vec![
        Line::of(Style::Strong, "LOADS")
            .right(Style::Faint, "rate", LOAD_RATE)
            .right(Style::Faint, "bytes", LOAD_BYTES)
            .right(Style::Faint, "mean", LOAD_MEAN)
            .right(Style::Faint, "p50", LOAD_P50)
            .right(Style::Faint, "p99", LOAD_P99)
            .right(Style::Faint, "p99.9", LOAD_P999)
            .right(Style::Faint, "CPU/op", LOAD_CPU),
    ];
    for row in &report.loads {
        lines.extend(load(report, row, edge));
    }
    lines
}

fn load(report: &Report, row: &LoadRow, edge: usize) -> Vec<Line> {
    let dash = || "-".to_string();
    let cell = |ns: Option<f64>| ns.map_or_else(dash, time);
    let mark = if row.validity == Validity::Suspect { "?" } else { "" };
    let mut name = paragraph(
        Line::of(Style::Careful, mark).to(LOAD_NAME),
        Style::Plain,
        &row.name,
        LOAD_NAME,
        edge,
    );
    let last = name.pop().unwrap_or_default();
    // A long name has a line of its own.
    let line = if last.width() > LOAD_RATE - 10 {
        name.push(last);
        Line::new()
    } else {
        last
    };
    let line = if row.validity == Validity::Invalid {
        line.right(Style::Bad, "invalid", LOAD_RATE)
    } else {
        line.right(Style::Strong, &row.rate_per_s.map_or_else(dash, rate), LOAD_RATE)
    };
    let bytes = row.bandwidth_bytes_per_s.map_or_else(dash, |b| report.units.bytes_per_s(b));
    let line = line
        .right(Style::Plain, &bytes, LOAD_BYTES)
        .right(Style::Plain, &cell(row.latency_mean_ns), LOAD_MEAN)
        .right(Style::Plain, &cell(row.latency_p50_ns), LOAD_P50)
        .right(Style::Plain, &cell(row.latency_p99_ns), LOAD_P99)
        .right(Style::Plain, &cell(row.latency_p999_ns), LOAD_P999)
        .right(Style::Plain, &cell(row.cpu_per_op_ns), LOAD_CPU);
    name.push(line);
    let remark = with_marks(&row.remark, &row.notes);
    if !remark.is_empty() {
        name.extend(paragraph(Line::new().to(4), Style::Faint, &remark, 4, edge));
    }
    name
}
