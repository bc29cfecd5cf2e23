//! How many streams a device holds at the target: by doubling until a number misses it, then by halving the distance. Pure.
//!
//! A number misses the target where the share of writes over the limit, all repeats together, is more than the percentile allows and the
//! 95 % interval of that share says so too; or where a stream gave up writes that were due. A few streams write so seldom that one slow
//! write is no proof.

use super::plan::StreamsPlan;

/// What a number of streams showed, all repeats together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Held {
    /// Writes that were due.
    pub operations: u64,
    /// Of these, over the limit.
    pub over: u64,
    /// Of these, given up.
    pub late: u64,
}

/// The search, and its answer when [`Holding::next_count`] gives none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holding {
    most: u32,
    allowed_per_million: u32,
    kept: Option<u32>,
    missed: Option<u32>,
}

impl Holding {
    /// For the plan's target.
    pub fn new(plan: &StreamsPlan) -> Self {
        Holding {
            most: plan.most_streams.max(plan.streams).max(1),
            allowed_per_million: ((1.0 - plan.quantile) * 1e6).round() as u32,
            kept: None,
            missed: None,
        }
    }

    /// Adds what a number showed. A number that kept it above one that missed it is an accident: the lower one counts.
    pub fn saw(&mut self, n: u32, held: &Held) {
        let allowed = f64::from(self.allowed_per_million) / 1e6;
        let (at_least, _) = narrows_stats::share_interval_95(held.over, held.operations);
        if held.operations > 0 && at_least <= allowed && held.late == 0 {
            self.kept = Some(self.kept.map_or(n, |kept| kept.max(n)));
        } else {
            self.missed = Some(self.missed.map_or(n, |missed| missed.min(n)));
        }
        if let (Some(kept), Some(missed)) = (self.kept, self.missed)
            && kept > missed
        {
            self.kept = missed.checked_sub(1).filter(|n| *n > 0);
        }
    }

    /// The number to try next.
    pub fn next_count(&self) -> Option<u32> {
        match (self.kept, self.missed) {
            (Some(kept), None) => (kept < self.most).then(|| (kept * 2).min(self.most)),
            (None, Some(missed)) => (missed > 1).then_some(missed / 2),
            (Some(kept), Some(missed)) => {
                let middle = kept + (missed - kept) / 2;
                // Within a tenth the number of the day differs anyway.
                let close = missed - kept <= 1.max(kept / 10);
                (!close && middle > kept).then_some(middle)
            }
            (None, None) => Some(1),
        }
    }

    /// The largest number that kept the target; `None` where not even one did.
    pub fn kept(&self) -> Option<u32> {
        self.kept
    }

    /// The smallest that missed it; `None` where none that was tried did.
    pub fn missed(&self) -> Option<u32> {
        self.missed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(streams: u32, most_streams: u32) -> StreamsPlan {
        StreamsPlan {
            streams,
            rate_bytes_per_s: 1e6,
            write_bytes: 8192,
            quantile: 0.99,
            limit_ns: 1,
            most_streams,
            cache_bytes: None,
            cpus: Vec::new(),
        }
    }

    /// A device that holds `capacity`; gives the answer and the numbers tried.
    fn search(streams: u32, most: u32, capacity: u32) -> (Holding, Vec<u32>) {
        let mut holding = Holding::new(&plan(streams, most));
        let shown =
            |n: u32| Held { operations: 1000, over: if n <= capacity { 10 } else { 30 }, late: 0 };
        for n in plan(streams, most).counts() {
            holding.saw(n, &shown(n));
        }
        let mut tried = Vec::new();
        while let Some(n) = holding.next_count() {
            tried.push(n);
            holding.saw(n, &shown(n));
            assert!(tried.len() < 20, "{tried:?}");
        }
        (holding, tried)
    }

    #[test]
    fn it_finds_the_number_within_a_tenth() {
        for capacity in [1, 2, 3, 5, 7, 9, 13, 16, 21, 40, 63] {
            let (holding, tried) = search(10, 64, capacity);
            let kept = holding.kept().unwrap();
            let missed = holding.missed().unwrap();
            assert!(kept <= capacity && capacity < missed, "{capacity}: {holding:?}");
            assert!(missed - kept <= 1.max(kept / 10), "{capacity}: {holding:?}");
            assert!(tried.len() <= 7, "{tried:?}");
        }
    }

    #[test]
    fn the_ends_are_said_as_such() {
        let (none, _) = search(4, 8, 0);
        assert_eq!((none.kept(), none.missed()), (None, Some(1)));
        let (all, tried) = search(4, 8, 100);
        assert_eq!((all.kept(), all.missed(), tried), (Some(8), None, vec![8]));
    }

    #[test]
    fn one_slow_write_of_sixty_is_no_proof() {
        let mut holding = Holding::new(&plan(1, 1));
        holding.saw(1, &Held { operations: 60, over: 1, late: 0 });
        assert_eq!((holding.kept(), holding.missed()), (Some(1), None));
        holding.saw(1, &Held { operations: 60, over: 10, late: 0 });
        assert_eq!(holding.missed(), Some(1));
    }

    #[test]
    fn writes_that_were_given_up_miss_the_target() {
        let mut holding = Holding::new(&plan(1, 1));
        holding.saw(1, &Held { operations: 1000, over: 0, late: 1 });
        assert_eq!(holding.kept(), None);
    }
}
