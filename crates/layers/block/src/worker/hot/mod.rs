//! The one hot loop: keeps operations in flight, or sends them when they are due, and counts what completes inside the
//! window.
//!
//! Everything it needs is allocated before. Time is read once per reaped batch; in a closed loop of depth up to 4,
//! where one batch is mostly one completion, once more before each submission, so that the generator's own time
//! between two operations is not taken for the device's.
//!
//! A completion counts when it was *seen* inside the window; what was reaped after its end does not, though the
//! device may have ended it just before. With d operations in flight that moves at most d at each border, and both
//! borders the same way. An open loop waits after the end for what it sent, and tells these apart.

mod depth;
mod held_up;
mod land;
mod overlap;
mod priorities;
mod send;
mod settle;
mod submission;
mod think;
mod verify;
mod wait;

#[cfg(test)]
mod judged;
#[cfg(test)]
mod own_choices;
#[cfg(test)]
mod recorded;
#[cfg(test)]
mod searched;
#[cfg(test)]
mod simulated;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use narrows_engine::{Stopped, Window};
use narrows_facts::{Usage, affinity, process};
use narrows_io::{Completion, DevicePath, Method, Op, Pattern};

use self::depth::DepthState;
use self::held_up::HeldUpState;
use self::priorities::PriorityState;
use self::submission::Submissions;
use super::clock::Clock;
use super::due::{Due, idle};
use super::operation_generator::{NextOperation, OperationGenerator};
use super::priority_choice::PriorityChoice;
use super::shared::Shared;
use super::slots::Free;
use super::tally::{Expected, Tally};
use super::verifying::Verifying;
use super::wake_up::WakeUp;
use crate::BlockError;
use crate::scenario::{Cell, DepthSearch, Flow, RangesInFlight, Searching, Then, Think};

/// After so many failures a worker gives up.
pub(crate) const FAILURES: u64 = 100;
/// Of a limited number of operations that closes the window, this part may go into the warm-up.
const WARM_UP_PART: u64 = 8;

/// What the loop needs to know, all of it decided before.
pub(super) struct Orders<'a> {
    pub chooser: OperationGenerator,
    /// Most operations in flight.
    pub depth: u32,
    /// Slots of reads, trims and syncs come first, then those of writes.
    pub read_slots: u32,
    pub write_slots: u32,
    pub sync_after: Option<u32>,
    pub limit: Option<(u64, Then)>,
    /// It ends so long after the beginning of the window.
    pub ends_after: Option<Duration>,
    pub think: Option<Think>,
    /// What writes carry, and the generation of the first of them.
    pub payload: Option<(Pattern, u64)>,
    pub expected: Expected,
    pub over_ns: Option<u64>,
    /// The depth is searched, up to `depth`; what is over `over_ns` is too slow.
    pub depth_search: Option<DepthSearch>,
    /// Who ends it by what it does.
    pub judged: Vec<Cell>,
    /// Submissions are calls of their own, and timed.
    pub time_submissions: bool,
    /// Blocks that are made and checked by a format of their own.
    pub verifying: Option<Verifying>,
    /// The file, for what is said of its blocks.
    pub name: &'a Path,
    pub flow: Option<Flow>,
    /// Which priority the next operation has, where single ones have their own.
    pub priorities: Option<PriorityChoice>,
    /// What is in flight, where operations wait for those that they share bytes with.
    pub ranges: Option<Arc<RangesInFlight>>,
    pub slice_ns: u64,
    pub slices: usize,
    pub pace: Pace<'a>,
    /// First operation not before, ns.
    pub epoch_ns: u64,
    pub cpu_ns: fn() -> u64,
    /// Time for which this thread was ready to run and did not, so far, ns; `None` where the kernel doesn't say.
    pub run_delay_ns: fn() -> Option<u64>,
}

/// When the next operation starts.
pub(super) enum Pace<'a> {
    /// When one ends.
    Closed,
    /// When it is due.
    Open(Due<'a>),
}

/// An operation in flight.
#[derive(Debug, Clone, Copy)]
struct Flight {
    offset: u64,
    /// From when its latency counts, ns.
    from_ns: u64,
    /// Of an open loop: from when on nothing but the loop itself kept it from being sent, ns.
    ready_ns: u64,
    sent_ns: u64,
    bytes: u32,
    op: Op,
}

/// Where a thread is between two syncs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Syncing {
    /// So many more writes until the next one.
    After(u32),
    /// The writes before it must come back first.
    Waiting,
    /// It is in flight.
    InFlight,
}

