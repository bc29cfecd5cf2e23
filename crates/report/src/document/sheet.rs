//! What a document has for programs: figures in rows, and JSON.

use serde::Serialize;
use serde_json::Value;

/// Figures in base units for other programs, a row each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sheet {
    /// Names of the columns, with units.
    pub heads: Vec<String>,
    /// Rows of as many cells.
    pub rows: Vec<Vec<String>>,
}

impl Sheet {
    /// Columns without rows.
    pub fn new(heads: &[&str]) -> Self {
        let heads = heads.iter().map(|head| (*head).to_string()).collect();
        Sheet { heads, rows: Vec::new() }
    }

    /// Every value under its way through the objects, a row each; plain values of one list stand beside each other.
    pub fn of_values(value: &Value) -> Self {
        let mut sheet = Sheet::new(&["key", "value"]);
        rows(value, String::new(), &mut sheet.rows);
        sheet
    }
}

/// Plain structures of numbers and text always have a JSON form; keys end in their units.
pub fn json(of: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string_pretty(of).unwrap_or_default() + "\n"
}

fn rows(value: &Value, way: String, found: &mut Vec<Vec<String>>) {
    let below = |key: &str| if way.is_empty() { key.to_string() } else { format!("{way}.{key}") };
    let plain = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| rows(value, below(key), found)),
        Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
            let items = items.iter().enumerate();
            items.for_each(|(at, item)| rows(item, below(&at.to_string()), found));
        }
        Value::Array(items) => {
            found.push(vec![way, items.iter().map(plain).collect::<Vec<_>>().join(" ")]);
        }
        value => found.push(vec![way, plain(value)]),
    }
}
