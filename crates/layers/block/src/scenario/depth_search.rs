//! The highest depth at which operations stay within a latency, searched while the stream runs.
//!
//! As fio's `latency_target`: each depth is held for a window; it doubles while the latency holds, then lies halfway between what held and what
//! did not. When no other depth is left the figures begin anew, for one more window at that depth. Other than in fio a depth that fails in
//! that window is no result: the search goes on, so that the figures are always of one depth.

use std::time::Duration;

/// What is searched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DepthSearch {
    /// No operation may take longer.
    pub target: Duration,
    /// Each depth is held so long.
    pub window: Duration,
    /// For so many of them, in per cent.
    pub percent: f64,
    /// The search goes on until something else ends the stream, and the figures are of all depths.
    pub goes_on: bool,
}

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DepthFound {
    /// The depth at the end.
    pub depth: u32,
    /// Whether the search had come to its end, and the figures are of this depth alone.
    pub settled: bool,
    /// Whether an operation took longer at depth 1 already, where none may.
    pub failed: bool,
}

/// What comes of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Nothing.
    Stay,
    /// To this depth at once.
    Raise(u32),
    /// To this depth, when what is in flight has come back.
    Lower(u32),
    /// The same depth, whose figures begin anew when what is in flight has come back.
    Last(u32),
    /// It is found.
    Found,
    /// There is none.
    None,
}

/// The search of one thread.
#[derive(Debug)]
pub(crate) struct Searching {
    rule: DepthSearch,
    most: u32,
    depth: u32,
    /// The lowest that did not hold; none so far: `None`.
    high: Option<u32>,
    low: u32,
    /// Windows in a row in which nothing changed.
    stable: u32,
    last: bool,
    settled: bool,
    failed: bool,
    since_ns: u64,
    operations: u64,
    over: u64,
}

impl Searching {
    /// From depth 1, up to that many.
    pub(crate) fn new(rule: DepthSearch, most: u32) -> Searching {
        Searching {
            rule,
            most,
            depth: 1,
            high: None,
            low: 1,
            stable: 0,
            last: false,
            settled: false,
            failed: false,
            since_ns: 0,
            operations: 0,
            over: 0,
        }
    }

    pub(crate) fn found(&self) -> DepthFound {
        DepthFound { depth: self.depth, settled: self.settled, failed: self.failed }
    }

    /// A depth begins to be held.
    pub(crate) fn begin(&mut self, now_ns: u64) {
        (self.since_ns, self.operations, self.over) = (now_ns, 0, 0);
    }

    /// So many came back, of which so many took too long.
    pub(crate) fn came_back(&mut self, now_ns: u64, operations: u64, over: u64) -> Turn {
        if self.settled || self.failed {
            // What was under way when the search ended.
            return Turn::Stay;
        }
        self.operations += operations;
        self.over += over;
        if over > 0 && self.rule.percent >= 100.0 {
            if self.depth == 1 {
                self.failed = true;
                return Turn::None;
            }
            return self.lower();
        }
        let held_ns = now_ns.saturating_sub(self.since_ns);
        if held_ns < self.rule.window.as_nanos() as u64 || self.operations == 0 {
            return Turn::Stay;
        }
        let within = (self.operations - self.over) as f64 / self.operations as f64 * 100.0;
        if within >= self.rule.percent {
            self.held(now_ns)
        } else if self.depth == 1 {
            // There is no lower one: it is looked at over all of its time.
            Turn::Stay
        } else {
            self.lower()
        }
    }

    fn lower(&mut self) -> Turn {
        self.high = Some(self.depth);
        if self.depth == self.low {
            self.low -= 1;
        }
        self.depth = ((self.depth + self.low) / 2).max(1);
        (self.stable, self.last) = (0, false);
        Turn::Lower(self.depth)
    }

    fn held(&mut self, now_ns: u64) -> Turn {
        let before = self.depth;
        self.low = before;
        if self.high == Some(before + 1) {
            self.stable += 1;
            if self.stable >= 3 {
                (self.high, self.stable) = (Some(before + 2), 0);
            }
        }
        let next = self.high.map_or(before.saturating_mul(2), |high| (before + high) / 2);
        self.depth = next.min(self.most);
        if self.rule.goes_on || self.depth != before {
            self.last = false;
            self.begin(now_ns);
            return Turn::Raise(self.depth);
        }
        if self.last {
            self.settled = true;
            return Turn::Found;
        }
        self.last = true;
        Turn::Last(self.depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: u64 = 1_000;

    /// Searches where depths up to `holds` hold; the depths in their order, and what was found.
    fn search(holds: u32, most: u32, percent: f64) -> (Vec<u32>, DepthFound) {
        let rule = DepthSearch {
            target: Duration::from_millis(1),
            window: Duration::from_nanos(WINDOW),
            percent,
            goes_on: false,
        };
        let mut searching = Searching::new(rule, most);
        let (mut depths, mut depth) = (vec![1], 1);
        for window in 1..100 {
            let over = if depth > holds { 2 } else { 0 };
            match searching.came_back(window * WINDOW, 100, over) {
                Turn::Stay => {}
                Turn::Raise(to) | Turn::Lower(to) | Turn::Last(to) => {
                    searching.begin(window * WINDOW);
                    depth = to;
                    depths.push(to);
                }
                Turn::Found | Turn::None => break,
            }
        }
        (depths, searching.found())
    }

    #[test]
    fn the_highest_depth_that_holds_is_found_and_held_once_more() {
        let found = |depth| DepthFound { depth, settled: true, failed: false };
        let (depths, last) = search(11, 128, 99.0);
        assert_eq!(depths, [1, 2, 4, 8, 16, 12, 10, 11, 11]);
        assert_eq!(last, found(11));
        assert_eq!(search(500, 32, 99.0).1, found(32), "the most that it may be");
        assert_eq!(search(1, 32, 99.0).1, found(1));
        for holds in 1..=40 {
            assert_eq!(search(holds, 40, 99.0).1, found(holds.min(40)), "{holds}");
        }
    }

    #[test]
    fn what_comes_back_after_the_search_ended_changes_nothing() {
        let rule = DepthSearch {
            target: Duration::from_millis(1),
            window: Duration::from_nanos(WINDOW),
            percent: 100.0,
            goes_on: false,
        };
        let mut searching = Searching::new(rule, 1);
        assert_eq!(searching.came_back(WINDOW, 100, 0), Turn::Last(1));
        searching.begin(WINDOW);
        assert_eq!(searching.came_back(2 * WINDOW, 100, 0), Turn::Found);
        for over in [0, 1] {
            assert_eq!(searching.came_back(9 * WINDOW, 1, over), Turn::Stay);
        }
        assert_eq!(searching.found(), DepthFound { depth: 1, settled: true, failed: false });
    }

    #[test]
    fn where_none_may_be_slow_the_first_slow_one_decides() {
        let (_, last) = search(0, 32, 100.0);
        assert_eq!(last, DepthFound { depth: 1, settled: false, failed: true });
        assert_eq!(search(5, 32, 100.0).1, DepthFound { depth: 5, settled: true, failed: false });
        // A share that is kept at no depth is looked at until time ends it.
        let (depths, last) = search(0, 32, 99.0);
        assert_eq!((depths.as_slice(), last.settled, last.failed), (&[1][..], false, false));
    }
}
