//! Every word is explained once, in full, and found however it is typed.

use std::collections::BTreeSet;

use narrows_model::Bottleneck;
use serde_json::{Value, json};

use super::*;

fn ids(word: &str) -> Vec<String> {
    let found = explain(word).unwrap_or_else(|unknown| panic!("{unknown}"));
    found.into_iter().map(|known| known.id).collect()
}

fn explanations() -> Vec<Explanation> {
    all().into_iter().map(|entry| entry.explanation).collect()
}

/// Title and entries.
fn texts(explanation: &Explanation) -> impl Iterator<Item = &str> {
    let entries = explanation.entries.iter().map(|(_, text)| text.as_str());
    std::iter::once(explanation.title.as_str()).chain(entries)
}

#[test]
fn every_word_is_explained_once_and_every_label_has_its_text() {
    let explanations = explanations();
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
fn no_explanation_has_a_link_of_the_code_a_number_without_its_unit_or_a_broken_line() {
    const DIGITS: usize = 9;
    for explanation in explanations() {
        for text in texts(&explanation) {
            let numbers = text.split(|c: char| !c.is_ascii_digit());
            let longest = numbers.map(str::len).max().unwrap_or(0);
            assert!(longest <= DIGITS, "{}: {text}", explanation.id);
            assert!(!text.contains("[`"), "{}: {text}", explanation.id);
            assert!(!text.contains("  ") && !text.contains('\n'), "{}: {text}", explanation.id);
        }
    }
    let short = &explain("observed-too-short").unwrap()[0];
    let fires = short.entries.iter().find(|(label, _)| *label == "fires when").unwrap();
    assert!(fires.1.ends_with("length of the observation below 10 s"), "{}", fires.1);
    assert_eq!(without_links("as in [`SESSIONS`]"), "as in `SESSIONS`");
}

/// Keys are quoted in findings, so each has to say what it is.
#[test]
fn every_metric_and_every_condition_is_found_by_its_name() {
    let of_kind = |name: &str, kind: &str| {
        let found = explain(name).unwrap_or_else(|unknown| panic!("{unknown}"));
        found.iter().filter(|known| known.id == name && known.entries[0].1.contains(kind)).count()
    };
    for metric in metric::all() {
        assert_eq!(of_kind(metric.name, "metric"), 1, "{metric}");
    }
    for key in condition::all() {
        assert_eq!(of_kind(key.name, "conditions"), 1, "{}", key.name);
        assert!(key.about.split(' ').count() > 2, "{}: {}", key.name, key.about);
    }
    assert!(condition::all().count() > 250);
    let [workers] = &explain("kernel_workers").unwrap()[..] else { panic!("the rule has a dash") };
    assert_eq!(workers.entries[1], ("value", "a number".to_string()));
    let streams = explain("streams").unwrap().pop().unwrap();
    assert_eq!(streams.entries[1], ("value", "a list, or a number".to_string()));
}

#[test]
fn every_verdict_that_a_run_file_can_name_is_explained() {
    // The table has one row for each place, by the word of the run file.
    let mut named = BTreeSet::new();
    for verdict in VERDICTS {
        let read: Result<Bottleneck, _> = serde_json::from_value(json!(verdict.id));
        let place = read.unwrap_or_else(|error| panic!("{}: {error}", verdict.id));
        assert_eq!(serde_json::to_value(place).unwrap(), Value::from(verdict.id));
        named.insert(place);
    }
    assert_eq!(named.len(), VERDICTS.len());
    // What the reader of run files says that it knows.
    let error = serde_json::from_value::<Bottleneck>(json!("nothing")).unwrap_err().to_string();
    let known = error.matches('`').count() / 2 - 1;
    assert_eq!(known, VERDICTS.len(), "{error}");
}

#[test]
fn a_word_is_found_as_it_is_printed_and_as_it_is_mistyped() {
    assert_eq!(ids("little-law-broken"), ["little-law-broken"]);
    assert_eq!(ids("Little law broken"), ["little-law-broken"]);
    assert_eq!(ids("commit wait"), ["commit wait", "commit_wait"]);
    assert_eq!(ids("CONFIRMED"), ["CONFIRMED"]);
    assert_eq!(ids("SURE"), ["CONFIRMED"]);
    assert_eq!(explain("latency_p99").unwrap()[0].entries[1], ("unit", "ns".to_string()));
    // A finding and a metric that differ in a dash are found as they are written, both by neither form; a verdict and a metric of one
    // name are both printed.
    assert_eq!(
        (ids("zero-blocks"), ids("zero_blocks")),
        (vec!["zero-blocks".to_string()], vec!["zero_blocks".to_string()])
    );
    assert_eq!(ids("zero blocks"), ["zero-blocks", "zero_blocks"]);
    assert_eq!(ids("workers"), ["workers", "workers", "workers"], "and a condition's key");
    let unknown = explain("little-law-brokn").unwrap_err();
    assert_eq!(unknown.nearest, ["little-law-broken"]);
    assert!(explain("device-saw").unwrap_err().nearest.len() > 1);
}

#[test]
fn every_word_of_the_screens_has_its_term() {
    for (word, term) in [
        ("p99", "p99"),
        ("tps", "tps"),
        ("IOPS", "IOPS"),
        ("wal", "WAL"),
        ("WAL flush", "WAL flush"),
        ("flush", "WAL flush"),
        ("run queue", "run queue"),
        ("group commit", "group commit"),
        ("QD1", "queue depth"),
        ("QD256", "queue depth"),
        ("burst", "burst"),
        ("suspect", "suspect"),
        ("?", "suspect"),
        ("invalid", "invalid"),
        ("valid", "valid"),
        ("durability", "durability"),
        ("checks", "CHECKS"),
        ("CPU used by other programs", "CPU used by other programs"),
        ("knee", "knee"),
        ("closed loop", "closed loop"),
        ("open loop", "open loop"),
        ("quick", "quick"),
        ("repeat", "repeat"),
        ("±95%", "±95%"),
        ("±95 %", "±95%"),
        ("bottleneck", "bottleneck"),
        ("throughput", "throughput"),
        ("latency", "latency"),
        ("capacity", "capacity"),
        ("limit", "limit"),
        ("WHAT TO DO", "WHAT TO DO"),
        ("NOT KNOWN", "NOT KNOWN"),
    ] {
        let first = &explain(word).unwrap_or_else(|unknown| panic!("{unknown}"))[0];
        assert_eq!((first.id.as_str(), first.entries[0].1.as_str()), (term, "term"), "{word}");
    }
    let flush = &explain("flush").unwrap()[0].entries;
    let label = |label: &str| flush.iter().any(|(known, _)| *known == label);
    for wanted in ["unit", "PostgreSQL", "Oracle", "fio", "kernel", "more"] {
        assert!(label(wanted), "{wanted}: {flush:?}");
    }
    // As the screen names a bottleneck, the verdict is found.
    for narrow in Bottleneck::NAMED {
        let id = serde_json::to_value(narrow).unwrap();
        let id = id.as_str().unwrap();
        assert!(ids(narrow.words()).iter().any(|found| found == id), "{id}: {}", narrow.words());
    }
    assert_eq!(ids("locks").last().map(String::as_str), Some("lock"), "as it was called before");
    assert_eq!(ids("CPU quota"), ["CPU quota", "cpu_quota"]);
}

#[test]
fn no_name_leads_to_two_terms_and_the_terms_are_in_order() {
    let key = |term: &Term| term.name.trim_start_matches('±').to_lowercase();
    assert!(TERMS.is_sorted_by_key(key));
    let mut names = BTreeSet::new();
    for entry in all().iter().filter(|entry| entry.is_term) {
        for name in entry.names() {
            assert!(names.insert(name.clone()), "{name} twice");
        }
    }
}

#[test]
fn findings_are_explained_by_the_ids_of_older_run_files_too() {
    let is_rule = |id: &str| rules().iter().any(|rule| rule.id == id);
    for (former, current) in narrows_model::FORMER_FINDING_IDS {
        assert!(is_rule(current) && !is_rule(former), "{former} -> {current}");
        assert_eq!(ids(former), [current]);
    }
}

#[test]
fn a_word_that_only_one_name_completes_is_that_name() {
    assert_eq!(ids("queues"), ["queues-fewer-than-cpus", "queues"], "a key completes nothing");
    assert_eq!(ids("burst-w"), ["burst-write"]);
    assert_eq!(ids("overbooked"), ["pcie-link-overbooked"]);
    // Several, or a part of a word: suggested only.
    assert!(explain("pcie").unwrap_err().nearest.len() > 1);
    assert_eq!(
        explain("vacu").unwrap_err().nearest,
        ["observed-autovacuum", "autovacuum-busy", "autovacuum-off", "autovacuum_on_table"]
    );
}

#[test]
fn the_error_repeats_the_word_that_was_asked_for() {
    let text = explain("xyzzyxyzzy").unwrap_err().to_string();
    assert!(text.starts_with("`xyzzyxyzzy` not found: "), "{text}");
    assert!(text.contains("hint: `narrows explain` lists all words"), "{text}");
}
