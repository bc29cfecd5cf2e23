//! A fixed piece of work whose time tells whether the processor is what it was before.

use std::hint::black_box;
use std::time::Instant;

use narrows_facts::affinity;
use narrows_units::Nanos;

/// About 2 ms at 3 GHz: long against a clock read, short enough to be repeated around every measurement.
const ROUNDS: u32 = 1_000_000;
/// So many tries in a row that were no faster end it.
const IN_VAIN: u32 = 2;
/// A processor that was idle comes to its clock within some ten milliseconds.
const MOST_TRIES: u32 = 12;
/// Faster by less than one in a hundred is no faster.
const FASTER: u64 = 100;

/// Time of a fixed piece of integer work on the calling thread, the best of several tries, so that one interruption does not
/// count while a lower clock, a busy sibling thread or stolen time does. Tries go on while the processor is still raising its clock.
/// Compare two of them from the same processor ([`sentinel_on`]); the absolute value says nothing.
pub fn sentinel() -> Nanos {
    Nanos(best(|| once().0))
}

/// The same on that processor; on the calling thread where it can't be had.
pub fn sentinel_on(cpu: Option<u32>) -> Nanos {
    let Some(cpu) = cpu else { return sentinel() };
    let on_it = std::thread::scope(|scope| {
        scope.spawn(|| affinity::pin(&[cpu]).is_ok().then(sentinel)).join().ok().flatten()
    });
    on_it.unwrap_or_else(sentinel)
}

fn best(mut once: impl FnMut() -> u64) -> u64 {
    let (mut best, mut in_vain) = (once(), 0);
    for _ in 1..MOST_TRIES {
        let time = once();
        in_vain = if time < best - best / FASTER { 0 } else { in_vain + 1 };
        best = best.min(time);
        if in_vain == IN_VAIN {
            break;
        }
    }
    best
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

    #[test]
    fn a_clock_that_is_still_rising_is_waited_for_and_an_interruption_is_not_counted() {
        let of = |times: &[u64]| {
            let mut left = times.iter().copied();
            let mut tries = 0;
            let best = best(|| {
                tries += 1;
                left.next().unwrap_or(u64::MAX)
            });
            (best, tries)
        };
        // Idle before: the best of the first three would be 50 % above what it is after the window.
        assert_eq!(of(&[4000, 3500, 3000, 2500, 2100, 2000, 2000, 2000]), (2000, 8));
        assert_eq!(of(&[2000, 9000, 2001]), (2000, 3));
        assert_eq!(
            of(&[2010, 2000, 2005]),
            (2000, 3),
            "no longer than before on a steady processor"
        );
        // One that never settles is given up.
        let falling: Vec<u64> = (0..40).map(|n| 9000 - 200 * n).collect();
        assert_eq!(of(&falling).1, MOST_TRIES as usize);
    }

    #[test]
    fn it_runs_where_it_is_told_and_leaves_the_caller_where_it_was() {
        let before = affinity::current();
        let cpu = *before.last().unwrap();
        assert!(sentinel_on(Some(cpu)).0 > 100_000);
        // A processor that is not there.
        assert!(sentinel_on(Some(100_000)).0 > 100_000);
        assert_eq!(affinity::current(), before);
    }
}
