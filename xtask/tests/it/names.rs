//! Names of types that say nothing to somebody who knows the field and not this code.

use xtask::{root, sources};

/// No type of shipped sources has one of these names. Words that the field uses for the thing stay off this list: a row of a query, a cell
/// of a table, a deck of TPC-C.
const VAGUE: [&str; 31] = [
    "Place", "Found", "Kind", "Part", "Asked", "Seen", "Way", "Look", "Kept", "Next", "Said",
    "Shown", "Standing", "Ground", "Taken", "Told", "Company", "Data", "Once", "Rung", "Beside",
    "Drawn", "Filling", "Item", "Left", "Spot", "Begun", "Helper", "Info", "Manager", "Thing",
];

/// The name of the type that a line defines.
fn defined(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(')')?.1.trim_start(),
        Some(rest) => rest.trim_start(),
        None => line,
    };
    let keyword = ["struct ", "enum ", "trait ", "type "];
    let name = keyword.iter().find_map(|keyword| line.strip_prefix(keyword))?;
    name.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

#[test]
fn no_type_has_a_name_that_says_nothing() {
    let mut wrong = Vec::new();
    for (path, source) in &sources::shipped_sources(&root()).expect("the sources can be read") {
        let names = sources::shipped(source).filter_map(defined);
        let vague = names.filter(|name| VAGUE.contains(name));
        wrong.extend(vague.map(|name| format!("{path}: {name}")));
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn a_definition_is_told_from_a_use() {
    assert_eq!(defined("pub(crate) struct Place<'a> {"), Some("Place"));
    assert_eq!(defined("    enum Kind {"), Some("Kind"));
    assert_eq!(defined("pub type Row = (Metric, f64);"), Some("Row"));
    assert_eq!(defined("let place: Place = found;"), None);
    assert_eq!(defined("/// struct Place"), None);
}
