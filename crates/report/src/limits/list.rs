//! The table as aligned text: a block for each family, its sources below it.

use narrows_limits::table::{Class, Dimension, Family, Figure, Normal};

use super::sources::Sources;
use super::{Shown, maybe, range, value};

/// Members for which an array's figures are printed.
const MEMBERS: u32 = 8;

/// Columns: where each but the first ends, or starts for the last.
struct Columns(&'static [usize]);

impl Columns {
    fn row(&self, cells: &[String]) -> String {
        let mut line = String::new();
        for (index, cell) in cells.iter().enumerate() {
            let used = line.chars().count();
            let pad = match index.checked_sub(1).and_then(|column| self.0.get(column)) {
                // The last column is text and starts where it stands.
                Some(start) if index + 1 == cells.len() => start.saturating_sub(used).max(1),
                Some(end) => end.saturating_sub(used + cell.chars().count()).max(1),
                None => 0,
            };
            line += &" ".repeat(pad);
            line += cell;
        }
        line.trim_end().to_string() + "\n"
    }
}

const RATES: Columns = Columns(&[33, 45, 57, 78, 90, 92]);
const ARRAYS: Columns = Columns(&[26, 40, 54, 66, 68]);
const PROCESSORS: Columns = Columns(&[30, 42, 53, 59, 66, 75, 89, 91]);

/// Aligned text, 100 columns.
pub(super) fn list(shown: &Shown<'_>) -> String {
    let mut text = String::new();
    for family in Family::ALL {
        let classes: Vec<&Class> =
            shown.classes.iter().copied().filter(|class| class.family == family).collect();
        if classes.is_empty() {
            continue;
        }
        if !text.is_empty() {
            text += "\n";
        }
        let mut sources = Sources::default();
        text += &match family {
            Family::Raid => arrays(&classes, &mut sources),
            Family::Cpu => processors(shown, &classes, &mut sources),
            _ => rates(family, &classes, &mut sources),
        };
        if family == Family::Dram
            && let Some(loss) = shown.table.unbalanced_loss()
        {
            let number = sources.of([Some(loss)]);
            let lost = range(loss, Dimension::Share);
            text += &format!("channels with unequal numbers of modules lose {lost} [{number}]\n");
        }
        text += &sources.text();
    }
    let normals: Vec<&Normal> = shown.normals().collect();
    if !normals.is_empty() {
        let mut sources = Sources::default();
        text += "\n";
        text += &measured(&normals, &mut sources);
        text += &sources.text();
    }
    text
}

fn cells<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.iter().map(|cell| cell.to_string()).collect()
}

