//! Costs that somebody described, rules of licensing of somebody's own, and a demand by hand.

use narrows_cost::{Day, Question, Rules, break_even, cost, describes_a_platform, given_demand};
use narrows_limits::table::Table;
use narrows_plan::describe;
use narrows_report::{FORMS, Screen, TEXT, costs, licence_rules, render};

use super::text;
use crate::property;

const FILE: &str = "costs.toml";

/// Reads it as each of the three, and shows what comes out in each form.
pub fn check(data: &[u8]) {
    let text = &*text(data);
    let today = Day::new(2026, 11, 29);
    rules(text, &today);
    if let Err(error) = given_demand(FILE, text) {
        property::told(&error.to_string(), FILE);
    }
    let described = describes_a_platform(text);
    let platform = described.then(|| describe(FILE, text, Table::builtin()));
    let platform = match platform.transpose() {
        Ok(platform) => platform,
        Err(error) => return property::told(&error.to_string(), FILE),
    };
    let rules = Rules::shipped();
    let question = Question { rules: &rules, what_if: &[], measured: None, today: Some(&today) };
    let answer = match cost(FILE, text, platform.as_ref(), question) {
        Ok(answer) => answer,
        Err(error) => return property::told(&error.to_string(), FILE),
    };
    for line in &answer.lines {
        assert!(line.value.is_none_or(f64::is_finite), "{} is {:?}", line.key, line.value);
        // What rests on something unknown has no figure.
        assert!(
            line.lacks.is_empty() || line.value.is_none(),
            "{} lacks {:?}",
            line.key,
            line.lacks
        );
        let [low, high] = line.interval.unwrap_or_default();
        assert!(low <= high, "{}: {low} to {high}", line.key);
    }
    assert!(answer.unknown.is_empty() || answer.lines.iter().any(|line| line.value.is_none()));
    let _ = break_even(&answer, &answer);
    let document = costs(&[answer.clone(), answer]);
    property::harmless(&render(&document, &TEXT, Screen::PLAIN));
    for form in FORMS {
        assert!(!render(&document, form, Screen::PLAIN).is_empty());
    }
}

/// Puts it over the rules that come with narrows.
fn rules(text: &str, today: &Day) {
    let mut rules = Rules::shipped();
    match rules.extend(FILE, text, Some(today)) {
        Ok(()) => property::harmless(&render(&licence_rules(&rules), &TEXT, Screen::PLAIN)),
        Err(error) => property::told(&error.to_string(), FILE),
    }
}
