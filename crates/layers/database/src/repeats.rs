//! The repeats of a workload: every variation in turn, forward, then backward, and so on, so that what changes over
//! time hits all of them alike.

use narrows_engine::{Context, Phase, Samples};
use narrows_model::{Layer, Measurement, Replication, condition};
use serde_json::json;

use crate::database::Database;
use crate::error::DatabaseError;
use crate::evict::evict_once;
use crate::filling::Filling;
use crate::once::Cpus;
use crate::sampling::Sampled;
use crate::table::Table;
use crate::variation::{Variation, Workload};

impl Database {
    /// Runs the variations interleaved (forward, then backward, and so on), so that what changes over time
    /// hits all of them alike, and returns a measurement for each.
    pub fn measure(
        &mut self,
        ctx: &Context<'_>,
        workload: Workload,
        variations: &[Variation],
    ) -> Result<Vec<Measurement>, DatabaseError> {
        let outcome = self.interleave(ctx, workload, variations);
        // However it ended, the server gets its processors back.
        if variations.iter().any(|variation| !variation.server_cpus.is_empty()) {
            self.move_server(&self.cpus.server);
        }
        outcome
    }

    fn interleave(
        &mut self,
        ctx: &Context<'_>,
        workload: Workload,
        variations: &[Variation],
    ) -> Result<Vec<Measurement>, DatabaseError> {
        let table = self.table.clone().expect("prepare comes before measure");
        let statement = workload.statement(&table.name());
        for variation in variations {
            let settings = variation.settings(workload);
            let wanted = workload.expected_plan(variation.workers);
            table.verify_plan(&mut self.control, &settings, &statement, wanted)?;
        }
        let files = match workload {
            Workload::LookupUncached | Workload::Scan => Some(self.evictable()?),
            Workload::LookupCached | Workload::Update => {
                ctx.progress.phase(Layer::Database, Phase::WarmUp, "the buffer pool");
                let rows = self.cached_rows(&table);
                table.warm(&mut self.control, rows)?;
                None
            }
        };
        let mut filling: Vec<Filling> = variations
            .iter()
            .map(|variation| self.begin(workload, variation, &statement))
            .collect();
        for repeat in 0..ctx.repeats {
            let mut order: Vec<usize> = (0..variations.len()).collect();
            if repeat % 2 == 1 {
                order.reverse();
            }
            for index in order {
                ctx.stop.check()?;
                let variation = &variations[index];
                let detail = format!("{} {}/{}", variation.id, repeat + 1, ctx.repeats);
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
                if workload == Workload::Scan {
                    self.claim(ctx);
                }
                let before = narrows_observe::sentinel();
                let (once, hot) = match workload {
                    Workload::Scan => self.once_scan(ctx, variation, &statement)?,
                    _ => self.once_load(
                        ctx,
                        workload,
                        variation,
                        &statement,
                        seed,
                        files.as_deref(),
                    )?,
                };
                let drift = narrows_observe::sentinel().0 as f64 / before.0.max(1) as f64 - 1.0;
                filling[index].take(repeat, &once, &self.cpus_of(variation), hot, resident, drift);
            }
        }
        Ok(filling.into_iter().map(Filling::finish).collect())
    }

    /// The pages that the scan's reads are about to fill. Lookups take theirs from small free blocks, which are not
    /// reported to the host.
    fn claim(&self, ctx: &Context<'_>) {
        if let Some(bytes) = self.settings.claim_bytes {
            // Without it the scan is slower, and the spread of its repeats says so.
            let _ = narrows_facts::claim(bytes, &|| !ctx.stop.is_set());
        }
    }

    pub(crate) fn cached_rows(&self, table: &Table) -> u64 {
        (self.settings.cached_bytes / table.block_bytes).clamp(1, table.rows)
    }

    pub(crate) fn cpus_of(&self, variation: &Variation) -> Cpus {
        let mut cpus = self.cpus.clone();
        if !variation.server_cpus.is_empty() {
            cpus.server = variation.server_cpus.clone();
        }
        cpus
    }

    /// Moves all processes of a server of our own; new sessions inherit from the main process.
    fn move_server(&self, cpus: &[u32]) {
        let Some(processes) = self.processes.filter(|_| self.settings.own_server) else { return };
        for pid in processes.pids() {
            // A process may end between the listing and the call.
            let _ = narrows_facts::affinity::pin_pid(pid, cpus);
        }
    }

    pub(crate) fn begin(
        &self,
        workload: Workload,
        variation: &Variation,
        statement: &str,
    ) -> Filling {
        let mut measurement = Measurement::new(&variation.id, Layer::Database);
        measurement.replication = Replication::PerWindow;
        let table = self.table.as_ref().expect("prepare comes before measure");
        let say = &mut measurement.workload;
        say.insert("workload".into(), json!(workload.word()));
        say.insert("statement".into(), json!(statement.replace(self.schema.name(), "narrows")));
        say.insert("settings".into(), json!(variation.settings(workload)));
        let open = variation.open_rate_per_s.is_some();
        say.insert(condition::LOOP.into(), json!(if open { "open" } else { "closed" }));
        say.insert(condition::SESSIONS.into(), json!(variation.sessions));
        say.insert("table_bytes".into(), json!(table.bytes));
        say.insert(
            "keys".into(),
            json!(match workload {
                Workload::LookupUncached | Workload::Scan => table.rows,
                _ => self.cached_rows(table),
            }),
        );
        if workload == Workload::Scan {
            say.insert(condition::WORKERS.into(), json!(variation.workers));
        }
        let cpus = self.cpus_of(variation);
        let found = &mut measurement.conditions;
        found.extend(self.settings.conditions.clone());
        found.insert(condition::SERVER_CPUS.into(), json!(cpus.server));
        found.insert(condition::CLIENT_CPUS.into(), json!(cpus.client));
        found.insert(condition::CPUS_SHARED.into(), json!(cpus.shared()));
        found.insert("server_settings".into(), self.server_settings.clone());
        found.insert("autovacuum_on_table".into(), json!(false));
        if let Some(intervention) = &variation.intervention {
            found.insert(condition::INTERVENTION.into(), json!(intervention));
        }
        if let Some(baseline) = &variation.baseline {
            found.insert(condition::BASELINE.into(), json!(baseline));
        }
        match workload {
            Workload::LookupUncached | Workload::Scan => {
                found.insert(condition::UNCACHED_BY.into(), json!("eviction"));
                found.insert(condition::METHOD.into(), json!("buffered"));
            }
            _ => {}
        }
        if let (Workload::Scan, Some(bytes)) = (workload, self.settings.claim_bytes) {
            found.insert("memory_claimed_bytes".into(), json!(bytes));
        }
        Filling {
            measurement,
            samples: Samples::new(),
            sampled: Sampled::default(),
            hot: None,
            scan_bytes: (workload == Workload::Scan).then_some(table.bytes),
            workers: variation.workers,
        }
    }
}
