//! The first and the last lines of a screen.

use narrows_units::{width, wrap};

use super::flow::{flow, held, paragraph, side_by_side};
use super::line::Line;
use crate::document::{Depth, Foot, Head, Inline, NotKnown, Style};

/// Lines of what is not known.
const NOT_KNOWN: usize = 3;

pub(super) fn head(head: &Head, edge: usize) -> Vec<Line> {
    let title = head.title.iter().map(|piece| (Style::Strong, piece));
    let warnings = head.warnings.iter().map(|piece| (Style::Bad, piece));
    let pieces = title.chain(warnings).chain([(Style::Plain, &head.counts)]);
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
    let mut texts: Vec<String> = Vec::new();
    for (line, joins) in &head.lines {
        match texts.last_mut() {
            Some(last) if *joins && width(last) + 3 + width(line) <= edge => {
                *last = format!("{last}.  {line}");
            }
            _ => texts.push(line.clone()),
        }
    }
    lines.extend(texts.iter().flat_map(|text| paragraph(Line::new(), Style::Plain, text, 2, edge)));
    lines
}

pub(super) fn foot(foot: &Foot, depth: Depth, edge: usize) -> Vec<Line> {
    let explained = foot.explained.iter().filter(|text| !foot.legend.contains(text));
    let legend = foot.legend.iter().chain(explained.filter(|_| depth > Depth::Screen));
    let mut lines: Vec<Line> =
        legend.flat_map(|text| paragraph(Line::new(), Style::Faint, text, 0, edge)).collect();
    let notes = foot.notes.iter().map(|note| Inline::from(note.as_str()));
    lines.extend(side_by_side(notes.chain(foot.brief.iter().cloned()), edge));
    if !foot.not_known.is_empty() {
        let start = Line::of(Style::Strong, "NOT KNOWN").put(Style::Plain, "  ");
        let indent = start.width();
        let known = compressed(&foot.not_known, edge - indent, NOT_KNOWN, &foot.all);
        lines.extend(paragraph(start, Style::Plain, &known, indent, edge));
    }
    lines.extend(foot.more.iter().flat_map(|line| flow(Line::new(), line, 2, edge)));
    lines
}

/// The unknowns joined in about `lines` lines: with what would show each, if there is room; else the names alone, as
/// many as fit. What can be granted at once keeps what it needs. `all` is the command that shows the rest.
fn compressed(unknowns: &[NotKnown], room: usize, lines: usize, all: &str) -> String {
    let fits = |text: &str| wrap(text, room, room).len() <= lines;
    let joined =
        |say: fn(&NotKnown) -> String| unknowns.iter().map(say).collect::<Vec<_>>().join("; ");
    let whole = joined(NotKnown::sentence);
    if fits(&whole) {
        return whole;
    }
    let all = held(all);
    let named = |unknown: &NotKnown| match unknown.first {
        true => {
            let needs = held(&unknown.needs);
            vec![NotKnown { needs, ..unknown.clone() }.sentence()]
        }
        false => unknown.whats.clone(),
    };
    let names: Vec<String> = unknowns.iter().flat_map(named).collect();
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
