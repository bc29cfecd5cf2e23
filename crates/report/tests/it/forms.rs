//! A form of a document knows documents and lines, and nothing of runs.

use std::path::{Path, PathBuf};

/// What a file of `render` may name of this crate.
const MAY_KNOW: [&str; 3] = ["document", "escape", "render"];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let below = |path: PathBuf| if path.is_dir() { sources(&path) } else { vec![path] };
    entries.flat_map(below).filter(|path| path.extension().is_some_and(|e| e == "rs")).collect()
}

#[test]
fn renderers_import_only_document_and_layout() {
    let files = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/render"));
    assert!(files.len() >= 5, "{files:?}");
    for file in files {
        let source = std::fs::read_to_string(&file).unwrap();
        for module in source.split("crate::").skip(1) {
            let module =
                module.split(|c: char| !c.is_ascii_lowercase() && c != '_').next().unwrap();
            assert!(MAY_KNOW.contains(&module), "{} knows `{module}`", file.display());
        }
        for ours in source.split("narrows_").skip(1) {
            assert!(ours.starts_with("units"), "{} knows another crate", file.display());
        }
    }
}
