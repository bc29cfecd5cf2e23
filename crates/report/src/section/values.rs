//! What the run file holds, in full: any JSON value as facts and tables, so that a new field needs no code here.

use narrows_units::significant;
use serde_json::{Map, Value};

use crate::document::{At, Block, Column, Entry, Facts, Inline, Row, Style, Table};
use crate::print::{self, Units};

/// Keys and values side by side; what holds more stands below, under its key.
pub(super) fn facts(map: &Map<String, Value>, units: Units) -> Block {
    let entry = |(key, value): (&String, &Value)| Entry::new(words(key), inline(key, value, units));
    Block::Facts(Facts {
        entries: map.iter().map(entry).collect(),
        labels: Style::Faint,
        at: (2, 30),
    })
}

/// A value as blocks: an object as facts, objects as a table with a column for each of their keys.
pub(super) fn blocks(value: &Value, units: Units) -> Vec<Block> {
    match (value, as_objects(value)) {
        (_, Some(objects)) => vec![Block::Table(table(&objects, units))],
        (Value::Object(map), _) => {
            let (nested, flat): (Map<_, _>, Map<_, _>) = map
                .clone()
                .into_iter()
                .partition(|(_, v)| v.is_object() || as_objects(v).is_some());
            let own = (!flat.is_empty()).then(|| facts(&flat, units));
            let below = nested.iter().flat_map(|(key, value)| {
                std::iter::once(Block::Heading(words(key).into())).chain(blocks(value, units))
            });
            own.into_iter().chain(below).collect()
        }
        _ => vec![Block::paragraph(inline("", value, units))],
    }
}

/// A key as words.
pub(super) fn words(key: &str) -> String {
    key.replace('_', " ")
}

/// The objects of an array that holds nothing else.
pub(super) fn as_objects(value: &Value) -> Option<Vec<&Map<String, Value>>> {
    let items = value.as_array()?;
    if items.is_empty() { None } else { items.iter().map(Value::as_object).collect() }
}

fn table(objects: &[&Map<String, Value>], units: Units) -> Table {
    let mut keys: Vec<&String> = Vec::new();
    for key in objects.iter().flat_map(|object| object.keys()) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let mut table =
        Table::new(keys.iter().map(|key| Column::words(words(key), At::Left(0))).collect());
    let cell = |object: &Map<String, Value>, key: &String| match object.get(key) {
        Some(value) => inline(key, value, units).into(),
        None => Inline::default().into(),
    };
    table.rows = objects
        .iter()
        .map(|object| Row::Cells(keys.iter().map(|key| cell(object, key)).collect(), Vec::new()))
        .collect();
    table
}

/// A value in a line; the end of its key gives the unit.
fn inline(key: &str, value: &Value, units: Units) -> Inline {
    match value {
        Value::Null => Inline::of(Style::Faint, "unknown"),
        Value::Array(items) if items.is_empty() => Inline::of(Style::Faint, "none"),
        value => Inline::from(flat(key, value, units)),
    }
}

fn flat(key: &str, value: &Value, units: Units) -> String {
    match value {
        Value::Null => "unknown".to_string(),
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_string(),
        Value::String(word) => word.clone(),
        Value::Number(number) => number_text(key, number, units),
        Value::Object(map) => {
            let pair = |(key, value): (&String, &Value)| {
                format!("{} {}", words(key), flat(key, value, units))
            };
            map.iter().map(pair).collect::<Vec<_>>().join(", ")
        }
        Value::Array(items) if items.is_empty() => "none".to_string(),
        Value::Array(items) => {
            let between = if items.iter().all(Value::is_object) { "; " } else { ", " };
            let whole: Option<Vec<u64>> = items.iter().map(Value::as_u64).collect();
            match whole {
                Some(numbers) => ranges(&numbers),
                None => {
                    let items = items.iter().map(|item| flat("", item, units));
                    items.collect::<Vec<_>>().join(between)
                }
            }
        }
    }
}

fn number_text(key: &str, number: &serde_json::Number, units: Units) -> String {
    let Some(value) = number.as_f64() else { return number.to_string() };
    match key.rsplit('_').next() {
        // Sizes of blocks, pages and caches are powers of two.
        Some("bytes")
            if value.fract() == 0.0 && value > 0.0 && (value as u64).is_power_of_two() =>
        {
            print::size(value)
        }
        Some("bytes") => units.bytes(value),
        Some("ns") => print::time(value),
        Some("khz") => format!("{} MHz", print::count(value / 1000.0)),
        // More digits than a measurement has are in the run file.
        _ if number.is_f64() && value.fract() != 0.0 => significant(value, 4),
        _ => number.to_string(),
    }
}

/// `0-3, 8`; the order is kept, only runs are joined.
fn ranges(numbers: &[u64]) -> String {
    let mut parts: Vec<(u64, u64)> = Vec::new();
    for &n in numbers {
        match parts.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(n) => *last = n,
            _ => parts.push((n, n)),
        }
    }
    let word = |(first, last): (u64, u64)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    parts.into_iter().map(word).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn runs_of_numbers_are_joined() {
        assert_eq!(ranges(&[0, 1, 2, 3, 8, 10, 11]), "0-3, 8, 10-11");
        assert_eq!(ranges(&[u64::MAX]), u64::MAX.to_string());
    }

    #[test]
    fn a_fraction_has_four_digits_and_a_whole_number_all() {
        let text = |value: Value| flat("share", &value, Units::Si);
        assert_eq!(text(json!(0.09565447800741918)), "0.09565");
        assert_eq!(text(json!([0.25, 14.058355437])), "0.2500, 14.06");
        assert_eq!(text(json!(274188151444445_u64)), "274188151444445");
        assert_eq!(text(json!(4.0)), "4.0");
    }

    #[test]
    fn objects_are_a_table_with_all_their_keys() {
        let value = json!([{ "size_bytes": 4096, "cpus": [0, 1] }, { "level": { "a_b": null } }]);
        let [Block::Table(table)] = &blocks(&value, Units::Si)[..] else { panic!("a table") };
        let heads: Vec<&str> = table.columns.iter().map(|column| column.head.as_str()).collect();
        assert_eq!(heads, ["cpus", "size bytes", "level"]);
        let Row::Cells(cells, _) = &table.rows[0] else { panic!("cells") };
        let words: Vec<String> = cells.iter().map(|cell| cell.text.text()).collect();
        assert_eq!(words, ["0-1", "4 KiB", ""]);
        assert_eq!(flat("", &value[1], Units::Si), "level a b unknown");
    }
}
