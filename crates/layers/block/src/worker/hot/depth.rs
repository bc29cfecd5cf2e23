//! The depth of a loop that searches it.

use super::Hot;
use crate::outcome::Counted;
use crate::scenario::{Searching, Turn};
use crate::worker::clock::Clock;

/// A search in a loop.
#[derive(Debug)]
pub(super) struct DepthState {
    pub searching: Searching,
    /// The depth that holds when nothing is in flight any more.
    next: Option<u32>,
    /// Whether the figures begin anew then.
    anew: bool,
}

impl DepthState {
    pub(super) fn new(searching: Searching) -> DepthState {
        DepthState { searching, next: None, anew: false }
    }
}

impl<C: Clock> Hot<'_, C> {
    /// So many came back, of which so many took too long.
    pub(super) fn search_depth(&mut self, operations: u64, over: u64) {
        if !self.counting {
            return;
        }
        let Some(state) = &mut self.depth_state else { return };
        if let Some(depth) = state.next {
            if self.in_flight > 0 {
                return;
            }
            state.next = None;
            state.searching.begin(self.now);
            self.orders.depth = depth;
            if std::mem::take(&mut state.anew) {
                self.count_anew();
            }
            return;
        }
        match state.searching.came_back(self.now, operations, over) {
            Turn::Stay => {}
            Turn::Raise(depth) => self.orders.depth = depth,
            // Nothing more starts until then.
            Turn::Lower(depth) => (state.next, self.orders.depth) = (Some(depth), 0),
            Turn::Last(depth) => {
                (state.next, state.anew, self.orders.depth) = (Some(depth), true, 0);
            }
            Turn::Found | Turn::None => self.own_end_ns = self.now,
        }
        if self.in_flight == 0 && self.orders.depth == 0 {
            self.search_depth(0, 0);
        }
    }

    /// The window of its figures begins now.
    fn count_anew(&mut self) {
        self.window.start_ns = self.now;
        self.tally.began_ns = Some(self.now);
        self.tally.counted_anew = true;
        let split = self.tally.kinds.iter().any(|kind| kind.split.is_some());
        // What failed meanwhile has failed.
        let failed: Vec<u64> = self.tally.kinds.iter().map(|kind| kind.failed).collect();
        self.tally.kinds = std::array::from_fn(|at| Counted {
            failed: failed.get(at).copied().unwrap_or(0),
            ..Counted::default()
        });
        if let Some(priorities) = &mut self.priorities {
            priorities.count_anew();
        }
        if split {
            self.tally.split_latency();
        }
        self.tally.slices.fill_with(Default::default);
        self.counting = false;
        self.begin();
    }
}
