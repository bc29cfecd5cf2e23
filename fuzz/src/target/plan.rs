//! A platform that somebody drew.

use narrows_limits::table::Table;
use narrows_plan::{Question, describe, plan};
use narrows_report::{FORMS, Screen, TEXT, plans, render};

use super::text;
use crate::property;

const FILE: &str = "drawing.toml";
const QUESTION: Question = Question { block_bytes: 8192, table_bytes: 100_000_000_000 };

/// Reads it, answers, and shows the answer in each form.
pub fn check(data: &[u8]) {
    let description = match describe(FILE, &text(data), Table::builtin()) {
        Ok(description) => description,
        Err(error) => return property::told(&error.to_string(), FILE),
    };
    let answer = match plan(&description, QUESTION) {
        Ok(answer) => answer,
        Err(error) => return property::told(&error.to_string(), ""),
    };
    let document = plans(&[answer.clone(), answer]);
    property::harmless(&render(&document, &TEXT, Screen::PLAIN));
    for form in FORMS {
        assert!(!render(&document, form, Screen::PLAIN).is_empty());
    }
}
