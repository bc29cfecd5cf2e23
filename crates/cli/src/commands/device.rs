//! `narrows block device`: what a raw device or a namespace over NVMe/TCP is, what is on it, what stands against writing, what would be
//! lost. Writes nothing.

use anyhow::Result;
use narrows_report::document::{Block, Document, Entry, Facts, List, Section, Style};
use narrows_runner::block::device::{
    Device, NamespaceFacts, Refusal, Wear, look, look_at_namespace, would_lose,
};
use serde_json::{Value, json};

use crate::args::block::DeviceArgs;
use crate::{Exit, output};

/// Looks at the device and tells.
pub fn device(args: &DeviceArgs) -> Result<Exit> {
    if let Some(namespace) = look_at_namespace(&args.device)? {
        let said = Section::new("device", "Namespace").short("").with(of_namespace(&namespace));
        let document = Document::of([said]);
        let document = document.headed(namespace.address.as_str(), "namespace, nothing written");
        output::document(&document.holding(&namespace_values(&namespace)), args.format)?;
        return Ok(Exit::Done);
    }
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

fn of_namespace(namespace: &NamespaceFacts) -> Vec<Block> {
    let bytes = |bytes: u32| narrows_units::Bytes(bytes.into()).iec().to_string();
    let size = narrows_units::Bytes(namespace.size_bytes);
    let cache = if namespace.volatile_cache { "volatile" } else { "none that loses writes" };
    let mut entries = vec![
        Entry::new("size", format!("{size} ({} bytes)", namespace.size_bytes)),
        Entry::new("model", namespace.model.clone()),
        Entry::new("serial", namespace.serial.clone()),
        Entry::new("blocks", format!("{} bytes", namespace.block_bytes)),
        Entry::new("write cache", cache),
        Entry::new("I/O queues", namespace.queues.to_string()),
        Entry::new("command", format!("{} at most (MDTS)", bytes(namespace.most_bytes))),
        Entry::new("in capsule", format!("{} at most", bytes(namespace.in_capsule_bytes))),
    ];
    entries.extend(namespace.storage.map(|storage| Entry::new("reads from", storage)));
    let consent = if namespace.write_protected {
        Block::paragraph("refused for writing: the target serves it read-only")
    } else {
        Block::Verbatim(format!("  --write-to-device 'ADDRESS' --serial {}", namespace.serial))
    };
    vec![
        Block::Facts(Facts { entries, labels: Style::Plain, at: (2, 15) }),
        Block::paragraph(namespace.contents.as_str()),
        Block::paragraph(
            "whether another host uses it can't be seen from here; what is on it is lost where it is written by",
        ),
        consent,
        Block::paragraph("reading it needs no consent, and it may be in use meanwhile"),
    ]
}

fn namespace_values(namespace: &NamespaceFacts) -> Value {
    json!({
        "address": namespace.address,
        "size_bytes": namespace.size_bytes,
        "block_bytes": namespace.block_bytes,
        "model": namespace.model,
        "consent": namespace.serial,
        "write_protected": namespace.write_protected,
        "volatile_write_cache": namespace.volatile_cache,
        "queues": namespace.queues,
        "most_bytes_per_command": namespace.most_bytes,
        "in_capsule_bytes": namespace.in_capsule_bytes,
        "reads_from": namespace.storage,
        "contents": namespace.contents,
    })
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
