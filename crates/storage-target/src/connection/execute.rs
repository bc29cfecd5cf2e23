//! Commands of an I/O queue.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use narrows_nvme::command::{DeallocatedRange, Extent, IoCommand, RANGE_BYTES};
use narrows_nvme::{DataPointer, Status, SubmissionEntry};

use super::respond::{Payload, Timing, service_time};
use super::slots::{Slot, Step};
use super::{Connection, Context, Phase, StorageOperation};
use crate::backing::Backing;
use crate::buffer::{Buffer, LARGEST};
use crate::controller::Service;
use crate::namespace::Namespace;
use crate::reservation::Use;

/// Data up to this size are copied into the answer, where they follow its header in one piece, bytes.
const COPIED: u32 = 16 << 10;
/// Memory that a command zeroes before others have their turn, bytes.
const ZEROED_AT_ONCE: u64 = 4 << 20;
/// Longest reservation report, bytes.
const LONGEST_REPORT: u32 = 64 << 10;
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

/// A command whose data are here.
pub(super) struct Arrived {
    pub(super) entry: SubmissionEntry,
    pub(super) namespace: Arc<Namespace>,
    /// Where its blocks begin, bytes.
    pub(super) offset: u64,
    /// Of its data.
    pub(super) bytes: u32,
    /// When it was complete, ns; 0 where nobody asks.
    pub(super) arrived_ns: u64,
}

impl Arrived {
    fn timing(&self) -> Timing {
        Timing { arrived_ns: self.arrived_ns, storage_ns: 0 }
    }

    fn slot(self, step: Step, buffer: Option<Buffer>) -> Slot {
        Slot {
            entry: self.entry,
            namespace: self.namespace,
            step,
            reads: false,
            damaged: false,
            done: 0,
            buffer,
            bytes: self.bytes,
            offset: self.offset,
            arrived_ns: self.arrived_ns,
            asked_ns: 0,
            storage_ns: 0,
        }
    }
}

/// What a command is about.
struct Demand {
    offset: u64,
    /// Blocks that it is about, bytes.
    length: u64,
    /// Data that the host sends, bytes.
    sends: u32,
    /// Data that the host gets, bytes.
    gets: u32,
    what: Use,
    /// Whether a reservation may forbid it.
    reserved: bool,
}

impl Demand {
    fn without_reservation(self) -> Demand {
        Demand { reserved: false, ..self }
    }
}

impl Connection {
    /// Executes a command; `data` came with it.
    pub(super) fn execute(
        &mut self,
        entry: SubmissionEntry,
        data: &[u8],
        context: &mut Context<'_>,
    ) {
        let arrived_ns = if self.is_timed() { context.target.now_ns() } else { 0 };
        let command = IoCommand::parse(&entry);
        let begun = self.namespace_of(&entry).and_then(|namespace| {
            let demand = demand_of(&command, &entry, &namespace)?;
            self.admit(&entry, &demand, &namespace, data)?;
            Ok((namespace, demand))
        });
        let (namespace, demand) = match begun {
            Ok(begun) => begun,
            Err(status) => return self.complete_io(&entry, status, Timing::default(), context),
        };
        let arrived = Arrived {
            entry,
            namespace,
            offset: demand.offset,
            bytes: demand.sends.max(demand.gets),
            arrived_ns,
        };
        if demand.sends > 0 && data.is_empty() {
            let slot = self.slots.insert(arrived.slot(Step::Buffer, None));
            return self.hunger(slot, context);
        }
        match command {
            IoCommand::Read(_) => self.read(arrived, context),
            IoCommand::Flush => self.sync(arrived, context),
            IoCommand::WriteZeroes { extent, deallocate } => {
                self.write_zeroes(arrived, demand.length, &extent, deallocate, context);
            }
            IoCommand::ReservationReport { extended, .. } => {
                self.report(&arrived, extended);
            }
            _ => self.execute_with_data(arrived, data, context),
        }
    }

    fn namespace_of(&self, entry: &SubmissionEntry) -> Result<Arc<Namespace>, Status> {
        if !entry.has_sgl() || entry.is_fused() {
            return Err(Status::INVALID_FIELD.for_good());
        }
        let service = self.queue.as_ref().map(|queue| &queue.controller.service);
        let Some(Service::Io(subsystem)) = service else {
            return Err(Status::INVALID_OPCODE.for_good());
        };
        let namespace = subsystem.namespaces.get(&entry.namespace());
        namespace.cloned().ok_or(Status::INVALID_NAMESPACE.for_good())
    }

