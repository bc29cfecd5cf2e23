//! Whether the load has the CPUs it needs, found out in a second and not after ten minutes: a short window says what an operation costs
//! server and client, the CPUs of a server of our own are shared by that, and where the client is full all the same, the run says so before
//! its long part.

use std::time::Duration;

use anyhow::Result;
use narrows_engine::Context;
use narrows_layer_database::{Database, Task, Variation};
use narrows_model::{DatabaseChoice, Layer, Measurement, PlannedStep, condition, family, metric};
use serde_json::{Value, json};

use super::client;
use crate::resolved::{PlannedSession, Resolved};
use crate::split::{CostRatio, Split};

/// One window of the probe.
const WINDOW: Duration = Duration::from_millis(400);
/// Windows of one probe.
const REPEATS: u32 = 2;
/// A split by the first probe is probed again: the client may have held up the server in the first.
const PROBES: u32 = 2;
/// Of a probe: warm-up, sessions opening and ending.
const OVERHEAD_S: f64 = 0.7;
/// What updates log at most in a second, for the printed plan.
const LOG_BYTES_PER_S: f64 = 100e6;
/// From here on an answer waits for a client's thread, as the rule `client-bound` has it.
const BUSY: f64 = 0.7;

/// The step for the printed plan.
pub fn planned(resolved: &Resolved, task: &Task) -> PlannedStep {
    let what = if is_ours(resolved) {
        "a short window with the CPUs shared between server and load generator"
    } else {
        "a short window to see whether the load generator has the CPUs it needs"
    };
    let expected_s = f64::from(REPEATS) * (window(resolved).as_secs_f64() + OVERHEAD_S);
    let commits = if task.commits() > 0.0 { LOG_BYTES_PER_S } else { 0.0 };
    let writes_bytes = (expected_s * f64::from(PROBES) * commits) as u64;
    PlannedStep { layer: Layer::Database, what: what.into(), expected_s, writes_bytes }
}

fn window(resolved: &Resolved) -> Duration {
    WINDOW.min(resolved.database_window)
}

fn is_ours(resolved: &Resolved) -> bool {
    resolved.plan.database == DatabaseChoice::Managed
}

/// What a probe saw.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Cost {
    /// CPU time of one operation in the client, ns.
    client_ns: f64,
    /// And in the server, ns; `None` where its processes can't be seen.
    server_ns: Option<f64>,
    /// How busy the client's CPUs were.
    client_busy: f64,
}

impl Cost {
    fn of(probe: &Measurement, alone: Option<&Measurement>) -> Option<Cost> {
        let some = |m: &Measurement, metric| m.value(metric).filter(|value| *value > 0.0);
        let client = some(probe, metric::CLIENT_CPU_PER_OP)?;
        // A client that was held up by its own CPUs in the probe sleeps less there than it will.
        let alone = alone.and_then(|m| some(m, metric::CLIENT_CPU_PER_OP)).unwrap_or(0.0);
        Some(Cost {
            client_ns: client.max(alone),
            server_ns: some(probe, metric::SERVER_CPU_PER_OP),
            client_busy: probe.value(metric::CLIENT_BUSY)?,
        })
    }

    fn ratio(&self) -> Option<CostRatio> {
        self.server_ns.map(|server_ns| CostRatio(self.client_ns / server_ns))
    }

    /// What to say where the client has no time left.
    fn complaint(&self, ours: bool) -> Option<String> {
        if self.client_busy <= BUSY {
            return None;
        }
        let server = self
            .server_ns
            .map_or(String::new(), |ns| format!(" and the server {:.1} µs", ns / 1e3));
        let what = format!(
            "note: in a short first window the load generator's CPUs were {:.0} % busy (an operation costs it {:.1} µs of CPU time{server}): rates from here on may be its limit and not the server's",
            self.client_busy * 100.0,
            self.client_ns / 1e3,
        );
        let hint = if ours {
            "run narrows on a second host with --database postgres://USER@THIS-HOST/DATABASE on a server that is started here: \
             then all CPUs here are the server's"
        } else {
            "give narrows more CPUs: it uses those that it may run on (taskset, the control group's cpuset) and the server \
             does not; or run it on another host"
        };
        Some(format!("{what}\nhint: {hint}"))
    }
}

/// Probes a task on a server that is loaded, shares the CPUs by what was found where they are ours to share, and says so in every
/// measurement from here on. A probe that can't be had leaves the published ratio.
///
/// # Errors
/// A stop, or the client alone could not be measured again.
pub fn fit(
    session: &mut PlannedSession<'_, '_>,
    database: &mut Database,
    task: &Task,
) -> Result<()> {
    let ours = is_ours(session.resolved);
    let mut last = None;
    let mut moved = false;
    for _ in 0..PROBES {
        let Some(cost) = probe(session, database, task)? else { break };
        last = Some(cost);
        let Some(ratio) = cost.ratio().filter(|_| ours) else { break };
        let Some(split) = session.split.fitted(&session.resolved.platform, ratio) else { break };
        take(session, database, split);
        moved = true;
    }
    database.also_say(condition::CLIENT_CPUS_SIZED_BY, sized_by(last, ours));
    if moved {
        // What the client gives alone, it gives on the CPUs that it has.
        session.run.measurements.retain(|m| !family::DATABASE_CLIENT.has(&m.id));
        if let Some(address) = session.socket.clone() {
            client::measure(session, &address)?;
        }
    }
    if let Some(complaint) = last.and_then(|cost| cost.complaint(ours)) {
        session.ui.say(&complaint);
    }
    Ok(())
}

