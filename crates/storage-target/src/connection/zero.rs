//! Blocks that are to read as zeros, or that aren't needed any more.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use narrows_nvme::Status;
use narrows_nvme::command::{DeallocatedRange, Extent, RANGE_BYTES};

use super::execute::Arrived;
use super::respond::Timing;
use super::slots::{Slot, Step};
use super::{Connection, Context, Phase, StorageOperation};
use crate::backing::Backing;

/// Memory that a command zeroes before others have their turn, bytes.
const ZEROED_AT_ONCE: u64 = 4 << 20;
/// Most of one write of zeros, bytes.
const ZEROS: usize = 256 << 10;

/// Zeros, aligned for direct I/O.
#[repr(align(4096))]
struct Zeros([u8; ZEROS]);

static ZERO_BYTES: Zeros = Zeros([0; ZEROS]);

/// Zeros, for whoever sends or writes some.
pub(super) fn zeros() -> &'static [u8] {
    &ZERO_BYTES.0
}

impl Connection {
    pub(super) fn write_zeroes(
        &mut self,
        arrived: Arrived,
        length: u64,
        extent: &Extent,
        deallocate: bool,
        context: &mut Context<'_>,
    ) {
        arrived.namespace.counters.wrote(length);
        let offset = arrived.offset;
        match &arrived.namespace.backing {
            Backing::File(_) => {
                let mode = if deallocate {
                    libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE
                } else {
                    libc::FALLOC_FL_ZERO_RANGE | libc::FALLOC_FL_KEEP_SIZE
                };
                let durable = extent.force_unit_access;
                let cache_write = arrived.namespace.begins([(offset, length)]);
                let slot = Slot { cache_write, ..arrived.slot(Step::Zero { durable }, None) };
                let slot = self.slots.insert(slot);
                self.ask(slot, StorageOperation::Allocate { mode, offset, bytes: length }, context);
            }
            Backing::Logged(_) => self.log_change(arrived, &[], context),
            Backing::Ram(_) => {
                let left = std::iter::once(offset..offset + length).collect();
                self.zero_memory(arrived, left, context);
            }
            Backing::Null => {
                let timing = arrived.timing();
                self.complete_io(&arrived.entry, Status::SUCCESS, timing, context);
            }
        }
    }

    fn zero_memory(&mut self, arrived: Arrived, left: VecDeque<Range<u64>>, context: &Context<'_>) {
        let slot = self.slots.insert(arrived.slot(Step::ZeroMemory { left }, None));
        self.unfinished.push_back(slot);
        self.go_on(context);
    }

    /// Whether a command has work left that the thread does itself.
    pub(crate) fn is_unfinished(&self) -> bool {
        !self.unfinished.is_empty()
    }

    /// Does a turn's share of such work.
    pub(crate) fn go_on(&mut self, context: &Context<'_>) {
        let Some(number) = self.unfinished.front().copied() else { return };
        let Some(slot) = self.slots.get(number) else { return };
        let Step::ZeroMemory { left } = &mut slot.step else { return };
        let Some(controller) = &self.controller_of_storage else { return };
        if !controller.enter_storage() {
            self.phase = Phase::Ending;
            self.unfinished.clear();
            return;
        }
        let mut share = ZEROED_AT_ONCE;
        while share > 0
            && let Some(range) = left.front_mut()
        {
            let bytes = (range.end - range.start).min(share);
            if let Backing::Ram(disk) = &slot.namespace.backing {
                disk.zero(range.start, bytes);
            }
            range.start += bytes;
            share -= bytes;
            if range.is_empty() {
                left.pop_front();
            }
        }
        controller.leave_storage();
        if left.is_empty() {
            self.unfinished.pop_front();
            let slot = self.slots.remove(number);
            let timing = Timing { arrived_ns: slot.arrived_ns, storage_ns: 0 };
            self.complete_io(&slot.entry, Status::SUCCESS, timing, context);
        }
    }

    /// Deallocates ranges, which is a hint: what can't be is left as it is.
    pub(super) fn deallocate(
        &mut self,
        arrived: Arrived,
        data: &[u8],
        ranges: usize,
        deallocate: bool,
        context: &mut Context<'_>,
    ) {
        let namespace = Arc::clone(&arrived.namespace);
        let all = ranges_of(&data[..ranges * RANGE_BYTES]);
        let within = |range: &DeallocatedRange| {
            let end = range.first_block.checked_add(u64::from(range.blocks));
            end.is_some_and(|end| end <= namespace.blocks())
        };
        let status = if all.iter().all(within) {
            Status::SUCCESS
        } else {
            Status::LBA_OUT_OF_RANGE.for_good()
        };
        let is_file = matches!(namespace.backing, Backing::File(_));
        if !status.is_success() || !deallocate || !is_file {
            if let (true, true, Backing::Ram(_)) =
                (status.is_success(), deallocate, &namespace.backing)
            {
                let block = u64::from(namespace.block_bytes());
                let bytes = |range: &DeallocatedRange| {
                    let end = range.first_block + u64::from(range.blocks);
                    range.first_block * block..end * block
                };
                let left = all.iter().map(bytes).filter(|range| !range.is_empty()).collect();
                return self.zero_memory(arrived, left, context);
            }
            let timing = arrived.timing();
            return self.complete_io(&arrived.entry, status, timing, context);
        }
        let mut buffer = context.pool.take_anyway(data.len());
        buffer.bytes_mut(data.len()).copy_from_slice(data);
        let step = Step::Deallocate { done: 0, ranges };
        let block = u64::from(namespace.block_bytes());
        let bytes =
            |range: &DeallocatedRange| (range.first_block * block, u64::from(range.blocks) * block);
        let cache_write = namespace.begins(all.iter().map(bytes));
        let slot = Slot { cache_write, ..arrived.slot(step, Some(buffer)) };
        let slot = self.slots.insert(slot);
        if !self.deallocate_next(slot, context) {
            // None of them has a block.
            self.finish_slot(slot, None, context);
        }
    }

    /// Asks for the next range of a Dataset Management; whether there is one.
    pub(super) fn deallocate_next(&mut self, number: u16, context: &mut Context<'_>) -> bool {
        let Some(slot) = self.slots.get(number) else { return false };
        let Step::Deallocate { done, ranges } = &mut slot.step else { return false };
        let Some(buffer) = &slot.buffer else { return false };
        let block = u64::from(slot.namespace.block_bytes());
        let all = ranges_of(buffer.bytes(*ranges * RANGE_BYTES));
        let next = all.iter().skip(*done).position(|range| range.blocks > 0);
        let Some(next) = next.map(|index| *done + index) else { return false };
        *done = next + 1;
        let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        let (offset, bytes) = (all[next].first_block * block, u64::from(all[next].blocks) * block);
        self.ask(number, StorageOperation::Allocate { mode, offset, bytes }, context);
        true
    }
}

fn ranges_of(data: &[u8]) -> Vec<DeallocatedRange> {
    let ranges = data.chunks_exact(RANGE_BYTES).filter_map(|bytes| bytes.try_into().ok());
    ranges.map(DeallocatedRange::from_bytes).collect()
}

/// The next write of zeros in a range.
pub(super) fn zeros_at(offset: u64, bytes: u64) -> StorageOperation {
    let memory = zeros().as_ptr();
    let bytes = bytes.min(ZEROS as u64) as u32;
    StorageOperation::Write { memory, bytes, offset, durable: false }
}
