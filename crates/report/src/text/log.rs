//! The ladder of the commit log and its sessions, as text.

use narrows_model::Validity;

use super::with_marks;
use crate::layout::{Line, Style, paragraph};
use crate::log::{CommitsRow, RungFigures, RungRow};
use crate::print::{count, percent, rate, time};
use crate::report::Report;

// Columns of the ladder; figures end here, first alone, then beside the load.
const NAME: usize = 2;
const ALONE: [usize; 3] = [45, 55, 64];
const BESIDE: [usize; 3] = [75, 85, 94];
const REMARK: usize = 4;

// Columns of the sessions.
const COMMITS: [usize; 7] = [22, 36, 48, 59, 74, 86, 98];

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
    let mut lines = vec![line];
    let marks = with_marks("", &row.notes);
    if !marks.is_empty() {
        lines.extend(paragraph(Line::new().to(REMARK), Style::Faint, &marks, REMARK, edge));
    }
    lines
}
