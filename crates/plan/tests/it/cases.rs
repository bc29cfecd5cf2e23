//! The casebook is executed: what was expected of the model, written down before it ran, holds, or its data tell that
//! it doesn't; and every published figure is in it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use narrows_limits::table::Table;
use narrows_plan::casebook::arithmetic::{self, Arithmetic};
use narrows_plan::casebook::figures::{self, Figures};
use narrows_plan::casebook::{self, Casebook, Outcome, Row};
use narrows_plan::{Description, describe};

/// Files of the folder that describe no platform.
const BOOKS: [&str; 6] =
    ["casebook.toml", "arithmetic.toml", "figures.toml", "claims.toml", "costs.toml", "tiers.toml"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases")
}

fn text(file: &str) -> String {
    std::fs::read_to_string(folder().join(file)).unwrap()
}

fn book() -> Casebook {
    casebook::read(BOOKS[0], &text(BOOKS[0])).unwrap_or_else(|error| panic!("{error}"))
}

fn sums() -> Arithmetic {
    arithmetic::read(BOOKS[1], &text(BOOKS[1])).unwrap_or_else(|error| panic!("{error}"))
}

fn list() -> Figures {
    figures::read(BOOKS[2], &text(BOOKS[2])).unwrap_or_else(|error| panic!("{error}"))
}

fn platform(file: &str) -> Description {
    describe(file, &text(file), Table::builtin()).unwrap_or_else(|error| panic!("{error}"))
}

fn run(file: &str, row: &Row) -> Result<Outcome, String> {
    row.run(&platform(file), row.against.as_deref().map(platform).as_ref())
}

