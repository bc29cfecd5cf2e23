//! Sections on a screen: aligned, in lines of a fixed width.

mod brief;
mod ends;
mod flow;
mod line;
mod table;

use super::{Filter, Form, Screen, Shows};
use crate::document::{
    Answer, Block, Depth, Document, Entry, Facts, Foot, List, Section, Style, Verdict,
};
use brief::brief;
use ends::{foot, head};
use flow::{flow, paragraph, put, right};
pub use line::COLOURS;
use line::{Line, write_lines};
use table::table;

/// Aligned text for a screen.
pub const FORM: Form = Form {
    name: "text",
    about: "For people: one screen, where it is a report",
    extension: "txt",
    shows: Shows::Sections(Depth::Screen),
    filter: Filter::MarksAndColours,
    print: document,
};

/// Where later lines of a heading begin.
const HEADING: usize = 3;
/// Where later lines of an answer begin.
const ANSWER: usize = 2;
/// The phrase of a graded answer.
const GRADED: usize = 24;

// Columns of a verdict's first line.
const RATE: usize = 27;
const LATENCY: usize = 36;
const PHRASE: usize = 53;
const REASON: usize = 9;
/// Room for the grade at the edge.
const GRADE: usize = 10;

/// Tables are laid out for a hundred columns, and drawn together down to this.
const NARROWEST: usize = 80;
/// Wider is harder to read.
const WIDEST: usize = 120;

/// Where lines end, and how much is said on them.
#[derive(Clone, Copy)]
struct Canvas {
    edge: usize,
    depth: Depth,
}

fn document(document: &Document, screen: Screen) -> String {
    let edge = screen.width.clamp(NARROWEST, WIDEST);
    if screen.depth == Depth::Brief {
        return write_lines(&brief(document, edge), screen.colour);
    }
    let canvas = Canvas { edge, depth: screen.depth };
    let mut lines = match document.head.depth {
        Depth::Brief | Depth::Screen => head(&document.head, edge),
        _ => Vec::new(),
    };
    for section in &document.sections {
        let said = self::section(section, canvas);
        lines.extend((!lines.is_empty() && !said.is_empty()).then(Line::new));
        lines.extend(said);
    }
    if document.foot != Foot::default() {
        lines.push(Line::new());
        lines.extend(foot(&document.foot, screen.depth, edge));
    }
    write_lines(&lines, screen.colour)
}

/// The section; its heading stands in the corner of a table or before a paragraph that follows it at once.
fn section(section: &Section, canvas: Canvas) -> Vec<Line> {
    if section.depth > canvas.depth {
        return Vec::new();
    }
    let mut heading = Some(section.short.to_uppercase()).filter(|short| !short.is_empty());
    blocks(&section.blocks, &mut heading, canvas)
}

fn blocks(blocks: &[Block], heading: &mut Option<String>, canvas: Canvas) -> Vec<Line> {
    blocks.iter().flat_map(|block| one(block, heading, canvas)).collect()
}

fn one(block: &Block, heading: &mut Option<String>, canvas: Canvas) -> Vec<Line> {
    let edge = canvas.edge;
    let mut lines = Vec::new();
    match block {
        Block::Table(of) if of.title.is_empty() => {
            return table(of, &heading.take().unwrap_or_default(), edge);
        }
        Block::Paragraph(text, indent) => {
            let start = match heading.take() {
                Some(word) => Line::of(Style::Strong, &word).put(Style::Plain, "  "),
                None => Line::new(),
            };
            let start = if start.width() == 0 { start.to(*indent) } else { start };
            return flow(start, text, *indent, edge);
        }
        Block::From(depth, within) if *depth <= canvas.depth => {
            return self::blocks(within, heading, canvas);
        }
        Block::Until(depth, within) if *depth >= canvas.depth => {
            return self::blocks(within, heading, canvas);
        }
        Block::From(..)
        | Block::Until(..)
        | Block::Figures(_)
        | Block::Folded(..)
        | Block::Views(..) => return lines,
        _ => {}
    }
    lines.extend(heading.take().map(|word| Line::of(Style::Strong, &word)));
    match block {
        Block::Heading(text) => {
            lines.extend(flow(Line::new(), &text.clone().all_plain(Style::Strong), HEADING, edge));
        }
        Block::Table(of) => lines.extend(table(of, &of.title, edge)),
        Block::Facts(of) => lines.extend(facts(of, edge)),
        Block::List(of) => lines.extend(list(of, edge)),
        Block::Verdict(of) => lines.extend(verdict(of, edge)),
        Block::Answer(of) => lines.extend(answer(of, edge)),
        Block::Verbatim(text) => {
            lines.extend(text.lines().flat_map(|line| {
                // What is too long goes on below, deeper than it began.
                let depth = line.chars().take_while(|c| *c == ' ').count();
                let start = Line::new().to(depth);
                paragraph(start, Style::Plain, line.trim_start(), depth + 4, edge)
            }));
        }
        Block::Gap => lines.push(Line::new()),
        _ => {}
    }
    lines
}

