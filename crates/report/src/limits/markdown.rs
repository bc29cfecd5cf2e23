//! The table for the book.

use narrows_limits::table::{Class, Dimension, Family, Figure};

use super::sources::Sources;
use super::{Shown, maybe, range};
use crate::render::markdown::plain;

/// Members for which an array's figures are printed.
const MEMBERS: u32 = 8;

/// Headings of the second level, a table and a list of sources each.
pub(super) fn markdown(shown: &Shown<'_>) -> String {
    let mut text = String::new();
    for family in Family::ALL {
        let classes: Vec<&Class> =
            shown.classes.iter().copied().filter(|class| class.family == family).collect();
        if classes.is_empty() {
            continue;
        }
        let mut sources = Sources::default();
        let table = match family {
            Family::Raid => arrays(&classes, &mut sources),
            Family::Cpu => processors(&classes, &mut sources),
            _ => rates(family, &classes, &mut sources),
        };
        text += &format!("## {}\n\n{table}\n{}\n", family.title(), sources.markdown());
        let loss = shown.table.unbalanced_loss().filter(|_| family == Family::Dram);
        if let Some(loss) = loss {
            let lost = range(loss, Dimension::Share);
            text += &format!(
                "Channels with unequal numbers of modules lose {lost} of what is expected ({}: {}).\n\n",
                loss.grade,
                plain(&loss.source)
            );
        }
    }
    text += &measured(shown);
    text.trim_end().to_string() + "\n"
}

fn row(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

fn head(cells: &[&str]) -> String {
    let rule = vec!["---".to_string(); cells.len()];
    row(&cells.iter().map(|cell| cell.to_string()).collect::<Vec<_>>()) + &row(&rule)
}

fn rates(family: Family, classes: &[&Class], sources: &mut Sources) -> String {
    let second = if family == Family::Dram { "expected, mixed" } else { "expected, written" };
    let times = classes.iter().any(|c| {
        c.times.read_ns.is_some() || c.times.durable_write_ns.is_some() || c.write_cache.is_some()
    });
    let mut heads =
        vec!["class", "what", "raw", "encoded", "protocol", "expected", second, "4 KiB reads/s"];
    if times {
        heads.push("beside");
    }
    heads.push("sources");
    let mut text = head(&heads);
    for class in classes {
        let bytes = |figure: &Option<Figure>| maybe(figure.as_ref(), Dimension::Bandwidth);
        let (read, write) = (&class.read, &class.write);
        let mut cells = vec![
            format!("`{}`", class.id),
            plain(&class.title),
            bytes(&read.raw),
            bytes(&read.encoded),
            bytes(&read.protocol),
            bytes(&read.expected),
            bytes(&write.expected),
            maybe(class.operations.read.as_ref(), Dimension::Operations),
        ];
        if times {
            cells.push(beside(class));
        }
        let given = class.operations.read.as_ref().filter(|_| read.raw.is_none());
        cells.push(sources.of([
            read.raw.as_ref(),
            read.expected.as_ref(),
            write.expected.as_ref(),
            given,
            class.times.read_ns.as_ref(),
            class.times.durable_write_ns.as_ref(),
            class.write_cache.as_ref().map(|cache| &cache.bytes),
        ]));
        text += &row(&cells);
    }
    text
}

fn beside(class: &Class) -> String {
    let mut all = Vec::new();
    if let Some(figure) = &class.times.read_ns {
        all.push(format!("one read {}", range(figure, Dimension::Time)));
    }
    if let Some(figure) = &class.times.durable_write_ns {
        all.push(format!("one durable write {}", range(figure, Dimension::Time)));
    }
    if let Some(cache) = &class.write_cache {
        let (bytes, after) =
            (range(&cache.bytes, Dimension::Size), range(&cache.write_after, Dimension::Bandwidth));
        all.push(format!("beyond {bytes} written at {after}"));
    }
    all.join("; ")
}

fn arrays(classes: &[&Class], sources: &mut Sources) -> String {
    let small = format!("small write, {MEMBERS} members");
    let mut text = head(&["class", "what", &small, "full stripes", "room left", "sources"]);
    for class in classes {
        let Some(raid) = class.raid() else { continue };
        let said = raid
            .small_write(MEMBERS)
            .map_or("-".to_string(), |m| format!("{} reads, {} writes", m.reads, m.writes));
        let full = raid.full_stripe_write(MEMBERS);
        text += &row(&[
            format!("`{}`", class.id),
            plain(&class.title),
            said,
            full.map_or("-".to_string(), |factor| format!("× {factor:.3}")),
            raid.usable_share(MEMBERS).map_or("-".to_string(), |s| format!("{:.1} %", s * 100.0)),
            sources.number(&raid.source, raid.grade).to_string(),
        ]);
    }
    text
}

fn processors(classes: &[&Class], sources: &mut Sources) -> String {
    let mut text = head(&[
        "class",
        "what",
        "memory",
        "PCIe",
        "lanes",
        "of two sockets",
        "links between sockets",
        "sources",
    ]);
    for class in classes {
        let Some(cpu) = class.cpu() else { continue };
        let span = |(low, high): (u32, u32)| {
            if low == high { low.to_string() } else { format!("{low} to {high}") }
        };
        let links = match (&cpu.socket_links, &cpu.socket_link) {
            (Some(count), Some(link)) => format!("{} × `{link}`", span(*count)),
            _ => "-".to_string(),
        };
        text += &row(&[
            format!("`{}`", class.id),
            plain(&class.title),
            format!("{} × `{}`", cpu.memory_channels, cpu.memory),
            format!("{}.0", cpu.pcie_generation),
            cpu.lanes.to_string(),
            cpu.lanes_of_two.map_or("-".to_string(), span),
            links,
            sources.number(&cpu.source, cpu.grade).to_string(),
        ]);
    }
    text
}

fn measured(shown: &Shown<'_>) -> String {
    let mut sources = Sources::default();
    let mut text = head(&["class", "what", "measured", "source"]);
    let mut any = false;
    for normal in shown.normals() {
        any = true;
        text += &row(&[
            format!("`{}`", normal.of),
            normal.what.title().to_string(),
            range(&normal.figure, normal.what.dimension()),
            sources.of([Some(&normal.figure)]),
        ]);
    }
    if !any {
        return String::new();
    }
    format!("## Is this normal?\n\n{text}\n{}", sources.markdown())
}
