//! One thread of the load with its sessions.

use std::sync::Mutex;
use std::time::Duration;

use narrows_engine::{Poisson, Stop, Stopped, Window, now_ns};

use super::result::{LoadResult, Tally};
use super::slot::{Ending, Slot};
use super::{LoadError, LoadPlan};
use crate::poller::Poller;

/// How often a loop without answers looks whether it was stopped.
pub(super) const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The sessions of one thread.
pub(super) struct Worker<'w> {
    pub(super) slots: Vec<Slot<'w>>,
    pub(super) poller: Poller,
    schedule: Option<Poisson>,
    limit_ns: u64,
    classes: Vec<String>,
}

impl<'w> Worker<'w> {
    /// Opens its share of the sessions, and adds their server processes to `pids`.
    pub(super) fn new(
        plan: &LoadPlan<'w>,
        index: u32,
        threads: u32,
        limit_ns: u64,
        pids: &Mutex<Vec<u32>>,
        stops: &[&Stop],
    ) -> Result<Self, LoadError> {
        if let Some(cpu) = plan.cpus.get(index as usize) {
            narrows_facts::affinity::pin(&[*cpu]).map_err(LoadError::Thread)?;
        }
        let mut poller = Poller::for_this_thread();
        let mut slots = Vec::new();
        for number in (index..plan.sessions).step_by(threads as usize) {
            let slot: Slot<'_> = Slot::open(plan, number, plan.seed ^ spread(number), stops)?;
            pids.lock().expect("no worker panics holding it").push(slot.session.pid());
            poller.add(slot.session.descriptor(), slots.len()).map_err(LoadError::Thread)?;
            slots.push(slot);
        }
        let seed = plan.seed ^ spread(index) ^ 0x5c4e;
        let schedule =
            plan.open_rate_per_s.map(|rate| Poisson::new(rate / f64::from(threads), seed));
        Ok(Worker { slots, poller, schedule, limit_ns, classes: plan.programs.classes() })
    }

    /// Drives them until the window is over.
    pub(super) fn drive(
        &mut self,
        window: &Window,
        stops: &[&Stop],
    ) -> Result<LoadResult, LoadError> {
        let limit_ns = self.schedule.is_some().then_some(self.limit_ns);
        let mut tally = Tally::new(*window, &self.classes, limit_ns);
        match self.schedule.take() {
            None => self.closed(&mut tally, window, stops)?,
            Some(schedule) => self.open(schedule, &mut tally, window, stops)?,
        }
        Ok(tally.finish())
    }

    /// The longest latency that is of interest, ns, where there is one.
    pub(super) fn limit_ns(&self) -> Option<u64> {
        Some(self.limit_ns).filter(|ns| *ns < u64::MAX)
    }

    /// Waits for what has come, at most `timeout`, and calls `ended` with each session whose operation is over and when, and
    /// whether it was answered as it should be.
    #[inline]
    pub(super) fn answers(
        &mut self,
        timeout: Duration,
        tally: &mut Tally,
        window: &Window,
        mut ended: impl FnMut(&mut Slot<'w>, Ended, &mut Tally) -> Result<(), LoadError>,
    ) -> Result<(), LoadError> {
        let ready = self.poller.wait(timeout).map_err(LoadError::Thread)?;
        for event in 0..ready {
            let index = self.poller.event(event);
            let slot = &mut self.slots[index];
            let over = || now_ns() >= window.end_ns;
            let Some(ending) = slot.receive(tally, over)? else { continue };
            let now = now_ns();
            tally.at_border(now);
            let good = matches!(ending, Ending::Right | Ending::RolledBack);
            tally.ended(now, slot.class, ending);
            ended(slot, Ended { index, now, good }, tally)?;
        }
        Ok(())
    }
}

/// An operation that is over.
pub(super) struct Ended {
    /// Of the session.
    pub(super) index: usize,
    pub(super) now: u64,
    /// Whether it was answered as it should be.
    pub(super) good: bool,
}

/// Seeds of different sessions have nothing in common.
fn spread(number: u32) -> u64 {
    (u64::from(number) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[inline]
pub(super) fn check(stops: &[&Stop]) -> Result<(), Stopped> {
    stops.iter().try_for_each(|stop| stop.check())
}
