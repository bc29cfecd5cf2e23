//! One thread of a crew that walks a chain during each window, and proves that it did.

use narrows_engine::{Stop, Window, now_ns};
use narrows_facts::affinity;

use crate::chase::Chain;
use crate::cycle;
use crate::latency::Cycle;

/// Loads between two looks at the clock: half a millisecond.
const STEPS: u64 = 2048;

/// A thread with its chain.
pub struct Walker<'a> {
    /// The CPU it should stay on.
    pub cpu: u32,
    /// Linked by the cycle.
    pub chain: Chain,
    /// Where the proof comes from.
    pub cycle: &'a Cycle,
    /// Where it goes on.
    pub at: u32,
    /// Looked at between steps.
    pub stop: &'a Stop,
}

/// What it did in a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Paces {
    /// Loads.
    pub steps: u64,
    /// The time they took on the processor, ns.
    pub cpu_ns: u64,
    /// Whether they ended where they should, on the CPU they should.
    pub right: bool,
}

impl Paces {
    /// Of a load, ns; not a number where there was none.
    pub fn ns(&self) -> f64 {
        self.cpu_ns as f64 / self.steps as f64
    }
}

impl Walker<'_> {
    /// Walks until the window ends; counts what lies wholly inside it.
    pub fn walk(&mut self, window: Window) -> Paces {
        let (mut steps, mut cpu_ns, mut all) = (0, 0, 0);
        let from = self.at;
        let mut stayed = affinity::current_cpu() == Some(self.cpu);
        loop {
            let began = now_ns();
            let walked = self.chain.walk(self.at, STEPS);
            let ended = now_ns();
            self.at = walked.line;
            all += walked.steps;
            if began >= window.start_ns && ended < window.end_ns {
                steps += walked.steps;
                cpu_ns += walked.cpu_ns;
            }
            if ended >= window.end_ns || self.stop.is_set() {
                break;
            }
        }
        stayed &= affinity::current_cpu() == Some(self.cpu);
        // Who was asked to stop in the middle of the proof is not believed by anybody.
        let there = cycle::walk(self.cycle.links(), from, all, self.stop) == Ok(self.at);
        Paces { steps, cpu_ns, right: there && stayed }
    }
}
