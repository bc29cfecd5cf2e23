//! Single classes with every figure and its whole source.

use narrows_limits::table::{Class, Detail, Dimension, Figure, Layout};

use super::ShownLimits;
use super::figures::{Row, range, rows};
use crate::document::{Block, Depth, Entry, Facts, Section, Style};

/// Members for which an array's figures are printed.
const MEMBERS: [u32; 5] = [2, 3, 4, 8, 16];

/// One class after the other.
pub(super) fn sections(shown: &ShownLimits<'_>) -> Vec<Section> {
    shown.classes.iter().map(|class| one(shown, class)).collect()
}

fn one(shown: &ShownLimits<'_>, class: &Class) -> Section {
    let mut entries = parts(shown, class);
    let said = |key: &str, figure: &Figure, dimension: Dimension| {
        let value = range(figure, dimension);
        Entry::new(key, format!("{value}  {}: {}", figure.grade, figure.source))
    };
    entries.extend(told_once(class).iter().map(|(key, row)| said(key, row.figure, row.dimension)));
    let normals = shown.table.normals(&class.id);
    entries.extend(normals.map(|of| said(of.what.title(), &of.figure, of.what.dimension())));
    let title = format!("{}: {}", class.id, class.title);
    // An id is no heading in capitals.
    let heading = Block::Until(Depth::Screen, vec![Block::Heading(title.as_str().into())]);
    let facts = Facts { entries, labels: Style::Plain, at: (2, 26) };
    Section::new("", title).short("").with([heading, Block::Facts(facts)])
}

/// Figures with their keys; where both directions have the same, it stands once, under the key's last word.
fn told_once(class: &Class) -> Vec<(&'static str, Row<'_>)> {
    let all = rows(class);
    let other = |key: &str, direction: &str| {
        let word = key.split_once('.').map(|(_, word)| word)?;
        all.iter().find(|row| row.key == format!("{direction}.{word}")).map(|row| row.figure)
    };
    let mut told = Vec::new();
    for row in rows(class) {
        let twin = match row.key.split_once('.') {
            Some(("read", _)) => other(row.key, "write"),
            Some(("write", _)) => other(row.key, "read"),
            _ => None,
        };
        match (row.key.split_once('.'), twin == Some(row.figure)) {
            (Some(("write", _)), true) => {}
            (Some((_, word)), true) => told.push((word, row)),
            _ => told.push((row.key, row)),
        }
    }
    told
}

/// What only some families have.
fn parts(shown: &ShownLimits<'_>, class: &Class) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut say = |key: &str, value: &str| entries.push(Entry::new(key, value));
    match &class.detail {
        Detail::None => {}
        Detail::Link(link) => {
            let signal = link.signal_bits_per_s / 1e9;
            let lanes = link.lanes;
            say("signal", &format!("{signal} × 10⁹ transfers/s × {lanes} bit"));
            if let Some(share) = link.encoding.share() {
                say("encoding", &format!("{}, {:.2} % left", link.encoding.name(), share * 100.0));
                say("framing", &link.framing.describe());
            } else {
                say("encoding", "not published");
            }
        }
        Detail::Raid(raid) => {
            say("source", &format!("{}: {}", raid.grade, raid.source));
            for members in MEMBERS {
                let all = (raid.small_write(members), raid.full_stripe_write(members));
                if let (Some(small), Some(full)) = all {
                    let (reads, writes) = (small.reads, small.writes);
                    let said = format!(
                        "a small write: reads {reads}, writes {writes}; full stripes: × {full:.3}"
                    );
                    say(&format!("{members} members"), &said);
                }
                if raid.layout == Layout::Stripe {
                    break;
                }
            }
        }
        Detail::Cpu(cpu) => {
            say("source", &format!("{}: {}", cpu.grade, cpu.source));
            say("memory", &format!("{} channels of {}", cpu.memory_channels, cpu.memory));
            if let Some(class) = &cpu.memory_two_modules {
                say("two modules a channel", class);
            }
            let channel = shown.table.class(&cpu.memory).and_then(|c| c.read.ceiling());
            if let Some(channel) = channel {
                let gigabytes = channel.high * f64::from(cpu.memory_channels) / 1e9;
                say("memory together", &format!("{gigabytes:.1} GB/s"));
            }
            let lanes = match cpu.lanes_of_two {
                None => format!("{}", cpu.lanes),
                Some((low, high)) if low == high => format!("{}; of two sockets {low}", cpu.lanes),
                Some((low, high)) => format!("{}; of two sockets {low} to {high}", cpu.lanes),
            };
            say("lanes", &format!("PCIe {}.0: {lanes}", cpu.pcie_generation));
            if let (Some(link), Some((low, high))) = (&cpu.socket_link, cpu.socket_links) {
                let count = if low == high { low.to_string() } else { format!("{low} to {high}") };
                say("links between sockets", &format!("{count} × {link}"));
            }
        }
    }
    entries
}
