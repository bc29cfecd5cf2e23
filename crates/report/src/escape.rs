//! Text that comes from a machine made harmless inside HTML.

use narrows_units::{shown, shown_json};

/// For element content and quoted attributes.
pub(crate) fn text(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    for c in shown(raw).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// The script element of a page that holds the JSON that it was made from ([`narrows_model::page_archive`]).
pub(crate) fn archive(raw: &str) -> String {
    narrows_model::page_archive::element(&shown_json(&json(raw)))
}

/// JSON for a script element: the same document, in which nothing can end the element or open a comment. These
/// characters occur in JSON only inside strings, where an escape means the same.
fn json(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    for c in raw.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                out.push_str(&format!("\\u{:04x}", c as u32));
            }
            c => out.push(c),
        }
    }
    out
}
