//! How much drives write for what was asked: copies and parity of the RAID between the files and the drives.

use narrows_model::{BlockDevice, DeviceKind, Measurement, Platform, RolePath, condition};

use crate::table::Table;

/// For one byte asked, written to all drives together.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Written {
    /// Bytes written.
    pub writes: f64,
    /// Bytes read for it: old data and parity.
    pub reads: f64,
    /// Why, to follow what else is said of a ceiling; empty where each byte is written once.
    pub words: String,
}

impl Written {
    const ONCE: Written = Written { writes: 1.0, reads: 0.0, words: String::new() };
}

/// Whether a mapped device writes each byte once below it: by what it is made of, which only root sees, else by who made it and
/// what it lies on. A volume of LVM that lies on no other volume is linear or striped: copies, parity, caches, pools and
/// snapshots are volumes of their own.
fn writes_once(mapper: &BlockDevice, platform: &Platform) -> bool {
    let mapped = &platform.devices.mapped;
    let known = mapped.iter().find(|known| known.name == mapper.name);
    let targets = known.map_or(&[][..], |known| &known.targets);
    if !targets.is_empty() {
        let once = ["linear", "striped", "crypt", "multipath"];
        return targets.iter().all(|target| once.contains(&target.kind.as_str()));
    }
    let is_volume = |name: &String| {
        let beneath = mapped.iter().find(|beneath| beneath.name == *name);
        beneath.is_some_and(|b| !matches!(b.made_by.as_deref(), Some("crypt" | "multipath")))
    };
    match mapper.level.as_deref() {
        Some("crypt" | "multipath") => true,
        Some("lvm") => !mapper.slaves.is_empty() && !mapper.slaves.iter().any(is_volume),
        _ => false,
    }
}

/// `None` where something between files and drives writes more in a way that isn't known here: a mapper's mirror, arrays of
/// arrays, an array that lacks members. Never more than is sure, so that no ceiling is understated.
pub(crate) fn written(m: &Measurement, platform: &Platform, path: &RolePath) -> Option<Written> {
    let mut mappers = path.devices.iter().filter(|device| device.kind == DeviceKind::Mapper);
    if !mappers.all(|mapper| writes_once(mapper, platform)) {
        return None;
    }
    let mut arrays = path.devices.iter().filter(|device| device.kind == DeviceKind::Raid);
    let Some(device) = arrays.next() else { return Some(Written::ONCE) };
    let several = arrays.next().is_some();
    let level = device.level.as_deref()?;
    if several {
        return None;
    }
    if matches!(level, "linear" | "raid0") {
        return Some(Written::ONCE);
    }
    let known = platform.devices.arrays.iter().find(|array| array.name == device.name);
    if known.is_some_and(|array| array.missing.unwrap_or(0) > 0) {
        return None;
    }
    let spare = |state: &Option<String>| state.as_deref().is_some_and(|s| s.contains("spare"));
    let spares = known.map_or(0, |array| array.members.iter().filter(|m| spare(&m.state)).count());
    let members = device.slaves.len().checked_sub(spares)? as u32;
    let class = Table::builtin().class(level)?;
    let raid = class.raid()?;
    let block = m.number(condition::BLOCK_BYTES)? as u64;
    let chunk = known.and_then(|array| array.chunk_bytes);
    // Only what comes at random can't be gathered into whole stripes.
    let at_random = m.text(condition::PATTERN) == Some("random") || m.id.contains(".random.");
    let full = raid.full_stripe_write(members)?;
    let small = raid.small_write(members)?;
    let (writes, reads) = match chunk {
        Some(chunk) if at_random && block <= chunk => (small.writes, small.reads),
        _ => (full, 0.0),
    };
    let words = match (writes, reads) {
        (1.0, 0.0) => String::new(),
        (_, 0.0) => {
            format!("; {} writes {writes:.3} B on its drives for each: {}", level, raid.source)
        }
        _ => format!(
            "; {level} writes {writes} B on its drives for each, and reads {reads}: {}",
            raid.source
        ),
    };
    let words = words.replace(".000 B", " B");
    Some(Written { writes, reads, words })
}
