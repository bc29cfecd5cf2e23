//! The file system a folder lies on.

use narrows_facts::{Mount, Source, file, mount_of};
use narrows_model::FileSystem;

use crate::block::own;

/// A folder's place: itself without links, and its mount.
pub(crate) struct MountedPath<'a> {
    pub(crate) path: String,
    pub(crate) mount: &'a Mount,
}

/// The mount of `path`, or of its nearest parent that exists.
pub(crate) fn locate<'a>(
    source: &dyn Source,
    mounts: &'a [Mount],
    path: &str,
) -> Option<MountedPath<'a>> {
    let mut existing = path;
    let real = loop {
        if let Ok(real) = source.real_path(existing) {
            break real;
        }
        existing = match existing.trim_end_matches('/').rfind('/') {
            Some(0) | None if existing == "/" => return None,
            Some(0) | None => "/",
            Some(end) => &existing[..end],
        };
    };
    // The kernel's own answer, where it can be had: the longest mount point is wrong where a mount hides another.
    let id = source.mount_id(&real);
    let mount = id
        .and_then(|id| mounts.iter().find(|mount| mount.id == id))
        .or_else(|| mount_of(mounts, &real))?;
    Some(MountedPath { path: real, mount })
}

/// What the mount table, and where it can be asked `statfs(2)`, say.
pub(crate) fn file_system(source: &dyn Source, place: &MountedPath<'_>) -> FileSystem {
    let mount = place.mount;
    let stat = source.file_system(&place.path);
    FileSystem {
        kind: mount.kind.clone(),
        mount_point: mount.mount_point.clone(),
        source: mount.source.clone(),
        options: mount.options.clone(),
        total_bytes: stat.map(|stat| stat.total_bytes),
        free_bytes: stat.map(|stat| stat.free_bytes),
        // Either the mount or the file system under it refuses writes.
        read_only: mount.options.iter().any(|option| option == "ro"),
        volatile: file::volatile_kind(&mount.kind),
        network: file::network_kind(&mount.kind),
        overlay: is_overlay(&mount.kind),
        this_machine: from_this_machine(mount),
        behind: None,
    }
}

/// Whether a network file system is mounted from this machine itself.
pub(crate) fn from_this_machine(mount: &Mount) -> bool {
    file::network_kind(&mount.kind) && own::mounted(&mount.options)
}

/// Layered file systems, which hold nothing themselves.
pub(crate) fn is_overlay(kind: &str) -> bool {
    matches!(kind, "overlay" | "overlayfs" | "aufs" | "fuse.fuse-overlayfs")
}

/// The folder into which an overlay writes, as its options name it: a path of the host, which a container
/// usually can't see.
pub(crate) fn upper_folder(mount: &Mount) -> Option<&str> {
    mount.options.iter().find_map(|option| option.strip_prefix("upperdir="))
}

/// A number the kernel gives to file systems that are on no single block device.
pub(crate) fn is_anonymous(number: &str) -> bool {
    number.starts_with("0:")
}
