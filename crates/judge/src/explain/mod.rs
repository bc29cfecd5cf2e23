//! What a word of a report means: a term, a finding's rule, a cause, a verdict, a grade, a metric, a
//! condition. Printed from the same tables that judge.

mod glossary;
mod verdicts;

use std::collections::BTreeSet;

use narrows_causes::CauseRule;
use narrows_limits::table::nearest;
use narrows_model::condition::{self, KeyDescription};
use narrows_model::{Better, Metric, Severity, Unit, Urgency, current_finding_id, metric};
use narrows_validity::{About, Group, Rule, rules};

pub use glossary::{Elsewhere, Page, TERMS, Term};
pub use verdicts::GRADES;
use verdicts::{VERDICTS, Verdict};

/// The title of the list of terms.
pub const GLOSSARY: &str = "Terms";
/// The title of the list of causes.
pub const CAUSES: &str = "Causes";
/// The title of the list of metrics.
pub const METRICS: &str = "Metrics";
/// The title of the list of keys of a measurement's workload and conditions.
pub const CONDITIONS: &str = "Workloads and conditions";

/// A word and what there is to say of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The word, as a run file has it.
    pub id: String,
    /// What it is in a line.
    pub title: String,
    /// A label and its text each.
    pub entries: Vec<(&'static str, String)>,
}

/// Words of one kind, each with what it is in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    /// What they are.
    pub title: &'static str,
    /// The words.
    pub words: Vec<(String, String)>,
}

/// A word that nothing is known of.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{word}` not found: no term, finding, cause, verdict, grade, metric or condition has this name\nhint: {}`narrows explain` lists all words",
    also(.nearest)
)]
pub struct UnknownWord {
    /// As it was asked for.
    pub word: String,
    /// Words that are like it.
    pub nearest: Vec<String>,
}

fn also(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        words => format!("did you mean {}? ", words.join(", ")),
    }
}

/// What older versions printed, and what it is called now.
const BEFORE: [(&str, &str); 2] = [("SURE", "CONFIRMED"), ("OPEN", "UNDECIDED")];

/// An explanation, and by which names it is found.
struct Entry {
    explanation: Explanation,
    /// Names besides its id.
    also: &'static [&'static str],
    is_term: bool,
    /// A condition's key: it is found by its whole name, and completes no other word.
    is_key: bool,
}

impl Entry {
    fn new(explanation: Explanation) -> Entry {
        Entry { explanation, also: &[], is_term: false, is_key: false }
    }

    fn id(&self) -> &str {
        &self.explanation.id
    }

    /// All its names, without what differs in upper case, spaces, `-` and `_`.
    fn names(&self) -> impl Iterator<Item = String> {
        std::iter::once(self.id()).chain(self.also.iter().copied()).map(plain)
    }
}

/// What is known of a word: all that are called so, since a metric may have the name of a verdict. Upper case, spaces, `-` and `_` matter
/// only where something is called exactly so. A word that only one name can complete stands for it: `queues` for
/// `queues-fewer-than-cpus`.
///
/// # Errors
/// Nothing is.
pub fn explain(word: &str) -> Result<Vec<Explanation>, UnknownWord> {
    let now = BEFORE.iter().find(|(old, _)| *old == word).map_or(word, |(_, now)| now);
    let now = current_finding_id(now);
    let (keys, entries): (Vec<Entry>, Vec<Entry>) = all().into_iter().partition(|e| e.is_key);
    let exact =
        |word: &str| entries.iter().chain(&keys).any(|entry| !entry.is_term && entry.id() == word);
    let mut found = called(&entries, exact(now), now);
    if found.is_empty()
        && let Some(whole) = completed(&entries, &plain(now))
    {
        found = called(&entries, false, &whole);
    }
    found.extend(called(&keys, exact(now), now));
    if found.is_empty() {
        let names: Vec<Entry> = entries.into_iter().chain(keys).collect();
        return Err(UnknownWord { word: word.to_string(), nearest: like(&plain(now), &names) });
    }
    Ok(found)
}

/// Those of a name: terms by any spelling, others by any unless one of all is called `exact`ly so.
fn called(entries: &[Entry], exact: bool, word: &str) -> Vec<Explanation> {
    let name = plain(word);
    let fits = |entry: &&Entry| {
        (entry.is_term || !exact || entry.id() == word)
            && entry.names().any(|called| called == name)
    };
    entries.iter().filter(fits).map(|entry| entry.explanation.clone()).collect()
}

