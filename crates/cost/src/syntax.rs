//! What TOML's own reader refuses, in words of the description: which key, what belongs there.

use narrows_plan::{PlanError, Source};

/// An error of TOML's reader with the key at which it stands; `whole` is what the file is, in words.
pub(crate) fn refused(source: Source<'_>, error: &toml::de::Error, whole: &str) -> PlanError {
    let at = error.span().unwrap_or(0..0);
    let message = error.message();
    let what = match key_at(source.text, at.start) {
        Some(key) => format!("the key `{key}`"),
        None => whole.to_string(),
    };
    if let Some((unknown, nearest)) = unknown(message) {
        let hint = match nearest {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => "the guide's page on costs lists the keys".to_string(),
        };
        return source.error(
            &at,
            whole,
            format!("`{unknown}` is not known here (unknown field)"),
            hint,
        );
    }
    // A value of none of the kinds that a figure may be of.
    if message.contains("untagged enum") {
        let why = "is no number, no range and not \"unknown\"";
        let hint = "write 15000, \"12000 to 18000\" or \"unknown\", without the currency";
        return source.error(&at, what, why, hint);
    }
    let hint = if message.contains("duplicate key") {
        "a key stands once in its table: drop one of both"
    } else if message.contains("expected a string") {
        "write it in quotes with its unit: \"50 %\", \"30 s\", \"512 GB\", \"20k/s\", \"2026-11\""
    } else if message.contains("expected a sequence") {
        "a table of which there may be several has two brackets: [[cost.item]]"
    } else {
        "the guide's page on costs lists the keys"
    };
    source.error(&at, what, message.to_string(), hint)
}

/// The key of the line at that place.
fn key_at(text: &str, at: usize) -> Option<&str> {
    let at = at.min(text.len());
    let start = text.get(..at)?.rfind('\n').map_or(0, |newline| newline + 1);
    let line = text.get(start..)?.lines().next()?;
    let key = line.split_once('=')?.0.trim();
    let plain = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    (!key.is_empty() && key.chars().all(plain)).then_some(key)
}

/// The field that is not known, and the nearest that is.
fn unknown(message: &str) -> Option<(&str, Option<&str>)> {
    let rest = message.strip_prefix("unknown field `")?;
    let (field, rest) = rest.split_once('`')?;
    // Expected ones stand in backquotes, every second part.
    let known = rest.split('`').skip(1).step_by(2);
    Some((field, narrows_limits::table::nearest(field, known)))
}
