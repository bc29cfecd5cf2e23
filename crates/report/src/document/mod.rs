//! What is printed, apart from how: sections of tables, facts, paragraphs, verdicts and figures.
//!
//! A section is made once, by `section/*`, from what the report decided; every form of it, on a screen of fixed width, as Markdown, on
//! a page, is one file of `render/*`, which knows these types and nothing of runs. What only some forms have room for says so by its
//! [`Depth`]. Hints for the screen ([`At`], [`Screen`]) name columns; forms without columns leave them out.
//!
//! Not here: numbers. A cell holds the text that is printed.

mod block;
mod inline;
mod sheet;
mod table;

use serde::Serialize;

pub use block::{Answer, Block, Entry, Facts, Figure, Grade, List, Verdict};
pub use inline::{Inline, Span, Style, Svg};
pub use sheet::{Sheet, json};
pub use table::{AnnotatedTable, At, Cell, Column, OnScreen, Remarks, Row, Table};

/// How much room a form needs to show a thing: a form of a depth shows what is as deep or less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Depth {
    /// Shown in ten lines too.
    Brief,
    /// Shown by every form, the one screen too.
    #[default]
    Screen,
    /// Shown on a screen that says how each answer is known.
    Explained,
    /// Shown where text may be long.
    Text,
    /// Shown where pictures are.
    Page,
}

/// A section.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Section {
    /// Its name in links.
    pub id: &'static str,
    /// Its heading; empty where its first paragraph is one.
    pub title: String,
    /// Its heading where there is little room: on a screen, in capitals; empty for none.
    pub short: String,
    /// Which forms show it.
    pub depth: Depth,
    /// Whether a page begins with it: it says what the reader came for.
    pub leads: bool,
    /// What it says.
    pub blocks: Vec<Block>,
}

impl Section {
    /// A section with one heading for all forms.
    pub fn new(id: &'static str, title: impl Into<String>) -> Self {
        let title = title.into();
        Section { id, short: title.clone(), title, ..Section::default() }
    }

    /// With another heading where there is little room.
    #[must_use]
    pub fn short(mut self, short: impl Into<String>) -> Self {
        self.short = short.into();
        self
    }

    /// For deeper forms only.
    #[must_use]
    pub fn from(mut self, depth: Depth) -> Self {
        self.depth = depth;
        self
    }

    /// What a page begins with.
    #[must_use]
    pub fn leading(mut self) -> Self {
        self.leads = true;
        self
    }

    /// With these parts.
    #[must_use]
    pub fn with(mut self, blocks: impl IntoIterator<Item = Block>) -> Self {
        self.blocks.extend(blocks);
        self
    }
}

/// What could not be learned for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NotKnown {
    /// `wear of the drives`, one or several.
    pub whats: Vec<String>,
    /// What would show them; empty where nothing would.
    pub needs: String,
    /// Whether it stands before others, with what it needs however little room there is: somebody can grant it at once.
    pub first: bool,
}

impl NotKnown {
    /// `wear of the drives, firmware write cache (root)`.
    pub fn sentence(&self) -> String {
        let whats = self.whats.join(", ");
        if self.needs.is_empty() { whats } else { format!("{whats} ({})", self.needs) }
    }
}

/// The first lines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Head {
    /// Which forms show it.
    pub depth: Depth,
    /// What it is about: a machine.
    pub name: String,
    /// Product, run, time; the name is one of them.
    pub title: Vec<String>,
    /// What a reader must not overlook.
    pub warnings: Vec<String>,
    /// How much there is, and how much of it may be trusted.
    pub counts: String,
    /// More, a line each; a line that says so stands behind the one before where both fit.
    pub lines: Vec<(String, bool)>,
}

/// The last lines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Foot {
    /// What words and marks mean.
    pub legend: Vec<String>,
    /// What those of an explanation mean.
    pub explained: Vec<String>,
    /// Footnotes, each with its mark.
    pub notes: Vec<String>,
    /// What stands for many others where there is little room, and those others where there is more.
    pub brief: Vec<Inline>,
    /// See there.
    pub full: Vec<String>,
    /// What could not be learned.
    pub not_known: Vec<NotKnown>,
    /// Where all that has no room stands.
    pub all: String,
    /// Where to see more, a line each.
    pub more: Vec<Inline>,
    /// What made the document, and from what.
    pub made: Vec<Inline>,
}

/// A document.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Document {
    /// Its first lines.
    pub head: Head,
    /// Its sections, in order.
    pub sections: Vec<Section>,
    /// Its last lines.
    pub foot: Foot,
    /// What its pictures have in common.
    pub shared: Option<Svg>,
    /// Its figures, unrounded.
    pub sheet: Sheet,
    /// What it was made from, as JSON.
    pub json: String,
    /// Whether a page is an archive too, with that JSON inside.
    pub archive: bool,
}

impl Document {
    /// Sections alone: only a page has a head.
    pub fn of(sections: impl IntoIterator<Item = Section>) -> Self {
        let head = Head { depth: Depth::Page, ..Head::default() };
        Document { head, sections: sections.into_iter().collect(), ..Document::default() }
    }

    /// With a thing's values for programs.
    #[must_use]
    pub fn holding(self, thing: &(impl Serialize + ?Sized)) -> Self {
        let sheet = Sheet::of_values(&serde_json::to_value(thing).unwrap_or_default());
        Document { sheet, json: json(thing), ..self }
    }

    /// With a head for pages.
    #[must_use]
    pub fn headed(mut self, name: impl Into<String>, about: impl Into<String>) -> Self {
        self.head.name = name.into();
        self.head.title = vec![self.head.name.clone(), about.into()];
        self
    }
}
