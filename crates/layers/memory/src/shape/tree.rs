//! A pool of 8 KiB pages that hold an index: a page copied out of it at random, and the index descended to a key.
//!
//! The pages are those of a search tree with 512 entries in each, at random places of the pool, as an index that grew has them. A
//! **copy** takes one leaf at random into a buffer of the thread's own, as a server does that hands a page on. A **descent** goes
//! from the root to a random key's leaf by binary search in each page: the inner pages are mostly in caches, and of a leaf a line
//! after the other is waited for. It stands for the memory's part of a lookup by key, without its locks and its SQL.
//!
//! Both on 4 KiB and on 2 MiB pages of the processor: their ratio is what huge pages are worth to a buffer pool. All threads share
//! the pool. **Proof**: a copied leaf begins and ends with what belongs there, and a key's value is known.

use narrows_engine::{Context, LiveValue, Phase, Rng, Stop, Stopped, Window};
use narrows_model::{Layer, condition};
use narrows_observe::Watch;
use serde_json::json;

use super::{leave_out, shape_measurement, window_length};
use crate::bandwidth::Team;
use crate::kernel::Kernel;
use crate::latency::obtained;
use crate::mapping::{MapError, Mapping, Pages};
use crate::mix::mixed;
use crate::sizing::Sizing;
use crate::thread_group::{Done, GroupWorker, ThreadGroup, shuffled};
use crate::{Measured, MemoryError};

/// Words of a page.
const PAGE: usize = 1024;
/// Bytes of a page.
pub const PAGE_BYTES: u64 = 8 * PAGE as u64;
/// Entries of a page: keys in its first half, children or values in the second.
const ENTRIES: usize = PAGE / 2;
/// Operations between two looks at the clock.
const BATCH: u64 = 32;

/// What is done with the pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeOperation {
    /// A leaf is copied.
    Copy,
    /// A key is looked up.
    Descent,
}

/// Both.
pub const KINDS: [TreeOperation; 2] = [TreeOperation::Copy, TreeOperation::Descent];

impl TreeOperation {
    fn word(self) -> &'static str {
        match self {
            TreeOperation::Copy => "page_copy",
            TreeOperation::Descent => "index_descent",
        }
    }
}

fn ids(pages: Pages, place: &str) -> Vec<String> {
    let page = pages.word();
    KINDS.iter().map(|kind| format!("memory.shape.{}.{page}.{place}", kind.word())).collect()
}

/// Both kinds by each team on a pool of its first member's node.
pub fn measure(
    ctx: &Context,
    teams: &[Team],
    pages: Pages,
    sizing: &Sizing,
    watch: &Watch,
    measured: &mut Measured,
) -> Result<(), MemoryError> {
    let mut pool: Option<(Option<u32>, Tree)> = None;
    for team in teams {
        let ids = ids(pages, &team.place);
        ctx.progress.phase(Layer::Memory, Phase::Prepare, &ids[0]);
        let node = team.node_of(team.members[0].cpu);
        if pool.as_ref().is_none_or(|(on, _)| *on != node) {
            // The old one goes first.
            pool = None;
            match Mapping::new(sizing.footprint_bytes, pages, node, ctx.stop) {
                Ok(mapping) => pool = Some((node, Tree::build(mapping, ctx.seed, ctx.stop)?)),
                Err(MapError::Stopped(stopped)) => return Err(stopped.into()),
                Err(refused) => {
                    leave_out(measured, &ids, &refused);
                    continue;
                }
            }
        }
        let tree = &pool.as_ref().expect("it was just built").1;
        let cpus = team.cpus();
        let crew = ThreadGroup { cpus: &cpus, ids: &ids, window: window_length(ctx) };
        let shows = LiveValue::PerSecond;
        let worked = crew.work(ctx, watch, shows, |cpu| Ok(Worker::new(tree, ctx, cpu)))?;
        let all = match worked {
            Ok(all) => all,
            Err(refused) => {
                leave_out(measured, &ids, &refused);
                continue;
            }
        };
        for ((kind, id), windows) in KINDS.iter().zip(&ids).zip(all) {
            let bytes = (*kind == TreeOperation::Copy).then_some(PAGE_BYTES);
            let mut m = shape_measurement(ctx, id, (team, bytes), windows);
            m.workload.insert(condition::FOOTPRINT_BYTES, json!(sizing.footprint_bytes));
            m.workload.insert(condition::LEVELS, json!(tree.levels));
            m.workload.insert(condition::PATTERN, json!("random"));
            obtained(&mut m.conditions, &tree.mapping);
            crate::add_sizing(&mut m.conditions, sizing, sizing.footprint_bytes);
            measured.measurements.push(m);
        }
    }
    Ok(())
}

