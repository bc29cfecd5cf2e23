//! Why a device must not be written to.
//!
//! What isn't known counts as a reason too: contents that can't be read may be anything. There is no switch that
//! overrides a reason; whoever is sure removes the mark or stops the use, with the tool the hint names.

use std::fmt;

use crate::signature::FoundSignature;
use crate::{Device, Use};

/// One reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// It is used.
    InUse(Use),
    /// It has partitions.
    Partitioned(Vec<String>),
    /// An owner's mark is on it.
    Marked(FoundSignature),
    /// What is on it can't be read.
    ContentsUnknown(String),
    /// The kernel refuses writes.
    ReadOnly,
    /// It has no medium, or its size isn't told.
    NoSize,
}

impl Refusal {
    /// What would remove the reason.
    pub fn hint(&self) -> &'static str {
        match self {
            Refusal::InUse(Use::Root { .. }) => "name another device",
            Refusal::InUse(Use::Mounted { .. } | Use::Member { .. }) => {
                "unmount it (umount), if nothing needs it"
            }
            Refusal::InUse(Use::Holder { .. }) => {
                "stop the upper device (vgchange -an, mdadm --stop, cryptsetup close, dmsetup remove), or name the upper device"
            }
            Refusal::InUse(Use::Swap { .. }) => "stop swapping to it (swapoff)",
            Refusal::InUse(Use::SameBytes { sure: true, .. }) => {
                "detach the other loop device (losetup --detach), if nothing needs it"
            }
            Refusal::InUse(Use::SameBytes { sure: false, .. }) => {
                "run where the other loop device's node can be opened, or detach it (losetup --detach)"
            }
            Refusal::InUse(Use::Exported { .. }) => "stop the export",
            Refusal::InUse(Use::Database { .. }) => "name a device that no database uses",
            Refusal::InUse(Use::OpenForWriting { .. }) => "stop that process",
            Refusal::InUse(Use::Claimed) => "`lsblk` and `fuser -v` may show what holds it",
            Refusal::Partitioned(_) => "name an empty partition, or remove the partition table",
            Refusal::Marked(_) => {
                "`wipefs` lists such signatures; if what they stand for is really not needed, `wipefs --all` removes them"
            }
            Refusal::ContentsUnknown(_) => "root, or the group `disk`, may read devices",
            Refusal::ReadOnly => "`blockdev --setrw` makes a device writable, if its drive allows",
            Refusal::NoSize => "name a device with a medium in it",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::InUse(used) => used.fmt(f),
            Refusal::Partitioned(names) => write!(f, "it has partitions: {}", names.join(", ")),
            Refusal::Marked(found) => {
                write!(
                    f,
                    "it carries {} {}: {}, at byte {}",
                    found.owner.article(),
                    found.owner,
                    found.name,
                    found.offset_bytes
                )
            }
            Refusal::ContentsUnknown(why) => write!(f, "what is on it is unknown: {why}"),
            Refusal::ReadOnly => f.write_str("it is read-only"),
            Refusal::NoSize => f.write_str("it has no medium, or does not report its size"),
        }
    }
}

/// All reasons against writing to `device`, the gravest kind first. Empty: nothing that can be seen speaks against it.
pub fn refusals(device: &Device) -> Vec<Refusal> {
    let mut refusals: Vec<Refusal> = device.uses.iter().cloned().map(Refusal::InUse).collect();
    if !device.partitions.is_empty() {
        refusals.push(Refusal::Partitioned(device.partitions.clone()));
    }
    match &device.contents {
        Ok(contents) => refusals.extend(contents.signatures.iter().copied().map(Refusal::Marked)),
        Err(why) => refusals.push(Refusal::ContentsUnknown(why.clone())),
    }
    // A flag that can't be read is left to the drive itself, which refuses by itself.
    if device.read_only == Some(true) {
        refusals.push(Refusal::ReadOnly);
    }
    if device.size_bytes.is_none_or(|bytes| bytes == 0) {
        refusals.push(Refusal::NoSize);
    }
    refusals
}
