//! The commit log as text: in short, its ladder, its sessions, several of them on one device.

use narrows_model::Validity;
use narrows_units::significant;

use super::with_marks;
use crate::calibration::exact_time;
use crate::layout::{Line, Style, paragraph};
use crate::log::{CommitsRow, RungFigures, RungRow, Streams, StreamsRow};
use crate::notes::NoteMark;
use crate::print::{count, percent, rate, time};
use crate::report::Report;

// Columns of the ladder; figures end here, first alone, then beside the load.
const NAME: usize = 2;
const ALONE: [usize; 3] = [45, 55, 64];
const BESIDE: [usize; 3] = [75, 85, 94];
const REMARK: usize = 4;

// Columns of the sessions.
const COMMITS: [usize; 7] = [22, 36, 48, 59, 74, 86, 98];

// Columns of the streams.
const STREAMS: [usize; 7] = [22, 33, 46, 60, 73, 88, 99];
/// Facts begin here.
const FACT: usize = 10;

/// What a reader takes home.
pub(super) fn short(report: &Report, edge: usize) -> Vec<Line> {
    let mut lines = vec![Line::of(Style::Strong, "A COMMIT")];
    if report.ladder.is_empty() && report.commits.is_empty() {
        lines = vec![Line::of(Style::Strong, "LOGS ON ONE DEVICE")];
    }
    for (i, fact) in report.short.iter().enumerate() {
        let style = if i == 0 { Style::Strong } else { Style::Plain };
        let start = Line::new().to(NAME).put(Style::Faint, fact.label).to(FACT);
        lines.extend(paragraph(start, style, &fact.text, FACT, edge));
    }
    lines
}

/// The ladder.
pub(super) fn ladder(report: &Report, edge: usize) -> Vec<Line> {
    let states =
        |line: Line, columns: [usize; 3]| {
            line.right(Style::Faint, "p50", columns[0])
                .right(Style::Faint, "p99", columns[1])
                .right(Style::Faint, "p99.9", columns[2])
        };
    let beside = report.ladder.iter().any(|row| row.beside.is_some());
    let mut top = Line::of(Style::Strong, "LADDER").right(Style::Faint, "alone", ALONE[0]);
    let mut heading = states(Line::new(), ALONE);
    if beside {
        top = top.right(Style::Faint, "beside data files", BESIDE[1]);
        heading = states(heading, BESIDE);
    }
    let mut lines = vec![top, heading];
    for row in &report.ladder {
        lines.extend(rung(row, beside, edge));
    }
    lines
}

fn rung(row: &RungRow, beside: bool, edge: usize) -> Vec<Line> {
    let suspect = |figures: &Option<RungFigures>| {
        figures.as_ref().is_some_and(|f| f.validity == Validity::Suspect)
    };
    let mark = if suspect(&row.alone) || suspect(&row.beside) { "?" } else { "" };
    let line = Line::of(Style::Careful, mark).to(NAME).put(Style::Plain, &row.name);
    let line = cells(line, row.alone.as_ref(), ALONE);
    let line = if beside { cells(line, row.beside.as_ref(), BESIDE) } else { line };
    let mut lines = vec![line];
    let remark = with_marks(&row.remark, &row.notes);
    if !remark.is_empty() {
        lines.extend(paragraph(Line::new().to(REMARK), Style::Faint, &remark, REMARK, edge));
    }
    lines
}

fn cells(line: Line, figures: Option<&RungFigures>, columns: [usize; 3]) -> Line {
    let Some(figures) = figures else { return line.right(Style::Faint, "-", columns[0]) };
    if figures.validity == Validity::Invalid {
        return line.right(Style::Bad, "invalid", columns[0]);
    }
    let cell = |ns: Option<f64>| ns.map_or_else(|| "-".to_string(), time);
    line.right(Style::Strong, &cell(figures.p50_ns), columns[0])
        .right(Style::Plain, &cell(figures.p99_ns), columns[1])
        .right(Style::Plain, &cell(figures.p999_ns), columns[2])
}

