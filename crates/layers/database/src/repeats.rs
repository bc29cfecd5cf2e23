//! The repeats of a workload: every variation in turn, forward, then backward, and so on, so that what changes over
//! time hits all of them alike.

use narrows_engine::{Context, Phase, repeat_of};
use narrows_model::{Layer, Measurement, condition};
use serde_json::json;

use crate::database::Database;
use crate::error::DatabaseError;
use crate::evict::evict_once;
use crate::kind::Plan;
use crate::measurement_builder::MeasurementBuilder;
use crate::repeat_sample::Cpus;
use crate::table::Table;
use crate::task::{Planned, Source, Task};
use crate::variation::Variation;

impl Database {
    /// Runs the variations interleaved (forward, then backward, and so on), so that what changes over time
    /// hits all of them alike, and returns a measurement for each.
    ///
    /// # Errors
    /// The server plans a statement otherwise than it is meant to run, or broke; or a stop.
    pub fn measure(
        &mut self,
        ctx: &Context<'_>,
        task: impl Into<Task>,
        variations: &[Variation],
    ) -> Result<Vec<Measurement>, DatabaseError> {
        let outcome = self.interleave(ctx, &task.into(), variations);
        // However it ended, the server gets its processors back.
        if variations.iter().any(|variation| !variation.server_cpus.is_empty()) {
            self.move_server(&self.cpus.server);
        }
        outcome
    }

    fn interleave(
        &mut self,
        ctx: &Context<'_>,
        task: &Task,
        variations: &[Variation],
    ) -> Result<Vec<Measurement>, DatabaseError> {
        let table = self.table.clone().expect("prepare comes before measure");
        let plans: Vec<Vec<(Planned, Plan)>> = variations
            .iter()
            .map(|variation| self.plans(task, variation, &table))
            .collect::<Result<_, _>>()?;
        let files = match task.source {
            Source::Drive => Some(self.evictable()?),
            Source::Pool => {
                ctx.progress.phase(Layer::Database, Phase::WarmUp, "the buffer pool");
                self.warm(task)?;
                None
            }
        };
        let mut filling: Vec<MeasurementBuilder> = variations
            .iter()
            .zip(&plans)
            .map(|(variation, plans)| self.begin(task, variation, plans))
            .collect();
        for repeat in 0..ctx.repeats {
            let mut order: Vec<usize> = (0..variations.len()).collect();
            if repeat % 2 == 1 {
                order.reverse();
            }
            for index in order {
                ctx.stop.check()?;
                let variation = &variations[index];
                let so_far = filling[index].so_far();
                let detail = repeat_of(&variation.id, repeat, ctx.repeats, so_far);
                ctx.progress.phase(Layer::Database, Phase::Measure, &detail);
                if !variation.server_cpus.is_empty() || variations.len() > 1 {
                    let cpus = if variation.server_cpus.is_empty() {
                        self.cpus.server.clone()
                    } else {
                        variation.server_cpus.clone()
                    };
                    self.move_server(&cpus);
                }
                let seed = ctx.seed ^ (u64::from(repeat) << 32) ^ index as u64;
                let resident =
                    match &files {
                        Some(files) => Some(evict_once(files).map_err(|reason| {
                            DatabaseError::Evict { reason: reason.to_string() }
                        })?),
                        None => None,
                    };
                if task.is_scan() && task.source == Source::Drive {
                    self.claim(ctx);
                }
                let before = narrows_observe::sentinel();
                // From the pool a scan is over in milliseconds and comes again and again.
                let (once, hot) = if task.is_scan() && task.source == Source::Drive {
                    self.once_scan(ctx, task, variation)?
                } else {
                    self.once_load(ctx, task, variation, seed, files.as_deref())?
                };
                let drift = narrows_observe::sentinel().0 as f64 / before.0.max(1) as f64 - 1.0;
                filling[index].take(repeat, &once, &self.cpus_of(variation), hot, resident, drift);
            }
        }
        for ((filling, plans), variation) in filling.iter_mut().zip(&plans).zip(variations) {
            self.planned_again(task, variation, plans, filling)?;
        }
        Ok(filling.into_iter().map(MeasurementBuilder::finish).collect())
    }

