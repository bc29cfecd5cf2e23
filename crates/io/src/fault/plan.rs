//! Which operations fail, and how.

use std::ops::Range;

use crate::Op;

/// One line of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Only operations of this kind are counted and hit; `None`: all.
    pub op: Option<Op>,
    /// Which of them.
    pub when: When,
    /// What happens.
    pub effect: Effect,
}

/// Which operations a fault hits; they are counted from 0 in the order of submission, for each path apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum When {
    /// The one with this number.
    Nth(u64),
    /// Each whose number is a multiple of this.
    Every(u64),
    /// All from this number on.
    From(u64),
    /// Those that begin at one of these offsets, bytes.
    At(Range<u64>),
}

/// What happens to an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It ends with this error number and does nothing.
    Errno(i32),
    /// No more than that many bytes move.
    Short(u32),
    /// Its completion is seen so much later, ns.
    DelayNs(u64),
    /// From its submission on no completion is seen for so long, ns: the device stalls.
    StallNs(u64),
    /// A read gives zeros.
    Zeros,
    /// A read gives the right data but for one bit.
    Corrupt,
    /// It is said to have been done, and was not.
    Lost,
}

impl Fault {
    /// That effect on operations of any kind.
    pub fn any(when: When, effect: Effect) -> Fault {
        Fault { op: None, when, effect }
    }

    /// That effect on operations of one kind.
    pub fn on(op: Op, when: When, effect: Effect) -> Fault {
        Fault { op: Some(op), when, effect }
    }

    pub(super) fn counts(&self, op: Op) -> bool {
        self.op.is_none_or(|wanted| wanted == op)
    }
}

impl When {
    pub(super) fn hits(&self, number: u64, offset: u64) -> bool {
        match self {
            When::Nth(n) => number == *n,
            When::Every(n) => number.is_multiple_of((*n).max(1)),
            When::From(n) => number >= *n,
            When::At(range) => range.contains(&offset),
        }
    }
}
