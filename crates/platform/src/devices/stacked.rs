//! Arrays of Linux software RAID (Linux `Documentation/admin-guide/md.rst`) and device-mapper devices.

use narrows_facts::Source;
use narrows_model::{ArrayMember, DeviceKind, DrivePath, MapperDevice, MapperTarget, MdArray};

use super::names;
use crate::block::{self, transport};

pub(super) fn array(source: &dyn Source, name: String, folder: &str) -> MdArray {
    let text = |file: &str| source.text(&format!("{folder}/md/{file}"));
    let number = |file: &str| source.number::<u64>(&format!("{folder}/md/{file}"));
    MdArray {
        level: text("level"),
        size_bytes: size(source, folder),
        // 0 where the level has none.
        chunk_bytes: number("chunk_size").filter(|bytes| *bytes > 0),
        state: text("array_state"),
        action: text("sync_action"),
        missing: number("degraded").and_then(|count| count.try_into().ok()),
        members: names(source, &format!("{folder}/md"))
            .into_iter()
            .filter_map(|entry| {
                let member = entry.strip_prefix("dev-")?.to_string();
                Some(ArrayMember { state: text(&format!("{entry}/state")), name: member })
            })
            .collect(),
        name,
    }
}

pub(super) fn mapped(source: &dyn Source, name: String, folder: &str) -> MapperDevice {
    let text = |file: &str| source.text(&format!("{folder}/{file}"));
    let made_by = block::level(source, folder, DeviceKind::Mapper);
    let members = names(source, &format!("{folder}/slaves"));
    let paths = match made_by.as_deref() {
        Some("multipath") => members.iter().map(|member| path(source, member)).collect(),
        _ => Vec::new(),
    };
    let targets = text("dev").and_then(|number| source.mapper_targets(&number));
    MapperDevice {
        layer: text("dm/uuid").and_then(|uuid| layer(&uuid).map(str::to_string)),
        size_bytes: size(source, folder),
        suspended: text("dm/suspended").is_some_and(|text| text == "1"),
        targets: targets.iter().flat_map(|all| all.split("; ")).filter_map(target).collect(),
        made_by,
        members,
        paths,
        name,
    }
}

/// LVM's mark behind the ids of group and volume: `LVM-ids-tpool`.
fn layer(uuid: &str) -> Option<&str> {
    let (_, mark) = uuid.strip_prefix("LVM-")?.split_once('-')?;
    let is_word = mark.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_word && (1..=8).contains(&mark.len())).then_some(mark)
}

/// One way of a multipath device; the drive under `name` is a SCSI device's (Linux `Documentation/scsi/scsi_transport`).
fn path(source: &dyn Source, name: &str) -> DrivePath {
    let device = format!("/sys/class/block/{name}/device");
    let real = source.real_path(&device).unwrap_or_default();
    let is_host = |part: &&str| transport::is_numbered(part, "host");
    DrivePath {
        name: name.to_string(),
        host: real.split('/').find(is_host).map(str::to_string),
        state: source.text(&format!("{device}/state")),
        access: source.text(&format!("{device}/access_state")),
    }
}

/// `striped 2097152 stripes=2 chunk=128`, in sectors; `None` for what has no size.
fn target(text: &str) -> Option<MapperTarget> {
    let mut words = text.split(' ');
    let bytes = |text: &str| text.parse::<u64>().ok()?.checked_mul(512);
    let mut target = MapperTarget {
        kind: words.next().filter(|kind| !kind.is_empty())?.to_string(),
        size_bytes: words.next().and_then(bytes)?,
        ..MapperTarget::default()
    };
    for (name, value) in words.filter_map(|word| word.split_once('=')) {
        match name {
            "stripes" => target.stripes = value.parse().ok(),
            "chunk" => target.chunk_bytes = bytes(value),
            "mode" => target.mode = Some(value.to_string()),
            "cipher" => target.cipher = Some(value.to_string()),
            _ => {}
        }
    }
    Some(target)
}

fn size(source: &dyn Source, folder: &str) -> Option<u64> {
    source.number::<u64>(&format!("{folder}/size")).and_then(|sectors| sectors.checked_mul(512))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_as_they_are_told() {
        let striped = target("striped 8 stripes=2 chunk=128 odd").unwrap();
        assert_eq!((striped.stripes, striped.chunk_bytes), (Some(2), Some(64 << 10)));
        assert_eq!((striped.kind.as_str(), striped.size_bytes), ("striped", 4096));
        let huge = format!("cache 8 chunk={}", u64::MAX);
        assert_eq!(target(&huge).unwrap().chunk_bytes, None);
        for wrong in ["", "linear", "linear x", " 8"] {
            assert_eq!(target(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn marks_of_logical_volumes() {
        assert_eq!(layer("LVM-abcDEF123-tpool"), Some("tpool"));
        for none in ["LVM-abcDEF123", "CRYPT-LUKS2-abc-tpool", "LVM-a-b/c", "LVM-a-", "mpath-36"] {
            assert_eq!(layer(none), None, "{none}");
        }
    }
}
