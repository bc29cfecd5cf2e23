//! What a report says, as sections of a document: each is made once, for all forms.

mod answers;
mod findings;
mod foot;
mod head;
mod loads;
mod log;
mod narrow;
mod next;
mod observed;
mod places;
mod question;
mod tables;
mod wide;

pub(crate) use findings::machine_findings;
pub(crate) use question::slb;
pub(crate) use tables::flush_tests;

use narrows_model::Validity;

use crate::document::{Cell, Document, Inline, Style};
use crate::notes::NoteMark;
use crate::print::time;
use crate::report::Report;

/// Everything that a report says.
pub(crate) fn document(report: &Report) -> Document {
    let sections = [
        log::short(report),
        log::ladder(report),
        log::distributions(report),
        log::commits(report),
        log::streams(report),
        tables::live(report),
        observed::observed(report),
        tables::orders(report),
        tables::flush_tests(&report.flush_tests),
        places::places(report),
        log::durability(report),
        answers::answers(report),
        answers::pictures(report),
        question::slb(report),
        question::file_sharing(report),
        question::steady(report),
        loads::interference(report),
        loads::loads(report),
        wide::wide(report),
        tables::memory(report),
        narrow::narrow(report),
        tables::sweeps(report),
        next::next(report),
        observed::remarks(report),
        findings::findings(report),
    ];
    Document {
        head: head::head(report),
        sections: sections.into_iter().flatten().collect(),
        foot: foot::foot(report),
        json: serde_json::to_string(&report.run).expect("a run has only string keys"),
    }
}

/// The text with its footnotes.
fn noted(text: Inline, notes: &[NoteMark]) -> Inline {
    text.notes(notes.iter().map(|mark| mark.0))
}

/// The remark of a row with its footnotes; none where there is nothing to say.
fn remark(style: Style, text: &str, notes: &[NoteMark]) -> Vec<Inline> {
    Some(noted(Inline::of(style, text), notes))
        .filter(|said| !said.is_empty())
        .into_iter()
        .collect()
}

/// What names a row, with the mark of what is suspect.
fn name(text: impl Into<Inline>, validity: Validity) -> Cell {
    Cell { text: text.into(), suspect: validity == Validity::Suspect }
}

/// A figure; `-` where it isn't known.
fn figure(value: Option<f64>, print: impl Fn(f64) -> String) -> Cell {
    Cell::from(value.map_or_else(|| "-".to_string(), print))
}

/// A time; `-` where it isn't known.
fn ns(value: Option<f64>) -> Cell {
    figure(value, time)
}

/// The figure that a reader came for. An invalid one is not printed at all: what is printed gets quoted.
fn leading(validity: Validity, value: Option<f64>, print: impl Fn(f64) -> String) -> Cell {
    match validity {
        Validity::Invalid => invalid(),
        _ => strong(figure(value, print)),
    }
}

fn invalid() -> Cell {
    Cell::from(Inline::of(Style::Bad, "invalid"))
}

fn strong(cell: Cell) -> Cell {
    Cell { text: cell.text.all(Style::Strong), ..cell }
}
