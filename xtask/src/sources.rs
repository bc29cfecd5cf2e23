//! Sources as rules about them see them: shipped code, without its tests and comments.

use std::path::Path;

use anyhow::{Context, Result};

use crate::text;

/// The Rust sources below `crates/` that are no tests: their paths from the root, and their texts.
///
/// # Errors
/// They can't be read.
pub fn shipped_sources(root: &Path) -> Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    text::walk(&root.join("crates"), &mut files).context("listing the crates")?;
    let mut sources = Vec::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "rs")) {
        let path = file.strip_prefix(root)?.to_string_lossy().into_owned();
        if path.contains("/src/") && !is_test(&path) {
            let source = std::fs::read_to_string(file).with_context(|| path.clone())?;
            sources.push((path, source));
        }
    }
    Ok(sources)
}

/// Whether a source is a test by its name.
pub fn is_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    path.contains("/tests/")
        || path.contains("_test/")
        || matches!(name, "tests.rs" | "testing.rs" | "test.rs")
        || name.ends_with("_test.rs")
        || name == "option_coverage.rs"
}

/// What comes before the tests of a file.
pub fn shipped(source: &str) -> impl Iterator<Item = &str> {
    let mut lines = source.lines().peekable();
    std::iter::from_fn(move || {
        let line = lines.next()?;
        let tests = line == "#[cfg(test)]"
            && lines.peek().is_some_and(|next| next.ends_with("mod tests {"));
        (!tests).then_some(line)
    })
}

/// Lines, by their numbers from 0, whose code has one of the words, standing by itself.
pub fn found<'a>(lines: &'a [&str], words: &'a [&str]) -> impl Iterator<Item = usize> + 'a {
    let holds = move |line: &str| {
        let code = line.split("//").next().unwrap_or_default();
        words.iter().any(|word| {
            // A method stands behind what it is called on.
            let own = |at: usize| {
                word.starts_with('.')
                    || !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
            };
            code.match_indices(word).any(|(at, _)| own(at))
        })
    };
    (0..lines.len()).filter(move |at| holds(lines[*at]))
}
