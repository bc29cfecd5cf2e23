//! The first lines: machine, run, what must not be overlooked.

use crate::document::{Depth, Head};
use crate::report::Report;

/// The head of a report.
pub(super) fn head(report: &Report) -> Head {
    let head = &report.head;
    let name = report.run.platform().and_then(|p| p.hostname.as_deref()).unwrap_or("one machine");
    let machine = std::iter::once((head.machine.clone(), false));
    let roles = head.roles.iter().map(|role| (role.clone(), false));
    // What else is there stands behind what was measured.
    let rest = [(head.others.clone(), !head.roles.is_empty()), (head.server.clone(), false)];
    let lines = machine.chain(roles).chain(rest).filter(|(line, _)| !line.is_empty());
    Head {
        depth: Depth::Screen,
        name: name.to_string(),
        title: head.run.clone(),
        warnings: head.warnings.clone(),
        counts: head.counts.clone(),
        lines: lines.collect(),
    }
}
