//! A workload whose windows are taken one by one, in turns with something else: another server, another layer.

use std::path::PathBuf;

use narrows_engine::{Context, Phase, held_quantile, with_value};
use narrows_model::{Layer, Measurement, metric};
use narrows_stats::Recorder;

use crate::database::Database;
use crate::error::DatabaseError;
use crate::evict::evict_once;
use crate::kind::Plan;
use crate::measurement_builder::MeasurementBuilder;
use crate::task::{Planned, Source, Task};
use crate::variation::Variation;

/// A measurement in the making.
pub struct Turns {
    task: Task,
    variation: Variation,
    plans: Vec<(Planned, Plan)>,
    /// What is kept out of memory, of a workload from the drives.
    files: Option<Vec<PathBuf>>,
    filling: MeasurementBuilder,
    taken: u32,
    /// Latencies of all windows together: single ones may be too short for a percentile.
    all: Recorder,
}

impl Database {
    /// Prepares a workload by sessions for windows one by one: from the buffer pool, which is warmed, or from the drives.
    ///
    /// # Errors
    /// The server plans the statement otherwise, or broke; or its files can't be kept out of memory. [`Database::prepare`] comes before.
    pub fn begin_turns(
        &mut self,
        ctx: &Context<'_>,
        task: impl Into<Task>,
        variation: Variation,
    ) -> Result<Turns, DatabaseError> {
        let task = task.into();
        let table = self.table.clone().expect("prepare comes before measure");
        let plans = self.plans(&task, &variation, &table)?;
        let files = match task.source {
            Source::Drive => Some(self.evictable()?),
            Source::Pool => {
                ctx.progress.phase(Layer::Database, Phase::WarmUp, "the buffer pool");
                self.warm(&task)?;
                None
            }
        };
        let filling = self.begin(&task, &variation, &plans);
        Ok(Turns { task, variation, plans, files, filling, taken: 0, all: Recorder::new() })
    }

    /// One window of it.
    ///
    /// # Errors
    /// What the load gave, or a stop.
    pub fn turn(&mut self, ctx: &Context<'_>, turns: &mut Turns) -> Result<(), DatabaseError> {
        ctx.stop.check()?;
        let variation = &turns.variation;
        let detail = with_value(&variation.id, turns.filling.so_far());
        ctx.progress.phase(Layer::Database, Phase::Measure, &detail);
        let seed = ctx.seed ^ (u64::from(turns.taken) << 32);
        let files = turns.files.as_deref();
        let evicted = files.map(evict_once).transpose();
        let resident =
            evicted.map_err(|reason| DatabaseError::Evict { reason: reason.to_string() })?;
        let before = narrows_observe::sentinel();
        let (once, hot) = self.once_load(ctx, &turns.task, variation, seed, files)?;
        let drift = narrows_observe::sentinel().0 as f64 / before.0.max(1) as f64 - 1.0;
        let cpus = self.cpus_of(variation);
        turns.filling.take(turns.taken, &once, &cpus, hot, resident, drift);
        turns.all.merge(&once.load.latency);
        turns.taken += 1;
        self.planned_again(&turns.task, &turns.variation, &turns.plans, &mut turns.filling)
    }
}

impl Turns {
    /// What the windows gave.
    pub fn finish(mut self) -> Measurement {
        if let Some(ns) = held_quantile(&self.all, 0.99) {
            let samples = &mut self.filling.samples;
            samples.add(metric::LATENCY_P99_ALL, ns);
        }
        self.filling.finish()
    }
}
