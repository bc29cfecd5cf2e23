//! Lines of styled text with known display width.
//!
//! Layout is done on plain text and colour is added at the very end, so that a coloured and a plain screen
//! are the same characters in the same columns. Control and bidirectional characters that a host name or a
//! path might carry are replaced here, once, before they can reach a terminal.

use narrows_units::{shown, width};

use crate::document::{Inline, Span, Style};

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
pub(super) struct Line {
    spans: Vec<(Style, String)>,
    width: usize,
}

impl Line {
    pub(super) fn new() -> Self {
        Line::default()
    }

    /// A line of one piece.
    pub(super) fn of(style: Style, text: &str) -> Self {
        Line::new().put(style, text)
    }

    /// Appends a piece.
    pub(super) fn put(mut self, style: Style, text: &str) -> Self {
        let text = shown(text).into_owned();
        self.width += width(&text);
        if !text.is_empty() {
            self.spans.push((style, text));
        }
        self
    }

    /// Fills with spaces up to `column`; nothing if already there.
    pub(super) fn to(self, column: usize) -> Self {
        let missing = column.saturating_sub(self.width);
        self.put(Style::Plain, &" ".repeat(missing))
    }

    /// Appends a piece so that it ends at `column`, with at least one space before it.
    pub(super) fn right(self, style: Style, text: &str, column: usize) -> Self {
        let start =
            column.saturating_sub(width(text)).max(self.width + usize::from(self.width > 0));
        self.to(start).put(style, text)
    }

    /// Its pieces as a text, to be laid out anew.
    pub(super) fn into_text(self) -> Inline {
        Inline(self.spans.into_iter().map(|(style, span)| Span::Text(style, span)).collect())
    }

    /// Columns used so far.
    pub(super) fn width(&self) -> usize {
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
pub(super) fn write_lines(lines: &[Line], colour: bool) -> String {
    let mut out = String::new();
    for line in lines {
        line.write(colour, &mut out);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_adds_nothing_but_escapes() {
        let lines = [Line::of(Style::Good, "LIKELY").right(Style::Bad, "no", 10)];
        assert_eq!(write_lines(&lines, false), "LIKELY  no\n");
        assert_eq!(
            write_lines(&lines, true),
            "\u{1b}[1;32mLIKELY\u{1b}[0m  \u{1b}[1;31mno\u{1b}[0m\n"
        );
    }

    #[test]
    fn a_hostile_name_cannot_move_the_cursor() {
        let line = Line::of(Style::Plain, "a\u{1b}[2Jb\nc\u{202e}d");
        assert_eq!(write_lines(&[line], false), "a\u{fffd}[2Jb\u{fffd}c\u{fffd}d\n");
    }
}