    /// Whether the data are described as they have to be, and whether the host may.
    fn admit(
        &self,
        entry: &SubmissionEntry,
        demand: &Demand,
        namespace: &Namespace,
        data: &[u8],
    ) -> Result<(), Status> {
        let expected = demand.sends.max(demand.gets);
        if demand.sends as usize > LARGEST || demand.gets as usize > LARGEST {
            return Err(Status::INVALID_FIELD.for_good());
        }
        let here = data.len() as u64;
        match entry.data() {
            DataPointer::InCapsule { offset: 0, length } if demand.sends > 0 => {
                if length != expected || here != u64::from(length) {
                    return Err(Status::SGL_LENGTH_INVALID.for_good());
                }
            }
            DataPointer::InCapsule { .. } => return Err(Status::SGL_OFFSET_INVALID.for_good()),
            DataPointer::Transport { length } if length == expected && here == 0 => {}
            DataPointer::Transport { .. } => return Err(Status::SGL_LENGTH_INVALID.for_good()),
            DataPointer::Other { .. } => return Err(Status::SGL_TYPE_INVALID.for_good()),
        }
        if demand.what == Use::Write && namespace.read_only {
            return Err(Status::WRITE_PROTECTED.for_good());
        }
        let host = self.queue.as_ref().map(|queue| queue.host_id);
        if demand.reserved
            && host.is_some_and(|host| !namespace.reservations.allow(host, demand.what))
        {
            return Err(Status::RESERVATION_CONFLICT.for_good());
        }
        Ok(())
    }

    /// Gives a command its memory, or lets it wait.
    fn hunger(&mut self, slot: u16, context: &mut Context<'_>) {
        if self.is_hungry() || !self.give_buffer(slot, context) {
            self.hungry.push_back(slot);
        }
    }

    fn read(&mut self, arrived: Arrived, context: &mut Context<'_>) {
        let (offset, bytes) = (arrived.offset, arrived.bytes);
        arrived.namespace.counters.read(u64::from(bytes));
        let small = bytes <= COPIED;
        match &arrived.namespace.backing {
            Backing::Null => {
                let result = service_time(arrived.timing(), context);
                self.answer(&arrived.entry, Payload::Zeros, bytes as usize, result);
            }
            Backing::Ram(disk) if small => {
                let result = service_time(arrived.timing(), context);
                let copy = |out: &mut Vec<u8>| disk.append_to(offset, bytes as usize, out);
                self.answer(&arrived.entry, Payload::Copied(&copy), bytes as usize, result);
            }
            // A digest is of what is sent, so of a copy that nobody changes.
            Backing::Ram(_) if !self.framing.digests.data => {
                let result = service_time(arrived.timing(), context);
                let blocks = Payload::Blocks(Arc::clone(&arrived.namespace), offset);
                self.answer(&arrived.entry, blocks, bytes as usize, result);
            }
            Backing::Ram(_) | Backing::File(_) => {
                let slot = Slot { reads: true, ..arrived.slot(Step::Buffer, None) };
                let slot = self.slots.insert(slot);
                self.hunger(slot, context);
            }
        }
    }

    fn sync(&mut self, arrived: Arrived, context: &mut Context<'_>) {
        arrived.namespace.counters.flushes.fetch_add(1, Ordering::Relaxed);
        if matches!(arrived.namespace.backing, Backing::File(_)) {
            let slot = self.slots.insert(arrived.slot(Step::Sync, None));
            self.ask(slot, StorageOperation::Sync, context);
        } else {
            let timing = arrived.timing();
            self.complete_io(&arrived.entry, Status::SUCCESS, timing, context);
        }
    }

