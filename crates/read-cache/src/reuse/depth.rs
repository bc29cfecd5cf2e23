//! Counts by depth in a stack: exact to 512, and beyond in steps of less than a 256th.

/// Steps of each doubling.
const STEPS: u64 = 256;

/// Sums of weights by depth.
#[derive(Debug, Clone, Default)]
pub(super) struct DepthCounts {
    weights: Vec<f64>,
}

impl DepthCounts {
    /// Adds a weight at a depth; the first is 1.
    pub(super) fn add(&mut self, depth: u64, weight: f64) {
        let step = step_of(depth);
        if self.weights.len() <= step {
            self.weights.resize(step + 1, 0.0);
        }
        self.weights[step] += weight;
    }

    /// Depths with the weight at or above each, ascending: of each step the deepest of its depths, so that no cache is said to hit what it
    /// may miss.
    pub(super) fn cumulative(&self) -> Vec<(u64, f64)> {
        let mut sum = 0.0;
        let steps = self.weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0);
        steps
            .map(|(step, weight)| {
                sum += weight;
                (deepest_of(step), sum)
            })
            .collect()
    }
}

fn step_of(depth: u64) -> usize {
    if depth < 2 * STEPS {
        return depth as usize;
    }
    let shift = depth.ilog2() - STEPS.ilog2();
    (u64::from(shift) * STEPS + (depth >> shift)) as usize
}

fn deepest_of(step: usize) -> u64 {
    let step = step as u64;
    if step < 2 * STEPS {
        return step;
    }
    let shift = step / STEPS - 1;
    let first = step % STEPS + STEPS;
    ((first + 1) << shift) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_depth_is_of_one_step_whose_deepest_is_less_than_a_256th_away() {
        let mut step = 0;
        for depth in 1..20_000u64 {
            let its_step = step_of(depth);
            assert!(its_step == step || its_step == step + 1, "{depth}");
            step = its_step;
            let deepest = deepest_of(step);
            assert!(deepest >= depth && (deepest - depth) * STEPS < depth.max(STEPS), "{depth}");
        }
        for depth in [1 << 40, u64::MAX >> 1] {
            let deepest = deepest_of(step_of(depth));
            assert!(deepest >= depth && (deepest - depth) / (depth / STEPS) <= 1);
        }
    }

    #[test]
    fn weights_add_up_from_the_top_of_the_stack() {
        let mut counts = DepthCounts::default();
        for (depth, weight) in [(3, 1.0), (1, 2.0), (3, 0.5)] {
            counts.add(depth, weight);
        }
        assert_eq!(counts.cumulative(), [(1, 2.0), (3, 3.5)]);
    }
}
