//! Lines of a terminal.

use crate::error::printable;

/// A word at the left, a text beside it, broken at spaces.
pub(super) fn paragraph(out: &mut String, word: &str, text: &str, width: usize) {
    const INDENT: usize = 16;
    let mut line = format!("{word:<INDENT$}");
    if word.chars().count() >= INDENT {
        push(out, &line);
        line = " ".repeat(INDENT);
    }
    for piece in printable(text).split(' ') {
        let length = line.chars().count();
        if length + piece.chars().count() > width && length > INDENT {
            push(out, &line);
            line = " ".repeat(INDENT);
        }
        line.push_str(piece);
        line.push(' ');
    }
    push(out, &line);
}

/// A line that keeps its indent; what is too long goes on below, deeper than it began.
pub(super) fn indented(out: &mut String, text: &str, width: usize) {
    let depth = text.chars().take_while(|c| *c == ' ').count();
    let mut line = " ".repeat(depth);
    let mut fresh = true;
    for piece in printable(text.trim_start()).split(' ') {
        if !fresh && line.chars().count() + piece.chars().count() > width {
            push(out, &line);
            line = " ".repeat(depth + 4);
        }
        line.push_str(piece);
        line.push(' ');
        fresh = false;
    }
    push(out, &line);
}

pub(super) fn push(out: &mut String, line: &str) {
    out.push_str(line.trim_end());
    out.push('\n');
}
