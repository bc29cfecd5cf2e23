//! A step in its place: where it writes, who writes beside it, and what it is compared with.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use narrows_engine::Context;
use narrows_model::Queue as DeviceQueue;
use narrows_observe::Watch;

use super::durable::DurableWrites;
use super::step::LadderStep;
use super::window::{Gathered, Load, one_window};
use crate::LogError;

/// A folder on storage with a log tier in front.
#[derive(Debug, Clone, Copy)]
pub struct LadderTier<'a> {
    /// A folder of ours on it.
    pub folder: &'a Path,
    /// The folder that was asked about; kept with every measurement there.
    pub asked: &'a str,
    /// The counters of its drives, and the machine's.
    pub watch: &'a Watch,
    /// What the queue of its device says.
    pub queue: Option<&'a DeviceQueue>,
}

/// A step with what its windows need.
pub struct LadderRung<'a> {
    /// The step.
    pub step: Box<dyn LadderStep + 'a>,
    /// Further writers, each with a file of its own, in its windows alone.
    pub others: Vec<DurableWrites<'a>>,
    /// Where it is, unless it is in the log's own folder.
    pub tier: Option<LadderTier<'a>>,
    /// The name of the same step in the log's own folder.
    pub without_tier: Option<String>,
}

impl<'a> LadderRung<'a> {
    /// A step in the log's own folder, which nobody writes beside.
    pub fn of(step: Box<dyn LadderStep + 'a>) -> LadderRung<'a> {
        LadderRung { step, others: Vec::new(), tier: None, without_tier: None }
    }

    /// One window of it, with the other writers.
    pub fn window(
        &mut self,
        ctx: &Context,
        load: Option<&Load<'_>>,
        watch: &Watch,
        gathered: &mut Gathered,
    ) -> Result<(), LogError> {
        let watch = self.tier.map_or(watch, |tier| tier.watch);
        let step = self.step.as_mut();
        beside(&mut self.others, || one_window(ctx, step, load, watch, gathered))?;
        for other in &mut self.others {
            gathered.read_back(other.verify()?);
        }
        Ok(())
    }
}

/// Does `work` while each of the others writes again and again.
fn beside(
    others: &mut [DurableWrites<'_>],
    work: impl FnOnce() -> Result<(), LogError>,
) -> Result<(), LogError> {
    let ended = &AtomicBool::new(false);
    std::thread::scope(|scope| {
        let start = |other| scope.spawn(move || write_until(ended, other));
        let writing: Vec<_> = others.iter_mut().map(start).collect();
        let done = work();
        ended.store(true, Ordering::Relaxed);
        let mut written = writing.into_iter();
        let written =
            written.try_for_each(|thread| thread.join().expect("a writer does not panic"));
        done.and(written)
    })
}

fn write_until(ended: &AtomicBool, writes: &mut DurableWrites<'_>) -> Result<(), LogError> {
    writes.prepare()?;
    while !ended.load(Ordering::Relaxed) {
        if writes.operation()?.is_none() {
            writes.prepare()?;
        }
    }
    Ok(())
}
