//! Where the table leaves this crate: as in [`crate::outputs`], with the filter at the end.

use narrows_units::{shown_json, shown_lines};

use super::Shown;

fn plain(text: String) -> String {
    shown_lines(&text).into_owned()
}

/// The table and the published measurements as CSV.
pub fn csv(shown: &Shown<'_>) -> String {
    plain(super::csv::csv(shown))
}

/// One class after the other with all that is known of it, 100 columns.
pub fn detail(shown: &Shown<'_>) -> String {
    plain(super::detail::detail(shown))
}

/// The classes and their measurements as one JSON document; units are the last part of each key or its neighbour's.
pub fn json(shown: &Shown<'_>) -> String {
    shown_json(&super::document(shown)).into_owned()
}

/// Aligned text, 100 columns.
pub fn list(shown: &Shown<'_>) -> String {
    plain(super::list::list(shown))
}

/// Headings of the second level, a table and a list of sources each.
pub fn markdown(shown: &Shown<'_>) -> String {
    plain(super::markdown::markdown(shown))
}
