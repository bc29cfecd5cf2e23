//! Arrays of Linux software RAID (Linux `Documentation/admin-guide/md.rst`) and device-mapper devices.

use narrows_facts::Source;
use narrows_model::{ArrayMember, DeviceKind, MapperDevice, MdArray};

use super::names;
use crate::block;

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
    MapperDevice {
        made_by: block::level(source, folder, DeviceKind::Mapper),
        size_bytes: size(source, folder),
        members: names(source, &format!("{folder}/slaves")),
        name,
    }
}

fn size(source: &dyn Source, folder: &str) -> Option<u64> {
    source.number::<u64>(&format!("{folder}/size")).and_then(|sectors| sectors.checked_mul(512))
}
