//! What the guide shows can be typed: each description in it is read and answered.

use std::path::Path;

use narrows_limits::table::Table;
use narrows_plan::{Question, Work, describe, plan};

#[test]
fn every_description_of_the_guide_is_answered() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/guide/plan.md");
    let page = std::fs::read_to_string(page).unwrap();
    let blocks: Vec<&str> =
        page.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(blocks.len(), 2);
    let question = Question { block_bytes: 8192, table_bytes: 1_000_000_000_000 };
    let names = blocks.iter().map(|text| {
        let platform = describe("guide", text, Table::builtin()).unwrap_or_else(|e| panic!("{e}"));
        let plan = plan(&platform, question).unwrap();
        let reads = plan.work(Work::SequentialRead).expect("reads are limited");
        reads.binding[0].component.clone()
    });
    // Eight drives bind in one box, and the fabric between two.
    assert_eq!(names.collect::<Vec<_>>(), ["nvme", "fabric"]);
}
