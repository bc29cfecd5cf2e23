//! Ten lines: each row of a table and each labelled line has one, and a paragraph has what these leave. What is cut says so.

use narrows_units::width;

use super::flow::flow;
use super::line::Line;
use super::{Canvas, section};
use crate::document::{Block, Depth, Document, Facts, Head, Section, Style, Table};

/// Lines of a brief screen.
const LINES: usize = 10;
/// What stands at the end of a line of which more is known.
const MORE: &str = " …";

/// Lines that belong together.
struct Passage {
    /// Whether it may have more than one line.
    grows: bool,
    lines: Vec<Line>,
}

/// The document in so many lines.
pub(super) fn brief(document: &Document, edge: usize) -> Vec<Line> {
    // Where a line is cut the mark has room.
    let edge = edge - width(MORE);
    let sections = document.sections.iter().filter(|section| section.depth == Depth::Brief);
    let passages: Vec<Passage> = sections.flat_map(|section| passages(section, edge)).collect();
    let foot = document.foot.more.first().map(|line| flow(Line::new(), line, 2, edge));
    let single = passages.iter().filter(|passage| !passage.grows).count();
    let left = LINES.saturating_sub(1 + single + usize::from(foot.is_some())).max(1);
    let mut lines = vec![title(&document.head, edge)];
    for Passage { grows, lines: own } in passages {
        lines.extend(cut(own, if grows { left } else { 1 }));
    }
    lines.extend(foot.into_iter().flat_map(|foot| cut(foot, 1)));
    lines
}

/// Product, warnings, and as much of the rest as one line has room for.
fn title(head: &Head, edge: usize) -> Line {
    let (product, rest) = head.title.split_at(head.title.len().min(1));
    let strong = |text| (Style::Strong, text);
    let warnings = head.warnings.iter().map(|text| (Style::Bad, text));
    let pieces = product.iter().map(strong).chain(warnings).chain(rest.iter().map(strong));
    pieces.fold(Line::new(), |line, (style, text): (Style, &String)| {
        let gap = if line.width() > 0 { "  " } else { "" };
        match line.width() + width(gap) + width(text) <= edge {
            true => line.put(Style::Plain, gap).put(style, text),
            false => line,
        }
    })
}

/// What a section says, piece by piece.
fn passages(of: &Section, edge: usize) -> Vec<Passage> {
    let canvas = Canvas { edge, depth: Depth::Brief };
    let lines = |block: Block| section(&Section { blocks: vec![block], ..of.clone() }, canvas);
    let single = |block: Block| Passage { grows: false, lines: lines(block) };
    let mut all = Vec::new();
    for block in &of.blocks {
        match block {
            Block::Table(table) => all.extend(table.rows.iter().map(|row| {
                single(Block::Table(Table { rows: vec![row.clone()], ..table.clone() }))
            })),
            Block::Facts(facts) => all.extend(facts.entries.iter().map(|entry| {
                single(Block::Facts(Facts { entries: vec![entry.clone()], ..facts.clone() }))
            })),
            block => all.push(Passage { grows: true, lines: lines(block.clone()) }),
        }
    }
    all
}

/// The first of these lines, with a mark where there are more.
fn cut(mut lines: Vec<Line>, most: usize) -> Vec<Line> {
    let more = lines.len() > most;
    lines.truncate(most);
    if let Some(last) = lines.pop() {
        lines.push(if more { last.put(Style::Plain, MORE) } else { last });
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::super::line::write_lines;
    use super::*;
    use crate::document::{Entry, Foot, Inline};

    fn document(facts: usize) -> Document {
        let long = "words that go on and on ".repeat(40);
        let said = Section::new("result", "Result").from(Depth::Brief);
        let entry = |n: usize| Entry::new(format!("fact {n}"), long.as_str());
        let entries = (0..facts).map(entry).collect();
        let facts = Facts { entries, labels: Style::Plain, at: (0, 12) };
        let known = Section::new("", "").from(Depth::Brief).with([Block::Facts(facts)]);
        Document {
            head: Head { title: vec!["narrows 1".into(), long.clone()], ..Head::default() },
            sections: vec![said.with([Block::paragraph(long.as_str())]), known],
            foot: Foot { more: vec![Inline::from("more")], ..Foot::default() },
            ..Document::default()
        }
    }

    #[test]
    fn ten_lines_are_never_more_and_what_is_cut_is_marked() {
        for facts in [0, 1, 5, 7] {
            let text = write_lines(&brief(&document(facts), 80), false);
            let lines: Vec<&str> = text.lines().collect();
            assert_eq!(lines.len(), 10, "{text}");
            assert!(lines.iter().all(|line| line.chars().count() <= 80), "{text}");
            assert_eq!((lines[0], lines[9]), ("narrows 1", "more"));
            assert_eq!(lines.iter().filter(|line| line.ends_with('…')).count(), facts + 1);
        }
    }
}
