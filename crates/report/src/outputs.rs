//! Where texts leave this crate: every output passes the filter for what comes from outside, whatever the views before it did.
//!
//! Views make names harmless where these enter a table, so that columns are right, and escape what their format needs: `<` on a
//! page, `|` in Markdown, `=` in a cell. This is the guarantee behind them, for the line that was forgotten: nothing that
//! leaves here moves a cursor or turns the direction of reading.
//!
//! Not here: layout. JSON is escaped and not filtered, since it has to hold what was there.

use narrows_model::{Finding, FlushTest, Inventory, Platform};
use narrows_plan::{Drawing, Migration, Plan};
use narrows_units::{shown_json, shown_lines, shown_screen};

use crate::layout::COLOURS;
use crate::render::{markdown as marks, text as screen};
use crate::report::Report;
use crate::section::{self, document};
use crate::{csv as cells, html as pages, inventory, live};

fn plain(text: String) -> String {
    shown_lines(&text).into_owned()
}

fn coloured(text: String, colour: bool) -> String {
    let ours: &[&str] = if colour { &COLOURS } else { &[] };
    shown_screen(&text, ours).into_owned()
}

/// The screen as text, every line at most `width` columns (100 at least, 120 at most).
pub fn text(report: &Report, width: usize, colour: bool) -> String {
    coloured(screen::document(&document(report), width, colour), colour)
}

/// The whole screen as Markdown.
pub fn markdown(report: &Report) -> String {
    plain(marks::document(&document(report)))
}

/// All metrics of all measurements, what servers were seen to do, then the calibrations with their curves and what was
/// predicted of places for the log; invalid ones too, marked as such in `validity`. `samples` are separated by
/// spaces in the order of the repeats; `low` and `high` are the 95 % interval.
pub fn csv(report: &Report) -> String {
    plain(cells::csv(report))
}

/// The page.
pub fn html(report: &Report) -> String {
    plain(pages::html(report, &document(report)))
}

/// The run file itself: what every other view is made from.
pub fn json(report: &Report) -> String {
    report.run.to_json()
}

/// What `pg_test_fsync` measured, in this program's words, without a run.
pub fn flush_tests(tests: &[FlushTest], width: usize, colour: bool) -> String {
    let section = section::flush_tests(&live::alone(tests)).unwrap_or_default();
    coloured(screen::alone(&section, width, colour), colour)
}

/// SLB's lines and their meaning alone, of a run of its loop; empty for another.
pub fn slb(report: &Report, width: usize, colour: bool) -> String {
    let section = section::slb(report).unwrap_or_default();
    coloured(screen::alone(&section, width, colour), colour)
}

/// The inventory as aligned text, with what the rules find in it.
pub fn platform(p: &Platform, findings: &[Finding]) -> String {
    plain(inventory::platform(p, findings))
}

/// The inventory as JSON, with what the rules find in it.
pub fn platform_json(inventory: &Inventory) -> String {
    let document = serde_json::to_string_pretty(inventory).expect("it has only string keys");
    shown_json(&(document + "\n")).into_owned()
}

/// The page of a machine of which nothing was measured, with what the rules find in it.
pub fn platform_page(p: &Platform, findings: &[Finding]) -> String {
    plain(pages::platform_page(p, findings))
}

/// The page of these plans.
pub fn plan_page(plans: &[Plan]) -> String {
    plain(pages::plan_page(plans))
}

/// The page of demands on platforms, each with its name and drawing, in the order of the answers.
pub fn fits_page(migration: &Migration, platforms: &[(&str, Drawing)]) -> String {
    plain(pages::fits_page(migration, platforms))
}
