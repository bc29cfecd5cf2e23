//! Writes to a namespace with a log in front: into the log, to its media, and answered when they are durable.

use std::sync::Arc;

use narrows_log_tier::{Action, Change};
use narrows_nvme::Status;
use narrows_nvme::command::IoCommand;

use super::execute::Arrived;
use super::respond::Timing;
use super::slots::{Slot, Step};
use super::{Connection, Context, Phase, StorageOperation, StorageRequest};
use crate::backing::Backing;
use crate::backing::logged::{Appended, LoggedDisk, News, Outcome};
use crate::buffer::Buffer;
use crate::reservation::Use;

impl Connection {
    /// Logs a write or Write Zeroes whose data came with it.
    pub(super) fn log_change(&mut self, arrived: Arrived, data: &[u8], context: &mut Context<'_>) {
        let number = self.slots.insert(arrived.slot(Step::LogRoom, None));
        if self.try_log(number, data, false, context) && !data.is_empty() {
            let mut buffer = context.pool.take_anyway(data.len());
            buffer.bytes_mut(data.len()).copy_from_slice(data);
            self.keep_for_log(number, buffer);
        }
    }

    /// Logs a write whose data came by R2T.
    pub(super) fn log_buffer(
        &mut self,
        arrived: Arrived,
        buffer: Buffer,
        context: &mut Context<'_>,
    ) {
        let bytes = arrived.bytes as usize;
        let number = self.slots.insert(arrived.slot(Step::LogRoom, None));
        if self.try_log(number, buffer.bytes(bytes), false, context) {
            self.keep_for_log(number, buffer);
        } else {
            context.pool.give(buffer);
        }
    }

    fn keep_for_log(&mut self, number: u16, buffer: Buffer) {
        if let Some(slot) = self.slots.get(number) {
            slot.buffer = Some(buffer);
        }
    }

    /// Appends a command's change; whether it has to wait for room, and so for its data to be kept.
    fn try_log(
        &mut self,
        number: u16,
        data: &[u8],
        woken: bool,
        context: &mut Context<'_>,
    ) -> bool {
        let Some(slot) = self.slots.get(number) else { return false };
        let namespace = Arc::clone(&slot.namespace);
        let Backing::Logged(disk) = &namespace.backing else {
            unreachable!("only what has a log is logged");
        };
        let (action, bytes) = match IoCommand::parse(&slot.entry) {
            IoCommand::WriteZeroes { deallocate: true, .. } => {
                (Action::Deallocate, slot.zeroed_bytes())
            }
            IoCommand::WriteZeroes { .. } => (Action::Zero, slot.zeroed_bytes()),
            _ => (Action::Write, u64::from(slot.bytes)),
        };
        let change = Change { action, offset: slot.offset, bytes, data };
        let Some(controller) = self.controller_of_storage.clone() else { return false };
        if !controller.enter_storage() {
            // Nobody waits for the answer any more.
            self.phase = Phase::Ending;
            self.slots.remove(number);
            return false;
        }
        // From here on the pages are no hits. What the log takes is read at once, so the cache has it as soon as the log has.
        let cached = namespace.begins([(change.offset, bytes)]);
        let outcome = disk.append(&change, context.waiter(number), woken);
        match (&outcome, cached) {
            (Outcome::Waits | Outcome::Failed, Some(cached)) => cached.withdraw(),
            (Outcome::Appended(_), Some(cached)) if action == Action::Write => {
                cached.written(change.offset, data);
            }
            // Pages that are zeros now leave.
            _ => {}
        }
        let waits = match outcome {
            Outcome::Appended(appended) => {
                self.write_media(number, disk, &appended, data, context);
                false
            }
            Outcome::Waits => true,
            Outcome::Failed => {
                self.finish_slot(number, Some(Status::WRITE_FAULT.for_good()), context);
                false
            }
        };
        controller.leave_storage();
        waits
    }

