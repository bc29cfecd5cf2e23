//! Whether time goes back when it is read on another processor.
//!
//! Two threads, each pinned to its processor, take turns under one lock: whoever holds it compares its reading
//! with the last one published by either. A reading below that is time that went back. This is the kernel's own
//! warp test (`check_tsc_warp`); it finds offsets larger than the time one cache line takes to travel.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use narrows_engine::Stop;
use narrows_facts::affinity;

use crate::{ClockError, Reader};

/// What comparing pairs of processors showed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Warps {
    /// Readings below an earlier one.
    pub backward_steps: u64,
    /// The largest of them, in the reader's ticks.
    pub largest_back: u64,
}

/// The pairs still to be compared: the first processor with every other, in turns over the repeats.
pub struct Pairs {
    cpus: Vec<u32>,
    next: usize,
    checked: usize,
}

impl Pairs {
    /// All pairs with the first of `cpus`.
    pub fn of(cpus: &[u32]) -> Self {
        Pairs { cpus: cpus.to_vec(), next: 1, checked: 0 }
    }

    /// Processors compared so far, the first one included; zero if there is only one.
    pub fn compared(&self) -> usize {
        if self.checked == 0 { 0 } else { (self.checked + 1).min(self.cpus.len()) }
    }

    /// Compares up to `most` further pairs for `length` each.
    pub fn check(
        &mut self,
        reader: Reader,
        most: usize,
        length: Duration,
        stop: &Stop,
    ) -> Result<Warps, ClockError> {
        let mut warps = Warps::default();
        let others = self.cpus.len().saturating_sub(1);
        for _ in 0..most.min(others) {
            stop.check()?;
            let pair = [self.cpus[0], self.cpus[self.next]];
            let seen = compare(pair, || reader.read_ordered(), length)?;
            warps.backward_steps += seen.backward_steps;
            warps.largest_back = warps.largest_back.max(seen.largest_back);
            self.next = if self.next == others { 1 } else { self.next + 1 };
            self.checked += 1;
        }
        Ok(warps)
    }
}

/// Compares the clock on two processors for `length`.
pub fn compare(
    pair: [u32; 2],
    read: impl Fn() -> u64 + Sync,
    length: Duration,
) -> Result<Warps, ClockError> {
    let lock = AtomicBool::new(false);
    let last = AtomicU64::new(0);
    let start = Barrier::new(2);
    let (lock, last, start, read) = (&lock, &last, &start, &read);
    let work = |cpu: u32| -> Result<Warps, ClockError> {
        let pinned = affinity::pin(&[cpu]);
        // Both wait even if one could not be pinned; otherwise the other would wait for ever.
        start.wait();
        pinned.map_err(|reason| ClockError::Pin { cpu, reason })?;
        let began = Instant::now();
        let mut warps = Warps::default();
        while began.elapsed() < length {
            for _ in 0..100 {
                while lock
                    .compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed)
                    .is_err()
                {
                    std::hint::spin_loop();
                }
                let before = last.load(Ordering::Relaxed);
                let now = read();
                last.store(now, Ordering::Relaxed);
                lock.store(false, Ordering::Release);
                if now < before {
                    warps.backward_steps += 1;
                    warps.largest_back = warps.largest_back.max(before - now);
                }
            }
        }
        Ok(warps)
    };
    std::thread::scope(|scope| {
        let threads = pair.map(|cpu| scope.spawn(move || work(cpu)));
        let mut sum = Warps::default();
        for thread in threads {
            let seen = thread.join().expect("the comparing threads do not panic")?;
            sum.backward_steps += seen.backward_steps;
            sum.largest_back = sum.largest_back.max(seen.largest_back);
        }
        Ok(sum)
    })
}
