//! A device with all that is known about it.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek};
use std::os::unix::fs::OpenOptionsExt;

use narrows_facts::Source;

use crate::doubt::outside;
use crate::family::{Relation, disk_of, family, folder, partitions};
use crate::file_uses::{open_for_writing, sought};
use crate::identity::{alike, identity};
use crate::node::{Node, name_of, node_of, resolve};
use crate::open::claim;
use crate::openers::{Opener, openers};
use crate::pooled::pooled;
use crate::usage::{Use, uses};
use crate::wear::{self, Wear};
use crate::{Contents, Identity, InspectError, contents};

/// A block device.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Device {
    /// As it was named.
    pub path: String,
    /// The node without links.
    pub node: String,
    /// The kernel's name.
    pub name: String,
    /// `major:minor`.
    pub number: String,
    /// Size, bytes. `None` where the kernel doesn't tell.
    pub size_bytes: Option<u64>,
    /// Model, of the disk where this is a partition.
    pub model: Option<String>,
    /// Serial or what stands in for it, of the disk where this is a partition.
    pub identity: Identity,
    /// `nvme (pcie)`, `sata`, `virtio`.
    pub transport: Option<String>,
    /// Whether the kernel believes that it rotates.
    pub rotational: Option<bool>,
    /// The disk of which it is a partition; `None` for a whole device.
    pub partition_of: Option<String>,
    /// Names of its partitions.
    pub partitions: Vec<String>,
    /// Smallest addressable unit, bytes.
    pub logical_block_bytes: Option<u32>,
    /// Smallest unit without read-modify-write, bytes.
    pub physical_block_bytes: Option<u32>,
    /// Whether the kernel refuses to write to it.
    pub read_only: Option<bool>,
    /// Number of this attachment, new whenever a device is attached or a medium changed (Linux 5.15 and later).
    pub disk_sequence: Option<u64>,
    /// What the drive says about its life.
    pub wear: Option<Wear>,
    /// What is on it, or why that isn't known.
    pub contents: Result<Contents, String>,
    /// Who uses it or something that shares blocks with it.
    pub uses: Vec<Use>,
    /// Processes that have it open and can only read.
    pub readers: Vec<Opener>,
    /// Other paths to the same drive.
    pub other_paths: Vec<String>,
    /// Block devices that it is a part of because loop devices serve them.
    pub served: Vec<String>,
    /// What could not be looked at: who else may use it.
    pub blind: Vec<String>,
    /// The device of its stack that shares space with volumes of others, or is half of a pair, in a sentence.
    pub pooled: Option<String>,
    /// Other devices that can't be told from it by serial.
    pub alike: Vec<String>,
}

/// Examines the device at `path`. On the live machine its contents are read, with `O_RDONLY`, and for a moment it is
/// opened exclusively to see whether somebody holds it; in a copied machine nothing is known about contents.
///
/// # Errors
/// If there is no block device at `path`.
pub fn inspect(source: &dyn Source, path: &str) -> Result<Device, InspectError> {
    let node = resolve(source, path)?;
    let mut device = facts(source, path, &node)?;
    if !source.is_live() {
        device.contents = Err("a copied machine has no contents".to_string());
        return Ok(device);
    }
    match OpenOptions::new().read(true).custom_flags(libc::O_CLOEXEC).open(&node.real) {
        Ok(mut file) => examine(&mut device, &mut file),
        Err(error) => device.contents = Err(error.to_string()),
    }
    // Nothing was opened for writing, so closing makes nobody scan the device again.
    let held = |error: std::io::Error| error.raw_os_error() == Some(libc::EBUSY);
    let mut nodes = std::iter::once(node.real).chain(device.served.iter().map(|n| node_of(n)));
    if nodes.any(|node| claim(&node).is_err_and(held)) {
        device.uses.push(Use::Claimed);
    }
    Ok(device)
}

/// Examines a device whose contents are in `image`: those of a copied machine.
///
/// # Errors
/// As [`inspect`].
pub fn inspect_with(
    source: &dyn Source,
    path: &str,
    image: &mut (impl Read + Seek),
) -> Result<Device, InspectError> {
    let node = resolve(source, path)?;
    let mut device = facts(source, path, &node)?;
    let size = device.size_bytes.unwrap_or(0);
    device.contents = contents(image, size).map_err(|error| error.to_string());
    Ok(device)
}

/// Examines, through `file`, a device that the caller holds exclusively.
pub(crate) fn inspect_held(
    source: &dyn Source,
    path: &str,
    node: &Node,
    file: &mut File,
) -> Result<Device, InspectError> {
    let mut device = facts(source, path, node)?;
    examine(&mut device, file);
    Ok(device)
}

fn examine(device: &mut Device, file: &mut File) {
    let size = device.size_bytes.unwrap_or(0);
    // Nobody else has it open, or it will be refused anyway: so these pages come from the drive, not from a cache that
    // another machine's writes have outdated.
    device.contents = contents(file, size).map_err(|error| error.to_string());
    device.wear = wear::ask(file, &device.name);
}

fn facts(source: &dyn Source, path: &str, node: &Node) -> Result<Device, InspectError> {
    let unknown = || InspectError::UnknownToSys { path: path.into(), number: node.number.clone() };
    let name = name_of(source, &node.number).ok_or_else(unknown)?;
    let stack = narrows_platform::block_stack(source, &node.number);
    let own = stack.first().ok_or_else(unknown)?;
    let partition_of = disk_of(source, &name);
    let disk = partition_of.as_deref().unwrap_or(&name);
    let whole = stack.iter().find(|device| device.name == disk).unwrap_or(own);
    let queue = whole.queue.as_ref();
    let size_bytes = own.size_bytes;
    let identity_size = whole.size_bytes.unwrap_or(0);
    let family = family(source, &name);
    let (mut uses, mut blind) = uses(source, &family);
    let (openers, hidden) = openers(source, &sought(&family));
    if hidden > 0 {
        blind.push(format!("open files of {hidden} processes (needs root)"));
    }
    blind.extend(outside(source));
    let (writers, readers): (Vec<Opener>, Vec<Opener>) =
        openers.into_iter().partition(|opener| opener.writes);
    uses.extend(writers.into_iter().map(open_for_writing));
    let switch = |file: &str| {
        source.number::<u32>(&format!("{}/{file}", folder(&name))).map(|value| value != 0)
    };
    Ok(Device {
        path: path.to_string(),
        node: node.real.clone(),
        number: node.number.clone(),
        size_bytes,
        model: whole.model.clone(),
        identity: identity(source, disk, identity_size),
        transport: whole.transport.clone(),
        rotational: queue.and_then(|queue| queue.rotational),
        partitions: partitions(source, &name),
        logical_block_bytes: queue.and_then(|queue| queue.logical_block_bytes),
        physical_block_bytes: queue.and_then(|queue| queue.physical_block_bytes),
        read_only: switch("ro"),
        disk_sequence: source.number(&format!("{}/diskseq", folder(disk))),
        wear: None,
        contents: Err("not read".to_string()),
        uses,
        readers,
        other_paths: family
            .members
            .iter()
            .filter(|member| member.other_path && member.relation == Relation::Same)
            .map(|member| member.name.clone())
            .collect(),
        pooled: pooled(source, stack.iter().map(|device| device.name.as_str())),
        alike: alike(source, disk, identity_size, &family),
        served: family.served,
        blind,
        name,
        partition_of,
    })
}
