//! The places at which sessions queue.

use std::collections::VecDeque;

/// `n` servers with one queue, first come first served: drives, a client, a lock.
#[derive(Debug)]
pub(crate) struct Queue {
    free: u32,
    waiting: VecDeque<usize>,
}

impl Queue {
    pub fn new(servers: u32) -> Self {
        Queue { free: servers, waiting: VecDeque::new() }
    }

    /// Whether `who` is served at once; else it waits.
    pub fn enter(&mut self, who: usize) -> bool {
        if self.free > 0 {
            self.free -= 1;
            true
        } else {
            self.waiting.push_back(who);
            false
        }
    }

    /// One is done; who is served next.
    pub fn leave(&mut self) -> Option<usize> {
        let next = self.waiting.pop_front();
        if next.is_none() {
            self.free += 1;
        }
        next
    }
}

/// A burst of processor time that somebody needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Burst {
    pub who: usize,
    pub left_ns: f64,
    pub is_client: bool,
    /// It runs on one of the client's processors.
    pub on_lent: bool,
    /// How many times longer its processor time is because others run beside it.
    pub stretch: f64,
}

impl Burst {
    pub fn new(who: usize, left_ns: f64, is_client: bool) -> Self {
        Burst { who, left_ns, is_client, on_lent: is_client, stretch: 1.0 }
    }
}

/// Processors in time slices, with a quota per period. The server may also use the client's, if they are
/// lent; the client's work stays on its own.
#[derive(Debug)]
pub(crate) struct Processors {
    own: u32,
    lent: u32,
    free: u32,
    lent_free: u32,
    waiting: VecDeque<Burst>,
    /// Processor time left in this period; `None` without a quota.
    budget_ns: Option<f64>,
    per_period_ns: f64,
}

/// Length of a quota's period, ns (10 ms: short enough that a window holds many).
pub(crate) const PERIOD_NS: f64 = 10e6;

impl Processors {
    pub fn new(cpus: u32, lent: u32, quota_cpus: Option<f64>) -> Self {
        let per_period_ns = quota_cpus.unwrap_or(0.0) * PERIOD_NS;
        Processors {
            own: cpus,
            lent,
            free: cpus,
            lent_free: lent,
            waiting: VecDeque::new(),
            budget_ns: quota_cpus.map(|_| per_period_ns),
            per_period_ns,
        }
    }

    pub fn enter(&mut self, burst: Burst) {
        self.waiting.push_back(burst);
    }

    /// Who runs next and for how long; `None` while nobody can.
    pub fn dispatch(&mut self, slice_ns: f64) -> Option<(Burst, f64)> {
        if self.budget_ns.is_some_and(|budget| budget <= 0.0) {
            return None;
        }
        let fits = |burst: &Burst| self.lent_free > 0 || (self.free > 0 && !burst.is_client);
        let at = self.waiting.iter().position(fits)?;
        let mut burst = self.waiting.remove(at)?;
        burst.on_lent = burst.is_client || self.free == 0;
        *(if burst.on_lent { &mut self.lent_free } else { &mut self.free }) -= 1;
        let mut run_ns = burst.left_ns.min(slice_ns);
        if let Some(budget) = &mut self.budget_ns {
            run_ns = run_ns.min(*budget);
            *budget -= run_ns;
        }
        Some((burst, run_ns))
    }

    /// The burst's processor is free again.
    pub fn release(&mut self, burst: &Burst) {
        *(if burst.on_lent { &mut self.lent_free } else { &mut self.free }) += 1;
    }

    /// A new period of the quota.
    pub fn refill(&mut self) {
        if let Some(budget) = &mut self.budget_ns {
            *budget = self.per_period_ns;
        }
    }

    /// Busy processors: of the server's own, and of those that are lent to it.
    pub fn busy(&self) -> (u32, u32) {
        (self.own - self.free, self.lent - self.lent_free)
    }

    pub fn has_quota(&self) -> bool {
        self.budget_ns.is_some()
    }
}
