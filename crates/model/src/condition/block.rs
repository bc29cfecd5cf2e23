//! Keys of measurements of storage.

use serde_json::{Map, Value};

use super::keys;

keys! { ALL:

/// Threads that do the same operations, where they go over the same offsets.
pub const CLONES: Key<f64> = Key::new("clones");
/// Percent by which what is written can be compressed.
pub const COMPRESS_PERCENT: Key<f64> = Key::new("compress_percent");
/// Percent of what is written that is there already.
pub const DEDUPE_PERCENT: Key<f64> = Key::new("dedupe_percent");
/// The deepest queue that was tried, where throughput still grew up to it: more may be had with more in flight.
pub const DEPTH_CAP: Key<f64> = Key::new("depth_cap");
/// The least that windows of the same load gave before, operations per second.
pub const EARLIER_LEAST_PER_S: Key<f64> = Key::new("earlier_least_per_s");
/// Time without a load before the windows, s.
pub const IDLE_BEFORE_S: Key<f64> = Key::new("idle_before_s");
/// Operations that all windows had done when one still showed more than the middle between the rates before and after a fall.
pub const OPERATIONS_BEFORE_FALL: Key<f64> = Key::new("operations_before_fall");
/// Operations that all windows had done when one first got less than it asked for, and less than that middle.
pub const OPERATIONS_UNTIL_FALL_SEEN: Key<f64> = Key::new("operations_until_fall_seen");
/// Whether each write of the job is all or nothing by the drive's or the file system's own means (`RWF_ATOMIC`).
pub const ATOMIC_WRITES: Key<bool> = Key::new("atomic_writes");
/// On which NUMA nodes the buffers of the job lie: `bind:0,1`.
pub const MEMORY_POLICY: Key<str> = Key::new("memory_policy");
/// Bytes of the operations before a fall.
pub const BEFORE_FALL_BYTES: Key<f64> = Key::new("before_fall_bytes");
/// Bytes of the operations until a fall was seen.
pub const UNTIL_FALL_SEEN_BYTES: Key<f64> = Key::new("until_fall_seen_bytes");
/// Why the file could not be opened for direct I/O.
pub const DIRECT_REFUSED: Key<str> = Key::new("direct_refused");
/// I/O priority that the threads of the load were given: class and level.
pub const IO_PRIORITY: Key<str> = Key::new("io_priority");
/// The least rate that was asked for, the one that was obtained, and when the job ended for it.
pub const LEAST_RATE_MISSED: Key<str> = Key::new("least_rate_missed");
/// Why `io_uring` could not be had.
pub const IO_URING_REFUSED: Key<str> = Key::new("io_uring_refused");
/// Shares of reads, writes and trims, where there are several.
pub const MIX: Key<Map<String, Value>> = Key::new("mix");
/// Id of the measurement that has the figures of several together, this one among them.
pub const PART_OF: Key<str> = Key::new("part_of");
/// Operations in flight at most, of a load that doesn't wait for them.
pub const MOST_IN_FLIGHT: Key<f64> = Key::new("most_in_flight");
/// Bytes of the part of the target that the stream goes over, where that is a part.
pub const REGION_BYTES: Key<f64> = Key::new("region_bytes");
/// Where the part of the target that the stream goes over begins, bytes.
pub const REGION_OFFSET_BYTES: Key<f64> = Key::new("region_offset_bytes");
/// What a read cache in front of the storage holds, bytes, as it was told.
pub const TIER_BYTES: Key<f64> = Key::new("tier_bytes");
/// Share of the reads that it serves at least, by the law of the reads: what LRU would.
pub const TIER_HITS_LEAST: Key<f64> = Key::new("tier_hits_least");
/// Share of the reads that it serves at most: the most popular blocks that fit.
pub const TIER_HITS_MOST: Key<f64> = Key::new("tier_hits_most");
/// Sizes of operations and their weights, where there are several.
pub const SIZES: Key<[Value]> = Key::new("sizes");
/// Names of the streams that are measured together.
pub const STREAM_NAMES: Key<[Value]> = Key::new("streams");
/// Weight of the job among those that share their operations.
pub const FLOW: Key<f64> = Key::new("flow");
/// Writes after which the file is made durable.
pub const SYNC_AFTER: Key<f64> = Key::new("sync_after");
/// How blocks are verified: the method by its name in job files.
pub const VERIFY: Key<str> = Key::new("verify");
/// Blocks that were read and compared with what was written.
pub const VERIFIED_BLOCKS: Key<f64> = Key::new("verified_blocks");
/// Of these, not what was written.
pub const MISMATCHES: Key<f64> = Key::new("mismatches");
/// Blocks that were written and not read back before the job's time was over.
pub const UNVERIFIED_BLOCKS: Key<f64> = Key::new("unverified_blocks");

}
