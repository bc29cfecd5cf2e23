//! Why a device must not be written to.
//!
//! What isn't known counts as a reason too: contents that can't be read may be anything. There is no switch that
//! overrides a reason; whoever is sure removes the mark or stops the use, with the tool the hint names. Two reasons are doubts that
//! nothing on the device removes, and they can be taken upon oneself by name ([`Doubt`](crate::Doubt)).

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
    /// Data is on it that no known mark explains, and that isn't of an earlier test.
    DataUnknown {
        /// Blocks looked at.
        samples: u32,
        /// Those of them that hold such data.
        unknown: u32,
    },
    /// Processes that may use it can't be seen.
    UsersUnseen(Vec<String>),
    /// It shares space with volumes of others, or is half of a pair.
    Pooled(String),
    /// Other devices have the same serial, or the same size and none.
    SameIdentity(Vec<String>),
    /// The kernel refuses writes.
    ReadOnly,
    /// It has no medium, or its size isn't told.
    NoSize,
}

impl Refusal {
    /// Whether it is what is on the device, and not a use of it.
    pub fn is_of_contents(&self) -> bool {
        matches!(self, Refusal::Marked(_) | Refusal::Partitioned(_) | Refusal::DataUnknown { .. })
    }

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
            Refusal::DataUnknown { .. } => {
                "if nobody needs it (`blkid -p`, `hexdump -C DEVICE | less`): --accept unknown-contents, or `blkdiscard` where the drive can"
            }
            Refusal::UsersUnseen(_) => {
                "run as root and outside of containers; if you know that nobody has it open: --accept unseen-users"
            }
            Refusal::Pooled(_) => {
                "name a whole drive, a partition, or a linear or striped volume of its own"
            }
            Refusal::SameIdentity(_) => {
                "detach the others, or give them serials (QEMU: serial=NAME); a name alone may be another device's after the next boot"
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
            Refusal::DataUnknown { samples, unknown } => write!(
                f,
                "{unknown} of {samples} blocks looked at hold data that no known mark explains (a raw database, a volume with a detached header, a virtual machine's disk)"
            ),
            Refusal::UsersUnseen(what) => {
                write!(f, "who has it open cannot be seen: {}", what.join(", "))
            }
            Refusal::Pooled(what) => write!(
                f,
                "{what}: writing all over it takes space from other volumes, or destroys what depends on it"
            ),
            Refusal::SameIdentity(names) => {
                write!(f, "{} cannot be told from it by serial", names.join(", "))
            }
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
        Ok(contents) => {
            refusals.extend(contents.signatures.iter().copied().map(Refusal::Marked));
            let (samples, unknown) = (contents.samples, contents.samples_unknown);
            if unknown > 0 && contents.signatures.is_empty() {
                refusals.push(Refusal::DataUnknown { samples, unknown });
            }
        }
        Err(why) => refusals.push(Refusal::ContentsUnknown(why.clone())),
    }
    if !device.blind.is_empty() {
        refusals.push(Refusal::UsersUnseen(device.blind.clone()));
    }
    refusals.extend(device.pooled.clone().map(Refusal::Pooled));
    if !device.alike.is_empty() {
        refusals.push(Refusal::SameIdentity(device.alike.clone()));
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
