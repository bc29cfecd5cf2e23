//! One thread's memory in a bandwidth test: what is done to it, and the proof that it was done.
//!
//! **Proof.** Each piece of 4 KiB that is read holds a value of its own, and what was read must add up to the sum of these. What is
//! written has another value in every run, what is made of the source is spoilt before, and both are read back after the window: the ends
//! of every piece, and all words of one of sixteen, another one in every run.

use narrows_engine::{Stop, Stopped, Window, now_ns};

use crate::kernel::Kernel;
use crate::mapping::Mapping;
use crate::mix::mixed;
use crate::thread_group::Done;
use crate::traffic::{Pace, Traffic};

/// Words of a piece: 4 KiB.
const PIECE: usize = 512;
/// Words done between two looks at the clock: 1 MiB, some 30 µs.
const CHUNK: usize = 256 * PIECE;
/// The same at a pace: 8 KiB, a fraction of a microsecond. Larger ones would be bursts that crowd the memory and let it rest in turns.
const PACED: usize = 2 * PIECE;

/// Words by which what is written lies otherwise in its pages than what is read: a load behind a store to the same place of
/// another page has to wait (Intel 64 and IA-32 Architectures Optimization Reference Manual, "4-KByte aliasing").
const SKEW: usize = 33 * 8;
/// Of so many pieces that were written, one is read back as a whole.
const READ_WHOLE: usize = 16;

/// Memory of one thread: a part that is read and keeps its values, and one of the same size that is written, if anything is.
#[derive(Debug)]
pub struct Buffers {
    mapping: Mapping,
    kernel: Kernel,
    seed: u64,
    /// Words that are read.
    source: usize,
    /// Sums of the words before each piece of the source, and at the end of all.
    sums: Vec<u64>,
    /// Runs so far: each writes a value of its own.
    runs: u64,
}

impl Buffers {
    /// The least memory for [`Buffers::new`], bytes.
    pub const LEAST_BYTES: usize = 8 * 8 * CHUNK;
    /// What a part that is written takes besides, bytes.
    pub const BESIDE_BYTES: u64 = 8 * CHUNK as u64;

    /// Takes memory of at least [`Buffers::LEAST_BYTES`] and gives every piece of it a value; half of it is for writing where
    /// anything `writes`. The calling thread touches it.
    ///
    /// # Errors
    /// When asked to stop.
    pub fn new(
        mut mapping: Mapping,
        kernel: Kernel,
        writes: bool,
        seed: u64,
        stop: &Stop,
    ) -> Result<Buffers, Stopped> {
        assert!(mapping.len() >= Buffers::LEAST_BYTES);
        let words = mapping.len() / 8;
        let source = if writes { (words - SKEW) / 2 } else { words } / CHUNK * CHUNK;
        let mut sums = vec![0u64];
        for (at, piece) in mapping.words_mut().chunks_exact_mut(PIECE).enumerate() {
            if at.is_multiple_of(4096) {
                stop.check()?;
            }
            let value = value(seed, at as u64);
            kernel.fill(piece, value);
            if at < source / PIECE {
                sums.push(sums[at].wrapping_add(value.wrapping_mul(PIECE as u64)));
            }
        }
        Ok(Buffers { mapping, kernel, seed, source, sums, runs: 0 })
    }

    /// Bytes that a run reads from or writes to.
    pub fn footprint_bytes(&self) -> u64 {
        8 * self.source as u64
    }

    /// Does that until the window ends; counts what was completed inside it, and looks afterwards at what was written.
    pub fn run(&mut self, traffic: Traffic, pace: Pace, window: Window, stop: &Stop) -> Done {
        let mut run = Run::begin(self, traffic);
        let mut done = Done::default();
        let mut due_ns = pace.first_due_ns.map(|ns| now_ns() + ns);
        loop {
            let (bytes, right) = run.step(if due_ns.is_some() { PACED } else { CHUNK });
            done.wrong += u64::from(!right);
            let mut at = now_ns();
            if at >= window.start_ns && at < window.end_ns {
                done.amount += bytes;
            }
            if let Some(due) = &mut due_ns {
                // Whoever is late goes on from now: a burst to catch up would be another load.
                *due = due.saturating_add((bytes as f64 * pace.ns_per_byte) as u64).max(at);
                while at < *due && at < window.end_ns {
                    std::hint::spin_loop();
                    at = now_ns();
                }
            }
            if at >= window.end_ns || stop.is_set() {
                break;
            }
        }
        done.wrong += run.written_wrong();
        run.spoil();
        done
    }
}

/// The value of a piece or of a run: never zero, because some processors need not write zeros.
fn value(seed: u64, at: u64) -> u64 {
    mixed(seed.wrapping_add(mixed(at))) | 1
}

