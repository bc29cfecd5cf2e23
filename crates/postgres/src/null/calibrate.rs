//! The client measured alone: its highest rate and its processor time per operation against a server that does nothing,
//! beside the floor; and whether an open loop sends what it is asked to.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use narrows_engine::{
    Context, LiveValue, Phase, Samples, held_quantile, record_latency, repeat_of,
};
use narrows_model::{Layer, Measurement, Replication, condition, metric};
use serde_json::json;

use super::floor::{Hears, Pace, floor};
use super::server::NullServer;
use narrows_layer_database::DatabaseError;
use narrows_layer_database::load::{self, ByKey, LoadPlan, LoadResult};

/// Id of the closed loop; that of the open one ends in `.open`.
const ID: &str = "database.client";
/// Share of the closed loop's rate that the open loop is asked for: far enough below it that falling short is no overload.
const OPEN_SHARE: f64 = 0.5;
const WARM_UP: Duration = Duration::from_millis(30);
const CLOSED: Duration = Duration::from_millis(200);
const OPEN: Duration = Duration::from_millis(150);
const FLOOR: Duration = Duration::from_millis(60);
/// Of each repeat: opening and ending the sessions of both loops.
const SESSIONS_S: f64 = 0.03;

/// The server that does nothing could not be started.
#[derive(Debug, thiserror::Error)]
#[error(
    "the null server, against which the client is measured, could not be started in {folder}: {reason}\n\
     hint: a socket's path may have 107 bytes; name a folder with a shorter path with --data"
)]
pub struct NullServerError {
    /// Where its socket should lie.
    folder: PathBuf,
    /// What the system said.
    reason: io::Error,
}

impl From<NullServerError> for DatabaseError {
    fn from(error: NullServerError) -> Self {
        DatabaseError::Kind(error.into())
    }
}

/// Whom to measure.
#[derive(Debug, Clone, Copy)]
pub struct ClientPlan<'a> {
    /// Where the null server's socket may lie.
    pub folder: &'a Path,
    /// A port that nobody uses in that folder.
    pub port: u16,
    /// Sessions of the workloads.
    pub sessions: u32,
    /// Processors of the client.
    pub client_cpus: &'a [u32],
    /// Processors of the server, for the null server.
    pub server_cpus: &'a [u32],
}

