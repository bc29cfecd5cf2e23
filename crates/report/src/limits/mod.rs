//! `narrows limits`: the table of limits for people, spreadsheets, programs and the book.
//!
//! Not here: which classes a machine has.

mod csv;
mod detail;
mod list;
mod markdown;
mod outputs;
mod sources;

use narrows_limits::table::{Class, Dimension, Figure, Normal, Table};
use narrows_units::{Bytes, BytesPerSecond, Nanos, OpsPerSecond, Ratio, significant};
use serde_json::json as object;

pub use outputs::{csv, detail, json, list, markdown};

/// What is shown of a table.
pub struct Shown<'a> {
    /// Where it comes from.
    pub table: &'a Table,
    /// In the order of the table.
    pub classes: Vec<&'a Class>,
}

impl<'a> Shown<'a> {
    /// Everything.
    pub fn all(table: &'a Table) -> Self {
        Shown { table, classes: table.classes().collect() }
    }

    /// Published measurements of the classes shown.
    fn normals(&self) -> impl Iterator<Item = &'a Normal> {
        let table: &'a Table = self.table;
        self.classes.iter().copied().flat_map(move |class: &'a Class| table.normals(&class.id))
    }
}

fn document(shown: &Shown<'_>) -> String {
    let normals: Vec<serde_json::Value> = shown
        .normals()
        .map(|normal| {
            let unit = unit(normal.what.dimension());
            object!({ "of": normal.of, "what": normal.what, "unit": unit, "figure": normal.figure })
        })
        .collect();
    let document = object!({
        "schema": "narrows.limits/1",
        "classes": shown.classes,
        "normals": normals,
        "unbalanced_loss": shown.table.unbalanced_loss(),
    });
    let text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text + "\n"
}

/// One figure of a class, by name.
struct Row<'a> {
    /// `read.protocol`.
    key: &'static str,
    figure: &'a Figure,
    dimension: Dimension,
}

/// Every figure of a class.
fn rows(class: &Class) -> Vec<Row<'_>> {
    let bytes = Dimension::Bandwidth;
    let (read, write) = (&class.read, &class.write);
    let mut rows: Vec<Row<'_>> = [
        ("read.raw", &read.raw, bytes),
        ("read.encoded", &read.encoded, bytes),
        ("read.protocol", &read.protocol, bytes),
        ("read.expected", &read.expected, bytes),
        ("write.raw", &write.raw, bytes),
        ("write.encoded", &write.encoded, bytes),
        ("write.protocol", &write.protocol, bytes),
        ("write.expected", &write.expected, bytes),
        ("operations.read", &class.operations.read, Dimension::Operations),
        ("operations.write", &class.operations.write, Dimension::Operations),
        ("times.read", &class.times.read_ns, Dimension::Time),
        ("times.durable_write", &class.times.durable_write_ns, Dimension::Time),
    ]
    .into_iter()
    .filter_map(|(key, figure, dimension)| Some(Row { key, figure: figure.as_ref()?, dimension }))
    .collect();
    if let Some(cache) = &class.write_cache {
        let size = Dimension::Size;
        rows.push(Row { key: "write_cache.bytes", figure: &cache.bytes, dimension: size });
        let after = &cache.write_after;
        rows.push(Row { key: "write_cache.write_after", figure: after, dimension: bytes });
    }
    rows
}

/// The base unit of a dimension, as keys and columns name it.
fn unit(dimension: Dimension) -> &'static str {
    match dimension {
        Dimension::Bandwidth => "bytes_per_s",
        Dimension::Operations => "ops_per_s",
        Dimension::Time => "ns",
        Dimension::Size => "bytes",
        Dimension::Signal => "bits_per_s",
        Dimension::Share => "share",
    }
}

/// A value with its unit.
fn value(value: f64, dimension: Dimension) -> String {
    match dimension {
        Dimension::Bandwidth => BytesPerSecond(value).to_string(),
        Dimension::Operations => OpsPerSecond(value).to_string(),
        // Finer than whole nanoseconds where that is what was measured.
        Dimension::Time if value < 100.0 => format!("{} ns", significant(value, 3)),
        Dimension::Time => Nanos(value.round() as u64).to_string(),
        Dimension::Size => Bytes(value.round() as u64).to_string(),
        Dimension::Share => Ratio(value).to_string(),
        Dimension::Signal => format!("{} Gb/s", value / 1e9),
    }
}

