//! The casebook is executed: what was expected of the model, written down before it ran, holds.

use std::path::{Path, PathBuf};

use narrows_limits::table::Table;
use narrows_plan::casebook::{self, Casebook};
use narrows_plan::{Description, describe};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases")
}

fn book() -> Casebook {
    let text = std::fs::read_to_string(folder().join("casebook.toml")).unwrap();
    casebook::read("casebook.toml", &text).unwrap_or_else(|error| panic!("{error}"))
}

fn platform(file: &str) -> Description {
    let text = std::fs::read_to_string(folder().join(file)).unwrap();
    describe(file, &text, Table::builtin()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_published_figure_is_where_it_was_expected_to_be() {
    let mut wrong = Vec::new();
    for case in &book().cases {
        let platform = platform(&case.platform);
        for row in &case.rows {
            match row.run(&platform) {
                Ok(outcome) => {
                    println!("{} / {}: {outcome:?}", case.platform, row.what);
                    let broken = row.broken(&outcome).into_iter();
                    wrong.extend(broken.map(|b| format!("{} / {}: {b}", case.platform, row.what)));
                }
                Err(error) => wrong.push(format!("{} / {}: {error}", case.platform, row.what)),
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_description_in_the_folder_belongs_to_a_case() {
    let book = book();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().to_string();
        if path.extension().is_some_and(|e| e == "toml") && name != "casebook.toml" {
            assert!(book.cases.iter().any(|case| case.platform == name), "{name} is in no case");
        }
    }
}

#[test]
fn an_expectation_that_does_not_hold_is_reported() {
    let book = book();
    let case = book.cases.iter().find(|case| case.platform == "shared-array.toml").unwrap();
    let row = &case.rows[0];
    let mut outcome = row.run(&platform(&case.platform)).unwrap();
    assert_eq!(row.broken(&outcome), Vec::<String>::new());
    outcome.published *= 1.2;
    outcome.binding = vec!["disks".to_string()];
    assert_eq!(row.broken(&outcome).len(), 3, "{:?}", row.broken(&outcome));
}