#[test]
fn every_published_figure_is_where_it_was_expected_to_be_or_told_as_outside() {
    let mut wrong = Vec::new();
    for case in &book().cases {
        for row in &case.rows {
            let found = match run(&case.platform, row) {
                Ok(outcome) => {
                    println!("{} / {}: {outcome:?}", case.platform, row.what);
                    row.untold(&outcome)
                }
                Err(error) => vec![error],
            };
            wrong
                .extend(found.iter().map(|why| format!("{} / {}: {why}", case.platform, row.what)));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_sum_and_table_is_where_it_was_expected_to_be_or_told_as_outside() {
    let sums = sums();
    let mut wrong = Vec::new();
    for sum in &sums.sums {
        let found = sum.untold().unwrap_or_else(|error| vec![error]);
        wrong.extend(found.iter().map(|why| format!("{}: {why}", sum.what)));
    }
    for table in &sums.tables {
        let found = match table.run(Table::builtin()) {
            Ok(entries) => table.untold(&entries),
            Err(error) => vec![error],
        };
        wrong.extend(found.iter().map(|why| format!("{}: {why}", table.what)));
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_figure_of_the_publications_is_in_a_row_or_a_sum_or_says_why_not() {
    let gaps = list().gaps(&figures::answered(&book(), &sums()));
    assert!(gaps.is_empty(), "\n{}", gaps.join("\n"));
}

#[test]
fn a_figure_in_no_row_twice_told_or_unknown_is_a_gap() {
    let text = |id: &str, more: &str| {
        format!(
            "[[publication]]\nletter = \"A\"\ntitle = \"t\"\n[[publication.figure]]\nid = \"{id}\"\ngives = \"g\"\n{more}"
        )
    };
    let gaps = |text: &str, answered: &[&str]| {
        let answered = answered.iter().map(|id| (id.to_string(), vec!["case".to_string()]));
        figures::read("t", text).unwrap().gaps(&answered.collect())
    };
    let reason = "not_modelled = \"no unit\"";
    assert_eq!(gaps(&text("A1", ""), &["A1"]), Vec::<String>::new());
    assert_eq!(gaps(&text("A1", reason), &[]), Vec::<String>::new());
    for (text, answered, expected) in [
        (text("A1", ""), vec![], "without a reason"),
        (text("A1", reason), vec!["A1"], "said to be in none"),
        (text("A2", reason), vec![], "its number is A1"),
        (text("A1", ""), vec!["A1", "B9"], "no publication gives it"),
    ] {
        let gaps = gaps(&text, &answered);
        assert!(gaps.len() == 1 && gaps[0].contains(expected), "{gaps:?}");
    }
}

/// Numbers of two digits or more, without the commas in them.
fn numbers(text: &str) -> BTreeSet<String> {
    let digits: String = text
        .char_indices()
        .filter(|(at, c)| {
            // A comma within a number: a digit before, three after.
            let after = text[at + c.len_utf8()..].chars().take(3);
            let before = text[..*at].chars().next_back().is_some_and(|c| c.is_ascii_digit());
            !(*c == ',' && before && after.filter(char::is_ascii_digit).count() == 3)
        })
        .map(|(_, c)| c)
        .collect();
    let words = digits.split(|c: char| !c.is_ascii_digit() && c != '.');
    let words = words.map(|word| word.trim_matches('.'));
    words
        .filter(|word| word.chars().filter(char::is_ascii_digit).count() > 1)
        .map(str::to_string)
        .collect()
}

/// The sheet from which the list was made lies beside the repository, or nowhere.
#[test]
fn no_number_of_the_sheet_is_missing_in_the_list() {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/published-figures.md");
    let path = std::env::var_os("NARROWS_PUBLISHED_FIGURES").map_or(beside, PathBuf::from);
    let Ok(sheet) = std::fs::read_to_string(&path) else {
        eprintln!("SKIPPED: no sheet at {}; NARROWS_PUBLISHED_FIGURES names it", path.display());
        return;
    };
    let mut missing = Vec::new();
    for publication in &list().publications {
        let head = format!("## {}. ", publication.letter);
        let section = sheet.split(&head).nth(1).and_then(|rest| rest.split("\n## ").next());
        let section = section.unwrap_or_else(|| panic!("the sheet has no section {head}"));
        let told: String =
            publication.figures.iter().map(|figure| figure.gives.clone() + "\n").collect();
        let told = numbers(&told);
        missing.extend(
            numbers(section)
                .difference(&told)
                .map(|number| format!("{}: {number}", publication.letter)),
        );
    }
    let sections = sheet.lines().filter(|line| line.starts_with("## ")).count();
    assert_eq!(sections, list().publications.len(), "a section of the sheet is in no publication");
    assert!(missing.is_empty(), "\n{}", missing.join("\n"));
}

#[test]
fn every_description_in_the_folder_belongs_to_a_case() {
    let book = book();
    let used = |name: &str| {
        let other = |row: &Row| row.against.as_deref() == Some(name);
        book.cases.iter().any(|case| case.platform == name || case.rows.iter().any(other))
    };
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().to_string();
        if path.extension().is_some_and(|e| e == "toml") && !BOOKS.contains(&name.as_str()) {
            assert!(used(&name), "{name} is in no case");
        }
    }
}

#[test]
fn an_expectation_that_does_not_hold_is_reported_unless_it_is_told() {
    let mut book = book();
    let case = book.cases.iter_mut().find(|case| case.platform == "shared-array.toml").unwrap();
    let file = case.platform.clone();
    let row = &mut case.rows[0];
    let mut outcome = run(&file, row).unwrap();
    assert_eq!(row.untold(&outcome), Vec::<String>::new());
    row.outside = Some("told".to_string());
    assert_eq!(row.untold(&outcome).len(), 1, "told, and it held");
    outcome.published *= 1.2;
    outcome.binding = vec!["disks".to_string()];
    assert_eq!(row.broken(&outcome).len(), 3, "{:?}", row.broken(&outcome));
    assert_eq!(row.untold(&outcome), Vec::<String>::new(), "told, and it did not hold");
    row.outside = None;
    assert_eq!(row.untold(&outcome).len(), 3);
}

#[test]
fn one_rate_over_another_is_compared_with_one_ceiling_over_another() {
    let mut book = book();
    let case = book.cases.iter_mut().find(|case| case.platform == "nfs-three-paths.toml").unwrap();
    let row = &mut case.rows[0];
    let three = run("nfs-three-paths.toml", row).unwrap();
    row.against = Some("nfs-two-paths.toml".to_string());
    row.published = toml::Spanned::new(0..0, "1.5".to_string());
    let ratio = run("nfs-three-paths.toml", row).unwrap();
    let two = run(
        "nfs-two-paths.toml",
        &book.cases.iter().find(|c| c.platform == "nfs-two-paths.toml").unwrap().rows[0],
    );
    assert!((ratio.ceiling - three.ceiling / two.unwrap().ceiling).abs() < 1e-9);
    assert!((ratio.share() - 1.0).abs() < 1e-6, "{ratio:?}");
}
