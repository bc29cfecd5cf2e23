//! Platforms on paper: their ceilings side by side, then what binds each, what to widen first, and what it consists of.

use narrows_plan::{Binding, Drawing, DrawnPart, Plan, Share, Widen, Work, WorkAnswer};
use narrows_units::{Bytes, BytesPerSecond, OpsPerSecond, Ratio, si, significant};

use crate::chart::{nested, wires::Wire};
use crate::document::{
    self, At, Block, Cell, Column, Depth, Document, Entry, Facts, Foot, Head, Inline, Row, Section,
    Sheet, Style, Svg, Table,
};
use crate::nested_box::NestedBox;

/// Room for what rows are about, and for each platform.
const LEFT: usize = 26;
const CELL: usize = 24;
/// Where texts begin beside their labels.
const TEXT: usize = 16;

/// The document of these plans.
pub fn plans(plans: &[Plan]) -> Document {
    let names: Vec<&str> = plans.iter().map(|plan| plan.name.as_str()).collect();
    let name = names.join(" and ");
    let title = vec![name.clone(), "planned, nothing measured".to_string()];
    let more = "Ceilings: what no system exceeds; in brackets what good systems reach, where a source says so.";
    Document {
        head: Head { depth: Depth::Page, name, title, ..Head::default() },
        sections: std::iter::once(ceilings(plans)).chain(plans.iter().map(section)).collect(),
        foot: Foot { more: vec![more.into()], ..Foot::default() },
        sheet: sheet(plans),
        json: document::json(plans),
        ..Document::default()
    }
}

/// Platforms side by side.
pub(super) fn side_by_side(names: &[&str], left: usize, step: usize) -> Table {
    let columns = names.iter().map(|name| Column::words(*name, At::Cut(step)));
    let mut table = Table::new(std::iter::once(Column::name("", 0)).chain(columns).collect());
    table.screen.names = left;
    table
}

fn ceilings(plans: &[Plan]) -> Section {
    let names: Vec<&str> = plans.iter().map(|plan| plan.name.as_str()).collect();
    let mut table = side_by_side(&names, LEFT, CELL);
    let rows = compared(plans).into_iter().map(|row| {
        let look = if row.left.starts_with(' ') { Style::Faint } else { Style::Plain };
        let left: Cell = Inline::of(look, row.left).into();
        Row::Cells(
            std::iter::once(left).chain(row.cells.into_iter().map(Cell::from)).collect(),
            Vec::new(),
        )
    });
    table.rows = rows.collect();
    Section::new("ceilings", "Ceilings").short("").with([Block::Table(table)])
}

fn section(plan: &Plan) -> Section {
    let mut entries = Vec::new();
    for group in alike(plan) {
        entries.extend(of_group(&group));
    }
    let mut say = |label: &str, text: &str| entries.push(Entry::new(label, text));
    plan.notes.iter().for_each(|note| say("not modelled", note));
    if let Some(price) = plan.price.as_ref().filter(|price| !price.unpriced.is_empty()) {
        say("no price", &price.unpriced.join(", "));
    }
    let note = plan.note.as_ref().map(|note| Block::paragraph(note.as_str()));
    let shown = note.into_iter().chain([picture(&plan.name, &plan.drawing)]).collect();
    let parts: Vec<String> = plan.drawing.lines().iter().map(|line| format!("  {line}")).collect();
    let parts = parts.join("\n");
    Section::new("", plan.name.as_str()).with([
        Block::From(Depth::Page, shown),
        labelled(entries),
        Block::Until(Depth::Text, vec![Block::Verbatim(parts)]),
    ])
}

/// Labels with texts beside them.
pub(super) fn labelled(entries: Vec<Entry>) -> Block {
    Block::Facts(Facts { entries, labels: Style::Plain, at: (0, TEXT) })
}

