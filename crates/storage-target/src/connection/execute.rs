//! Commands of an I/O queue.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use narrows_nvme::command::{Extent, IoCommand};
use narrows_nvme::{DataPointer, Status, SubmissionEntry};

use super::demand::{Demand, demand_of};
use super::respond::{Payload, Timing, service_time};
use super::slots::{Slot, Step};
use super::storage_answer::compared;
use super::{Connection, Context, Phase, StorageOperation};
use crate::backing::Backing;
use crate::buffer::{Buffer, LARGEST};
use crate::controller::Service;
use crate::namespace::Namespace;
use crate::reservation::Use;

/// Data up to this size are copied into the answer, where they follow its header in one piece, bytes.
const COPIED: u32 = 16 << 10;
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
    pub(super) fn timing(&self) -> Timing {
        Timing { arrived_ns: self.arrived_ns, storage_ns: 0 }
    }

    pub(super) fn slot(self, step: Step, buffer: Option<Buffer>) -> Slot {
        Slot {
            entry: self.entry,
            namespace: self.namespace,
            step,
            reads: false,
            damaged: false,
            done: 0,
            buffer,
            overlay: Vec::new(),
            cache_read: None,
            device_cache_read: None,
            cache_write: None,
            bytes: self.bytes,
            offset: self.offset,
            arrived_ns: self.arrived_ns,
            asked_ns: 0,
            storage_ns: 0,
        }
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
            // A command without data: some hosts leave the field as it is, and other targets don't look.
            pointer if pointer.is_blank() && expected == 0 && here == 0 => {}
            DataPointer::Other { .. } => return Err(Status::SGL_TYPE_INVALID.for_good()),
        }
        // A flush changes nothing: it succeeds, without effect, where blocks are write protected.
        let changes = || demand.what == Use::Write && IoCommand::parse(entry) != IoCommand::Flush;
        if namespace.read_only && changes() {
            return Err(Status::WRITE_PROTECTED.for_good());
        }
        let host = self.queue.as_ref().map(|queue| queue.registrant);
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
        if let (true, Some(cache)) = (small, &arrived.namespace.cache)
            && let Some(hit) = cache.hit(offset, bytes)
        {
            let result = service_time(arrived.timing(), context);
            let copy = |out: &mut Vec<u8>| hit.append_to(out);
            return self.answer(&arrived.entry, Payload::Copied(&copy), bytes as usize, result);
        }
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
            // A digest is of what is sent, and so is what is encrypted: of a copy that nobody changes.
            Backing::Ram(_) if !self.framing.digests.data && self.secured.is_none() => {
                let result = service_time(arrived.timing(), context);
                let blocks = Payload::Blocks(Arc::clone(&arrived.namespace), offset);
                self.answer(&arrived.entry, blocks, bytes as usize, result);
            }
            Backing::Ram(_) | Backing::File(_) | Backing::Logged(_) => {
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
            // What a log acknowledged is durable, unless its media failed with records on them alone.
            let lost = matches!(&arrived.namespace.backing, Backing::Logged(disk) if !disk.keeps_each_write());
            let status = if lost { Status::WRITE_FAULT.for_good() } else { Status::SUCCESS };
            let timing = arrived.timing();
            self.complete_io(&arrived.entry, status, timing, context);
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
            (Backing::File(_) | Backing::Logged(_), IoCommand::Compare(_)) => {
                self.compare_file(arrived, buffer, context);
            }
            (Backing::Logged(_), IoCommand::Write(_)) => {
                arrived.namespace.counters.wrote(u64::from(arrived.bytes));
                self.log_buffer(arrived, buffer, context);
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
            (IoCommand::Write(_), Backing::Logged(_)) => {
                arrived.namespace.counters.wrote(data.len() as u64);
                return self.log_change(arrived, data, context);
            }
            (IoCommand::Compare(_), Backing::File(_) | Backing::Logged(_)) => {
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
        let Some(host) = self.queue.as_ref().map(|queue| queue.registrant) else {
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
        let cache_write = arrived.namespace.begins([(offset, u64::from(bytes))]);
        let slot = Slot { cache_write, ..arrived.slot(Step::Write, Some(buffer)) };
        let slot = self.slots.insert(slot);
        self.ask(slot, StorageOperation::Write { memory, bytes, offset, durable }, context);
    }

    fn compare_file(&mut self, arrived: Arrived, expected: Buffer, context: &mut Context<'_>) {
        let (offset, bytes) = (arrived.offset, arrived.bytes);
        let buffer = context.pool.take_anyway(bytes as usize);
        let memory = buffer.pointer();
        let overlay = match &arrived.namespace.backing {
            Backing::Logged(disk) => disk.overlay(offset, bytes),
            _ => Vec::new(),
        };
        let slot = Slot { overlay, ..arrived.slot(Step::Compare { expected }, Some(buffer)) };
        let slot = self.slots.insert(slot);
        self.ask(slot, StorageOperation::Read { memory, bytes, offset }, context);
    }
}
