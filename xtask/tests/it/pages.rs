//! Pages that quote the screen say what the screen says: its headings and columns are looked for in recorded screens.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use xtask::{root, text};

/// Columns that a number and a gap take at the left of the quoted screen.
const MARGIN: usize = 4;
/// Sections that are tables, whose first line names the columns.
const TABLES: [&str; 4] = ["WORKLOAD", "CHECKS", "WHAT TO DO", "HARDWARE"];
/// A page is for reading; a picture must not be what takes longest to load.
const MOST_PICTURE_BYTES: u64 = 120_000;

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The screen of a stored run of all layers, as it is shown by this version's rules.
fn recorded_run() -> String {
    let rejudged = read("crates/cli/tests/golden/reports/run.rejudged.txt");
    if rejudged.lines().count() > 1 {
        return rejudged;
    }
    read("crates/cli/tests/golden/reports/run.txt")
}

/// Every recorded screen: stored runs, and the invented machine whose limits are known.
fn recorded_screens() -> String {
    let mut files = Vec::new();
    for folder in ["crates/cli/tests/golden/reports", "crates/report/tests/it/snapshots"] {
        text::walk(&root().join(folder), &mut files).expect("recorded screens are there");
    }
    files.retain(|file| file.extension().is_some_and(|end| end == "txt" || end == "snap"));
    assert!(files.len() > 30, "{files:?}");
    files.iter().map(|file| std::fs::read_to_string(file).expect("screens are text")).collect()
}

/// The first fenced block of the page, without the margin of numbers.
fn quoted(page: &str) -> String {
    let fenced = page.lines().skip_while(|line| !line.starts_with("```")).skip(1);
    let lines = fenced.take_while(|line| !line.starts_with("```"));
    lines.map(|line| line.get(MARGIN..).unwrap_or_default().to_string() + "\n").collect()
}

/// Pieces of a line between gaps of two columns or more.
fn pieces(line: &str) -> Vec<&str> {
    line.split("  ").map(str::trim).filter(|piece| !piece.is_empty()).collect()
}

/// A line's heading: words in capitals at its beginning, up to a gap.
fn heading(line: &str) -> Option<&str> {
    let first = pieces(line).first().copied().filter(|first| line.starts_with(first))?;
    let capitals = first.chars().all(|c| c.is_ascii_uppercase() || c == ' ' || c == '\'');
    (first.len() > 2 && capitals).then_some(first)
}

fn headings(screen: &str) -> BTreeSet<&str> {
    screen.lines().filter_map(heading).collect()
}

/// Heading and columns of each table.
fn columns(screen: &str) -> BTreeSet<(&str, &str)> {
    let tables = screen.lines().filter_map(|line| Some((heading(line)?, line)));
    tables
        .filter(|(heading, _)| TABLES.contains(heading))
        .flat_map(|(heading, line)| pieces(line).into_iter().map(move |piece| (heading, piece)))
        .collect()
}

#[test]
fn the_page_on_the_screen_has_every_heading_and_column_of_a_recorded_run_and_no_other() {
    let (page, run) = (read("docs/src/guide/reading-the-screen.md"), recorded_run());
    let quoted = quoted(&page);
    assert!(headings(&run).len() >= 9, "{:?}", headings(&run));
    assert_eq!(headings(&quoted), headings(&run));
    assert_eq!(columns(&quoted), columns(&run));
    for heading in headings(&run).into_iter().filter(|heading| *heading != "WAL") {
        let explained = format!("**{heading}**");
        assert!(page.contains(&explained), "{heading} is in no line of the list");
    }
}

#[test]
fn the_screen_has_the_rows_and_the_foot_that_the_page_quotes() {
    let (page, run) = (read("docs/src/guide/reading-the-screen.md"), recorded_run());
    let quoted = quoted(&page);
    let labels = [
        "random read 8 KiB",
        "buffered read 8 KiB",
        "flush 8 KiB",
        "Machine setup: ",
        "lookup, cached",
        "update, durable",
    ];
    for label in labels {
        assert!(quoted.contains(label) && run.contains(label), "{label}");
    }
    assert!(page.lines().count() <= 80, "one screen, and a line for each of its parts");
}

/// Words that begin a row of a table whose first column is called `column` or `section`.
fn named<'a>(page: &'a str, head: &str) -> Vec<&'a str> {
    let mut named = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        let first = line.strip_prefix("| ").and_then(|rest| rest.split(" | ").next());
        match first {
            Some(first) if first == head => inside = true,
            Some(first) if inside && !first.starts_with("---") => named.push(first),
            Some(_) => {}
            None => inside = false,
        }
    }
    named
}