/// Links, drives and volumes: bytes and operations per second.
fn rates(family: Family, classes: &[&Class], sources: &mut Sources) -> String {
    let mut text = format!("{}, bytes/s each way\n", family.title());
    if matches!(family, Family::Dram | Family::Sata) {
        text = format!("{}, bytes/s, reads and writes together\n", family.title());
    }
    text +=
        &RATES.row(&cells(["", "raw", "encoded", "protocol", "expected", "4 KiB ops", "source"]));
    for class in classes {
        let bytes = |figure: &Option<Figure>| maybe(figure.as_ref(), Dimension::Bandwidth);
        let operations = |figure: &Option<Figure>| maybe(figure.as_ref(), Dimension::Operations);
        let read = &class.read;
        let numbers = sources.of([
            read.raw.as_ref(),
            read.expected.as_ref(),
            class.operations.read.as_ref().filter(|_| read.raw.is_none()),
        ]);
        text += &RATES.row(&[
            class.id.clone(),
            bytes(&read.raw),
            bytes(&read.encoded),
            bytes(&read.protocol),
            bytes(&read.expected),
            operations(&class.operations.read),
            numbers,
        ]);
        if write_differs(class) {
            let write = &class.write;
            let label = if family == Family::Dram { "  mixed" } else { "  written" };
            let counted = class.operations.write.as_ref().filter(|_| write.raw.is_none());
            let numbers = sources.of([write.expected.as_ref(), counted]);
            let operations = operations(&class.operations.write);
            let expected = bytes(&write.expected);
            text += &RATES.row(&[
                label.to_string(),
                String::new(),
                String::new(),
                String::new(),
                expected,
                operations,
                numbers,
            ]);
        }
        text += &beside(class, sources);
    }
    text
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

/// Times and fast parts, under their class.
fn beside(class: &Class, sources: &mut Sources) -> String {
    let mut text = String::new();
    let times = [
        ("one read alone", &class.times.read_ns),
        ("one durable write alone", &class.times.durable_write_ns),
    ];
    for (what, figure) in times {
        if let Some(figure) = figure {
            let number = sources.of([Some(figure)]);
            text += &format!("  {what} {} [{number}]\n", range(figure, Dimension::Time));
        }
    }
    if let Some(cache) = &class.write_cache {
        let number = sources.of([Some(&cache.bytes)]);
        let bytes = range(&cache.bytes, Dimension::Size);
        let after = range(&cache.write_after, Dimension::Bandwidth);
        text += &format!("  written beyond {bytes} {after} [{number}]\n");
    }
    text
}

/// What arrays do to writes.
fn arrays(classes: &[&Class], sources: &mut Sources) -> String {
    let mut text = format!("RAID, {MEMBERS} members: operations on members for one asked for\n");
    text += &ARRAYS.row(&cells([
        "",
        "small write",
        "of it reads",
        "full stripes",
        "room left",
        "source",
    ]));
    for class in classes {
        let Some(raid) = class.raid() else { continue };
        let small = raid.small_write(MEMBERS);
        let number = |value: Option<f64>| value.map_or("-".to_string(), |v| format!("{v:.4}"));
        let short = |text: String| text.trim_end_matches('0').trim_end_matches('.').to_string();
        text += &ARRAYS.row(&[
            class.id.clone(),
            short(number(small.map(|m| m.reads + m.writes))),
            short(number(small.map(|m| m.reads))),
            format!("× {}", short(number(raid.full_stripe_write(MEMBERS)))),
            raid.usable_share(MEMBERS).map_or("-".to_string(), |s| format!("{:.1} %", s * 100.0)),
            sources.number(&raid.source, raid.grade).to_string(),
        ]);
    }
    text
}

/// What processors have.
fn processors(shown: &Shown<'_>, classes: &[&Class], sources: &mut Sources) -> String {
    let mut text = "Processors, one socket\n".to_string();
    text += &PROCESSORS.row(&cells([
        "", "channels", "memory", "together", "PCIe", "lanes", "of two", "links", "source",
    ]));
    for class in classes {
        let Some(cpu) = class.cpu() else { continue };
        let channel = shown.table.class(&cpu.memory).and_then(|class| class.read.ceiling());
        let memory = channel.map_or("-".to_string(), |figure| {
            value(figure.high * f64::from(cpu.memory_channels), Dimension::Bandwidth)
        });
        let span = |(low, high): (u32, u32)| {
            if low == high { low.to_string() } else { format!("{low}-{high}") }
        };
        let links = match (&cpu.socket_links, &cpu.socket_link) {
            (Some(count), Some(link)) => format!("{} {link}", span(*count)),
            _ => "-".to_string(),
        };
        text += &PROCESSORS.row(&[
            class.id.clone(),
            cpu.memory_channels.to_string(),
            cpu.memory.clone(),
            memory,
            format!("{}.0", cpu.pcie_generation),
            cpu.lanes.to_string(),
            cpu.lanes_of_two.map_or("-".to_string(), span),
            links,
            sources.number(&cpu.source, cpu.grade).to_string(),
        ]);
    }
    text
}

/// What others measured.
fn measured(normals: &[&Normal], sources: &mut Sources) -> String {
    let mut text = "Is this normal? What others measured\n".to_string();
    text += &format!("{:<62} {:>22}  source\n", "", "value");
    let mut last = "";
    for normal in normals {
        let shown = if normal.of == last { "" } else { &normal.of };
        last = &normal.of;
        let number = sources.of([Some(&normal.figure)]);
        let value = range(&normal.figure, normal.what.dimension());
        let what = normal.what.title();
        text += &format!("{shown:<22}{what:<40} {value:>22}  {number}\n");
    }
    text
}
