//! Lines of a given width: the one place where the program breaks a text, for screens and for pictures.
//!
//! Not here: where lines begin, and how they look.

/// Columns of a text: what this program prints is one column a character.
pub fn width(text: &str) -> usize {
    text.chars().count()
}

/// Breaks a text at spaces into lines of at most `first` columns for the first and `rest` for the others. A
/// number stays with its unit; a piece longer than a line is cut, so that no line is ever too long. Never empty.
pub fn wrap(text: &str, first: usize, rest: usize) -> Vec<String> {
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
}
