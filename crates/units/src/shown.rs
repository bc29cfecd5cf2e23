//! Text of anybody's making (a path, a server's name, a line of a job file) on its way to a terminal, a page or a file.
//!
//! One list of the characters that do more than stand there: the controls C0 and C1 (ECMA-48: they move the cursor, set colours,
//! answer back), and those of Unicode that turn the direction of reading or hide what follows (UAX #9 lists the former). Text,
//! tables and pages show U+FFFD in their place, one for one, so that columns stay; JSON escapes them and loses nothing.
//!
//! CSV has its escape here too, since three crates write it: a spreadsheet takes a cell that begins with `=` for a formula and
//! runs it (OWASP, "CSV Injection").
//!
//! Not here: what markup needs on top, as `<` on a page or `|` in Markdown.

use std::borrow::Cow;

/// What stands in the place of a character that steers.
const REPLACED: char = '\u{fffd}';

/// Whether a character moves the cursor, ends the line, turns the direction of reading, or hides text.
pub fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c,
            // Arabic letter mark, left-to-right and right-to-left marks.
            '\u{61c}' | '\u{200e}' | '\u{200f}'
            // Line and paragraph separators, embeddings and overrides.
            | '\u{2028}'..='\u{202e}'
            // Isolates and the deprecated format characters.
            | '\u{2066}'..='\u{206f}'
            // Interlinear annotations: text that belongs to other text and is not drawn.
            | '\u{fff9}'..='\u{fffb}'
            // Tags: a whole alphabet that is not drawn.
            | '\u{e0000}'..='\u{e007f}')
}

/// The text as a part of one line: nothing in it steers, and it is as many characters long.
pub fn shown(text: &str) -> Cow<'_, str> {
    replaced(text, |_| false)
}

/// Lines of text: as [`shown`], with their ends (`\n`, and `\r\n` as RFC 4180 has it) and tabs kept.
pub fn shown_lines(text: &str) -> Cow<'_, str> {
    shown_screen(text, &[])
}

/// As [`shown_lines`]; the sequences in `ours` stay, which are those that this program colours its own screen with.
pub fn shown_screen<'a>(text: &'a str, ours: &[&str]) -> Cow<'a, str> {
    replaced(text, |rest| {
        rest.starts_with(['\n', '\t'])
            || rest.starts_with("\r\n")
            || ours.iter().any(|sequence| rest.starts_with(sequence))
    })
}

/// A cell of CSV (RFC 4180): nothing in it steers, no spreadsheet takes it for a formula, and it is quoted where it must be.
/// Numbers, one or several with blanks between, stay as they are.
pub fn shown_cell(text: &str) -> String {
    /// With their fullwidth twins, which some spreadsheets take for the same. Tab and line ends are gone by then.
    const FORMULA: [char; 8] = ['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];
    let number =
        |word: &str| word.parse::<f64>().is_ok_and(f64::is_finite) && !word.starts_with('+');
    let text = shown(text);
    let mut cell = String::with_capacity(text.len());
    // Where a list's separator is `;`, a spreadsheet begins a new cell there, quoted or not.
    let mut begins = !text.split(' ').all(number);
    for c in text.chars() {
        if begins && FORMULA.contains(&c) {
            cell.push('\'');
        }
        begins = matches!(c, ';' | '|') || begins && matches!(c, ' ' | '"' | ',');
        cell.push(c);
    }
    match cell.contains(['"', ',', ';']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell,
    }
}

/// A JSON document in which what steers is escaped. Between its strings only line ends occur, and inside them an escape means
/// the same; so it is the same document.
pub fn shown_json(document: &str) -> Cow<'_, str> {
    let steers = |c: char| c != '\n' && steers(c);
    if !document.contains(steers) {
        return Cow::Borrowed(document);
    }
    let mut out = String::with_capacity(document.len() + 64);
    for c in document.chars() {
        if steers(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out += &format!("\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

fn replaced(text: &str, kept: impl Fn(&str) -> bool) -> Cow<'_, str> {
    let mut out = String::new();
    let mut done = 0;
    for (at, c) in text.char_indices().filter(|(_, c)| steers(*c)) {
        if !kept(&text[at..]) {
            out.push_str(&text[done..at]);
            out.push(REPLACED);
            done = at + c.len_utf8();
        }
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    Cow::Owned(out + &text[done..])
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "a\u{1b}[2J\u{9b}31m\u{7f}\r\u{61c}\u{200f}\u{202e}\u{2067}\u{e0041}b";

    #[test]
    fn nothing_steers_and_no_column_moves() {
        let text = shown(HOSTILE);
        assert!(!text.contains(steers), "{text:?}");
        assert_eq!(text.chars().count(), HOSTILE.chars().count());
        assert_eq!(shown("a\nb\tc"), "a\u{fffd}b\u{fffd}c");
    }

    #[test]
    fn lines_keep_their_ends_and_no_lone_return() {
        assert_eq!(shown_lines("a\r\nb\tc\rd\n"), "a\r\nb\tc\u{fffd}d\n");
        assert!(matches!(shown_lines("a\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn our_colours_stay_and_no_others() {
        let ours = ["\u{1b}[1m", "\u{1b}[0m"];
        let text = "\u{1b}[1mSURE\u{1b}[0m\u{1b}[8m\u{1b}]0;x\u{7}\n";
        let kept = "\u{1b}[1mSURE\u{1b}[0m\u{fffd}[8m\u{fffd}]0;x\u{fffd}\n";
        assert_eq!(shown_screen(text, &ours), kept);
    }

    #[test]
    fn no_cell_is_a_formula_and_numbers_stay() {
        for (text, cell) in [
            ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
            ("+1+cmd", "'+1+cmd"),
            ("-2+3", "'-2+3"),
            ("@SUM(A1,A2)", "\"'@SUM(A1,A2)\""),
            ("\t=1", "\u{fffd}=1"),
            ("\r=1", "\u{fffd}=1"),
            (" =1", " '=1"),
            ("x;=1", "\"x;'=1\""),
            ("x; =1", "\"x; '=1\""),
            ("a\";=1", "\"a\"\";'=1\""),
            ("a;-5", "\"a;'-5\""),
            ("\u{ff1d}1", "'\u{ff1d}1"),
            ("-5", "-5"),
            ("-1e-7", "-1e-7"),
            ("-1 -2.5 3", "-1 -2.5 3"),
            ("a\"b", "\"a\"\"b\""),
            ("", ""),
        ] {
            assert_eq!(shown_cell(text), cell, "{text:?}");
        }
    }

    #[test]
    fn letters_of_any_language_stay() {
        for text in ["Größe µ±×", "שלום", "مرحبا", "日本語", "👩\u{200d}🔬"] {
            assert_eq!(shown(text), text);
        }
    }

    #[test]
    fn json_is_escaped_and_means_the_same() {
        let document = serde_json::to_string_pretty(&[HOSTILE]).expect("a string") + "\n";
        let safe = shown_json(&document);
        assert!(!safe.replace('\n', "").contains(steers), "{safe:?}");
        let back: Vec<String> = serde_json::from_str(&safe).expect("the same document");
        assert_eq!(back, [HOSTILE]);
    }
}
