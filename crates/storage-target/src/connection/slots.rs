//! Commands that are here and not answered.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use narrows_nvme::SubmissionEntry;
use narrows_nvme::command::IoCommand;

use crate::backing::logged::Overlay;
use crate::backing::{CacheRead, DeviceHit};
use crate::buffer::Buffer;
use crate::namespace::{CachedWrite, Namespace};

/// Where a command is.
#[derive(Debug)]
pub(crate) enum Step {
    /// No memory for its data yet.
    Buffer,
    /// Its data were asked for (R2T); so many are here.
    Data { received: u32 },
    /// Its blocks are being read.
    Read,
    /// They are being read from the device of a cache, in so many pieces that are not here yet. Of one that did not come whole, what came of
    /// it. Begun then, ns.
    ReadCached { hit: DeviceHit, left: u8, failed: Option<i32>, begun_ns: u64 },
    /// Its data are being written.
    Write,
    /// Blocks are being made durable.
    Sync,
    /// Blocks are being zeroed; with `durable` a sync follows.
    Zero { durable: bool },
    /// Zeros are being written, because the file system can't do better; so many bytes are.
    ZeroByWriting { done: u64, durable: bool },
    /// Blocks in memory are being zeroed: the ranges that are left, bytes.
    ZeroMemory { left: VecDeque<Range<u64>> },
    /// Ranges are being deallocated; this many are.
    Deallocate { done: usize, ranges: usize },
    /// It waits for room in a log.
    LogRoom,
    /// Its record, of so many bytes, is being written to so many media. It is answered when that is enough, and stays for the others.
    Log { seq: u64, bytes: u32, writes: u8, answered: bool },
    /// Blocks are being read to be compared with these data.
    Compare { expected: Buffer },
}

/// A command.
#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) entry: SubmissionEntry,
    pub(crate) namespace: Arc<Namespace>,
    pub(crate) step: Step,
    /// Whether its data go to the host.
    pub(crate) reads: bool,
    /// Data came that weren't what the host sent.
    pub(crate) damaged: bool,
    /// Bytes that the storage has done so far.
    pub(crate) done: u32,
    pub(crate) buffer: Option<Buffer>,
    /// What a log holds of its blocks that the backing may lack.
    pub(crate) overlay: Vec<Overlay>,
    /// When a read began whose pages are to stay in the cache.
    pub(crate) cache_read: Option<CacheRead>,
    /// The same for a cache on another device.
    pub(crate) device_cache_read: Option<CacheRead>,
    /// What the cache has to hear of when the backing was changed.
    pub(crate) cache_write: Option<CachedWrite>,
    /// Of its data.
    pub(crate) bytes: u32,
    /// Where its blocks begin, bytes.
    pub(crate) offset: u64,
    /// When it was complete, by the target's clock, ns; 0 where nobody asks.
    pub(crate) arrived_ns: u64,
    /// When the storage was asked, ns.
    pub(crate) asked_ns: u64,
    /// Time in the storage so far, ns.
    pub(crate) storage_ns: u64,
}

impl Slot {
    /// The backing has ended what it did for a command: leaves what was read in the cache, and what was written where it is cached.
    pub(crate) fn settle_cache(&mut self, done: bool) {
        // What is not taken over here leaves the cache when its write is dropped.
        let (read, device_read) = (self.cache_read.take(), self.device_cache_read.take());
        let write = self.cache_write.take();
        let (true, Some(buffer)) = (done, &self.buffer) else { return };
        let data = buffer.bytes(self.bytes as usize);
        match (&self.step, write) {
            (Step::Read, _) => {
                if let (Some(cache), Some(read)) = (&self.namespace.cache, read) {
                    cache.fill(read, self.offset, data);
                }
                if let (Some(cache), Some(read)) = (&self.namespace.device_cache, device_read) {
                    cache.fill(read, self.offset, data);
                }
            }
            (Step::Write, Some(write)) => write.written(self.offset, data),
            _ => {}
        }
    }

    /// Blocks that Write Zeroes is about, bytes; 0 for another command.
    pub(crate) fn zeroed_bytes(&self) -> u64 {
        match IoCommand::parse(&self.entry) {
            IoCommand::WriteZeroes { extent, .. } => {
                u64::from(extent.blocks()) * u64::from(self.namespace.block_bytes())
            }
            _ => 0,
        }
    }
}

/// All of a connection.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    slots: Vec<Option<Slot>>,
    free: Vec<u16>,
    used: usize,
    /// Answered, and still here for a medium that is being given their record.
    lingering: usize,
}

impl Slots {
    /// Takes a command in.
    pub(crate) fn insert(&mut self, slot: Slot) -> u16 {
        self.used += 1;
        if let Some(index) = self.free.pop() {
            self.slots[usize::from(index)] = Some(slot);
            return index;
        }
        self.slots.push(Some(slot));
        u16::try_from(self.slots.len() - 1).expect("no more commands than a queue has entries")
    }

    /// Takes a command out.
    ///
    /// # Panics
    /// Where none is there.
    pub(crate) fn remove(&mut self, index: u16) -> Slot {
        self.used -= 1;
        self.free.push(index);
        self.slots[usize::from(index)].take().expect("a command that is here")
    }

    /// A command that is here was answered, and is none of the queue's any more.
    pub(crate) fn count_out(&mut self) {
        self.used -= 1;
        self.lingering += 1;
    }

    /// How many of those there are.
    pub(crate) fn lingering(&self) -> usize {
        self.lingering
    }

    /// Takes such a command out.
    pub(crate) fn remove_counted_out(&mut self, index: u16) -> Slot {
        self.used += 1;
        self.lingering -= 1;
        self.remove(index)
    }

    pub(crate) fn get(&mut self, index: u16) -> Option<&mut Slot> {
        self.slots.get_mut(usize::from(index))?.as_mut()
    }

    /// How many are here that were not answered.
    pub(crate) fn len(&self) -> usize {
        self.used
    }

    /// All of them with their numbers.
    pub(crate) fn all(&self) -> impl Iterator<Item = (u16, &Slot)> {
        let numbered = self.slots.iter().enumerate();
        numbered.filter_map(|(index, slot)| Some((index as u16, slot.as_ref()?)))
    }
}
