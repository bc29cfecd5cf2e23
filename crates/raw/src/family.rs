//! Everything that shares blocks with a device: its partitions, what is built on them, the disk it is part of, and other
//! paths to the same drive.
//!
//! A drive with two paths (two ports, two initiators) and no multipath above is two devices for the kernel, neither of
//! which knows that the other is mounted. They have one world-wide name (`wwid`), and that tells.

use narrows_facts::Source;

/// Deeper than any stack of volumes that works.
const MAX_DEPTH: u32 = 16;

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

/// The members, the device itself first; each once.
pub(crate) fn family(source: &dyn Source, name: &str) -> Vec<Member> {
    let mut members = Vec::new();
    gather(source, name, false, &mut members);
    for twin in twins(source, name) {
        gather(source, &twin, true, &mut members);
    }
    members
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

fn gather(source: &dyn Source, name: &str, other_path: bool, members: &mut Vec<Member>) {
    let mut add = |name: &str, relation| {
        let known = members.iter().any(|member| member.name == name);
        let number = source.text(&format!("{}/dev", folder(name)));
        if let Some(number) = number.filter(|_| !known) {
            members.push(Member { name: name.to_string(), number, relation, other_path });
        }
        !known
    };
    add(name, Relation::Same);
    if let Some(disk) = disk_of(source, name) {
        add(&disk, Relation::Disk);
    }
    let mut below = vec![name.to_string()];
    for partition in partitions(source, name) {
        add(&partition, Relation::Partition);
        below.push(partition);
    }
    for _ in 0..MAX_DEPTH {
        let mut above = Vec::new();
        for holder in below.iter().flat_map(|name| holders(source, name)) {
            // A volume can be partitioned again.
            let parts = partitions(source, &holder);
            for name in std::iter::once(holder).chain(parts) {
                if add(&name, Relation::Above) {
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

/// Other paths to the drive, and for a partition the same partition there.
fn twins(source: &dyn Source, name: &str) -> Vec<String> {
    let disk = disk_of(source, name);
    let whole = disk.as_deref().unwrap_or(name);
    let size = |name: &str| source.text(&format!("{}/size", folder(name)));
    let Some(wwid) = world_wide_name(source, whole) else { return Vec::new() };
    let others = source.list("/sys/block").unwrap_or_default();
    let others = others.into_iter().filter(|other| {
        other != whole
            && size(other) == size(whole)
            // A path below a multipath device of the kernel's own has no node.
            && source.text(&format!("{}/hidden", folder(other))).as_deref() != Some("1")
            && world_wide_name(source, other).as_ref() == Some(&wwid)
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
