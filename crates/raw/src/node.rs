//! What a path leads to: a block device, or something that only looks like one.

use std::fmt;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};

use narrows_facts::Source;

use crate::InspectError;

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    /// A block device.
    Block,
    /// A character device.
    Character,
    /// A plain file.
    File,
    /// A folder.
    Folder,
    /// A socket, a pipe.
    Other,
}

impl fmt::Display for NodeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NodeKind::Block => "a block device",
            NodeKind::Character => "a character device",
            NodeKind::File => "a plain file",
            NodeKind::Folder => "a folder",
            NodeKind::Other => "neither a file nor a device",
        })
    }
}

/// A block device that was named.
pub(crate) struct Node {
    /// The path without links: `/dev/nvme0n1`.
    pub(crate) real: String,
    /// `major:minor`.
    pub(crate) number: String,
}

/// The block device at `path`.
pub(crate) fn resolve(source: &dyn Source, path: &str) -> Result<Node, InspectError> {
    let unreachable = |source| InspectError::Unreachable { path: path.to_string(), source };
    let real = source.real_path(path).map_err(unreachable)?;
    let (kind, number) = kind(source, &real).map_err(unreachable)?;
    match number {
        Some(number) if kind == NodeKind::Block => Ok(Node { real, number }),
        _ => Err(InspectError::NotABlockDevice { path: path.to_string(), kind }),
    }
}

/// What stands at a path without links, with the number of a block device. In a copied machine, where nodes are not
/// devices, the name tells: what `/sys/class/block` knows is one.
pub(crate) fn kind(source: &dyn Source, real: &str) -> io::Result<(NodeKind, Option<String>)> {
    if source.is_live() {
        let metadata = std::fs::symlink_metadata(real)?;
        let kind = metadata.file_type();
        let number = kind.is_block_device().then(|| number(metadata.rdev()));
        let kind = match kind {
            kind if kind.is_block_device() => NodeKind::Block,
            kind if kind.is_char_device() => NodeKind::Character,
            kind if kind.is_file() => NodeKind::File,
            kind if kind.is_dir() => NodeKind::Folder,
            _ => NodeKind::Other,
        };
        return Ok((kind, number));
    }
    if let Some(name) = real.strip_prefix("/dev/") {
        let name = name.replace('/', "!");
        if let Some(number) = source.text(&format!("/sys/class/block/{name}/dev")) {
            return Ok((NodeKind::Block, Some(number)));
        }
    }
    Ok((if source.list(real).is_ok() { NodeKind::Folder } else { NodeKind::File }, None))
}

/// `major:minor` of a device id as system calls give it.
pub(crate) fn number(id: u64) -> String {
    format!("{}:{}", libc::major(id), libc::minor(id))
}

/// Name of the device with this number, as `/sys` knows it.
pub(crate) fn name_of(source: &dyn Source, number: &str) -> Option<String> {
    let folder = source.real_path(&format!("/sys/dev/block/{number}")).ok()?;
    folder.rsplit('/').next().map(str::to_string)
}

/// Where the node of the device of that name is.
pub(crate) fn node_of(name: &str) -> String {
    format!("/dev/{}", name.replace('!', "/"))
}
