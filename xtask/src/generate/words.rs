//! The tables and the list of the book's glossary, between two markers; the rest of the page is written by hand.

use anyhow::Result;
use narrows_judge::explain::{TERMS, Term};

use super::findings::plain;
use super::{Generated, between_markers};

const PAGE: &str = "docs/src/reference/words.md";

pub(super) fn file() -> Result<Generated> {
    between_markers(PAGE, "crates/judge", &page())
}

/// Terms that other manuals have too, beside each other; then what each term is.
fn page() -> String {
    let mut text = "| narrows | PostgreSQL | Oracle | fio | kernel |\n".to_string();
    text += "| --- | --- | --- | --- | --- |\n";
    for term in TERMS {
        let columns = term.elsewhere.columns().map(|(_, called)| called);
        if columns.iter().all(|called| called.is_empty()) {
            continue;
        }
        let cells =
            columns.map(|called| if called.is_empty() { "-".into() } else { plain(called) });
        text += &format!("| {} | {} |\n", plain(term.name), cells.join(" | "));
    }
    text += "\n## What each term means\n\n";
    text += &TERMS.iter().map(entry).collect::<String>();
    text
}

fn entry(term: &Term) -> String {
    let (page, title) = (term.page.path, term.page.title);
    let unit =
        if term.unit.is_empty() { String::new() } else { format!(" Unit: {}.", plain(term.unit)) };
    format!("- **{}**: {}.{unit} See [{title}](../{page}).\n", plain(term.name), plain(term.what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_glossary_has_each_term_and_leads_to_pages_of_the_book() {
        let text = page();
        let contents = std::fs::read_to_string(crate::root().join("docs/src/SUMMARY.md")).unwrap();
        for term in TERMS {
            assert!(text.contains(&format!("- **{}**: ", plain(term.name))), "{}", term.name);
            let listed = format!("[{}]({})", term.page.title, term.page.path);
            assert!(contents.contains(&listed), "{}: {listed} is not in the contents", term.name);
        }
        for term in ["\n| WAL flush | `IO:WALSync`", "| `iodepth` × `numjobs` |"] {
            assert!(text.contains(term), "{term}\n{text}");
        }
    }
}
