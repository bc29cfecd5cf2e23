//! Promises about the workspace as a whole, kept by ordinary tests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use narrows_judge::explain;
use xtask::{book, crates, files, generate, lines, links, prints, root, sources, text};

fn none(wrong: Vec<String>) {
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn no_crate_knows_what_it_must_not() {
    none(crates::broken(&crates::dependencies(&root()).expect("cargo metadata answers")));
}

#[test]
fn pure_crates_touch_nothing() {
    let mut wrong = Vec::new();
    for (name, folder) in crates::PURE {
        let mut files = Vec::new();
        text::walk(&root().join(folder).join("src"), &mut files).expect("the crate is there");
        assert!(!files.is_empty(), "{name} has no source");
        for file in files {
            let source = std::fs::read_to_string(&file).expect("source is text");
            let lines = crates::impure_lines(&source);
            wrong.extend(lines.iter().map(|(n, line)| format!("{}:{n}: {line}", file.display())));
        }
    }
    none(wrong);
}

/// A crate without unsafe code says so, and the compiler keeps it.
#[test]
fn crates_without_unsafe_code_forbid_it() {
    let mut unsafe_in: BTreeMap<PathBuf, bool> = BTreeMap::new();
    let mut files = Vec::new();
    text::walk(&root().join("crates"), &mut files).expect("the crates can be listed");
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "rs")) {
        let crate_root = file.ancestors().find_map(|folder| {
            folder.ends_with("src").then(|| folder.join("lib.rs")).filter(|lib| lib.is_file())
        });
        let Some(crate_root) = crate_root else { continue };
        let source = std::fs::read_to_string(file).expect("source is text");
        let lines: Vec<&str> = source.lines().collect();
        let blocks = ["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern"];
        let found = sources::found(&lines, &blocks).next().is_some();
        *unsafe_in.entry(crate_root).or_default() |= found;
    }
    assert!(unsafe_in.values().any(|found| *found), "unsafe code is not found where it is");
    let silent = |lib: &PathBuf| {
        let source = std::fs::read_to_string(lib).expect("source is text");
        !source.contains("#![forbid(unsafe_code)]")
    };
    let silent = unsafe_in.into_iter().filter(|(lib, found)| !found && silent(lib));
    none(silent.map(|(lib, _)| format!("{} forbids nothing", lib.display())).collect());
}

#[test]
fn nobody_goes_around_the_one_place_that_opens_files() {
    none(files::around(&root()).expect("the sources can be read"));
}

/// Lines of shipped sources that `wrong` finds, with their places.
fn lines_of_sources(wrong: impl Fn(&str, &str) -> Vec<usize>) -> Vec<String> {
    let sources = sources::shipped_sources(&root()).expect("the sources can be read");
    assert!(!sources.is_empty());
    let lines = |(path, source): &(String, String)| {
        wrong(path, source).iter().map(|line| format!("{path}:{line}")).collect::<Vec<_>>()
    };
    sources.iter().flat_map(lines).collect()
}

/// A key that is spelled in two places is spelled in two ways one day. Keys are constants of the model with the type of what stands
/// under them; only the model can make one, and what a server calls its settings comes from the server.
#[test]
fn no_key_of_a_workload_or_condition_is_a_literal() {
    let literal = |source: &str, call: &str| {
        let calls = source.match_indices(call).map(|(at, _)| at);
        let given = calls.filter(|at| source[at + call.len()..].trim_start().starts_with('"'));
        given.map(|at| source[..at].lines().count() + 1).collect::<Vec<_>>()
    };
    none(lines_of_sources(|path, source| {
        let place = path.starts_with("crates/model/src/condition/") || path.ends_with("/orders.rs");
        let mut wrong = literal(source, ".add_setting(");
        wrong.extend(literal(source, ".add_refusal("));
        if !place && path != "crates/model/src/condition.rs" {
            wrong.extend(literal(source, "Key::new("));
        }
        wrong
    }));
}