fn facts(facts: &Facts, edge: usize) -> Vec<Line> {
    let (at, begin) = facts.at;
    // Of a tree, what goes on below stands deeper than it began.
    let hang = if facts.entries.iter().any(|entry| entry.depth > 0) { 2 } else { 0 };
    let one = |entry: &Entry| {
        let text = begin + 2 * entry.depth;
        // A label that stands out is a heading.
        let label = match facts.labels {
            Style::Strong => entry.label.to_uppercase(),
            _ => entry.label.clone(),
        };
        let mut start = Line::new().to(at).put(facts.labels, &label);
        let mut lines = Vec::new();
        // A long label has a line of its own.
        if start.width() >= text {
            lines.push(std::mem::take(&mut start));
        }
        lines.extend(flow(start.to(text), &entry.text, text + hang, edge));
        lines
    };
    facts.entries.iter().flat_map(one).collect()
}

fn list(list: &List, edge: usize) -> Vec<Line> {
    let (at, later) = list.at;
    let mut lines = Vec::new();
    for (number, item) in list.items.iter().enumerate() {
        let lead = if number == 0 { &list.lead.0 } else { &list.lead.1 };
        let mut start = Line::new().to(at);
        if !lead.is_empty() {
            start = start.put(Style::Faint, lead).put(Style::Plain, " ");
        }
        lines.extend(flow(start, item, later, edge));
    }
    lines
}

fn answer(answer: &Answer, edge: usize) -> Vec<Line> {
    let mut start = put(Line::new(), &answer.lead);
    if start.width() > 0 {
        start = start.put(Style::Plain, " ");
    }
    if answer.suspect {
        start = start.put(Style::Careful, "? ");
    }
    let Some(grade) = answer.grade else { return flow(start, &answer.sentence, ANSWER, edge) };
    vec![put(start.to(GRADED), &answer.sentence).right(Style::Strong, grade.word, edge)]
}

