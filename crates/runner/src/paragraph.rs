//! Sentences on a screen of a hundred columns.

use narrows_units::wrap;

const COLUMNS: usize = 100;

/// The sentence in lines that begin at column `indent`, the later ones two columns further right.
pub fn wrapped(sentence: &str, indent: usize) -> Vec<String> {
    let room = COLUMNS - indent - 2;
    let lines = wrap(sentence, room, room);
    let start = |at: usize| " ".repeat(if at == 0 { indent } else { indent + 2 });
    lines.iter().enumerate().map(|(at, line)| format!("{}{line}", start(at))).collect()
}

/// The same as a text with line ends.
pub fn paragraph(sentence: &str) -> String {
    wrapped(sentence, 0).join("\n") + "\n"
}

/// Several of them.
pub fn paragraphs(sentences: &[String]) -> String {
    sentences.iter().map(|sentence| paragraph(sentence)).collect()
}

/// `1 process`, `2 processes`.
pub fn counted(n: usize, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {many}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_longer_than_the_screen_and_no_word_is_lost() {
        let sentence = "a word and another one ".repeat(20);
        for indent in [0, 2] {
            let lines = wrapped(&sentence, indent);
            assert!(lines.len() > 2 && lines.iter().all(|line| line.chars().count() <= COLUMNS));
            let words =
                |text: &str| text.split_whitespace().map(str::to_string).collect::<Vec<_>>();
            assert_eq!(words(&lines.join(" ")), words(&sentence));
        }
    }
}
