//! Data that the target asks for: R2T, and the H2CData that answer it.

use narrows_nvme::command::IoCommand;
use narrows_nvme::intake::Intake;
use narrows_nvme::pdu::{DataTransfer, Fatal, Pdu, ReadyToTransfer, Violation};
use narrows_nvme::{Status, SubmissionEntry};

use super::execute::Arrived;
use super::respond::Timing;
use super::slots::Step;
use super::{Connection, Context, Destination, Phase, StorageOperation, StorageRequest};
use crate::backing::logged::covers;
use crate::backing::{Backing, DeviceCache};
use crate::buffer::Buffer;
use crate::reading::Reader;
use crate::reservation::Use;

impl Connection {
    /// Where the data of an H2CData go.
    ///
    /// # Errors
    /// Where nobody asked for them, or not for these now.
    pub(super) fn accept(
        &mut self,
        transfer: &DataTransfer,
        last: bool,
    ) -> Result<Destination, Violation> {
        let number = transfer.transfer_tag;
        let slot = self.slots.get(number).ok_or(Violation::SEQUENCE)?;
        let Step::Data { received } = slot.step else { return Err(Violation::SEQUENCE) };
        if slot.entry.command_id() != transfer.command_id {
            return Err(Violation::new(Fatal::InvalidHeaderField, 8));
        }
        let end = transfer.offset.checked_add(transfer.length);
        let end = end.filter(|end| *end <= slot.bytes);
        let end = end.ok_or(Violation::new(Fatal::DataOutOfRange, 0))?;
        if transfer.offset != received {
            return Err(Violation::new(Fatal::DataOutOfRange, 0));
        }
        if last != (end == slot.bytes) {
            return Err(Violation::new(Fatal::InvalidHeaderField, 1));
        }
        Ok(Destination::Slot { slot: number, offset: transfer.offset })
    }

    /// The data of an H2CData are here.
    pub(super) fn transferred(&mut self, context: &mut Context<'_>) -> Result<(), Violation> {
        self.transfer_ns = context.now_ns;
        let done = std::mem::take(&mut self.intake);
        let Intake::Data(data) = done else { return Ok(()) };
        let Destination::Slot { slot: number, offset } = data.destination else { return Ok(()) };
        let received = offset + data.bytes() as u32;
        let slot = self.slots.get(number).ok_or(Violation::SEQUENCE)?;
        slot.damaged |= !data.is_intact();
        slot.step = Step::Data { received };
        if received < slot.bytes {
            return Ok(());
        }
        let mut slot = self.slots.remove(number);
        let buffer = slot.buffer.take().ok_or(Violation::SEQUENCE)?;
        // Who was preempted while its data were on their way may not write any more.
        let host = self.queue.as_ref().map(|queue| queue.registrant);
        let writes = matches!(IoCommand::parse(&slot.entry), IoCommand::Write(_));
        let forbidden =
            writes && host.is_some_and(|host| !slot.namespace.reservations.allow(host, Use::Write));
        if slot.damaged || forbidden {
            context.pool.give(buffer);
            let status = if forbidden {
                Status::RESERVATION_CONFLICT.for_good()
            } else {
                Status::TRANSIENT_TRANSPORT_ERROR
            };
            self.complete_io(&slot.entry, status, Timing::default(), context);
            return Ok(());
        }
        if slot.arrived_ns > 0 {
            slot.arrived_ns = context.target.now_ns();
        }
        let arrived = Arrived {
            entry: slot.entry,
            namespace: slot.namespace,
            offset: slot.offset,
            bytes: slot.bytes,
            arrived_ns: slot.arrived_ns,
        };
        self.execute_with_buffer(arrived, buffer, context);
        Ok(())
    }

    /// Memory for a command that waits for some; whether there was any.
    pub(super) fn give_buffer(&mut self, number: u16, context: &mut Context<'_>) -> bool {
        let Some(slot) = self.slots.get(number) else { return true };
        let bytes = match &slot.namespace.device_cache {
            // It is read in whole pages.
            Some(_) if slot.reads => DeviceCache::buffer_bytes(slot.offset, slot.bytes),
            _ => slot.bytes,
        };
        let Some(mut buffer) = context.pool.take(bytes as usize) else { return false };
        if let (true, Backing::Ram(disk)) = (slot.reads, &slot.namespace.backing) {
            disk.read(slot.offset, buffer.bytes_mut(slot.bytes as usize));
            slot.buffer = Some(buffer);
            slot.step = Step::Read;
            self.finish_slot(number, None, context);
            return true;
        }
        if let (true, Some(cache)) = (slot.reads, slot.namespace.cache.clone())
            && let Some(hit) = cache.hit(slot.offset, slot.bytes)
        {
            hit.copy_to(buffer.bytes_mut(slot.bytes as usize));
            slot.buffer = Some(buffer);
            slot.step = Step::Read;
            drop(hit);
            self.finish_slot(number, None, context);
            return true;
        }
        slot.buffer = Some(buffer);
        if slot.reads {
            let cache = slot.namespace.device_cache.as_ref();
            match cache.and_then(|cache| cache.hit(slot.offset, slot.bytes)) {
                Some(hit) => self.ask_cache(number, hit, context),
                None => self.read_backing(number, context),
            }
        } else {
            slot.step = Step::Data { received: 0 };
            self.transfer_ns = context.now_ns;
            let (entry, bytes) = (slot.entry, slot.bytes);
            self.ready(&entry, number, bytes);
        }
        true
    }

    /// Has a file or device read what no cache has, into the buffer that is there.
    pub(super) fn read_backing(&mut self, number: u16, context: &mut Context<'_>) {
        let Some(slot) = self.slots.get(number) else { return };
        let Some(memory) = slot.buffer.as_ref().map(Buffer::pointer) else { return };
        let (offset, bytes) = (slot.offset, slot.bytes);
        let begun = slot.namespace.begin_reading(offset, bytes, Reader::Host);
        let covered = covers(&begun.overlay, bytes);
        (slot.cache_read, slot.device_cache_read) = (begun.cache, begun.device_cache);
        slot.overlay = begun.overlay;
        slot.step = Step::Read;
        if covered {
            self.finish_slot(number, None, context);
        } else {
            self.ask(number, StorageOperation::Read { memory, bytes, offset }, context);
        }
    }

    fn ready(&mut self, entry: &SubmissionEntry, transfer_tag: u16, length: u32) {
        let command_id = entry.command_id();
        let ready = ReadyToTransfer { command_id, transfer_tag, offset: 0, length };
        let digests = self.framing.digests;
        self.outbox.bytes(|out| {
            Pdu::R2t(ready).write(0, digests, 4, out);
        });
    }

    /// Asks the thread for an operation on the file of a command.
    pub(super) fn ask(
        &mut self,
        number: u16,
        operation: StorageOperation,
        context: &mut Context<'_>,
    ) {
        let Some(slot) = self.slots.get(number) else { return };
        let Some(disk) = slot.namespace.backing.file() else {
            unreachable!("only files are asked");
        };
        if !self.controller_of_storage.as_ref().is_some_and(|its| its.enter_storage()) {
            // Nobody waits for the answer any more.
            self.phase = Phase::Ending;
            return;
        }
        if slot.arrived_ns > 0 {
            slot.asked_ns = context.target.now_ns();
        }
        context.requests.push(StorageRequest { slot: number, part: 0, fd: disk.fd(), operation });
        self.in_storage += 1;
    }
}
