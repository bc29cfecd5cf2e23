//! The path that applies a plan to the path below it.

use std::time::Duration;

use super::clock::{Clock, Monotonic};
use super::plan::{Effect, Fault};
use crate::flights::Flights;
use crate::path::HEARTBEAT_MS;
use crate::{Completion, DevicePath, Error, Method, Op, Outages, Refusal};

/// How long is waited at once for a delayed completion while others may come from below.
const LOOK_NS: u64 = 100_000;

/// What will happen to the operation in a slot.
#[derive(Debug, Clone, Copy, Default)]
struct Fate {
    due_ns: u64,
    zeros: bool,
    corrupt: bool,
}

/// Another path, and what goes wrong with it.
pub struct FaultPath {
    below: Box<dyn DevicePath>,
    clock: Box<dyn Clock>,
    /// Each with the number of operations it has counted.
    faults: Vec<(Fault, u64)>,
    flights: Flights,
    fates: Box<[Fate]>,
    /// Ended below, not to be seen before their time.
    held: Vec<Completion>,
    stalled_until_ns: u64,
    came: Vec<Completion>,
}

impl FaultPath {
    /// `faults` on what `below` does, by the machine's clock.
    pub fn new(below: Box<dyn DevicePath>, faults: Vec<Fault>) -> FaultPath {
        FaultPath::with_clock(below, faults, Box::new(Monotonic::default()))
    }

    /// The same by another clock.
    pub fn with_clock(
        below: Box<dyn DevicePath>,
        faults: Vec<Fault>,
        clock: Box<dyn Clock>,
    ) -> FaultPath {
        let slots = below.slots();
        FaultPath {
            below,
            clock,
            faults: faults.into_iter().map(|fault| (fault, 0)).collect(),
            flights: Flights::new(slots),
            fates: vec![Fate::default(); slots as usize].into_boxed_slice(),
            held: Vec::with_capacity(slots as usize),
            stalled_until_ns: 0,
            came: Vec::with_capacity(slots as usize),
        }
    }

    /// Takes what ended below, spoils it, and holds it until its time.
    fn take_within(&mut self, min: u32, wait: Duration) -> Result<(), Error> {
        self.below.reap_within(min, wait, &mut self.came)?;
        for completion in self.came.drain(..) {
            let fate = self.fates[completion.slot as usize];
            if completion.result > 0 && (fate.zeros || fate.corrupt) {
                let buffer = self.below.buffer(completion.slot);
                if fate.zeros {
                    buffer[..completion.result as usize].fill(0);
                } else {
                    buffer[completion.result as usize / 2] ^= 1;
                }
            }
            self.held.push(completion);
        }
        Ok(())
    }

    /// Gives out what may be seen now; returns how long it takes until the next one may, if there is one.
    fn release(&mut self, out: &mut Vec<Completion>) -> Option<u64> {
        if self.held.is_empty() {
            return None;
        }
        let now_ns = self.clock.now_ns();
        let mut soonest_ns = None;
        let mut at = 0;
        while let Some(&completion) = self.held.get(at) {
            let due_ns = self.fates[completion.slot as usize].due_ns.max(self.stalled_until_ns);
            if due_ns <= now_ns {
                self.held.remove(at);
                self.flights.land(completion.slot);
                out.push(completion);
            } else {
                let left_ns = due_ns - now_ns;
                soonest_ns = Some(soonest_ns.map_or(left_ns, |soonest: u64| soonest.min(left_ns)));
                at += 1;
            }
        }
        soonest_ns
    }
}

impl DevicePath for FaultPath {
    fn method(&self) -> Method {
        self.below.method()
    }

    fn slots(&self) -> u32 {
        self.below.slots()
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.flights.assert_landed(slot);
        self.below.buffer(slot)
    }

    fn set_priority(&mut self, priority: u16) {
        self.below.set_priority(priority);
    }

    fn submit(&mut self, op: Op, slot: u32, offset: u64, bytes: u32) {
        self.flights.take_off(slot);
        let mut fate = Fate::default();
        let mut length = bytes;
        let mut result = None;
        for (fault, counted) in &mut self.faults {
            if !fault.counts(op) {
                continue;
            }
            let number = *counted;
            *counted += 1;
            if !fault.when.hits(number, offset) {
                continue;
            }
            match fault.effect {
                Effect::Errno(errno) => result = Some(-errno.abs()),
                Effect::Lost => result = Some(if op.moves_data() { bytes as i32 } else { 0 }),
                Effect::Short(most) => length = length.min(most),
                Effect::DelayNs(ns) => fate.due_ns = self.clock.now_ns() + ns,
                Effect::StallNs(ns) => {
                    self.stalled_until_ns = self.stalled_until_ns.max(self.clock.now_ns() + ns);
                }
                Effect::Zeros => fate.zeros = op == Op::Read,
                Effect::Corrupt => fate.corrupt = op == Op::Read,
            }
        }
        self.fates[slot as usize] = fate;
        match result {
            Some(result) => self.held.push(Completion { slot, result }),
            None => self.below.submit(op, slot, offset, length),
        }
    }

    fn reap(&mut self, min: u32, out: &mut Vec<Completion>) -> Result<(), Error> {
        self.reap_within(min, Duration::from_millis(HEARTBEAT_MS), out)
    }

    fn reap_within(
        &mut self,
        min: u32,
        wait: Duration,
        out: &mut Vec<Completion>,
    ) -> Result<(), Error> {
        let limit_ns = wait.as_nanos() as u64;
        let enough = out.len() + min.min(self.flights.count()) as usize;
        let began_ns = self.clock.now_ns();
        self.take_within(0, Duration::ZERO)?;
        loop {
            let next_ns = self.release(out);
            let waited_ns = self.clock.now_ns() - began_ns;
            if out.len() >= enough || waited_ns >= limit_ns {
                return Ok(());
            }
            let below = self.below.in_flight();
            let Some(next_ns) = next_ns else {
                if below == 0 {
                    return Ok(());
                }
                // Nothing is held: only what is below can come.
                let wanted = (enough - out.len()) as u32;
                let left = Duration::from_nanos(limit_ns - waited_ns);
                self.take_within(wanted.min(below), left)?;
                if self.held.is_empty() {
                    return Ok(());
                }
                continue;
            };
            let mut wait_ns = next_ns.min(limit_ns - waited_ns);
            if below > 0 {
                wait_ns = wait_ns.min(LOOK_NS);
            }
            let before_ns = self.clock.now_ns();
            self.clock.wait_ns(wait_ns);
            if below > 0 {
                self.take_within(0, Duration::ZERO)?;
            }
            if self.clock.now_ns() == before_ns {
                // A clock that somebody else moves.
                self.release(out);
                return Ok(());
            }
        }
    }

    fn in_flight(&self) -> u32 {
        self.flights.count()
    }

    fn registered_buffers(&self) -> Option<bool> {
        self.below.registered_buffers()
    }

    fn submit_ns(&self) -> Option<u64> {
        self.below.submit_ns()
    }

    fn outages(&self) -> Option<Outages> {
        self.below.outages()
    }

    fn workers(&self) -> Option<u32> {
        self.below.workers()
    }

    fn refusals(&self) -> &[Refusal] {
        self.below.refusals()
    }
}
