//! The foot of the screen: legend, footnotes, what is not known, where to see more.

use narrows_model::{Finding, Severity};

use crate::layout::{Line, Style, paragraph, visible, width};
use crate::notes::NotKnown;
use crate::report::Report;
use crate::words;

/// Figures of a place that stand in a footnote are no longer than this.
const PLACE_LETTERS: usize = 160;

pub(super) fn foot(report: &Report, edge: usize) -> Vec<Line> {
    let notes = &report.notes;
    let mut lines = Vec::new();
    let graded = report.narrow.iter().any(|b| b.grade.is_some());
    if graded || report.head.counts.contains('?') {
        let legend = if graded || !report.operating_point.is_empty() {
            words::LEGEND
        } else {
            words::SUSPECT
        };
        lines.extend(paragraph(Line::new(), Style::Faint, legend, 0, edge));
    }
    if report.narrow.iter().any(|b| b.sum.is_some()) {
        lines.extend(paragraph(Line::new(), Style::Faint, words::LINES, 0, edge));
    }
    let no_interval = report.wide.iter().any(|r| r.measured.is_some() && r.half_width.is_none())
        || report.narrow.iter().any(|b| b.rate.is_some() && b.half_width.is_none());
    let mut feet: Vec<String> = no_interval
        .then(|| "n: repeats, too few for an interval".to_string())
        .into_iter()
        .collect();
    let numbered = notes
        .numbered
        .iter()
        .enumerate()
        .map(|(i, finding)| format!("[{}] {}", i + 1, said(finding)));
    feet.extend(numbered);
    feet.extend(notes.run_level.iter().map(|finding| format!("[run] {}", said(finding))));
    feet.extend(notes.machine_line(&report.run));
    if notes.not_shown > 0 {
        let others = words::counted(notes.not_shown, "other finding");
        feet.push(format!("{others}: narrows report {} --html", report.run.id));
    }
    lines.extend(flow(&feet, edge));
    if !notes.not_known.is_empty() {
        let start = Line::of(Style::Strong, "NOT KNOWN").put(Style::Plain, "  ");
        let indent = start.width();
        let all = format!("narrows report {} --html", report.run.id);
        let known = compressed(&notes.not_known, edge - indent, 3, &all);
        lines.extend(paragraph(start, Style::Plain, &known, indent, edge));
    }
    lines.extend(paragraph(Line::new(), Style::Plain, &report.more, 2, edge));
    lines
}

/// The finding's sentence, with its severity in a word unless it is a mere note.
fn said(finding: &Finding) -> String {
    let said = match finding.places.as_slice() {
        // At one place of the machine the figures are short, and say more than the rule.
        [only] if only.evidence.len() <= PLACE_LETTERS => {
            format!("{}: {}", finding.summary, only.evidence)
        }
        _ => finding.summary.clone(),
    };
    match finding.severity {
        Severity::Note => said,
        worse => format!("{}: {said}", words::severity(worse)),
    }
}

/// Short texts side by side, long ones on lines of their own.
fn flow(texts: &[String], edge: usize) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for text in texts {
        let text = visible(text);
        match lines.pop() {
            Some(line) if line.width() + 2 + width(&text) <= edge => {
                lines.push(line.put(Style::Plain, "  ").put(Style::Plain, &text));
            }
            last => {
                lines.extend(last);
                lines.extend(paragraph(Line::new(), Style::Plain, &text, 4, edge));
            }
        }
    }
    lines
}

/// The unknowns joined in about `lines` lines: with what would show each, if there is room; else the names alone, as
/// many as fit. `all` is the command that shows the rest.
fn compressed(unknowns: &[NotKnown], room: usize, lines: usize, all: &str) -> String {
    let fits = |text: &str| crate::layout::wrap(text, room, room).len() <= lines;
    let joined =
        |say: fn(&NotKnown) -> String| unknowns.iter().map(say).collect::<Vec<_>>().join("; ");
    let whole = joined(NotKnown::sentence);
    if fits(&whole) {
        return whole;
    }
    let names: Vec<&str> =
        unknowns.iter().flat_map(|unknown| &unknown.whats).map(String::as_str).collect();
    for n in (1..=names.len()).rev() {
        let rest = match names.len() - n {
            0 => format!("; why: {all}"),
            rest => format!("; {rest} more, and why: {all}"),
        };
        let text = format!("{}{rest}", names[..n].join("; "));
        if fits(&text) {
            return text;
        }
    }
    format!("{} things; {all}", names.len())
}
