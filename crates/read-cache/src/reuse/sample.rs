//! One sample: the pages whose hash is small enough, and the order in which they were last referenced.

use std::collections::HashMap;

use super::depth::DepthCounts;
use super::timeline::Timeline;
use crate::hash::{PageHash, seeded};

/// Fewest moments of a timeline, so that a small sample isn't renumbered all the time.
const MOMENTS: usize = 1024;

/// The share of a full sample that leaves at once: one by one, each new page would pay for finding the next to leave.
const LEAVES: usize = 32;

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
    /// The same pages with their hashes, in any order.
    hashes: Vec<(u64, u64)>,
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
            hashes: Vec::new(),
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
        let hashes = self.last.keys().map(|page| (seeded(*page, seed), *page)).collect();
        Sample { seed, hashes, ..self.clone() }
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
                self.hashes.push((hash, page));
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

    /// Leaves out the pages of the greatest hashes, and from now on all of these hashes and above.
    fn lower(&mut self) {
        let leaves = (self.hashes.len() / LEAVES).max(1);
        let stays = self.hashes.len() - leaves;
        let (_, least, _) = self.hashes.select_nth_unstable(stays);
        self.threshold = least.0.saturating_sub(1);
        let (last, timeline, threshold) = (&mut self.last, &mut self.timeline, self.threshold);
        self.hashes.retain(|(hash, page)| {
            if *hash > threshold
                && let Some(moment) = last.remove(page)
            {
                timeline.unmark(moment);
            }
            *hash <= threshold
        });
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
