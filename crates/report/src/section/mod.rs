//! What a report says, as sections of a document: each is made once, for all forms.

mod answers;
mod findings;
mod fits;
mod foot;
mod head;
mod loads;
mod log;
mod looked;
mod machine;
mod measurements;
mod narrow;
mod next;
mod observed;
mod places;
mod plans;
mod question;
mod records;
mod tables;
mod values;
mod wide;
mod workloads;

pub use fits::fits;
pub use plans::plans;
pub(crate) use question::slb;
pub(crate) use tables::flush_tests;

use narrows_model::{Finding, Platform, Validity};

use crate::document::{Cell, Depth, Document, Head, Inline, Section, Style};
use crate::notes::NoteMark;
use crate::print::{Units, time};
use crate::report::Report;

/// Everything that a report says to forms of that depth; what only deeper ones show is not made.
pub(crate) fn document(report: &Report, depth: Depth) -> Document {
    let page = |of: fn(&Report) -> Option<Section>| match depth {
        Depth::Page => of(report),
        _ => None,
    };
    let own = [
        log::short(report),
        log::ladder(report),
        page(log::distributions),
        log::commits(report),
        log::streams(report),
        tables::live(report),
        observed::observed(report),
    ];
    let rest = [
        tables::orders(report),
        tables::flush_tests(&report.flush_tests),
        places::places(report),
        log::durability(report),
        answers::answers(report),
        page(answers::pictures),
        question::slb(report),
        question::file_sharing(report),
        question::steady(report),
        loads::interference(report),
        loads::loads(report),
        wide::wide(report),
        tables::memory(report),
        narrow::narrow(report),
        page(workloads::workloads),
        tables::sweeps(report),
        next::next(report),
        observed::remarks(report),
        page(measurements::latency),
        page(measurements::sweeps),
        page(measurements::time_series),
        page(measurements::measurements),
        page(findings::findings),
        page(machine::machines),
        page(machine::plan),
    ];
    let looked = looked::sections(report).filter(|_| depth == Depth::Page);
    let sections = own.into_iter().flatten().chain(looked).chain(rest.into_iter().flatten());
    let sections: Vec<Section> = sections.collect();
    // Sessions by what they did are drawn with fills.
    let filled = sections.iter().any(|of| ["history", "wal", "workloads"].contains(&of.id));
    Document {
        head: head::head(report),
        shared: filled.then(crate::chart::definitions),
        sections,
        foot: foot::foot(report),
        sheet: records::records(report),
        json: if depth == Depth::Page { report.run.to_json() } else { String::new() },
        archive: true,
    }
}

/// A machine of which nothing was measured, with what the rules find in it.
pub(crate) fn machine(p: &Platform, findings: &[Finding]) -> Document {
    let name = p.hostname.as_deref().unwrap_or("one machine");
    let parts = machine::machine(p, name, findings, Units::Si);
    let machine = Section::new("machine", "Machine").from(Depth::Page).with(parts);
    let title = vec![name.to_string(), "its parts, nothing measured".to_string()];
    Document {
        head: Head { name: name.to_string(), title, ..Head::default() },
        sections: findings::machine_findings(findings).into_iter().chain([machine]).collect(),
        ..Document::default()
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
