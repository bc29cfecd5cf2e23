//! What a word of a report means: a finding's rule, a verdict, a grade, a metric. Printed from the same tables that judge.

mod verdicts;

use narrows_limits::table::nearest;
use narrows_model::{Better, Metric, Severity, Unit, metric};
use narrows_validity::{About, Group, Rule, rules};

pub use verdicts::GRADES;
use verdicts::VERDICTS;

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
    "not found: no finding, verdict, grade or metric\nhint: {}`narrows explain` lists all words", also(.nearest)
)]
pub struct UnknownWord {
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

/// What is known of a word: all that are called so, since a metric may have the name of a verdict. Upper case, spaces, `-` and `_` matter
/// only where something is called exactly so.
///
/// # Errors
/// Nothing is.
pub fn explain(word: &str) -> Result<Vec<Explanation>, UnknownWord> {
    let word = BEFORE.iter().find(|(old, _)| *old == word).map_or(word, |(_, now)| now);
    let all = all();
    let called = |is_so: &dyn Fn(&str) -> bool| -> Vec<Explanation> {
        all.iter().filter(|explanation| is_so(&explanation.id)).cloned().collect()
    };
    let exact = called(&|id| id == word);
    let like_it = if exact.is_empty() { called(&|id| plain(id) == plain(word)) } else { exact };
    if like_it.is_empty() {
        let ids: Vec<&str> = all.iter().map(|known| known.id.as_str()).collect();
        return Err(UnknownWord { nearest: like(&plain(word), &ids) });
    }
    Ok(like_it)
}

/// Everything there is to explain.
pub fn words() -> Vec<Words> {
    let line = |explanation: Explanation| (explanation.id, explanation.title);
    let mut groups = vec![
        Words { title: "Grades of a verdict", words: grades().map(line).collect() },
        Words { title: "Verdicts", words: verdicts().map(line).collect() },
    ];
    for group in Group::ALL {
        let of_group = rules().iter().filter(|rule| rule.group == group);
        groups
            .push(Words { title: group.title(), words: of_group.map(of_rule).map(line).collect() });
    }
    groups
        .push(Words { title: "Metrics", words: metric::all().map(of_metric).map(line).collect() });
    groups
}

fn all() -> Vec<Explanation> {
    let rules = rules().iter().map(of_rule);
    grades().chain(verdicts()).chain(rules).chain(metric::all().map(of_metric)).collect()
}

fn plain(word: &str) -> String {
    word.trim().to_lowercase().replace([' ', '_'], "-")
}

/// At most five ids that the word is a part of, else the one that it is a mistyped form of.
fn like(word: &str, ids: &[&str]) -> Vec<String> {
    const MOST: usize = 5;
    let parts = ids.iter().filter(|id| word.len() > 2 && plain(id).contains(word));
    let parts: Vec<String> = parts.take(MOST).map(|id| id.to_string()).collect();
    if !parts.is_empty() {
        return parts;
    }
    nearest(word, ids.iter().copied()).map(str::to_string).into_iter().collect()
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

fn verdicts() -> impl Iterator<Item = Explanation> {
    VERDICTS.iter().map(|verdict| Explanation {
        id: verdict.id.to_string(),
        title: verdict.title.to_string(),
        entries: vec![
            ("kind", "verdict: the bottleneck of a workload".to_string()),
            ("seen by", verdict.seen_by.to_string()),
            ("what to do", verdict.what_to_do.to_string()),
            ("not", verdict.not.to_string()),
        ],
    })
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
            ("kind", format!("finding, {}", rule.group.title().to_lowercase())),
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
        title: metric.about.trim().to_string(),
        entries: vec![
            ("kind", "metric of a measurement".to_string()),
            ("unit", unit(metric.unit).to_string()),
            ("direction", better.to_string()),
        ],
    }
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