fn verdict(verdict: &Verdict, edge: usize) -> Vec<Line> {
    let mark = if verdict.suspect { " ?" } else { "" };
    let line = Line::of(Style::Strong, &verdict.name).put(Style::Careful, mark);
    if let Some(why) = &verdict.absent {
        let at = RATE - REASON;
        return paragraph(line.to(at), Style::Faint, &format!("not measured: {why}"), at, edge);
    }
    let line = right(line, &verdict.rate, RATE)
        .put(Style::Plain, " ")
        .put(Style::Plain, &verdict.spread)
        .to(LATENCY)
        .put(Style::Plain, &verdict.latency);
    // Behind a latency that is longer than its column one space must remain.
    let line = if line.width() >= PHRASE { line.put(Style::Plain, " ") } else { line.to(PHRASE) };
    let mut lines = flow(line, &verdict.phrase, PHRASE, edge - GRADE);
    if let Some(grade) = verdict.grade {
        let first = lines.remove(0).right(grade.style, grade.word, edge);
        lines.insert(0, first);
    }
    let entries = verdict.reasons.clone();
    let reasons = Facts { entries, labels: Style::Faint, at: (3, REASON) };
    lines.extend(facts(&reasons, edge));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{At, Cell, Column, Inline, Row, Table};

    fn screen(section: &Section) -> String {
        let canvas = Canvas { edge: 40, depth: Depth::Screen };
        write_lines(&super::section(section, canvas), false)
    }

    #[test]
    fn a_heading_stands_in_the_corner_of_a_table_and_before_a_paragraph() {
        let mut table = Table::new(vec![Column::name("load", 2), Column::figure("rate", 20)]);
        table.rows.push(Row::Cells(
            vec![Cell { suspect: true, ..Cell::from("reads") }, "5/s".into()],
            vec![Inline::from("slow").notes([1, 2])],
        ));
        let loads = Section::new("loads", "Loads").with([Block::Table(table)]);
        assert_eq!(screen(&loads), "LOADS           rate\n? reads          5/s\n    slow [1][2]\n");
        let text = Block::paragraph("one two three four five six seven");
        let said = Section::new("x", "Narrow").with([text]);
        assert_eq!(screen(&said), "NARROW  one two three four five six\nseven\n");
    }

    #[test]
    fn a_wide_table_is_drawn_together_and_a_narrow_one_stays() {
        let lines = |at: usize, edge: usize| {
            let mut table = Table::new(vec![
                Column::name("load", 2),
                Column::figure("rate", 20),
                Column::words("why", At::Wrapped(at, usize::MAX)),
                Column::words("sure", At::Edge),
            ]);
            let cells = ["reads", "5/s", "a drive that is full of them all", "LIKELY"];
            table.rows.push(Row::Cells(cells.map(Into::into).to_vec(), Vec::new()));
            let section = Section::new("x", "X").with([Block::Table(table)]);
            let canvas = Canvas { edge, depth: Depth::Screen };
            write_lines(&super::section(&section, canvas), false)
        };
        let at = |text: &str, word: &str| text.lines().nth(1).unwrap().find(word).unwrap();
        assert_eq!(at(&lines(60, 100), "a drive"), 60);
        assert_eq!(at(&lines(60, 80), "a drive"), 48);
        assert_eq!(at(&lines(40, 80), "a drive"), 40);
        for edge in [80, 100] {
            let text = lines(60, edge);
            assert!(text.lines().nth(1).unwrap().ends_with("LIKELY"), "{text}");
            assert!(text.lines().all(|line| line.len() <= edge), "{text}");
            assert_eq!(text.lines().map(str::len).max(), Some(edge), "{text}");
        }
    }

    #[test]
    fn words_that_reach_their_neighbour_keep_a_space() {
        let mut table =
            Table::new(vec![Column::name("load", 0), Column::words("why", At::Left(6))]);
        let cells = ["random reads", "slow"].map(Into::into).to_vec();
        table.rows.push(Row::Cells(cells, Vec::new()));
        let section = Section::new("x", "").with([Block::Table(table)]);
        assert!(screen(&section).contains("random reads slow"), "{}", screen(&section));
    }

    #[test]
    fn a_screen_may_say_less_or_more() {
        let deep = Block::From(Depth::Explained, vec![Block::paragraph("sum")]);
        let section = Section::new("x", "").with([Block::paragraph("answer"), deep]);
        let at = |depth| write_lines(&super::section(&section, Canvas { edge: 40, depth }), false);
        assert_eq!(at(Depth::Explained), "answer\nsum\n");
        assert_eq!((at(Depth::Screen).as_str(), at(Depth::Brief).as_str()), ("answer\n", ""));
    }

    #[test]
    fn what_a_screen_has_no_room_for_is_left_out() {
        let deep = Block::From(Depth::Text, vec![Block::paragraph("long")]);
        let section = Section::new("x", "Short").with([deep, Block::paragraph("said")]);
        assert_eq!(screen(&section), "SHORT  said\n");
        assert_eq!(screen(&section.from(Depth::Page)), "");
    }

    #[test]
    fn a_tree_goes_on_deeper_than_it_began() {
        let at = |depth, text: &str| Entry { depth, ..Entry::new("", text) };
        let entries = vec![Entry::new("a", "one"), at(1, "two three four five six seven")];
        let facts = Facts { entries, labels: Style::Plain, at: (0, 11) };
        let of = Section::new("x", "X").short("").with([Block::Facts(facts)]);
        let lines = "a          one\n             two three four five six\n               seven\n";
        assert_eq!(screen(&of), lines);
    }
}
