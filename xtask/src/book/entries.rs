//! Verdicts and findings have a page each in the book; their file of `docs/src/findings` holds a group of them, and its page leads
//! to theirs.

use std::path::{Path, PathBuf};

use super::escaped;

/// Of what files are cut.
const FOLDER: &str = "findings";

/// One verdict or finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// Its id, which is its title.
    pub(super) id: String,
    /// Below `docs/src`, were it a file of its own.
    pub(super) path: PathBuf,
    /// What it is, in one sentence.
    sentence: String,
    /// Its text, with a title.
    pub(super) text: String,
}

/// The entries of a file; none of one that is read as a whole.
pub(super) fn of(path: &Path, text: &str) -> Vec<Entry> {
    if !path.starts_with(FOLDER) {
        return Vec::new();
    }
    let entry = |part: &str| {
        let (id, rest) = part.split_once('\n').unwrap_or((part, ""));
        let sentence = rest.trim_start().lines().next().unwrap_or_default();
        Entry {
            id: id.to_string(),
            path: path.with_extension("").join(id).with_extension("md"),
            sentence: sentence.to_string(),
            text: format!("# {id}\n{}", one_folder_down(rest)),
        }
    };
    text.split("\n## ").skip(1).map(entry).collect()
}

/// Links to other pages, from a folder further down.
fn one_folder_down(text: &str) -> String {
    let mut moved = String::with_capacity(text.len());
    for (at, part) in text.split("](").enumerate() {
        let elsewhere = part.starts_with('#') || part.split(')').next().unwrap_or("").contains(':');
        moved += match at {
            0 => "",
            _ if elsewhere => "](",
            _ => "](../",
        };
        moved += part;
    }
    moved
}

/// The group's page: what it says before the first entry, and each of them with the way to its page.
pub(super) fn list(path: &Path, text: &str, entries: &[Entry]) -> String {
    let before = text.split("\n## ").next().unwrap_or_default();
    let folder = path.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
    let mut list = before.to_string();
    for Entry { id, sentence, .. } in entries {
        let word = escaped(id);
        list += &format!(
            "\n<h2 id=\"{word}\"><a href=\"{folder}/{word}.html\">{word}</a></h2>\n\n{sentence}\n"
        );
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_cut_into_its_entries_and_leads_to_them() {
        let text = "# Findings: WAL\n\nWhat each means.\n\n## one\n\nIt is one.\n\n- **Weight**: note\n\n## two\n\nIt is two.\n";
        let path = Path::new("findings/wal.md");
        let entries = of(path, text);
        assert_eq!(entries.len(), 2);
        assert_eq!(entries[0].path, Path::new("findings/wal/one.md"));
        assert_eq!(entries[0].text, "# one\n\nIt is one.\n\n- **Weight**: note\n");
        let list = list(path, text, &entries);
        assert!(list.starts_with("# Findings: WAL\n\nWhat each means.\n"), "{list}");
        assert!(
            list.contains("<h2 id=\"two\"><a href=\"wal/two.html\">two</a></h2>\n\nIt is two.\n")
        );
        assert!(!list.contains("Weight"));
        assert_eq!(of(Path::new("guide/faq.md"), text), []);
        assert_eq!(
            one_folder_down("[a](b.md#c), [d](../e.md), [f](https://g), [h](#i)"),
            "[a](../b.md#c), [d](../../e.md), [f](https://g), [h](#i)"
        );
    }
}
