//! Where the program breaks lines and where it makes text harmless: in `narrows-units`, and nowhere a second time. Two places that do
//! it do it in two ways, and two filters let different things through.

use crate::sources::{is_test, shipped};

/// The crate with both.
const HOME: &str = "crates/units/src/";
/// Lines below the head of a loop over words that are looked through for columns.
const LOOP_LINES: usize = 12;
/// How words of a text are taken one after the other.
const WORDS: [&str; 3] = [".split(' ')", ".split_whitespace()", ".split_inclusive(' ')"];
/// How columns are counted.
const COLUMNS: [&str; 2] = [".chars().count()", "width("];
/// Marks in the place of what steers.
const FILTERS: [&str; 3] = ["replace(char::is_control", "'\\u{fffd}'", "\"\\u{fffd}\""];

/// Lines of a shipped source that break a text into lines of a width, or make text harmless, by themselves.
pub fn second_ways(path: &str, source: &str) -> Vec<usize> {
    if path.starts_with(HOME) || is_test(path) {
        return Vec::new();
    }
    let lines: Vec<&str> =
        shipped(source).map(|line| line.split("//").next().unwrap_or_default()).collect();
    let has = |line: &str, words: &[&str]| words.iter().any(|word| line.contains(word));
    let breaks = |at: usize| {
        let within = lines[at..].iter().take(LOOP_LINES);
        lines[at].trim_start().starts_with("for ")
            && has(lines[at], &WORDS)
            && within.skip(1).any(|line| has(line, &COLUMNS))
    };
    let wrong = |at: &usize| breaks(*at) || has(lines[*at], &FILTERS);
    (0..lines.len()).filter(wrong).map(|at| at + 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "crates/cli/src/x.rs";

    #[test]
    fn a_second_wrap_is_found() {
        let wrap = "fn f() {\n    for word in text.split(' ') {\n        let long = word.chars().count();\n";
        assert_eq!(second_ways(PATH, wrap), [2]);
        assert_eq!(second_ways("crates/units/src/wrap.rs", wrap), [] as [usize; 0]);
        let reads = "for word in text.split(' ') {\n    words.push(word);\n}\n";
        assert_eq!(second_ways(PATH, reads), [] as [usize; 0]);
    }

    #[test]
    fn a_second_filter_is_found() {
        for line in ["let text = text.replace(char::is_control, mark);", "out.push('\\u{fffd}');"] {
            assert_eq!(second_ways(PATH, line), [1], "{line}");
        }
        assert_eq!(second_ways(PATH, "// shown as '\\u{fffd}'"), [] as [usize; 0]);
    }
}
