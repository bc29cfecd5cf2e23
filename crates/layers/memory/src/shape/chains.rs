//! Hash chains, each under a latch: even use of all, and one that is hot.
//!
//! A table of 65,536 chains of four lines, each line an entry; a latch lies in a line with its chain's head. A lookup takes the
//! latch, walks the chain to its key, and lets go: as a buffer pool finds a page by its number. Every lookup finds what it wants, so
//! the hit ratio is 100 % whatever happens. **Even** draws keys from all chains, **hot** nine of ten from a single one. By one CPU
//! the hot chain is faster, because it stays in the first cache; by many they wait for its latch, and the rate says what no hit
//! ratio can.
//!
//! The latch is one word, taken by compare-and-swap, spun on by reading it, and given to nobody in particular. A server's own may
//! sleep, share or split; what all have in common is the line that has to travel.

use std::sync::atomic::{AtomicU32, Ordering};

use narrows_engine::{Context, LiveValue, Rng, Stop, Window};
use narrows_observe::Watch;
use serde_json::json;

use super::{leave_out, shape_measurement, window_length};
use crate::bandwidth::Team;
use crate::mix::mixed;
use crate::thread_group::{Done, GroupWorker, ThreadGroup};
use crate::{Measured, MemoryError};

const CHAINS: usize = 1 << 16;
const ENTRIES: usize = 4;
/// Of ten lookups, those of the hot chain.
const HOT_OF_TEN: u64 = 9;
/// Lookups between two looks at the clock.
const BATCH: u64 = 64;
/// Looks at a latch before the CPU is offered to whoever may hold it.
const SPINS: u32 = 4096;

/// Which chains are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyDistribution {
    /// All alike.
    Even,
    /// One more than all others.
    Hot,
}

/// Both.
pub const KINDS: [KeyDistribution; 2] = [KeyDistribution::Even, KeyDistribution::Hot];

fn ids(place: &str) -> Vec<String> {
    ["even", "hot"].map(|word| format!("memory.shape.chains_{word}.{place}")).to_vec()
}

/// Both kinds by a team.
pub fn measure(
    ctx: &Context,
    team: &Team,
    watch: &Watch,
    measured: &mut Measured,
) -> Result<(), MemoryError> {
    let table = Table::new(ctx.seed);
    let (ids, cpus) = (ids(&team.place), team.cpus());
    let crew = ThreadGroup { cpus: &cpus, ids: &ids, window: window_length(ctx) };
    let worked = crew.work(ctx, watch, LiveValue::PerSecond, |cpu| {
        let rng = Rng::new(ctx.seed ^ (u64::from(cpu) << 32));
        Ok(Worker { table: &table, rng, stop: ctx.stop })
    })?;
    match worked {
        Ok(all) => {
            for (id, windows) in ids.iter().zip(all) {
                let mut m = shape_measurement(ctx, id, (team, None), windows);
                super::unplaced(&mut m);
                m.workload.insert(narrows_model::condition::CHAINS, json!(CHAINS));
                m.workload.insert(narrows_model::condition::ENTRIES_OF_A_CHAIN, json!(ENTRIES));
                m.workload.insert(narrows_model::condition::HIT_RATIO, json!(1.0));
                if id.contains("hot") {
                    let share = HOT_OF_TEN as f64 / 10.0;
                    m.workload
                        .insert(narrows_model::condition::SHARE_OF_THE_HOT_CHAIN, json!(share));
                }
                measured.measurements.push(m);
            }
        }
        Err(refused) => leave_out(measured, &ids, &refused),
    }
    Ok(())
}

/// A latch, and where its chain begins.
#[repr(align(64))]
struct Head {
    latch: AtomicU32,
    first: u32,
}

/// A line: a key, its value, and what comes next.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Entry {
    key: u64,
    value: u64,
    next: u32,
}

impl Head {
    /// Returns when nobody else is inside.
    fn enter(&self) {
        let mut spins = 0u32;
        while self.latch.compare_exchange_weak(0, 1, Ordering::Acquire, Ordering::Relaxed).is_err()
        {
            while self.latch.load(Ordering::Relaxed) != 0 {
                std::hint::spin_loop();
                spins += 1;
                if spins.is_multiple_of(SPINS) {
                    std::thread::yield_now();
                }
            }
        }
    }

