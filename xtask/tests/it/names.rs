//! Names of types that say nothing to somebody who knows the field and not this code: their number may only shrink.

use std::collections::BTreeMap;

use xtask::{root, sources};

/// Names, and how many types of shipped sources have each. Whoever renames one takes it off here; a name that is not needed any more
/// leaves the list.
const VAGUE: [(&str, usize); 37] = [
    ("Place", 10),
    ("Found", 10),
    ("Kind", 11),
    ("Row", 9),
    ("Part", 4),
    ("Asked", 1),
    ("Line", 6),
    ("Seen", 5),
    ("Way", 4),
    ("Cell", 5),
    ("Figure", 5),
    ("Look", 3),
    ("Kept", 3),
    ("Next", 2),
    ("Said", 4),
    ("Shown", 3),
    ("Standing", 1),
    ("Ground", 0),
    ("Taken", 1),
    ("Told", 1),
    ("Company", 1),
    ("Data", 2),
    ("Deck", 1),
    ("Once", 1),
    ("Rung", 0),
    ("Beside", 1),
    ("Drawn", 0),
    ("Filling", 0),
    ("Item", 1),
    ("Left", 1),
    ("Spot", 1),
    ("Word", 1),
    ("Begun", 0),
    ("Helper", 0),
    ("Info", 0),
    ("Manager", 0),
    ("Thing", 0),
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
fn vague_names_of_types_become_fewer() {
    let mut found: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let sources = sources::shipped_sources(&root()).expect("the sources can be read");
    for (path, source) in &sources {
        for line in sources::shipped(source) {
            let vague = VAGUE.iter().find(|(name, _)| defined(line) == Some(*name));
            if let Some((name, _)) = vague {
                found.entry(name).or_default().push(path.clone());
            }
        }
    }
    let mut wrong = Vec::new();
    for (name, allowed) in VAGUE {
        let paths = found.remove(name).unwrap_or_default();
        if paths.len() > allowed {
            wrong.push(format!(
                "{name}: {} types, at most {allowed}: {}",
                paths.len(),
                paths.join(", ")
            ));
        } else if paths.len() < allowed {
            wrong.push(format!("{name}: {} types; set it from {allowed} to that", paths.len()));
        }
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
