//! The rules part of the book's page on validity, between two markers; the rest of the page is written by hand.

use anyhow::Result;
use narrows_model::Severity;
use narrows_validity::{About, Group, Rule, rules};

use super::{Generated, between_markers};

const PAGE: &str = "docs/src/methods/validity.md";

pub(super) fn file() -> Result<Generated> {
    between_markers(PAGE, "crates/validity", &table())
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
