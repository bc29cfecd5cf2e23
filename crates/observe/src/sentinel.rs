//! A fixed piece of work whose time tells whether the processor is what it was before.

use std::hint::black_box;
use std::time::Instant;

use narrows_units::Nanos;

/// About 2 ms at 3 GHz: long against a clock read, short enough to be repeated around every measurement.
const ROUNDS: u32 = 1_000_000;
const TRIES: u32 = 3;

/// Time of a fixed piece of integer work on the calling thread, best of three, so that one interruption does not
/// count while a lower clock, a busy sibling thread or stolen time does. Compare two of them from the same thread
/// on the same processor; the absolute value says nothing.
pub fn sentinel() -> Nanos {
    (0..TRIES).map(|_| once()).min_by_key(|time| time.0).unwrap_or_default()
}

fn once() -> Nanos {
    let start = Instant::now();
    // A chain of dependent multiplications: nothing to overlap, nothing in memory, one clock cycle count per round
    // whatever else the core could do.
    let mut state = black_box(0x9E37_79B9_7F4A_7C15_u64);
    for _ in 0..ROUNDS {
        state = (state ^ (state >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    }
    black_box(state);
    start.elapsed().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_is_really_done() {
        // A million rounds of at least three cycles cannot end in less than 100 µs on any processor; a loop that was
        // optimised away would.
        assert!(sentinel().0 > 100_000, "{:?}", sentinel());
    }
}
