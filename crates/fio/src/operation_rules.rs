//! Rules about single operations: zones that they keep to, priorities of their own, and those that wait for others.

use crate::job::IoPriority;

/// Zones of a file that are worked in one after the other: `zonemode=strided`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StridedZones {
    /// Length of a zone, bytes.
    pub range_bytes: u64,
    /// Bytes moved in it before the next one begins.
    pub size_bytes: u64,
    /// Bytes left out between two zones.
    pub skip_bytes: u64,
}

/// A part of the reads or writes that has a priority of its own: `cmdprio_percentage`, `cmdprio_bssplit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PriorityShare {
    /// Whether it is about writes; else reads.
    pub writes: bool,
    /// Their length in bytes; `None`: any.
    pub bytes: Option<u64>,
    /// So many of a hundred.
    pub percent: u8,
    /// Their priority.
    pub priority: IoPriority,
}

/// Operations wait for others in flight that they share bytes with: `serialize_overlap`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SerializedOverlap {
    /// For those of the same clone.
    OfClone,
    /// For those of all jobs that have this: `io_submit_mode=offload`.
    OfAll,
}

/// What was said of such rules.
#[derive(Debug, Clone, Default)]
pub(crate) struct OperationRulesDraft {
    pub strided: bool,
    pub zone_range_bytes: u64,
    pub zone_size_bytes: u64,
    pub zone_skip_bytes: u64,
    /// A list of blocks moves on with each turn.
    pub sequence_moves_on: bool,
    /// Of reads and of writes.
    pub priorities: [PriorityDraft; 2],
    pub priority_given: bool,
    pub serialized: bool,
}

/// What was said of the priorities of reads or of writes.
#[derive(Debug, Clone, Default)]
pub(crate) struct PriorityDraft {
    pub percent: u8,
    /// 0 where none is given.
    pub class: u8,
    pub level: u8,
    pub hint: u16,
    pub by_length: Vec<LengthPriority>,
}

/// An entry of `cmdprio_bssplit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LengthPriority {
    pub bytes: u64,
    pub percent: u8,
    /// Where it has one of its own.
    pub priority: Option<IoPriority>,
}
