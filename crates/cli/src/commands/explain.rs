//! `narrows explain`: what a word of a report means.

use anyhow::Result;
use narrows_judge::explain::{explain as explained, words};
use narrows_report::{Explained, WordList};

use crate::args::words::ExplainArgs;
use crate::{Exit, output};

/// Prints what is known of the word, or all words.
pub fn explain(args: &ExplainArgs) -> Result<Exit> {
    let document = if args.words.is_empty() {
        let list = |list: narrows_judge::explain::Words| WordList {
            title: list.title.to_string(),
            words: list.words,
        };
        narrows_report::word_lists(&words().into_iter().map(list).collect::<Vec<_>>())
    } else {
        let found = explained(&args.words.join(" "))?;
        let entries = found.entries.into_iter().map(|(label, text)| (label.to_string(), text));
        narrows_report::explained(&Explained {
            word: found.id,
            title: found.title,
            entries: entries.collect(),
        })
    };
    output::document(&document, args.format)?;
    Ok(Exit::Done)
}
