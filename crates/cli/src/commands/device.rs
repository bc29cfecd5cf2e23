//! `narrows block device`: what a raw device is, what is on it, what stands against writing, what would be lost.
//! Writes nothing.

use anyhow::Result;
use narrows_report::document::{Block, Document, Entry, Facts, List, Section, Style};
use narrows_runner::block::device::{Device, Refusal, Wear, look, would_lose};
use serde_json::{Value, json};

use crate::args::block::DeviceArgs;
use crate::{Exit, output};

/// Looks at the device and tells.
pub fn device(args: &DeviceArgs) -> Result<Exit> {
    let (device, reasons) = look(&args.device)?;
    let said = Section::new("device", "Device").short("").with(device_facts(&device, &reasons));
    let document = Document::of([said]).headed(device.node.as_str(), "raw device, nothing written");
    output::document(&document.holding(&values(&device, &reasons)), args.format)?;
    Ok(Exit::Done)
}

fn device_facts(device: &Device, reasons: &[Refusal]) -> Vec<Block> {
    let told = |value: Option<String>| value.unwrap_or_else(|| "not told".to_string());
    let size = device.size_bytes.map(|b| format!("{} ({b} bytes)", narrows_units::Bytes(b)));
    let mut entries = vec![
        Entry::new("size", told(size)),
        Entry::new("model", told(device.model.clone())),
        Entry::new("identity", device.identity.to_string()),
        Entry::new("blocks", blocks(device)),
    ];
    for (label, names) in [("partitions", &device.partitions), ("also", &device.other_paths)] {
        entries.extend((!names.is_empty()).then(|| Entry::new(label, names.join(", "))));
    }
    let list = |items: Vec<String>| Block::List(List { at: (2, 4), ..List::new(items, 2) });
    // How much would be written is the run's affair, so the sentence about it is left to the run.
    let mut sentences = would_lose(device, 0);
    sentences.retain(|sentence| !sentence.contains(" will be written"));
    sentences.extend(device.wear.iter().map(worn));
    let mut said = vec![
        Block::paragraph(format!("{}{}", device.node, kind(device))),
        Block::Facts(Facts { entries, labels: Style::Plain, at: (2, 13) }),
        Block::paragraph("if it were written"),
        list(sentences),
    ];
    if reasons.is_empty() {
        let phrase = device.identity.phrase();
        let consent = format!("  --write-to-device {} --serial {phrase}", device.path);
        let nothing = "nothing visible from here forbids writing to it";
        said.extend([Block::paragraph(nothing), Block::Verbatim(consent)]);
    } else {
        let reasons = reasons.iter().map(|reason| format!("{reason}; {}", reason.hint()));
        said.extend([
            Block::paragraph("refused for writing, with or without consent"),
            list(reasons.collect()),
        ]);
    }
    let reading = "reading it needs no consent, and it may be in use meanwhile";
    said.push(Block::paragraph(reading));
    said
}

fn worn(wear: &Wear) -> String {
    let written = u64::try_from(wear.written_bytes).unwrap_or(u64::MAX);
    let mut text = format!(
        "The drive reports {} % of its rated life used and {} % of its spare blocks left, after {} written by hosts.",
        wear.life_used_percent,
        wear.spare_percent,
        narrows_units::Bytes(written)
    );
    if wear.warnings != 0 {
        text += &format!(" It reports a fault (critical warning {:#04x}).", wear.warnings);
    }
    text
}

fn kind(device: &Device) -> String {
    let mut words = Vec::new();
    words.extend(device.partition_of.as_ref().map(|disk| format!("a partition of {disk}")));
    words.extend(device.transport.clone());
    words.extend(device.rotational.map(|yes| {
        if yes {
            "reported as rotating".to_string()
        } else {
            "reported as not rotating".to_string()
        }
    }));
    words.extend((device.read_only == Some(true)).then(|| "read-only".to_string()));
    if words.is_empty() { String::new() } else { format!(": {}", words.join(", ")) }
}

fn blocks(device: &Device) -> String {
    let bytes =
        |size: Option<u32>| size.map_or("not told".to_string(), |bytes| format!("{bytes} bytes"));
    let logical = bytes(device.logical_block_bytes);
    format!("{logical}, physically {}", bytes(device.physical_block_bytes))
}

fn values(device: &Device, reasons: &[Refusal]) -> Value {
    let text = |items: &[Refusal]| items.iter().map(Refusal::to_string).collect::<Vec<_>>();
    json!({
        "path": device.path,
        "node": device.node,
        "name": device.name,
        "number": device.number,
        "size_bytes": device.size_bytes,
        "model": device.model,
        "identity": device.identity.to_string(),
        "consent": device.identity.phrase(),
        "transport": device.transport,
        "rotational": device.rotational,
        "partition_of": device.partition_of,
        "partitions": device.partitions,
        "logical_block_bytes": device.logical_block_bytes,
        "physical_block_bytes": device.physical_block_bytes,
        "read_only": device.read_only,
        "uses": device.uses.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "other_paths": device.other_paths,
        "refused": text(reasons),
        "would_lose": would_lose(device, 0),
        "wear": device.wear.map(|wear| json!({
            "life_used_percent": wear.life_used_percent,
            "spare_percent": wear.spare_percent,
            "written_bytes": u64::try_from(wear.written_bytes).unwrap_or(u64::MAX),
            "warnings": wear.warnings,
        })),
        "not_looked_at": device.blind,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wear_is_told_with_what_was_written_and_faults_only_where_there_are_some() {
        let mut wear = Wear {
            life_used_percent: 7,
            spare_percent: 100,
            written_bytes: 1_024_000_000_000,
            warnings: 0,
        };
        assert_eq!(
            worn(&wear),
            "The drive reports 7 % of its rated life used and 100 % of its spare blocks left, after 1.02 TB written by hosts."
        );
        wear.warnings = 4;
        assert!(worn(&wear).ends_with("It reports a fault (critical warning 0x04)."));
    }
}