    fn write_zeroes(
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
                let slot = self.slots.insert(arrived.slot(Step::Zero { durable }, None));
                self.ask(slot, StorageOperation::Allocate { mode, offset, bytes: length }, context);
            }
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
        if left.is_empty() {
            self.unfinished.pop_front();
            let slot = self.slots.remove(number);
            let timing = Timing { arrived_ns: slot.arrived_ns, storage_ns: 0 };
            self.complete_io(&slot.entry, Status::SUCCESS, timing, context);
        }
    }

    fn report(&mut self, arrived: &Arrived, extended: bool) {
        let mut report = arrived.namespace.reservations.report(extended);
        report.resize(arrived.bytes as usize, 0);
        let copy = |out: &mut Vec<u8>| out.extend_from_slice(&report);
        self.answer(&arrived.entry, Payload::Copied(&copy), report.len(), 0);
    }

    /// Executes a command whose data came by R2T.
    pub(super) fn execute_with_buffer(
        &mut self,
        arrived: Arrived,
        buffer: Buffer,
        context: &mut Context<'_>,
    ) {
        let bytes = arrived.bytes as usize;
        match (&arrived.namespace.backing, IoCommand::parse(&arrived.entry)) {
            (Backing::File(_), IoCommand::Write(extent)) => {
                self.write_file(arrived, &extent, buffer, context);
            }
            (Backing::File(_), IoCommand::Compare(_)) => {
                self.compare_file(arrived, buffer, context);
            }
            _ => {
                self.execute_with_data(arrived, buffer.bytes(bytes), context);
                context.pool.give(buffer);
            }
        }
    }

    /// Executes a command whose data are here.
    fn execute_with_data(&mut self, arrived: Arrived, data: &[u8], context: &mut Context<'_>) {
        let command = IoCommand::parse(&arrived.entry);
        let status = match (command, &arrived.namespace.backing) {
            (IoCommand::Write(extent), Backing::File(_)) => {
                let mut buffer = context.pool.take_anyway(data.len());
                buffer.bytes_mut(data.len()).copy_from_slice(data);
                return self.write_file(arrived, &extent, buffer, context);
            }
            (IoCommand::Compare(_), Backing::File(_)) => {
                let mut buffer = context.pool.take_anyway(data.len());
                buffer.bytes_mut(data.len()).copy_from_slice(data);
                return self.compare_file(arrived, buffer, context);
            }
            (IoCommand::DatasetManagement { ranges_less_one, deallocate }, _) => {
                let ranges = usize::from(ranges_less_one) + 1;
                return self.deallocate(arrived, data, ranges, deallocate, context);
            }
            (IoCommand::Write(_), Backing::Ram(disk)) => {
                let Some(controller) = self.controller_of_storage.as_ref() else { return };
                if !controller.enter_storage() {
                    self.phase = Phase::Ending;
                    return;
                }
                disk.write(arrived.offset, data);
                controller.leave_storage();
                arrived.namespace.counters.wrote(data.len() as u64);
                Status::SUCCESS
            }
            (IoCommand::Write(_), _) => {
                arrived.namespace.counters.wrote(data.len() as u64);
                Status::SUCCESS
            }
            (IoCommand::Compare(_), Backing::Ram(disk)) => {
                compared(disk.equals(arrived.offset, data))
            }
            (IoCommand::Compare(_), _) => compared(data.iter().all(|byte| *byte == 0)),
            (command, _) => self.reserve(&command, &arrived.namespace, data),
        };
        let timing = arrived.timing();
        self.complete_io(&arrived.entry, status, timing, context);
    }

    fn reserve(&self, command: &IoCommand, namespace: &Namespace, data: &[u8]) -> Status {
        let Some(host) = self.queue.as_ref().map(|queue| queue.host_id) else {
            return Status::SEQUENCE_ERROR;
        };
        let key = |at: usize| {
            let bytes = data.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
            bytes.map_or(0, u64::from_le_bytes)
        };
        let reservations = &namespace.reservations;
        match *command {
            IoCommand::ReservationRegister(action) => {
                reservations.register(host, action, [key(0), key(8)])
            }
            IoCommand::ReservationAcquire(action) => {
                reservations.acquire(host, action, [key(0), key(8)])
            }
            IoCommand::ReservationRelease(action) => reservations.release(host, action, key(0)),
            _ => Status::INVALID_OPCODE.for_good(),
        }
    }

    fn write_file(
        &mut self,
        arrived: Arrived,
        extent: &Extent,
        buffer: Buffer,
        context: &mut Context<'_>,
    ) {
        let (offset, bytes) = (arrived.offset, arrived.bytes);
        arrived.namespace.counters.wrote(u64::from(bytes));
        let durable = extent.force_unit_access && !arrived.namespace.backing.keeps_each_write();
        let memory = buffer.pointer().cast_const();
        let slot = self.slots.insert(arrived.slot(Step::Write, Some(buffer)));
        self.ask(slot, StorageOperation::Write { memory, bytes, offset, durable }, context);
    }

    fn compare_file(&mut self, arrived: Arrived, expected: Buffer, context: &mut Context<'_>) {
        let (offset, bytes) = (arrived.offset, arrived.bytes);
        let buffer = context.pool.take_anyway(bytes as usize);
        let memory = buffer.pointer();
        let slot = self.slots.insert(arrived.slot(Step::Compare { expected }, Some(buffer)));
        self.ask(slot, StorageOperation::Read { memory, bytes, offset }, context);
    }

    /// Deallocates ranges, which is a hint: what can't be is left as it is.
    fn deallocate(
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
        let slot = self.slots.insert(arrived.slot(step, Some(buffer)));
        self.deallocate_next(slot, context);
    }

    /// Asks for the next range of a Dataset Management; whether there is one.
    fn deallocate_next(&mut self, number: u16, context: &mut Context<'_>) -> bool {
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

    /// The storage did what it was asked; `result` as the kernel gives it.
    pub(crate) fn storage_done(&mut self, number: u16, result: i32, context: &mut Context<'_>) {
        self.in_storage -= 1;
        if let Some(controller) = &self.controller_of_storage {
            controller.leave_storage();
        }
        let Some(slot) = self.slots.get(number) else { return };
        if slot.arrived_ns > 0 {
            slot.storage_ns += context.target.now_ns().saturating_sub(slot.asked_ns);
        }
        if let Some(more) = more_of(slot, result) {
            return self.ask(number, more, context);
        }
        let failed = failure_of(slot, result);
        if let Step::Deallocate { .. } = slot.step
            && failed.is_none()
            && self.deallocate_next(number, context)
        {
            return;
        }
        self.finish_slot(number, failed, context);
    }

    pub(super) fn finish_slot(
        &mut self,
        number: u16,
        failed: Option<Status>,
        context: &mut Context<'_>,
    ) {
        let Slot { entry, namespace, step, buffer, bytes, arrived_ns, storage_ns, .. } =
            self.slots.remove(number);
        let timing = Timing { arrived_ns, storage_ns };
        let status = failed.unwrap_or(Status::SUCCESS);
        if failed.is_some() {
            namespace.counters.errors.fetch_add(1, Ordering::Relaxed);
        }
        let status = match (step, buffer) {
            (Step::Read, Some(buffer)) if status.is_success() => {
                let result = service_time(timing, context);
                return self.answer(&entry, Payload::Buffer(buffer), bytes as usize, result);
            }
            (Step::Compare { expected }, Some(buffer)) => {
                let size = bytes as usize;
                let equal = buffer.bytes(size) == expected.bytes(size);
                context.pool.give(buffer);
                context.pool.give(expected);
                if status.is_success() { compared(equal) } else { status }
            }
            (_, buffer) => {
                if let Some(buffer) = buffer {
                    context.pool.give(buffer);
                }
                status
            }
        };
        self.complete_io(&entry, status, timing, context);
    }
}