struct Hot<'a, C: Clock> {
    clock: &'a C,
    shared: &'a Shared<'a>,
    path: &'a mut dyn DevicePath,
    orders: Orders<'a>,
    window: Window,
    reads: Free,
    writes: Free,
    flights: Box<[Flight]>,
    out: Vec<Completion>,
    submissions: Option<Submissions>,
    priorities: Option<Box<PriorityState>>,
    /// An operation that was chosen and waits for others, or is the next to start.
    chosen: Option<NextOperation>,
    tally: Tally,
    in_flight: u32,
    /// What may be issued before the limit or the next pause.
    may_issue: u64,
    /// What the limit allows.
    most: u64,
    /// After so many operations it pauses.
    pause_at: u64,
    /// What has come back, and how much of it had when it last began to pause; of loops that pause.
    completed: u64,
    completed_at_pause: u64,
    /// When it last ended a pause, ns.
    paused_ns: u64,
    /// When its own time is over.
    own_end_ns: u64,
    /// When it was over, of one that had not done all that it may.
    cut_short_ns: Option<u64>,
    syncing: Option<Syncing>,
    counting: bool,
    began_cpu_ns: u64,
    began: Usage,
    began_delay_ns: Option<u64>,
    now: u64,
    /// Until then the cap on operations in flight held back what was due.
    capped_ns: u64,
    held_up: HeldUpState,
    depth_state: Option<DepthState>,
    wake_up: WakeUp,
    /// Its share of a group's operations is used up.
    flow_held: bool,
    /// A whole queue is handed over in parts.
    in_parts: bool,
    /// It waits for what is in flight, to pause then.
    flow_pausing: bool,
    /// When its share last let an operation start, ns.
    flow_since_ns: u64,
}

/// Runs until the window is over, or the work is.
pub(super) fn run<C: Clock>(
    orders: Orders<'_>,
    path: &mut dyn DevicePath,
    window: Window,
    shared: &Shared<'_>,
    clock: &C,
) -> Result<Tally, BlockError> {
    let open = matches!(orders.pace, Pace::Open(_));
    let mut tally = Tally::new(orders.slices, open);
    tally.registered_buffers = path.registered_buffers();
    tally.refusals = path.refusals().to_vec();
    if orders.time_submissions {
        tally.split_latency();
    }
    let unused = Flight { offset: 0, from_ns: 0, ready_ns: 0, sent_ns: 0, bytes: 0, op: Op::Read };
    let slots = orders.read_slots + orders.write_slots;
    let most = match orders.limit {
        None => u64::MAX,
        Some((most, Then::EndStream)) => most,
        Some((most, Then::CloseWindow)) if window.start_ns > orders.epoch_ns => most / WARM_UP_PART,
        Some((most, Then::CloseWindow)) => most,
    };
    let mut orders = orders;
    let priorities =
        orders.priorities.take().map(|choice| Box::new(PriorityState::new(choice, slots)));
    let pause_at = orders.think.map_or(u64::MAX, |think| think::next_start(&think, 0));
    let hot = Hot {
        clock,
        shared,
        reads: Free::new(0, orders.read_slots),
        writes: Free::new(orders.read_slots, orders.write_slots),
        flights: vec![unused; slots as usize].into_boxed_slice(),
        out: Vec::with_capacity(2 * orders.depth as usize + 2),
        submissions: orders.time_submissions.then(|| Submissions::new(slots)),
        priorities,
        chosen: None,
        tally,
        in_flight: 0,
        may_issue: most.min(pause_at),
        most,
        pause_at,
        completed: 0,
        completed_at_pause: 0,
        paused_ns: orders.epoch_ns,
        cut_short_ns: None,
        own_end_ns: orders
            .ends_after
            .map_or(u64::MAX, |after| window.start_ns.saturating_add(after.as_nanos() as u64)),
        syncing: orders.sync_after.map(|writes| Syncing::After(writes.max(1))),
        counting: false,
        began_cpu_ns: 0,
        began: Usage::default(),
        began_delay_ns: None,
        now: clock.now_ns(),
        capped_ns: 0,
        depth_state: orders
            .depth_search
            .map(|rule| DepthState::new(Searching::new(rule, orders.depth))),
        held_up: HeldUpState::default(),
        wake_up: WakeUp::new(),
        flow_held: false,
        // Over a network each part is a message of its own; what that gains or costs was not measured.
        in_parts: matches!(path.method(), Method::IoUring | Method::Passthrough | Method::Aio),
        flow_pausing: false,
        flow_since_ns: 0,
        path,
        orders,
        window,
    };
    hot.run()
}