    fn leave(&self) {
        self.latch.store(0, Ordering::Release);
    }
}

const END: u32 = u32::MAX;

struct Table {
    heads: Vec<Head>,
    entries: Vec<Entry>,
}

impl Table {
    /// Key `k` is in chain `k % CHAINS`; its entry lies anywhere.
    fn new(seed: u64) -> Table {
        let count = CHAINS * ENTRIES;
        let places = crate::thread_group::shuffled(count, &mut Rng::new(seed));
        let mut heads: Vec<Head> =
            (0..CHAINS).map(|_| Head { latch: AtomicU32::new(0), first: END }).collect();
        let mut entries = vec![Entry { key: 0, value: 0, next: END }; count];
        for (key, place) in places.into_iter().enumerate() {
            let head = &mut heads[key % CHAINS];
            entries[place] = Entry { key: key as u64, value: mixed(key as u64), next: head.first };
            head.first = place as u32;
        }
        Table { heads, entries }
    }

    /// The value of a key, under its chain's latch.
    #[inline(never)]
    fn find(&self, key: u64) -> Option<u64> {
        let head = &self.heads[key as usize % CHAINS];
        head.enter();
        let mut at = head.first;
        let mut found = None;
        while at != END {
            let entry = &self.entries[at as usize];
            if entry.key == key {
                found = Some(entry.value);
                break;
            }
            at = entry.next;
        }
        head.leave();
        found
    }
}

struct Worker<'a> {
    table: &'a Table,
    rng: Rng,
    stop: &'a Stop,
}

impl Worker<'_> {
    fn key(&mut self, kind: KeyDistribution) -> u64 {
        let any = self.rng.below((CHAINS * ENTRIES) as u64);
        if kind == KeyDistribution::Hot && self.rng.below(10) < HOT_OF_TEN {
            // The same entry's turn in chain 0.
            return any / CHAINS as u64 * CHAINS as u64;
        }
        any
    }
}

impl GroupWorker for Worker<'_> {
    type Did = Done;

    fn work(&mut self, kind: usize, window: Window) -> Done {
        Done::batches(window, self.stop, || {
            let mut wrong = 0;
            for _ in 0..BATCH {
                let key = self.key(KINDS[kind]);
                wrong += u64::from(self.table.find(key) != Some(mixed(key)));
            }
            Some(Done { amount: BATCH, wrong })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_found_in_a_chain_of_four() {
        let table = Table::new(1);
        for key in (0..(CHAINS * ENTRIES) as u64).step_by(1013) {
            assert_eq!(table.find(key), Some(mixed(key)));
        }
        assert_eq!(table.find((CHAINS * ENTRIES) as u64), None);
        assert!(table.heads.iter().all(|head| head.latch.load(Ordering::Relaxed) == 0));
        assert_eq!(size_of::<Entry>(), 64);
        assert_eq!(size_of::<Head>(), 64);
    }

    #[test]
    fn nine_of_ten_go_to_the_hot_chain() {
        let table = Table::new(1);
        let stop = Stop::new();
        let mut worker = Worker { table: &table, rng: Rng::new(2), stop: &stop };
        let hot = (0..10_000)
            .filter(|_| worker.key(KeyDistribution::Hot).is_multiple_of(CHAINS as u64))
            .count();
        assert!((8_800..9_200).contains(&hot), "{hot}");
        let even = (0..10_000)
            .filter(|_| worker.key(KeyDistribution::Even).is_multiple_of(CHAINS as u64))
            .count();
        assert!(even < 10, "{even}");
    }

    #[test]
    fn two_threads_never_hold_one_latch() {
        let head = Head { latch: AtomicU32::new(0), first: END };
        let (inside, worst) = (AtomicU32::new(0), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..20_000 {
                        head.enter();
                        let now = inside.fetch_add(1, Ordering::Relaxed) + 1;
                        worst.fetch_max(now, Ordering::Relaxed);
                        inside.fetch_sub(1, Ordering::Relaxed);
                        head.leave();
                    }
                });
            }
        });
        assert_eq!(worst.load(Ordering::Relaxed), 1);
    }
}
