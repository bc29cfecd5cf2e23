//! Values of a file with their line, checked one by one.

use std::ops::Range;

use toml::Spanned;

use super::entry::{Cited, Document, Quantity};
use super::error::{TEXT_BYTES_MAX, TableError, line_of};
use super::figure::Figure;
use super::quantity::{self, Dimension};

/// The longest name, title or source, characters.
const TEXT_CHARS_MAX: usize = 400;
/// The longest id, characters.
const ID_CHARS_MAX: usize = 64;

/// A file under the eyes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reader<'a> {
    pub file: &'a str,
    pub text: &'a str,
}

impl<'a> Reader<'a> {
    /// The whole file as entries.
    pub fn document(self) -> Result<Document, TableError> {
        if self.text.len() > TEXT_BYTES_MAX {
            return Err(TableError {
                file: self.file.to_string(),
                line: 1,
                key: None,
                reason: format!("{} bytes are more than a table of limits has", self.text.len()),
                hint: format!("give a file of at most {TEXT_BYTES_MAX} bytes"),
            });
        }
        toml::from_str(self.text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            self.error(
                start..start,
                None,
                error.message().to_string(),
                "`narrows limits --help` names the page that shows the format".to_string(),
            )
        })
    }

    /// An error at a place.
    pub fn error(
        self,
        at: Range<usize>,
        key: Option<String>,
        reason: String,
        hint: String,
    ) -> TableError {
        let line = line_of(self.text, at.start);
        TableError { file: self.file.to_string(), line, key, reason, hint }
    }

    /// An id: what can be typed without quotes.
    pub fn id(self, id: &Spanned<String>) -> Result<&str, TableError> {
        self.id_of(id, id.get_ref())
    }

    /// An id in which `{lanes}` may stand for a number.
    pub fn pattern(self, id: &Spanned<String>) -> Result<&str, TableError> {
        self.id_of(id, &id.get_ref().replacen("{lanes}", "0", 1))?;
        Ok(id.get_ref())
    }

    fn id_of<'b>(self, id: &Spanned<String>, text: &'b str) -> Result<&'b str, TableError> {
        let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c);
        if text.is_empty() || text.len() > ID_CHARS_MAX || !text.chars().all(allowed) {
            return Err(self.error(
                id.span(),
                Some("id".to_string()),
                format!("`{}` is no id", id.get_ref()),
                format!("at most {ID_CHARS_MAX} of a-z, 0-9, - and ., as in nvme-gen5-x4"),
            ));
        }
        Ok(text)
    }

    /// A title or source: one line that says something.
    pub fn line(self, id: &str, key: &str, text: &Spanned<String>) -> Result<String, TableError> {
        let trimmed = text.get_ref().trim();
        let bad = trimmed.is_empty()
            || trimmed.chars().count() > TEXT_CHARS_MAX
            || trimmed.contains(narrows_units::steers);
        if bad {
            return Err(self.error(
                text.span(),
                Some(format!("{id}: {key}")),
                "is empty, longer than a paragraph, or has control characters".to_string(),
                "a limit without a source isn't printed: say in one line where it comes from"
                    .to_string(),
            ));
        }
        Ok(trimmed.to_string())
    }

    /// A quantity without its source.
    pub fn range(
        self,
        id: &str,
        key: &str,
        quantity: &Quantity,
        dimension: Dimension,
    ) -> Result<(f64, f64), TableError> {
        quantity::parse(quantity.get_ref(), dimension).map_err(|reason| {
            self.error(
                quantity.span(),
                Some(format!("{id}: {key}")),
                reason,
                format!("write it as \"{}\"", dimension.example()),
            )
        })
    }

    /// A quantity that has one value.
    pub fn exact(
        self,
        id: &str,
        key: &str,
        quantity: &Quantity,
        dimension: Dimension,
    ) -> Result<f64, TableError> {
        let (low, high) = self.range(id, key, quantity, dimension)?;
        if low == high {
            return Ok(low);
        }
        Err(self.error(
            quantity.span(),
            Some(format!("{id}: {key}")),
            "is a range, and one value is needed".to_string(),
            format!("write it as \"{}\"", dimension.example()),
        ))
    }

    /// A quantity with its source.
    pub fn figure(
        self,
        id: &str,
        key: &str,
        quantity: &Quantity,
        dimension: Dimension,
        cited: Cited<'_>,
    ) -> Result<Figure, TableError> {
        let (low, high) = self.range(id, key, quantity, dimension)?;
        let source = self.line(id, "source", cited.source)?;
        Ok(Figure { low, high, source, grade: cited.grade })
    }

    /// A whole number within bounds.
    pub fn count(
        self,
        id: &str,
        key: &str,
        value: u32,
        at: Range<usize>,
        within: (u32, u32),
    ) -> Result<u32, TableError> {
        if (within.0..=within.1).contains(&value) {
            return Ok(value);
        }
        Err(self.error(
            at,
            Some(format!("{id}: {key}")),
            format!("{value} is not within {} to {}", within.0, within.1),
            "check the figure against the data sheet".to_string(),
        ))
    }
}
