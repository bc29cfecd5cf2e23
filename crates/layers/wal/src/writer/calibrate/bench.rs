//! One window after another on the same log: how much was written, how much time is left, whether a window may be used.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use narrows_engine::{Context, LiveValue, Phase, after_window};
use narrows_model::Layer;
use narrows_observe::{HostWindow, Watch};

use super::plan::CommitPlan;
use crate::LogError;
use crate::medium::LogMedium;
use crate::page::PAGE;
use crate::writer::drive::{Drive, Driven, Load, drive};
use crate::writer::{CommitLog, Flusher};

/// Part of a window that goes before it as warm-up.
pub const WARM_UP: f64 = 0.2;
/// What a window takes besides itself.
const OVERHEAD: Duration = Duration::from_millis(50);
/// Of what is left of the bytes one window may write a part.
const PART_OF_BYTES: u64 = 8;
/// Share of processor time that the hypervisor may give to others, and that others here may use: those of the validity rules.
const STEAL: f64 = 0.05;
const OTHERS: f64 = 0.05;
const THROTTLED_PER_S: f64 = 0.5;

/// The log, and what the windows so far did on it.
pub struct Bench<'a, F> {
    pub ctx: &'a Context<'a>,
    pub plan: &'a CommitPlan,
    pub log: &'a CommitLog<F>,
    pub segment: &'a dyn LogMedium,
    pub written: &'a AtomicU64,
    /// What the last window gave.
    pub last: Option<LiveValue>,
    watch: &'a Watch,
    started: Instant,
    windows: u64,
}

impl<'a, F: Flusher + Send> Bench<'a, F> {
    pub fn new(
        ctx: &'a Context<'a>,
        plan: &'a CommitPlan,
        (log, segment, written): (&'a CommitLog<F>, &'a dyn LogMedium, &'a AtomicU64),
        watch: &'a Watch,
    ) -> Self {
        let (last, started, windows) = (None, Instant::now(), 0);
        Bench { ctx, plan, log, segment, written, last, watch, started, windows }
    }

    /// Says what comes next.
    pub fn tell(&self, detail: &str) {
        let detail = after_window(detail, self.last);
        self.ctx.progress.phase(Layer::Log, Phase::Measure, &detail);
    }

    /// Whether so many windows of that length still end in time, with `reserve_s` seconds after them.
    pub fn has_time(&self, windows: u32, length: Duration, reserve_s: f64) -> bool {
        let takes = (length.mul_f64(1.0 + WARM_UP) + OVERHEAD) * windows;
        let end = self.started.elapsed() + takes + Duration::from_secs_f64(reserve_s);
        end <= self.plan.budget
    }

    /// Whether a page for each second of a window may still be written; the window itself ends before it writes more than
    /// there is.
    pub fn has_bytes(&self) -> bool {
        self.left_bytes() / PART_OF_BYTES > PAGE as u64
    }

    fn left_bytes(&self) -> u64 {
        self.plan.write_budget_bytes.saturating_sub(self.written.load(Ordering::Relaxed))
    }

    /// One window.
    pub fn run(&mut self, load: Load, times: (Duration, Duration)) -> Result<Driven, LogError> {
        self.windows += 1;
        let how = Drive {
            load,
            sizes: &self.plan.sizes,
            cpus: &self.plan.cpus,
            client_cpus: &[],
            warm_up: times.0,
            length: times.1,
            seed: self.ctx.seed ^ self.windows.wrapping_mul(0x9e37_79b9_7f4a_7c15),
            most_bytes: self.left_bytes() / PART_OF_BYTES,
        };
        drive(self.ctx, self.log, self.written, self.segment.path(), &how, self.watch)
    }
}

/// Whether nothing from outside disturbed a window. By these figures alone, never by whether its rate passed.
pub fn undisturbed(seen: &HostWindow) -> bool {
    let cpus = seen.per_cpu.len().max(1) as f64;
    let throttled = seen.throttled.map_or(0.0, |n| n as f64 / seen.window.as_secs_f64().max(1e-9));
    seen.io_limit_changed != Some(true)
        && seen.steal.is_none_or(|share| share <= STEAL)
        && seen.other_cpus / cpus <= OTHERS
        && throttled <= THROTTLED_PER_S
}
