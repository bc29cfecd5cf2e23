//! The loop of SLB, the "silly little benchmark" (K. Closson, 2007), so that its published lines have something to stand beside.
//!
//! A process goes over its pages again and again, in an order drawn once, and touches one cache line of each, another one in every
//! loop: the kit of 2007 writes a word there, that of 2010 reads one into a register. No access waits for another, so what it prints
//! as `Avg nsec/op` is the reciprocal of one process's throughput and **not a latency**; that is [`crate::latency`]'s, measured on
//! as much memory beside it.
//!
//! The source of the original could not be found. Loop, pages, order of the pages and its line of output are as its author and its
//! users describe them; where they don't say, which line of a page is touched above all, this does what is written here.

use narrows_engine::{Context, Rng, Stop, Stopped};
use narrows_facts::affinity;
use narrows_facts::process::since_boot_ns as now_ns;
use narrows_model::Measurement;
use narrows_observe::Watch;
use serde::{Deserialize, Serialize};

use crate::access_path::AccessPath;
use crate::latency::Cycle;
use crate::mapping::{HUGE, MapError, Mapping, Pages};
use crate::sizing::Sizing;
use crate::thread_group::shuffled;
use crate::{MemoryError, latency as chase};

/// Bytes of a page, whatever the processor's are.
pub const PAGE: u64 = 4096;
const LINES: u64 = 64;
/// Words of a line.
const WORDS: usize = 8;
/// Loops between two looks at the stop token.
const LOOPS: u64 = 8;
/// Accesses between two readings of the clock, so that one of them (tens of ns) is less than a millionth of what lies between.
const UNTIL_CLOCK: u64 = 1 << 23;
/// Between two reports of what was done so far, ns.
const REPORT_EVERY_NS: u64 = 1_000_000_000;

/// Which kit's loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kit {
    /// Writes.
    Writes2007,
    /// Reads.
    Reads2010,
}

/// What one process is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hammer {
    /// Pages of 4 KiB.
    pub pages: u32,
    /// Loops over them.
    pub loops: u64,
    /// Which loop.
    pub kit: Kit,
    /// The CPU it stays on.
    pub cpu: u32,
    /// Whether it wants 2 MiB pages underneath instead of 4 KiB ones.
    pub huge: bool,
    /// Seed of the order.
    pub seed: u64,
}

/// What one process did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hammered {
    /// Accesses.
    pub operations: u64,
    /// The begin, ns since the machine started, which all processes count alike.
    pub from_ns: u64,
    /// The end.
    pub to_ns: u64,
    /// The CPU it was on before and after.
    pub cpus: (u32, u32),
    /// Accesses that are known not to have happened as they should.
    pub wrong: u64,
}

/// What one process did so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SoFar {
    /// Accesses.
    pub operations: u64,
    /// Since its begin, ns.
    pub ns: u64,
}

