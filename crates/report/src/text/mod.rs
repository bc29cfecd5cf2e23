//! The one screen: aligned, 100 columns, the same sections in the same order for every run.

use narrows_model::{Grade, Validity};

mod calibration;
mod compare;
mod durability;
mod foot;
mod interference;
mod live;
mod log;
mod observed;

use crate::layout::{Line, Style, paragraph, width, write_lines};
use crate::narrow::Block;
use crate::notes::NoteMark;
use crate::print::{percent, time};
use crate::report::Report;
use crate::sweep::SweepView;
use crate::wide::WideRow;
use crate::words;

/// The tables need this many columns.
const NARROWEST: usize = 100;
/// Wider is harder to read.
const WIDEST: usize = 120;

// Columns of HOW WIDE: names start here, figures end here.
const NAME: usize = 9;
const MEASURED: usize = 42;
const HALF_WIDTH: usize = 49;
const LIMIT: usize = 61;
const SHARE: usize = 67;
const CPU: usize = 76;
// Where no limit is known, nothing stands between figures and their cost.
const CPU_WITHOUT_LIMITS: usize = 58;
/// Between the cost and the remark.
const GAP: usize = 2;

// Columns of a verdict's first line.
const RATE: usize = 27;
const LATENCY: usize = 36;
const PHRASE: usize = 53;
const BODY: usize = 9;

// Columns of NEXT.
const ACTION: usize = 3;
const EXPECT: usize = 60;
const PROVE: usize = 74;

/// The screen as text, every line at most `width` columns (100 at least, 120 at most).
pub(crate) fn text(report: &Report, width: usize, colour: bool) -> String {
    let edge = width.clamp(NARROWEST, WIDEST);
    let mut lines = head(report, edge);
    if !report.short.is_empty() {
        lines.push(Line::new());
        lines.extend(log::short(report, edge));
    }
    if !report.ladder.is_empty() {
        lines.push(Line::new());
        lines.extend(log::ladder(report, edge));
    }
    if !report.commits.is_empty() {
        lines.push(Line::new());
        lines.extend(log::commits(report, edge));
    }
    if let Some(streams) = &report.streams {
        lines.push(Line::new());
        lines.extend(log::streams(report, streams, edge));
    }
    for view in &report.live {
        lines.push(Line::new());
        lines.extend(live::live(view, edge));
    }
    for view in &report.observed {
        lines.push(Line::new());
        lines.extend(observed::observed(view, edge));
    }
    for view in &report.orders {
        lines.push(Line::new());
        lines.extend(live::grid(&view.grid, edge));
        for sentence in &view.sentences {
            lines.extend(paragraph(Line::of(Style::Plain, "  "), Style::Plain, sentence, 2, edge));
        }
    }
    for grid in &report.flush_tests {
        lines.push(Line::new());
        lines.extend(live::grid(grid, edge));
    }
    if let Some(comparison) = &report.run.comparison {
        lines.push(Line::new());
        lines.extend(compare::comparison(comparison, edge));
    } else if !report.run.durability.is_empty() {
        lines.push(Line::new());
        lines.extend(durability::durability(report, edge));
    }
    for answer in &report.answers {
        lines.push(Line::new());
        lines.extend(calibration::answer(answer, edge));
    }
    if let Some(grid) = &report.interference {
        lines.push(Line::new());
        lines.extend(interference::interference(grid, edge));
    }
    if !report.loads.is_empty() {
        lines.push(Line::new());
        lines.extend(calibration::loads(report, edge));
    }
    if !report.wide.is_empty() {
        lines.push(Line::new());
        lines.extend(wide(report, edge));
    }
    for view in &report.memory {
        lines.extend(tabled(view, edge));
    }
    if !report.operating_point.is_empty() {
        lines.push(Line::new());
        lines.extend(narrow(report, edge));
    }
    for view in &report.sweeps {
        lines.extend(tabled(view, edge));
    }
    if !report.next.is_empty() {
        lines.push(Line::new());
        lines.extend(next(report, edge));
    }
    for view in &report.observed {
        lines.push(Line::new());
        lines.extend(observed::remarks(view, edge));
    }
    lines.push(Line::new());
    lines.extend(foot::foot(report, edge));
    write_lines(&lines, colour)
}

/// A table and what follows from it, after an empty line.
fn tabled(view: &SweepView, edge: usize) -> Vec<Line> {
    let mut lines = vec![Line::new()];
    lines.extend(live::grid(&view.grid, edge));
    for sentence in &view.sentences {
        lines.extend(paragraph(Line::new().to(2), Style::Plain, sentence, 2, edge));
    }
    lines
}

