//! Words that `docs/STYLE.md` marks as kept by tests, in what the recorded reports and helps say, in what `narrows explain` prints, and in
//! the book.

use std::path::{Path, PathBuf};

use narrows_judge::explain::{explain, words};

/// Words of before, and what is written in their place.
const GONE: [(&str, &str); 8] = [
    ("SURE", "CONFIRMED"),
    ("OPEN", "UNDECIDED"),
    ("times a second", "times per second"),
    ("operations a second", "operations per second"),
    ("commits a second", "commits per second"),
    ("reads a second", "reads per second"),
    ("commits a flush", "commits per flush"),
    ("HOW WIDE", "HARDWARE"),
];

/// Words of before that stored runs hold as they were said then: in what is printed of them by this version's rules, and in helps and
/// plans, there are none.
const GONE_FROM_NEW: [(&str, &str); 13] = [
    ("commit log", "WAL"),
    ("processor", "CPU"),
    ("not separable", "too close to tell"),
    ("our own server", "private instance"),
    ("of our own", "private, or of narrows"),
    ("past the page cache", "with direct I/O"),
    ("buffer pool", "shared_buffers"),
    ("whole pages", "full-page images"),
    ("looked at", "observed"),
    ("sessions at work", "active sessions"),
    ("is not known", "is unknown"),
    ("isn't known", "is unknown"),
    ("cut of the power", "power cut"),
];

/// Words of before that recorded reports may still hold in sentences of their runs.
const GONE_FROM_TEXTS: [(&str, &str); 5] = [
    ("processors", "CPUs"),
    ("the look", "the observation"),
    ("sketch", "quick run"),
    ("rung", "step"),
    ("rungs", "steps"),
];

/// The word as a whole, not as a part of another, of an id or of a path.
fn says(text: &str, word: &str) -> bool {
    let of_word = |c: char| c.is_alphanumeric() || "-_/".contains(c);
    // A dot between two words joins them to an id; behind a sentence a space follows.
    let joined = |mut letters: [Option<char>; 2]| match letters {
        [Some('.'), Some(next)] => of_word(next),
        _ => letters[0].take().is_some_and(of_word),
    };
    text.match_indices(word).any(|(at, _)| {
        let (mut before, mut after) = (text[..at].chars().rev(), text[at + word.len()..].chars());
        !joined([before.next(), before.next()]) && !joined([after.next(), after.next()])
    })
}

#[test]
fn recorded_texts_have_the_words_of_the_style() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let reports = std::fs::read_dir(golden.join("reports")).unwrap();
    let reports = reports.map(|entry| entry.unwrap().path());
    let texts = reports.filter(|path| path.extension().is_some_and(|e| e == "txt" || e == "md"));
    let all: Vec<_> =
        texts.chain(["help.txt", "plans.txt", "tiers.txt"].map(|name| golden.join(name))).collect();
    assert!(all.len() > 30, "{all:?}");
    for path in all {
        let text = std::fs::read_to_string(&path).unwrap();
        for (gone, now) in GONE {
            assert!(!says(&text, gone), "{}: `{gone}`, write `{now}`", path.display());
        }
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !(name.contains(".rejudged.")
            || ["help.txt", "plans.txt", "tiers.txt"].contains(&name.as_str()))
        {
            continue;
        }
        for (gone, now) in GONE_FROM_NEW {
            assert!(!says(&text, gone), "{}: `{gone}`, write `{now}`", path.display());
        }
    }
}

/// Fails with each text that has a word of before, in the lists for what is written now.
fn have_the_words_of_the_style(texts: &[(String, String)]) {
    let gone = || GONE.iter().chain(&GONE_FROM_NEW).chain(&GONE_FROM_TEXTS);
    let wrong: Vec<String> = texts
        .iter()
        .flat_map(|(name, text)| {
            let said = gone().filter(move |(gone, _)| says(text, gone));
            said.map(move |(gone, now)| format!("{name}: `{gone}`, write `{now}`"))
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn explanations_have_the_words_of_the_style() {
    let mut texts = Vec::new();
    for group in words() {
        for (id, line) in group.words {
            for known in explain(&id).unwrap() {
                let entries = known.entries.iter().map(|(label, text)| format!("{label} {text}\n"));
                let text = format!("{}\n{line}\n{}\n", group.title, known.title)
                    + &entries.collect::<String>();
                texts.push((id.clone(), text));
            }
        }
    }
    assert!(texts.len() > 400, "{}", texts.len());
    have_the_words_of_the_style(&texts);
}

/// Pages of the book, without those that tell cases and results of before.
fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_page = path.extension().is_some_and(|end| end == "md");
        if path.is_dir() && !path.ends_with("evidence") {
            pages(&path, found);
        } else if is_page && !path.ends_with("casebook.md") {
            found.push(path);
        }
    }
}

/// A page without the tables that are made of recorded results.
fn without_results(text: &str) -> String {
    const BEGIN: &str = "<!-- begin: written by `cargo xtask pages`";
    const END: &str = "<!-- end -->";
    let mut parts = text.split(BEGIN);
    let mut kept = parts.next().unwrap_or_default().to_string();
    for part in parts {
        kept += part.split_once(END).map_or("", |(_, after)| after);
    }
    kept
}

#[test]
fn the_book_has_the_words_of_the_style() {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src");
    let mut paths = Vec::new();
    pages(&book, &mut paths);
    assert!(paths.len() > 40, "{paths:?}");
    let texts: Vec<(String, String)> = paths
        .iter()
        .map(|path| {
            let text = without_results(&std::fs::read_to_string(path).unwrap());
            (path.strip_prefix(&book).unwrap().display().to_string(), text)
        })
        .collect();
    have_the_words_of_the_style(&texts);
}

#[test]
fn a_word_is_found_as_a_whole_only() {
    assert!(says("graded SURE.", "SURE") && !says("MEASURED", "SURE") && !says("PRESSURE", "SURE"));
    assert!(says("of a processor", "processor") && !says("moved-off-cpu", "processor"));
    let page = "a\n<!-- begin: written by `cargo xtask pages` from x -->\nold\n<!-- end -->\nb\n";
    assert_eq!(without_results(page), "a\n\nb\n");
}