/// What stands under a name has one shape, or the constants say which other it can have.
#[test]
fn a_key_is_defined_once() {
    const TWO_SHAPES: [&str; 2] = ["streams", "client_cpus"];
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    let sources = sources::shipped_sources(&root()).expect("the sources can be read");
    for (path, source) in sources {
        if path.starts_with("crates/model/") {
            let source: Vec<&str> = sources::shipped(&source).collect();
            for rest in source.join("\n").split("Key::new(").skip(1) {
                if let Some(name) = rest.trim_start().strip_prefix('"') {
                    let name = name.split('"').next().unwrap_or_default();
                    *times.entry(name.to_string()).or_default() += 1;
                }
            }
        }
    }
    assert!(times.len() > 150, "{}", times.len());
    let allowed = |name: &str| if TWO_SHAPES.contains(&name) { 2 } else { 1 };
    let wrong = times.into_iter().filter(|(name, times)| *times != allowed(name));
    none(wrong.map(|(name, times)| format!("{name}: {times} constants")).collect());
}

/// What ids begin with is known to the model: a literal elsewhere drifts from what the layers call their measurements.
#[test]
fn nobody_takes_an_id_apart_by_a_literal() {
    const APART: [&str; 3] = [".starts_with(\"", ".strip_prefix(\"", ".trim_start_matches(\""];
    const BEGINNINGS: [&str; 6] = ["absent-", "clock.", "memory.", "block.", "log.", "database."];
    let takes_apart = |line: &str| {
        let mut given = APART.iter().flat_map(|call| line.split(call).skip(1));
        given.any(|rest| BEGINNINGS.iter().any(|beginning| rest.starts_with(beginning)))
    };
    assert!(takes_apart("m.id.starts_with(\"log.calibrate.\")"));
    assert!(!takes_apart("path.starts_with(\"/sys/block/\")"));
    none(lines_of_sources(|path, source| {
        if path == "crates/model/src/id.rs" || path == "crates/model/src/finding.rs" {
            return Vec::new();
        }
        let lines = sources::shipped(source).enumerate();
        lines.filter(|(_, line)| takes_apart(line)).map(|(at, _)| at + 1).collect()
    }));
}

/// What comes from outside passes one filter on its last step to a terminal.
#[test]
fn nobody_prints_around_the_filter() {
    assert!(root().join(prints::STREAM).is_file());
    none(lines_of_sources(prints::unfiltered));
}

/// One place breaks lines, and one makes text harmless.
#[test]
fn no_text_is_wrapped_or_filtered_a_second_way() {
    none(lines_of_sources(lines::second_ways));
}

/// A second composition of the rules drifts from the first.
#[test]
fn a_whole_run_is_judged_in_one_place() {
    let steps = ["narrows_validity::check(", "narrows_limits::attach(", "narrows_verdict::judge("];
    let elsewhere = |path: &str, source: &str| {
        let lines: Vec<&str> = sources::shipped(source).collect();
        // Tests of layers that live in modules of their own.
        let judges = path.starts_with("crates/judge/") || path.ends_with("/hot/judged.rs");
        if judges { Vec::new() } else { sources::found(&lines, &steps).map(|at| at + 1).collect() }
    };
    none(lines_of_sources(elsewhere));
}

/// What a server is and in which language it is asked, only a kind of server knows.
#[test]
fn the_database_layer_has_no_statement_and_no_name_of_a_servers() {
    const WORDS: [&str; 6] =
        ["SELECT ", "INSERT ", "CREATE TABLE", "pg_", "innodb", "narrows_postgres"];
    let mut files = Vec::new();
    let folder = root().join("crates/layers/database/src");
    text::walk(&folder, &mut files).expect("the layer is there");
    files.retain(|file| !file.to_string_lossy().ends_with("_test.rs"));
    assert!(files.len() > 20, "{files:?}");
    let mut wrong = Vec::new();
    for file in files {
        let source = std::fs::read_to_string(&file).expect("source is text");
        let code = source.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        for (n, line) in code.lines().enumerate() {
            if WORDS.iter().any(|word| line.contains(word)) {
                wrong.push(format!("{}:{}: {line}", file.display(), n + 1));
            }
        }
    }
    none(wrong);
}

#[test]
fn one_rule_decides_exit_codes() {
    assert!(root().join(prints::RULE).is_dir());
    none(lines_of_sources(prints::own_codes));
}

