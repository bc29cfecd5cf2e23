//! What files and devices did for a command, and what follows from it.

use std::sync::atomic::Ordering;

use narrows_nvme::Status;
use narrows_nvme::command::IoCommand;

use super::respond::{Payload, Timing, service_time};
use super::slots::{Slot, Step};
use super::zero::zeros_at;
use super::{Connection, Context, StorageOperation};
use crate::backing::logged::lay_over;

impl Connection {
    /// The storage did what it was asked; `result` as the kernel gives it.
    pub(crate) fn storage_done(
        &mut self,
        number: u16,
        part: u8,
        result: i32,
        context: &mut Context<'_>,
    ) {
        self.in_storage -= 1;
        let slot = self.slots.get(number);
        let cached = slot.is_some_and(|slot| matches!(slot.step, Step::ReadCached { .. }));
        if let Some(controller) = self.controller_of_storage.as_ref().filter(|_| !cached) {
            controller.leave_storage();
        }
        let Some(slot) = self.slots.get(number) else { return };
        match slot.step {
            Step::Log { .. } => return self.log_written(number, part, result, context),
            Step::ReadCached { .. } => {
                return self.cache_has_read(number, part, result, context);
            }
            _ => {}
        }
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
        let mut slot = self.slots.remove(number);
        if let (Some(read), false) = (&mut slot.buffer, slot.overlay.is_empty()) {
            lay_over(&slot.overlay, read.bytes_mut(slot.bytes as usize));
        }
        // What stays is what the host reads: the backing, with what a log holds laid over it.
        slot.settle_cache(failed.is_none());
        let Slot { entry, namespace, step, buffer, bytes, arrived_ns, storage_ns, .. } = slot;
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

/// The status of a Compare.
pub(super) fn compared(equal: bool) -> Status {
    if equal { Status::SUCCESS } else { Status::COMPARE_FAILURE.for_good() }
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

/// What a result says of a command that is over, if it failed.
fn failure_of(slot: &Slot, result: i32) -> Option<Status> {
    let lost_writes = &slot.namespace.lost_writes;
    let syncs = matches!(slot.step, Step::Sync)
        || (matches!(slot.step, Step::Write) && IoCommand::parse(&slot.entry).is_durable());
    let reads = matches!(slot.step, Step::Read | Step::Compare { .. });
    let moves = reads || matches!(slot.step, Step::Write | Step::ZeroByWriting { .. });
    // Blocks that the storage can't be asked for at all were not lost.
    if syncs && result < 0 && -result != libc::EINVAL {
        // The kernel tells of a lost write once, to the first who asks; hosts that ask later must hear it, too.
        lost_writes.store(true, Ordering::Release);
        // The backing may have older data than the cache now, and what is read is what it has.
        slot.namespace.clear_caches();
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

#[cfg(test)]
pub(super) mod tests {
    use std::sync::Arc;

    use narrows_nvme::DataPointer;
    use narrows_nvme::command::Extent;

    use super::*;
    use crate::backing::open;
    use crate::namespace::Namespace;
    use crate::spec::namespace_of;

    pub(crate) fn slot(namespace: &Arc<Namespace>, step: Step, durable: bool) -> Slot {
        let extent = Extent { first_block: 0, blocks_less_one: 0, force_unit_access: durable };
        Slot {
            entry: IoCommand::Write(extent).to_entry(1, 1, DataPointer::NONE),
            namespace: Arc::clone(namespace),
            step,
            reads: false,
            damaged: false,
            done: 0,
            buffer: None,
            overlay: Vec::new(),
            cache_read: None,
            device_cache_read: None,
            cache_write: None,
            bytes: 512,
            offset: 0,
            arrived_ns: 0,
            asked_ns: 0,
            storage_ns: 0,
        }
    }

    pub(crate) fn namespace() -> Arc<Namespace> {
        let spec = namespace_of("null").unwrap();
        let nqn = "nqn.2026-11.org.example:a".parse().unwrap();
        Arc::new(Namespace::new(1, &nqn, &spec, open(&spec).unwrap()))
    }

    #[test]
    fn a_flush_that_failed_fails_for_good_whatever_the_reason() {
        for (step, durable, error) in [
            (Step::Sync, false, libc::EIO),
            (Step::Sync, false, libc::ENOSPC),
            (Step::Write, true, libc::EIO),
        ] {
            let namespace = namespace();
            assert!(failure_of(&slot(&namespace, step, durable), -error).is_some());
            assert!(failure_of(&slot(&namespace, Step::Sync, false), 0).is_some());
            assert!(failure_of(&slot(&namespace, Step::Write, true), 512).is_some());
            // What promises nothing isn't held back.
            assert!(failure_of(&slot(&namespace, Step::Write, false), 512).is_none());
        }
    }

    #[test]
    fn a_flush_that_failed_leaves_nothing_in_the_cache() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("disk");
        std::fs::write(&file, [0; 8192]).unwrap();
        let spec = namespace_of(&format!("{},cache=ram:1MiB", file.display())).unwrap();
        let nqn = "nqn.2026-11.org.example:a".parse().unwrap();
        let namespace = Arc::new(Namespace::new(1, &nqn, &spec, open(&spec).unwrap()));
        let cache = namespace.cache.as_ref().unwrap();
        for (step, result, stays) in [
            (Step::Write, -libc::EIO, true),
            (Step::Sync, 0, true),
            (Step::Sync, -libc::EIO, false),
        ] {
            if cache.hit(0, 4096).is_none() {
                let read = cache.begin_read(0, 4096).unwrap();
                cache.fill(read, 0, &[5; 4096]);
            }
            failure_of(&slot(&namespace, step, false), result);
            assert_eq!(cache.hit(0, 4096).is_some(), stays);
        }
    }

    #[test]
    fn what_can_not_be_asked_for_or_promises_nothing_spoils_no_later_flush() {
        let namespace = namespace();
        for (step, durable, error, expected) in [
            (Step::Write, true, libc::EINVAL, Status::WRITE_FAULT),
            (Step::Write, false, libc::EIO, Status::WRITE_FAULT),
            (Step::Write, false, libc::ENOSPC, Status::CAPACITY_EXCEEDED),
            (Step::Read, false, libc::EIO, Status::READ_ERROR),
            // A write that wrote nothing.
            (Step::ZeroByWriting { done: 0, durable: false }, false, 0, Status::WRITE_FAULT),
        ] {
            let failed = failure_of(&slot(&namespace, step, durable), -error);
            assert_eq!(failed, Some(expected.for_good()));
        }
        assert_eq!(failure_of(&slot(&namespace, Step::Sync, false), 0), None);
        let hint = slot(&namespace, Step::Deallocate { done: 1, ranges: 1 }, false);
        assert_eq!(failure_of(&hint, -libc::EOPNOTSUPP), None);
    }
}
