//! Every word is explained once, in full, and found however it is typed.

use std::collections::BTreeSet;

use narrows_model::Narrow;
use serde_json::{Value, json};

use super::*;

#[test]
fn every_word_is_explained_once_and_every_label_has_its_text() {
    let explanations = all();
    let ids: BTreeSet<String> = explanations.iter().map(|known| known.id.clone()).collect();
    assert_eq!(ids.len(), explanations.len(), "two things of one name");
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
    assert_eq!(explain("little-law-broken").unwrap().id, "little-law-broken");
    assert_eq!(explain("Little law broken").unwrap().id, "little-law-broken");
    assert_eq!(explain("commit wait").unwrap().id, "commit_wait");
    assert_eq!(explain("SURE").unwrap().id, "SURE");
    assert_eq!(explain("latency_p99").unwrap().entries[1], ("unit", "ns".to_string()));
    // Two words that differ in a dash: each is found as it is written.
    for id in ["generator-busy", "generator_busy"] {
        assert_eq!(explain(id).unwrap().id, id);
    }
    let unknown = explain("little-law-brokn").unwrap_err();
    assert_eq!(unknown.nearest, ["little-law-broken"]);
    assert!(explain("device-saw").unwrap_err().nearest.len() > 1);
    let text = explain("xyzzyxyzzy").unwrap_err().to_string();
    assert!(text.contains("hint: `narrows explain` lists all words"), "{text}");
}