    /// How the server plans the statements of a variation, all as they are meant.
    pub(crate) fn plans(
        &mut self,
        task: &Task,
        variation: &Variation,
        table: &Table,
    ) -> Result<Vec<(Planned, Plan)>, DatabaseError> {
        let settings = self.server.session_settings(task, variation);
        self.server.ready(task, &self.tables)?;
        // Tables for each session are alike, and looked at all the same: each has statistics of its own.
        for other in self.tables.iter().skip(1) {
            for statement in self.server.statements(task, other, variation.workers)? {
                self.server.plan_as_meant(&settings, &statement)?;
            }
        }
        let statements = self.server.statements(task, table, variation.workers)?;
        let mut plans = Vec::with_capacity(statements.len());
        for statement in statements {
            let plan = self.server.plan_as_meant(&settings, &statement)?;
            plans.push((statement, plan));
        }
        Ok(plans)
    }

    /// Asks again after the load, for every table: statistics that changed meanwhile may have changed a plan in the middle
    /// of it.
    pub(crate) fn planned_again(
        &mut self,
        task: &Task,
        variation: &Variation,
        before: &[(Planned, Plan)],
        filling: &mut MeasurementBuilder,
    ) -> Result<(), DatabaseError> {
        let settings = self.server.session_settings(task, variation);
        for table in &self.tables {
            let statements = self.server.statements(task, table, variation.workers)?;
            for (statement, (_, plan)) in statements.iter().zip(before) {
                let after = self.server.plan(&settings, statement)?;
                if after.reads_by != plan.reads_by {
                    let say = &mut filling.measurement.conditions;
                    say.insert(condition::PLAN_AFTER, json!("other"));
                    let text = after.text.replace(self.server.place(), "narrows");
                    say.insert(condition::PLAN_AFTER_TEXT, json!(text));
                }
            }
        }
        Ok(())
    }

    /// The pages that the scan's reads are about to fill. Lookups take theirs from small free blocks, which are not
    /// reported to the host.
    fn claim(&self, ctx: &Context<'_>) {
        if let Some(bytes) = self.settings.claim_bytes {
            // Without it the scan is slower, and the spread of its repeats says so.
            let _ = narrows_facts::claim(bytes, &|| !ctx.stop.is_set());
        }
    }

    /// Rows of each table that a workload's keys are drawn from, which is blocks.
    pub(crate) fn rows_of(&self, task: &Task, table: &Table) -> u64 {
        let bytes = match (task.working_set_bytes, task.source) {
            (Some(bytes), _) if !task.is_scan() => bytes,
            (_, Source::Pool) if !task.is_scan() => self.settings.cached_bytes,
            _ => return table.rows,
        };
        (table.rows_in(bytes) / self.tables.len().max(1) as u64).clamp(1, table.rows)
    }

    /// Brings what a workload draws from into the buffer pool.
    pub(crate) fn warm(&mut self, task: &Task) -> Result<(), DatabaseError> {
        for table in self.tables.clone() {
            let rows = self.rows_of(task, &table);
            self.server.warm(&table, rows)?;
        }
        Ok(())
    }

    /// Processors of server and client under that variation.
    pub fn cpus_of(&self, variation: &Variation) -> Cpus {
        let mut cpus = self.cpus.clone();
        if !variation.server_cpus.is_empty() {
            cpus.server = variation.server_cpus.clone();
        }
        cpus
    }

    /// Moves all processes of a server of our own; new sessions inherit from the main process.
    pub fn move_server(&self, cpus: &[u32]) {
        let Some(processes) = self.processes.filter(|_| self.settings.own_server) else { return };
        for pid in processes.pids() {
            // A process may end between the listing and the call.
            let _ = narrows_facts::affinity::pin_pid(pid, cpus);
        }
    }
}
