//! Text that goes on from line to line: each piece keeps its look, and a command stays on one line where it has room on one.

use narrows_units::{shown, width, wrap};

use super::line::Line;
use crate::document::{Inline, Span, Style};

/// What stands for the spaces of a command while lines are broken.
const HELD: char = '\u{a0}';

/// A command, so that lines are not broken inside it.
pub(super) fn held(command: &str) -> String {
    command.chars().map(|c| if c == ' ' { HELD } else { c }).collect()
}

/// Bytes of a literal or name that is kept on one line.
const LONGEST_LITERAL: usize = 64;

/// A statement in a text, so that lines are not broken inside its literals and names in quotes: broken, they would be others.
fn held_in_quotes(text: &str) -> String {
    let Some(from) = text.find("SELECT ").or_else(|| text.find("ALTER ")) else {
        return text.to_string();
    };
    let (mut told, mut rest) = (text[..from].to_string(), &text[from..]);
    while let Some(at) = rest.find(['\'', '"']) {
        let (quote, inside) = rest[at..].split_at(1);
        told += &rest[..at];
        told += quote;
        rest = inside;
        // What doesn't end soon is an apostrophe behind the statement.
        if let Some(end) = inside.find(quote).filter(|end| *end <= LONGEST_LITERAL) {
            told += &held(&inside[..end]);
            told += quote;
            rest = &inside[end + 1..];
        }
    }
    told + rest
}

/// A line with the spaces that its commands have.
pub(super) fn released(line: &str) -> String {
    line.chars().map(|c| if c == HELD { ' ' } else { c }).collect()
}

/// Pieces as they are printed, footnotes as `[1]`.
pub(super) fn pieces(text: &Inline) -> Vec<(Style, String)> {
    let mut pieces: Vec<(Style, String)> = Vec::new();
    for span in &text.0 {
        match span {
            Span::Text(style, text) => pieces.push((*style, shown(text).into_owned())),
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
pub(super) fn flow(start: Line, text: &Inline, indent: usize, edge: usize) -> Vec<Line> {
    let room = edge.saturating_sub(indent);
    let mut pieces = pieces(text);
    for (style, piece) in &mut pieces {
        let command = *style == Style::Code && width(piece) <= room;
        *piece = if command { held(piece) } else { held_in_quotes(piece) };
    }
    let whole: String = pieces.iter().map(|(_, text)| text.as_str()).collect();
    let mut styled =
        pieces.iter().flat_map(|(style, text)| text.chars().map(move |c| (*style, c))).peekable();
    let rows = wrap(&whole, edge.saturating_sub(start.width()), room);
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
            run.1.push(if c == HELD { ' ' } else { c });
        }
        lines.push(line.put(run.0, &run.1));
    }
    lines
}

pub(super) fn put(mut line: Line, text: &Inline) -> Line {
    for (style, piece) in pieces(text) {
        line = line.put(style, &piece);
    }
    line
}

/// Appends a text so that it ends at `column`, with at least one space before it.
pub(super) fn right(line: Line, text: &Inline, column: usize) -> Line {
    let wide: usize = pieces(text).iter().map(|(_, piece)| width(piece)).sum();
    let start = column.saturating_sub(wide).max(line.width() + usize::from(line.width() > 0));
    put(line.to(start), text)
}

/// A text wrapped behind `start`; later lines begin at `indent`.
pub(super) fn paragraph(
    start: Line,
    style: Style,
    text: &str,
    indent: usize,
    right_edge: usize,
) -> Vec<Line> {
    let first = right_edge.saturating_sub(start.width());
    let mut lines = Vec::new();
    let mut start = Some(start);
    for piece in wrap(text, first, right_edge.saturating_sub(indent)) {
        let line = start.take().unwrap_or_else(|| Line::new().to(indent));
        lines.push(line.put(style, &released(&piece)));
    }
    lines
}

/// Short texts side by side, long ones on lines of their own.
pub(super) fn side_by_side(texts: impl Iterator<Item = Inline>, edge: usize) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for text in texts {
        let wide: usize = pieces(&text).iter().map(|(_, piece)| width(piece)).sum();
        match lines.pop() {
            Some(line) if line.width() + 2 + wide <= edge => {
                lines.push(put(line.put(Style::Plain, "  "), &text));
            }
            last => {
                lines.extend(last);
                lines.extend(flow(Line::new(), &text, 4, edge));
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::super::line::write_lines;
    use super::*;

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
    fn a_command_is_broken_only_where_no_line_has_room_for_it() {
        let text = Inline::from("more of it: ").put(Style::Code, "narrows report 7 --html");
        let at = |edge| write_lines(&flow(Line::new(), &text, 2, edge), false);
        assert_eq!(at(40), "more of it: narrows report 7 --html\n");
        assert_eq!(at(30), "more of it:\n  narrows report 7 --html\n");
        assert_eq!(at(20), "more of it: narrows\n  report 7 --html\n");
    }

    #[test]
    fn a_literal_of_a_statement_is_not_broken() {
        let sql = "SELECT f(pid) WHERE state LIKE 'idle in transaction%' AND a < 1";
        let broken = "SELECT f(pid) WHERE state LIKE\n  'idle in transaction%' AND a < 1\n";
        let at = |text: Inline| write_lines(&flow(Line::new(), &text, 2, 40), false);
        assert_eq!(at(Inline::of(Style::Code, sql)), broken);
        // In a sentence too, whose apostrophes are no quotes.
        let said = format!("isn't it: {sql}");
        let lines = at(Inline::from(said.as_str()));
        assert!(lines.starts_with("isn't it: SELECT") && lines.contains("'idle in transaction%'"));
        let behind =
            "and the server's log says what happened between one commit and the next of it";
        let lines = at(Inline::from(format!("{sql}, {behind}").as_str()));
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words(&lines).ends_with(behind), "{lines}");
        let role = Inline::of(Style::Code, "ALTER ROLE \"my own report role\" SET jit = off");
        assert!(at(role).contains("\"my own report role\""));
    }
}
