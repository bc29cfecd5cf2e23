//! A block device for the search of rates: Poisson arrivals into one queue before k servers, in virtual time, with
//! the habits of real devices that change what a search sees.
//!
//! First come, first served by the recursion of Kiefer and Wolfowitz: each operation goes to the server that is
//! free first. That needs no events, and is another method than the oracles' ([`crate::truth`]
//! in closed form, [`crate::longrun`] by events). Time goes on from window to window, so that a device remembers.

use std::collections::{BinaryHeap, VecDeque};
use std::hint::select_unpredictable;

use narrows_engine::rate_search::{Backlog, Goal, RateSeen, RateStep};
use narrows_engine::{KneeSearch, Rng};
use narrows_stats::{Recorder, Slice};

use crate::law::{Law, scatter};

/// Slices of a window.
const SLICES: usize = 100;
/// Operations in flight at which a generator stops adding.
const MOST_IN_FLIGHT: u64 = 1 << 16;

/// What a device does besides serving.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Habit {
    /// Nothing.
    Plain,
    /// Stops serving at random moments: mean distance and length, ns.
    Stalls {
        /// Mean time from one stall to the next, ns.
        every_ns: f64,
        /// Length of each, ns.
        length_ns: f64,
    },
    /// A token bucket, as clouds have: so many operations at once, then so many per second.
    Credits {
        /// Operations that a full bucket is worth.
        bucket: f64,
        /// Operations per second that flow in.
        refill_per_s: f64,
    },
    /// So many operations at full speed, then slower by that factor, for good.
    Cliff {
        /// Operations before it.
        operations: u64,
        /// Service takes so many times as long after it.
        slower: f64,
    },
    /// Service takes longer by that share with every second.
    Drift {
        /// Share per second.
        per_s: f64,
    },
    /// This share of operations is answered by memory, in 2 µs, without the servers.
    Cached {
        /// That share.
        share: f64,
    },
}

/// A simulated device with its generator.
#[derive(Debug, Clone)]
pub struct Drive {
    law: Law,
    habit: Habit,
    /// Relative scatter of service times from window to window.
    scatter: f64,
    /// Least time from one operation that the generator sends to the next.
    generator_ns: f64,
    rng: Rng,
    /// When each server is free, the first of them first; they are alike, so that none needs a name.
    free_ns: Vec<f64>,
    now_ns: f64,
    pace: f64,
    served: u64,
    /// When the token after the last one used flows in, if none had been saved.
    token_ns: f64,
    stalls: VecDeque<(f64, f64)>,
}

/// When an operation was due, was sent and came back, ns.
struct Operation {
    due_ns: f64,
    sent_ns: f64,
    done_ns: f64,
}

impl Drive {
    /// A device of `channels` servers.
    pub fn new(channels: u32, law: Law, habit: Habit, seed: u64) -> Self {
        Drive {
            law,
            habit,
            scatter: 0.0,
            generator_ns: 0.0,
            rng: Rng::new(seed),
            free_ns: vec![0.0; channels.max(1) as usize],
            now_ns: 0.0,
            pace: 1.0,
            served: 0,
            token_ns: 0.0,
            stalls: VecDeque::new(),
        }
    }

    /// With service times that scatter so much from window to window.
    pub fn scattered(mut self, relative: f64) -> Self {
        self.scatter = relative;
        self
    }

    /// With a generator that sends no faster.
    pub fn with_generator(mut self, most_per_s: f64) -> Self {
        self.generator_ns = 1e9 / most_per_s;
        self
    }

    /// Operations per second at full load, as a search by depth finds them in a closed loop.
    pub fn ceiling_per_s(&mut self, most_depth: u32) -> f64 {
        let mut search = KneeSearch::new(most_depth);
        while let Some(depth) = search.next_depth() {
            let rate = self.closed(depth, 4_000.0);
            search.saw(depth, rate);
        }
        search.curve().iter().map(|&(_, rate)| rate).fold(0.0, f64::max)
    }

    /// A closed loop of that depth for so many operations per channel; operations per second.
    fn closed(&mut self, depth: u32, per_channel: f64) -> f64 {
        self.settle();
        let began_ns = self.now_ns;
        let operations = (per_channel * self.free_ns.len() as f64) as u64;
        // Completion times, earliest first: positive floats order like their bits.
        let mut back: BinaryHeap<std::cmp::Reverse<u64>> = BinaryHeap::new();
        let mut end_ns = began_ns;
        for i in 0..operations {
            let due_ns = if i < u64::from(depth) {
                began_ns
            } else {
                back.pop().map_or(began_ns, |bits| f64::from_bits(bits.0))
            };
            let done_ns = self.serve(due_ns);
            end_ns = end_ns.max(done_ns);
            back.push(std::cmp::Reverse(done_ns.to_bits()));
        }
        self.now_ns = end_ns;
        operations as f64 / (end_ns - began_ns) * 1e9
    }

