//! Priorities of single operations: told to the way to the device before each of them, and their latencies kept apart.
//!
//! A loop without them pays one comparison an operation and one a completion.

use narrows_io::{DevicePath, Op};
use narrows_stats::Recorder;

use crate::outcome::PriorityLatency;
use crate::worker::priority_choice::PriorityChoice;

/// What the loop keeps of priorities.
pub(super) struct PriorityState {
    choice: PriorityChoice,
    /// Number of each slot's priority.
    flying: Box<[u8]>,
    /// By number: reads and writes.
    latency: Vec<[Recorder; 2]>,
}

impl PriorityState {
    pub(super) fn new(choice: PriorityChoice, slots: u32) -> PriorityState {
        let latency =
            choice.all().iter().map(|_| std::array::from_fn(|_| Recorder::new())).collect();
        PriorityState { choice, flying: vec![0; slots as usize].into_boxed_slice(), latency }
    }

    /// Chooses that of the operation that the slot begins.
    pub(super) fn give(&mut self, slot: u32, (op, bytes): (Op, u32), path: &mut dyn DevicePath) {
        let number = self.choice.draw(op, bytes);
        self.flying[slot as usize] = number;
        path.set_priority(self.choice.of(number));
    }

    /// An operation has come back inside the window.
    pub(super) fn record(&mut self, slot: u32, op: Op, latency_ns: u64) {
        let kind = match op {
            Op::Read => 0,
            Op::Write => 1,
            Op::Trim | Op::Sync => return,
        };
        self.latency[usize::from(self.flying[slot as usize])][kind].record(latency_ns);
    }

    /// Nothing that has come back counts any more.
    pub(super) fn count_anew(&mut self) {
        self.latency.iter_mut().flatten().for_each(|latency| *latency = Recorder::new());
    }

    /// Those that have had operations.
    pub(super) fn into_latencies(self) -> Vec<PriorityLatency> {
        let mut all = Vec::new();
        for (number, kinds) in self.latency.into_iter().enumerate() {
            let priority = (number > 0).then(|| self.choice.of(number as u8));
            for (op, latency) in [Op::Read, Op::Write].into_iter().zip(kinds) {
                if latency.count() > 0 {
                    all.push(PriorityLatency { op, priority, latency });
                }
            }
        }
        all
    }
}