impl<C: Clock> Hot<'_, C> {
    fn run(mut self) -> Result<Tally, BlockError> {
        self.shared.close(self.window.end_ns);
        while self.now < self.orders.epoch_ns {
            idle(self.clock, &mut self.wake_up, self.now, self.orders.epoch_ns);
            self.now = self.clock.now_ns();
            if self.shared.stop.is_set() {
                return Err(Stopped.into());
            }
            if self.now >= self.shared.end_ns() {
                return Ok(self.tally);
            }
        }
        if self.depth_state.is_some() {
            self.orders.depth = 1;
        }
        self.tally.began_ns = Some(self.window.start_ns);
        self.begin();
        loop {
            if self.now >= self.own_end_ns {
                self.end_by_time();
            }
            if self.tally.issued >= self.may_issue {
                self.rest();
                if self.now >= self.own_end_ns {
                    self.end_by_time();
                }
                if self.now >= self.shared.end_ns() {
                    break;
                }
            }
            match self.orders.pace {
                Pace::Closed => self.keep_full()?,
                Pace::Open(_) => self.send_due(),
            }
            if self.is_through() {
                break;
            }
            self.wait()?;
            self.now = self.clock.now_ns();
            if self.now >= self.shared.end_ns() {
                break;
            }
            if self.shared.stop.is_set() {
                self.leave_written();
                return Err(Stopped.into());
            }
            self.begin();
            self.take_in();
            if let Some(think) = self.orders.think {
                self.begin_pause(&think);
            }
            if self.tally.failures >= FAILURES {
                self.shared.close(0);
                break;
            }
            self.fatal_mismatch()?;
        }
        if self.counting {
            self.tally.cpu_ns = (self.orders.cpu_ns)() - self.began_cpu_ns;
            self.tally.usage = Usage::of_thread().since(&self.began);
            let delay_ns = process::thread_run_delay_ns().zip(self.began_delay_ns);
            self.tally.run_delay_ns = delay_ns.and_then(|(now, then)| now.checked_sub(then));
            self.tally.seen_on.extend(affinity::current_cpu());
        }
        self.tally.depth_found = self.depth_state.as_ref().map(|state| state.searching.found());
        self.tally.submit_ns = self.path.submit_ns();
        self.tally.workers = self.path.workers();
        self.settle_open()?;
        self.settle_verified()?;
        if let Some(priorities) = self.priorities.take() {
            self.tally.priorities = priorities.into_latencies();
        }
        self.tally.outages = self.path.outages();
        Ok(self.tally)
    }

    /// From the start of the window on everything counts.
    #[inline]
    fn begin(&mut self) {
        if !self.counting && self.now >= self.window.start_ns {
            self.counting = true;
            self.began_cpu_ns = (self.orders.cpu_ns)();
            self.began = Usage::of_thread();
            self.began_delay_ns = process::thread_run_delay_ns();
            self.tally.seen_on.extend(affinity::current_cpu());
            self.held_up_begins();
            if let Some(state) = &mut self.depth_state {
                state.searching.begin(self.now);
            }
            if let Some((most, _)) = self.orders.limit {
                self.allow(most);
            }
        }
    }

    /// Its time is over: what it has done is all that it does.
    #[cold]
    fn end_by_time(&mut self) {
        // Whoever judges it may say so again and again: the first time counts.
        if self.tally.issued < self.may_issue {
            self.cut_short_ns = Some(self.own_end_ns);
        }
        self.own_end_ns = u64::MAX;
        let then = self.orders.limit.map_or(Then::EndStream, |(_, then)| then);
        self.orders.limit = Some((self.tally.issued, then));
        self.allow(self.tally.issued);
    }

    /// Whether there is nothing left to do; closes the window where the stream's limit says so.
    #[inline]
    fn is_through(&mut self) -> bool {
        if self.tally.issued < self.may_issue || self.in_flight >= self.orders.depth {
            return false;
        }
        if self.tally.issued < self.most {
            return false;
        }
        match self.orders.limit {
            Some((_, Then::CloseWindow)) if self.counting => {
                // The load can't be held any more, so the figures end here for everybody.
                self.shared.close(self.now);
                false
            }
            Some((_, Then::EndStream)) if self.in_flight == 0 => {
                self.tally.ended_ns = Some(self.now);
                self.shared.done(self.now);
                true
            }
            _ => false,
        }
    }
}
