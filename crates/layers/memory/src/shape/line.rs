//! How long a cache line takes from one core to another, by how far they are apart: what every contended lock, counter and log
//! insertion position pays.
//!
//! Two threads write the same word in turns: each waits until it holds the other's number and stores the next. A transfer is half of
//! a round trip, from one store until the other core has seen it and may store itself. One pair stands for its distance: CPUs of one
//! core, cores that share a last cache, cores of a node, and nodes by the distance that the firmware names. **Proof**: the word counts
//! the transfers of both.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use narrows_engine::{Context, LiveValue, Stop, Window, now_ns};
use narrows_model::{Platform, condition};
use narrows_observe::Watch;
use serde_json::json;

use super::{leave_out, shape_measurement};
use crate::access_path::{self, Site};
use crate::bandwidth::{Member, Team};
use crate::mapping::Pages;
use crate::thread_group::{Done, GroupWorker, ThreadGroup};
use crate::{Measured, MemoryError};

/// Own stores between two looks at the clock: some 10 µs.
const BATCH: u64 = 64;
/// Looks at the word without a pause between them.
const QUICK: u32 = 1024;
/// Looks at the word before the clock is looked at, in case the other has left.
const PATIENCE: u32 = 1 << 14;
const LONGEST_WINDOW: Duration = Duration::from_millis(50);

/// Two CPUs that stand for a distance.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Pair {
    /// The end of the id: `core`, `cache`, `node`, `far.d21`.
    distance: String,
    cpus: [u32; 2],
    nodes: [u32; 2],
}

/// One pair for each distance that there is.
fn pairs(platform: &Platform, sites: &[Site]) -> Vec<Pair> {
    let core = |cpu: u32| platform.cpu.cores_threads.iter().position(|core| core.contains(&cpu));
    let last = platform.caches.iter().filter(|cache| cache.kind != "Instruction");
    let last = last.max_by_key(|cache| cache.level).filter(|cache| !cache.cpus.is_empty());
    let cache = |cpu: u32| last?.cpus.iter().position(|set| set.contains(cpu));
    let mut pairs: Vec<Pair> = Vec::new();
    let mut take = |distance: String, cpus: [u32; 2], nodes: [u32; 2]| {
        if !pairs.iter().any(|pair| pair.distance == distance) {
            pairs.push(Pair { distance, cpus, nodes });
        }
    };
    // From the last on: the first CPUs take most interrupts.
    for site in sites {
        for (at, &a) in site.cpus.iter().enumerate().rev() {
            for &b in site.cpus[..at].iter().rev() {
                let distance = if core(a).is_some() && core(a) == core(b) {
                    "core"
                } else if cache(a).is_some() && cache(a) == cache(b) {
                    "cache"
                } else {
                    "node"
                };
                take(distance.to_string(), [a, b], [site.node; 2]);
            }
        }
    }
    for (at, a) in sites.iter().enumerate() {
        for b in &sites[at + 1..] {
            let distance = access_path::distance(platform, a.node, b.node);
            let name = distance.map_or("far".to_string(), |distance| format!("far.d{distance}"));
            if let (Some(&cpu), Some(&other)) = (a.cpus.last(), b.cpus.last()) {
                take(name, [cpu, other], [a.node, b.node]);
            }
        }
    }
    pairs
}

/// A measurement for each distance; none where only one CPU may be used.
pub fn measure(
    ctx: &Context,
    platform: &Platform,
    sites: &[Site],
    watch: &Watch,
    measured: &mut Measured,
) -> Result<(), MemoryError> {
    for pair in pairs(platform, sites) {
        let ids = [format!("memory.shape.line.{}", pair.distance)];
        let word = Word::default();
        let window = ctx.window.min(LONGEST_WINDOW);
        let crew = ThreadGroup { cpus: &pair.cpus, ids: &ids, window };
        let worked = crew.work(ctx, watch, LiveValue::PerSecond, |cpu| {
            let parity = u64::from(cpu == pair.cpus[1]);
            Ok(Side { word: &word, parity, stop: ctx.stop })
        })?;
        let members = pair.cpus.iter().zip(pair.nodes).map(|(&cpu, node)| Member { cpu, node });
        let team = Team {
            place: pair.distance.clone(),
            members: members.collect(),
            bind: false,
            pages: Pages::Any,
        };
        match worked {
            Ok(all) => {
                for mut windows in all {
                    // One is under way at a time, whoever's it is: `shape_measurement` divides by the threads.
                    windows.per_s.iter_mut().for_each(|per_s| *per_s *= 2.0);
                    let mut m = shape_measurement(ctx, &ids[0], (&team, None), windows);
                    m.metrics.retain(|metric| metric.name != narrows_model::metric::THROUGHPUT);
                    m.workload.insert(condition::PATTERN, json!("ping-pong"));
                    super::unplaced(&mut m);
                    measured.measurements.push(m);
                }
            }
            Err(refused) => leave_out(measured, &ids, &refused),
        }
    }
    Ok(())
}

/// A word in lines of its own, also where they are fetched in pairs.
#[derive(Default)]
#[repr(align(128))]
struct Word(AtomicU64);

/// One of the two: it stores where the number's lowest bit is its own.
struct Side<'a> {
    word: &'a Word,
    parity: u64,
    stop: &'a Stop,
}