#[test]
fn columns_and_sections_that_the_page_in_detail_names_are_on_recorded_screens() {
    let (page, screens) = (read("docs/src/guide/screen-in-detail.md"), recorded_screens());
    let columns = named(&page, "column");
    assert!(columns.len() >= 15, "{columns:?}");
    for column in columns {
        assert!(screens.contains(column), "no recorded screen has a column `{column}`");
    }
    let all: BTreeSet<&str> = headings(&screens);
    let sections = named(&page, "section").into_iter().flat_map(|sections| sections.split(", "));
    let of_titles = page.lines().filter_map(|line| line.strip_prefix("## "));
    let of_titles = of_titles
        .flat_map(|title| title.split(" and "))
        .filter(|title| heading(title).is_some_and(|heading| heading == *title));
    let named: Vec<&str> = sections.chain(of_titles).collect();
    assert!(named.len() >= 20, "{named:?}");
    for section in named {
        assert!(all.contains(section), "no recorded screen has a section {section}");
    }
}

/// What is said of a page's pictures: their words and their files.
fn pictures(page: &Path) -> Vec<(String, PathBuf)> {
    let text = std::fs::read_to_string(page).expect("pages are text");
    let parts: Vec<&str> = text.split("![").skip(1).collect();
    let folder = page.parent().expect("a page lies in a folder");
    let of = |part: &&str| {
        let (words, rest) = part.split_once("](")?;
        Some((words.to_string(), folder.join(rest.split(')').next()?)))
    };
    parts.iter().filter_map(of).collect()
}

#[test]
fn pictures_are_small_are_used_and_are_described_in_words() {
    let (mut pages, mut files) = (Vec::new(), Vec::new());
    text::walk(&root().join("docs/src"), &mut pages).expect("the book is there");
    pages.retain(|page| page.extension().is_some_and(|end| end == "md"));
    text::walk(&root().join("docs/src/pictures"), &mut files).expect("pictures are there");
    let used: Vec<(String, PathBuf)> = pages.iter().flat_map(|page| pictures(page)).collect();
    let whole = |path: &Path| path.canonicalize().expect("the picture is there");
    for (words, path) in &used {
        assert!(
            words.split_whitespace().count() >= 8,
            "{} is described in few words",
            path.display()
        );
    }
    for file in files {
        let bytes = std::fs::metadata(&file).expect("it is there").len();
        assert!(bytes <= MOST_PICTURE_BYTES, "{} has {bytes} bytes", file.display());
        let shown = used.iter().any(|(_, path)| whole(path) == whole(&file));
        assert!(shown, "{} is on no page", file.display());
    }
}

/// Code in a line of a page.
fn code(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// A name of a test as it is written here: a sentence.
fn is_test(code: &str) -> bool {
    let word = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric());
    code.split('_').count() > 2 && code.split('_').all(word)
}

/// A line that says what closes an entry names a file, then tests in it.
#[test]
fn files_and_tests_that_the_journal_names_are_there() {
    let journal = read("docs/journal.md");
    let (mut tests, mut gone) = (0, Vec::new());
    for line in journal.lines() {
        let mut source = None;
        for code in code(line) {
            let folder = ["crates/", "xtask/", "tools/"].iter().any(|at| code.starts_with(at));
            if folder && code.ends_with(".rs") {
                source = std::fs::read_to_string(root().join(code)).ok();
                gone.extend(source.is_none().then(|| code.to_string()));
            } else if let Some(source) = source.as_ref().filter(|_| is_test(code)) {
                tests += 1;
                let there = source.contains(&format!("fn {code}("));
                gone.extend((!there).then(|| code.to_string()));
            }
        }
    }
    assert!(tests > 50, "{tests}");
    assert!(gone.is_empty(), "named in docs/journal.md and not there: {gone:?}");
}

#[test]
fn headings_and_columns_are_found_in_a_screen() {
    let screen = "vm  x\nWHAT TO DO      expected gain  how to check\n1  a: more    -\nWHY UNDECIDED\n  b  c\nNOT KNOWN  x\nCONFIRMED: a.\n";
    let found: Vec<&str> = headings(screen).into_iter().collect();
    assert_eq!(found, ["NOT KNOWN", "WHAT TO DO", "WHY UNDECIDED"]);
    let found: Vec<_> = columns(screen).into_iter().map(|(_, column)| column).collect();
    assert_eq!(found, ["WHAT TO DO", "expected gain", "how to check"]);
}
