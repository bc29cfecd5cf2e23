//! What a thread has to do with blocks that are verified: numbers for its writes, blocks to be read back, and checks of what was read.

use std::sync::PoisonError;

use narrows_io::Op;

use super::history::{History, WriteId};
use crate::outcome::Verified;
use crate::scenario::{BlockMismatch, Verify, WrittenBlock};

/// So many mismatches are kept.
const KEPT: usize = 8;

/// What a slot in flight has to do with it.
#[derive(Debug, Clone, Copy)]
enum Flying {
    Nothing,
    Write {
        id: WriteId,
        block: WrittenBlock,
    },
    /// A read of the stream's own.
    Read,
    /// A read of a block that this run wrote; stale if that was written again meanwhile.
    ReadBack {
        block: WrittenBlock,
        beside: bool,
        stale: bool,
    },
}

/// What became of an operation.
pub(super) enum Landed {
    /// An operation of the stream's own.
    Own,
    /// One that was only there to read back.
    Beside,
}

/// The state of one thread.
#[derive(Debug)]
pub(super) struct Verifying {
    orders: Verify,
    /// Whether there is anything in what is read: ways that move nothing have none.
    real: bool,
    history: History,
    flights: Box<[Flying]>,
    batch_left: u64,
    last_was_read: bool,
    pub verified: Verified,
}

impl Verifying {
    pub fn new(orders: &Verify, real: bool, slots: u32) -> Verifying {
        Verifying {
            orders: orders.clone(),
            real,
            history: History::new(orders.overwrites),
            flights: vec![Flying::Nothing; slots as usize].into_boxed_slice(),
            batch_left: 0,
            last_was_read: false,
            verified: Verified::default(),
        }
    }

    /// A block that is to be read now, instead of what the stream does next.
    pub fn next_read(&mut self) -> Option<WrittenBlock> {
        if let Some(list) = &self.orders.list {
            return list.take();
        }
        let backlog = self.orders.backlog?;
        let waiting = self.history.len();
        if self.batch_left == 0 {
            let due = waiting > 0 && waiting.is_multiple_of(backlog.every) && !self.last_was_read;
            if !due {
                return None;
            }
            self.batch_left = backlog.batch;
        }
        let Some(block) = self.history.take() else {
            // With nothing left to read the batch is over; what is under way is read later.
            self.batch_left = if waiting == 0 { 0 } else { self.batch_left };
            return None;
        };
        self.batch_left -= 1;
        Some(block)
    }

    /// The slot begins to read a block that was written.
    pub fn reads_back(&mut self, slot: u32, block: WrittenBlock) {
        let beside = self.orders.list.is_none();
        self.flights[slot as usize] = Flying::ReadBack { block, beside, stale: false };
    }

    /// Makes the block that the slot begins to write.
    pub fn writes(&mut self, slot: u32, buffer: &mut [u8], offset: u64) {
        let number = self.orders.next_number();
        self.orders.format.make(buffer, offset, number);
        if !self.orders.keeps() {
            return;
        }
        let mut block = WrittenBlock { offset, bytes: buffer.len() as u32, number: Some(number) };
        let mut known = true;
        if self.orders.overwrites {
            for flying in &mut self.flights {
                match flying {
                    // Of two that are under way together, either may be the last.
                    Flying::Write { block: other, .. } if overlap(other, &block) => {
                        known &= (other.offset, other.bytes) == (block.offset, block.bytes);
                        block.number = None;
                    }
                    Flying::ReadBack { block: other, stale, .. } => {
                        *stale |= overlap(other, &block);
                    }
                    _ => {}
                }
            }
        }
        let id = self.history.start(block, known);
        self.flights[slot as usize] = Flying::Write { id, block };
    }

    /// The slot begins a read of the stream's own.
    pub fn reads(&mut self, slot: u32) {
        if self.orders.checks_reads {
            self.flights[slot as usize] = Flying::Read;
        }
    }

    /// The slot's operation has come back: `moved` bytes, or not at all. A read is in `buffer`.
    pub fn landed(
        &mut self,
        (slot, op, offset): (u32, Op, u64),
        moved: Option<u32>,
        buffer: Option<&mut [u8]>,
    ) -> Landed {
        let flying = std::mem::replace(&mut self.flights[slot as usize], Flying::Nothing);
        self.last_was_read = op == Op::Read;
        match flying {
            Flying::Nothing => Landed::Own,
            Flying::Write { id, block } => {
                self.history.end(id, moved == Some(block.bytes));
                Landed::Own
            }
            Flying::Read => {
                self.check(offset, None, moved, buffer);
                Landed::Own
            }
            Flying::ReadBack { block, beside, stale } => {
                if !stale {
                    self.check(offset, block.number, moved, buffer);
                }
                if beside { Landed::Beside } else { Landed::Own }
            }
        }
    }

    /// Whether all that it does is to read what a list names.
    pub fn has_list(&self) -> bool {
        self.orders.list.is_some()
    }

    /// Whether what the slot reads will be looked at.
    pub fn looks_at(&self, slot: u32) -> bool {
        self.real && matches!(self.flights[slot as usize], Flying::Read | Flying::ReadBack { .. })
    }

    fn check(
        &mut self,
        offset: u64,
        number: Option<u64>,
        moved: Option<u32>,
        buffer: Option<&mut [u8]>,
    ) {
        // What failed is an error already.
        let (Some(moved), Some(buffer)) = (moved, buffer) else { return };
        self.verified.blocks += 1;
        self.verified.bytes += u64::from(moved);
        let asked = buffer.len();
        let checked = if moved as usize == asked {
            self.orders.format.check(buffer, offset, number)
        } else {
            let (expected, found) = (asked.to_string(), moved.to_string());
            Err(BlockMismatch { offset, what: "bytes that were read".to_string(), expected, found })
        };
        if let Err(mismatch) = checked {
            self.verified.wrong += 1;
            if self.verified.first.len() < KEPT {
                self.verified.first.push(mismatch);
            }
        }
    }

    /// The mismatch that ends the run.
    pub fn ends_it(&self) -> Option<&BlockMismatch> {
        self.verified.first.first().filter(|_| self.orders.fatal)
    }

    /// What was compared, and what is left to be read back.
    pub fn into_parts(self) -> (Verified, Vec<WrittenBlock>) {
        let written = if self.orders.keeps() { self.history.into_blocks() } else { Vec::new() };
        if let Some(left) = &self.orders.left {
            left.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&written);
        }
        (self.verified, if self.orders.remembers { written } else { Vec::new() })
    }
}

fn overlap(one: &WrittenBlock, other: &WrittenBlock) -> bool {
    one.offset < other.offset + u64::from(other.bytes)
        && other.offset < one.offset + u64::from(one.bytes)
}
