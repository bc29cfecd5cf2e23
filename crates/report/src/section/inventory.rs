//! A machine of which nothing was measured, with what the rules find in it.

use narrows_model::Inventory;

use super::{findings, machine};
use crate::document::{Block, Depth, Document, Facts, Section, Style};
use crate::inventory::entries;
use crate::print::Units;

/// The document of a machine.
pub fn inventory(of: &Inventory) -> Document {
    let platform = &of.platform;
    let name = platform.hostname.as_deref().unwrap_or("one machine");
    let entries = entries(platform, &of.findings);
    let lines = Block::Facts(Facts { entries, labels: Style::Plain, at: (0, 11) });
    let drawn = machine::machine(platform, name, &of.findings, Units::Si);
    let said = Section::new("machine", "Machine").short("");
    let said = said.with([Block::Until(Depth::Text, vec![lines]), Block::From(Depth::Page, drawn)]);
    let sections = findings::machine_findings(&of.findings).into_iter().chain([said]);
    Document::of(sections).headed(name, "its parts, nothing measured").holding(of)
}

#[cfg(test)]
mod tests {
    use narrows_model::{Platform, Unknown};

    use super::*;
    use crate::render::{Screen, TEXT, form, render};

    fn wear() -> Inventory {
        let needs = "a right ".repeat(30);
        let unknown = Unknown { what: "wear".into(), needs: needs.trim().into() };
        let platform = Platform { unknown: vec![unknown], ..Platform::default() };
        Inventory { platform, findings: Vec::new() }
    }

    #[test]
    fn long_lines_go_on_below_and_nothing_is_lost() {
        let text = render(&inventory(&wear()), &TEXT, Screen::PLAIN);
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        assert_eq!(text.matches("right").count(), 30);
        assert!(text.lines().any(|line| line.starts_with("unknown    wear: a right")), "{text}");
        let marks = render(&inventory(&wear()), form("markdown").unwrap(), Screen::PLAIN);
        assert!(marks.starts_with("## Machine\n\n- ") && marks.contains("- unknown: wear:"));
    }

    #[test]
    fn the_sheet_has_every_value_under_its_key() {
        let rows = inventory(&wear()).sheet.rows;
        let value = |key: &str| rows.iter().find(|row| row[0] == key).map(|row| row[1].as_str());
        assert_eq!(value("unknown.0.what"), Some("wear"));
        assert_eq!(value("cpu.cores"), Some("0"));
        assert!(rows.iter().all(|row| row.len() == 2));
    }
}
