//! Which operations are divided.

use narrows_initiator::Reached;
use narrows_io::Op;
use narrows_units::Bytes;

/// PostgreSQL's block, and Oracle's and InnoDB's usual ones.
const READS: [u32; 2] = [8 << 10, 16 << 10];
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
    /// of as much as goes with a command and of a block more. None is larger than the target takes.
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
            operation.bytes <= reached.max_data
                && operation.bytes.is_multiple_of(block)
                && u64::from(operation.bytes) <= reached.bytes()
        });
        operations.sort_unstable();
        operations.dedup();
        operations
    }

    /// `read.8k`, `write.16.5k`.
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

/// The largest write that goes with its command, in whole blocks, and one of a block more, which takes one more round trip;
/// `None` where no block goes with a command.
fn capsule_step(reached: &Reached) -> Option<[u32; 2]> {
    let limit = reached.controller.in_capsule_bytes();
    let largest = limit - limit % reached.block_bytes;
    (largest > 0).then(|| [largest, largest + reached.block_bytes])
}
