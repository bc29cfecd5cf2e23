//! Runs of memory alone: a study of a machine with four nodes, a look at where pools lie, and a machine that has aged.

use narrows_model::*;
use serde_json::{Value, json};

use super::builders::{finding, m};

const NS: Unit = Unit::NsPerOp;
const PER_S: Unit = Unit::BytesPerS;

fn run(layers: &[Layer], measurements: Vec<Measurement>) -> Run {
    let mut run = super::rich();
    run.plan.layers = layers.to_vec();
    run.plan.database = DatabaseChoice::None;
    run.plan.workloads.clear();
    run.measurements = measurements;
    run.findings.clear();
    run.verdicts.clear();
    run
}

fn one(
    id: &str,
    metrics: &[(Metric, f64, f64)],
    workload: Value,
    conditions: Value,
) -> Measurement {
    let layer = if id.starts_with("clock.") { Layer::Clock } else { Layer::Memory };
    let mut m = m(id, layer, 6, metrics);
    let pairs = |value: Value| serde_json::from_value(value).expect("an object");
    m.workload = pairs(workload);
    m.conditions = pairs(conditions);
    m
}

/// Two sockets of two nodes, with a slow pair and a cell that was looked at twice; clocks, traffic, touching, work on two CPUs.
pub fn study() -> Run {
    let parts = [clocks(), traffic(), loads(), shapes(), cells(), placements()];
    let mut run = run(&[Layer::Clock, Layer::Memory], parts.into_iter().flatten().collect());
    let stolen = "memory.shape.page_copy.2m.node0";
    let summary = "The hypervisor ran others on our processors";
    run.findings.push(finding(Severity::Suspect, "steal", Some(stolen), summary));
    run.measurements.iter_mut().filter(|m| m.id == stolen).for_each(|m| {
        m.validity = Validity::Suspect;
    });
    run
}

/// Beside reads the knee is at the most, beside writes before it.
fn loads() -> Vec<Measurement> {
    let shares = vec![0.0, 0.4, 0.7, 1.0];
    let load = |word: &str, ns: [f64; 4], per_s: [f64; 4], knee: f64| {
        let id = format!("memory.loaded.{word}.node0");
        let workload = json!({"threads": 23, "cpu": 0});
        let mut m = one(&id, &[(metric::COST, 95.0, 0.02)], workload, json!({"knee_share": knee}));
        let curve = |name: &str, unit, values: [f64; 4]| Series {
            name: name.to_string(),
            unit,
            repeat: 0,
            t0_ns: 0,
            interval_ns: 0,
            x: shares.clone(),
            values: values.to_vec(),
        };
        m.series = vec![curve("curve.latency", NS, ns), curve("curve.bandwidth", PER_S, per_s)];
        m
    };
    vec![
        load("read", [95.0, 99.0, 108.0, 121.0], [0.0, 62e9, 118e9, 172e9], 1.0),
        load("mix_1_1", [95.0, 112.0, 141.0, 420.0], [0.0, 51e9, 93e9, 120e9], 0.7),
    ]
}

fn clocks() -> Vec<Measurement> {
    vec![
        one(
            "clock.vdso",
            &[(metric::COST, 21.0, 0.01), (metric::ERRORS, 0.0, 0.0)],
            json!({}),
            json!({"clock_source": "kvm-clock", "clock_sources_available": "kvm-clock tsc acpi_pm",
                   "smallest_step_ns": 20, "cpus_compared": 12}),
        ),
        one(
            "clock.syscall",
            &[(metric::COST, 142.0, 0.02), (metric::ERRORS, 0.0, 0.0)],
            json!({}),
            json!({"smallest_step_ns": 110, "cpus_compared": 12}),
        ),
        one(
            "clock.tsc",
            &[(metric::COST, 9.0, 0.02), (metric::ERRORS, 2.0, 0.0)],
            json!({}),
            json!({"smallest_step_ticks": 26, "ticks_hz": 2.6e9, "cpus_compared": 12}),
        ),
    ]
}

