//! Operations that somebody recorded, to be done again as they were.

use std::time::Duration;

use narrows_io::Op;

/// An operation of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordedOperation {
    /// What it does.
    pub op: Op,
    /// Byte of the file.
    pub offset: u64,
    /// Its length, bytes; 0 for a sync.
    pub bytes: u32,
    /// When it is due, ns from the first operation of the stream's scenario; never before the one before it.
    pub due_ns: u64,
}

/// Operations in the order in which one thread does them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedOperations {
    operations: Box<[RecordedOperation]>,
}

/// Later than any window.
const NEVER_NS: u64 = 1 << 62;

impl RecordedOperations {
    /// In this order.
    pub fn new(operations: Vec<RecordedOperation>) -> RecordedOperations {
        RecordedOperations { operations: operations.into_boxed_slice() }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.operations.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// When the last of them is due.
    pub fn lasts(&self) -> Duration {
        self.operations.last().map_or(Duration::ZERO, |last| Duration::from_nanos(last.due_ns))
    }

    /// What all places are multiples of, bytes; 0 where all are at the beginning.
    pub fn offsets_divisor(&self) -> u64 {
        let data = self.operations.iter().filter(|operation| operation.op != Op::Sync);
        data.fold(0, |divisor, operation| common_divisor(operation.offset, divisor))
    }

    /// The operation of that number; behind the last one the first again.
    pub(crate) fn at(&self, number: usize) -> RecordedOperation {
        self.operations[number % self.operations.len()]
    }

    /// When the operation of that number is due, ns; behind the last one never.
    pub(crate) fn due_ns(&self, number: usize) -> u64 {
        self.operations.get(number).map_or(NEVER_NS, |operation| operation.due_ns)
    }

    /// Whether some of them are syncs.
    pub(crate) fn syncs(&self) -> bool {
        self.operations.iter().any(|operation| operation.op == Op::Sync)
    }

    /// Whether each begins where one of its kind ended.
    pub(crate) fn is_in_order(&self) -> bool {
        let mut ends = [None; 3];
        self.operations.iter().all(|operation| {
            let at = match operation.op {
                Op::Read => 0,
                Op::Write => 1,
                Op::Trim => 2,
                Op::Sync => return true,
            };
            let end = operation.offset + u64::from(operation.bytes);
            ends[at].replace(end).is_none_or(|last: u64| last == operation.offset)
        })
    }

    /// Why a stream of one region and `threads` threads can't do them.
    pub(crate) fn reason(&self, (from, to): (u64, u64), threads: u32) -> Option<&'static str> {
        if self.is_empty() {
            return Some("its record holds no operation");
        }
        if threads != 1 {
            return Some("a record is done by one thread, in its order");
        }
        let inside = |one: &RecordedOperation| {
            let end = one.offset.checked_add(u64::from(one.bytes));
            one.op == Op::Sync || one.offset >= from && end.is_some_and(|end| end <= to)
        };
        if !self.operations.iter().all(inside) {
            return Some("its record leads out of its region");
        }
        let ordered = self.operations.is_sorted_by_key(|one| one.due_ns);
        (!ordered).then_some("its record goes back in time")
    }
}

fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}
