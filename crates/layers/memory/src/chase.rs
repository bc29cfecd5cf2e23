//! Dependent loads: each line holds the address of the next, so a load can't start before the last one ended.

use std::time::Instant;

use narrows_engine::{Stop, Stopped};
use narrows_facts::process;

use crate::mapping::{HUGE, MapError, Mapping, Pages};

/// Distance of two nodes, bytes: one cache line of every x86-64 and most aarch64 processors. Where adjacent lines
/// are fetched in pairs, the neighbour comes too early to be of use: its turn is at a random later time.
pub const LINE: usize = 64;
/// Loads per turn of the inner loop.
const UNROLLED: u64 = 8;
/// Walked at least before what is walked counts, bytes.
const LEAST_DISPLACED: u64 = 32 << 20;
/// Lines linked between two looks at the stop token.
const PIECE: usize = 1 << 17;

/// The lines of a mapping, linked to a cycle.
#[derive(Debug)]
pub struct Chain {
    mapping: Mapping,
    lines: usize,
}

#[repr(C)]
struct Link {
    next: *const Link,
}

impl Chain {
    /// Takes the mapping; its lines are linked by one of the following functions before they are walked.
    pub fn new(mapping: Mapping) -> Self {
        let lines = mapping.len() / LINE;
        Chain { mapping, lines }
    }

    /// The memory underneath.
    pub fn mapping(&self) -> &Mapping {
        &self.mapping
    }

    /// Number of lines that are linked.
    pub fn lines(&self) -> usize {
        self.lines
    }

    /// Links line `i` to line `next[i]`: all lines of the mapping, or as many as `next` has from its begin.
    pub fn link(&mut self, next: &[u32], stop: &Stop) -> Result<(), Stopped> {
        assert!(next.len() <= self.mapping.len() / LINE, "no more successors than lines");
        self.lines = next.len();
        self.link_by(|line| next[line] as usize, stop)
    }

    /// Links every line to the one behind it: what a prefetcher is made for.
    pub fn link_in_order(&mut self, stop: &Stop) -> Result<(), Stopped> {
        let lines = self.lines;
        self.link_by(|line| if line + 1 == lines { 0 } else { line + 1 }, stop)
    }

    fn link_by(&mut self, successor: impl Fn(usize) -> usize, stop: &Stop) -> Result<(), Stopped> {
        for line in 0..self.lines {
            if line.is_multiple_of(PIECE) {
                stop.check()?;
            }
            let next = self.at(successor(line));
            // SAFETY: `at` checks its argument, so both addresses lie in the mapping; `&mut self` excludes others.
            unsafe { self.at(line).cast_mut().write(Link { next }) };
        }
        Ok(())
    }

    fn at(&self, line: usize) -> *const Link {
        assert!(line < self.lines);
        self.mapping.as_ptr().wrapping_add(line * LINE).cast()
    }

    /// Makes sure that the caches don't hold what the linking left there. Gives the line reached.
    ///
    /// A chain beyond all caches is swept out by other memory, as much as they hold if that may be taken (`spare_bytes`), which is read twice; then 32 MiB are walked, for the
    /// address translation. A smaller one, or where there is no other memory, is walked for as long as twice what the caches hold, at
    /// most once around: it belongs into a cache, as the walk leaves it there.
    pub fn displace(
        &self,
        cache_bytes: Option<u64>,
        spare_bytes: u64,
        stop: &Stop,
    ) -> Result<u32, Stopped> {
        let held = cache_bytes.unwrap_or(0);
        let beyond = (self.lines * LINE) as u64 >= 2 * held && held > LEAST_DISPLACED;
        let swept = beyond && held <= spare_bytes && sweep(held, stop)?;
        let wanted = if swept { LEAST_DISPLACED } else { (2 * held).max(LEAST_DISPLACED) };
        let wanted = wanted / LINE as u64;
        let (mut at, mut left) = (0, wanted.min(self.lines as u64));
        while left > 0 {
            stop.check()?;
            let walked = self.walk(at, left.min(PIECE as u64));
            at = walked.line;
            left = left.saturating_sub(walked.steps);
        }
        Ok(at)
    }

