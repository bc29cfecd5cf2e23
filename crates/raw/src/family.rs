//! Everything that shares blocks with a device: its partitions, what is built on them, the disk it is part of, what lies
//! beneath it, other loop devices on the same bytes, and other paths to the same drive.
//!
//! A drive with two paths (two ports, two initiators) and no multipath above is two devices for the kernel, neither of
//! which knows that the other is mounted. They have one world-wide name (`wwid`), and that tells. Two loop devices on one
//! image know each other as little; the bytes that each serves tell.

use narrows_facts::Source;

use crate::beneath::{Lower, MAX_DEPTH, Under, beneath, range_of_partition};
use crate::loops::{LoopDevice, loop_devices};
use crate::storage::{Extent, FileId, Storage};

/// How a device shares blocks with the one that was named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    /// It is the one.
    Same,
    /// A partition of it.
    Partition,
    /// Built on it, or on a partition of it.
    Above,
    /// The disk that the partition named is part of.
    Disk,
    /// A loop device leads to it.
    Beneath,
    /// Another loop device that leads to the same bytes.
    Twin,
    /// A volume or an array is made of it. What else is made of it is no use of ours.
    Shared,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) name: String,
    /// `major:minor`.
    pub(crate) number: String,
    pub(crate) relation: Relation,
    /// Whether it is another path to the same drive.
    pub(crate) other_path: bool,
}

/// Another loop device on the same bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sharer {
    pub(crate) name: String,
    /// What it serves.
    pub(crate) serves: Extent,
    /// What of ours that is.
    pub(crate) ours: Extent,
}

/// A file under the device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BackingFile {
    pub(crate) id: FileId,
    /// Its name as the kernel tells it.
    pub(crate) shown: String,
}

/// All of them.
#[derive(Debug, Default)]
pub(crate) struct Family {
    /// The device itself first; each once.
    pub(crate) members: Vec<Member>,
    pub(crate) sharers: Vec<Sharer>,
    /// Files that hold its bytes.
    pub(crate) files: Vec<BackingFile>,
    /// Block devices that loop devices beneath it serve, itself left out.
    pub(crate) served: Vec<String>,
}

/// The family of the device of that name.
pub(crate) fn family(source: &dyn Source, name: &str) -> Family {
    let mut gathering = Gathering::new(source);
    gathering.device(name, false);
    for twin in twins(source, name) {
        gathering.device(&twin, true);
    }
    gathering.finish()
}

/// The family of a file: what loop devices on it lead to.
pub(crate) fn family_of_file(source: &dyn Source, id: FileId, shown: &str) -> Family {
    let mut gathering = Gathering::new(source);
    gathering.extents.push(Extent::of_file(id, shown));
    gathering.finish()
}

/// Names of the partitions of a disk.
pub(crate) fn partitions(source: &dyn Source, name: &str) -> Vec<String> {
    let folder = folder(name);
    let names = source.list(&folder).unwrap_or_default();
    names.into_iter().filter(|part| source.exists(&format!("{folder}/{part}/partition"))).collect()
}

/// The disk that a partition is part of.
pub(crate) fn disk_of(source: &dyn Source, name: &str) -> Option<String> {
    if !source.exists(&format!("{}/partition", folder(name))) {
        return None;
    }
    let path = source.real_path(&folder(name)).ok()?;
    path.rsplit('/').nth(1).map(str::to_string)
}

/// What is built directly on a device: device-mapper, md, bcache, DRBD.
pub(crate) fn holders(source: &dyn Source, name: &str) -> Vec<String> {
    source.list(&format!("{}/holders", folder(name))).unwrap_or_default()
}

pub(crate) fn folder(name: &str) -> String {
    format!("/sys/class/block/{name}")
}

struct Gathering<'a> {
    source: &'a dyn Source,
    loops: Vec<LoopDevice>,
    /// Names of what lies beneath, which is no other user of the same bytes.
    own: Vec<String>,
    extents: Vec<Extent>,
    family: Family,
}

impl<'a> Gathering<'a> {
    fn new(source: &'a dyn Source) -> Self {
        let loops = loop_devices(source);
        let (own, extents) = (Vec::new(), Vec::new());
        Gathering { source, loops, own, extents, family: Family::default() }
    }

    /// A device with everything above and beneath it.
    fn device(&mut self, name: &str, other_path: bool) {
        let below = beneath(self.source, &self.loops, name);
        self.own.push(name.to_string());
        self.own.extend(below.devices.iter().map(|lower| lower.name.clone()));
        self.extents.extend(below.extents);
        self.above(name, Relation::Same, other_path);
        let disk = disk_of(self.source, name);
        for lower in below.devices {
            self.beneath(&lower, disk.as_deref() == Some(&lower.name), other_path);
        }
    }

    /// Whether it is new.
    fn add(&mut self, name: &str, relation: Relation, other_path: bool) -> bool {
        let members = &mut self.family.members;
        let known = members.iter().any(|member| member.name == name);
        let number = self.source.text(&format!("{}/dev", folder(name)));
        if let Some(number) = number.filter(|_| !known) {
            members.push(Member { name: name.to_string(), number, relation, other_path });
        }
        !known
    }

