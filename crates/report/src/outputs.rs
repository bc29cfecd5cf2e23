//! What this crate is asked for, as documents and as texts.

use narrows_model::{Finding, FlushTest, Inventory, Platform, ReadRunError, Run};

use crate::document::{Depth, Document};
use crate::render::{Form, alone, embedded_json, render};
use crate::report::Report;
use crate::section::{self, document};
use crate::{inventory, live};

pub use crate::section::{fits, plans};

/// The screen as text, every line at most `width` columns (100 at least, 120 at most).
pub fn text(report: &Report, width: usize, colour: bool) -> String {
    render(&document(report, Depth::Screen), Form::Text { width, colour })
}

/// The whole screen as Markdown.
pub fn markdown(report: &Report) -> String {
    render(&document(report, Depth::Text), Form::Markdown)
}

/// All metrics of all measurements, what servers were seen to do, then the calibrations with their curves and what was
/// predicted of places for the log; invalid ones too, marked as such in `validity`. `samples` are separated by
/// spaces in the order of the repeats; `low` and `high` are the 95 % interval.
pub fn csv(report: &Report) -> String {
    render(&document(report, Depth::Screen), Form::Csv)
}

/// The page.
pub fn html(report: &Report) -> String {
    render(&document(report, Depth::Page), Form::Html)
}

/// The run file itself: what every other form is made from.
pub fn json(report: &Report) -> String {
    report.run.to_json()
}

/// The run inside a page made by [`html`]; `None` if the page holds none.
pub fn embedded_run(page: &str) -> Option<Result<Run, ReadRunError>> {
    embedded_json(page).map(Run::from_json)
}

/// What `pg_test_fsync` measured, in this program's words, without a run.
pub fn flush_tests(tests: &[FlushTest], width: usize, colour: bool) -> String {
    let section = section::flush_tests(&live::alone(tests)).unwrap_or_default();
    alone(&section, width, colour)
}

/// SLB's lines and their meaning alone, of a run of its loop; empty for another.
pub fn slb(report: &Report, width: usize, colour: bool) -> String {
    let section = section::slb(report).unwrap_or_default();
    alone(&section, width, colour)
}

/// The inventory as aligned text, with what the rules find in it.
pub fn platform(p: &Platform, findings: &[Finding]) -> String {
    narrows_units::shown_lines(&inventory::platform(p, findings)).into_owned()
}

/// The inventory as JSON, with what the rules find in it.
pub fn platform_json(inventory: &Inventory) -> String {
    let json = serde_json::to_string_pretty(inventory).expect("it has only string keys") + "\n";
    render(&Document { json, ..Document::default() }, Form::Json)
}

/// The page of a machine of which nothing was measured, with what the rules find in it.
pub fn platform_page(p: &Platform, findings: &[Finding]) -> String {
    render(&section::machine(p, findings), Form::Html)
}
