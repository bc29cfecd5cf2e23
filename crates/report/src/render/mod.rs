//! Forms of a document, one file each. They know documents and lines, and nothing of runs.
//!
//! A new form is a file here with a [`Form`] in it, and its place in [`FORMS`]; every command that prints a document has it then.

mod csv;
mod html;
mod json;
mod markdown;
mod text;

use narrows_units::{shown_json, shown_lines, shown_screen};

use crate::document::{Depth, Document};
pub use html::FORM as HTML;
pub use text::COLOURS;
pub use text::FORM as TEXT;

/// All forms, in the order in which they are offered.
pub const FORMS: [&Form; 5] = [&text::FORM, &json::FORM, &csv::FORM, &markdown::FORM, &html::FORM];

/// How a document is printed.
#[derive(Debug)]
pub struct Form {
    /// What it is asked for by.
    pub name: &'static str,
    /// What it is for, in some words.
    pub about: &'static str,
    /// How a file of it ends.
    pub extension: &'static str,
    /// What of a document it shows; nothing else need be made for it.
    pub shows: Shows,
    /// What passes it on its last step.
    filter: Filter,
    print: fn(&Document, Screen) -> String,
}

/// A part of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shows {
    /// Head, sections of that depth, and foot; a page has the JSON too.
    Sections(Depth),
    /// The sheet.
    Sheet,
    /// The JSON.
    Json,
}

/// What keeps a text from steering who shows it.
#[derive(Debug)]
enum Filter {
    /// Marks in the place of what steers.
    Marks,
    /// The same, but for colours of our own.
    MarksAndColours,
    /// Escapes, which mean the same.
    Escapes,
}

/// What a text is shown on.
#[derive(Debug, Clone, Copy)]
pub struct Screen {
    /// Columns; at least 80 and at most 120 are used.
    pub width: usize,
    /// Whether it shows colours.
    pub colour: bool,
    /// How much is to be said: up to [`Depth::Explained`].
    pub depth: Depth,
}

impl Screen {
    /// A hundred columns without colours.
    pub const PLAIN: Screen = Screen { width: 100, colour: false, depth: Depth::Screen };

    /// What of a document a form shows on it.
    pub fn shows(self, form: &Form) -> Shows {
        match form.shows {
            Shows::Sections(Depth::Screen) => Shows::Sections(self.depth),
            shows => shows,
        }
    }
}

/// The form of that name.
pub fn form(name: &str) -> Option<&'static Form> {
    FORMS.into_iter().find(|form| form.name == name)
}

/// The document in that form. Nothing that comes from outside moves a cursor or turns the direction of reading, whatever sections
/// did about it: every form passes the filter on its last step.
pub fn render(document: &Document, form: &Form, screen: Screen) -> String {
    let text = (form.print)(document, screen);
    match form.filter {
        Filter::Escapes => shown_json(&text).into_owned(),
        Filter::MarksAndColours if screen.colour => shown_screen(&text, &COLOURS).into_owned(),
        Filter::Marks | Filter::MarksAndColours => shown_lines(&text).into_owned(),
    }
}
