//! Words of a report and what they mean, without a run.

use serde::Serialize;

use crate::document::{
    At, Block, Column, Depth, Document, Entry, Facts, Row, Section, Style, Table,
};

/// A word and what there is to say of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explained {
    /// The word.
    pub word: String,
    /// What it is in a line.
    pub title: String,
    /// A label and its text each.
    pub entries: Vec<(String, String)>,
}

/// Words of one kind, each with what it is in a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WordList {
    /// What they are.
    pub title: String,
    /// Word and line.
    pub words: Vec<(String, String)>,
}

/// All that are called by one word.
pub fn explained(of: &[Explained]) -> Document {
    let section = |of: &Explained| {
        let entries = of.entries.iter().map(|(label, text)| Entry::new(label, text.as_str()));
        let facts = Facts { entries: entries.collect(), labels: Style::Plain, at: (2, 16) };
        let title = format!("{}: {}", of.word, of.title);
        // A word that is typed again is no heading in capitals.
        let heading = Block::Until(Depth::Screen, vec![Block::Heading(title.as_str().into())]);
        Section::new("", title).short("").with([heading, Block::Facts(facts)])
    };
    let word = of.first().map_or("", |of| of.word.as_str());
    Document::of(of.iter().map(section)).headed(word, "what it means").holding(of)
}

/// All words that can be explained.
pub fn word_lists(lists: &[WordList]) -> Document {
    let section = |list: &WordList| {
        let columns =
            vec![Column::name("", 2), Column::words("", At::Wrapped(40, 60)).under_title()];
        let rows = list.words.iter().map(|(word, line)| {
            Row::Cells(vec![word.as_str().into(), line.as_str().into()], Vec::new())
        });
        let table = Table { rows: rows.collect(), ..Table::new(columns) };
        Section::new("", list.title.as_str()).with([Block::Table(table)])
    };
    Document::of(lists.iter().map(section)).headed("Words", "what reports say").holding(lists)
}