/// Tables without a run.
pub(crate) fn grids(grids: &[crate::live::Grid], width: usize, colour: bool) -> String {
    let edge = width.clamp(NARROWEST, WIDEST);
    let lines: Vec<Line> = grids.iter().flat_map(|grid| live::grid(grid, edge)).collect();
    write_lines(&lines, colour)
}

fn head(report: &Report, edge: usize) -> Vec<Line> {
    let head = &report.head;
    let mut pieces: Vec<(Style, &str)> =
        head.run.iter().map(|piece| (Style::Strong, piece.as_str())).collect();
    pieces.extend(head.warnings.iter().map(|warning| (Style::Bad, warning.as_str())));
    pieces.push((Style::Plain, &head.counts));
    let mut lines = vec![Line::new()];
    for (style, piece) in pieces {
        let line = lines.pop().unwrap_or_default();
        if line.width() > 0 && line.width() + 2 + width(piece) > edge {
            lines.push(line);
            lines.extend(paragraph(Line::new(), style, piece, 2, edge));
        } else {
            let gap = if line.width() > 0 { "  " } else { "" };
            lines.push(line.put(Style::Plain, gap).put(style, piece));
        }
    }
    let mut plain = |text: &str| {
        if !text.is_empty() {
            lines.extend(paragraph(Line::new(), Style::Plain, text, 2, edge));
        }
    };
    plain(&head.machine);
    let mut roles = head.roles.clone();
    if !head.others.is_empty() {
        match roles.last_mut() {
            Some(last) if width(last) + 3 + width(&head.others) <= edge => {
                *last = format!("{last}.  {}", head.others);
            }
            _ => roles.push(head.others.clone()),
        }
    }
    for role in &roles {
        plain(role);
    }
    plain(&head.server);
    lines
}

fn wide(report: &Report, edge: usize) -> Vec<Line> {
    let limits = report.wide.iter().any(|row| row.limit.is_some());
    let mut heading = Line::of(Style::Strong, "HOW WIDE")
        .right(Style::Faint, "measured", MEASURED)
        .right(Style::Faint, "±95%", HALF_WIDTH);
    let mut remark = "remark (no physical limit known here)";
    let mut cpu = CPU_WITHOUT_LIMITS;
    if limits {
        heading =
            heading.right(Style::Faint, "link limit", LIMIT).right(Style::Faint, "share", SHARE);
        (remark, cpu) = ("remark", CPU);
    }
    let heading =
        heading.right(Style::Faint, "CPU/op", cpu).to(cpu + GAP).put(Style::Faint, remark);
    let mut lines = vec![heading];
    let mut layer = None;
    for row in &report.wide {
        let first = layer != Some(row.layer);
        layer = Some(row.layer);
        lines.extend(wide_row(report, row, first, limits, edge));
    }
    lines
}

fn wide_row(report: &Report, row: &WideRow, first: bool, limits: bool, edge: usize) -> Vec<Line> {
    let word = if first { row.layer.word() } else { "" };
    let mark = if row.validity == Validity::Suspect { "?" } else { "" };
    let line = Line::of(Style::Strong, word).to(NAME - 2).put(Style::Careful, mark).to(NAME);
    let line = line.put(Style::Plain, &row.name);
    if let Some(reason) = &row.absent {
        let line = line.to(NAME + 25);
        return paragraph(line, Style::Faint, &format!("not measured: {reason}"), NAME + 25, edge);
    }
    let dash = || "-".to_string();
    let quantity = |figure: Option<crate::wide::Figure>| {
        figure.map_or_else(dash, |f| report.units.quantity(f.value, f.unit))
    };
    let invalid = row.validity == Validity::Invalid;
    let spread = match (row.half_width, row.measured) {
        (Some(share), _) => percent(share),
        (None, Some(_)) => format!("- n {}", row.repeats),
        (None, None) => dash(),
    };
    let line = if invalid {
        line.right(Style::Bad, "invalid", MEASURED)
    } else {
        line.right(Style::Strong, &quantity(row.measured), MEASURED)
    };
    let mut line = line.right(Style::Plain, &spread, HALF_WIDTH);
    let mut cpu = CPU_WITHOUT_LIMITS;
    if limits {
        line = line.right(Style::Plain, &quantity(row.limit), LIMIT).right(
            Style::Plain,
            &row.share.map_or_else(dash, percent),
            SHARE,
        );
        cpu = CPU;
    }
    let line =
        line.right(Style::Plain, &row.cpu_per_op_ns.map_or_else(dash, time), cpu).to(cpu + GAP);
    let remark = with_marks(&row.remark, &row.notes);
    paragraph(line, Style::Plain, &remark, cpu + GAP, edge)
}

