//! A platform that somebody drew.

use narrows_limits::table::Table;
use narrows_plan::{Question, csv, describe, json, markdown, plan};

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
    let answers = [answer.clone(), answer];
    property::harmless(&narrows_plan::text(&answers, 100));
    for page in [json(&answers), csv(&answers), markdown(&answers)] {
        assert!(!page.is_empty());
    }
}
