//! The foot of the screen: legend, footnotes, what is not known, where to see more.

use narrows_model::{Finding, Severity};

use crate::layout::{Line, Style, paragraph, visible, width};
use crate::report::Report;
use crate::words;

pub(super) fn foot(report: &Report, edge: usize) -> Vec<Line> {
    let notes = &report.notes;
    let mut lines = Vec::new();
    if report.narrow.iter().any(|b| b.grade.is_some()) || report.head.counts.contains('?') {
        lines.extend(paragraph(Line::new(), Style::Faint, words::LEGEND, 0, edge));
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
    if notes.not_shown > 0 {
        feet.push(format!("({} more in the HTML)", words::counted(notes.not_shown, "finding")));
    }
    lines.extend(flow(&feet, edge));
    if !notes.not_known.is_empty() {
        let start = Line::of(Style::Strong, "NOT KNOWN").put(Style::Plain, "  ");
        let indent = start.width();
        let known = compressed(&notes.not_known, edge - indent, 3);
        lines.extend(paragraph(start, Style::Plain, &known, indent, edge));
    }
    lines.extend(paragraph(Line::new(), Style::Plain, &report.more, 2, edge));
    lines
}

/// The finding's sentence, with its severity in a word unless it is a mere note.
fn said(finding: &Finding) -> String {
    match finding.severity {
        Severity::Note => finding.summary.clone(),
        worse => format!("{}: {}", words::severity(worse), finding.summary),
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

/// The texts joined, cut to about `lines` lines; what was cut is counted.
fn compressed(texts: &[String], room: usize, lines: usize) -> String {
    for n in (1..=texts.len()).rev() {
        let mut text = texts[..n].join("; ");
        if n < texts.len() {
            text += &format!("; {} more in the HTML", texts.len() - n);
        }
        let mut wrapped = crate::layout::wrap(&text, room, room);
        if wrapped.len() <= lines {
            return text;
        }
        if n == 1 {
            wrapped.truncate(lines);
            return format!("{} (full list in the HTML)", wrapped.join(" "));
        }
    }
    String::new()
}
