//! Reading one value: names of classes, quantities with units and sources, counts within bounds.

use narrows_limits::table::{
    Class, Dimension, Family, Figure, Grade, Table, nearest, parse_quantity,
};

use crate::entry::{Text, Whole};
use crate::error::{PlanError, Source};

/// The longest name, characters.
const NAME_CHARS_MAX: usize = 40;
/// The longest source, characters.
const SOURCE_CHARS_MAX: usize = 400;
/// More of one part than any machine has.
pub(crate) const COUNT_MAX: i64 = 10_000;
/// More requests than any database keeps waiting at once.
const IN_FLIGHT_MAX: i64 = 1_000_000;

/// The file and the table, and what values are read with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader<'a> {
    pub source: Source<'a>,
    pub table: &'a Table,
}

impl Reader<'_> {
    /// A name: short, printable, and nothing that could be taken for something else.
    pub fn name(self, of: &str, name: &Text) -> Result<String, PlanError> {
        let text = name.get_ref();
        let allowed = |c: char| c.is_alphanumeric() || "-_.+".contains(c);
        if !text.is_empty() && text.chars().count() <= NAME_CHARS_MAX && text.chars().all(allowed) {
            return Ok(text.clone());
        }
        let hint = format!("at most {NAME_CHARS_MAX} letters, digits, - _ . +");
        let why = format!("`{text}` is no name");
        Err(self.source.error(&name.span(), format!("{of}: name"), why, hint))
    }

    /// Prose on one line.
    pub fn prose(self, what: &str, text: &Text) -> Result<String, PlanError> {
        let trimmed = text.get_ref().trim();
        let long = trimmed.chars().count() > SOURCE_CHARS_MAX;
        if trimmed.is_empty() || long || trimmed.contains(narrows_units::steers) {
            let why = "is empty, longer than a paragraph, or has control characters";
            let hint = "write one line of plain text";
            return Err(self.source.error(&text.span(), what, why, hint));
        }
        Ok(trimmed.to_string())
    }

    /// A class of one of these families.
    pub fn class(self, what: &str, id: &Text, families: &[Family]) -> Result<Class, PlanError> {
        let name = id.get_ref();
        let refuse = |why: String, hint: String| {
            Err(self.source.error(&id.span(), format!("{what} `{name}`"), why, hint))
        };
        let words: Vec<&str> = families.iter().map(|family| family.name()).collect();
        let Some(class) = self.table.class(name) else {
            let fits = self.table.classes().filter(|class| families.contains(&class.family));
            let hint = match nearest(name, fits.map(|class| class.id.as_str())) {
                Some(nearest) => format!("did you mean `{nearest}`?"),
                None => format!("`narrows limits {}` lists what belongs here", words.join(" ")),
            };
            return refuse("no class has that name".to_string(), hint);
        };
        if families.contains(&class.family) {
            return Ok(class.clone());
        }
        let why = format!("that is a class of \"{}\"", class.family.title().to_lowercase());
        refuse(why, format!("`narrows limits {}` lists what belongs here", words.join(" ")))
    }

    /// A quantity by hand, with the source that stands beside it.
    pub fn figure(
        self,
        what: &str,
        text: &Option<Text>,
        dimension: Dimension,
        source: &Option<Text>,
    ) -> Result<Option<Figure>, PlanError> {
        let Some(text) = text else { return Ok(None) };
        let (low, high) = self.range(what, text, dimension)?;
        let Some(source) = source else {
            let hint = "add source = \"…\": where the figure comes from, in one line";
            let why = "a figure by hand needs its source";
            return Err(self.source.error(&text.span(), what, why, hint));
        };
        let source = self.prose(&format!("{what}: source"), source)?;
        Ok(Some(Figure { low, high, source, grade: Grade::Inferred }))
    }

    /// A quantity by hand that needs one value; what is known of its source stands elsewhere.
    pub fn value(
        self,
        what: &str,
        text: &Option<Text>,
        dimension: Dimension,
    ) -> Result<Option<f64>, PlanError> {
        let Some(text) = text else { return Ok(None) };
        let (low, high) = self.range(what, text, dimension)?;
        if low == high {
            return Ok(Some(low));
        }
        let hint = format!("write it as \"{}\"", dimension.example());
        let why = "is a range, and one value is needed";
        Err(self.source.error(&text.span(), what, why, hint))
    }

    fn range(self, what: &str, text: &Text, dimension: Dimension) -> Result<(f64, f64), PlanError> {
        parse_quantity(text.get_ref(), dimension).map_err(|why| {
            let hint = format!("write it as \"{}\"", dimension.example());
            self.source.error(&text.span(), what, why, hint)
        })
    }

    /// A whole number from 1 (or what `least` says) to [`COUNT_MAX`], or [`IN_FLIGHT_MAX`].
    pub fn count(
        self,
        what: &str,
        number: &Option<Whole>,
        least: i64,
    ) -> Result<Option<u32>, PlanError> {
        let Some(number) = number else { return Ok(None) };
        let value = *number.get_ref();
        let (most, hint) = match what.rsplit(": ").next() {
            Some("in_flight") => (
                IN_FLIGHT_MAX,
                "jobs times their depth, or the sessions that read at the same time",
            ),
            Some("workers") => (COUNT_MAX, "count the processes of one scan"),
            Some("copies") => (COUNT_MAX, "1 stands for a page cache, 0 for none"),
            Some("lines_per_core") => (COUNT_MAX, "count the lines that a core waits for at once"),
            _ => (COUNT_MAX, "count what is plugged in"),
        };
        if (least..=most).contains(&value) {
            return Ok(Some(value as u32));
        }
        let why = format!("{value} is not within {least} and {most}");
        Err(self.source.error(&number.span(), what, why, hint))
    }
}
