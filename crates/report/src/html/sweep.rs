//! Rates by sessions, and the highest within a limit, on the page.

use super::live;
use crate::report::Report;

pub(super) fn section(report: &Report) -> String {
    if report.sweeps.is_empty() {
        return String::new();
    }
    let mut out = "<section id=\"by-sessions\"><h2>By sessions and rate</h2>".to_string();
    for view in &report.sweeps {
        out += &live::grid(&view.grid);
        out += &live::list(&view.sentences);
    }
    out + "</section>"
}