    /// Follows `steps` links (rounded up to whole turns of the loop) from line `from`; gives the line reached, the
    /// steps taken and the times. The clock is read outside the loop.
    pub fn walk(&self, from: u32, steps: u64) -> Walked {
        let turns = steps.div_ceil(UNROLLED);
        let start = self.at(from as usize);
        let cpu_before_ns = process::thread_cpu_ns();
        let began = Instant::now();
        // SAFETY: every line was linked to another line of the same mapping.
        let end = unsafe { follow(start, turns) };
        let elapsed_ns = began.elapsed().as_nanos() as u64;
        let cpu_ns = process::thread_cpu_ns() - cpu_before_ns;
        let bytes = end.addr() - self.mapping.as_ptr().addr();
        Walked { line: (bytes / LINE) as u32, steps: turns * UNROLLED, elapsed_ns, cpu_ns }
    }
}

/// Where a walk ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Walked {
    /// The line reached.
    pub line: u32,
    /// Links followed.
    pub steps: u64,
    /// How long it took, ns.
    pub elapsed_ns: u64,
    /// How long the thread was on its processor for it, ns.
    pub cpu_ns: u64,
}

/// Reads so many bytes of fresh memory twice; whether there is as much.
fn sweep(bytes: u64, stop: &Stop) -> Result<bool, Stopped> {
    let other = match Mapping::new(bytes.next_multiple_of(HUGE), Pages::Any, None, stop) {
        Ok(other) => other,
        Err(MapError::Stopped(stopped)) => return Err(stopped),
        Err(_) => return Ok(false),
    };
    for _ in 0..2 {
        stop.check()?;
        // A word of each line brings all of it.
        let sum = other.words().iter().step_by(LINE / 8).fold(0u64, |sum, word| sum ^ word);
        std::hint::black_box(sum);
    }
    Ok(true)
}

/// # Safety
/// `link` and everything reachable from it must be readable links.
#[inline(never)]
unsafe fn follow(mut link: *const Link, turns: u64) -> *const Link {
    for _ in 0..turns {
        // Volatile, so that the compiler can neither leave out nor join any of them.
        for _ in 0..UNROLLED {
            // SAFETY: the caller's promise.
            link = unsafe { std::ptr::read_volatile(&raw const (*link).next) };
        }
    }
    link
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cycle;
    use narrows_engine::Rng;

    fn chain() -> Chain {
        Chain::new(Mapping::new(2 << 20, Pages::Any, None, &Stop::new()).unwrap())
    }

    #[test]
    fn the_end_proves_the_count() {
        let stop = Stop::new();
        let mut chain = chain();
        let next = cycle::sattolo(chain.lines(), &mut Rng::new(3), &stop).unwrap();
        chain.link(&next, &stop).unwrap();
        let mut at = 7;
        for steps in [8, 800, 32_768, 100_000] {
            let walked = chain.walk(at, steps);
            assert_eq!(walked.steps, steps);
            assert_eq!(walked.line, cycle::walk(&next, at, steps, &stop).unwrap());
            // A walk that was one turn short ends elsewhere: the proof can fail.
            let short = cycle::walk(&next, at, steps - UNROLLED, &stop).unwrap();
            assert_ne!(walked.line, short);
            at = walked.line;
        }
    }

    #[test]
    fn a_whole_lap_comes_home() {
        let stop = Stop::new();
        let mut chain = chain();
        let next = cycle::sattolo(chain.lines(), &mut Rng::new(9), &stop).unwrap();
        chain.link(&next, &stop).unwrap();
        assert_eq!(chain.walk(11, chain.lines() as u64).line, 11);
        chain.link_in_order(&stop).unwrap();
        assert_eq!(chain.walk(11, 80).line, 91);
        assert_eq!(chain.walk(0, chain.lines() as u64).line, 0);
    }

    #[test]
    fn steps_are_rounded_up_to_whole_turns_and_said_so() {
        let mut chain = chain();
        chain.link_in_order(&Stop::new()).unwrap();
        let walked = chain.walk(0, 9);
        assert_eq!((walked.steps, walked.line), (16, 16));
    }
}
