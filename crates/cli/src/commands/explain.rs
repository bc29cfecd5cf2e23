//! `narrows explain`: what a word of a report means.

use anyhow::Result;
use narrows_judge::explain::{Explanation, Words, explain as explained, words};
use narrows_report::{Explained, WordList};

use crate::args::words::ExplainArgs;
use crate::{Exit, output};

/// Prints what is known of the word, or all words.
pub fn explain(args: &ExplainArgs) -> Result<Exit> {
    let document = if args.words.is_empty() {
        let list = |list: Words| WordList { title: list.title.to_string(), words: list.words };
        narrows_report::word_lists(&words().into_iter().map(list).collect::<Vec<_>>())
    } else {
        let told = |found: Explanation| {
            let entries = found.entries.into_iter().map(|(label, text)| (label.to_string(), text));
            Explained { word: found.id, title: found.title, entries: entries.collect() }
        };
        let found = explained(&args.words.join(" "))?;
        narrows_report::explained(&found.into_iter().map(told).collect::<Vec<_>>())
    };
    output::document(&document, args.format)?;
    Ok(Exit::Done)
}