/// What the split was made by; that of a user's server follows from its CPUs, whatever was found.
fn sized_by(last: Option<Cost>, ours: bool) -> Value {
    let measured = last.and_then(|cost| Some((cost.client_ns, cost.server_ns?)));
    match measured.filter(|_| ours) {
        Some((client_ns, server_ns)) => {
            json!({"from": "measured", "client_ns": client_ns, "server_ns": server_ns})
        }
        None => json!({"from": "published", "client_over_server": CostRatio::PUBLISHED.0}),
    }
}

/// One probe; `None` where it could not be had: the workload itself will say why.
fn probe(
    session: &mut PlannedSession<'_, '_>,
    database: &mut Database,
    task: &Task,
) -> Result<Option<Cost>> {
    let resolved = session.resolved;
    let usual = resolved.context(session);
    let repeats = REPEATS.min(resolved.plan.repeats);
    let ctx = Context { window: window(resolved), repeats, ..usual };
    let unpaused = Task { think: Duration::ZERO, ..*task };
    let variation = [Variation::closed("database.probe", resolved.plan.sessions)];
    match database.measure(&ctx, unpaused, &variation) {
        Ok(probed) => {
            let alone = session.run.measurement("database.client");
            Ok(probed.first().and_then(|probed| Cost::of(probed, alone)))
        }
        Err(error) => {
            session.stop.check()?;
            session.ui.say(&format!("note: the CPUs are divided by published costs: {error}"));
            Ok(None)
        }
    }
}

fn take(session: &mut PlannedSession<'_, '_>, database: &mut Database, split: Split) {
    session.ui.say(&format!(
        "note: {} CPUs for the server and {} for the load generator from here on, by CPU time per operation",
        split.server.len(),
        split.client.len()
    ));
    database.have_cpus(&split.server, &split.client);
    session.run.plan.server_cpus = split.server.clone();
    session.run.plan.client_cpus = split.client.clone();
    session.split = split;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(metrics: &[(narrows_model::Metric, f64)]) -> Measurement {
        let mut samples = narrows_engine::Samples::new();
        for (metric, value) in metrics {
            samples.add(*metric, *value);
        }
        let mut measurement = Measurement::new("database.probe", Layer::Database);
        measurement.metrics = samples.into_metrics();
        measurement
    }

    #[test]
    fn the_ratio_is_of_the_dearer_client_over_the_server() {
        let probe = measured(&[
            (metric::CLIENT_CPU_PER_OP, 6_000.0),
            (metric::SERVER_CPU_PER_OP, 16_000.0),
            (metric::CLIENT_BUSY, 0.5),
        ]);
        let alone = measured(&[(metric::CLIENT_CPU_PER_OP, 8_000.0)]);
        let ratio = |alone| Cost::of(&probe, alone).unwrap().ratio();
        assert_eq!(ratio(Some(&alone)), Some(CostRatio(0.5)));
        assert_eq!(ratio(None), Some(CostRatio(0.375)));
        let elsewhere =
            measured(&[(metric::CLIENT_CPU_PER_OP, 6_000.0), (metric::CLIENT_BUSY, 0.5)]);
        assert_eq!(Cost::of(&elsewhere, None).unwrap().ratio(), None, "no processes to be seen");
        assert_eq!(Cost::of(&measured(&[]), None), None, "no operation ended");
    }

    #[test]
    fn a_measurement_says_what_its_split_was_made_by() {
        let cost = Cost { client_ns: 8e3, server_ns: Some(16e3), client_busy: 0.5 };
        let from = |last, ours| sized_by(last, ours)["from"].clone();
        assert_eq!(from(Some(cost), true), "measured");
        assert_eq!(sized_by(Some(cost), true)["server_ns"], 16e3);
        assert_eq!(from(Some(cost), false), "published", "not ours to share");
        assert_eq!(from(None, true), "published");
        assert_eq!(from(Some(Cost { server_ns: None, ..cost }), true), "published");
    }

    #[test]
    fn a_full_client_is_said_before_the_long_part_with_a_way_out() {
        let cost = |client_busy| Cost { client_ns: 8_000.0, server_ns: Some(9_000.0), client_busy };
        assert_eq!(cost(0.69).complaint(true), None);
        let ours = cost(0.92).complaint(true).unwrap();
        assert!(ours.contains("92 % busy") && ours.contains("8.0 µs"), "{ours}");
        assert!(ours.contains("and the server 9.0 µs"), "{ours}");
        assert!(ours.contains("second host with --database postgres://"), "{ours}");
        let theirs = Cost { server_ns: None, ..cost(0.92) }.complaint(false).unwrap();
        assert!(theirs.contains("taskset") && !theirs.contains("the server 9"), "{theirs}");
    }
}
