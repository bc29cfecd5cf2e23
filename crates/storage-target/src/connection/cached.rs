//! Reads that the device of a cache answers: in pieces, which are held against what is known of their slots once all of them are here. Where
//! one is not what it was, the file or device behind is asked as though the cache had not had it.

use std::sync::Arc;
use std::time::Duration;

use super::slots::Step;
use super::{Connection, Context, Phase, StorageOperation, StorageRequest};
use crate::backing::DeviceHit;

/// A read that has not ended after so long is taken for one that never will.
const SILENT: Duration = Duration::from_secs(5);

impl Connection {
    /// Caches whose device does not answer are asked no more.
    pub(crate) fn look_at_cached_reads(&self, now_ns: u64) {
        for (_, slot) in self.slots.all() {
            let Step::ReadCached { begun_ns, .. } = slot.step else { continue };
            let waited = Duration::from_nanos(now_ns.saturating_sub(begun_ns));
            if waited >= SILENT
                && let Some(cache) = &slot.namespace.device_cache
            {
                cache.is_silent(SILENT);
            }
        }
    }

    /// Asks the device of a cache for the pages of a read, into the buffer that is there.
    pub(super) fn ask_cache(&mut self, number: u16, hit: DeviceHit, context: &mut Context<'_>) {
        let Some(slot) = self.slots.get(number) else { return };
        let namespace = Arc::clone(&slot.namespace);
        let (Some(cache), Some(buffer)) = (&namespace.device_cache, &slot.buffer) else { return };
        let mut memory = buffer.pointer();
        let Some(controller) =
            self.controller_of_storage.as_ref().filter(|its| its.enter_storage())
        else {
            // Nobody waits for the answer any more.
            self.phase = Phase::Ending;
            return;
        };
        // These reads change nothing, so the host's next association does not wait for them.
        controller.leave_storage();
        let begun_ns = context.target.now_ns();
        let mut left = 0;
        for (part, run) in (0..).zip(hit.runs()) {
            let operation = StorageOperation::Read { memory, bytes: run.bytes, offset: run.offset };
            context.requests.push(StorageRequest { slot: number, part, fd: cache.fd(), operation });
            memory = memory.wrapping_add(run.bytes as usize);
            self.in_storage += 1;
            left += 1;
        }
        if slot.arrived_ns > 0 {
            slot.asked_ns = begun_ns;
        }
        slot.step = Step::ReadCached { hit, left, failed: None, begun_ns };
    }

    /// A piece of such a read has ended; `result` as the kernel gives it.
    pub(super) fn cache_has_read(
        &mut self,
        number: u16,
        part: u8,
        result: i32,
        context: &mut Context<'_>,
    ) {
        let Some(slot) = self.slots.get(number) else { return };
        let Step::ReadCached { hit, left, failed, .. } = &mut slot.step else { return };
        let whole = hit.runs().nth(usize::from(part));
        if !whole.is_some_and(|run| u32::try_from(result) == Ok(run.bytes)) {
            *failed = failed.or(Some(result));
        }
        *left -= 1;
        if *left > 0 {
            return;
        }
        let read = std::mem::replace(&mut slot.step, Step::Read);
        let Step::ReadCached { hit, failed, begun_ns, .. } = read else { return };
        let now_ns = context.target.now_ns();
        if slot.arrived_ns > 0 {
            slot.storage_ns += now_ns.saturating_sub(slot.asked_ns);
        }
        let namespace = Arc::clone(&slot.namespace);
        let (Some(cache), Some(buffer)) = (&namespace.device_cache, &mut slot.buffer) else {
            return;
        };
        cache.read_took(begun_ns..now_ns);
        let read = buffer.bytes_mut(hit.bytes());
        let is_right = match failed {
            Some(result) => {
                cache.read_failed(&hit, result);
                false
            }
            None => cache.check(&hit, read),
        };
        if is_right {
            hit.trim(read);
            self.finish_slot(number, None, context);
        } else {
            self.read_backing(number, context);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backing::device_cache::tests::cache_that_is_read;
    use crate::connection::storage_answer::tests::{namespace, slot};

    #[test]
    fn a_read_that_does_not_end_turns_its_cache_off() {
        let (cache, hit, _folder) = cache_that_is_read();
        let mut namespace = Arc::into_inner(namespace()).unwrap();
        namespace.device_cache = Some(Arc::clone(&cache));
        let begun_ns = 7;
        let step = Step::ReadCached { hit, left: 1, failed: None, begun_ns };
        let mut connection = Connection::new("127.0.0.1:4420".parse().unwrap());
        connection.slots.insert(slot(&Arc::new(namespace), step, false));
        let silent_ns = SILENT.as_nanos() as u64;
        connection.look_at_cached_reads(begun_ns + silent_ns - 1);
        assert_eq!(cache.off(), None);
        connection.look_at_cached_reads(begun_ns + silent_ns);
        assert!(cache.off().unwrap().to_string().starts_with("silent: "));
        assert!(cache.hit(0, 4096).is_none());
    }
}