    fn beneath(&mut self, lower: &Lower, disk: bool, other_path: bool) {
        let relation = match lower.under {
            Under::Volume => Relation::Shared,
            _ if disk => Relation::Disk,
            Under::Partition | Under::Loop => Relation::Beneath,
        };
        self.add(&lower.name, relation, other_path);
        if lower.under == Under::Loop {
            self.family.served.push(lower.name.clone());
            for twin in twins(self.source, &lower.name) {
                self.above(&twin, Relation::Beneath, true);
            }
        }
        if relation != Relation::Beneath {
            return;
        }
        for holder in holders(self.source, &lower.name) {
            self.above(&holder, Relation::Above, other_path);
        }
        for part in partitions(self.source, &lower.name) {
            let bytes = range_of_partition(self.source, &part).unwrap_or(0..u64::MAX);
            let reached = bytes.start < lower.bytes.end && lower.bytes.start < bytes.end;
            if reached && !self.own.contains(&part) {
                self.above(&part, Relation::Above, other_path);
            }
        }
    }

    /// A device with its partitions and everything that is built on them.
    fn above(&mut self, name: &str, relation: Relation, other_path: bool) {
        let source = self.source;
        self.add(name, relation, other_path);
        let mut below = vec![name.to_string()];
        for partition in partitions(source, name) {
            self.add(&partition, Relation::Partition, other_path);
            below.push(partition);
        }
        for _ in 0..MAX_DEPTH {
            let mut above = Vec::new();
            for holder in below.iter().flat_map(|name| holders(source, name)) {
                // A volume can be partitioned again.
                let parts = partitions(source, &holder);
                for name in std::iter::once(holder).chain(parts) {
                    if self.add(&name, Relation::Above, other_path) {
                        above.push(name);
                    }
                }
            }
            if above.is_empty() {
                break;
            }
            below = above;
        }
    }

    /// Loop devices on any of the bytes, on what is built on those, and so on.
    fn finish(mut self) -> Family {
        loop {
            for member in &self.family.members {
                // Of what lies beneath only the bytes reached count, and they are there already.
                let whole = !matches!(
                    member.relation,
                    Relation::Disk | Relation::Beneath | Relation::Shared
                );
                let storage = Storage::Device(member.number.clone());
                if whole && !self.extents.iter().any(|extent| extent.storage == storage) {
                    let shown = member.name.clone();
                    self.extents.push(Extent { storage, bytes: 0..u64::MAX, shown });
                }
            }
            let sharer = self.loops.iter().find_map(|device| {
                let known = self.own.contains(&device.name)
                    || self.family.sharers.iter().any(|sharer| sharer.name == device.name);
                let ours = self.extents.iter().find(|extent| device.serves.overlaps(extent));
                let (name, serves) = (device.name.clone(), device.serves.clone());
                ours.filter(|_| !known).map(|ours| Sharer { name, serves, ours: ours.clone() })
            });
            let Some(sharer) = sharer else { break };
            self.above(&sharer.name, Relation::Twin, false);
            self.family.sharers.push(sharer);
        }
        for extent in &self.extents {
            if let Storage::File(id) = &extent.storage
                && !self.family.files.iter().any(|file| file.id == *id)
            {
                let file = BackingFile { id: id.clone(), shown: extent.shown.clone() };
                self.family.files.push(file);
            }
        }
        self.family
    }
}

/// Other paths to the drive, and for a partition the same partition there.
fn twins(source: &dyn Source, name: &str) -> Vec<String> {
    let disk = disk_of(source, name);
    let whole = disk.as_deref().unwrap_or(name);
    let size = |name: &str| source.text(&format!("{}/size", folder(name)));
    let Some(drive) = one_drive(source, whole) else { return Vec::new() };
    let others = source.list("/sys/block").unwrap_or_default();
    let others = others.into_iter().filter(|other| {
        other != whole
            && size(other) == size(whole)
            // A path below a multipath device of the kernel's own has no node.
            && source.text(&format!("{}/hidden", folder(other))).as_deref() != Some("1")
            && one_drive(source, other).as_ref() == Some(&drive)
    });
    let Some(_) = disk else { return others.collect() };
    let index = |name: &str| source.text(&format!("{}/partition", folder(name)));
    others
        .flat_map(|other| partitions(source, &other))
        .filter(|part| index(part) == index(name))
        .collect()
}

/// The drive's name for all times and machines, as the kernel read it.
pub(crate) fn world_wide_name(source: &dyn Source, name: &str) -> Option<String> {
    let folder = folder(name);
    source.text(&format!("{folder}/wwid")).or_else(|| source.text(&format!("{folder}/device/wwid")))
}

/// What two devices that are one have in common: the drive's name, or of a network block device the export that its
/// client named (Linux `drivers/block/nbd.c`).
fn one_drive(source: &dyn Source, name: &str) -> Option<String> {
    world_wide_name(source, name).or_else(|| source.text(&format!("{}/backend", folder(name))))
}
