//! Words that `docs/STYLE.md` marks as kept by tests, in everything that the recorded reports and helps say.

use std::path::Path;

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
const GONE_FROM_NEW: [(&str, &str); 12] = [
    ("commit log", "WAL"),
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

/// The word as a whole, not as a part of another.
fn says(text: &str, word: &str) -> bool {
    let bound = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    text.match_indices(word).any(|(at, _)| {
        bound(text[..at].chars().next_back()) && bound(text[at + word.len()..].chars().next())
    })
}

#[test]
fn recorded_texts_have_the_words_of_the_style() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let reports = std::fs::read_dir(golden.join("reports")).unwrap();
    let reports = reports.map(|entry| entry.unwrap().path());
    let texts = reports.filter(|path| path.extension().is_some_and(|e| e == "txt" || e == "md"));
    let all: Vec<_> = texts.chain([golden.join("help.txt"), golden.join("plans.txt")]).collect();
    assert!(all.len() > 30, "{all:?}");
    for path in all {
        let text = std::fs::read_to_string(&path).unwrap();
        for (gone, now) in GONE {
            assert!(!says(&text, gone), "{}: `{gone}`, write `{now}`", path.display());
        }
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !(name.contains(".rejudged.") || ["help.txt", "plans.txt"].contains(&name.as_str())) {
            continue;
        }
        for (gone, now) in GONE_FROM_NEW {
            assert!(!says(&text, gone), "{}: `{gone}`, write `{now}`", path.display());
        }
    }
}

#[test]
fn a_word_is_found_as_a_whole_only() {
    assert!(says("graded SURE.", "SURE") && !says("MEASURED", "SURE") && !says("PRESSURE", "SURE"));
}