/// The pool.
struct Tree {
    mapping: Mapping,
    root: u32,
    /// Pages from the root to a leaf.
    levels: u32,
    /// Where each leaf lies, in the order of keys.
    leaves: Vec<u32>,
}

impl Tree {
    /// As many leaves as the memory holds with what leads to them.
    fn build(mut mapping: Mapping, seed: u64, stop: &Stop) -> Result<Tree, Stopped> {
        let pages = mapping.len() / PAGE_BYTES as usize;
        let mut places = shuffled(pages, &mut Rng::new(seed)).into_iter().map(|page| page as u32);
        let count = leaves_of(pages);
        let leaves: Vec<u32> = places.by_ref().take(count).collect();
        let words = mapping.words_mut();
        for (leaf, page) in leaves.iter().enumerate() {
            if leaf.is_multiple_of(1024) {
                stop.check()?;
            }
            let (keys, values) = page_of(words, *page).split_at_mut(ENTRIES);
            for (entry, (key, value)) in keys.iter_mut().zip(values).enumerate() {
                *key = (leaf * ENTRIES + entry) as u64;
                *value = mixed(*key);
            }
        }
        // First keys and places of the level below.
        let mut below: Vec<(u64, u32)> =
            leaves.iter().enumerate().map(|(at, page)| ((at * ENTRIES) as u64, *page)).collect();
        let mut levels = 1;
        while below.len() > 1 {
            levels += 1;
            below = below
                .chunks(ENTRIES)
                .map(|children| {
                    let page = places.next().expect("there are pages for all inner ones");
                    let (keys, to) = page_of(words, page).split_at_mut(ENTRIES);
                    keys.fill(u64::MAX);
                    for (at, (first, child)) in children.iter().enumerate() {
                        (keys[at], to[at]) = (*first, u64::from(*child));
                    }
                    (children[0].0, page)
                })
                .collect();
        }
        Ok(Tree { mapping, root: below[0].1, levels, leaves })
    }

    fn keys(&self) -> u64 {
        (self.leaves.len() * ENTRIES) as u64
    }

    fn page(&self, page: u32) -> &[u64] {
        &self.mapping.words()[page as usize * PAGE..][..PAGE]
    }

    /// The value of a key.
    #[inline(never)]
    fn find(&self, key: u64) -> u64 {
        let mut page = self.page(self.root);
        for _ in 1..self.levels {
            let child = page[..ENTRIES].partition_point(|first| *first <= key) - 1;
            page = self.page(page[ENTRIES + child] as u32);
        }
        let entry = page[..ENTRIES].partition_point(|here| *here <= key) - 1;
        page[ENTRIES + entry]
    }
}

fn page_of(words: &mut [u64], page: u32) -> &mut [u64] {
    &mut words[page as usize * PAGE..][..PAGE]
}

/// How many of so many pages can be leaves, if those that lead to them are pages too.
fn leaves_of(pages: usize) -> usize {
    let needed = |leaves: usize| {
        let (mut level, mut all) = (leaves, leaves);
        while level > 1 {
            level = level.div_ceil(ENTRIES);
            all += level;
        }
        all
    };
    let mut leaves = pages;
    while needed(leaves) > pages {
        leaves -= (needed(leaves) - pages).div_ceil(2).max(1);
    }
    leaves
}

