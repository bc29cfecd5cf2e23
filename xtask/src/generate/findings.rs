//! The book's pages of verdicts and findings: an entry for each, as `narrows explain` prints it.

use narrows_judge::explain::{
    CAUSES, CONDITIONS, Explanation, GLOSSARY, METRICS, explain, lower_case, words,
};

use super::Generated;

/// Their folder.
const FOLDER: &str = "docs/src/findings";

/// What is explained elsewhere: the terms by the glossary, the metrics by `narrows explain`.
const NO_PAGE: [&str; 4] = [GLOSSARY, METRICS, CAUSES, CONDITIONS];

/// A page for each kind of word.
///
/// # Errors
/// A word of the list has no explanation.
pub(super) fn files() -> anyhow::Result<Vec<Generated>> {
    let mut files = Vec::new();
    for group in words().into_iter().filter(|group| !NO_PAGE.contains(&group.title)) {
        let is_finding = !group.title.to_lowercase().contains("verdict");
        let mut text = format!("# {}\n\n", title(group.title, is_finding));
        text += "<!-- written by `cargo xtask docs` from crates/judge and crates/validity -->\n\n";
        text += if is_finding {
            "What each finding means, and what to do. `narrows explain FINDING` prints the same.\n"
        } else {
            "What each word means, and what to do. `narrows explain WORD` prints the same.\n"
        };
        for (id, line) in &group.words {
            // Not what else has this name: a term, a metric.
            let of_group = |known: &&Explanation| known.id == *id && known.title == *line;
            for explanation in explain(id)?.iter().filter(of_group) {
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
    if is_finding { format!("Findings: {}", lower_case(group)) } else { group.to_string() }
}

fn entry(explanation: &Explanation) -> String {
    let mut text =
        format!("\n## {}\n\n{}.\n\n", explanation.id, plain(&capital(&explanation.title)));
    for (label, what) in &explanation.entries {
        text += &format!("- **{}**: {}\n", capital(label), plain(what));
    }
    text
}

/// With a capital first letter, unless it begins with the name of a setting or interface.
fn capital(text: &str) -> String {
    let first = text.split(' ').next().unwrap_or_default();
    if first.contains('_') || first == "fsync" {
        return text.to_string();
    }
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

/// Text without what Markdown takes for its own; code between back quotes stays as it is.
pub(super) fn plain(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut is_code = false;
    for c in text.chars() {
        is_code ^= c == '`';
        if !is_code && matches!(c, '<' | '*' | '[' | ']' | '|' | '\\') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_between_back_quotes_is_not_escaped() {
        assert_eq!(plain("`*.test.*` or a*b"), "`*.test.*` or a\\*b");
    }

    #[test]
    fn a_page_has_its_own_group_alone_and_settings_keep_their_case() {
        let files = files().unwrap();
        let page = |name: &str| {
            let file = files.iter().find(|file| file.path.ends_with(name));
            &file.unwrap_or_else(|| panic!("{name} is not made")).text
        };
        assert!(page("wal.md").starts_with("# Findings: WAL\n"));
        assert!(page("wal.md").contains("\nfsync is off: "));
        assert_eq!(page("disturbance.md").matches("\n## steal\n").count(), 1);
        assert!(files.iter().all(|file| !file.text.contains("..\n")), "two full stops");
    }
}
