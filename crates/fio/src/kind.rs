//! The types that fio's options have, and how fio takes a value apart for each.

use crate::number::{KbBase, bytes_as_fio, time_as_fio};

/// fio's type of an option, as far as it decides how a value is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionType {
    /// One number with a size's unit; `size`, `loops`.
    Number,
    /// Up to three numbers for reads, writes and trims, with a comma between them; `bs`, `rate`.
    PerDirection,
    /// A time whose bare number is seconds.
    Seconds,
    /// A time whose bare number is microseconds.
    Microseconds,
    /// `0` or `1`, and a value is needed.
    Bool,
    /// `0`, `1` or nothing at all.
    Set,
    /// One of several words, perhaps with more after a colon.
    Choice,
    /// Any text.
    Text,
    /// Numbers with decimals and colons between them.
    Floats,
    /// Two sizes with a `-`, per direction.
    Range,
}

impl OptionType {
    /// Whether fio makes integers of its values.
    pub fn is_integer(self) -> bool {
        matches!(
            self,
            OptionType::Number
                | OptionType::PerDirection
                | OptionType::Seconds
                | OptionType::Microseconds
        )
    }

    /// The integers fio makes of a value, part by part, `None` for a part that it rejects; empty for other kinds.
    pub fn integers_as_fio(self, value: &str, base: KbBase) -> Vec<Option<i64>> {
        let one = |part: &str| {
            // fio looks at no more than this.
            let end = part.char_indices().map(|(at, _)| at).take_while(|at| *at <= 127).last();
            let part = if part.len() > 127 { &part[..end.unwrap_or(0)] } else { part };
            let part = part.split(',').next().unwrap_or_default();
            match self {
                OptionType::Number | OptionType::PerDirection if part.ends_with('z') => None,
                OptionType::Number | OptionType::PerDirection => bytes_as_fio(part, base),
                OptionType::Seconds => time_as_fio(part, true),
                _ => time_as_fio(part, false),
            }
        };
        if self.is_integer() { parts_as_fio(value).into_iter().map(one).collect() } else { vec![] }
    }
}

/// fio takes a number apart at commas, and where there is none left, at colons and hyphens.
pub(crate) fn parts_as_fio(value: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = value;
    loop {
        let comma = rest.find(',');
        let cut = comma.filter(|at| at + 1 == rest.len());
        if let Some(at) = cut {
            // A comma at the end says that the last type keeps its default.
            parts.push(&rest[..at]);
            parts.push("");
            return parts;
        }
        let at = comma.or_else(|| rest.find(':')).or_else(|| match rest.find('-') {
            Some(0) => rest[1..].find('-').map(|at| at + 1),
            other => other,
        });
        parts.push(rest);
        match at {
            Some(at) => rest = &rest[at + 1..],
            None => return parts,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_apart_as_in_fio() {
        let of = |text| OptionType::PerDirection.integers_as_fio(text, KbBase::Binary);
        assert_eq!(of("4k"), [Some(4096)]);
        assert_eq!(of("4k,8k"), [Some(4096), Some(8192)]);
        assert_eq!(of(",8k"), [None, Some(8192)]);
        assert_eq!(of("8k,32k,"), [Some(8192), Some(32768), None]);
        assert_eq!(of("4k-16k"), [Some(4096), Some(16384)]);
        assert_eq!(of("4k:8k"), [Some(4096), Some(8192)]);
        assert_eq!(of("-1"), [Some(-1)]);
        assert_eq!(of("4k,abc"), [Some(4096), None]);
        assert_eq!(of("4z"), [None]);
    }
}