struct Worker<'a> {
    tree: &'a Tree,
    rng: Rng,
    /// The last value found.
    last: u64,
    /// Zero, which the compiler doesn't know.
    none: u64,
    buffer: Vec<u64>,
    kernel: Kernel,
    stop: &'a Stop,
}

impl<'a> Worker<'a> {
    fn new(tree: &'a Tree, ctx: &Context<'a>, cpu: u32) -> Worker<'a> {
        let rng = Rng::new(ctx.seed ^ (u64::from(cpu) << 32));
        let none = std::hint::black_box(0);
        let (buffer, kernel) = (vec![0; PAGE], Kernel::best());
        Worker { tree, rng, last: 0, none, buffer, kernel, stop: ctx.stop }
    }

    /// Whether the leaf that was copied is the one that was meant.
    fn copy(&mut self) -> bool {
        let leaf = self.rng.below(self.tree.leaves.len() as u64) as usize;
        let page = self.tree.page(self.tree.leaves[leaf]);
        self.kernel.copy(&mut self.buffer, page);
        let buffer = std::hint::black_box(&self.buffer);
        let (first, last) = ((leaf * ENTRIES) as u64, ((leaf + 1) * ENTRIES - 1) as u64);
        buffer[0] == first && buffer[PAGE - 1] == mixed(last)
    }

    fn descend(&mut self) -> bool {
        // Where to begin is known only with the last value: descents of several keys at a time would be faster than a lookup is.
        let key = self.rng.below(self.tree.keys()) | (self.last & self.none);
        self.last = self.tree.find(key);
        self.last == mixed(key)
    }
}

impl GroupWorker for Worker<'_> {
    type Did = Done;

    fn work(&mut self, kind: usize, window: Window) -> Done {
        Done::batches(window, self.stop, || {
            let mut wrong = 0;
            for _ in 0..BATCH {
                let right = match KINDS[kind] {
                    TreeOperation::Copy => self.copy(),
                    TreeOperation::Descent => self.descend(),
                };
                wrong += u64::from(!right);
            }
            Some(Done { amount: BATCH, wrong })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(bytes: u64) -> Tree {
        let stop = Stop::new();
        let mapping = Mapping::new(bytes, Pages::Any, None, &stop).unwrap();
        Tree::build(mapping, 5, &stop).unwrap()
    }

    #[test]
    fn every_key_is_found_and_no_page_serves_twice() {
        let tree = tree(16 << 20);
        assert_eq!(tree.levels, 3, "more leaves than a page has entries");
        for key in (0..tree.keys()).step_by(97).chain([tree.keys() - 1]) {
            assert_eq!(tree.find(key), mixed(key), "{key}");
        }
        let pages: std::collections::BTreeSet<u32> = tree.leaves.iter().copied().collect();
        assert_eq!(pages.len(), tree.leaves.len());
        assert!(!pages.contains(&tree.root));
    }

    #[test]
    fn all_pages_are_used() {
        for pages in [1, 2, 3, 513, 514, 2048, 131_072, 300_000] {
            let leaves = leaves_of(pages);
            let (mut level, mut all) = (leaves, leaves);
            while level > 1 {
                level = level.div_ceil(ENTRIES);
                all += level;
            }
            assert!(all <= pages && all + 3 > pages, "{pages}: {leaves} leaves, {all} in all");
        }
    }

    #[test]
    fn a_page_that_changed_is_seen() {
        let mut tree = tree(2 << 20);
        let stop = Stop::new();
        let ctx = Context {
            stop: &stop,
            progress: &narrows_engine::Silent,
            seed: 1,
            repeats: 1,
            quick: false,
            window: std::time::Duration::from_millis(1),
        };
        let broken = tree.leaves[0];
        page_of(tree.mapping.words_mut(), broken)[PAGE - 1] ^= 1;
        let mut worker = Worker::new(&tree, &ctx, 0);
        let wrong = (0..4 * tree.leaves.len()).filter(|_| !worker.copy()).count();
        assert!(wrong > 0 && wrong < tree.leaves.len(), "{wrong}");
        assert_ne!(tree.find(ENTRIES as u64 - 1), mixed(ENTRIES as u64 - 1));
    }
}
