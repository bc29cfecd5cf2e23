//! How deep queues may become: enough for every drive to have as many requests as one alone can use, within what the kernel and memory
//! allow.
//!
//! By Little's law a rate takes rate × latency requests in flight: 10 million a second at 80 µs are 800, and 32 drives that give their
//! most at 128 each need 4096. A cap for one drive would be the figure of a large array.

/// Requests in flight for each drive: the tags of one queue pair of most NVMe drives, twice what they need for their most.
const PER_DRIVE: u32 = 256;
/// Bytes in flight for each drive.
const BYTES_PER_DRIVE: u64 = 64 << 20;
/// Bytes of buffers in all.
const MOST_BYTES: u64 = 2 << 30;
/// Requests in flight of one thread: half of the entries that io_uring gives a ring (`IORING_MAX_ENTRIES`), and the most buffers that it
/// registers.
pub(crate) const MOST_PER_THREAD: u32 = 1 << 14;

/// The deepest queue that a search tries over so many drives (none: what is not a drive of this machine).
pub fn by_drives(drives: u32) -> u32 {
    PER_DRIVE.saturating_mul(drives.max(1)).min(MOST_PER_THREAD)
}

/// Requests of that size that may be in flight on so many drives.
pub(crate) fn by_bytes(drives: u32, block_bytes: u32) -> u32 {
    let bytes = BYTES_PER_DRIVE.saturating_mul(u64::from(drives.max(1))).min(MOST_BYTES);
    u32::try_from(bytes / u64::from(block_bytes.max(1))).unwrap_or(u32::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_drives_as_many_requests_up_to_what_a_ring_takes() {
        assert_eq!([0, 1, 2, 32].map(by_drives), [256, 256, 512, 8192]);
        assert_eq!(by_drives(1000), 16_384);
        assert_eq!(by_drives(u32::MAX), 16_384);
    }

    /// The knee of drives that take 80 µs and together no more than so many a second: depth, rate, and whether it is the deepest tried.
    fn knee(deepest: u32, most_per_s: f64) -> (u32, f64, bool) {
        let mut search = narrows_engine::KneeSearch::new(deepest);
        while let Some(depth) = search.next_depth() {
            search.saw(depth, (f64::from(depth) / 80e-6).min(most_per_s));
        }
        let depth = search.chosen().unwrap();
        let rate = search.curve().iter().find(|(at, _)| *at == depth).unwrap().1;
        (depth, rate, depth == deepest)
    }

    #[test]
    fn thirty_two_drives_give_ten_million_a_second_and_a_cap_of_one_is_said() {
        assert_eq!(knee(by_drives(32), 10e6), (1024, 10e6, false));
        let (depth, rate, capped) = knee(by_drives(1), 10e6);
        assert_eq!((depth, capped), (256, true));
        assert!((rate - 3.2e6).abs() < 1.0, "a third of it");
        // One drive of a million: nothing is capped, and nothing said.
        assert_eq!(knee(by_drives(1), 1e6), (128, 1e6, false));
    }

    #[test]
    fn buffers_grow_with_the_drives_and_not_without_end() {
        assert_eq!((by_bytes(1, 1 << 20), by_bytes(32, 1 << 20)), (64, 2048));
        assert_eq!(by_bytes(1, 8192), 8192);
        assert_eq!(by_bytes(1000, 1 << 20), 2048);
        assert_eq!((by_bytes(1, 1 << 30), by_bytes(1, 0)), (1, 64 << 20));
    }
}