fn traffic() -> Vec<Measurement> {
    vec![
        one(
            "memory.bandwidth.read.core",
            &[(metric::BANDWIDTH, 13e9, 0.01)],
            json!({"threads": 1, "method": "avx512"}),
            json!({}),
        ),
        one(
            "memory.bandwidth.read.node0",
            &[(metric::BANDWIDTH, 180e9, 0.01)],
            json!({"threads": 24, "method": "avx512"}),
            json!({}),
        ),
        one(
            "memory.bandwidth.triad.core",
            &[(metric::BANDWIDTH, 12e9, 0.01)],
            json!({"threads": 1}),
            json!({}),
        ),
        one(
            "memory.bandwidth.triad.node0",
            &[(metric::BANDWIDTH, 150e9, 0.01)],
            json!({"threads": 24}),
            json!({}),
        ),
        one(
            "memory.touch.4k.one",
            &[(metric::BANDWIDTH, 2.4e9, 0.1), (metric::COST, 1700.0, 0.1)],
            json!({"processes": 1, "bytes": 536_870_912u64}),
            json!({"page_bytes": 4096}),
        ),
        one(
            "memory.touch.2m.all",
            &[(metric::BANDWIDTH, 61e9, 0.02), (metric::COST, 82_000.0, 0.02)],
            json!({"processes": 48, "bytes": 536_870_912u64}),
            json!({"page_bytes": 2 << 20}),
        ),
    ]
}

/// Two CPUs do more than twice what one does, until they meet at one chain.
fn shapes() -> Vec<Measurement> {
    let mut all = Vec::new();
    for (kind, one_per_s, two_per_s) in [
        ("page_copy.4k", 0.93e6, 1.82e6),
        ("page_copy.2m", 1.12e6, 2.2e6),
        ("index_descent.4k", 0.7e6, 1.63e6),
        ("index_descent.2m", 0.82e6, 1.83e6),
        ("chains_even", 12.7e6, 33.7e6),
        ("chains_hot", 18.7e6, 16e6),
    ] {
        for (place, threads, per_s) in [("core", 1, one_per_s), ("node0", 2, two_per_s)] {
            let cost = f64::from(threads) * 1e9 / per_s;
            all.push(one(
                &format!("memory.shape.{kind}.{place}"),
                &[(metric::THROUGHPUT, per_s, 0.02), (metric::COST, cost, 0.02)],
                json!({"threads": threads, "share_of_the_hot_chain": 0.9}),
                json!({}),
            ));
        }
    }
    all
}

fn cells() -> Vec<Measurement> {
    let mut all = Vec::new();
    let distance = |a: u32, b: u32| match (a == b, a / 2 == b / 2) {
        (true, _) => (10, 95.0, 180e9),
        (_, true) => (12, 110.0, 160e9),
        _ => (32, 190.0, 60e9),
    };
    for a in 0..4u32 {
        for b in 0..4u32 {
            // The last node's pairs with the other socket nobody looked at.
            if (a == 3) != (b == 3) && a / 2 != b / 2 {
                continue;
            }
            let (distance, ns, per_s) = distance(a, b);
            let slow = (a, b) == (0, 2);
            let mut conditions = json!({"distance": distance, "node": b});
            if slow {
                conditions["over_its_distance"] = json!(0.31);
                conditions["looked_at_before"] = json!([18.4e9]);
            }
            let factor = if slow { 0.31 } else { 1.0 };
            let id = |what: &str| format!("memory.matrix.{what}.from{a}.to{b}");
            let mut latency = json!({"distance": distance, "node": b});
            if (a, b) == (1, 0) {
                latency["looked_at_before"] = json!([171.0]);
            }
            all.push(one(&id("latency"), &[(metric::COST, ns, 0.02)], json!({}), latency));
            let read = [(metric::BANDWIDTH, per_s * factor, 0.02)];
            all.push(one(&id("read"), &read, json!({}), conditions));
        }
    }
    all
}

fn placements() -> Vec<Measurement> {
    let mut all = Vec::new();
    for (policy, ns, per_s, least, most) in [
        ("local", 96.0, 715e9, 720e9, 720e9),
        ("remote", 150.0, 380e9, 340e9, 440e9),
        ("interleaved", 148.0, 410e9, 330e9, 480e9),
        ("weighted", 147.0, 415e9, 330e9, 480e9),
        ("one_node", 145.0, 168e9, 180e9, 180e9),
    ] {
        let id = |what: &str| format!("memory.policy.{what}.{policy}");
        let latency = [(metric::COST, ns, 0.02)];
        all.push(one(&id("latency"), &latency, json!({}), json!({"predicted_ns": ns * 0.98})));
        let read = [(metric::BANDWIDTH, per_s, 0.02)];
        let predicted = json!({"predicted_bytes_per_s": [least, most]});
        all.push(one(&id("read"), &read, json!({}), predicted));
    }
    all
}

