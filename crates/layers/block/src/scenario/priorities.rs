//! I/O priorities of single operations: a share of those of one kind, or of one kind and length, gets another than its thread's.
//!
//! As fio's `cmdprio_percentage` and `cmdprio_bssplit`.

use narrows_io::Op;

/// Which operations get which priority.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Priorities {
    /// Of operations that several of them are about, each gets its own share; together at most 100 %.
    pub shares: Vec<PriorityShare>,
}

/// A part of the operations, and its priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PriorityShare {
    /// Their kind.
    pub op: Op,
    /// Their length, bytes; `None`: any.
    pub bytes: Option<u32>,
    /// So many of a hundred.
    pub percent: u8,
    /// In the kernel's form ([`narrows_facts::io_priority`]).
    pub priority: u16,
}

impl Priorities {
    /// Every priority once, in the order of the shares.
    pub fn distinct(&self) -> Vec<u16> {
        let mut all = Vec::new();
        for share in &self.shares {
            if !all.contains(&share.priority) {
                all.push(share.priority);
            }
        }
        all
    }
}
