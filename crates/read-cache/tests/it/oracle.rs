//! A stack in the order of last use, slow and obvious.

/// Depths of references in a stack of all pages so far.
pub struct Oracle {
    /// How many references were at depth `index + 1`.
    depths: Vec<u64>,
    references: u64,
}

impl Oracle {
    pub fn of(references: &[u64]) -> Oracle {
        let mut stack: Vec<u64> = Vec::new();
        let mut depths = Vec::new();
        for page in references {
            // The last is on top.
            if let Some(at) = stack.iter().rposition(|other| other == page) {
                let depth = stack.len() - at;
                if depths.len() < depth {
                    depths.resize(depth, 0);
                }
                depths[depth - 1] += 1;
                stack.remove(at);
            }
            stack.push(*page);
        }
        Oracle { depths, references: references.len() as u64 }
    }

    /// Hits of a cache of LRU order with so many pages.
    pub fn hits(&self, pages: u64) -> u64 {
        self.depths.iter().take(pages as usize).sum()
    }

    /// The share that it misses.
    pub fn miss_ratio(&self, pages: u64) -> f64 {
        1.0 - self.hits(pages) as f64 / self.references as f64
    }
}

#[test]
fn the_oracle_counts_a_history_that_is_known() {
    let oracle = Oracle::of(&[1, 2, 3, 1, 1, 2]);
    assert_eq!([1, 2, 3, 9].map(|pages| oracle.hits(pages)), [1, 1, 3, 3]);
    assert!((oracle.miss_ratio(3) - 0.5).abs() < 1e-12);
}
