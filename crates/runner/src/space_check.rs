//! Does a server of ours fit into the space that is free? Looked at before one is made, because a server whose log's
//! drive is full doesn't fail once but crashes and recovers in circles.

use anyhow::Result;
use narrows_model::Role;
use narrows_units::Bytes;

use crate::failure::Failure;
use crate::resolved::Resolved;

const MIB: u64 = Bytes::MIB.0;
/// A new cluster before anything is loaded, rounded up over the versions 13 to 18 (they take 25 to 45 MB).
const EMPTY_CLUSTER_BYTES: u64 = 64 * MIB;
/// The server's own smallest useful limit is two segments of 16 MiB; under it, it would do nothing but checkpoints.
const LEAST_WAL_BYTES: u64 = 64 * MIB;
/// A checkpoint by time is meant to come first, so the log may grow this far where there is room.
const USUAL_WAL_BYTES: u64 = 1024 * MIB;

/// The server's `max_wal_size`, bytes: as much as a production server would have, but no more than an eighth of the
/// free space.
pub fn max_wal_bytes(resolved: &Resolved) -> u64 {
    let room = free_bytes(resolved, Role::Wal).map_or(u64::MAX, |free| free / 8);
    resolved.plan.table_bytes.max(USUAL_WAL_BYTES).min(room).max(LEAST_WAL_BYTES)
}

/// What a server of ours takes in the folder of each role, bytes; all of it in the data's where both are on one file system.
pub fn needs(resolved: &Resolved) -> Vec<(Role, u64)> {
    let plan = &resolved.plan;
    // The index takes a few hundredths of the table; updates of a row stay in its block.
    let data = EMPTY_CLUSTER_BYTES + plan.table_bytes / 10 * 11;
    // The limit is a soft one: the log of a checkpoint in progress comes on top.
    let wal = 2 * max_wal_bytes(resolved);
    let one = resolved.data_dir == resolved.wal_dir || same_file_system(resolved);
    if one { vec![(Role::Data, data + wal)] } else { vec![(Role::Data, data), (Role::Wal, wal)] }
}

/// Refuses where table and log would not fit; silent where the free space is not known.
pub fn check(resolved: &Resolved) -> Result<()> {
    for (role, bytes) in needs(resolved) {
        let Some(free) = free_bytes(resolved, role).filter(|free| *free < bytes) else { continue };
        let (folder, option) = match role {
            Role::Wal => (&resolved.wal_dir, "--wal"),
            _ => (&resolved.data_dir, "--data"),
        };
        return Err(Failure::hinted(
            format!(
                "a private PostgreSQL instance needs {} in {}, and {} are free",
                Bytes(bytes),
                folder.display(),
                Bytes(free)
            ),
            format!("free some space, or name a folder on another file system with {option}"),
        ));
    }
    Ok(())
}

fn free_bytes(resolved: &Resolved, role: Role) -> Option<u64> {
    resolved.platform.roles.iter().find(|path| path.role == role)?.file_system.free_bytes
}

fn same_file_system(resolved: &Resolved) -> bool {
    use std::os::unix::fs::MetadataExt;
    let device = |folder: &std::path::Path| std::fs::metadata(folder).map(|found| found.dev()).ok();
    device(&resolved.data_dir) == device(&resolved.wal_dir)
}