/// What a command is about, as far as it can be.
fn demand_of(
    command: &IoCommand,
    entry: &SubmissionEntry,
    namespace: &Namespace,
) -> Result<Demand, Status> {
    let blocks = |extent: &Extent| {
        let within = extent.bytes_within(namespace.block_bytes(), namespace.blocks());
        within.ok_or(Status::LBA_OUT_OF_RANGE.for_good())
    };
    let too_long =
        |length: u64| u32::try_from(length).map_err(|_| Status::INVALID_FIELD.for_good());
    let reserved = true;
    let plain = |what, sends, gets| Demand { offset: 0, length: 0, sends, gets, what, reserved };
    Ok(match command {
        IoCommand::Flush => plain(Use::Write, 0, 0),
        IoCommand::Read(extent) => {
            let (offset, length) = blocks(extent)?;
            Demand { offset, length, sends: 0, gets: too_long(length)?, what: Use::Read, reserved }
        }
        IoCommand::Write(extent) => {
            let (offset, length) = blocks(extent)?;
            Demand { offset, length, sends: too_long(length)?, gets: 0, what: Use::Write, reserved }
        }
        IoCommand::Compare(extent) => {
            let (offset, length) = blocks(extent)?;
            Demand { offset, length, sends: too_long(length)?, gets: 0, what: Use::Read, reserved }
        }
        IoCommand::WriteZeroes { extent, .. } => {
            let (offset, length) = blocks(extent)?;
            Demand { offset, length, sends: 0, gets: 0, what: Use::Write, reserved }
        }
        // Hosts may send room for all 256 ranges.
        IoCommand::DatasetManagement { ranges_less_one, .. } => {
            let needed = (u32::from(*ranges_less_one) + 1) * RANGE_BYTES as u32;
            let sends = entry.data().length();
            if sends < needed || sends > 4096 {
                return Err(Status::SGL_LENGTH_INVALID.for_good());
            }
            plain(Use::Write, sends, 0)
        }
        // Keys are moved whoever holds a reservation.
        IoCommand::ReservationRegister(_) | IoCommand::ReservationAcquire(_) => {
            plain(Use::Read, 16, 0).without_reservation()
        }
        IoCommand::ReservationRelease(_) => plain(Use::Read, 8, 0).without_reservation(),
        IoCommand::ReservationReport { dwords_less_one, .. } => {
            let gets = dwords_less_one.checked_add(1).and_then(|dwords| dwords.checked_mul(4));
            let gets = gets.filter(|gets| *gets <= LONGEST_REPORT);
            let gets = gets.ok_or(Status::INVALID_FIELD.for_good())?;
            plain(Use::Read, 0, gets).without_reservation()
        }
        IoCommand::Unknown(_) => return Err(Status::INVALID_OPCODE.for_good()),
    })
}