/// `30.7 to 34.6 GB/s`, or one value.
fn range(figure: &Figure, dimension: Dimension) -> String {
    let (low, high) = (value(figure.low, dimension), value(figure.high, dimension));
    match (low.rsplit_once(' '), high.rsplit_once(' ')) {
        _ if low == high => high,
        (Some((number, low_unit)), Some((_, high_unit))) if low_unit == high_unit => {
            format!("{number} to {high}")
        }
        _ => format!("{low} to {high}"),
    }
}

/// The same where nothing may be known.
fn maybe(figure: Option<&Figure>, dimension: Dimension) -> String {
    figure.map_or("-".to_string(), |figure| range(figure, dimension))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn all() -> Shown<'static> {
        Shown::all(Table::builtin())
    }

    #[test]
    fn text_fits_a_hundred_columns_and_names_every_class() {
        for text in [list(&all()), detail(&all())] {
            for line in text.lines() {
                assert!(line.chars().count() <= 100, "{line}");
                assert!(!line.ends_with(' '), "{line:?}");
            }
            let words: BTreeSet<&str> =
                text.split_whitespace().map(|word| word.trim_end_matches(':')).collect();
            for class in Table::builtin().classes() {
                assert!(words.contains(class.id.as_str()), "{}", class.id);
            }
        }
    }

    #[test]
    fn a_class_alone_shows_how_its_figures_came_about() {
        let table = Table::builtin();
        let class = table.class("nvme-gen5-x4").unwrap();
        let text = detail(&Shown { table, classes: vec![class] });
        for part in [
            "nvme-gen5-x4: NVMe on PCIe 5.0 x4\n",
            "32 × 10⁹ transfers/s × 4 bit",
            "128b/130b, 98.46 % left",
            "raw                     16.0 GB/s  specification: PCI Express Base Specification 5.0",
            "read.protocol           14.4 GB/s  specification:",
            "operations.read         3.45 M/s  specification:",
            "4572 B on the wire per 4 KiB",
        ] {
            assert!(text.contains(part), "`{part}` is missing in:\n{text}");
        }
        assert!(!text.contains("write.raw"), "the same both ways stands once:\n{text}");
        assert!(text.contains("write.protocol"), "a completion's header is shorter:\n{text}");
    }

    #[test]
    fn csv_has_a_row_for_each_figure_with_its_unit_grade_and_source() {
        let table = Table::builtin();
        let text = csv(&all());
        let figures: usize = table.classes().map(|class| rows(class).len()).sum();
        let normals = all().normals().count();
        assert!(figures > 500 && normals > 30);
        assert_eq!(text.lines().count(), 1 + figures + normals);
        assert!(text.contains("nvme-gen5-x4,nvme,NVMe on PCIe 5.0 x4,read.raw,16000000000,16000000000,bytes_per_s,specification,"));
    }

    #[test]
    fn json_holds_what_the_table_holds() {
        let document: serde_json::Value = serde_json::from_str(&json(&all())).unwrap();
        let classes = document["classes"].as_array().unwrap();
        assert_eq!(classes.len(), Table::builtin().classes().count());
        let nvme = classes.iter().find(|class| class["id"] == "nvme-gen5-x4").unwrap();
        assert_eq!(nvme["read"]["raw_bytes_per_s"]["high"], 16e9);
        assert_eq!(nvme["read"]["raw_bytes_per_s"]["grade"], "specification");
        assert_eq!(document["normals"].as_array().unwrap().len(), all().normals().count());
    }

    #[test]
    fn every_number_of_a_source_leads_to_one() {
        let text = markdown(&all());
        for section in text.split("## ").skip(1) {
            let listed = section.lines().filter(|l| l.starts_with(|c: char| c.is_ascii_digit()));
            let listed = listed.count();
            let mut used = BTreeSet::new();
            for row in section.lines().filter(|line| line.starts_with("| `")) {
                let last = row.trim_end_matches(" |").rsplit("| ").next().unwrap();
                used.extend(last.split(' ').map(|n| n.parse::<usize>().expect("a number")));
            }
            assert_eq!(used, (1..=listed).collect(), "{section}");
        }
    }
}
