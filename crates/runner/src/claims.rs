//! Files of published claims, for `narrows check-claims`.

use std::path::Path;

use anyhow::Result;
use narrows_compare::claims::{CheckedClaim, Claim, check};
use serde::Deserialize;

use crate::failure::Failure;

/// Bytes.
const LONGEST: u64 = 4 << 20;
const SHAPE: &str = "a claim is [[claim]] with what, before, after, says, and unit where there is one (`%` for shares)";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    claim: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    what: String,
    before: f64,
    after: f64,
    says: String,
    #[serde(default)]
    unit: String,
}

/// Reads the claims of a file and checks each.
///
/// # Errors
/// The file can't be read, holds none, or one of them is none.
pub fn checked(path: &Path) -> Result<Vec<CheckedClaim>> {
    let refused = |why: String| Failure::hinted(format!("{}: {why}", path.display()), SHAPE);
    let bytes = narrows_files::read(path, LONGEST).map_err(|error| refused(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| refused("not a text".to_string()))?;
    let file: File = toml::from_str(&text).map_err(|error| {
        let line = error.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
        refused(format!("line {line}: {}", error.message()))
    })?;
    if file.claim.is_empty() {
        return Err(refused("no claim".to_string()));
    }
    let claims = file.claim.into_iter().map(|entry| {
        let Entry { what, before, after, says, unit } = entry;
        check(&Claim { what, before, after, unit, says }).map_err(&refused)
    });
    claims.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_checked_or_says_what_is_wrong_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("claims.toml");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            checked(&path).map_err(|error| crate::failure::render(&error))
        };
        let good = "[[claim]]\nwhat = \"rate\"\nbefore = 100\nafter = 120\nsays = \"20 % more\"\n";
        assert_eq!(read(good).unwrap().len(), 1);
        for (text, part) in [
            ("", "no claim"),
            ("[[claim]]\nwhat = 1\n", "line 2"),
            ("[[claim]]\nwhat = \"x\"\nbefore = 1\nafter = 2\nsays = \"more\"\n", "says no change"),
            ("[[claim]]\nwhat = \"x\"\nbefore = 1\nafter = 2\nsay = \"1 %\"\n", "unknown field"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(part) && error.contains("hint: a claim is"), "{error}");
        }
    }
}