/// The only id of which a name begins with the word, else the only one of which a name has it among its parts.
fn completed(entries: &[Entry], word: &str) -> Option<String> {
    const LEAST: usize = 3;
    let only = |fits: &dyn Fn(&str) -> bool| {
        let fits = |name: String| name != word && fits(&name);
        let fitting = entries.iter().filter(|entry| entry.names().any(fits));
        let ids: BTreeSet<String> = fitting.map(|entry| plain(entry.id())).collect();
        if ids.len() == 1 { ids.into_iter().next() } else { None }
    };
    let part = format!("-{word}-");
    if word.len() < LEAST {
        return None;
    }
    only(&|name| name.starts_with(word))
        .or_else(|| only(&|name| format!("-{name}-").contains(&part)))
}

/// Everything there is to explain.
pub fn words() -> Vec<Words> {
    let line = |explanation: Explanation| (explanation.id, explanation.title);
    let mut groups = vec![
        Words { title: GLOSSARY, words: TERMS.iter().map(of_term).map(line).collect() },
        Words { title: "Grades of a verdict", words: grades().map(line).collect() },
        Words { title: "Verdicts", words: VERDICTS.iter().map(of_verdict).map(line).collect() },
    ];
    for group in Group::ALL {
        let of_group = rules().iter().filter(|rule| rule.group == group);
        groups
            .push(Words { title: group.title(), words: of_group.map(of_rule).map(line).collect() });
    }
    let causes = narrows_causes::rules().iter().map(of_cause).map(line);
    groups.push(Words { title: CAUSES, words: causes.collect() });
    groups.push(Words { title: METRICS, words: metric::all().map(of_metric).map(line).collect() });
    groups.push(Words { title: CONDITIONS, words: keys().into_iter().map(line).collect() });
    groups
}

/// Everything, terms first: what a word is, then what has its name.
fn all() -> Vec<Entry> {
    let term = |term: &Term| Entry { also: term.also, is_term: true, ..Entry::new(of_term(term)) };
    let verdict = |verdict: &'static Verdict| Entry {
        also: verdict.on_screen,
        ..Entry::new(of_verdict(verdict))
    };
    let causes = narrows_causes::rules().iter().map(of_cause);
    let others = rules().iter().map(of_rule).chain(causes).chain(metric::all().map(of_metric));
    let mut entries: Vec<Entry> = TERMS.iter().map(term).collect();
    entries.extend(grades().map(Entry::new));
    entries.extend(VERDICTS.iter().map(verdict));
    entries.extend(others.map(Entry::new));
    entries.extend(keys().into_iter().map(|key| Entry { is_key: true, ..Entry::new(key) }));
    entries
}

fn plain(word: &str) -> String {
    word.trim().to_lowercase().replace([' ', '_'], "-")
}

/// At most five ids that the word is a part of, else the one that it is a mistyped form of; names of run files before terms.
fn like(word: &str, entries: &[Entry]) -> Vec<String> {
    const MOST: usize = 5;
    let (terms, others): (Vec<&Entry>, Vec<&Entry>) =
        entries.iter().partition(|entry| entry.is_term);
    let ids: Vec<&str> = others.into_iter().chain(terms).map(Entry::id).collect();
    let parts = ids.iter().filter(|id| word.len() > 2 && plain(id).contains(word));
    let parts: Vec<String> = parts.take(MOST).map(|id| id.to_string()).collect();
    if !parts.is_empty() {
        return parts;
    }
    nearest(word, ids.iter().copied()).map(str::to_string).into_iter().collect()
}

fn of_term(term: &Term) -> Explanation {
    let mut entries = vec![("kind", "term".to_string()), ("unit", term.unit.to_string())];
    let columns = term.elsewhere.columns().map(|(whose, called)| (whose, called.to_string()));
    entries.extend(columns);
    entries.push(("more", format!("the book, {}, {}", term.page.part, term.page.title)));
    entries.retain(|(_, text)| !text.is_empty());
    Explanation { id: term.name.to_string(), title: term.what.to_string(), entries }
}

fn of_cause(rule: &CauseRule) -> Explanation {
    let urgency = match rule.urgency {
        Urgency::Now => "cause, now: sessions stand still until somebody acts",
        Urgency::Performance => {
            "cause, performance: it takes a share of the sessions' time or of a resource"
        }
        Urgency::Risk => "cause, risk: nobody waits for it yet",
    };
    Explanation {
        id: rule.id.to_string(),
        title: rule.what.to_string(),
        entries: vec![
            ("kind", urgency.to_string()),
            ("decides", rule.decides.to_string()),
            ("against", rule.against.to_string()),
            ("more", rule.reference.to_string()),
        ],
    }
}