fn with_marks(text: &str, notes: &[NoteMark]) -> String {
    let marks: String = notes.iter().map(|mark| format!("[{}]", mark.0)).collect();
    match (text.is_empty(), marks.is_empty()) {
        (_, true) => text.to_string(),
        (true, false) => marks,
        (false, false) => format!("{text} {marks}"),
    }
}

fn narrow(report: &Report, edge: usize) -> Vec<Line> {
    let start = Line::of(Style::Strong, "WHERE IT IS NARROW").put(Style::Plain, "  ");
    let indent = start.width();
    let mut lines = paragraph(start, Style::Faint, &report.operating_point, indent, edge);
    for block in &report.narrow {
        lines.extend(narrow_block(report, block, edge));
    }
    lines
}

fn narrow_block(report: &Report, block: &Block, edge: usize) -> Vec<Line> {
    let mark = if block.validity == Validity::Suspect { " ?" } else { "" };
    let line = Line::of(Style::Strong, &block.name).put(Style::Careful, mark);
    if !block.measured {
        let reason = format!("not measured: {}", block.why.join("; "));
        return paragraph(line.to(RATE - 9), Style::Faint, &reason, RATE - 9, edge);
    }
    let line = match block.rate {
        Some(f) => line.right(Style::Strong, &report.units.quantity(f.value, f.unit), RATE),
        None => line.right(Style::Bad, "invalid", RATE),
    };
    let spread = match (block.rate, block.half_width) {
        (None, _) => String::new(),
        (Some(_), Some(share)) => format!("±{}", percent(share)),
        (Some(_), None) => format!("n {}", block.repeats),
    };
    let line = line
        .put(Style::Plain, " ")
        .put(Style::Plain, &spread)
        .to(LATENCY)
        .put(Style::Plain, &block.latency);
    // Behind a latency that is longer than its column one space must remain.
    let line = if line.width() >= PHRASE { line.put(Style::Plain, " ") } else { line.to(PHRASE) };
    let phrase = with_marks(&block.phrase, &block.notes);
    let mut lines = paragraph(line, Style::Strong, &phrase, PHRASE, edge - 7);
    if let Some(grade) = block.grade {
        let style = match grade {
            Grade::Sure => Style::Good,
            Grade::Likely => Style::Careful,
            Grade::Open => Style::Strong,
        };
        let first = lines.remove(0).right(style, words::grade(grade), edge);
        lines.insert(0, first);
    }
    lines.extend(narrow_body(block, edge));
    lines
}

fn narrow_body(block: &Block, edge: usize) -> Vec<Line> {
    let labelled = |label: &str, text: &str| {
        let start = Line::new().to(3).put(Style::Faint, label).to(BODY);
        paragraph(start, Style::Plain, text, BODY, edge)
    };
    let mut lines = Vec::new();
    if let Some(sum) = &block.sum {
        let mut text = sum.expression.clone();
        for remark in &sum.remarks {
            text += &format!("; {remark}");
        }
        lines.extend(labelled("sum", &text));
    }
    if let Some(test) = &block.test {
        lines.extend(labelled("test", &test.text));
    }
    if !block.then.is_empty() {
        lines.extend(labelled("then", &block.then));
    }
    for (at, sentence) in block.standing.iter().enumerate() {
        lines.extend(labelled(if at == 0 { "seen" } else { "" }, sentence));
    }
    for asked in &block.what_if {
        lines.extend(labelled("if", asked));
    }
    if !block.why.is_empty() {
        lines.extend(labelled("why", &block.why.join("; ")));
    }
    lines
}

fn next(report: &Report, edge: usize) -> Vec<Line> {
    let mut lines = vec![
        Line::of(Style::Strong, "NEXT")
            .to(EXPECT)
            .put(Style::Faint, "expect")
            .to(PROVE)
            .put(Style::Faint, "prove"),
    ];
    for (i, row) in report.next.iter().enumerate() {
        let action = crate::layout::wrap(&row.sentence(), EXPECT - ACTION - 1, EXPECT - ACTION - 1);
        let prove = crate::layout::wrap(&row.prove, edge - PROVE, edge - PROVE);
        for at in 0..action.len().max(prove.len()) {
            let number = if at == 0 { (i + 1).to_string() } else { String::new() };
            let expect = if at == 0 { row.expect.as_str() } else { "" };
            let cell = |cells: &[String]| cells.get(at).cloned().unwrap_or_default();
            lines.push(
                Line::of(Style::Strong, &number)
                    .to(ACTION)
                    .put(Style::Plain, &cell(&action))
                    .to(EXPECT)
                    .put(Style::Strong, expect)
                    .to(PROVE)
                    .put(Style::Plain, &cell(&prove)),
            );
        }
    }
    lines
}
