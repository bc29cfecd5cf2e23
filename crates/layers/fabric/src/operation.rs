//! Which operations are divided.

use narrows_initiator::Reached;
use narrows_io::Op;
use narrows_units::Bytes;

/// PostgreSQL's block, and Oracle's and InnoDB's usual ones.
const READS: [u32; 2] = [8 << 10, 16 << 10];
/// Of memory, and of most file systems and drives.
const PAGE_BYTES: u32 = 4096;
/// One and two pages of WAL.
const WRITES: [u32; 2] = [8 << 10, 16 << 10];

/// An operation whose latency is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SplitOperation {
    /// Whether it writes; else it reads.
    pub writes: bool,
    /// Bytes.
    pub bytes: u32,
}

impl SplitOperation {
    /// Reads of the sizes that databases read; where the namespace may be written, durable writes of one and two pages of WAL,
    /// of as much as goes with a command and of a page more. None is larger than the target takes.
    pub fn for_namespace(reached: &Reached, writable: bool) -> Vec<SplitOperation> {
        let read = |bytes| SplitOperation { writes: false, bytes };
        let write = |bytes| SplitOperation { writes: true, bytes };
        let mut operations: Vec<_> = READS.into_iter().map(read).collect();
        if writable {
            operations.extend(WRITES.into_iter().map(write));
            operations
                .extend(capsule_step(reached).map(|step| step.map(write)).into_iter().flatten());
        }
        let block = reached.block_bytes;
        operations.retain(|operation| {
            (1..=reached.max_data).contains(&operation.bytes)
                && operation.bytes.is_multiple_of(block)
                && u64::from(operation.bytes) <= reached.bytes()
        });
        operations.sort_unstable();
        operations.dedup();
        operations
    }

    /// `read.8k`, `write.20k`.
    pub fn word(self) -> String {
        let direction = if self.writes { "write" } else { "read" };
        format!("{direction}.{}k", f64::from(self.bytes) / 1024.0)
    }

    /// `8 KiB read`, `8 KiB durable write`.
    pub fn words(self) -> String {
        let what = if self.writes { "durable write" } else { "read" };
        format!("{} {what}", Bytes(self.bytes.into()).iec())
    }

    /// What is done for it.
    pub(crate) fn op(self) -> Op {
        if self.writes { Op::Write } else { Op::Read }
    }

    /// Whether its data go with the command.
    pub(crate) fn goes_with_command(self, in_capsule_bytes: u32) -> bool {
        !self.writes || self.bytes <= in_capsule_bytes
    }
}

/// The largest write of whole pages (or blocks, where these are larger) that goes with its command, and one of a page more, which takes
/// one more round trip; `None` where none goes with a command, or the target takes no more. Writes of whole pages begin and end
/// where a drive's or file system's blocks do.
fn capsule_step(reached: &Reached) -> Option<[u32; 2]> {
    let unit = reached.block_bytes.max(PAGE_BYTES);
    let limit = reached.controller.in_capsule_bytes().min(reached.max_data);
    let largest = limit - limit % unit;
    let beyond = largest.checked_add(unit).filter(|bytes| *bytes <= reached.max_data)?;
    (largest > 0).then_some([largest, beyond])
}