/// A file that no other names as its module isn't compiled, and its tests don't run.
#[test]
fn every_file_of_a_test_program_belongs_to_it() {
    let mut sources = Vec::new();
    text::walk(&root().join("crates"), &mut sources).expect("the crates are there");
    sources.retain(|path| path.extension().is_some_and(|end| end == "rs"));
    let folder = |main: &Path| main.parent().map(Path::to_path_buf);
    let programs =
        sources.iter().filter(|path| path.ends_with("main.rs")).filter_map(|p| folder(p));
    let programs: Vec<_> = programs
        .filter(|program| folder(program).is_some_and(|above| above.ends_with("tests")))
        .collect();
    assert!(programs.len() >= 2, "{programs:?}");
    let mut wrong = Vec::new();
    for program in &programs {
        let files: Vec<_> = sources.iter().filter(|path| path.starts_with(program)).collect();
        let read = |path: &&std::path::PathBuf| std::fs::read_to_string(path).expect("text");
        let all: String = files.iter().map(read).collect();
        for file in &files {
            let name = match file.file_stem().and_then(|stem| stem.to_str()) {
                Some("main") | None => continue,
                Some("mod") => {
                    folder(file).and_then(|it| Some(it.file_name()?.to_str()?.to_string()))
                }
                Some(stem) => Some(stem.to_string()),
            };
            if name.is_none_or(|name| !all.contains(&format!("mod {name};"))) {
                wrong.push(format!("{} is in no program", file.display()));
            }
        }
    }
    none(wrong);
}

#[test]
fn generated_files_are_up_to_date() {
    let outdated = generate::outdated(&generate::all().expect("they can be made"));
    assert!(outdated.is_empty(), "{outdated:?}; run `cargo xtask docs`");
}

#[test]
fn every_link_leads_somewhere() {
    none(links::broken(&root()).expect("the book is there"));
}

#[test]
fn the_book_is_made_of_pages_that_are_found_from_each_other() {
    let pages = book::pages(&root()).expect("its pages are there, and its links lead to them");
    let index =
        pages.iter().find(|page| page.path == Path::new("index.html")).expect("a first page");
    let text = |page: &book::Page| String::from_utf8_lossy(&page.bytes).into_owned();
    let contents = text(index);
    for page in pages.iter().filter(|page| page.path.extension().is_some_and(|e| e == "html")) {
        let html = text(page);
        let titles = html.matches("<h1 id=").count();
        assert_eq!(titles, 1, "{} has {titles} titles", page.path.display());
        let listed = contents.contains(&format!("href=\"{}\"", page.path.display()));
        // An entry is listed by its group, whose page has the name of its folder.
        let folder = page.path.parent().expect("below the book's folder");
        let group = pages.iter().find(|group| group.path == folder.with_extension("html"));
        let entry = page.path.strip_prefix(folder.parent().unwrap_or(folder)).expect("its folder");
        let in_group =
            group.is_some_and(|g| text(g).contains(&format!("href=\"{}\"", entry.display())));
        assert!(
            listed || in_group || page.path == index.path,
            "{} is not listed",
            page.path.display()
        );
    }
}

#[test]
fn every_verdict_and_finding_has_a_page_of_its_own() {
    let pages = book::pages(&root()).expect("its pages are there");
    let has_page = |id: &str| {
        let name = format!("{id}.html");
        pages.iter().any(|page| page.path.starts_with("findings") && page.path.ends_with(&name))
    };
    let rules = narrows_validity::rules().iter().map(|rule| rule.id.to_string());
    let verdicts = explain::words().into_iter().filter(|group| group.title.contains("erdict"));
    let verdicts: Vec<String> =
        verdicts.flat_map(|group| group.words).map(|(id, _)| id.to_string()).collect();
    assert!(verdicts.len() > 15, "{verdicts:?}");
    let without: Vec<String> = rules.chain(verdicts).filter(|id| !has_page(id)).collect();
    assert!(without.is_empty(), "no page: {without:?}");
}

#[test]
fn no_text_speaks_of_the_machine_it_was_written_on() {
    none(text::unclean(&root()).expect("the files can be listed"));
}

#[test]
fn both_licences_and_the_pages_a_newcomer_looks_for_are_there() {
    for name in [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "LICENSE-APACHE",
        "LICENSE-MIT",
        "SECURITY.md",
        "deny.toml",
        ".ci/run",
    ] {
        assert!(Path::new(&root()).join(name).is_file(), "no {name}");
    }
}
