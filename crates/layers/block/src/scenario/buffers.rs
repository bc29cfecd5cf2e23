//! What the threads of a scenario map: buffers, stacks, rings. Where the process's addresses are limited (`RLIMIT_AS`) it is compared
//! with what is left, because a small allocation that fails later ends a program without a word.

use narrows_facts::AddressSpace;
use narrows_io::Arena;

use super::{AccessPattern, Scenario, Stream};
use crate::BlockError;

/// Payload that lies between two uses of a write buffer, all threads of a stream together, bytes.
const POOL_BYTES: u64 = 64 << 20;
/// Of a thread: its stack as Rust's library asks for it (2 MiB), and rings, tallies and the kernel's guard pages beside it.
const THREAD_BYTES: u64 = (2 << 20) + (256 << 10);
/// Kept for everything else until the run is over: figures of windows, the run file, the report.
const RESERVE_BYTES: u64 = 32 << 20;

/// Buffers of one thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slots {
    /// Of what doesn't write.
    pub(crate) read: u32,
    /// Of writes.
    pub(crate) write: u32,
    /// Size of each, bytes.
    pub(crate) bytes: u32,
}

impl Stream {
    /// Reads would spoil the payload that writes carry, so they have slots of their own; a sync takes one too.
    pub(crate) fn slots_of(&self, thread: u32) -> Slots {
        let depth = self.depth_of(thread);
        let bytes = self.sizes.largest_moved(&self.mix).max(1);
        let write = if self.mix.write == 0 {
            0
        } else if self.verify.is_some() {
            // Each write makes its block anew.
            depth
        } else {
            let pool = POOL_BYTES / u64::from(self.threads) / u64::from(bytes);
            (pool as u32).max(2 * depth)
        };
        // Reads would spoil the payload that writes carry, so they have slots of their own; a sync takes one too.
        let reads_back = self.verify.as_ref().is_some_and(|verify| verify.backlog.is_some());
        let syncs = matches!(&self.place, AccessPattern::Recorded(record) if record.syncs());
        let others = syncs || self.mix.read > 0 || self.mix.trim > 0 || reads_back;
        let read = if others { depth } else { u32::from(self.sync_after.is_some()) };
        Slots { read, write, bytes }
    }

    /// Addresses that its threads take, bytes.
    fn mapped_bytes(&self) -> u64 {
        let alignment = self.region.target().memory_alignment();
        let of_thread = |thread| {
            let Slots { read, write, bytes } = self.slots_of(thread);
            THREAD_BYTES + Arena::mapped_bytes(read + write, bytes, alignment)
        };
        (0..self.threads).map(of_thread).sum()
    }
}

impl Scenario {
    /// Whether its threads fit in `space`.
    ///
    /// # Errors
    /// [`BlockError::Addresses`] where they don't.
    pub(crate) fn check_addresses(&self, space: Option<AddressSpace>) -> Result<(), BlockError> {
        let Some(space) = space else { return Ok(()) };
        let wanted_bytes =
            self.streams.iter().map(Stream::mapped_bytes).sum::<u64>() + RESERVE_BYTES;
        if wanted_bytes <= space.free_bytes() {
            return Ok(());
        }
        let threads = self.streams.iter().map(|stream| stream.threads).sum();
        Err(BlockError::Addresses { threads, wanted_bytes, space })
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::Duration;

    use narrows_io::{Access, Target};

    use super::*;
    use crate::scenario::{Mix, Region};

    /// Readers of 8 KiB at depth 256, a thread each.
    fn scenario(streams: usize, mix: Mix) -> Scenario {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        File::create(&path).unwrap().set_len(1 << 20).unwrap();
        let region = Region::from(Target::open_read(&path, false).unwrap());
        let stream = |number: usize| Stream {
            mix,
            ..Stream::reads(&format!("s{number}"), region.clone(), 8192, 256, Access::null())
        };
        let mut scenario = Scenario::of(stream(0), Duration::ZERO, Duration::from_secs(1), 3);
        scenario.streams.extend((1..streams).map(stream));
        scenario
    }

    #[test]
    fn what_fits_to_the_byte_is_run_and_a_byte_less_is_an_error_with_its_numbers() {
        let four = scenario(4, Mix::only(narrows_io::Op::Read));
        // 256 slots of 8 KiB and the alignment to large pages.
        let wanted_bytes = 4 * (THREAD_BYTES + (4 << 20)) + RESERVE_BYTES;
        let space = |free: u64| AddressSpace { limit_bytes: free + 1000, mapped_bytes: 1000 };
        assert!(four.check_addresses(None).is_ok());
        assert!(four.check_addresses(Some(space(wanted_bytes))).is_ok());
        let error = four.check_addresses(Some(space(wanted_bytes - 1))).unwrap_err();
        let BlockError::Addresses { threads, wanted_bytes: told, .. } = error else {
            panic!("{error}")
        };
        assert_eq!((threads, told), (4, wanted_bytes));
        let text = four.check_addresses(Some(space(40_000_000))).unwrap_err().to_string();
        for part in ["4 threads", "59.8 MB", "(RLIMIT_AS) 40.0 MB are left", "\nhint: raise"] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn writers_have_a_pool_each() {
        let one = scenario(1, Mix { write: 1, ..Mix::only(narrows_io::Op::Read) });
        let slots = one.streams[0].slots_of(0);
        assert_eq!(slots, Slots { read: 256, write: (POOL_BYTES / 8192) as u32, bytes: 8192 });
        let only = scenario(1, Mix::only(narrows_io::Op::Write));
        assert_eq!(only.streams[0].slots_of(0).read, 0);
    }
}
