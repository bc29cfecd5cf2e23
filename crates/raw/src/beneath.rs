//! What lies beneath a device: the disk of a partition, what a loop device serves, the devices that a volume or an array is
//! made of, down to the drives and files.
//!
//! Partitions and loop devices keep the order of bytes, so the range that is reached below is known. How volumes and
//! arrays lay theirs out is not looked at: all of a device beneath one counts as reached.

use std::ops::Range;

use narrows_facts::Source;

use crate::family::{disk_of, folder};
use crate::loops::LoopDevice;
use crate::node;
use crate::storage::{Extent, Storage, inside};

/// Deeper than any stack of volumes that works.
pub(crate) const MAX_DEPTH: u32 = 16;

const EVERYTHING: Range<u64> = 0..u64::MAX;

/// How one device lies under another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Under {
    /// The disk of a partition.
    Partition,
    /// What a loop device serves.
    Loop,
    /// Part of a volume or an array, or beneath such a part.
    Volume,
}

/// A device beneath.
#[derive(Debug, Clone)]
pub(crate) struct Lower {
    pub(crate) name: String,
    pub(crate) under: Under,
    /// The bytes of it that are reached.
    pub(crate) bytes: Range<u64>,
}

/// All of it.
#[derive(Debug, Default)]
pub(crate) struct Beneath {
    /// Upper ones first.
    pub(crate) devices: Vec<Lower>,
    /// The bytes reached: of the device itself, of those beneath, and of files.
    pub(crate) extents: Vec<Extent>,
}

/// What lies beneath the device of that name.
pub(crate) fn beneath(source: &dyn Source, loops: &[LoopDevice], name: &str) -> Beneath {
    let mut found = Beneath::default();
    let bytes = size_bytes(source, name).map_or(EVERYTHING, |bytes| 0..bytes);
    descend(source, loops, name, &bytes, None, &mut found, MAX_DEPTH);
    found
}

/// The bytes of its disk that a partition is.
pub(crate) fn range_of_partition(source: &dyn Source, name: &str) -> Option<Range<u64>> {
    let start = source.number::<u64>(&format!("{}/start", folder(name)))?;
    let start = start.checked_mul(SECTOR_BYTES)?;
    Some(start..start.saturating_add(size_bytes(source, name)?))
}

/// The unit in which the kernel tells sizes and starts.
const SECTOR_BYTES: u64 = 512;

fn size_bytes(source: &dyn Source, name: &str) -> Option<u64> {
    let sectors = source.number::<u64>(&format!("{}/size", folder(name)))?;
    sectors.checked_mul(SECTOR_BYTES).filter(|bytes| *bytes > 0)
}

fn descend(
    source: &dyn Source,
    loops: &[LoopDevice],
    name: &str,
    bytes: &Range<u64>,
    under: Option<Under>,
    found: &mut Beneath,
    depth: u32,
) {
    let Some(number) = source.text(&format!("{}/dev", folder(name))) else { return };
    let storage = Storage::Device(number);
    let extent = Extent { storage, bytes: bytes.clone(), shown: name.to_string() };
    if depth == 0 || found.extents.contains(&extent) {
        return;
    }
    found.extents.push(extent);
    if let Some(under) = under {
        let (name, bytes) = (name.to_string(), bytes.clone());
        found.devices.push(Lower { name, under, bytes });
    }
    let volume = under == Some(Under::Volume);
    let or_volume = |under| Some(if volume { Under::Volume } else { under });
    if let Some(disk) = disk_of(source, name) {
        let own = range_of_partition(source, name);
        let bytes = own.map_or(EVERYTHING, |own| inside(&own, bytes));
        descend(source, loops, &disk, &bytes, or_volume(Under::Partition), found, depth - 1);
    } else if let Some(device) = loops.iter().find(|device| device.name == name) {
        let served = device.serves.part(bytes);
        let lower = match &served.storage {
            Storage::Device(number) => node::name_of(source, number),
            Storage::File(_) | Storage::Unknown => None,
        };
        match lower {
            Some(name) => {
                let under = or_volume(Under::Loop);
                descend(source, loops, &name, &served.bytes, under, found, depth - 1);
            }
            None => found.extents.push(served),
        }
    } else {
        let slaves = source.list(&format!("{}/slaves", folder(name))).unwrap_or_default();
        for slave in slaves {
            let under = Some(Under::Volume);
            descend(source, loops, &slave, &EVERYTHING, under, found, depth - 1);
        }
    }
}
