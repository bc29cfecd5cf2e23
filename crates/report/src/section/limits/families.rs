//! A table for each family, its sources below it; then what others measured.

use narrows_limits::table::{Class, Dimension, Family, Figure, Normal};

use super::figures::{maybe, range, value};
use super::sources::Sources;
use super::{MEMBERS, ShownLimits};
use crate::document::{
    At, Block, Cell, Column, Depth, Inline, Remarks, Row, Section, Style, Table,
};

/// All families that have a class, and the measurements.
pub(super) fn sections(shown: &ShownLimits<'_>) -> Vec<Section> {
    let families = Family::ALL.into_iter().filter_map(|family| of_family(shown, family));
    families.chain(measured(shown)).collect()
}

fn of_family(shown: &ShownLimits<'_>, family: Family) -> Option<Section> {
    let of_it = shown.classes.iter().copied().filter(|class| class.family == family);
    let classes: Vec<&Class> = of_it.collect();
    if classes.is_empty() {
        return None;
    }
    let mut sources = Sources::default();
    let (said, table) = match family {
        Family::Raid => {
            let said = format!("{MEMBERS} members: operations on members for one asked for");
            (said, arrays(&classes, &mut sources))
        }
        Family::Cpu => ("one socket".to_string(), processors(shown, &classes, &mut sources)),
        Family::Dram | Family::Sata => {
            ("reads and writes together".to_string(), rates(family, &classes, &mut sources))
        }
        _ => ("each way".to_string(), rates(family, &classes, &mut sources)),
    };
    let loss = shown.table.unbalanced_loss().filter(|_| family == Family::Dram).map(|loss| {
        let lost = range(loss, Dimension::Share);
        let number = sources.of([Some(loss)]);
        let said = "Channels with unequal numbers of modules lose";
        Block::paragraph(format!("{said} {lost} of what is expected [{number}]"))
    });
    let section = Section::new(family.name(), format!("{}, {said}", family.title()));
    Some(section.with([Block::Table(table)]).with(loss).with([sources.list()]))
}

/// Ids of classes, with their titles where there is room.
fn named(columns: Vec<Column>) -> Table {
    let mut title = Column::words("what", At::Left(0));
    title.depth = Depth::Text;
    Table::new([Column::name("class", 0), title].into_iter().chain(columns).collect())
}

fn row<const N: usize>(class: &Class, cells: [String; N]) -> Row {
    let id = Inline::of(Style::Code, class.id.as_str());
    let name = [id.into(), class.title.as_str().into()];
    Row::Cells(name.into_iter().chain(cells.map(Cell::from)).collect(), Vec::new())
}

fn sources_at(column: usize) -> Column {
    Column::words("source", At::Left(column))
}

/// Links, drives and volumes: bytes and operations per second; times and fast parts under their class.
fn rates(family: Family, classes: &[&Class], sources: &mut Sources) -> Table {
    let mut table = named(vec![
        Column::figure("raw", 33),
        Column::figure("encoded", 45),
        Column::figure("protocol", 57),
        Column::figure("expected", 78),
        Column::figure("4 KiB ops", 90),
        sources_at(92),
    ]);
    let bytes = |figure: &Option<Figure>| maybe(figure.as_ref(), Dimension::Bandwidth);
    let operations = |figure: &Option<Figure>| maybe(figure.as_ref(), Dimension::Operations);
    for class in classes {
        let (read, write) = (&class.read, &class.write);
        let counted = |figure: &Option<Figure>| read.raw.is_none() && figure.is_some();
        let numbers = sources.of([
            read.raw.as_ref(),
            read.expected.as_ref(),
            class.operations.read.as_ref().filter(|_| counted(&class.operations.read)),
        ]);
        let mut rows = vec![row(
            class,
            [
                bytes(&read.raw),
                bytes(&read.encoded),
                bytes(&read.protocol),
                bytes(&read.expected),
                operations(&class.operations.read),
                numbers,
            ],
        )];
        if write_differs(class) {
            let label = if family == Family::Dram { "  mixed" } else { "  written" };
            let written = &class.operations.write;
            let given = written.as_ref().filter(|_| write.raw.is_none());
            let numbers = sources.of([write.expected.as_ref(), given]);
            let none = || Cell::default();
            let figures = [bytes(&write.expected), operations(written), numbers].map(Cell::from);
            let cells = [label.into(), none(), none(), none(), none()];
            rows.push(Row::Cells(cells.into_iter().chain(figures).collect(), Vec::new()));
        }
        if let Some(Row::Cells(_, remarks)) = rows.last_mut() {
            remarks.extend(beside(class, sources));
        }
        table.rows.extend(rows);
    }
    let any = table.rows.iter().any(|row| matches!(row, Row::Cells(_, said) if !said.is_empty()));
    if any { table.remarked("beside", Remarks::Below(2)) } else { table }
}