fn compared(equal: bool) -> Status {
    if equal { Status::SUCCESS } else { Status::COMPARE_FAILURE.for_good() }
}

fn ranges_of(data: &[u8]) -> Vec<DeallocatedRange> {
    let ranges = data.chunks_exact(RANGE_BYTES).filter_map(|bytes| bytes.try_into().ok());
    ranges.map(DeallocatedRange::from_bytes).collect()
}

/// What is to be done next for a command after `result`, where that wasn't all.
fn more_of(slot: &mut Slot, result: i32) -> Option<StorageOperation> {
    let unsupported = matches!(result.checked_neg(), Some(libc::EOPNOTSUPP | libc::ENOSYS));
    let whole = slot.zeroed_bytes();
    match &mut slot.step {
        Step::Read | Step::Write | Step::Compare { .. } => {
            // Less than was asked for: the rest is asked for again, and an error then has its number.
            let moved = u32::try_from(result).ok().filter(|moved| *moved > 0)?;
            slot.done += moved;
            let left = slot.bytes.checked_sub(slot.done).filter(|left| *left > 0)?;
            let memory = slot.buffer.as_ref()?.pointer().wrapping_add(slot.done as usize);
            let offset = slot.offset + u64::from(slot.done);
            Some(match &slot.step {
                Step::Write => StorageOperation::Write {
                    memory: memory.cast_const(),
                    bytes: left,
                    offset,
                    durable: IoCommand::parse(&slot.entry).is_durable(),
                },
                _ => StorageOperation::Read { memory, bytes: left, offset },
            })
        }
        Step::Zero { durable } if result < 0 && unsupported => {
            let durable = *durable;
            slot.step = Step::ZeroByWriting { done: 0, durable };
            Some(zeros_at(slot.offset, whole))
        }
        Step::Zero { durable: true } if result >= 0 => {
            slot.step = Step::Sync;
            Some(StorageOperation::Sync)
        }
        Step::ZeroByWriting { done, durable } => {
            *done += u64::try_from(result).ok().filter(|written| *written > 0)?;
            let (done, durable) = (*done, *durable);
            if done < whole {
                Some(zeros_at(slot.offset + done, whole - done))
            } else if durable {
                slot.step = Step::Sync;
                Some(StorageOperation::Sync)
            } else {
                None
            }
        }
        _ => None,
    }
}

fn zeros_at(offset: u64, bytes: u64) -> StorageOperation {
    let memory = zeros().as_ptr();
    let bytes = bytes.min(ZEROS as u64) as u32;
    StorageOperation::Write { memory, bytes, offset, durable: false }
}

/// What a result says of a command that is over, if it failed.
fn failure_of(slot: &Slot, result: i32) -> Option<Status> {
    let lost_writes = &slot.namespace.lost_writes;
    let syncs = matches!(slot.step, Step::Sync)
        || (matches!(slot.step, Step::Write) && IoCommand::parse(&slot.entry).is_durable());
    let reads = matches!(slot.step, Step::Read | Step::Compare { .. });
    let moves = matches!(slot.step, Step::Read | Step::Write | Step::Compare { .. });
    // Blocks that the storage can't be asked for at all were not lost.
    if syncs && result < 0 && -result != libc::EINVAL {
        // The kernel tells of a lost write once, to the first who asks; hosts that ask later must hear it, too.
        lost_writes.store(true, Ordering::Release);
    }
    if syncs && lost_writes.load(Ordering::Acquire) {
        return Some(Status::WRITE_FAULT.for_good());
    }
    match result {
        // The file ends before its blocks do: somebody cut it.
        0 if moves && reads => Some(Status::READ_ERROR.for_good()),
        0 if moves => Some(Status::WRITE_FAULT.for_good()),
        0.. => None,
        _ if matches!(slot.step, Step::Deallocate { .. }) => None,
        _ if -result == libc::ENOSPC => Some(Status::CAPACITY_EXCEEDED.for_good()),
        _ if reads => Some(Status::READ_ERROR.for_good()),
        _ => Some(Status::WRITE_FAULT.for_good()),
    }
}
