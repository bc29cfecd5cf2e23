//! Lines of styled text with known display width.
//!
//! Layout is done on plain text and colour is added at the very end, so that a coloured and a plain screen
//! are the same characters in the same columns. Control and bidirectional characters that a host name or a
//! path might carry are replaced here, once, before they can reach a terminal.

use crate::document::Style;

const STRONG: &str = "\u{1b}[1m";
const FAINT: &str = "\u{1b}[2m";
const GOOD: &str = "\u{1b}[1;32m";
const CAREFUL: &str = "\u{1b}[1;33m";
const BAD: &str = "\u{1b}[1;31m";
const END: &str = "\u{1b}[0m";

/// All that a coloured screen sends to a terminal besides text.
pub const COLOURS: [&str; 6] = [STRONG, FAINT, GOOD, CAREFUL, BAD, END];

impl Style {
    fn code(self) -> &'static str {
        match self {
            Style::Plain | Style::Code => "",
            Style::Strong => STRONG,
            Style::Faint => FAINT,
            Style::Good => GOOD,
            Style::Careful => CAREFUL,
            Style::Bad => BAD,
        }
    }
}

/// One line.
#[derive(Debug, Clone, Default)]
pub(crate) struct Line {
    spans: Vec<(Style, String)>,
    width: usize,
}

impl Line {
    pub(crate) fn new() -> Self {
        Line::default()
    }

    /// A line of one piece.
    pub(crate) fn of(style: Style, text: &str) -> Self {
        Line::new().put(style, text)
    }

    /// Appends a piece.
    pub(crate) fn put(mut self, style: Style, text: &str) -> Self {
        let text = visible(text);
        self.width += width(&text);
        if !text.is_empty() {
            self.spans.push((style, text));
        }
        self
    }

    /// Fills with spaces up to `column`; nothing if already there.
    pub(crate) fn to(self, column: usize) -> Self {
        let missing = column.saturating_sub(self.width);
        self.put(Style::Plain, &" ".repeat(missing))
    }

    /// Appends a piece so that it ends at `column`, with at least one space before it.
    pub(crate) fn right(self, style: Style, text: &str, column: usize) -> Self {
        let start =
            column.saturating_sub(width(text)).max(self.width + usize::from(self.width > 0));
        self.to(start).put(style, text)
    }

    /// Columns used so far.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    fn write(&self, colour: bool, out: &mut String) {
        let mut text = String::new();
        for (style, span) in &self.spans {
            if colour && !style.code().is_empty() && !span.trim().is_empty() {
                text.push_str(style.code());
                text.push_str(span);
                text.push_str(END);
            } else {
                text.push_str(span);
            }
        }
        out.push_str(text.trim_end());
        out.push('\n');
    }
}

/// All lines as one text.
pub(crate) fn write_lines(lines: &[Line], colour: bool) -> String {
    let mut out = String::new();
    for line in lines {
        line.write(colour, &mut out);
    }
    out
}

/// Columns of a text: what this program prints is one column a character.
pub(crate) fn width(text: &str) -> usize {
    text.chars().count()
}

/// A part of a line: what steers is shown as a mark, one for one.
pub(crate) fn visible(text: &str) -> String {
    narrows_units::shown(text).into_owned()
}

/// Breaks a text at spaces into lines of at most `first` columns for the first and `rest` for the others. A
/// number stays with its unit; a piece longer than a line is cut, so that no line is ever too long. Never empty.
pub(crate) fn wrap(text: &str, first: usize, rest: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for piece in pieces(text) {
        let mut piece = piece.as_str();
        loop {
            let room = if lines.is_empty() { first } else { rest }.max(1);
            if width(&line) + width(piece.trim_end()) <= room {
                line.push_str(piece);
                break;
            }
            if !line.trim().is_empty() {
                lines.push(line.trim_end().to_string());
                line = String::new();
                continue;
            }
            let cut = piece.char_indices().nth(room).map_or(piece.len(), |(at, _)| at);
            let cut = piece[..cut].trim_end().rfind(' ').map_or(cut, |space| space + 1);
            lines.push(piece[..cut].trim_end().to_string());
            line = String::new();
            piece = &piece[cut..];
        }
    }
    if !line.trim().is_empty() || lines.is_empty() {
        lines.push(line.trim_end().to_string());
    }
    lines
}

/// Words with the spaces behind them; a number is one piece with the word that follows it, as is a factor
/// (`SMT × 1.65`).
fn pieces(text: &str) -> Vec<String> {
    let number = |word: &str| {
        word.ends_with(|c: char| c.is_ascii_digit()) && word.chars().count() <= 6 || word == "n"
    };
    let mut pieces: Vec<String> = Vec::new();
    for word in text.split_inclusive(' ') {
        let before = pieces.last().and_then(|p| p.split_whitespace().next_back()).unwrap_or("");
        let glued = number(before) && !word.starts_with(['(', '[', '/', '+', '='])
            || before == "×"
            || word.trim_end() == "×";
        match pieces.last_mut() {
            Some(last) if glued && last.chars().count() < 24 => last.push_str(word),
            _ => pieces.push(word.to_string()),
        }
    }
    pieces
}

/// A text wrapped behind `start`; later lines begin at `indent`.
pub(crate) fn paragraph(
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
        lines.push(line.put(style, &piece));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn no_wrapped_line_is_too_long_and_no_word_is_lost(
            text in "[a-z µ±]{0,80}", first in 1usize..30, rest in 1usize..30,
        ) {
            let lines = wrap(&text, first, rest);
            for (i, line) in lines.iter().enumerate() {
                let room = if i == 0 { first } else { rest };
                proptest::prop_assert!(width(line) <= room);
            }
            let squeeze = |s: &str| s.chars().filter(|c| *c != ' ').collect::<String>();
            proptest::prop_assert_eq!(squeeze(&lines.concat()), squeeze(&text));
        }
    }

    #[test]
    fn a_number_stays_with_its_unit() {
        assert_eq!(
            wrap("depth 512, p99 602 µs, alone", 17, 17),
            ["depth 512,", "p99 602 µs, alone"]
        );
        assert_eq!(wrap("sharing SMT × 1.65 here", 12, 12), ["sharing", "SMT × 1.65", "here"]);
    }

    #[test]
    fn colour_adds_nothing_but_escapes() {
        let lines = [Line::of(Style::Good, "SURE").right(Style::Bad, "no", 10)];
        assert_eq!(write_lines(&lines, false), "SURE    no\n");
        assert_eq!(
            write_lines(&lines, true),
            "\u{1b}[1;32mSURE\u{1b}[0m    \u{1b}[1;31mno\u{1b}[0m\n"
        );
    }

    #[test]
    fn a_hostile_name_cannot_move_the_cursor() {
        assert_eq!(visible("a\u{1b}[2Jb\nc\u{202e}d"), "a\u{fffd}[2Jb\u{fffd}c\u{fffd}d");
    }
}
