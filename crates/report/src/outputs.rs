//! What this crate is asked for: documents, and a report in the forms that tests and tools name.

use narrows_model::FlushTest;

use crate::document::Document;
use crate::live;
use crate::render::{Form, Screen, form, render};
use crate::report::Report;
use crate::section;

pub use crate::section::{
    Explained, Setting, ShownLimits, StoredRun, WordList, claims, comparison, costs,
    document as report_document, explained, first_steps, fits, inventory, licence_rules, limits,
    plans, settings, setup_differences, sizings, stored_runs, tags, tier, tier_proof, trends,
    word_lists,
};

/// A report in that form.
pub fn printed(report: &Report, form: &Form, screen: Screen) -> String {
    render(&report_document(report, screen.shows(form)), form, screen)
}

fn named(report: &Report, name: &str, screen: Screen) -> String {
    printed(report, form(name).expect("it is a form"), screen)
}

/// The screen as text, every line at most `width` columns (80 at least, 120 at most).
pub fn text(report: &Report, width: usize, colour: bool) -> String {
    named(report, "text", Screen { width, colour, ..Screen::PLAIN })
}

/// The whole screen as Markdown.
pub fn markdown(report: &Report) -> String {
    named(report, "markdown", Screen::PLAIN)
}

/// All metrics of all measurements, what servers were seen to do, then the calibrations with their curves and what was
/// predicted of places for the log; invalid ones too, marked as such in `validity`. `samples` are separated by
/// spaces in the order of the repeats; `low` and `high` are the 95 % interval.
pub fn csv(report: &Report) -> String {
    named(report, "csv", Screen::PLAIN)
}

/// The page.
pub fn html(report: &Report) -> String {
    named(report, "html", Screen::PLAIN)
}

/// The run file itself: what every other form is made from.
pub fn json(report: &Report) -> String {
    named(report, "json", Screen::PLAIN)
}

/// What `pg_test_fsync` measured, in this program's words, without a run.
pub fn flush_tests(tests: &[FlushTest]) -> Document {
    Document::of(section::flush_tests(&live::alone(tests)))
}

/// SLB's lines and their meaning alone, of a run of its loop; empty for another.
pub fn slb(report: &Report) -> Document {
    Document::of(section::slb(report))
}