    /// One window of an open loop.
    pub fn open(&mut self, step: &RateStep, goal: &Goal) -> RateSeen {
        self.settle();
        let begin_ns = self.now_ns + step.warm_up.as_nanos() as f64;
        let window_ns = step.window.as_nanos() as f64;
        let end_ns = begin_ns + window_ns;
        let slice_of = |at_ns: f64| ((at_ns - begin_ns) / window_ns * SLICES as f64) as usize;
        let gap_ns = 1e9 / step.rate_per_s;
        let mut slices = vec![Slice::default(); SLICES];
        let mut completed = [0u64; SLICES];
        let (mut latency, mut lateness) = (Recorder::new(), Recorder::new());
        let (mut due_before, mut done_before, mut sent, mut done) = (0u64, 0u64, 0u64, 0u64);
        let mut due_ns = self.now_ns;
        let mut last_sent_ns = f64::NEG_INFINITY;
        loop {
            due_ns += self.rng.exponential(gap_ns);
            if due_ns >= end_ns {
                break;
            }
            let op = self.operation(due_ns, last_sent_ns);
            last_sent_ns = op.sent_ns;
            if (begin_ns..end_ns).contains(&op.sent_ns) {
                sent += 1;
            }
            if op.done_ns < begin_ns {
                done_before += 1;
            } else if op.done_ns < end_ns {
                done += 1;
                completed[slice_of(op.done_ns).min(SLICES - 1)] += 1;
            }
            if op.due_ns < begin_ns {
                due_before += 1;
                continue;
            }
            let took_ns = (op.done_ns - op.due_ns) as u64;
            latency.record(took_ns);
            lateness.record((op.sent_ns - op.due_ns) as u64);
            let slice = &mut slices[slice_of(op.due_ns).min(SLICES - 1)];
            slice.operations += 1;
            slice.over += u64::from(took_ns > goal.limit_ns);
        }
        self.now_ns = end_ns;
        let mut waiting = due_before.saturating_sub(done_before);
        let in_flight: Vec<u64> = slices
            .iter()
            .zip(completed)
            .map(|(slice, completed)| {
                waiting = (waiting + slice.operations).saturating_sub(completed);
                waiting
            })
            .collect();
        let cap_hit = in_flight.iter().any(|n| *n > MOST_IN_FLIGHT);
        RateSeen {
            due_per_s: latency.count() as f64 / window_ns * 1e9,
            sent_per_s: sent as f64 / window_ns * 1e9,
            achieved_per_s: done as f64 / window_ns * 1e9,
            backlog: Backlog::of(&in_flight, latency.count(), cap_hit),
            slices,
            quantile_ns: latency.quantile(goal.quantile),
            mean_ns: latency.mean(),
            lateness_ns: lateness.quantile(goal.quantile),
            lateness_median_ns: lateness.quantile(0.5),
            usable: true,
        }
    }

    /// Before a window everything has come back, and the window has its own pace.
    fn settle(&mut self) {
        self.now_ns =
            self.free_ns.last().copied().map_or(self.now_ns, |last| last.max(self.now_ns));
        self.pace = scatter(&mut self.rng, self.scatter);
    }

    fn operation(&mut self, due_ns: f64, last_sent_ns: f64) -> Operation {
        let sent_ns = due_ns.max(last_sent_ns + self.generator_ns);
        Operation { due_ns, sent_ns, done_ns: self.serve(sent_ns) }
    }

    /// When an operation that is sent now comes back.
    fn serve(&mut self, sent_ns: f64) -> f64 {
        if let Habit::Cached { share } = self.habit
            && self.rng.unit_f64() <= share
        {
            return sent_ns + 2_000.0;
        }
        self.served += 1;
        let mut service_ns = self.law.draw_ns(&mut self.rng) * self.pace;
        let mut start_ns = sent_ns.max(self.free_ns[0]);
        match self.habit {
            Habit::Credits { bucket, refill_per_s } => {
                let token_ns = 1e9 / refill_per_s;
                start_ns = start_ns.max(self.token_ns - bucket * token_ns);
                self.token_ns = self.token_ns.max(start_ns) + token_ns;
            }
            Habit::Cliff { operations, slower } if self.served > operations => {
                service_ns *= slower;
            }
            Habit::Drift { per_s } => service_ns *= 1.0 + per_s * start_ns / 1e9,
            _ => {}
        }
        let done_ns = match self.habit {
            Habit::Stalls { every_ns, length_ns } => {
                self.through_stalls(start_ns, service_ns, every_ns, length_ns)
            }
            _ => start_ns + service_ns,
        };
        self.busy_until(done_ns);
        done_ns
    }

    /// The server that was free first is free again then, and takes its place in the order: from the last on each place keeps the later
    /// of two, without a branch, because where that ends nobody can foretell. What falls out at the front is its old time.
    fn busy_until(&mut self, done_ns: f64) {
        let mut later = done_ns;
        for place in self.free_ns.iter_mut().rev() {
            let other = *place;
            let is_later = other > later;
            *place = select_unpredictable(is_later, other, later);
            later = select_unpredictable(is_later, later, other);
        }
    }

    /// The end of a service that stands still during stalls. Starts never go back in time.
    fn through_stalls(&mut self, start: f64, service: f64, every: f64, length: f64) -> f64 {
        while self.stalls.front().is_some_and(|&(_, end)| end <= start) {
            let last = self.stalls.pop_front();
            if self.stalls.is_empty() {
                let from = last.map_or(0.0, |(_, end)| end) + self.rng.exponential(every);
                self.stalls.push_back((from, from + length));
            }
        }
        if self.stalls.is_empty() {
            let from = self.rng.exponential(every);
            self.stalls.push_back((from, from + length));
            return self.through_stalls(start, service, every, length);
        }
        let mut end = start + service;
        let mut i = 0;
        loop {
            let (from, to) = self.stalls[i];
            if from >= end {
                return end;
            }
            end += to - from.max(start);
            i += 1;
            if i == self.stalls.len() {
                let next = to + self.rng.exponential(every);
                self.stalls.push_back((next, next + length));
            }
        }
    }
}
