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

/// The guide's pair with one line changed.
fn pair(from: &str, to: &str) -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/guide/plan.md");
    let page = std::fs::read_to_string(page).unwrap();
    let text = page.split("```toml\n").nth(2).unwrap().split("```").next().unwrap();
    assert!(text.contains(from), "the guide's pair has lost {from}");
    text.replacen(from, to, 1)
}

#[test]
fn without_requests_in_flight_the_answer_says_that_waiting_was_not_reckoned_with() {
    let question = Question { block_bytes: 4096, table_bytes: 1_000_000_000_000 };
    let answer = |text: &str| {
        let platform = describe("guide", text, Table::builtin()).unwrap();
        let plan = plan(&platform, question).unwrap();
        let binds = plan.work(Work::RandomRead).unwrap().binding[0].component.clone();
        (binds, plan.notes.iter().any(|note| note.starts_with("in_flight not given")))
    };
    assert_eq!(answer(&pair("in_flight = 256", "")), ("fabric".to_string(), true));
    let given = pair("in_flight = 256", "in_flight = 256");
    assert_eq!(answer(&given), ("requests in flight of db".to_string(), false));
}

#[test]
fn a_name_that_no_class_has_is_answered_by_what_belongs_there() {
    let hint = |from, to| describe("guide", &pair(from, to), Table::builtin()).unwrap_err().hint;
    assert_eq!(hint("\"pcie-gen5-x16\"", "\"PCIe 5.0 x16\""), "did you mean `pcie-gen5-x16`?");
    assert_eq!(hint("\"epyc-9004\"", "\"EPYC 9124\""), "did you mean `epyc-9004`?");
    assert_eq!(
        hint("\"hdr-200\"", "\"200 Gbit\""),
        "`narrows limits ethernet roce infiniband fibre_channel sas pcie` lists what belongs here"
    );
    assert!(hint("channels = 4", "").contains("leave memory out"));
}
