//! Figures as the sentences have them.

use narrows_units::{Bytes, Nanos, Ratio, si, significant};

/// `31 %`
pub(crate) fn percent(share: f64) -> String {
    Ratio(share).to_string()
}

/// `12`, `0.52`, `56.6k`
pub(crate) fn count(n: f64) -> String {
    if n < 1000.0 && n == n.round() {
        return format!("{n:.0}");
    }
    let (digits, prefix) = si(n);
    format!("{digits}{prefix}")
}

/// Sessions: `4`, `0.52`, `11.3`.
pub(crate) fn sessions(n: f64) -> String {
    if (n - n.round()).abs() < 0.05 { format!("{n:.0}") } else { significant(n, 3) }
}

/// `1 session waits`, `3.10 sessions wait`
pub(crate) fn sessions_that(n: f64, one: &str, more: &str) -> String {
    match sessions(n) {
        only if only == "1" => format!("1 session {one}"),
        many => format!("{many} sessions {more}"),
    }
}

/// `1 session`, `12 sessions`
pub(crate) fn whole_sessions(n: usize) -> String {
    if n == 1 { "1 session".to_string() } else { format!("{n} sessions") }
}

/// `2.69 GB`
pub(crate) fn bytes(n: f64) -> String {
    Bytes(n.max(0.0) as u64).to_string()
}

/// `26.0 s`, `12 min`, `3.0 h`
pub(crate) fn age(ns: f64) -> String {
    let minutes = ns / 60e9;
    match minutes {
        m if m < 2.0 => Nanos(ns.max(0.0) as u64).to_string(),
        m if m < 120.0 => format!("{} min", significant(m, 2)),
        m if m < 2880.0 => format!("{} h", significant(m / 60.0, 2)),
        m => format!("{} days", significant(m / 1440.0, 2)),
    }
}

/// Characters of a statement's text in a sentence.
const QUOTED: usize = 120;

/// A statement's text for a sentence, cut.
pub(crate) fn excerpt(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.to_string(),
    }
}

/// Parts of a sentence that are known, separated by semicolons.
pub(crate) fn joined(parts: impl IntoIterator<Item = Option<String>>) -> String {
    let known: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    known.join("; ")
}
