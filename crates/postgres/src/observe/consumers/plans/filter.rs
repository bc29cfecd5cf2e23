//! Which columns a plan's filter compares with parameters.

use super::names::name;

/// Columns that a filter compares with parameters for equality, where it does nothing else: as the server writes one, `(a = $1)` or
/// `((t.a = $1) AND ((t.b)::text = $2))`. `None` where a doubt is left.
pub(super) fn equal_columns(filter: &str) -> Option<Vec<String>> {
    let inside = inside(filter)?;
    let mut columns = Vec::new();
    let mut rest = inside;
    if !rest.starts_with('(') || term(inside).is_some() {
        return term(inside).map(|column| vec![column]);
    }
    loop {
        let end = closing(rest)?;
        let column = term(&rest[1..end])?;
        if !columns.contains(&column) {
            columns.push(column);
        }
        rest = &rest[end + 1..];
        if rest.is_empty() {
            return Some(columns);
        }
        rest = rest.strip_prefix(" AND ")?;
    }
}

/// What is between the parentheses that a text begins and ends with.
fn inside(text: &str) -> Option<&str> {
    let end = closing(text)?;
    (end + 1 == text.len()).then(|| &text[1..end])
}

/// Where the parenthesis ends that a text begins with.
fn closing(text: &str) -> Option<usize> {
    if !text.starts_with('(') {
        return None;
    }
    let (mut depth, mut in_name) = (0, false);
    for (at, c) in text.char_indices() {
        match c {
            '"' => in_name = !in_name,
            '(' if !in_name => depth += 1,
            ')' if !in_name => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The column of `t.a = $1`, `(t.a)::text = $1`, `a = ANY ($1)`.
fn term(text: &str) -> Option<String> {
    let (column, after) = match closing(text) {
        Some(end) => (&text[1..end], text[end + 1..].strip_prefix("::text")?),
        None => {
            let (_, after) = column(text)?;
            (&text[..text.len() - after.len()], after)
        }
    };
    let (name, rest) = self::column(column)?;
    let value = after.strip_prefix(" = ")?;
    let value = value.strip_prefix("ANY ").and_then(inside).unwrap_or(value);
    (rest.is_empty() && is_value(value)).then_some(name)
}

/// The column's name that a text begins with, and what follows.
fn column(text: &str) -> Option<(String, &str)> {
    let (first, after) = name(text)?;
    match after.strip_prefix('.') {
        Some(after) => name(after),
        None => Some((first, after)),
    }
}

/// `$1`, `?`, each with a cast or without.
fn is_value(text: &str) -> bool {
    let text = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')).unwrap_or(text);
    let (value, cast) = text.split_once("::").unwrap_or((text, "text"));
    let digits = value.strip_prefix('$');
    let parameter = digits.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    let type_name = |c: char| c.is_alphanumeric() || "_ []\".".contains(c);
    (parameter || value == "?") && cast.chars().all(type_name)
}

#[cfg(test)]
#[path = "filter_test.rs"]
mod tests;
