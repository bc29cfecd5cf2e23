//! Pictures of the platforms of the casebook.

use std::path::{Path, PathBuf};

use narrows_limits::table::Table;
use narrows_plan::describe;

/// Files of the casebook's folder that describe a platform; its other files are about them.
fn descriptions() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_one = |path: &PathBuf| {
        std::fs::read_to_string(path).is_ok_and(|text| text.contains("\n[[machine]]"))
    };
    let mut found: Vec<PathBuf> = paths.filter(is_one).collect();
    found.sort();
    found
}

/// Whatever binds is marked where it is drawn, or beside it: no answer of a real platform is lost in its picture.
#[test]
fn what_binds_in_a_case_is_marked_in_its_drawing() {
    let question = narrows_plan::Question { block_bytes: 8192, table_bytes: 1_000_000_000_000 };
    let mut marked = 0;
    for path in descriptions() {
        let file = path.display().to_string();
        let text = std::fs::read_to_string(&path).unwrap();
        let platform = describe(&file, &text, Table::builtin()).unwrap();
        let plan = narrows_plan::plan(&platform, question).unwrap();
        let lines = plan.drawing.lines();
        for answer in &plan.works {
            for bound in &answer.binding {
                let has = |line: &&String| {
                    line.contains("BINDS ")
                        && line.contains(answer.work.title())
                        && line.contains(&bound.limit)
                };
                assert!(lines.iter().any(|line| has(&line)), "{file}: {bound:?} {lines:#?}");
                marked += 1;
            }
        }
        let roots = &plan.drawing.parts;
        let known = |words: &str| words.starts_with("machine ") || words.starts_with("network ");
        assert!(roots.iter().all(|part| known(&part.words)), "{file}: {roots:#?}");
    }
    assert!(marked > 20, "{marked}");
}