/// Why it can't.
#[derive(Debug, thiserror::Error)]
pub enum HammerError {
    /// The CPU.
    #[error("cannot bind to CPU {cpu}: {reason}")]
    Pin {
        /// Which.
        cpu: u32,
        /// What the system said.
        reason: std::io::Error,
    },
    /// The memory.
    #[error(transparent)]
    Map(#[from] MapError),
    /// Asked to end.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl Hammer {
    /// Bytes that it takes.
    pub fn bytes(&self) -> u64 {
        (u64::from(self.pages) * PAGE).next_multiple_of(HUGE)
    }

    /// Bytes that a loop touches.
    pub fn bytes_a_loop(&self) -> u64 {
        u64::from(self.pages) * PAGE / LINES
    }

    /// Prepares, calls `wait`, which returns when all may start, and runs; about every second `report` is given what was done.
    ///
    /// # Errors
    /// Neither the CPU nor the memory can be had as wanted, or when asked to stop.
    pub fn run(
        &self,
        stop: &Stop,
        wait: impl FnOnce(),
        mut report: impl FnMut(SoFar),
    ) -> Result<Hammered, HammerError> {
        affinity::pin(&[self.cpu]).map_err(|reason| HammerError::Pin { cpu: self.cpu, reason })?;
        let pages = if self.huge { Pages::Huge } else { Pages::Base };
        let mut mapping = Mapping::new(self.bytes(), pages, None, stop)?;
        let order = self.order();
        // What is read is the number of the word's line among all.
        for (line, words) in mapping.words_mut().chunks_exact_mut(WORDS).enumerate() {
            words[0] = line as u64;
        }
        wait();
        let on = || affinity::current_cpu().unwrap_or(u32::MAX);
        let (before, from_ns) = (on(), now_ns());
        let words = mapping.words_mut();
        let (mut sum, mut done) = (0u64, 0);
        let (mut loops_read, mut reported_ns) = (0, from_ns);
        while done < self.loops {
            stop.check()?;
            let until = (done + LOOPS).min(self.loops);
            match self.kit {
                Kit::Writes2007 => write(words, &order, done..until),
                Kit::Reads2010 => sum = sum.wrapping_add(read(words, &order, done..until)),
            }
            done = until;
            if (done - loops_read) * u64::from(self.pages) >= UNTIL_CLOCK {
                loops_read = done;
                let now_ns = now_ns();
                if now_ns - reported_ns >= REPORT_EVERY_NS {
                    reported_ns = now_ns;
                    let operations = done * u64::from(self.pages);
                    report(SoFar { operations, ns: now_ns - from_ns });
                }
            }
        }
        let to_ns = now_ns();
        let after = on();
        let wrong = match self.kit {
            Kit::Writes2007 => written_wrong(words, &order, self.loops - 1),
            Kit::Reads2010 => u64::from(sum != known_sum(&order, self.loops, stop)?),
        };
        let operations = u64::from(self.pages) * self.loops;
        Ok(Hammered { operations, from_ns, to_ns, cpus: (before, after), wrong })
    }

    /// Every page once, in an order without a pattern.
    fn order(&self) -> Vec<u32> {
        let order = shuffled(self.pages as usize, &mut Rng::new(self.seed));
        order.into_iter().map(|page| page as u32).collect()
    }
}

/// The latency of as much memory as one process has, by loads that wait for each other; or why it can't be had.
///
/// # Errors
/// When asked to stop, or when the thread can't be kept on its CPU.
pub fn latency(
    ctx: &Context,
    hammer: &Hammer,
    cache_bytes: Option<u64>,
    watch: &Watch,
) -> Result<Result<Measurement, String>, MemoryError> {
    let footprint_bytes = hammer.bytes().min(crate::sizing::MOST);
    let sizing = Sizing {
        footprint_bytes,
        cache_bytes,
        memory_cache_bytes: None,
        wanted_bytes: footprint_bytes,
        limited_by: None,
        room_bytes: None,
    };
    let place = AccessPath {
        cpu: hammer.cpu,
        cpu_node: 0,
        node: 0,
        distance: None,
        id_part: String::new(),
    };
    let pages = if hammer.huge { Pages::Huge } else { Pages::Base };
    let cycle = Cycle::new(footprint_bytes, ctx)?;
    let measured = chase::measure(ctx, &place, false, pages, &sizing, &cycle, watch)?;
    Ok(measured.map_err(|refused| refused.to_string()))
}

/// Which line of that page that loop touches, as a number among all lines.
#[inline(always)]
fn line(page: u32, turn: u64) -> u64 {
    let mixed =
        (u64::from(page) + turn.wrapping_mul(0x9e37_79b9)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    u64::from(page) * LINES + (mixed >> 58)
}

#[inline(never)]
fn write(words: &mut [u64], order: &[u32], turns: std::ops::Range<u64>) {
    assert!(
        order.iter().all(|&page| ((page as usize + 1) * LINES as usize * WORDS) <= words.len())
    );
    for turn in turns {
        for &page in order {
            let at = line(page, turn) as usize * WORDS;
            // SAFETY: the line lies in a page, and every page of the order in `words`. Volatile, so that each one is made.
            unsafe { words.as_mut_ptr().add(at).write_volatile(turn) };
        }
    }
}

#[inline(never)]
fn read(words: &[u64], order: &[u32], turns: std::ops::Range<u64>) -> u64 {
    assert!(
        order.iter().all(|&page| ((page as usize + 1) * LINES as usize * WORDS) <= words.len())
    );
    let mut sum = 0u64;
    for turn in turns {
        for &page in order {
            let at = line(page, turn) as usize * WORDS;
            // SAFETY: as in `write`.
            sum = sum.wrapping_add(unsafe { words.as_ptr().add(at).read_volatile() });
        }
    }
    sum
}

/// Pages whose last line doesn't hold the last loop's number.
fn written_wrong(words: &[u64], order: &[u32], last: u64) -> u64 {
    let wrong = |page: &&u32| words[line(**page, last) as usize * WORDS] != last;
    order.iter().filter(wrong).count() as u64
}

/// What all reads add up to.
fn known_sum(order: &[u32], loops: u64, stop: &Stop) -> Result<u64, Stopped> {
    let mut sum = 0u64;
    for turn in 0..loops {
        if turn.is_multiple_of(LOOPS) {
            stop.check()?;
        }
        sum = order.iter().fold(sum, |sum, &page| sum.wrapping_add(line(page, turn)));
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hammer(kit: Kit) -> Hammer {
        let cpu = *affinity::current().last().unwrap();
        Hammer { pages: 700, loops: 20, kit, cpu, huge: false, seed: 3 }
    }

    /// On a thread of its own, because it pins the one it runs on.
    fn run(hammer: Hammer) -> Hammered {
        std::thread::scope(|scope| {
            scope.spawn(|| hammer.run(&Stop::new(), || (), |_| ()).unwrap()).join().unwrap()
        })
    }

    #[test]
    fn both_kits_do_all_of_it_where_they_should() {
        for kit in [Kit::Writes2007, Kit::Reads2010] {
            let done = run(hammer(kit));
            assert_eq!((done.operations, done.wrong), (14_000, 0), "{kit:?}");
            assert!(done.to_ns > done.from_ns);
            assert_eq!(done.cpus, (hammer(kit).cpu, hammer(kit).cpu));
        }
    }

    #[test]
    fn every_page_once_a_loop_and_every_line_in_time() {
        let order = hammer(Kit::Reads2010).order();
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..700).collect::<Vec<u32>>());
        assert_ne!(order, sorted);
        let lines: std::collections::BTreeSet<u64> = (0..2_000).map(|turn| line(5, turn)).collect();
        assert_eq!(lines, (5 * LINES..6 * LINES).collect());
    }

    #[test]
    fn a_loop_that_was_left_out_is_seen() {
        let order = hammer(Kit::Writes2007).order();
        let mut words = vec![0u64; 700 * 512];
        write(&mut words, &order, 0..10);
        assert_eq!(written_wrong(&words, &order, 9), 0);
        assert_eq!(written_wrong(&words, &order, 10), 700);
        for (line, words) in words.chunks_exact_mut(WORDS).enumerate() {
            words[0] = line as u64;
        }
        let stop = Stop::new();
        assert_eq!(read(&words, &order, 0..10), known_sum(&order, 10, &stop).unwrap());
        assert_ne!(read(&words, &order, 0..9), known_sum(&order, 10, &stop).unwrap());
    }
}
