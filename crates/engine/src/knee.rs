//! The depth at which throughput stops growing: doubles the depth until two doublings together gain less than
//! 3 %, then takes the smallest depth that gives 97 % of the best rate seen.
//!
//! Pure: what was seen goes in, the next step comes out. The smallest sufficient depth is wanted because any
//! deeper queue only adds waiting (Little's law), and latency reported there would describe the queue.

/// Two doublings must gain more than this for the search to go on.
const GAIN: f64 = 1.03;
/// A depth suffices when it gives this share of the best rate.
const SUFFICIENT: f64 = 0.97;

/// The search's state.
#[derive(Debug, Clone)]
pub struct KneeSearch {
    max_depth: u32,
    curve: Vec<(u32, f64)>,
}

impl KneeSearch {
    /// A search from depth 1 up to `max_depth` (at least 1).
    pub fn new(max_depth: u32) -> Self {
        KneeSearch { max_depth: max_depth.max(1), curve: Vec::new() }
    }

    /// The depth to try next; `None` when the search is over.
    pub fn next_depth(&self) -> Option<u32> {
        let Some(&(depth, rate)) = self.curve.last() else { return Some(1) };
        if let [.., (_, two_before), _, _] = self.curve[..]
            && rate < two_before * GAIN
        {
            return None;
        }
        let next = depth.saturating_mul(2).min(self.max_depth);
        (next > depth).then_some(next)
    }

    /// What that depth gave, operations per second.
    pub fn saw(&mut self, depth: u32, rate_per_s: f64) {
        self.curve.push((depth, rate_per_s));
    }

    /// The knee; `None` before the first probe.
    pub fn chosen(&self) -> Option<u32> {
        let best = self.curve.iter().map(|&(_, rate)| rate).reduce(f64::max)?;
        self.curve.iter().find(|&&(_, rate)| rate >= best * SUFFICIENT).map(|&(depth, _)| depth)
    }

    /// Depth and rate of every probe, in order.
    pub fn curve(&self) -> &[(u32, f64)] {
        &self.curve
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(max_depth: u32, device: impl Fn(u32) -> f64) -> KneeSearch {
        let mut search = KneeSearch::new(max_depth);
        while let Some(depth) = search.next_depth() {
            search.saw(depth, device(depth));
            assert!(search.curve().len() < 40, "the search must end");
        }
        search
    }

    #[test]
    fn a_device_with_sixteen_servers_has_its_knee_at_sixteen() {
        // M/D/16 in a closed loop without queueing: the rate grows with depth up to 16 and then not at all.
        let search = run(1024, |depth| 1000.0 * f64::from(depth.min(16)));
        assert_eq!(search.chosen(), Some(16));
        assert_eq!(search.curve().last().unwrap().0, 64);
    }

    #[test]
    fn a_device_that_gets_slower_is_left_at_its_best() {
        let search = run(1024, |depth| if depth <= 4 { f64::from(depth) } else { 2.0 });
        assert_eq!(search.chosen(), Some(4));
    }

    #[test]
    fn the_maximum_is_tried_and_never_passed() {
        let search = run(48, f64::from);
        assert_eq!(search.curve().last().unwrap().0, 48);
        assert_eq!(search.chosen(), Some(48));
    }

    #[test]
    fn a_single_server_needs_depth_one() {
        assert_eq!(run(256, |_| 500.0).chosen(), Some(1));
    }
}
