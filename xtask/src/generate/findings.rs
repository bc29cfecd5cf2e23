//! The book's pages of verdicts and findings: an entry for each, as `narrows explain` prints it.

use narrows_judge::explain::{Explanation, explain, words};

use super::Generated;

/// Their folder.
const FOLDER: &str = "docs/src/findings";

/// What is explained elsewhere: the metrics by `narrows explain`.
const NO_PAGE: &str = "Metrics";

/// A page for each kind of word.
///
/// # Errors
/// A word of the list has no explanation.
pub(super) fn files() -> anyhow::Result<Vec<Generated>> {
    let mut files = Vec::new();
    for group in words().into_iter().filter(|group| group.title != NO_PAGE) {
        let is_finding = !group.title.to_lowercase().contains("verdict");
        let mut text = format!("# {}\n\n", title(group.title, is_finding));
        text += "<!-- written by `cargo xtask docs` from crates/judge and crates/validity -->\n\n";
        text += if is_finding {
            "What each finding means, and what to do. `narrows explain FINDING` prints the same.\n"
        } else {
            "What each word means, and what to do. `narrows explain WORD` prints the same.\n"
        };
        for (id, _) in &group.words {
            for explanation in explain(id)?.iter().filter(|known| known.id == *id) {
                text += &entry(explanation);
            }
        }
        files.push(Generated::new(path(group.title), text));
    }
    Ok(files)
}

/// `docs/src/findings/the-clock.md`
fn path(title: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let words: String = title.chars().map(plain).collect();
    let words: Vec<&str> = words.split('-').filter(|word| !word.is_empty()).collect();
    format!("{FOLDER}/{}.md", words.join("-"))
}

fn title(group: &str, is_finding: bool) -> String {
    if is_finding { format!("Findings: {}", group.to_lowercase()) } else { group.to_string() }
}

fn entry(explanation: &Explanation) -> String {
    let mut text =
        format!("\n## {}\n\n{}.\n\n", explanation.id, plain(&capital(&explanation.title)));
    for (label, what) in &explanation.entries {
        text += &format!("- **{}**: {}\n", capital(label), plain(what));
    }
    text
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

/// Text without what Markdown takes for its own.
fn plain(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '<' | '*' | '[' | ']' | '|' | '\\') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}
