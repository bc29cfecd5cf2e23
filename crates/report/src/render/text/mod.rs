//! Sections on a screen: aligned, in lines of a fixed width.

use crate::document::{
    Answer, At, Block, Cell, Column, Depth, Document, Facts, Foot, Head, Inline, List, NotKnown,
    Remarks, Row, Section, Span, Style, Table, Verdict,
};
use crate::layout::{Line, paragraph, visible, width, wrap, write_lines};

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
const GRADE: usize = 7;

/// The tables need this many columns.
const NARROWEST: usize = 100;
/// Wider is harder to read.
const WIDEST: usize = 120;
/// Lines of what is not known.
const NOT_KNOWN: usize = 3;

/// A whole document, every line at most `width` columns (100 at least, 120 at most).
pub(crate) fn document(document: &Document, width: usize, colour: bool) -> String {
    let edge = width.clamp(NARROWEST, WIDEST);
    let mut lines = match document.head.depth {
        Depth::Screen => head(&document.head, edge),
        _ => Vec::new(),
    };
    for section in document.sections.iter().filter(|section| section.depth <= Depth::Screen) {
        lines.extend((!lines.is_empty()).then(Line::new));
        lines.extend(self::section(section, edge));
    }
    lines.push(Line::new());
    lines.extend(foot(&document.foot, edge));
    write_lines(&lines, colour)
}

/// A section without a document.
pub(crate) fn alone(section: &Section, width: usize, colour: bool) -> String {
    write_lines(&self::section(section, width.clamp(NARROWEST, WIDEST)), colour)
}

