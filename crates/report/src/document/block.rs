//! Parts of a section: paragraphs, tables, labelled lines, lists, verdicts, pictures.

use super::{Depth, Inline, Style, Svg, Table};

/// A label and what is said under it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// A word.
    pub label: String,
    /// What is said.
    pub text: Inline,
    /// How many others it lies within, where entries are a tree.
    pub depth: usize,
}

impl Entry {
    /// Label and text.
    pub fn new(label: impl Into<String>, text: impl Into<Inline>) -> Self {
        Entry { label: label.into(), text: text.into(), depth: 0 }
    }
}

/// Labelled lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Them.
    pub entries: Vec<Entry>,
    /// How labels look.
    pub labels: Style,
    /// Where labels and texts begin on the screen.
    pub at: (usize, usize),
}

/// Sentences, one a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List {
    /// What stands before the first, and before each of the others on a screen; empty without any.
    pub lead: (String, String),
    /// The sentences.
    pub items: Vec<Inline>,
    /// Where they begin on the screen, and where their later lines do.
    pub at: (usize, usize),
}

impl List {
    /// Sentences without a lead.
    pub fn new(items: impl IntoIterator<Item = impl Into<Inline>>, at: usize) -> Self {
        let items = items.into_iter().map(Into::into).collect();
        List { lead: Default::default(), items, at: (at, at) }
    }
}

/// How sure a verdict is: the word as printed, and how it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grade {
    /// `CONFIRMED`.
    pub word: &'static str,
    /// Its look.
    pub style: Style,
}

/// What holds one workload back.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Verdict {
    /// The workload.
    pub name: String,
    /// Whether its measurement is suspect.
    pub suspect: bool,
    /// Why there is nothing to say; then only the name stands beside it.
    pub absent: Option<String>,
    /// The figure that was judged.
    pub rate: Inline,
    /// How far it is off.
    pub spread: String,
    /// Latency, or duration.
    pub latency: String,
    /// What holds it back, with footnotes.
    pub phrase: Inline,
    /// How sure; `None` where it is not judged.
    pub grade: Option<Grade>,
    /// Sum, test, next limits, why.
    pub reasons: Vec<Entry>,
    /// The sum in a picture, for forms that have such.
    pub picture: Vec<Block>,
}

/// What was asked, answered: a figure, the sentence that it stands in, and what is beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The figure; empty where the sentence says it.
    pub lead: Inline,
    /// Whether it is suspect.
    pub suspect: bool,
    /// The sentence.
    pub sentence: Inline,
    /// How sure; `None` where it is not judged.
    pub grade: Option<Grade>,
}

/// A picture with what it shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// What it shows.
    pub caption: Inline,
    /// How to read it.
    pub how: String,
    /// The picture.
    pub picture: Svg,
    /// Whether it needs the whole width.
    pub wide: bool,
}

impl Figure {
    /// A picture, what it shows, and how to read it.
    pub fn new(caption: impl Into<Inline>, how: impl Into<String>, picture: Svg) -> Self {
        Figure { caption: caption.into(), how: how.into(), picture, wide: false }
    }
}

/// A part of a section.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// A heading below the section's, in the forms that have such.
    Heading(Inline),
    /// A paragraph; on the screen its later lines begin so far from the edge.
    Paragraph(Inline, usize),
    /// A table.
    Table(Table),
    /// Labelled lines.
    Facts(Facts),
    /// Sentences.
    List(List),
    /// A verdict.
    Verdict(Box<Verdict>),
    /// An answer.
    Answer(Answer),
    /// Small pictures beside each other.
    Figures(Vec<Figure>),
    /// Lines as they stand.
    Verbatim(String),
    /// What is opened on demand, below its summary.
    Folded(Inline, Vec<Block>),
    /// Of several views of one thing the one that the reader chooses, the first to begin with: the name of the choice, and each view with
    /// its label. Of pages only.
    Views(String, Vec<(String, Vec<Block>)>),
    /// What only forms of this depth and deeper show.
    From(Depth, Vec<Block>),
    /// What deeper forms than this show in another way.
    Until(Depth, Vec<Block>),
    /// An empty line on a screen.
    Gap,
}

impl Block {
    /// A paragraph.
    pub fn paragraph(text: impl Into<Inline>) -> Self {
        Block::Paragraph(text.into(), 0)
    }

    /// A picture, what it shows, and how to read it.
    pub fn figure(caption: impl Into<Inline>, how: impl Into<String>, picture: Svg) -> Self {
        Block::Figures(vec![Figure::new(caption, how, picture)])
    }

    /// What a picture or a table shows, for forms with room.
    pub fn explanation(text: impl Into<Inline>) -> Self {
        let text: Inline = text.into();
        Block::From(Depth::Page, vec![Block::paragraph(text.all(Style::Faint))])
    }
}
