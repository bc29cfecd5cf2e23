//! References that are the same in each run.

use narrows_read_cache::{Admission, Page, PageRange, ReadCache};

/// A generator of numbers (SplitMix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

/// Page `k` of `pages` is asked for in proportion to `1 / (k + 1)^exponent`.
pub fn zipf(pages: u64, exponent: f64, references: usize, seed: u64) -> Vec<u64> {
    let mut sum = 0.0;
    let cumulative: Vec<f64> = (0..pages)
        .map(|page| {
            sum += (page as f64 + 1.0).powf(-exponent);
            sum
        })
        .collect();
    let mut random = Random(seed);
    let mut one = || {
        let at = (random.next() >> 11) as f64 / (1u64 << 53) as f64 * sum;
        cumulative.partition_point(|upper| *upper <= at) as u64
    };
    (0..references).map(|_| one()).collect()
}

/// The same pages, again and again.
pub fn cycle(pages: u64, references: usize) -> Vec<u64> {
    (0..references as u64).map(|at| at % pages).collect()
}

/// 100 hot pages, 0 to 99, and 9,900 others, by turns, all at random: the description of the LIRS paper's `2_pools`.
pub fn two_pools(references: usize, seed: u64) -> Vec<u64> {
    let mut random = Random(seed);
    let one = |at| if at % 2 == 0 { random.below(100) } else { 100 + random.below(9_900) };
    (0..references).map(one).collect()
}

/// Has a cache answer references one by one, with a backing that answers at once; how many were hits.
pub fn replay(cache: &mut ReadCache, references: &[u64]) -> u64 {
    let mut hits = 0;
    for page in references {
        let page = Page(*page);
        if cache.hit(PageRange::one(page), |_, _| {}) {
            hits += 1;
        } else {
            let start = cache.begin_read(PageRange::one(page));
            assert_ne!(cache.admit(start, page), Admission::Overtaken);
        }
    }
    hits
}
