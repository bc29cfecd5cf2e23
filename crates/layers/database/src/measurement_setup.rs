//! A measurement before its first window: what is run, on what, under which conditions.

use narrows_engine::Samples;
use narrows_model::{Layer, Measurement, Replication, condition};
use serde_json::json;

use crate::database::Database;
use crate::kind::Plan;
use crate::measurement_builder::MeasurementBuilder;
use crate::sampling::Sampled;
use crate::task::{Planned, Source, Task};
use crate::variation::Variation;

impl Database {
    pub(crate) fn begin(
        &self,
        task: &Task,
        variation: &Variation,
        plans: &[(Planned, Plan)],
    ) -> MeasurementBuilder {
        let mut measurement = Measurement::new(&variation.id, Layer::Database);
        measurement.replication = Replication::PerWindow;
        let table = self.table.as_ref().expect("prepare comes before measure");
        let ours = |text: &str| text.replace(self.server.place(), "narrows");
        let say = &mut measurement.workload;
        task.describe(say);
        let statements = plans.iter().map(|(statement, _)| ours(&statement.sql));
        say.insert(condition::STATEMENT, json!(statements.collect::<Vec<_>>().join("; ")));
        let texts = plans.iter().map(|(_, plan)| ours(&plan.text));
        say.insert(condition::PLAN, json!(texts.collect::<Vec<_>>().join("\n")));
        say.insert(condition::SETTINGS, json!(self.server.session_settings(task, variation)));
        let open = variation.open_rate_per_s.is_some();
        say.insert(condition::LOOP, json!(if open { "open" } else { "closed" }));
        say.insert(condition::SESSIONS, json!(variation.sessions));
        say.insert(condition::TABLE_BYTES, json!(self.table_bytes()));
        if self.settings.private.is_some() {
            say.insert(condition::PRIVATE_TABLES, json!(self.tables.len()));
            let shared = variation.sessions as usize > self.tables.len();
            say.insert(condition::PRIVATE_TABLES_SHARED, json!(shared));
        }
        say.insert(condition::PAD_ENTROPY_PERCENT, json!(self.settings.contents.entropy_percent));
        // Sessions take the tables in turn: what lies in tables that nobody took is not touched.
        let touched = self.tables.len().min(variation.sessions as usize);
        let keys = self.rows_of(task, table) * touched as u64;
        say.insert(condition::KEYS, json!(keys));
        if task.blocks() != Some(0) {
            let bytes = table.bytes_of(keys);
            say.insert(condition::WORKING_SET_BYTES, json!(bytes));
            let share = |of: u64| json!(bytes as f64 / of as f64);
            if self.pool_bytes > 0 {
                say.insert(condition::WORKING_SET_OF_POOL, share(self.pool_bytes));
            }
            if let Some(caches) = self.settings.cache_bytes.filter(|bytes| *bytes > 0) {
                say.insert(condition::WORKING_SET_OF_CACHE, share(caches));
            }
            if let Some(memory) = self.settings.memory_bytes.filter(|bytes| *bytes > 0) {
                say.insert(condition::WORKING_SET_OF_MEMORY, share(memory));
            }
        }
        if task.is_scan() {
            say.insert(condition::WORKERS, json!(variation.workers));
        }
        let from_index = task.is_scan() && plans.iter().any(|(_, plan)| plan.from_index);
        self.conditions(task, variation, from_index, &mut measurement);
        MeasurementBuilder {
            measurement,
            samples: Samples::new(),
            sampled: Sampled::default(),
            hot: None,
            // What the index alone answered says nothing about reading the table.
            scan_bytes: (task.is_scan() && !from_index).then_some(table.bytes),
            workers: variation.workers,
            classes: Default::default(),
        }
    }

    fn conditions(
        &self,
        task: &Task,
        variation: &Variation,
        from_index: bool,
        measurement: &mut Measurement,
    ) {
        let cpus = self.cpus_of(variation);
        let found = &mut measurement.conditions;
        found.extend(self.settings.conditions.clone());
        found.insert(condition::SERVER_CPUS, json!(cpus.server));
        found.insert(condition::CLIENT_CPUS, json!(cpus.client));
        found.insert(condition::CPUS_SHARED, json!(cpus.shared()));
        found.insert(condition::SERVER_SETTINGS, self.server_settings.clone());
        found.extend(self.server.table_conditions());
        if from_index {
            found.insert(condition::ANSWERED_FROM, json!("index"));
        }
        if let Some(intervention) = &variation.intervention {
            found.insert(condition::INTERVENTION, json!(intervention));
        }
        if let Some(baseline) = &variation.baseline {
            found.insert(condition::BASELINE, json!(baseline));
        }
        if task.blocks().is_some_and(|blocks| blocks > 0) {
            let from = match task.source {
                Source::Pool => "pool",
                Source::Drive => "drive",
            };
            found.insert(condition::FROM, json!(from));
        }
        if task.source == Source::Drive {
            found.insert(condition::UNCACHED_BY, json!("eviction"));
            let method = if self.server.reads_directly() { "direct" } else { "buffered" };
            found.insert(condition::METHOD, json!(method));
        }
        if let (true, Some(bytes)) = (task.is_scan(), self.settings.claim_bytes) {
            found.insert(condition::MEMORY_CLAIMED_BYTES, json!(bytes));
        }
    }
}
