//! The table of limits: a section for each family with its sources, or each class with every figure and its whole source.
//!
//! Not here: which classes a machine has.

mod classes;
mod families;
mod figures;
mod sources;

use narrows_limits::table::{Class, Figure, Normal, Table};
use serde_json::json as object;

use crate::document::{self, Document, Sheet};
use figures::{rows, unit};

/// Members for which a family's table has an array's figures.
const MEMBERS: u32 = 8;

/// What is shown of a table.
pub struct ShownLimits<'a> {
    /// Where it comes from.
    pub table: &'a Table,
    /// In the order of the table.
    pub classes: Vec<&'a Class>,
}

impl<'a> ShownLimits<'a> {
    /// Everything.
    pub fn all(table: &'a Table) -> Self {
        ShownLimits { table, classes: table.classes().collect() }
    }

    /// Published measurements of the classes shown.
    fn normals(&self) -> impl Iterator<Item = &'a Normal> {
        let table: &'a Table = self.table;
        self.classes.iter().copied().flat_map(move |class: &'a Class| table.normals(&class.id))
    }
}

/// The families, or, where single classes were named, one class after the other with all that is known of it.
pub fn limits(shown: &ShownLimits<'_>, single: bool) -> Document {
    let sections = if single { classes::sections(shown) } else { families::sections(shown) };
    let document = Document::of(sections).headed("Limits", "limits of hardware by class");
    Document { sheet: sheet(shown), json: json(shown), ..document }
}

/// Units are the last part of each key or its neighbour's.
fn json(shown: &ShownLimits<'_>) -> String {
    let normal = |normal: &Normal| {
        let unit = unit(normal.what.dimension());
        object!({ "of": normal.of, "what": normal.what, "unit": unit, "figure": normal.figure })
    };
    document::json(&object!({
        "schema": "narrows.limits/1",
        "classes": shown.classes,
        "normals": shown.normals().map(normal).collect::<Vec<_>>(),
        "unbalanced_loss": shown.table.unbalanced_loss(),
    }))
}

/// One row for each figure, in base units.
fn sheet(shown: &ShownLimits<'_>) -> Sheet {
    let heads = ["class", "family", "title", "figure", "low", "high", "unit", "grade", "source"];
    let mut sheet = Sheet::new(&heads);
    let mut add = |class: &Class, key: String, figure: &Figure, unit: &str| {
        sheet.rows.push(vec![
            class.id.clone(),
            class.family.name().to_string(),
            class.title.clone(),
            key,
            figure.low.to_string(),
            figure.high.to_string(),
            unit.to_string(),
            figure.grade.name().to_string(),
            figure.source.clone(),
        ]);
    };
    for class in &shown.classes {
        for row in rows(class) {
            add(class, row.key.to_string(), row.figure, unit(row.dimension));
        }
        for normal in shown.table.normals(&class.id) {
            let key = format!("measured {}", normal.what.title());
            add(class, key, &normal.figure, unit(normal.what.dimension()));
        }
    }
    sheet
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::render::{FORMS, Screen, Shows, TEXT, form, render};

    fn all() -> ShownLimits<'static> {
        ShownLimits::all(Table::builtin())
    }

    fn printed(shown: &ShownLimits<'_>, single: bool, name: &str) -> String {
        render(&limits(shown, single), form(name).unwrap(), Screen::PLAIN)
    }

    #[test]
    fn a_screen_fits_a_hundred_columns_and_every_form_names_every_class() {
        for single in [false, true] {
            let text = render(&limits(&all(), single), &TEXT, Screen::PLAIN);
            assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
            // The sheet has figures, which arrays have none of.
            for form in FORMS.into_iter().filter(|form| form.shows != Shows::Sheet) {
                let text = render(&limits(&all(), single), form, Screen::PLAIN);
                let class = |c: char| !c.is_ascii_alphanumeric() && !"-._".contains(c);
                let words: BTreeSet<&str> = text.split(class).collect();
                for class in Table::builtin().classes() {
                    assert!(words.contains(class.id.as_str()), "{}: {}", form.name, class.id);
                }
            }
        }
    }

    #[test]
    fn a_class_alone_shows_how_its_figures_came_about() {
        let table = Table::builtin();
        let class = table.class("nvme-gen5-x4").unwrap();
        let text = printed(&ShownLimits { table, classes: vec![class] }, true, "text");
        for part in [
            "nvme-gen5-x4: NVMe on PCIe 5.0 x4\n",
            "32 × 10⁹ transfers/s × 4 bit",
            "128b/130b, 98.46 % left",
            "raw                     16.0 GB/s  specification: PCI Express Base Specification 5.0",
            "read.protocol           14.4 GB/s  specification:",
            "operations.read         3.45M/s  specification:",
            "4572 B on the wire per 4 KiB",
        ] {
            assert!(text.contains(part), "`{part}` is missing in:\n{text}");
        }
        assert!(!text.contains("write.raw"), "the same both ways stands once:\n{text}");
        assert!(text.contains("write.protocol"), "a completion's header is shorter:\n{text}");
    }

    #[test]
    fn the_sheet_has_a_row_for_each_figure_with_its_unit_grade_and_source() {
        let table = Table::builtin();
        let rows = sheet(&all()).rows;
        let figures: usize = table.classes().map(|class| figures::rows(class).len()).sum();
        let normals = all().normals().count();
        assert!(figures > 500 && normals > 30);
        assert_eq!(rows.len(), figures + normals);
        let row = rows.iter().find(|row| row[0] == "nvme-gen5-x4" && row[3] == "read.raw");
        let row = row.expect("a figure");
        assert_eq!(row[1..3], ["nvme", "NVMe on PCIe 5.0 x4"]);
        assert_eq!(row[4..8], ["16000000000", "16000000000", "bytes_per_s", "specification"]);
        assert!(!row[8].is_empty());
    }

    #[test]
    fn json_holds_what_the_table_holds() {
        let document: serde_json::Value =
            serde_json::from_str(&printed(&all(), false, "json")).unwrap();
        let classes = document["classes"].as_array().unwrap();
        assert_eq!(classes.len(), Table::builtin().classes().count());
        let nvme = classes.iter().find(|class| class["id"] == "nvme-gen5-x4").unwrap();
        assert_eq!(nvme["read"]["raw_bytes_per_s"]["high"], 16e9);
        assert_eq!(nvme["read"]["raw_bytes_per_s"]["grade"], "specification");
        assert_eq!(document["normals"].as_array().unwrap().len(), all().normals().count());
    }

    #[test]
    fn every_number_of_a_source_leads_to_one() {
        let text = printed(&all(), false, "markdown");
        for section in text.split("## ").skip(1) {
            let number = |line: &str| line.strip_prefix("- ")?.split_once(": ")?.0.parse().ok();
            let listed: BTreeSet<usize> = section.lines().filter_map(number).collect();
            let heads = section.lines().find(|line| line.starts_with("| ")).expect("a table");
            let at = heads.split(" | ").position(|head| head.contains("source")).expect("sources");
            let mut used = BTreeSet::new();
            for row in section.lines().filter(|line| line.starts_with("| ")).skip(2) {
                let cells: Vec<&str> = row.trim_end_matches(" |").split(" | ").collect();
                used.extend(cells[at].split(' ').filter_map(|n| n.trim().parse::<usize>().ok()));
            }
            let marks = section.split("\\[").skip(1);
            used.extend(marks.filter_map(|mark| mark.split('\\').next()?.parse::<usize>().ok()));
            assert_eq!(used, listed, "{section}");
        }
    }
}
