//! The alarms that are shipped: each names figures and labels that a target writes.

use std::collections::{BTreeMap, BTreeSet};

use crate::program::{Program, logged, make_cache, make_log};

const ALARMS: &str = include_str!("../../../../packaging/narrows-target/alarms.yml");
const GUIDE: &str = include_str!("../../../../docs/src/guide/storage-target.md");
/// A figure of node_exporter's textfile collector, and its label.
const OF_COLLECTOR: (&str, &str) = ("node_textfile_mtime_seconds", "file");

/// Of each alarm its name, and its lines.
fn alarms() -> BTreeMap<&'static str, Vec<&'static str>> {
    let rules = ALARMS.split("      - alert: ").skip(1).map(|rule| {
        let mut lines = rule.lines().map(str::trim).filter(|line| !line.is_empty());
        (lines.next().unwrap(), lines.collect())
    });
    let found: BTreeMap<_, _> = rules.collect();
    assert_eq!(found.len(), ALARMS.matches("alert:").count(), "two have one name");
    found
}

/// What follows that word in a rule.
fn said<'a>(lines: &[&'a str], key: &str) -> &'a str {
    let found: Vec<&str> = lines.iter().filter_map(|line| line.strip_prefix(key)).collect();
    assert_eq!(found.len(), 1, "{key} in {lines:?}");
    found[0].trim()
}

/// Names in a text that begin so.
fn names<'a>(text: &'a str, begin: &str) -> BTreeSet<&'a str> {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split(|c| !is_of_name(c)).filter(|word| word.starts_with(begin)).collect()
}

/// Figures that a target with a log and a cache on a drive writes, with the labels of each.
fn written() -> BTreeMap<String, BTreeSet<String>> {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["logged", "cached"] {
        std::fs::write(at(name), vec![0; 1 << 20]).unwrap();
    }
    let (media, cache, metrics) = ([at("log")], at("cache"), at("metrics"));
    make_log(&at("logged"), &media, &[]);
    make_cache(&cache, 1 << 20);
    let cached = format!("{},cache={}", at("cached").display(), cache.display());
    let more = ["--metrics", metrics.to_str().unwrap()];
    Program::serving(&[&logged(&at("logged"), &media), &cached], &more).stop();
    let text = std::fs::read_to_string(metrics).unwrap();
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for sample in text.lines().filter(|line| !line.starts_with('#')) {
        let series = sample.rsplit_once(' ').unwrap().0;
        let (name, labels) = series.split_once('{').unwrap_or((series, ""));
        let labels = labels.trim_end_matches('}').split(',').filter_map(|its| its.split_once('='));
        let labels = labels.map(|(label, _)| label.to_string());
        all.entry(name.to_string()).or_default().extend(labels);
    }
    all
}

#[test]
fn alarms_name_figures_and_labels_that_a_target_writes() {
    let (written, alarms) = (written(), alarms());
    for (alarm, lines) in &alarms {
        let expr = said(lines, "expr:");
        let figures = names(expr, "narrows_target_");
        let collector = names(expr, "node_");
        assert!(collector.iter().all(|name| *name == OF_COLLECTOR.0), "{alarm}: {collector:?}");
        assert!(!figures.is_empty() || !collector.is_empty(), "{alarm} names no figure");
        let mut labels = BTreeSet::from([OF_COLLECTOR.1]);
        for figure in &figures {
            let its = written.get(*figure);
            let its = its.unwrap_or_else(|| panic!("{alarm}: no target writes {figure}"));
            labels.extend(its.iter().map(String::as_str));
            // A counter is asked how far it went, and a gauge what it is.
            let asked = expr.contains(&format!("increase({figure}["));
            assert_eq!(asked, figure.ends_with("_total"), "{alarm}: {figure}");
        }
        let text = [said(lines, "summary:"), said(lines, "description:")].concat();
        for label in text.split("$labels.").skip(1) {
            let label = label.split(' ').next().unwrap();
            assert!(labels.contains(label), "{alarm}: {label} is none of {labels:?}");
        }
        for (open, close) in [('(', ')'), ('[', ']'), ('{', '}')] {
            assert_eq!(expr.matches(open).count(), expr.matches(close).count(), "{alarm}: {expr}");
        }
    }
}

#[test]
fn every_alarm_is_in_the_guide_with_its_severity() {
    let mut documented = BTreeMap::new();
    for line in GUIDE.lines().filter_map(|line| line.strip_prefix("| `NarrowsTarget")) {
        let (name, rest) = line.split_once("` | ").unwrap();
        documented.insert(format!("NarrowsTarget{name}"), rest.split(" |").next().unwrap());
    }
    let shipped = alarms();
    let shipped = shipped.iter().map(|(name, lines)| (name.to_string(), said(lines, "severity:")));
    assert_eq!(documented, shipped.collect());
}