fn head(head: &Head, edge: usize) -> Vec<Line> {
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

fn foot(foot: &Foot, edge: usize) -> Vec<Line> {
    let legend = foot.legend.iter();
    let mut lines: Vec<Line> =
        legend.flat_map(|text| paragraph(Line::new(), Style::Faint, text, 0, edge)).collect();
    lines.extend(side_by_side(foot.notes.iter().chain(&foot.brief), edge));
    if !foot.not_known.is_empty() {
        let start = Line::of(Style::Strong, "NOT KNOWN").put(Style::Plain, "  ");
        let indent = start.width();
        let known = compressed(&foot.not_known, edge - indent, NOT_KNOWN, &foot.all);
        lines.extend(paragraph(start, Style::Plain, &known, indent, edge));
    }
    lines.extend(paragraph(Line::new(), Style::Plain, &foot.more, 2, edge));
    lines
}

/// Short texts side by side, long ones on lines of their own.
fn side_by_side<'a>(texts: impl Iterator<Item = &'a String>, edge: usize) -> Vec<Line> {
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
    let fits = |text: &str| wrap(text, room, room).len() <= lines;
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

/// The section; its heading stands in the corner of a table or before a paragraph that follows it at once.
pub(crate) fn section(section: &Section, edge: usize) -> Vec<Line> {
    if section.depth > Depth::Screen {
        return Vec::new();
    }
    let mut heading = Some(section.short.to_uppercase()).filter(|short| !short.is_empty());
    blocks(&section.blocks, &mut heading, edge)
}

fn blocks(blocks: &[Block], heading: &mut Option<String>, edge: usize) -> Vec<Line> {
    blocks.iter().flat_map(|block| one(block, heading, edge)).collect()
}

fn one(block: &Block, heading: &mut Option<String>, edge: usize) -> Vec<Line> {
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
        Block::From(depth, within) if *depth <= Depth::Screen => {
            return self::blocks(within, heading, edge);
        }
        Block::Until(_, within) => return self::blocks(within, heading, edge),
        Block::From(..) | Block::Figures(_) | Block::Folded(..) => return lines,
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

impl Inline {
    /// What has no look of its own gets this one.
    fn all_plain(mut self, style: Style) -> Self {
        for span in &mut self.0 {
            if let Span::Text(old @ Style::Plain, _) = span {
                *old = style;
            }
        }
        self
    }
}

/// Pieces as they are printed, footnotes as `[1]`.
fn pieces(text: &Inline) -> Vec<(Style, String)> {
    let mut pieces: Vec<(Style, String)> = Vec::new();
    for span in &text.0 {
        match span {
            Span::Text(style, text) => pieces.push((*style, visible(text))),
            Span::Note(number) => {
                let before = pieces.last().map_or("", |(_, text)| text.as_str());
                let close = before.is_empty() || before.ends_with([' ', ']']);
                let mark = format!("{}[{number}]", if close { "" } else { " " });
                let style = pieces.last().map_or(Style::Plain, |(style, _)| *style);
                pieces.push((style, mark));
            }
            Span::Target(number) => pieces.push((Style::Plain, format!("[{number}]"))),
            Span::Break => pieces.push((Style::Plain, " ".to_string())),
            Span::Picture(_) => {}
        }
    }
    pieces
}

/// Text wrapped behind `start`, each piece in its look; later lines begin at `indent`.
pub(crate) fn flow(start: Line, text: &Inline, indent: usize, edge: usize) -> Vec<Line> {
    let pieces = pieces(text);
    let whole: String = pieces.iter().map(|(_, text)| text.as_str()).collect();
    let mut styled =
        pieces.iter().flat_map(|(style, text)| text.chars().map(move |c| (*style, c))).peekable();
    let rows = wrap(&whole, edge.saturating_sub(start.width()), edge.saturating_sub(indent));
    let mut lines = Vec::new();
    let mut start = Some(start);
    for row in rows {
        let mut line = start.take().unwrap_or_else(|| Line::new().to(indent));
        let mut run = (Style::Plain, String::new());
        for c in row.chars() {
            // Where a line was broken its spaces are gone.
            while c != ' ' && styled.next_if(|(_, next)| *next == ' ').is_some() {}
            let style = styled.next().map_or(Style::Plain, |(style, _)| style);
            if style != run.0 {
                line = line.put(run.0, &run.1);
                run = (style, String::new());
            }
            run.1.push(c);
        }
        lines.push(line.put(run.0, &run.1));
    }
    lines
}

fn put(mut line: Line, text: &Inline) -> Line {
    for (style, piece) in pieces(text) {
        line = line.put(style, &piece);
    }
    line
}

/// Appends a text so that it ends at `column`, with at least one space before it.
fn right(line: Line, text: &Inline, column: usize) -> Line {
    let wide: usize = pieces(text).iter().map(|(_, piece)| width(piece)).sum();
    let start = column.saturating_sub(wide).max(line.width() + usize::from(line.width() > 0));
    put(line.to(start), text)
}

/// The columns that a screen has, with where each begins or ends.
struct Places<'a> {
    columns: Vec<(usize, &'a Column, usize)>,
}

impl<'a> Places<'a> {
    fn new(table: &'a Table) -> Self {
        let named = |row: &Row| match row {
            Row::Cells(cells, _) => cells.first().map_or(0, |cell| width(&cell.text.text())),
            Row::Heading(_) => 0,
        };
        let names = table.rows.iter().map(named).max().unwrap_or(0);
        let mut end =
            names.max(table.screen.names) + table.columns.first().map_or(0, |first| left(first.at));
        let shown = table.columns.iter().enumerate().filter(|(_, c)| c.depth <= Depth::Screen);
        let placed = shown.map(|(number, column)| {
            let place = match column.at {
                At::Left(at) | At::Wrapped(at, _) | At::Right(at) => at,
                At::Step(step) | At::Cut(step) => {
                    end += step;
                    end
                }
            };
            (number, column, place)
        });
        Places { columns: placed.collect() }
    }

    /// Headings of the columns, behind `line`.
    fn heads(&self, mut line: Line) -> Line {
        for (_, column, place) in self.columns.iter().filter(|(_, c, _)| !c.under_title) {
            let head = Inline::of(Style::Faint, column.head.as_str());
            line = if column.is_figure() {
                right(line, &head, *place)
            } else {
                put(line.to(*place), &head)
            };
        }
        line
    }

    /// Headings of groups: where the first column of one has no room for it, its second has.
    fn groups(&self, mut line: Line) -> Line {
        let mut before = 0;
        for (at, (_, column, place)) in self.columns.iter().enumerate() {
            let first = at == 0 || self.columns[at - 1].1.group != column.group;
            if first && !column.group.is_empty() {
                let fits = place.saturating_sub(before) > width(&column.group) + 1;
                let next = self.columns.get(at + 1).filter(|_| !fits);
                let end = next.map_or(*place, |(_, _, place)| *place);
                line = line.right(Style::Faint, &column.group, end);
            }
            before = *place;
        }
        line
    }

    /// Whether a title leaves no room for the first heading.
    fn too_long(&self, title: &str) -> bool {
        let first = self.columns.iter().find(|(_, column, _)| !column.under_title);
        first.is_some_and(|(_, column, place)| {
            let head = if column.is_figure() { width(&column.head) } else { 0 };
            width(title) + head + 1 > *place
        })
    }
}

fn left(at: At) -> usize {
    match at {
        At::Left(at) | At::Wrapped(at, _) => at,
        At::Right(_) | At::Step(_) | At::Cut(_) => 0,
    }
}

/// A table with its title in the corner; where not all its columns fit, one below the other.
fn table(table: &Table, title: &str, edge: usize) -> Vec<Line> {
    let names = table.screen.names;
    let Some(At::Cut(step)) = table.columns.last().map(|last| last.at) else {
        return one_table(table, title, edge);
    };
    let many: Vec<usize> = (1..table.columns.len()).collect();
    let mut lines = Vec::new();
    for some in many.chunks((edge.saturating_sub(names) / step).max(1)) {
        lines.extend((!lines.is_empty()).then(Line::new));
        lines.extend(one_table(&part(table, some, step), title, edge));
    }
    lines
}

/// A table of the names and these columns, whose texts lose what is too long.
fn part(table: &Table, columns: &[usize], step: usize) -> Table {
    let cut = |text: &str| match text.chars().count() > step - 2 {
        true => text.chars().take(step - 3).chain(['…']).collect(),
        false => text.to_string(),
    };
    let head = |column: &Column| Column { head: cut(&column.head), ..column.clone() };
    let cell = |cell: &Cell| Cell { text: cut(&cell.text.text()).into(), ..cell.clone() };
    let columns_of = columns.iter().map(|at| head(&table.columns[*at]));
    let row = |row: &Row| match row {
        Row::Cells(cells, said) => {
            let cells_of = columns.iter().filter_map(|at| cells.get(*at)).map(cell);
            Row::Cells(cells.iter().take(1).cloned().chain(cells_of).collect(), said.clone())
        }
        heading => heading.clone(),
    };
    Table {
        columns: table.columns.iter().take(1).cloned().chain(columns_of).collect(),
        rows: table.rows.iter().map(row).collect(),
        ..table.clone()
    }
}

fn one_table(table: &Table, title: &str, edge: usize) -> Vec<Line> {
    let places = Places::new(table);
    let grouped = places.columns.iter().any(|(_, column, _)| !column.group.is_empty());
    let mut corner = Line::of(Style::Strong, title);
    let mut lines = Vec::new();
    if grouped {
        lines.push(places.groups(std::mem::take(&mut corner)));
    } else if places.too_long(title) {
        lines.push(std::mem::take(&mut corner));
    }
    let mut heads = places.heads(corner);
    if heads.width() > 0 {
        if let (Remarks::Beside(at), Some(head)) = (table.screen.remarks, &table.remark) {
            heads = heads.to(at).put(Style::Faint, head);
        }
        lines.push(heads);
    }
    for row in &table.rows {
        match row {
            Row::Heading(text) => {
                let at = table.columns.first().map_or(0, |first| left(first.at));
                lines.push(Line::new().to(at).put(Style::Faint, text));
            }
            Row::Cells(cells, said) => lines.extend(cells_of(table, &places, cells, said, edge)),
        }
    }
    lines
}

fn cells_of(
    table: &Table,
    places: &Places<'_>,
    cells: &[Cell],
    said: &[Inline],
    edge: usize,
) -> Vec<Line> {
    let screen = &table.screen;
    let mut lines: Vec<Line> = Vec::new();
    let mut line = Line::new();
    let mut below: Vec<(usize, Style, Vec<String>)> = Vec::new();
    let mut figures = false;
    for (number, column, place) in &places.columns {
        let Some(cell) = cells.get(*number) else { continue };
        if cell.suspect {
            line = line.to(screen.mark).put(Style::Careful, "?").put(Style::Plain, " ");
        }
        match column.at {
            At::Left(at) => {
                let mut named = flow(line.to(at), &cell.text, at, edge);
                line = named.pop().unwrap_or_default();
                lines.extend(named);
                if line.width() > screen.longest_name {
                    lines.push(std::mem::take(&mut line));
                }
            }
            At::Wrapped(at, room) => {
                let style = pieces(&cell.text).first().map_or(Style::Plain, |(style, _)| *style);
                let room = room.min(edge.saturating_sub(at));
                let mut rows = wrap(&visible(&cell.text.text()), room, room);
                line = line.to(at).put(style, &rows.remove(0));
                below.push((at, style, rows));
            }
            At::Right(_) | At::Step(_) | At::Cut(_) => {
                figures |= !cell.text.is_empty();
                line = right(line, &cell.text, *place);
            }
        }
    }
    let beside = |line: Line, at: usize| flow(line.to(at), &joined(said), at, edge);
    match screen.remarks {
        _ if said.is_empty() => lines.push(line),
        Remarks::Beside(at) => {
            lines.extend(beside(line, if figures { at } else { screen.bare }));
        }
        Remarks::Behind(gap) => {
            let at = line.width() + gap;
            lines.extend(beside(line, at));
        }
        Remarks::Below(at) => {
            lines.push(line);
            lines.extend(said.iter().flat_map(|text| flow(Line::new().to(at), text, at, edge)));
        }
    }
    let most = below.iter().map(|(_, _, rows)| rows.len()).max().unwrap_or(0);
    for number in 0..most {
        let mut line = Line::new();
        for (at, style, rows) in &below {
            line = rows.get(number).map_or(line.clone(), |row| line.to(*at).put(*style, row));
        }
        lines.push(line);
    }
    lines
}

/// Sentences in one paragraph.
pub(super) fn joined(said: &[Inline]) -> Inline {
    let mut all = Inline::default();
    for text in said {
        if !all.is_empty() {
            all = all.put(Style::Plain, "; ");
        }
        all.0.extend(text.0.iter().cloned());
    }
    all
}

fn facts(facts: &Facts, edge: usize) -> Vec<Line> {
    let (at, text) = facts.at;
    let one = |entry: &crate::document::Entry| {
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
        lines.extend(flow(start.to(text), &entry.text, text, edge));
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

    fn screen(section: &Section) -> String {
        write_lines(&super::section(section, 40), false)
    }

    #[test]
    fn a_heading_stands_in_the_corner_of_a_table_and_before_a_paragraph() {
        let mut table = Table::new(vec![Column::name("load", 2), Column::figure("rate", 20)]);
        table.rows.push(Row::Cells(
            vec![Cell { suspect: true, ..Cell::from("reads") }, "5 /s".into()],
            vec![Inline::from("slow").notes([1, 2])],
        ));
        let loads = Section::new("loads", "Loads").with([Block::Table(table)]);
        assert_eq!(screen(&loads), "LOADS           rate\n? reads         5 /s\n    slow [1][2]\n");
        let text = Block::paragraph("one two three four five six seven");
        let said = Section::new("x", "Narrow").with([text]);
        assert_eq!(screen(&said), "NARROW  one two three four five six\nseven\n");
    }

    #[test]
    fn every_piece_keeps_its_look_where_a_line_is_broken() {
        let text =
            Inline::of(Style::Strong, "ab ").put(Style::Bad, "cd ef").put(Style::Plain, " g");
        let lines = flow(Line::new(), &text, 1, 6);
        assert_eq!(
            write_lines(&lines, true),
            "\u{1b}[1mab \u{1b}[0m\u{1b}[1;31mcd\u{1b}[0m\n \u{1b}[1;31mef\u{1b}[0m g\n"
        );
    }

    #[test]
    fn what_a_screen_has_no_room_for_is_left_out() {
        let deep = Block::From(Depth::Text, vec![Block::paragraph("long")]);
        let section = Section::new("x", "Short").with([deep, Block::paragraph("said")]);
        assert_eq!(screen(&section), "SHORT  said\n");
        assert_eq!(screen(&section.from(Depth::Page)), "");
    }
}