/// What binds works that are limited alike, what to widen first, and what each part carries.
fn of_group(group: &[&WorkAnswer]) -> Vec<Entry> {
    let answer = group[0];
    let titles: Vec<&str> = group.iter().map(|answer| answer.work.title()).collect();
    let binding: Vec<String> = answer.binding.iter().map(binds).collect();
    let mut entries = vec![Entry::new(titles.join(", "), binding.join("; "))];
    if let Some(best) = answer.widen.first() {
        let mut words = widening(best);
        let mut next: Vec<&str> = Vec::new();
        for bound in &answer.next {
            if !next.contains(&bound.component.as_str()) {
                next.push(&bound.component);
            }
        }
        if !next.is_empty() {
            words += &format!("; then {}", next.join(", "));
        }
        entries.push(Entry::new("  upgrade first", words));
    }
    if let [_, _, ..] = answer.shares.as_slice() {
        let share = |share: &Share| {
            let (number, prefix) = si(share.per_s * answer.operation_bytes as f64);
            format!("{} {number} {prefix}B/s", share.of)
        };
        let words: Vec<String> = answer.shares.iter().map(share).collect();
        entries.push(Entry::new("  each", words.join(", ")));
    }
    entries
}

/// Neighbours that the same limits hold in the same way.
fn alike(plan: &Plan) -> Vec<Vec<&WorkAnswer>> {
    let mut groups: Vec<Vec<&WorkAnswer>> = Vec::new();
    for answer in &plan.works {
        let words = |answer: &WorkAnswer| -> Vec<String> {
            let binding = answer.binding.iter().map(binds);
            binding.chain(answer.widen.iter().map(widening)).collect()
        };
        let same = |a: &WorkAnswer, b: &WorkAnswer| {
            a.work.is_random() == b.work.is_random() && words(a) == words(b)
        };
        match groups.last_mut() {
            Some(group) if same(group[0], answer) => group.push(answer),
            _ => groups.push(vec![answer]),
        }
    }
    groups
}

/// A platform as boxes within boxes, and the links between them.
pub(super) fn picture(name: &str, drawing: &Drawing) -> Block {
    let parts = drawing.parts.iter().map(place).collect();
    let wires = drawing.wires.iter().map(|wire| Wire {
        ends: wire.ends,
        words: wire.words.clone(),
        marks: wire.marks.clone(),
    });
    let wires: Vec<Wire> = wires.collect();
    let label = format!("{name}: its parts as boxes within boxes, and the links between them");
    let svg: Svg = nested::figure(&NestedBox::of(name, parts), &wires, &label);
    Block::figure("", "", svg)
}

fn place(part: &DrawnPart) -> NestedBox {
    NestedBox {
        marks: part.marks.clone(),
        ..NestedBox::of(part.words.clone(), part.within.iter().map(place).collect())
    }
}

/// One row for each platform and kind of work; units stand in the column's names.
fn sheet(plans: &[Plan]) -> Sheet {
    let mut sheet = Sheet::new(&[
        "platform",
        "work",
        "operation_bytes",
        "ceiling_per_s",
        "ceiling_bytes_per_s",
        "expected_per_s",
        "binding",
        "widen_first",
        "widen_by_a_tenth",
        "widen_at_most",
    ]);
    let number = |value: Option<f64>| value.map_or(String::new(), |v| v.to_string());
    for (plan, answer) in plans.iter().flat_map(|plan| plan.works.iter().map(move |a| (plan, a))) {
        let first = answer.widen.first();
        let binding: Vec<&str> = answer.binding.iter().map(|b| b.component.as_str()).collect();
        let work = serde_json::to_value(answer.work).ok();
        sheet.rows.push(vec![
            plan.name.clone(),
            work.as_ref().and_then(|work| work.as_str()).unwrap_or_default().to_string(),
            answer.operation_bytes.to_string(),
            answer.ceiling_per_s.to_string(),
            answer.ceiling_bytes_per_s.to_string(),
            number(answer.expected_per_s),
            binding.join("; "),
            first.map(|w| w.components.join("; ")).unwrap_or_default(),
            number(first.map(|w| w.by_a_tenth)),
            number(first.and_then(|w| w.lifted)),
        ]);
    }
    sheet
}

