//! What is wrong with a description before it has a meaning: its TOML, its keys, the kinds of its values.

use std::ops::Range;

use crate::error::{PlanError, Source};

const WHERE: &str = "the guide's page on plan shows what a description looks like";

/// The reader's error in words of who writes a description.
pub(crate) fn refused(source: Source<'_>, error: &toml::de::Error) -> PlanError {
    let at = error.span().unwrap_or(0..0);
    let message = error.message().trim().replace('\n', " ");
    let line = line(source.text, &at);
    let key = key(line);
    if let Some((found, expected)) = kinds(&message) {
        let why = format!("{} stands where {} belongs", found_in_words(found), wanted(expected));
        let what = key.unwrap_or(if line.starts_with('[') { line } else { "the file" });
        return source.error(&at, what, why, hint(key, line, expected));
    }
    if let Some(field) = message.strip_prefix("missing field ") {
        let what = match line.starts_with('[') {
            true => line.trim_end(),
            false => "the file",
        };
        let hint = format!("add {} = …; {WHERE}", field.trim_matches('`'));
        return source.error(&at, what, format!("has no {field}"), hint);
    }
    if message == "duplicate key" {
        let name = key.unwrap_or_else(|| line.trim_matches(['[', ']', ' ']));
        let hint = match line.starts_with('[') && !line.starts_with("[[") {
            true => format!("write [[{name}]] with two brackets for each of several"),
            false => "keep one of them".to_string(),
        };
        return source.error(&at, name, "stands twice", hint);
    }
    source.error(&at, "the file", message, WHERE)
}

/// The line in which a place is.
fn line<'a>(text: &'a str, at: &Range<usize>) -> &'a str {
    let start = text.get(..at.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or("").trim()
}

/// The key of a line `key = value`.
fn key(line: &str) -> Option<&str> {
    let (key, _) = line.split_once('=')?;
    let key = key.trim();
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    (!key.is_empty() && key.chars().all(plain)).then_some(key)
}

/// What was found and what was expected.
fn kinds(message: &str) -> Option<(&str, &str)> {
    message.strip_prefix("invalid type: ")?.split_once(", expected ")
}

fn found_in_words(found: &str) -> String {
    match found {
        "map" => "one table".to_string(),
        "sequence" => "a list".to_string(),
        _ => {
            let value = ["integer ", "floating point ", "boolean ", "string "]
                .iter()
                .find_map(|kind| found.strip_prefix(kind));
            value.unwrap_or(found).to_string()
        }
    }
}

fn wanted(expected: &str) -> &str {
    match expected {
        "a sequence" => "a list",
        "i64" => "a whole number",
        "f64" => "a number",
        "a string" => "text in quotes",
        "a boolean" => "true or false",
        _ if expected.starts_with("struct ") => "a table",
        other => other,
    }
}

fn hint(key: Option<&str>, line: &str, expected: &str) -> String {
    match (expected, key) {
        ("a sequence", Some(key)) => format!("write {key} = […], even for one"),
        ("a sequence", None) if line.starts_with('[') => {
            let name = line.trim_matches(['[', ']', ' ']);
            format!("write [[{name}]] with two brackets, even for one")
        }
        ("a string", Some(key)) => {
            format!("write {key} = \"…\"; a quantity stands in quotes with its unit, as \"85 us\"")
        }
        ("i64" | "f64", Some(key)) => format!("write {key} = 8, without quotes or unit"),
        ("a boolean", Some(key)) => format!("write {key} = true"),
        _ => WHERE.to_string(),
    }
}
