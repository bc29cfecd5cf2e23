//! Every word is explained once, in full, and found however it is typed.

use std::collections::BTreeSet;

use narrows_model::Narrow;
use serde_json::{Value, json};

use super::*;

#[test]
fn every_word_is_explained_once_and_every_label_has_its_text() {
    let explanations = all();
    let kind = |known: &Explanation| (known.id.clone(), known.entries[0].1.clone());
    let ids: BTreeSet<_> = explanations.iter().map(kind).collect();
    assert_eq!(ids.len(), explanations.len(), "two things of one kind and name");
    for explanation in &explanations {
        assert!(
            explanation.title.ends_with(|c: char| c.is_alphanumeric() || ".)".contains(c)),
            "{explanation:?}"
        );
        for (label, text) in &explanation.entries {
            assert!(text.len() > 1 && text.trim() == text, "{}: {label}: {text}", explanation.id);
        }
    }
    let listed: usize = words().iter().map(|group| group.words.len()).sum();
    assert_eq!(listed, explanations.len());
}

#[test]
fn every_verdict_that_a_run_file_can_name_is_explained() {
    // The table has one row for each place, by the word of the run file.
    let mut named = BTreeSet::new();
    for verdict in VERDICTS {
        let read: Result<Narrow, _> = serde_json::from_value(json!(verdict.id));
        let place = read.unwrap_or_else(|error| panic!("{}: {error}", verdict.id));
        assert_eq!(serde_json::to_value(place).unwrap(), Value::from(verdict.id));
        named.insert(place);
    }
    assert_eq!(named.len(), VERDICTS.len());
    // What the reader of run files says that it knows.
    let error = serde_json::from_value::<Narrow>(json!("nothing")).unwrap_err().to_string();
    let known = error.matches('`').count() / 2 - 1;
    assert_eq!(known, VERDICTS.len(), "{error}");
}

#[test]
fn a_word_is_found_as_it_is_printed_and_as_it_is_mistyped() {
    let ids = |word: &str| -> Vec<String> {
        explain(word).unwrap().into_iter().map(|known| known.id).collect()
    };
    assert_eq!(ids("little-law-broken"), ["little-law-broken"]);
    assert_eq!(ids("Little law broken"), ["little-law-broken"]);
    assert_eq!(ids("commit wait"), ["commit_wait"]);
    assert_eq!(ids("CONFIRMED"), ["CONFIRMED"]);
    assert_eq!(ids("SURE"), ["CONFIRMED"]);
    assert_eq!(explain("latency_p99").unwrap()[0].entries[1], ("unit", "ns".to_string()));
    // A finding and a metric that differ in a dash are found as they are written, both by neither form; a verdict and a metric of one
    // name are both told.
    assert_eq!(
        (ids("zero-blocks"), ids("zero_blocks")),
        (vec!["zero-blocks".to_string()], vec!["zero_blocks".to_string()])
    );
    assert_eq!(ids("zero blocks"), ["zero-blocks", "zero_blocks"]);
    assert_eq!(ids("workers"), ["workers", "workers"]);
    let unknown = explain("little-law-brokn").unwrap_err();
    assert_eq!(unknown.nearest, ["little-law-broken"]);
    assert!(explain("device-saw").unwrap_err().nearest.len() > 1);
    let text = explain("xyzzyxyzzy").unwrap_err().to_string();
    assert!(text.contains("hint: `narrows explain` lists all words"), "{text}");
}
