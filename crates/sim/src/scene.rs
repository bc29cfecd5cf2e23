//! A whole run of the program on a simulated machine: capacities, the workload, and interventions on demand.

use narrows_judge::judge;
use narrows_model::{
    Cpu, DatabaseChoice, Layer, Measurement, Plan, Platform, Run, Tool, condition,
};
use narrows_verdict::{Intervention, MOST_TESTS, Workload, fewer_cpus, propose};
use serde_json::json;

use crate::account::Windows;
use crate::emit::{self, Table};
use crate::law::Law;
use crate::server::{Server, Step};
use crate::world::closed;

/// A server under one workload.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    /// Which workload it stands for.
    pub workload: Workload,
    /// The server.
    pub server: Server,
    /// For scans: the table.
    pub table: Option<Table>,
    /// Seed of everything random.
    pub seed: u64,
    /// A sketch with three repeats.
    pub quick: bool,
}

impl Scene {
    /// A scene of a workload without a table.
    pub fn new(workload: Workload, server: Server, seed: u64) -> Scene {
        Scene { workload, server, table: None, seed, quick: false }
    }

    /// A scan: one operation of the server is a chunk, `chunks` of them a table.
    pub fn scan(server: Server, chunks: f64, blocks_per_read: f64, seed: u64) -> Scene {
        Scene {
            workload: Workload::ScanMany,
            server,
            table: Some(Table { chunks, blocks_per_read }),
            seed,
            quick: false,
        }
    }

    pub(crate) fn windows(&self) -> Windows {
        Windows { repeats: if self.quick { 3 } else { 6 }, ..Windows::default() }
    }

    /// The run as it is before any verdict: platform, capacities, the workload.
    pub fn measure(&self) -> Run {
        let id = self.workload.measurement_id();
        let mut run = self.blank_run();
        run.measurements.extend(self.capacities());
        let windows = closed(&self.server, self.windows(), self.seed);
        run.measurements.push(emit::database(id, &self.server, &windows, self.table));
        if !self.workload.is_scan() {
            let alone = Server { sessions: 1, ..self.server.clone() };
            let windows = closed(&alone, self.windows(), self.seed ^ 0xa1);
            let id = format!("{id}.alone");
            run.measurements.push(emit::database(&id, &alone, &windows, None));
        }
        run
    }

    /// Makes a change and measures again.
    pub fn intervene(&self, intervention: Intervention) -> Measurement {
        let mut server = self.server.clone();
        match intervention {
            Intervention::SessionsX2 | Intervention::WorkersX2 => server.sessions *= 2,
            Intervention::FewerCpus => {
                let cpus = fewer_cpus(server.cpus as usize).unwrap_or(1) as u32;
                server.taken_cpus *= f64::from(cpus) / f64::from(server.cpus);
                server.cpus = cpus;
            }
            Intervention::MoreCpus => server.shared_cpus = true,
            Intervention::SyncOff => server.synchronous_commit = false,
        }
        let baseline = self.workload.measurement_id();
        let windows = closed(&server, self.windows(), self.seed ^ 0x7e57);
        let id = intervention.measurement_id(baseline);
        let mut m = emit::database(&id, &server, &windows, self.table);
        m.conditions.insert(condition::INTERVENTION, json!(intervention.word()));
        m.conditions.insert(condition::BASELINE, json!(baseline));
        m
    }