impl Side<'_> {
    /// Waits for its turn and stores the next number; `None` once the window is over or a stop was asked for.
    #[inline]
    fn turn(&self, window: &Window) -> Option<u64> {
        let mut looks = 0u32;
        loop {
            let number = self.word.0.load(Ordering::Acquire);
            if number & 1 == self.parity {
                self.word.0.store(number + 1, Ordering::Release);
                return Some(number);
            }
            looks += 1;
            if looks.is_multiple_of(PATIENCE) && (now_ns() >= window.end_ns || self.stop.is_set()) {
                return None;
            }
            // A pause would be a part of the transfer; only who waits for long offers its core to a sibling.
            if looks > QUICK {
                std::hint::spin_loop();
            }
        }
    }
}

impl GroupWorker for Side<'_> {
    type Did = Done;

    fn work(&mut self, _: usize, window: Window) -> Done {
        let mut last: Option<u64> = None;
        // Wrong in a batch that was not brought to its end is wrong too.
        let mut of_last = 0;
        let mut done = Done::batches(window, self.stop, || {
            let mut wrong = 0;
            for _ in 0..BATCH {
                let Some(number) = self.turn(&window) else {
                    of_last = wrong;
                    return None;
                };
                // Between two of our numbers lies exactly one of the other's.
                wrong += u64::from(last.is_some_and(|last| number != last + 2));
                last = Some(number);
            }
            Some(Done { amount: BATCH, wrong })
        });
        done.wrong += of_last;
        done
    }
}

#[cfg(test)]
mod tests {
    use narrows_model::{Cache, NumaNode};

    use super::*;

    fn site(node: u32, cpus: &[u32]) -> Site {
        Site { node, cpus: cpus.to_vec() }
    }

    #[test]
    fn each_distance_has_one_pair() {
        let mut platform = Platform::default();
        platform.cpu.cores_threads =
            vec![vec![0, 8], vec![1, 9], vec![2, 10], vec![3, 11], vec![4, 12], vec![5, 13]];
        let set = |cpus: &[u32]| cpus.iter().copied().collect();
        platform.caches = vec![Cache {
            level: 3,
            kind: "Unified".into(),
            cpus: vec![set(&[0, 1, 8, 9]), set(&[2, 3, 10, 11]), set(&[4, 5, 12, 13])],
            ..Cache::default()
        }];
        let node = |id, cpus: &[u32], distances: &[u32]| NumaNode {
            id,
            cpus: cpus.to_vec(),
            memory_bytes: 1,
            distances: distances.to_vec(),
            ..NumaNode::default()
        };
        platform.nodes = vec![
            node(0, &[0, 1, 2, 3, 8, 9, 10, 11], &[10, 21]),
            node(4, &[4, 5, 12, 13], &[21, 10]),
        ];
        let sites = [site(0, &[0, 1, 2, 3, 8, 9, 10, 11]), site(4, &[4, 5, 12, 13])];
        let found: Vec<(String, [u32; 2])> =
            pairs(&platform, &sites).into_iter().map(|pair| (pair.distance, pair.cpus)).collect();
        let expected =
            [("cache", [11, 10]), ("node", [11, 9]), ("core", [11, 3]), ("far.d21", [11, 13])];
        assert_eq!(found, expected.map(|(distance, cpus)| (distance.to_string(), cpus)));
    }

    #[test]
    fn one_cpu_has_no_pair_and_two_unknown_ones_are_a_nodes() {
        let platform = Platform::default();
        assert!(pairs(&platform, &[site(0, &[3])]).is_empty());
        let found = pairs(&platform, &[site(0, &[3, 5])]);
        assert_eq!((found[0].distance.as_str(), found[0].cpus), ("node", [5, 3]));
    }

    #[test]
    fn two_sides_take_turns_and_the_word_counts_them() {
        let word = Word::default();
        let stop = Stop::new();
        let now = now_ns();
        let window = Window { start_ns: now, end_ns: now + 30_000_000 };
        let sides = [0, 1].map(|parity| Side { word: &word, parity, stop: &stop });
        let done: Vec<Done> = std::thread::scope(|scope| {
            let threads = sides.map(|mut side| scope.spawn(move || side.work(0, window)));
            threads.map(|thread| thread.join().unwrap()).to_vec()
        });
        assert!(done.iter().all(|done| done.wrong == 0));
        let counted: u64 = done.iter().map(|done| done.amount).sum();
        assert!(counted <= word.0.load(Ordering::Relaxed));
    }

    #[test]
    fn a_number_that_was_skipped_is_seen() {
        let word = Word::default();
        let stop = Stop::new();
        let window = Window { start_ns: 0, end_ns: u64::MAX };
        let mut side = Side { word: &word, parity: 0, stop: &stop };
        std::thread::scope(|scope| {
            let other = scope.spawn(|| {
                // Plays the other side, once two further than it should.
                for turn in 0..BATCH {
                    let number = loop {
                        let number = word.0.load(Ordering::Acquire);
                        if number & 1 == 1 {
                            break number;
                        }
                        std::thread::yield_now();
                    };
                    word.0.store(number + if turn == 3 { 3 } else { 1 }, Ordering::Release);
                }
                stop.set();
            });
            assert_eq!(side.work(0, window).wrong, 1);
            other.join().unwrap();
        });
    }
}