fn grades() -> impl Iterator<Item = Explanation> {
    GRADES.iter().map(|(id, title, rests_on)| Explanation {
        id: id.to_string(),
        title: title.to_string(),
        entries: vec![
            ("kind", "grade of a verdict".to_string()),
            ("rests on", rests_on.to_string()),
            ("more", "the book, Methods, Verdict".to_string()),
        ],
    })
}

fn of_verdict(verdict: &Verdict) -> Explanation {
    Explanation {
        id: verdict.id.to_string(),
        title: verdict.title.to_string(),
        entries: vec![
            ("kind", "verdict: the bottleneck of a workload".to_string()),
            ("on screen", verdict.on_screen[0].to_string()),
            ("seen by", verdict.seen_by.to_string()),
            ("what to do", verdict.what_to_do.to_string()),
            ("not", verdict.not.to_string()),
        ],
    }
}

fn of_rule(rule: &Rule) -> Explanation {
    let weight = match rule.severity {
        Severity::Invalid => "invalid: the figure is wrong, and is used nowhere",
        Severity::Suspect => "suspect: the figure may not mean what it seems to",
        Severity::Note => "note: the figure is valid; this limits what it may be compared with",
    };
    let when = match rule.about {
        About::Host => rule.when.to_string(),
        about => format!("{about}: {}", rule.when),
    };
    Explanation {
        id: rule.id.to_string(),
        title: rule.summary.to_string(),
        entries: vec![
            ("kind", format!("finding, {}", lower_case(rule.group.title()))),
            ("weight", weight.to_string()),
            ("what to do", rule.advice.to_string()),
            ("fires when", when),
            ("reason", rule.reason.to_string()),
            ("source", rule.reference.to_string()),
        ],
    }
}

fn of_metric(metric: Metric) -> Explanation {
    let better = match metric.better {
        Better::More => "higher is better",
        Better::Less => "lower is better",
        Better::Neither => "it describes; neither direction is better",
    };
    Explanation {
        id: metric.name.to_string(),
        title: without_links(metric.about.trim()),
        entries: vec![
            ("kind", "metric of a measurement".to_string()),
            ("unit", unit(metric.unit).to_string()),
            ("direction", better.to_string()),
        ],
    }
}

/// Keys by name; layers that have one of the same name share its explanation.
fn keys() -> Vec<Explanation> {
    let mut keys: Vec<(&str, Vec<KeyDescription>)> = Vec::new();
    for key in condition::all() {
        match keys.iter_mut().find(|(name, _)| *name == key.name) {
            Some((_, alike)) => alike.push(key),
            None => keys.push((key.name, vec![key])),
        }
    }
    keys.into_iter().map(|(name, alike)| of_keys(name, &alike)).collect()
}

fn of_keys(name: &str, alike: &[KeyDescription]) -> Explanation {
    let joined = |text: fn(&KeyDescription) -> &str, by: &str| {
        alike.iter().map(text).collect::<Vec<_>>().join(by)
    };
    Explanation {
        id: name.to_string(),
        title: without_links(&joined(|key| key.about.trim(), " ")),
        entries: vec![
            ("kind", "of a measurement's workload or conditions".to_string()),
            ("value", joined(|key| key.holds, ", or ")),
            ("more", "the book, Reference, The run file".to_string()),
        ],
    }
}

/// A title inside a sentence: `the file`, `WAL`.
pub fn lower_case(title: &str) -> String {
    let abbreviated = title.chars().all(|c| c.is_uppercase());
    if abbreviated { title.to_string() } else { title.to_lowercase() }
}

/// Links of the code's documentation as the code that they name.
fn without_links(text: &str) -> String {
    text.replace("[`crate::", "`").replace("[`", "`").replace("`]", "`")
}

fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Ns => "ns",
        Unit::NsPerOp => "ns per operation",
        Unit::OpsPerS => "operations per second",
        Unit::Bytes => "bytes",
        Unit::BytesPerS => "bytes per second",
        Unit::BytesPerOp => "bytes per operation",
        Unit::Count => "a count",
        Unit::CountPerOp => "a count per operation",
        Unit::Ratio => "a share; 1 is the whole",
        Unit::Cpus => "CPUs: seconds of CPU time per second",
    }
}

#[cfg(test)]
mod tests;
