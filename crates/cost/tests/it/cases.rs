use std::collections::BTreeMap;
use std::path::Path;

use narrows_cost::casebook;

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases")
}

#[test]
fn published_figures_about_money_come_out_or_it_is_told_why_not() {
    let text = std::fs::read_to_string(folder().join("costs.toml")).unwrap();
    let cases = casebook::read("costs.toml", &text).unwrap();
    let mut rows = 0;
    for case in &cases.cases {
        let answers: BTreeMap<_, _> = case
            .files
            .iter()
            .map(|file| {
                let text = std::fs::read_to_string(folder().join("costs").join(file)).unwrap();
                (file.clone(), super::reckoned(&text).unwrap())
            })
            .collect();
        let outcomes = case.outcomes(&answers).unwrap_or_else(|error| panic!("{error}"));
        assert!(!outcomes.is_empty(), "{}", case.title);
        rows += outcomes.len();
    }
    assert_eq!(rows, cases.cases.iter().map(|case| case.rows.len()).sum::<usize>());
}

#[test]
fn every_description_of_the_folder_is_in_a_case() {
    let text = std::fs::read_to_string(folder().join("costs.toml")).unwrap();
    for entry in std::fs::read_dir(folder().join("costs")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(text.contains(&name), "{name}");
    }
}
