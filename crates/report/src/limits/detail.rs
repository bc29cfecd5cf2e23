//! Single classes with every figure and its whole source.

use narrows_limits::table::{Class, Detail, Layout};

use super::sources::wrapped;
use super::{Row, Shown, range, rows};

/// Widest line.
const WIDTH: usize = 100;
/// Where values start.
const KEY: usize = 26;

/// Members for which an array's figures are printed.
const MEMBERS: [u32; 5] = [2, 3, 4, 8, 16];

/// Aligned text, 100 columns.
pub(super) fn detail(shown: &Shown<'_>) -> String {
    let classes: Vec<String> = shown.classes.iter().map(|class| one(shown, class)).collect();
    classes.join("\n")
}

fn one(shown: &Shown<'_>, class: &Class) -> String {
    let mut text = format!("{}: {}\n", class.id, class.title);
    text += &parts(shown, class);
    for (key, row) in told_once(class) {
        let value = range(row.figure, row.dimension);
        let said = format!("{value}  {}: {}", row.figure.grade, row.figure.source);
        text += &wrapped(&label(key), &said, WIDTH);
    }
    for normal in shown.table.normals(&class.id) {
        let figure = &normal.figure;
        let value = range(figure, normal.what.dimension());
        let said = format!("{value}  {}: {}", figure.grade, figure.source);
        text += &wrapped(&label(normal.what.title()), &said, WIDTH);
    }
    text
}

/// A key and the space to its value.
fn label(key: &str) -> String {
    format!("  {key:<width$}  ", width = KEY - 4)
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
fn parts(shown: &Shown<'_>, class: &Class) -> String {
    let mut text = String::new();
    let mut say = |key: &str, value: &str| {
        text += &wrapped(&label(key), value, WIDTH);
    };
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
    text
}