    /// Drives and log, each measured apart from the server, as their layers do.
    pub(crate) fn capacities(&self) -> Vec<Measurement> {
        let mut all = Vec::new();
        let windows = self.windows();
        if self.server.smt_yield.is_some() {
            // One core, and no sharing: the layer's work has its memory for itself.
            let core = Server {
                cpus: 2,
                steps: vec![Step::Cpu(Law::Constant(50_000.0))],
                think: None,
                sharing: 1.0,
                taken_cpus: 0.0,
                quota_cpus: None,
                ..self.server.clone()
            };
            let [alone, both] = [1, 2].map(|sessions| {
                closed(&Server { sessions, ..core.clone() }, windows, self.seed ^ 0x517)
            });
            all.push(emit::smt_yield(&alone, &both));
        }
        if self.server.reads_per_op() > 0 {
            let channels = self.server.disk.channels;
            let sequential = self.table.is_some();
            let ids = if sequential {
                vec![("block.read.sequential.1m.knee".to_string(), channels * 4)]
            } else {
                let own = self.server.sessions;
                vec![
                    ("block.read.random.8k.d1".to_string(), 1),
                    ("block.read.random.8k.knee".to_string(), channels * 4),
                    (format!("block.read.random.8k.direct_d{own}"), own),
                ]
            };
            for (id, depth) in ids {
                let alone = Server {
                    sessions: depth,
                    think: None,
                    steps: vec![Step::Read],
                    ..self.server.clone()
                };
                let seen = closed(&alone, windows, self.seed ^ u64::from(depth));
                all.push(emit::device(&id, Layer::Block, depth, &seen));
            }
        }
        if self.server.commits() {
            for committers in [1, 8, 64] {
                let mut alone = Server {
                    sessions: committers,
                    think: None,
                    synchronous_commit: true,
                    // A committer needs a moment to prepare its record.
                    steps: vec![Step::Pause(Law::Constant(1_000.0)), Step::Commit],
                    ..self.server.clone()
                };
                alone.log.inside_ns = 0.0;
                let seen = closed(&alone, windows, self.seed ^ u64::from(committers));
                let id = format!("log.commit.{committers}");
                all.push(emit::device(&id, Layer::Log, committers, &seen));
                if committers == 1 {
                    for state in ["idle", "busy"] {
                        let id = format!("log.append.fdatasync.{state}");
                        all.push(emit::device(&id, Layer::Log, 1, &seen));
                    }
                }
            }
        }
        all
    }

    pub(crate) fn blank_run(&self) -> Run {
        let cpus = self.server.cpus;
        let all = cpus + self.server.client_cpus;
        let smt = self.server.smt_yield.is_some();
        let each = if smt { 2 } else { 1 };
        let core = |first: u32| (first..all.min(first + each)).collect();
        let cores: Vec<Vec<u32>> = (0..all).step_by(each as usize).map(core).collect();
        let mut platform = Platform {
            cpu: Cpu {
                sockets: 1,
                cores: cores.len() as u32,
                threads: all,
                smt_active: Some(smt),
                cores_threads: cores,
                // The simulated clock is one.
                base_khz: Some(3_000_000),
                max_khz: Some(3_000_000),
                ..Cpu::default()
            },
            ..Platform::default()
        };
        platform.cgroup.cpu_quota_cpus = self.server.quota_cpus;
        let plan = Plan {
            quick: self.quick,
            layers: Layer::ALL.to_vec(),
            database: DatabaseChoice::Managed,
            sessions: self.server.sessions,
            repeats: self.windows().repeats,
            seed: self.seed,
            server_cpus: (0..cpus).collect(),
            client_cpus: (cpus..all).collect(),
            ..Plan::default()
        };
        Run {
            id: format!("sim-{}", self.seed),
            tool: Tool { name: "narrows-sim".into(), version: env!("CARGO_PKG_VERSION").into() },
            started_at: "1970-01-01T00:00:00Z".into(),
            ..Run::blank(plan, platform)
        }
    }
}

/// The whole way: measure, judge, make the test that the verdict proposes, judge again.
pub fn simulate(scene: &Scene) -> Run {
    let mut run = scene.measure();
    judge(&mut run);
    for _ in 0..MOST_TESTS {
        let Some(intervention) = propose(&run, scene.workload.measurement_id()) else { break };
        run.measurements.push(scene.intervene(intervention));
        judge(&mut run);
    }
    run
}
