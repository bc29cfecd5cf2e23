//! Memory, rates by sessions, and the highest within a limit, as Markdown.

use super::{live, plain};
use crate::report::Report;

pub(super) fn sweeps(report: &Report, out: &mut String) {
    for view in report.memory.iter().chain(&report.sweeps) {
        live::tabled(&view.grid, out);
        out.push('\n');
        for sentence in &view.sentences {
            out.push_str(&format!("- {}\n", plain(sentence)));
        }
        out.push('\n');
    }
}
