//! What a report says, as sections of a document: each is made once, for all forms.

mod answers;
mod bottleneck;
mod brief;
mod capacity;
mod checks;
mod claims;
mod compared;
mod compared_servers;
mod costs;
mod explained;
mod findings;
mod first_steps;
mod fits;
mod footnotes;
mod head;
mod inventory;
mod limits;
mod loads;
mod log;
mod looked;
mod machine;
mod measurements;
mod next;
mod observed;
mod places;
mod plans;
mod question;
mod records;
mod result;
mod settings;
mod sizes;
mod statements;
mod stored;
mod tables;
mod tier_proof;
mod tiers;
mod trend;
mod values;
mod workloads;

pub use claims::claims;
pub use compared::{comparison, setup_differences};
pub use costs::{costs, licence_rules};
pub use explained::{Explained, WordList, explained, word_lists};
pub use first_steps::first_steps;
pub use fits::fits;
pub use inventory::inventory;
pub use limits::{ShownLimits, limits};
pub use plans::plans;
pub(crate) use question::slb;
pub use settings::{Setting, settings};
pub use sizes::sizings;
pub use stored::{StoredRun, stored_runs, tags};
pub(crate) use tables::{flush_tests, heading_of, printed};
pub use tier_proof::tier_proof;
pub use tiers::tier;
pub use trend::trends;

use narrows_model::Validity;

use crate::document::{Cell, Depth, Document, Inline, Section, Style};
use crate::notes::NoteMark;
use crate::print::time;
use crate::render::Shows;
use crate::report::Report;

/// A report as forms need it that show this of it; nothing else is made.
pub fn document(report: &Report, shows: Shows) -> Document {
    let depth = match shows {
        Shows::Sections(depth) => depth,
        Shows::Sheet => {
            return Document { sheet: records::records(report), ..Document::default() };
        }
        Shows::Json => return Document { json: report.run.to_json(), ..Document::default() },
    };
    if depth == Depth::Brief {
        return brief::brief(report);
    }
    let page = |of: fn(&Report) -> Option<Section>| match depth {
        Depth::Page => of(report),
        _ => None,
    };
    // Forms with more room say this where they say all of it, and draw it.
    let screen = |of: fn(&Report) -> Option<Section>| match depth {
        Depth::Text | Depth::Page => None,
        Depth::Brief | Depth::Screen | Depth::Explained => of(report),
    };
    // What to do about a server that was observed comes before what was counted of it; a page begins with it anyway.
    let early = !report.observed.is_empty() && depth < Depth::Page;
    let next_if = |here: bool| if here { next::next(report) } else { None };
    let own = [
        result::result(report),
        result::workloads(report),
        screen(result::undecided),
        screen(checks::time),
        screen(checks::checks),
        log::short(report),
        log::ladder(report),
        page(log::distributions),
        log::commits(report),
        log::streams(report),
        tables::live(report),
        next_if(early),
        observed::time(report),
        observed::takers(report),
        observed::causes(report),
        observed::observed(report),
    ];
    let rest = [
        tables::orders(report),
        tables::flush_tests(&report.flush_tests),
        places::places(report),
        answers::answers(report),
        page(answers::pictures),
        question::slb(report),
        question::file_sharing(report),
        question::steady(report),
        loads::interference(report),
        loads::loads(report),
        tables::fabric(report),
        bottleneck::narrow(report),
        page(workloads::workloads),
        tables::sweeps(report),
        next_if(!early),
        capacity::wide(report),
        tables::memory(report),
        log::durability(report),
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
        foot: footnotes::foot(report),
        json: if depth == Depth::Page { report.run.to_json() } else { String::new() },
        archive: true,
        ..Document::default()
    }
}

/// The text with its footnotes.
pub(crate) fn noted(text: Inline, notes: &[NoteMark]) -> Inline {
    text.notes(notes.iter().map(|mark| mark.0))
}

/// The remark of a row with its footnotes; none where there is nothing to say.
pub(crate) fn remark(style: Style, text: &str, notes: &[NoteMark]) -> Vec<Inline> {
    Some(noted(Inline::of(style, text), notes))
        .filter(|said| !said.is_empty())
        .into_iter()
        .collect()
}

/// A text whose command, from the program's name or a statement's first word on, is one piece.
pub(crate) fn with_command(text: &str) -> Inline {
    const BEGINS: [&str; 3] = ["narrows ", "SELECT ", "GRANT "];
    match BEGINS.iter().filter_map(|word| text.find(*word)).min() {
        Some(at) => Inline::from(&text[..at]).put(Style::Code, &text[at..]),
        None => Inline::from(text),
    }
}

/// What names a row, with the mark of what is suspect.
pub(crate) fn name(text: impl Into<Inline>, validity: Validity) -> Cell {
    Cell { text: text.into(), suspect: validity == Validity::Suspect }
}

/// A figure; `-` where it isn't known.
pub(crate) fn figure(value: Option<f64>, print: impl Fn(f64) -> String) -> Cell {
    Cell::from(value.map_or_else(|| "-".to_string(), print))
}

/// A time; `-` where it isn't known.
pub(crate) fn ns(value: Option<f64>) -> Cell {
    figure(value, time)
}

/// The figure that a reader came for. An invalid one is not printed at all: what is printed gets quoted.
pub(crate) fn leading(
    validity: Validity,
    value: Option<f64>,
    print: impl Fn(f64) -> String,
) -> Cell {
    match validity {
        Validity::Invalid => invalid(),
        _ => strong(figure(value, print)),
    }
}

pub(crate) fn invalid() -> Cell {
    Cell::from(Inline::of(Style::Bad, "invalid"))
}

pub(crate) fn strong(cell: Cell) -> Cell {
    Cell { text: cell.text.all(Style::Strong), ..cell }
}