/// Sessions that share flushes.
pub(super) fn commits(report: &Report, edge: usize) -> Vec<Line> {
    let words = ["rate", "per write", "wait mean", "p99", "write, flush", "wake-up", "by the law"];
    let mut heading = Line::of(Style::Strong, "SESSIONS");
    for (word, column) in words.iter().zip(COMMITS) {
        heading = heading.right(Style::Faint, word, column);
    }
    let mut lines = vec![heading];
    for row in &report.commits {
        lines.extend(sessions(row, edge));
    }
    lines
}

fn sessions(row: &CommitsRow, edge: usize) -> Vec<Line> {
    let dash = || "-".to_string();
    let ns = |ns: Option<f64>| ns.map_or_else(dash, time);
    let mark = if row.validity == Validity::Suspect { "?" } else { "" };
    let line = Line::of(Style::Careful, mark).right(Style::Plain, &count(row.sessions), 8);
    let line = if row.validity == Validity::Invalid {
        line.right(Style::Bad, "invalid", COMMITS[0])
    } else {
        line.right(Style::Strong, &row.rate_per_s.map_or_else(dash, rate), COMMITS[0])
            .right(Style::Plain, &row.commits_per_flush.map_or_else(dash, count), COMMITS[1])
            .right(Style::Plain, &ns(row.sync_ns), COMMITS[2])
            .right(Style::Plain, &ns(row.sync_p99_ns), COMMITS[3])
            .right(Style::Plain, &ns(row.write_ns), COMMITS[4])
            .right(Style::Plain, &row.wake_up_share.map_or_else(dash, percent), COMMITS[5])
            .right(Style::Plain, &ns(row.model_ns), COMMITS[6])
    };
    with_notes(line, &row.notes, edge)
}

/// The line, with the footnotes below it where there are some.
fn with_notes(line: Line, notes: &[NoteMark], edge: usize) -> Vec<Line> {
    let mut lines = vec![line];
    let marks = with_marks("", notes);
    if !marks.is_empty() {
        lines.extend(paragraph(Line::new().to(REMARK), Style::Faint, &marks, REMARK, edge));
    }
    lines
}

/// Several logs on one device.
pub(super) fn streams(report: &Report, streams: &Streams, edge: usize) -> Vec<Line> {
    let tail = format!("{} wait", streams.tail());
    let over = format!("over {}", exact_time(streams.target_ns));
    let words = ["bytes", "writes", "p50 wait", &tail, &over, "write, flush", "to alone"];
    let mut heading = Line::of(Style::Strong, "STREAMS");
    for (word, column) in words.into_iter().zip(STREAMS) {
        heading = heading.right(Style::Faint, word, column);
    }
    let mut lines = vec![heading];
    for row in &streams.rows {
        lines.extend(stream(report, streams, row, edge));
    }
    lines
}

fn stream(report: &Report, streams: &Streams, row: &StreamsRow, edge: usize) -> Vec<Line> {
    let dash = || "-".to_string();
    let ns = |ns: Option<f64>| ns.map_or_else(dash, time);
    let mark = if row.validity == Validity::Suspect { "?" } else { "" };
    let line = Line::of(Style::Careful, mark).right(Style::Plain, &count(row.streams), 8);
    let line = if row.validity == Validity::Invalid {
        line.right(Style::Bad, "invalid", STREAMS[0])
    } else {
        let bytes = row.bandwidth_bytes_per_s.map(|b| report.units.bytes_per_s(b));
        let times = row.to_alone.map(|ratio| format!("× {}", significant(ratio, 3)));
        line.right(Style::Plain, &bytes.unwrap_or_else(dash), STREAMS[0])
            .right(Style::Plain, &row.writes_per_s.map_or_else(dash, rate), STREAMS[1])
            .right(Style::Plain, &ns(row.wait_p50_ns), STREAMS[2])
            .right(Style::Strong, &ns(row.tail_ns(streams)), STREAMS[3])
            .right(Style::Plain, &row.over_share.map_or_else(dash, percent), STREAMS[4])
            .right(Style::Plain, &ns(row.write_ns), STREAMS[5])
            .right(Style::Plain, &times.unwrap_or_else(dash), STREAMS[6])
    };
    with_notes(line, &row.notes, edge)
}
