//! What discovery finds in the captures of the lab's guests (`lab/captures`) stays as it was recorded. That it is what the guests were
//! made of, `cargo xtask check` shows: it compares them with their descriptions.
//!
//! `NARROWS_GOLDEN=write` records it anew, for a change that was meant.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use narrows_facts::Replay;
use narrows_model::Role;

fn captures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lab/captures");
    let files = fs::read_dir(folder).expect("the captures are in the tree");
    let mut captures: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    captures.retain(|path| path.extension().is_some_and(|end| end == "capture"));
    captures.sort();
    captures
}

/// The machine in a capture, a line for each fact that is known.
fn found(capture: &Path) -> String {
    let capture = narrows_capture::read(BufReader::new(File::open(capture).unwrap()))
        .unwrap_or_else(|error| panic!("{}: {error}", capture.display()));
    let roles: Vec<(Role, &Path)> =
        capture.header.roles.iter().map(|place| (place.role, Path::new(&place.path))).collect();
    let platform = narrows_platform::discover(&Replay::new(capture.recording), &roles);
    let mut lines = String::new();
    flat(&serde_json::to_value(platform).unwrap(), "", &mut lines);
    lines
}

fn flat(value: &serde_json::Value, at: &str, lines: &mut String) {
    match value {
        serde_json::Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| flat(value, &format!("{at}.{name}"), lines));
        }
        serde_json::Value::Array(items) if items.iter().any(|item| item.is_object()) => {
            items.iter().enumerate().for_each(|(n, item)| flat(item, &format!("{at}[{n}]"), lines));
        }
        // Unknown is not there.
        value if value.is_null() || value == &serde_json::json!([]) => {}
        value => *lines += &format!("{} {value}\n", at.trim_start_matches('.')),
    }
}

#[test]
fn guests_of_the_lab_are_found_as_before() {
    let captures = captures();
    assert!(captures.len() >= 10, "{captures:?}");
    let mut differ = Vec::new();
    for capture in captures {
        let (file, found) = (capture.with_extension("found"), found(&capture));
        if std::env::var_os("NARROWS_GOLDEN").is_some_and(|word| word == "write") {
            fs::write(&file, &found).unwrap();
        }
        let recorded = fs::read_to_string(&file).unwrap_or_default();
        let line = |text: &str, other: &str| {
            text.lines().find(|line| !other.lines().any(|o| o == *line)).map(str::to_string)
        };
        if recorded != found {
            let (was, is) = (line(&recorded, &found), line(&found, &recorded));
            differ.push(format!("{}: was {was:?}, is {is:?}", file.display()));
        }
    }
    assert!(differ.is_empty(), "\n{}", differ.join("\n"));
}
