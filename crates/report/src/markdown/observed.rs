//! A server that was only looked at, as Markdown.

use narrows_model::Validity;

use super::live::tabled;
use super::{marks, plain};
use crate::report::Report;

pub(super) fn observed(report: &Report, out: &mut String) {
    for view in &report.observed {
        let mark = match view.validity {
            Validity::Valid => "",
            Validity::Suspect => " ?",
            Validity::Invalid => " (invalid)",
        };
        out.push_str(&format!("## {}{mark}{}\n\n", plain(&view.heading), marks(&view.notes)));
        view.demand.iter().for_each(|grid| tabled(grid, out));
        list(&view.facts, out);
        view.time.iter().for_each(|grid| tabled(grid, out));
    }
}

pub(super) fn remarks(report: &Report, out: &mut String) {
    for view in &report.observed {
        list(&view.remarks, out);
    }
}

fn list(items: &[(String, String)], out: &mut String) {
    for (label, text) in items {
        out.push_str(&format!("- {}: {}\n", plain(&label.to_lowercase()), plain(text)));
    }
    if !items.is_empty() {
        out.push('\n');
    }
}