fn pool(number: u32, workload: Value, conditions: Value) -> Measurement {
    let id = format!("memory.placement.{number}");
    one(&id, &[(metric::FULLEST_NODE_SHARE, 0.97, 0.0)], workload, conditions)
}

/// A pool on one node with its cost, an even one, one that could not be looked into, and the counters.
pub fn placement() -> Run {
    let gib = |n: u64| n << 30;
    let all = vec![
        pool(
            1,
            json!({"owner": "postgres", "pool": "/dev/zero (deleted)", "shared": true, "bytes": gib(64), "processes": 9, "pid": 900}),
            json!({"shape": "one node", "page_bytes": 4096, "pages": 16_777_216, "pages_asked": 65_536, "processes_asked": 9,
                   "pages_in_no_table": 9_000, "share_by_node": {"0": 0.97, "1": 0.03}, "share_uncertainty": 0.0014,
                   "policy": "default", "load_ns": 131.0, "interleaved_load_ns": 118.0, "swap_bytes": 4096,
                   "read_bytes_per_s": [176e9, 176e9], "interleaved_read_bytes_per_s": [230e9, 310e9]}),
        ),
        pool(
            2,
            json!({"owner": "ora_dbw0_PROD", "pool": "/SYSV0052e2c1 (deleted)", "shared": true, "bytes": gib(32), "processes": 120, "pid": 70}),
            json!({"shape": "even", "page_bytes": 2 << 20, "pages": 16_384, "pages_asked": 16_384, "processes_asked": 3,
                   "pages_in_no_table": 0, "share_by_node": {"0": 0.51, "1": 0.49}, "share_uncertainty": 0.0, "policy": "interleave:0-1"}),
        ),
        pool(
            3,
            json!({"owner": "mysqld", "pool": "private", "shared": false, "bytes": gib(2), "processes": 1, "pid": 71}),
            json!({"shape": "unknown", "page_bytes": 4096, "pages": 524_288, "pages_asked": 65_536, "processes_asked": 0,
                   "pages_in_no_table": 65_536, "share_by_node": {}, "share_uncertainty": 0.0}),
        ),
        one(
            "memory.placement.counters",
            &[(metric::FULLEST_NODE_SHARE, 0.8, 0.0)],
            json!({}),
            json!({"shared_bytes_by_node": {"0": gib(70), "1": gib(1)}, "huge_used_bytes_by_node": {"0": gib(16), "1": gib(16)},
                   "share_by_node": {"0": 0.83, "1": 0.17}, "shape": "uneven", "processes_closed": 13}),
        ),
    ];
    run(&[Layer::Memory], all)
}

/// What a machine gives that was up for 14 days, beside what it gave when it was new.
pub fn aged() -> Run {
    let change = |id: &str, unit: &str, then: f64, now: f64, worse: bool| {
        json!({"id": id, "unit": unit, "then": then, "now": now, "ratio": now / then, "low": now / then * 0.97,
               "high": now / then * 1.03, "worse": worse, "better": false})
    };
    let gib = |n: f64| (n * f64::from(1 << 30)) as u64;
    let since = one(
        "memory.baseline.since",
        &[],
        json!({"baseline": "d8ff671b", "baseline_at": "2026-11-09T08:42:10Z"}),
        json!({"aged": true, "restarted_since": false,
               "reasons": ["fragmented", "huge pages lost", "huge pages taken", "swap used",
                           "huge pages no longer obtained", "shared memory less even"],
               "changes": [change("memory.latency.4k", "ns", 92.0, 95.0, false),
                           change("memory.bandwidth.read.node0", "bytes_per_s", 176e9, 171e9, false),
                           change("memory.touch.4k.all", "bytes_per_s", 40e9, 10e9, true)],
               "then": {"uptime_s": 3600.0, "free_bytes": gib(100.0), "free_in_large_pieces_bytes": gib(98.0), "huge_pages_bytes": gib(64.0)},
               "now": {"uptime_s": 1_209_600.0, "free_bytes": gib(80.0), "free_in_large_pieces_bytes": gib(6.0), "huge_pages_bytes": gib(48.0),
                       "swap_used_bytes": gib(1.0)}}),
    );
    run(&[Layer::Memory], vec![since])
}
