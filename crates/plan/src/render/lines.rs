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

pub(super) fn push(out: &mut String, line: &str) {
    out.push_str(line.trim_end());
    out.push('\n');
}