/// Whether writes have a line of their own.
fn write_differs(class: &Class) -> bool {
    let middle = |figure: &Option<Figure>| figure.as_ref().map(Figure::middle);
    let apart = |a: &Option<Figure>, b: &Option<Figure>| match (middle(a), middle(b)) {
        (Some(a), Some(b)) => (a / b - 1.0).abs() > 0.03,
        (a, b) => a.is_some() != b.is_some(),
    };
    let (bytes, count) = (&class.write.expected, &class.operations.write);
    // A link's operations follow from its packets, and differ little.
    let link = class.read.raw.is_some();
    (bytes.is_some() && apart(&class.read.expected, bytes))
        || (!link && count.is_some() && apart(&class.operations.read, count))
}

/// Times and fast parts.
fn beside(class: &Class, sources: &mut Sources) -> Vec<Inline> {
    let mut said = Vec::new();
    let times = [
        ("one read alone", &class.times.read_ns),
        ("one durable write alone", &class.times.durable_write_ns),
    ];
    for (what, figure) in times {
        if let Some(figure) = figure {
            let number = sources.of([Some(figure)]);
            said.push(format!("{what} {} [{number}]", range(figure, Dimension::Time)).into());
        }
    }
    if let Some(cache) = &class.write_cache {
        let number = sources.of([Some(&cache.bytes)]);
        let bytes = range(&cache.bytes, Dimension::Size);
        let after = range(&cache.write_after, Dimension::Bandwidth);
        said.push(format!("written beyond {bytes} {after} [{number}]").into());
    }
    said
}

/// What arrays do to writes.
fn arrays(classes: &[&Class], sources: &mut Sources) -> Table {
    let mut table = named(vec![
        Column::figure("small write", 26),
        Column::figure("of it reads", 40),
        Column::figure("full stripes", 54),
        Column::figure("room left", 66),
        sources_at(68),
    ]);
    let number = |value: f64| {
        let text = format!("{value:.4}");
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    };
    let known = |value: Option<String>| value.unwrap_or_else(|| "-".to_string());
    for class in classes {
        let Some(raid) = class.raid() else { continue };
        let small = raid.small_write(MEMBERS);
        let full = raid.full_stripe_write(MEMBERS).map(|factor| format!("× {}", number(factor)));
        let left = raid.usable_share(MEMBERS).map(|share| format!("{:.1} %", share * 100.0));
        table.rows.push(row(
            class,
            [
                known(small.map(|m| number(m.reads + m.writes))),
                known(small.map(|m| number(m.reads))),
                known(full),
                known(left),
                sources.number(&raid.source, raid.grade).to_string(),
            ],
        ));
    }
    table
}

/// What processors have.
fn processors(shown: &ShownLimits<'_>, classes: &[&Class], sources: &mut Sources) -> Table {
    let heads = ["channels", "memory", "together", "PCIe", "lanes", "of two", "links"];
    let ends = [30, 42, 53, 59, 66, 75, 89];
    let columns = heads.into_iter().zip(ends).map(|(head, end)| Column::figure(head, end));
    let mut table = named(columns.chain([sources_at(91)]).collect());
    let span = |(low, high): (u32, u32)| match low == high {
        true => low.to_string(),
        false => format!("{low}-{high}"),
    };
    let known = |value: Option<String>| value.unwrap_or_else(|| "-".to_string());
    for class in classes {
        let Some(cpu) = class.cpu() else { continue };
        let channel = shown.table.class(&cpu.memory).and_then(|class| class.read.ceiling());
        let together = channel
            .map(|one| value(one.high * f64::from(cpu.memory_channels), Dimension::Bandwidth));
        let links = cpu.socket_links.zip(cpu.socket_link.as_ref());
        table.rows.push(row(
            class,
            [
                cpu.memory_channels.to_string(),
                cpu.memory.clone(),
                known(together),
                format!("{}.0", cpu.pcie_generation),
                cpu.lanes.to_string(),
                known(cpu.lanes_of_two.map(span)),
                known(links.map(|(count, link)| format!("{} {link}", span(count)))),
                sources.number(&cpu.source, cpu.grade).to_string(),
            ],
        ));
    }
    table
}

/// What others measured.
fn measured(shown: &ShownLimits<'_>) -> Option<Section> {
    let mut sources = Sources::default();
    let mut table = Table::new(vec![
        Column::name("class", 0),
        Column::words("what", At::Left(22)).under_title(),
        Column::figure("value", 85),
        sources_at(87),
    ]);
    let mut last = "";
    let row = |normal: &'_ Normal, first: bool, number: String| {
        let of = if first { normal.of.as_str() } else { "" };
        let cells = [
            Inline::of(Style::Code, of).into(),
            normal.what.title().into(),
            range(&normal.figure, normal.what.dimension()).into(),
            number.into(),
        ];
        Row::Cells(cells.into(), Vec::new())
    };
    for normal in shown.normals() {
        let first = std::mem::replace(&mut last, &normal.of) != normal.of;
        table.rows.push(row(normal, first, sources.of([Some(&normal.figure)])));
    }
    let some = !table.rows.is_empty();
    let section = Section::new("normal", "Is this normal? What others measured");
    some.then(|| section.with([Block::Table(table), sources.list()]))
}
