//! Names of the server's, in quotes and without, and literals.

use crate::wire::one_line;

/// A literal of the server's, whatever `standard_conforming_strings` is; `None` where it can't be one.
pub(super) fn literal(text: &str) -> Option<String> {
    (!text.contains(['\\', '\0'])).then(|| format!("'{}'", text.replace('\'', "''")))
}

/// The name in quotes.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The name as PostgreSQL shows it, but for keywords.
pub(super) fn shown(name: &str) -> String {
    let first = |c: char| c.is_ascii_lowercase() || c == '_';
    let plain =
        name.starts_with(first) && name.chars().all(|c| first(c) || c.is_ascii_digit() || c == '$');
    one_line(&if plain { name.to_string() } else { quoted(name) })
}

/// Names between separators, without their quotes.
pub(super) fn split(names: &str, separator: char) -> Option<Vec<String>> {
    let mut found = Vec::new();
    let mut rest = names;
    loop {
        let (name, after) = name(rest.trim_start())?;
        found.push(name);
        let after = after.trim_start();
        if after.is_empty() {
            return Some(found);
        }
        rest = after.strip_prefix(separator)?;
    }
}

/// The name that a text begins with, without its quotes, and what follows.
pub(super) fn name(text: &str) -> Option<(String, &str)> {
    let Some(inside) = text.strip_prefix('"') else {
        let end = text
            .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
            .unwrap_or(text.len());
        let begins = text.starts_with(|c: char| c.is_alphabetic() || c == '_');
        return begins.then(|| (text[..end].to_string(), &text[end..]));
    };
    let (mut name, mut chars) = (String::new(), inside.char_indices().peekable());
    while let Some((at, c)) = chars.next() {
        match c {
            '"' if chars.next_if(|(_, next)| *next == '"').is_some() => name.push('"'),
            '"' => return Some((name, &inside[at + 1..])),
            c => name.push(c),
        }
    }
    None
}
