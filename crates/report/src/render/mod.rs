//! Forms of a document, one file each. They know documents and lines, and nothing of runs.
//!
//! A new form is a file here and an arm in [`render`].

mod csv;
mod html;
mod json;
pub(crate) mod markdown;
pub(crate) mod text;

use narrows_units::{shown_lines, shown_screen};

use crate::document::{Document, Section};
use crate::layout::COLOURS;
pub(crate) use html::embedded_json;

/// How a document is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Aligned text, every line at most `width` columns (100 at least, 120 at most).
    Text {
        /// Of the terminal.
        width: usize,
        /// Whether it shows colours.
        colour: bool,
    },
    /// GitHub-flavoured Markdown.
    Markdown,
    /// Figures in base units, a row each (RFC 4180).
    Csv,
    /// What it was made from.
    Json,
    /// A page that can be read anywhere.
    Html,
}

/// The document in that form. Nothing that comes from outside moves a cursor or turns the direction of reading, whatever sections
/// did about it: every form passes the filter on its last step.
pub fn render(document: &Document, form: Form) -> String {
    match form {
        Form::Text { width, colour } => coloured(&text::document(document, width, colour), colour),
        Form::Markdown => plain(&markdown::document(document)),
        Form::Csv => plain(&csv::document(document)),
        Form::Json => json::document(document),
        Form::Html => plain(&html::document(document)),
    }
}

/// A section without a document, on a screen.
pub(crate) fn alone(section: &Section, width: usize, colour: bool) -> String {
    coloured(&text::alone(section, width, colour), colour)
}

fn plain(text: &str) -> String {
    shown_lines(text).into_owned()
}

fn coloured(text: &str, colour: bool) -> String {
    let ours: &[&str] = if colour { &COLOURS } else { &[] };
    shown_screen(text, ours).into_owned()
}
