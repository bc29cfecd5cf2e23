//! One sample: the pages whose hash is small enough, and the order in which they were last referenced.

use std::collections::{BinaryHeap, HashMap};

use super::depth::DepthCounts;
use super::timeline::Timeline;
use crate::hash::{PageHash, seeded};

/// Fewest moments of a timeline, so that a small sample isn't renumbered all the time.
const MOMENTS: usize = 1024;

/// See the module.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    seed: u64,
    /// Most pages.
    most: usize,
    /// The greatest hash that is sampled.
    threshold: u64,
    /// When each sampled page was last referenced.
    last: HashMap<u64, u32, PageHash>,
    /// The same pages by hash, the greatest first.
    by_hash: BinaryHeap<(u64, u64)>,
    timeline: Timeline,
    /// The next moment.
    now: u32,
    depths: DepthCounts,
    /// References of pages that weren't sampled before, each as many as it stands for.
    cold: f64,
    /// All sampled references, each as many as it stands for.
    total: f64,
}

impl Sample {
    pub(super) fn new(most: usize, seed: u64) -> Sample {
        Sample {
            seed,
            most,
            threshold: u64::MAX,
            last: HashMap::with_hasher(PageHash),
            by_hash: BinaryHeap::new(),
            timeline: Timeline::new(MOMENTS),
            now: 0,
            depths: DepthCounts::default(),
            cold: 0.0,
            total: 0.0,
        }
    }

    /// The same pages by another hash; of a sample that has had every page so far.
    pub(super) fn with_seed(&self, seed: u64) -> Sample {
        debug_assert!(self.threshold == u64::MAX, "a sample of everything");
        let by_hash = self.last.keys().map(|page| (seeded(*page, seed), *page)).collect();
        Sample { seed, by_hash, ..self.clone() }
    }

    /// Whether this page would be the first too many.
    pub(super) fn overflows(&self, page: u64) -> bool {
        self.last.len() >= self.most && !self.last.contains_key(&page)
    }

    /// The share of all pages that is sampled now.
    pub(super) fn rate(&self) -> f64 {
        (self.threshold as f64 + 1.0) / (u64::MAX as f64 + 1.0)
    }

    /// A page was referenced.
    pub(super) fn reference(&mut self, page: u64) {
        let hash = seeded(page, self.seed);
        if hash > self.threshold {
            return;
        }
        if self.now as usize == self.timeline.moments() {
            self.renumber();
        }
        // A reference stands for as many as are left out for it; so counts of before the threshold fell need no correction.
        let weight = 1.0 / self.rate();
        self.total += weight;
        match self.last.insert(page, self.now) {
            Some(before) => {
                let others = f64::from(self.timeline.after(before));
                let depth = (others * weight).round() as u64;
                self.depths.add(depth.saturating_add(1), weight);
                self.timeline.unmark(before);
            }
            None => {
                self.cold += weight;
                self.by_hash.push((hash, page));
            }
        }
        self.timeline.mark(self.now);
        self.now += 1;
        if self.last.len() > self.most {
            self.lower();
        }
    }

    /// Depths with the references at or above each, then the references that no size would have made hits, then all.
    pub(super) fn counts(&self) -> (Vec<(u64, f64)>, f64, f64) {
        (self.depths.cumulative(), self.cold, self.total)
    }

    /// Leaves out the pages of the greatest hash, and all that come with it or above.
    fn lower(&mut self) {
        let Some((greatest, _)) = self.by_hash.peek().copied() else { return };
        self.threshold = greatest.saturating_sub(1);
        while let Some((hash, page)) = self.by_hash.peek().copied()
            && hash > self.threshold
        {
            self.by_hash.pop();
            if let Some(moment) = self.last.remove(&page) {
                self.timeline.unmark(moment);
            }
        }
    }

    /// Gives the moments that are still somebody's the first numbers.
    fn renumber(&mut self) {
        let mut pages: Vec<(u32, u64)> = self.last.iter().map(|(page, at)| (*at, *page)).collect();
        pages.sort_unstable();
        self.timeline = Timeline::new((pages.len() * 4).max(MOMENTS));
        self.now = 0;
        for (_, page) in pages {
            self.last.insert(page, self.now);
            self.timeline.mark(self.now);
            self.now += 1;
        }
    }
}
