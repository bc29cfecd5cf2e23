//! Devices of file systems that give their mounts numbers of no block device: Btrfs and bcachefs, which may lie on several.
//!
//! The mount table names one of them (Btrfs) or all, between colons (bcachefs). A mounted Btrfs lists its devices in
//! `/sys/fs/btrfs/ID/devices` (Linux `fs/btrfs/sysfs.c`). ZFS tells of its pools' devices to its own tools alone, so there are none.

use narrows_facts::{Mount, Source};

use super::last;

/// Folders in `/sys` of a mount's devices; empty where they can't be told.
pub(crate) fn members(source: &dyn Source, mount: &Mount) -> Vec<String> {
    let named: Vec<String> = match mount.kind.as_str() {
        "btrfs" => name_of(source, &mount.source).into_iter().collect(),
        "bcachefs" => mount.source.split(':').filter_map(|node| name_of(source, node)).collect(),
        _ => Vec::new(),
    };
    let Some(first) = named.first() else { return Vec::new() };
    let names =
        if mount.kind == "btrfs" { btrfs_of(source, first).unwrap_or(named) } else { named };
    names.iter().map(|name| format!("/sys/class/block/{name}")).collect()
}

/// All devices of the Btrfs that this one belongs to.
fn btrfs_of(source: &dyn Source, device: &str) -> Option<Vec<String>> {
    const MOUNTED: &str = "/sys/fs/btrfs";
    let ids = source.list(MOUNTED).unwrap_or_default();
    let lists = ids.iter().filter_map(|id| source.list(&format!("{MOUNTED}/{id}/devices")).ok());
    let mut lists = lists.filter(|names| names.iter().any(|name| name == device));
    lists.next()
}

/// The kernel's name of a device node, where the kernel shows such a device: `dm-0` for `/dev/mapper/vg-data`.
pub(crate) fn name_of(source: &dyn Source, node: &str) -> Option<String> {
    let node = source.real_path(node).unwrap_or_else(|_| node.to_string());
    let name = last(&node).to_string();
    (node.starts_with("/dev/") && source.exists(&format!("/sys/class/block/{name}")))
        .then_some(name)
}
