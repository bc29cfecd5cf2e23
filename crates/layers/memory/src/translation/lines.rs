//! The walk: loads that depend on each other, in an order that is computed and not stored, so that where it ends proves that all were made.

use std::marker::PhantomData;
use std::time::{Duration, Instant};

use narrows_engine::Stop;
use narrows_facts::process;

use super::aliased_pool::AliasedPool;
use crate::chase::LINE;
use crate::mapping::{BASE, HUGE, MapError, Mapping, Pages};

/// One sample.
pub(super) const SAMPLE: Duration = Duration::from_millis(10);
/// The generator: Knuth's MMIX multiplier, odd increment.
const MULTIPLIER: u64 = 6_364_136_223_846_793_005;
const INCREMENT: u64 = 1_442_695_040_888_963_407;
/// The word that is everywhere in the file.
pub(super) const WORD: u64 = 0x6e61_7272_6f77_7301;

/// Lines that are read, one in each of so many equal pieces of addresses.
pub(super) struct Lines<'a> {
    at: *const u8,
    /// Logarithm of the number of pieces.
    pub(super) pieces_log2: u32,
    /// Logarithm of the bytes of a piece.
    piece_log2: u32,
    /// In neighbouring pieces it is another line, up to so many: at one place of each page they would share a few sets of a cache.
    places: u64,
    /// What has to stay mapped.
    _memory: PhantomData<&'a ()>,
}

impl<'a> Lines<'a> {
    /// Of each page of the first `bytes` of a pool.
    pub(super) fn of_pool(pool: &'a AliasedPool, bytes: u64) -> Lines<'a> {
        assert!(
            bytes <= pool.populated && bytes.is_power_of_two(),
            "only what can be read is read"
        );
        Lines {
            at: pool.first(),
            pieces_log2: (bytes / pool.page_bytes).ilog2(),
            piece_log2: pool.page_bytes.ilog2(),
            places: BASE / LINE as u64,
            _memory: PhantomData,
        }
    }

    /// ns a load, and whether they ended where they should and no page was entered meanwhile.
    pub(super) fn sample(&self, state: &mut u64, steps: &mut u64) -> (f64, bool) {
        loop {
            let from = *state;
            let before = faults();
            let (cpu_ns, began) = (process::thread_cpu_ns(), Instant::now());
            // SAFETY: whoever made these lines has them mapped, readable and populated for as long.
            *state = unsafe { follow(self, from, *steps) };
            let cpu_ns = process::thread_cpu_ns() - cpu_ns;
            let right = *state == jump(from, *steps) && faults() - before <= FEW_FAULTS;
            if began.elapsed() >= SAMPLE / 2 || !right {
                return (cpu_ns as f64 / *steps as f64, right);
            }
            *steps *= 2;
        }
    }
}

/// Pages of the program's own that a sample may meet for the first time.
const FEW_FAULTS: i64 = 16;

/// Pages that the kernel entered for this thread so far.
fn faults() -> i64 {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: `usage` is valid for writing one rusage, and all-zero bytes are one.
    unsafe {
        libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr());
        usage.assume_init().ru_minflt
    }
}

/// The loads. The number of a piece is the state's highest bits, which have the longest periods.
///
/// # Safety
/// All lines are readable.
#[inline(never)]
pub(super) unsafe fn follow(lines: &Lines<'_>, mut state: u64, steps: u64) -> u64 {
    let (at, shift, piece_log2) = (lines.at, 64 - lines.pieces_log2, lines.piece_log2);
    let mask = lines.places - 1;
    for _ in 0..steps {
        let piece = state >> shift;
        let offset = (piece << piece_log2) | ((piece & mask) * LINE as u64);
        // SAFETY: the caller's promise; the line lies in its piece.
        let word = unsafe { std::ptr::read_volatile(at.add(offset as usize).cast::<u64>()) };
        state = state.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT).wrapping_add(word);
    }
    state
}

/// As many lines next to each other on one large page (where there is none, on as few pages as they fill).
pub(super) struct OnePage(Mapping);

impl OnePage {
    pub(super) fn new(stop: &Stop) -> Result<OnePage, MapError> {
        let mut mapping = Mapping::new(HUGE, Pages::Any, None, stop)?;
        mapping.words_mut().fill(WORD);
        Ok(OnePage(mapping))
    }

    /// `count` lines, a power of two, or as many as the page has.
    pub(super) fn lines(&self, count: u64) -> Lines<'_> {
        let count = count.clamp(64, self.0.len() as u64 / LINE as u64);
        Lines {
            at: self.0.as_ptr(),
            pieces_log2: count.ilog2(),
            piece_log2: LINE.ilog2(),
            places: 1,
            _memory: PhantomData,
        }
    }
}

/// Where the generator is after so many steps, by squaring: `x → a x + c` twice is `a² x + (a + 1) c`.
pub(super) fn jump(state: u64, steps: u64) -> u64 {
    let (mut a, mut c) = (MULTIPLIER, INCREMENT.wrapping_add(WORD));
    let (mut times, mut add, mut left) = (1u64, 0u64, steps);
    while left > 0 {
        if left & 1 == 1 {
            times = times.wrapping_mul(a);
            add = add.wrapping_mul(a).wrapping_add(c);
        }
        c = c.wrapping_mul(a.wrapping_add(1));
        a = a.wrapping_mul(a);
        left >>= 1;
    }
    state.wrapping_mul(times).wrapping_add(add)
}

#[cfg(test)]
mod tests {
    use super::super::LEAST;
    use super::*;

    #[test]
    fn jumping_is_walking() {
        let mut state = 42u64;
        for steps in 0..200 {
            assert_eq!(jump(42, steps), state, "{steps} steps");
            state = state.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT).wrapping_add(WORD);
        }
        assert_eq!(jump(jump(7, 1 << 33), 5), jump(7, (1 << 33) + 5));
    }

    #[test]
    fn a_wrong_word_ends_elsewhere() {
        let mut page = OnePage::new(&Stop::new()).unwrap();
        // SAFETY: the page lives.
        let walk = |page: &OnePage| unsafe { follow(&page.lines(64), 5, 4096) };
        assert_eq!(walk(&page), jump(5, 4096));
        page.0.words_mut().fill(WORD ^ 1);
        assert_ne!(walk(&page), jump(5, 4096));
    }

    #[test]
    fn a_walk_over_an_aliased_pool_reads_the_file_and_its_tables_are_as_large_as_a_pools() {
        let stop = Stop::new();
        let mut pool = match AliasedPool::new(Pages::Base, LEAST) {
            Ok(pool) => pool,
            Err(refused) => return eprintln!("SKIPPED: {refused}"),
        };
        pool.grow(LEAST, &stop).unwrap();
        // 32 MiB of memory show as 256 MiB, on tables of half a MiB.
        pool.verify().unwrap();
        let lines = Lines::of_pool(&pool, LEAST);
        // SAFETY: populated above.
        let end = unsafe { follow(&lines, 9, 10_000) };
        assert_eq!(end, jump(9, 10_000));
        assert_ne!(end, jump(9, 9_999), "a load left out ends elsewhere");
    }
}
