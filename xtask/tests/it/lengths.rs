//! A function holds one thought: none is longer than a screen or two.

use std::path::Path;

use xtask::{root, text};

const MOST_LINES: usize = 100;
const TREES: [&str; 4] = ["crates", "xtask", "tools", "fuzz"];

/// Functions of a source as rustfmt lays it out: name, first line from 1, number of lines. Each ends with the brace that stands as far
/// in as its `fn`.
fn functions(source: &str) -> Vec<(String, usize, usize)> {
    let lines: Vec<&str> = source.lines().collect();
    let mut functions = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(name) = named(line) else { continue };
        let indent = &line[..line.len() - line.trim_start().len()];
        let ends = |line: &&str| line.strip_prefix(indent).is_some_and(|rest| rest == "}");
        let declared = |line: &&str| line.starts_with(indent) && line.ends_with(';');
        let one_line = line.ends_with('}') || line.ends_with(';');
        let mut length = 1;
        if !one_line {
            let rest = &lines[at + 1..];
            let end = rest.iter().position(ends).unwrap_or(rest.len());
            // A function of a trait without a body, its arguments on lines of their own.
            let open = rest.iter().position(|line| line.ends_with('{')).unwrap_or(rest.len());
            let semicolon = rest.iter().position(declared).unwrap_or(rest.len());
            let bodiless = !line.ends_with('{') && semicolon < open.min(end);
            length += if bodiless { semicolon + 1 } else { end + 1 };
        }
        functions.push((name.to_string(), at + 1, length));
    }
    functions
}

fn named(line: &str) -> Option<&str> {
    let code = line.trim_start();
    let (before, rest) = code.split_once("fn ")?;
    let word = |word: &str| {
        word.starts_with("pub")
            || ["const", "async", "unsafe", "extern", "\"C\""].contains(&word)
            || word.ends_with(')')
    };
    if !before.split_whitespace().all(word) || (!before.is_empty() && !before.ends_with(' ')) {
        return None;
    }
    let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    (!name.is_empty()).then_some(name)
}

#[test]
fn no_function_is_longer_than_a_hundred_lines() {
    let mut files = Vec::new();
    TREES.iter().for_each(|tree| {
        text::walk(&root().join(tree), &mut files).expect("the sources can be listed");
    });
    files.retain(|file| file.extension().is_some_and(|end| end == "rs"));
    let (mut all, mut long) = (0, Vec::new());
    for file in files {
        let source = std::fs::read_to_string(&file).expect("source is text");
        let shown = file.strip_prefix(root()).unwrap_or(Path::new("")).display().to_string();
        for (name, line, length) in functions(&source) {
            all += 1;
            if length > MOST_LINES {
                long.push(format!("{shown}:{line}: {name} has {length} lines"));
            }
        }
    }
    assert!(all > 5000, "only {all} functions are found");
    assert!(long.is_empty(), "at most {MOST_LINES}:\n{}", long.join("\n"));
}

#[test]
fn a_function_is_measured_from_its_name_to_its_brace() {
    let source = "\
impl A {
    pub(super) const fn long(
        a: u8,
    ) -> u8 {
        match a {
            0 => 1,
        }
    }

    fn short(&self) {}
}
trait B {
    fn declared(
        &self,
    ) -> u8;
    /// See fn other.
    unsafe fn other() {
    }
}
";
    let found: Vec<_> = functions(source);
    let named = |name: &str, line, length| (name.to_string(), line, length);
    assert_eq!(
        found,
        [
            named("long", 2, 7),
            named("short", 10, 1),
            named("declared", 13, 3),
            named("other", 17, 2)
        ]
    );
}
