//! How large a server's buffer pool and table are: so large that the pages of cached workloads don't fit into the processors' caches.

use narrows_units::Bytes;

const MIB: u64 = Bytes::MIB.0;
const GIB: u64 = Bytes::GIB.0;

/// The cached workloads use this part of the buffer pool: the other half is for the index, the catalogs and new versions of rows.
pub const CACHED_SHARE: u64 = 2;
/// Pages of cached workloads over the last-level caches of all processors. A lookup touches few lines of its page, so these may lie in the
/// caches all the same; a rule of validity says that.
const TIMES_CACHE: u64 = 4;
/// Whatever the caches are; where they can't be seen too.
const POOL: u64 = 256 * MIB;
/// However large the caches are: a table is filled and written for it.
const POOL_AT_MOST: u64 = 2 * GIB;
const TABLE: u64 = 2 * GIB;
/// A sketch has no time for more.
const TABLE_QUICK: u64 = 512 * MIB;
/// The table over the pool, so that few of the lookups that are to miss the pool find their row in it.
const TIMES_POOL: u64 = 4;

/// What the machine has.
#[derive(Debug, Clone, Copy)]
pub struct Machine {
    /// That this process may use, bytes.
    pub memory_bytes: u64,
    /// That may be filled on the data's drive, bytes.
    pub room_bytes: u64,
    /// The last-level caches of all processors; `None` where the system shows none.
    pub caches_bytes: Option<u64>,
}

/// Bytes of the pool and of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// shared_buffers.
    pub pool_bytes: u64,
    /// The table, without its index.
    pub table_bytes: u64,
}

/// Of a server of our own; small machines have a small one.
pub fn of(machine: Machine, quick: bool) -> Sizes {
    let for_caches = machine.caches_bytes.unwrap_or(0) * TIMES_CACHE * CACHED_SHARE;
    let wanted = if quick { POOL } else { for_caches.clamp(POOL, POOL_AT_MOST) };
    let pool = (machine.memory_bytes / 8).min(machine.room_bytes / 2).clamp(16 * MIB, wanted);
    let pool = pool / MIB * MIB;
    let table = if quick { TABLE_QUICK } else { TABLE.max(TIMES_POOL * pool) };
    let table = table.min(machine.room_bytes).max(2 * pool) / MIB * MIB;
    Sizes { pool_bytes: pool, table_bytes: table }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(memory: u64, room: u64, caches: Option<u64>, quick: bool) -> [u64; 2] {
        let machine = Machine { memory_bytes: memory, room_bytes: room, caches_bytes: caches };
        let sizes = of(machine, quick);
        [sizes.pool_bytes / MIB, sizes.table_bytes / MIB]
    }

    #[test]
    fn cached_pages_are_four_times_the_caches_where_the_machine_has_the_room() {
        assert_eq!(sizes(25 * GIB, 100 * GIB, Some(32 * MIB), false), [256, 2048]);
        // Two processors of 128 MiB each: 1 GiB of rows.
        assert_eq!(sizes(512 * GIB, 1000 * GIB, Some(256 * MIB), false), [2048, 8192]);
        assert_eq!(sizes(64 * GIB, 1000 * GIB, Some(96 * MIB), false), [768, 3072]);
        // More than a table is filled for.
        assert_eq!(sizes(2048 * GIB, 9000 * GIB, Some(2304 * MIB), false), [2048, 8192]);
        assert_eq!(sizes(64 * GIB, 1000 * GIB, None, false), [256, 2048]);
    }

    #[test]
    fn little_memory_or_room_and_a_sketch_take_less() {
        assert_eq!(sizes(4 * GIB, 1000 * GIB, Some(256 * MIB), false), [512, 2048]);
        assert_eq!(sizes(512 * GIB, GIB, Some(256 * MIB), false), [512, 1024]);
        assert_eq!(sizes(512 * GIB, 1000 * GIB, Some(256 * MIB), true), [256, 512]);
        assert_eq!(sizes(64 * MIB, GIB, None, false), [16, 1024]);
        assert_eq!(sizes(GIB, 8 * MIB, None, false), [16, 32]);
    }
}
