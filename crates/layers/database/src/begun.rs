//! A measurement before its first window: what is run, on what, under which conditions.

use narrows_engine::Samples;
use narrows_model::{Layer, Measurement, Replication, condition};
use serde_json::{Map, Value, json};

use crate::database::Database;
use crate::filling::Filling;
use crate::kind::Plan;
use crate::sampling::Sampled;
use crate::task::{Action, Answer, Calls, Planned, Redo, Source, Spread, Task};
use crate::variation::Variation;

impl Database {
    pub(crate) fn begin(
        &self,
        task: &Task,
        variation: &Variation,
        plans: &[(Planned, Plan)],
    ) -> Filling {
        let mut measurement = Measurement::new(&variation.id, Layer::Database);
        measurement.replication = Replication::PerWindow;
        let table = self.table.as_ref().expect("prepare comes before measure");
        let ours = |text: &str| text.replace(self.server.place(), "narrows");
        let say = &mut measurement.workload;
        describe(task, say);
        let statements = plans.iter().map(|(statement, _)| ours(&statement.sql));
        say.insert("statement".into(), json!(statements.collect::<Vec<_>>().join("; ")));
        let texts = plans.iter().map(|(_, plan)| ours(&plan.text));
        say.insert("plan".into(), json!(texts.collect::<Vec<_>>().join("\n")));
        say.insert("settings".into(), json!(self.server.session_settings(task, variation)));
        let open = variation.open_rate_per_s.is_some();
        say.insert(condition::LOOP.into(), json!(if open { "open" } else { "closed" }));
        say.insert(condition::SESSIONS.into(), json!(variation.sessions));
        say.insert("table_bytes".into(), json!(self.table_bytes()));
        if self.settings.private.is_some() {
            say.insert(condition::PRIVATE_TABLES.into(), json!(self.tables.len()));
            let shared = variation.sessions as usize > self.tables.len();
            say.insert(condition::PRIVATE_TABLES_SHARED.into(), json!(shared));
        }
        say.insert("pad_entropy_percent".into(), json!(self.settings.contents.entropy_percent));
        // Sessions take the tables in turn: what lies in tables that nobody took is not touched.
        let touched = self.tables.len().min(variation.sessions as usize);
        let keys = self.rows_of(task, table) * touched as u64;
        say.insert("keys".into(), json!(keys));
        if task.blocks() != Some(0) {
            let bytes = table.bytes_of(keys);
            say.insert("working_set_bytes".into(), json!(bytes));
            let share = |of: u64| json!(bytes as f64 / of as f64);
            if self.pool_bytes > 0 {
                say.insert("working_set_of_pool".into(), share(self.pool_bytes));
            }
            if let Some(memory) = self.settings.memory_bytes.filter(|bytes| *bytes > 0) {
                say.insert("working_set_of_memory".into(), share(memory));
            }
        }
        if task.is_scan() {
            say.insert(condition::WORKERS.into(), json!(variation.workers));
        }
        let from_index = task.is_scan() && plans.iter().any(|(_, plan)| plan.from_index);
        self.conditions(task, variation, from_index, &mut measurement);
        Filling {
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
        found.insert(condition::SERVER_CPUS.into(), json!(cpus.server));
        found.insert(condition::CLIENT_CPUS.into(), json!(cpus.client));
        found.insert(condition::CPUS_SHARED.into(), json!(cpus.shared()));
        found.insert("server_settings".into(), self.server_settings.clone());
        for (key, value) in self.server.table_conditions() {
            found.insert(key.into(), value);
        }
        if from_index {
            found.insert(condition::ANSWERED_FROM.into(), json!("index"));
        }
        if let Some(intervention) = &variation.intervention {
            found.insert(condition::INTERVENTION.into(), json!(intervention));
        }
        if let Some(baseline) = &variation.baseline {
            found.insert(condition::BASELINE.into(), json!(baseline));
        }
        if task.blocks().is_some_and(|blocks| blocks > 0) {
            let from = match task.source {
                Source::Pool => "pool",
                Source::Drive => "drive",
            };
            found.insert(condition::FROM.into(), json!(from));
        }
        if task.source == Source::Drive {
            found.insert(condition::UNCACHED_BY.into(), json!("eviction"));
            let method = if self.server.reads_directly() { "direct" } else { "buffered" };
            found.insert(condition::METHOD.into(), json!(method));
        }
        if let (true, Some(bytes)) = (task.is_scan(), self.settings.claim_bytes) {
            found.insert("memory_claimed_bytes".into(), json!(bytes));
        }
    }
}

/// What was chosen about an operation, where there was a choice.
fn describe(task: &Task, say: &mut std::collections::BTreeMap<String, Value>) {
    say.insert("workload".into(), json!(task.word()));
    match task.action {
        Action::Lookup { blocks, calls } => {
            let who = match calls {
                Calls::Each => "client, a statement each",
                Calls::Any => "client, one statement with all keys",
                Calls::Inside => "a function inside the server",
            };
            say.insert(condition::BLOCKS_PER_OP.into(), json!(blocks));
            say.insert("called_by".into(), json!(who));
        }
        Action::Batch { blocks } => {
            say.insert(condition::BLOCKS_PER_OP.into(), json!(blocks));
        }
        Action::Update { percent, redo } => {
            say.insert("updates_percent".into(), json!(percent));
            let redo = match redo {
                Redo::Light => "light",
                Redo::Heavy => "heavy",
            };
            say.insert("redo".into(), json!(redo));
        }
        Action::Commit => {}
        Action::Scan { answer } => {
            let answer = match answer {
                Answer::Sum => "sum",
                Answer::Count => "count",
            };
            say.insert("answer".into(), json!(answer));
        }
    }
    let keys = match task.spread {
        Spread::Uniform => None,
        Spread::Zipf(theta) => Some(json!({ "zipf": theta })),
        Spread::Hot { calls, keys } => Some(Value::Object(Map::from_iter([
            ("hot_calls_share".to_string(), json!(calls)),
            ("hot_keys_share".to_string(), json!(keys)),
        ]))),
    };
    if let Some(keys) = keys {
        say.insert("key_distribution".into(), keys);
    }
    if !task.think.is_zero() {
        say.insert(condition::THINK_NS.into(), json!(task.think.as_nanos() as u64));
    }
}