    /// Asks for the writes of a record to each medium, hands it to the threads of peers, and does the writes to persistent memory. They are done whatever becomes of the host: the
    /// log waits for them.
    fn write_media(
        &mut self,
        number: u16,
        disk: &LoggedDisk,
        appended: &Appended,
        data: &[u8],
        context: &mut Context<'_>,
    ) {
        let (memory, bytes, offset) = disk.write_of(appended);
        let Some(slot) = self.slots.get(number) else { return };
        if slot.arrived_ns > 0 {
            slot.asked_ns = context.target.now_ns();
        }
        let members = || disk.media().iter().filter(|(part, _)| appended.media >> *part & 1 == 1);
        let writes = members().filter(|(_, medium)| medium.fd().is_some()).count() as u8;
        slot.step = Step::Log { seq: appended.seq, bytes, writes, answered: false };
        for (part, fd) in members().filter_map(|(part, medium)| Some((part, medium.fd()?))) {
            if let Some(controller) = &self.controller_of_storage {
                controller.stay_in_storage();
            }
            let operation = StorageOperation::Write { memory, bytes, offset, durable: true };
            context.requests.push(StorageRequest { slot: number, part: *part, fd, operation });
            self.in_storage += 1;
        }
        for (part, _) in members().filter(|(_, medium)| medium.peer().is_some()) {
            disk.hand_over(appended, *part);
        }
        let mut news = None;
        for (part, _) in members().filter(|(_, medium)| medium.is_mapped()) {
            news = news.or(disk.persist(appended, *part, data));
        }
        // Once all of them are written: the answer may be the command's end.
        if let Some(news) = news {
            self.answer_log(number, news, context);
        }
    }

    /// A medium did what it was asked for a record.
    pub(super) fn log_written(
        &mut self,
        number: u16,
        medium: u8,
        result: i32,
        context: &mut Context<'_>,
    ) {
        let Some(slot) = self.slots.get(number) else { return };
        let Step::Log { seq, bytes, writes, .. } = &mut slot.step else { return };
        *writes -= 1;
        let (seq, whole) = (*seq, u32::try_from(result) == Ok(*bytes));
        let Backing::Logged(disk) = &slot.namespace.backing else { return };
        let news = disk.written(seq, medium, whole);
        match news {
            Some(news) => self.answer_log(number, news, context),
            None => self.let_go_of_log(number),
        }
    }

    /// News for a command that waited for a log.
    pub(crate) fn log_news(&mut self, number: u16, news: News, context: &mut Context<'_>) {
        let Some(slot) = self.slots.get(number) else { return };
        match (&slot.step, news) {
            (Step::LogRoom, News::Room) => {
                if let Some(status) = self.no_longer_may(number) {
                    return self.finish_slot(number, Some(status), context);
                }
                let Some(slot) = self.slots.get(number) else { return };
                let (buffer, bytes) = (slot.buffer.take(), slot.bytes as usize);
                match buffer {
                    Some(buffer) if self.try_log(number, buffer.bytes(bytes), true, context) => {
                        self.keep_for_log(number, buffer);
                    }
                    Some(buffer) => context.pool.give(buffer),
                    None => {
                        self.try_log(number, &[], true, context);
                    }
                }
            }
            (Step::LogRoom, _) => {
                self.finish_slot(number, Some(Status::WRITE_FAULT.for_good()), context);
            }
            (Step::Log { .. }, news) => self.answer_log(number, news, context),
            _ => {}
        }
    }

    /// Why a command that waited may no longer change blocks: its host was preempted, or disabled its controller, meanwhile.
    fn no_longer_may(&mut self, number: u16) -> Option<Status> {
        let queue = self.queue.as_ref()?;
        let (host, ended) = (queue.registrant, queue.epoch != queue.controller.epoch());
        let slot = self.slots.get(number)?;
        if ended {
            return Some(Status::ABORT_REQUESTED.for_good());
        }
        let allowed = slot.namespace.reservations.allow(host, Use::Write);
        (!allowed).then(|| Status::RESERVATION_CONFLICT.for_good())
    }

    fn answer_log(&mut self, number: u16, news: News, context: &mut Context<'_>) {
        let Some(slot) = self.slots.get(number) else { return };
        let Step::Log { answered, .. } = &mut slot.step else { return };
        if std::mem::replace(answered, true) {
            return;
        }
        if slot.asked_ns > 0 {
            slot.storage_ns = context.target.now_ns().saturating_sub(slot.asked_ns);
        }
        let Slot { entry, arrived_ns, storage_ns, .. } = *slot;
        let status = if news == News::Durable {
            Status::SUCCESS
        } else {
            slot.namespace.counters.errors.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            Status::WRITE_FAULT.for_good()
        };
        self.slots.count_out();
        self.let_go_of_log(number);
        self.complete_io(&entry, status, Timing { arrived_ns, storage_ns }, context);
    }

    /// Frees the place of a command that was answered and that no medium is still being given.
    fn let_go_of_log(&mut self, number: u16) {
        let Some(slot) = self.slots.get(number) else { return };
        if matches!(slot.step, Step::Log { writes: 0, answered: true, .. }) {
            self.slots.remove_counted_out(number);
        }
    }

    /// Whether a command waits for a log.
    pub(super) fn waits_for_log(&self) -> bool {
        self.slots
            .all()
            .any(|(_, slot)| matches!(slot.step, Step::LogRoom | Step::Log { answered: false, .. }))
    }
}
