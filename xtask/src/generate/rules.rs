//! The rules part of the book's page on validity, between two markers; the rest of the page is written by hand.

use anyhow::{Context, Result};
use narrows_model::Severity;
use narrows_validity::{About, Group, Rule, rules};

use super::Generated;

const PAGE: &str = "docs/src/methods/validity.md";
const BEGIN: &str = "<!-- begin: written by `cargo xtask docs` from crates/validity -->\n";
const END: &str = "<!-- end -->\n";

pub(super) fn file() -> Result<Generated> {
    let path = crate::root().join(PAGE);
    let page = std::fs::read_to_string(&path).with_context(|| format!("{}", path.display()))?;
    let parts = page.split_once(BEGIN).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(END)?;
        Some((before, after))
    });
    let (before, after) = parts.with_context(|| format!("{PAGE} has lost its markers"))?;
    Ok(Generated::new(PAGE, format!("{before}{BEGIN}\n{}\n{END}{after}", table())))
}

fn table() -> String {
    let of = |severity| rules().iter().filter(|rule| rule.severity == severity).count();
    let mut text = format!(
        "{} rules: {} make a measurement invalid, {} suspect, {} are notes.\n",
        rules().len(),
        of(Severity::Invalid),
        of(Severity::Suspect),
        of(Severity::Note),
    );
    for group in Group::ALL {
        text += &format!("\n### {}\n\n", group.title());
        text += "| rule | weight | fires when | why it weighs that much | source |\n";
        text += "| --- | --- | --- | --- | --- |\n";
        for rule in rules().iter().filter(|rule| rule.group == group) {
            text += &row(rule);
        }
    }
    text
}

fn row(rule: &Rule) -> String {
    let weight = match rule.severity {
        Severity::Invalid => "invalid",
        Severity::Suspect => "suspect",
        Severity::Note => "note",
    };
    let when = match rule.about {
        About::Host => rule.when.to_string(),
        about => format!("{about}: {}", rule.when),
    };
    let cells = [rule.summary, &when, rule.reason, rule.reference].map(|t| t.replace('|', "\\|"));
    let [summary, when, reason, reference] = cells;
    format!("| `{}`: {summary} | {weight} | {when} | {reason} | {reference} |\n", rule.id)
}
