//! A server that was only looked at, as text.

use narrows_model::Validity;

use super::{live, with_marks};
use crate::layout::{Line, Style, paragraph};
use crate::observed::ObservedView;

/// Where the texts of labelled lines begin.
const TEXT: usize = 16;
const REMARK: usize = 12;

/// What was seen, before the verdict.
pub(super) fn observed(view: &ObservedView, edge: usize) -> Vec<Line> {
    let heading = with_marks(&view.heading, &view.notes);
    let mark = match view.validity {
        Validity::Valid => "",
        Validity::Suspect => "? ",
        Validity::Invalid => "invalid: ",
    };
    let start = Line::of(Style::Careful, mark);
    let mut lines = paragraph(start, Style::Strong, &heading, 3, edge);
    if let Some(demand) = &view.demand {
        lines.extend(live::grid(demand, edge));
    }
    for (label, text) in &view.facts {
        let start = Line::new().to(2).put(Style::Plain, label).to(TEXT);
        lines.extend(paragraph(start, Style::Plain, text, TEXT, edge));
    }
    if let Some(time) = &view.time {
        lines.push(Line::new());
        lines.extend(live::grid(time, edge));
    }
    lines
}

/// What stands under the verdict.
pub(super) fn remarks(view: &ObservedView, edge: usize) -> Vec<Line> {
    let one = |(label, text): &(String, String)| {
        let start = Line::of(Style::Strong, label).to(REMARK);
        paragraph(start, Style::Plain, text, REMARK, edge)
    };
    view.remarks.iter().flat_map(one).collect()
}
