//! `narrows db clean`: what of ours is on a server.

use anyhow::Result;
use narrows_model::Unit;
use narrows_report::Units;
use narrows_report::document::{At, Block, Column, Document, Row, Section, Table};
use narrows_runner::request::Address;
use narrows_runner::workload::clean::{LeftKind, LeftoverSchema, leftovers};
use narrows_units::width;

use crate::args::Format;
use crate::args::db::CleanArgs;
use crate::{Exit, output};

/// Columns that are lined up for; a longer name has lines of its own.
const WIDEST: usize = 32;

/// Lists, and removes where asked.
///
/// # Errors
/// The address is none, or the server can't be reached or refuses.
pub fn run(args: &CleanArgs) -> Result<Exit> {
    let address = Address::parse(&args.url)?;
    let found = leftovers(&address, args.remove)?;
    output::document(&leftovers_document(&found, args.remove, &address.to_string()), Format::TEXT)?;
    Ok(Exit::Done)
}

fn leftovers_document(found: &[LeftoverSchema], remove: bool, address: &str) -> Document {
    let section = Section::new("left", "What is left").short("");
    if found.is_empty() {
        let nothing = Block::paragraph(format!("nothing of narrows is in {address}"));
        return Document::of([section.with([nothing])]);
    }
    let bytes = |left: &LeftoverSchema| Units::Si.quantity(left.bytes as f64, Unit::Bytes);
    let widest =
        |text: &dyn Fn(&LeftoverSchema) -> usize| found.iter().map(text).max().unwrap_or(0);
    // What a server names is as long as it likes.
    let name = widest(&|left| width(&left.schema)).min(WIDEST);
    let size = name + 2 + widest(&|left| width(&bytes(left)));
    let mut table = Table::new(vec![
        Column::name("schema", 0),
        Column::figure("size", size).under_title(),
        Column::words("what", At::Left(size + 2)).under_title(),
    ]);
    let row = |left: &LeftoverSchema| {
        let cells = [left.schema.as_str().into(), bytes(left).into(), what(left, remove).into()];
        Row::Cells(cells.into(), Vec::new())
    };
    table.screen.longest_name = name;
    table.rows = found.iter().map(row).collect();
    let removable =
        |left: &LeftoverSchema| matches!(left.kind, LeftKind::RunDead | LeftKind::Orders(_));
    let hint = (!remove && found.iter().any(removable))
        .then(|| Block::paragraph("hint: --remove removes all of it that is not in use"));
    Document::of([section.with([Block::Table(table)]).with(hint)])
}

fn what(left: &LeftoverSchema, remove: bool) -> String {
    let is = match &left.kind {
        LeftKind::RunNow => "of a run in progress: left alone".to_string(),
        LeftKind::OrdersNow => "orders, being loaded or run now: left alone".to_string(),
        LeftKind::RunDead => "of an interrupted run; the next run there removes it".to_string(),
        LeftKind::Orders(None) => "orders, made by another version of narrows".to_string(),
        LeftKind::Orders(Some(state)) => {
            // The items stand as warehouse zero.
            let loaded = state.loaded.iter().filter(|warehouse| **warehouse > 0).count();
            let all = state.setup.warehouses;
            let next =
                if state.ready { "ready to run" } else { "the same command continues the load" };
            format!("orders, {loaded} of {all} warehouses loaded: {next}")
        }
    };
    match (left.removed, remove) {
        (true, _) => format!("removed ({is})"),
        (false, true) if matches!(left.kind, LeftKind::RunDead) => {
            "in use by a run meanwhile: left alone".to_string()
        }
        (false, _) => is,
    }
}

#[cfg(test)]
mod tests {
    use narrows_runner::workload::clean::{Setup, State};

    use narrows_report::{Screen, TEXT, render};

    use super::*;

    fn leftovers_document(found: &[LeftoverSchema], remove: bool, address: &str) -> String {
        render(&super::leftovers_document(found, remove, address), &TEXT, Screen::PLAIN)
    }

    fn left(kind: LeftKind) -> LeftoverSchema {
        LeftoverSchema { schema: "narrows_x".into(), bytes: 2_000_000, kind, removed: false }
    }

    #[test]
    fn a_name_of_any_length_is_listed() {
        let long = LeftoverSchema { schema: "n".repeat(70_000), ..left(LeftKind::RunNow) };
        let text = leftovers_document(&[long, left(LeftKind::RunNow)], false, "db7");
        assert!(text.matches('n').count() >= 70_000, "{text}");
        assert_eq!(text.lines().filter(|line| line.contains("2.00 MB")).count(), 2, "{text}");
    }

    #[test]
    fn each_is_told_with_what_becomes_of_it() {
        assert!(leftovers_document(&[], false, "db7").contains("nothing of narrows"));
        let now = leftovers_document(&[left(LeftKind::RunNow)], false, "db7");
        assert!(now.contains("left alone") && !now.contains("--remove"), "{now}");
        let dead = leftovers_document(&[left(LeftKind::RunDead)], false, "db7");
        assert!(dead.contains("2.00 MB") && dead.contains("--remove"), "{dead}");
        let setup = Setup { warehouses: 20, seed: 1, c_last_name: 7 };
        let state = State { setup, ready: false, loaded: [0, 1, 2].into() };
        let kept = leftovers_document(&[left(LeftKind::Orders(Some(state)))], false, "db7");
        assert!(kept.contains("2 of 20 warehouses loaded: the same command continues"), "{kept}");
        let gone = LeftoverSchema { removed: true, ..left(LeftKind::RunDead) };
        assert!(
            leftovers_document(&[gone], true, "db7").contains("removed (of an interrupted run")
        );
        let hostile =
            LeftoverSchema { schema: "a\u{1b}[2J\nhint: b".into(), ..left(LeftKind::RunNow) };
        let hostile = leftovers_document(&[hostile], false, "db7");
        assert!(hostile.starts_with("a\u{fffd}[2J\u{fffd}hint: b "), "{hostile:?}");
        let taken = leftovers_document(&[left(LeftKind::RunDead)], true, "db7");
        assert!(taken.contains("in use by a run meanwhile"), "{taken}");
    }
}