/// One run over a ground.
struct Run<'a> {
    traffic: Traffic,
    kernel: Kernel,
    sums: &'a [u64],
    seed: u64,
    /// Which run it is.
    number: u64,
    /// What this run writes.
    written: u64,
    source: &'a [u64],
    target: &'a mut [u64],
    /// Where reading goes on, and writing, words.
    read_at: usize,
    write_at: usize,
    /// How far the target was written, words.
    reached: usize,
}

impl<'a> Run<'a> {
    fn begin(ground: &'a mut Buffers, traffic: Traffic) -> Run<'a> {
        ground.runs += 1;
        let (kernel, seed) = (ground.kernel, ground.seed);
        let (source, target) = ground.mapping.words_mut().split_at_mut(ground.source);
        // Reads alone leave no room for a target.
        let from = SKEW.min(target.len());
        let end = target.len().min(from + ground.source);
        let target = &mut target[from..end];
        let written = value(!seed, ground.runs);
        let (read_at, write_at, reached) = (0, 0, 0);
        let (sums, number) = (&ground.sums, ground.runs);
        Run {
            traffic,
            kernel,
            sums,
            seed,
            number,
            written,
            source,
            target,
            read_at,
            write_at,
            reached,
        }
    }

    /// So many words of it, or a little less: bytes, and whether what was read is what is there.
    fn step(&mut self, words: usize) -> (u64, bool) {
        let bytes = 8 * words as u64;
        match self.traffic {
            Traffic::Read => (bytes, self.read(words)),
            Traffic::Write => {
                self.write(words, Kernel::fill);
                (bytes, true)
            }
            Traffic::Stream => {
                self.write(words, Kernel::stream);
                (bytes, true)
            }
            Traffic::Copy => (self.copy(words / 2, Kernel::copy), true),
            Traffic::StreamCopy => (self.copy(words / 2, Kernel::stream_copy), true),
            Traffic::Triad => (self.triad(words / 3, Kernel::triad), true),
            Traffic::StreamTriad => (self.triad(words / 3, Kernel::stream_triad), true),
            Traffic::Mix { reads, writes } => {
                let turns = (words / PIECE / (reads + writes) as usize).max(1);
                let mut right = true;
                for _ in 0..turns {
                    right &= self.read(reads as usize * PIECE);
                    self.write(writes as usize * PIECE, Kernel::fill);
                }
                (8 * (turns * PIECE) as u64 * u64::from(reads + writes), right)
            }
        }
    }

    /// Reads so many words on from where it was, in whole pieces.
    fn read(&mut self, words: usize) -> bool {
        if self.read_at + words > self.source.len() {
            self.read_at = 0;
        }
        let from = self.read_at;
        self.read_at += words;
        let sum = std::hint::black_box(self.kernel.sum(&self.source[from..from + words]));
        sum == self.sums[(from + words) / PIECE].wrapping_sub(self.sums[from / PIECE])
    }

    /// Where the next words are written.
    fn next_target(&mut self, words: usize) -> usize {
        if self.write_at + words > self.target.len() {
            self.write_at = 0;
        }
        let at = self.write_at;
        self.write_at += words;
        self.reached = self.reached.max(self.write_at);
        at
    }

    fn write(&mut self, words: usize, store: fn(Kernel, &mut [u64], u64)) {
        let at = self.next_target(words);
        store(self.kernel, &mut self.target[at..at + words], self.written);
    }

    /// Copies so many words, which are as many read and as many written.
    fn copy(&mut self, words: usize, store: fn(Kernel, &mut [u64], &[u64])) -> u64 {
        let at = self.next_target(words);
        store(self.kernel, &mut self.target[at..at + words], &self.source[at..at + words]);
        8 * 2 * words as u64
    }

    /// So many words of each of the source's halves, about, become as many of the target.
    fn triad(&mut self, words: usize, store: fn(Kernel, &mut [u64], &[u64], &[u64])) -> u64 {
        let (words, half) = ((words / PIECE).max(1) * PIECE, self.half());
        // The target is no longer than a half, so that each of its words has two sources.
        if self.write_at + words > half {
            self.write_at = 0;
        }
        let at = self.next_target(words);
        let (b, c) = (&self.source[at..at + words], &self.source[half + at..half + at + words]);
        store(self.kernel, &mut self.target[at..at + words], b, c);
        8 * 3 * words as u64
    }

    /// Words of half of the source, in whole pieces.
    fn half(&self) -> usize {
        self.source.len() / 2 / PIECE * PIECE
    }

    /// What a piece of the target should hold.
    fn known(&self, at: usize) -> u64 {
        let source = |at: usize| value(self.seed, at as u64);
        match self.traffic {
            Traffic::Copy | Traffic::StreamCopy => source(at),
            Traffic::Triad | Traffic::StreamTriad => {
                source(at).wrapping_add(source(self.half() / PIECE + at).wrapping_mul(2))
            }
            _ => self.written,
        }
    }

    /// Pieces that don't hold what was written into them.
    fn written_wrong(&self) -> u64 {
        if self.traffic == Traffic::Read {
            return 0;
        }
        let pieces = self.target[..self.reached].chunks_exact(PIECE).enumerate();
        let wrong = |(at, piece): &(usize, &[u64])| {
            let known = self.known(*at);
            let whole = (at + self.number as usize).is_multiple_of(READ_WHOLE);
            piece[0] != known
                || piece[PIECE - 1] != known
                || whole && self.kernel.sum(piece) != known.wrapping_mul(PIECE as u64)
        };
        pieces.filter(wrong).count() as u64
    }

    /// Spoils what was made of the source: the next run would pass for it otherwise.
    fn spoil(&mut self) {
        let of_source = [Traffic::Copy, Traffic::StreamCopy, Traffic::Triad, Traffic::StreamTriad];
        if of_source.contains(&self.traffic) {
            let copied = self.target[..self.reached].iter_mut().step_by(PIECE);
            copied.for_each(|word| *word = !*word);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::Pages;

    fn ground(writes: bool) -> Buffers {
        let stop = Stop::new();
        let bytes = 2 * Buffers::LEAST_BYTES as u64;
        let mapping = Mapping::new(bytes, Pages::Any, None, &stop).unwrap();
        Buffers::new(mapping, Kernel::best(), writes, 4, &stop).unwrap()
    }

    /// A window that gets longer until three chunks fit, however slow the machine is just now.
    fn counted(ground: &mut Buffers, traffic: Traffic, pace: Pace) -> (Done, u64) {
        let mut length_ns = 20_000_000;
        let least = 3 * 8 * if pace.first_due_ns.is_some() { PACED } else { CHUNK } as u64;
        loop {
            let start_ns = now_ns();
            let window = Window { start_ns, end_ns: start_ns + length_ns };
            let done = ground.run(traffic, pace, window, &Stop::new());
            if done.amount >= least {
                return (done, length_ns);
            }
            length_ns *= 2;
        }
    }

    #[test]
    fn every_traffic_is_done_right_again_and_again() {
        let mut ground = ground(true);
        for kernel in Kernel::available() {
            ground.kernel = kernel;
            for traffic in Traffic::all(kernel).into_iter().chain(Traffic::all(kernel)) {
                let (done, _) = counted(&mut ground, traffic, Pace::default());
                assert_eq!(done.wrong, 0, "{kernel:?} {traffic:?}");
            }
        }
        let half = Buffers::LEAST_BYTES as u64 - Buffers::BESIDE_BYTES;
        assert_eq!(ground.footprint_bytes(), half);
    }

    #[test]
    fn reads_of_what_changed_are_seen() {
        let mut ground = ground(false);
        assert_eq!(ground.footprint_bytes(), 2 * Buffers::LEAST_BYTES as u64);
        ground.mapping.words_mut()[CHUNK + 3] ^= 1 << 40;
        assert!(counted(&mut ground, Traffic::Read, Pace::default()).0.wrong > 0);
        let mix = Traffic::Mix { reads: 2, writes: 1 };
        let mut both = self::ground(true);
        both.mapping.words_mut()[3] ^= 1;
        assert!(counted(&mut both, mix, Pace::default()).0.wrong > 0);
    }

    #[test]
    fn a_write_that_did_not_happen_is_seen() {
        for traffic in Traffic::all(Kernel::best()) {
            let mut ground = ground(true);
            let mut run = Run::begin(&mut ground, traffic);
            run.step(CHUNK);
            run.step(CHUNK);
            assert_eq!(run.written_wrong(), 0, "{traffic:?}");
            if traffic == Traffic::Read {
                continue;
            }
            let last = run.reached - 1;
            run.target[last] ^= 1 << 7;
            assert_eq!(run.written_wrong(), 1, "{traffic:?}");
            run.target[last] ^= 1 << 7;
            // As if the last piece had been left out.
            run.reached += PIECE;
            assert_eq!(run.written_wrong(), 1, "{traffic:?}");
        }
    }

    #[test]
    fn nothing_counts_outside_the_window() {
        let mut ground = ground(true);
        let past = Window { start_ns: 0, end_ns: now_ns() };
        let none = Pace::default();
        assert_eq!(ground.run(Traffic::Read, none, past, &Stop::new()).amount, 0);
        let stop = Stop::new();
        stop.set();
        let never = Window { start_ns: u64::MAX - 1, end_ns: u64::MAX };
        assert_eq!(ground.run(Traffic::Copy, none, never, &stop).amount, 0);
    }

    #[test]
    fn a_pace_is_never_exceeded() {
        let mut ground = ground(true);
        // A byte a nanosecond: a tenth of what any core does.
        let pace = Pace { ns_per_byte: 1.0, first_due_ns: Some(5_000) };
        for traffic in [Traffic::Read, Traffic::Mix { reads: 1, writes: 1 }] {
            let (done, length_ns) = counted(&mut ground, traffic, pace);
            // The first step is done at once, and one that ends at the window's edge counts or not.
            assert!(done.amount <= length_ns + 3 * 8 * PACED as u64, "{done:?} in {length_ns}");
        }
    }
}