impl ClientPlan<'_> {
    /// How long it takes, seconds.
    pub fn expected_s(repeats: u32) -> f64 {
        let once = 2 * WARM_UP + CLOSED + OPEN + FLOOR;
        f64::from(repeats) * (once.as_secs_f64() + SESSIONS_S)
    }

    /// Measures the client in a closed and in an open loop, and the floor between them, repeat by repeat.
    ///
    /// # Errors
    /// The null server can't be started, a session fails, or a stop.
    pub fn measure(&self, ctx: &Context<'_>) -> Result<Vec<Measurement>, DatabaseError> {
        let socket = |reason| NullServerError { folder: self.folder.into(), reason };
        let server = NullServer::start(self.folder, self.port, self.server_cpus, self.sessions)
            .map_err(socket)?;
        let (mut closed, mut open) = (Samples::new(), Samples::new());
        let mut asked_per_s = None;
        for repeat in 0..ctx.repeats {
            ctx.stop.check()?;
            let so_far = closed.so_far(metric::THROUGHPUT).map(LiveValue::PerSecond);
            let detail = repeat_of(ID, repeat, ctx.repeats, so_far);
            ctx.progress.phase(Layer::Database, Phase::Measure, &detail);
            let seed = ctx.seed ^ (u64::from(repeat) << 32);
            let seen = self.load(ctx, &server, None, seed)?;
            add(&mut closed, &seen, CLOSED);
            let floor = floor(
                self.sessions,
                self.client_cpus,
                self.server_cpus,
                Pace::default(),
                Hears::InTurn,
                FLOOR,
            )
            .map_err(socket)?;
            closed.add(metric::CLIENT_FLOOR_CPU_PER_OP, floor.cpu_per_op_ns);
            let rate = seen.operations as f64 / CLOSED.as_secs_f64();
            let asked = *asked_per_s.get_or_insert((rate * OPEN_SHARE).max(1.0));
            let seen = self.load(ctx, &server, Some(asked), !seed)?;
            add(&mut open, &seen, OPEN);
            add_open(&mut open, &seen, asked);
        }
        Ok(vec![
            self.measurement(ID.into(), "closed", ctx.repeats, closed),
            self.measurement(format!("{ID}.open"), "open", ctx.repeats, open),
        ])
    }

    fn load(
        &self,
        ctx: &Context<'_>,
        server: &NullServer,
        open_rate_per_s: Option<f64>,
        seed: u64,
    ) -> Result<LoadResult, DatabaseError> {
        let programs = ByKey::select("SELECT v FROM rows WHERE k = $1", 1);
        let plan = LoadPlan {
            server: server.address(),
            settings: &[],
            programs: &programs,
            sessions: self.sessions,
            cpus: self.client_cpus,
            open_rate_per_s,
            warm_up: WARM_UP,
            window: if open_rate_per_s.is_some() { OPEN } else { CLOSED },
            seed,
        };
        let (seen, ()) = load::run(&plan, ctx.stop, |window, _| Ok(window.wait_end(ctx.stop)?))?;
        Ok(seen)
    }

    fn measurement(&self, id: String, kind: &str, repeats: u32, samples: Samples) -> Measurement {
        let mut measurement = Measurement::new(id, Layer::Database);
        measurement.replication = Replication::PerWindow;
        measurement.repeats = repeats;
        measurement.metrics = samples.into_metrics();
        let say = &mut measurement.workload;
        say.insert(condition::WORKLOAD, json!("null"));
        say.insert(condition::LOOP, json!(kind));
        say.insert(condition::SESSIONS, json!(self.sessions));
        let shared = self.client_cpus.iter().any(|cpu| self.server_cpus.contains(cpu));
        let found = &mut measurement.conditions;
        found.insert(condition::SERVER_CPUS, json!(self.server_cpus));
        found.insert(condition::CLIENT_CPUS, json!(self.client_cpus));
        found.insert(condition::CPUS_SHARED, json!(shared));
        measurement
    }
}

fn add(samples: &mut Samples, seen: &LoadResult, window: Duration) {
    let operations = seen.operations as f64;
    let mut add = |metric, value: f64| samples.add(metric, value);
    add(metric::THROUGHPUT, operations / window.as_secs_f64());
    add(metric::WINDOW, window.as_nanos() as f64);
    add(metric::OPERATIONS, operations);
    let wrong = seen.errors + seen.conflicts + seen.wrong;
    add(metric::ERRORS, wrong as f64);
    if seen.operations > 0 {
        let cpu_ns = seen.cpu_ns as f64;
        add(metric::CLIENT_CPU_PER_OP, cpu_ns / operations);
        let busy = cpu_ns / window.as_nanos() as f64 / f64::from(seen.threads.max(1));
        add(metric::CLIENT_BUSY, busy);
    }
    record_latency(samples, &seen.latency);
}

fn add_open(samples: &mut Samples, seen: &LoadResult, asked_per_s: f64) {
    let due_per_s = seen.due as f64 / OPEN.as_secs_f64();
    samples.add(metric::ASKED_RATE, asked_per_s);
    samples.add(metric::OFFERED, due_per_s);
    samples.add(metric::SKIPPED, seen.skipped as f64);
    if let Some(late) = held_quantile(&seen.lateness, 0.99) {
        samples.add(metric::LATENESS_P99, late);
    }
    if let Some(on_time) = held_quantile(&seen.on_time, 0.99) {
        samples.add(metric::ON_TIME_LATENCY_P99, on_time);
    }
}
