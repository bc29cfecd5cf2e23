//! Single published figures as data: prices of memory, volumes, instances and electricity, each with its place and day.

use narrows_plan::PlanError;
use serde::{Deserialize, Serialize};

use crate::entry::{Figure, Text};
use crate::figures::Reader;
use crate::sheet::Range;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PublishedEntry {
    id: Text,
    title: Text,
    value: Figure,
    of: Option<Text>,
    per: Option<Text>,
    currency: Option<Text>,
    date: Text,
    source: Text,
}

impl PublishedEntry {
    pub(crate) fn id(&self) -> &Text {
        &self.id
    }
}

/// A figure that somebody published.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Published {
    /// Its name in descriptions.
    pub id: String,
    /// What it is.
    pub title: String,
    /// Its value.
    pub value: Range,
    /// What it is the price of: `GB`, `kWh`; absent for a ratio.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// How often it is paid: `once`, `hour`, `month` or `year`.
    pub per: String,
    /// What it counts; absent for a ratio.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// When its place said so.
    pub date: String,
    /// Where it was published.
    pub source: String,
}

/// How often a price may be paid.
const OFTEN: [&str; 4] = ["once", "hour", "month", "year"];

impl Published {
    pub(crate) fn read(reader: Reader<'_>, entry: &PublishedEntry) -> Result<Self, PlanError> {
        let id = reader.prose("figure: id", &entry.id)?;
        let of = |key: &str| format!("figure {id}: {key}");
        let Some(value) = reader.price(&of("value"), &entry.value)? else {
            let hint = "leave the figure out where nobody knows it";
            return Err(reader.source.error(&entry.value.span(), of("value"), "is unknown", hint));
        };
        let text = |text: &Option<Text>, key: &str| {
            text.as_ref().map(|text| reader.prose(&of(key), text)).transpose()
        };
        let per = text(&entry.per, "per")?.unwrap_or("once".to_string());
        if let Some(written) = entry.per.as_ref().filter(|_| !OFTEN.contains(&per.as_str())) {
            let why = format!("`{per}` is not known");
            return Err(reader.refused(
                written,
                &of("per"),
                why,
                "per = \"once\", \"hour\", \"month\" or \"year\"",
            ));
        }
        let currency = entry.currency.as_ref().map(|text| reader.currency(text)).transpose()?;
        let counted = text(&entry.of, "of")?;
        if currency.is_some() != counted.is_some() {
            let why = "a price says what it is of and in which currency, a ratio neither";
            let hint = "of = \"GB\" with currency = \"USD\"; leave both out for a ratio";
            return Err(reader.refused(&entry.id, &format!("figure {id}"), why, hint));
        }
        Ok(Published {
            title: reader.prose(&of("title"), &entry.title)?,
            value,
            of: counted,
            per,
            currency,
            date: reader.date(&of("date"), &entry.date)?,
            source: reader.prose(&of("source"), &entry.source)?,
            id,
        })
    }
}
