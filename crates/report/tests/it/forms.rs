//! A form of a document knows documents and lines, and nothing of runs; and each shows all that it has room for.

use std::path::{Path, PathBuf};

use narrows_report::document::{At, Block, Depth, Inline, Row, Table};
use narrows_report::{FORMS, Report, Screen, Shows, Units, render, report_document};

use crate::hostile::runs;

/// What a file of `render` may name of this crate.
const MAY_KNOW: [&str; 3] = ["document", "escape", "render"];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let below = |path: PathBuf| if path.is_dir() { sources(&path) } else { vec![path] };
    entries.flat_map(below).filter(|path| path.extension().is_some_and(|e| e == "rs")).collect()
}

#[test]
fn renderers_import_only_document_and_layout() {
    let files = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/render"));
    assert!(files.len() >= 5, "{files:?}");
    for file in files {
        let source = std::fs::read_to_string(&file).unwrap();
        for module in source.split("crate::").skip(1) {
            let module =
                module.split(|c: char| !c.is_ascii_lowercase() && c != '_').next().unwrap();
            assert!(MAY_KNOW.contains(&module), "{} knows `{module}`", file.display());
        }
        for ours in source.split("narrows_").skip(1) {
            assert!(ours.starts_with("units"), "{} knows another crate", file.display());
        }
    }
}

/// Everything that a form of that depth has to show of these parts.
fn said(blocks: &[Block], depth: Depth) -> Vec<String> {
    let text = |of: &Inline| vec![of.text()];
    let of = |block: &Block| match block {
        Block::Heading(of) | Block::Paragraph(of, _) => text(of),
        Block::Table(of) => table(of, depth),
        Block::Facts(of) => {
            of.entries.iter().flat_map(|e| [e.label.clone(), e.text.text()]).collect()
        }
        Block::List(of) => of.items.iter().flat_map(text).collect(),
        Block::Answer(of) => [&of.lead, &of.sentence].map(Inline::text).to_vec(),
        Block::Verdict(of) if of.absent.is_some() => vec![of.name.clone()],
        Block::Verdict(of) => {
            let reasons = of.reasons.iter().map(|reason| reason.text.text());
            // On a screen the grade stands at the end of the phrase's first line.
            let phrase = Some(of.phrase.text()).filter(|_| depth > Depth::Screen);
            reasons.chain([of.name.clone(), of.latency.clone()]).chain(phrase).collect()
        }
        Block::Verbatim(of) => of.lines().map(str::to_string).collect(),
        Block::Folded(of, within) if depth == Depth::Page => {
            text(of).into_iter().chain(said(within, depth)).collect()
        }
        Block::Views(_, of) if depth == Depth::Page => {
            let view = |(label, within): &(String, Vec<Block>)| {
                std::iter::once(label.clone()).chain(said(within, depth)).collect::<Vec<_>>()
            };
            of.iter().flat_map(view).collect()
        }
        Block::From(from, within) if *from <= depth => said(within, depth),
        Block::Until(until, within) if *until >= depth => said(within, depth),
        _ => Vec::new(),
    };
    blocks.iter().flat_map(of).collect()
}

fn table(of: &Table, depth: Depth) -> Vec<String> {
    // On a screen lines of neighbours stand beside those of a column that goes on below.
    let whole = |at: At| depth > Depth::Screen || !matches!(at, At::Wrapped(..) | At::Cut(_));
    let shown = |at: &usize| of.columns[*at].depth <= depth && whole(of.columns[*at].at);
    let row = |row: &Row| match row {
        Row::Heading(of) => vec![of.clone()],
        Row::Cells(cells, remarks) => {
            let cells = (0..cells.len()).filter(shown).map(|at| cells[at].text.text());
            cells.chain(remarks.iter().map(Inline::text)).collect()
        }
    };
    std::iter::once(of.title.clone()).chain(of.rows.iter().flat_map(row)).collect()
}

/// The text without what stands from `start` to `end`.
fn without(text: &str, start: &str, end: &str) -> String {
    let mut pieces = text.split(start);
    let first = pieces.next().unwrap_or_default().to_string();
    pieces.fold(first, |all, piece| all + piece.split_once(end).map_or("", |(_, after)| after))
}

/// Letters and digits alone: lines, marks, pictures and capitals are each form's own.
fn letters(text: &str) -> String {
    let mut words = text.to_string();
    for entity in ["&lt;", "&gt;", "&quot;", "&#39;", "&amp;"] {
        words = words.replace(entity, "");
    }
    words.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect()
}

#[test]
fn every_form_shows_all_that_it_has_room_for() {
    let mut missing = Vec::new();
    for (name, run) in runs() {
        let report = Report::new(&run, Units::Si);
        for form in FORMS {
            let Shows::Sections(depth) = form.shows else { continue };
            let document = report_document(&report, form.shows);
            let printed = render(&document, form, Screen::PLAIN);
            let shown = letters(&match depth {
                Depth::Page => without(&without(&printed, "<svg", "</svg>"), "<", ">"),
                _ => printed,
            });
            let mut all = 0;
            for section in document.sections.iter().filter(|section| section.depth <= depth) {
                for said in said(&section.blocks, depth) {
                    let said = letters(&said);
                    if !shown.contains(&said) {
                        missing.push(format!("{name} as {}: no `{said}`", form.name));
                    }
                    all += 1;
                }
            }
            assert!(all > 0, "{name} as {}: nothing", form.name);
        }
    }
    assert!(missing.is_empty(), "\n{}", missing.join("\n"));
}