/// A row of the comparison.
struct Compared {
    /// What it is about; two spaces before it where it belongs to the row above.
    left: String,
    /// One for each plan, `-` where it has none.
    cells: Vec<String>,
}

/// Ceilings, then prices; rows that no plan can fill are left out.
fn compared(plans: &[Plan]) -> Vec<Compared> {
    let Some(first) = plans.first() else { return Vec::new() };
    let block = Bytes(first.question.block_bytes).iec();
    let table = Bytes(first.question.table_bytes);
    let mut rows = Vec::new();
    for work in Work::ALL {
        let left = match work {
            Work::RandomRead | Work::RandomWrite => format!("{} {block}", work.title()),
            _ => work.title().to_string(),
        };
        rows.push(row(&left, plans, |plan| plan.work(work).map(rate)));
        if work == Work::Scan {
            let left = format!("  a table of {table}");
            rows.push(row(&left, plans, |plan| plan.scan_s().map(seconds)));
        }
    }
    rows.push(row("price", plans, |plan| {
        plan.price.as_ref().map(|price| {
            let beside = if price.unpriced.is_empty() { "" } else { " +" };
            money(price.total, price.currency.as_deref()) + beside
        })
    }));
    rows.push(row("  per 1,000 random reads/s", plans, |plan| {
        per(plan, plan.work(Work::RandomRead)?.ceiling_per_s / 1e3)
    }));
    rows.push(row("  per GB/s of scan", plans, |plan| {
        per(plan, plan.work(Work::Scan)?.ceiling_bytes_per_s / 1e9)
    }));
    rows.retain(|row| row.cells.iter().any(|cell| cell != "-"));
    rows
}

fn row(left: &str, plans: &[Plan], cell: impl Fn(&Plan) -> Option<String>) -> Compared {
    let cells = plans.iter().map(|plan| cell(plan).unwrap_or_else(|| "-".to_string())).collect();
    Compared { left: left.to_string(), cells }
}

/// `2.31M/s (2.1)`: the ceiling, and where good systems end.
fn rate(answer: &WorkAnswer) -> String {
    let (ceiling, expected) = if answer.work.is_random() {
        let expected = answer.expected_per_s.map(|rate| OpsPerSecond(rate).to_string());
        (OpsPerSecond(answer.ceiling_per_s).to_string(), expected)
    } else {
        let bytes = answer.operation_bytes as f64;
        let expected = answer.expected_per_s.map(|rate| BytesPerSecond(rate * bytes).to_string());
        (BytesPerSecond(answer.ceiling_bytes_per_s).to_string(), expected)
    };
    match expected {
        Some(expected) => format!("{ceiling} ({expected})"),
        None => ceiling,
    }
}

fn seconds(seconds: f64) -> String {
    format!("{} s", significant(seconds, 3))
}

fn per(plan: &Plan, units: f64) -> Option<String> {
    let price = plan.price.as_ref()?;
    (units > 0.0).then(|| money(price.total / units, price.currency.as_deref()))
}

fn money(value: f64, currency: Option<&str>) -> String {
    let (number, prefix) = si(value);
    let number = format!("{number} {prefix}");
    format!("{} {}", number.trim(), currency.unwrap_or("")).trim().to_string()
}

/// `link fabric (hdr-200, in)`.
pub(super) fn binds(binding: &Binding) -> String {
    let slack = if binding.slack == 0.0 {
        String::new()
    } else {
        format!(", {} left", Ratio(binding.slack))
    };
    format!("{} ({}{slack})", binding.component, binding.limit)
}

/// `link fabric: +9.0 % for 10 % more of it, +35 % at most`.
pub(super) fn widening(widen: &Widen) -> String {
    let gain = |share: f64| format!("+{}", Ratio(share));
    let most = match widen.lifted {
        Some(lifted) => format!("{} at most", gain(lifted)),
        None => "nothing described limits it then".to_string(),
    };
    let names = widen.components.join(" and ");
    let together = if widen.components.len() > 1 { " together" } else { "" };
    format!("{names}{together}: {} for 10 % more of it, {most}", gain(widen.by_a_tenth))
}
