//! Runs of storage alone: a calibration with its windows, and loads of a job file. The drive is a queue with one law:
//! latency grows as 1 / (1 - load), so that curve, histograms and figures agree.

use narrows_model::*;
use narrows_stats::Recorder;
use serde_json::json;

use super::builders::{m, unit};

/// What the drive gives at most, per second.
const CEILING: f64 = 80_812.0;
const ALONE_NS: f64 = 84_600.0;

/// Reads of 8 KiB, found.
pub fn calibrated() -> Run {
    let mut run = blank();
    add(&mut run, calibration("block.calibrate.read.8k", 1.0, None), 1.0);
    run
}

/// The same beside a log stream, and a mix of reads and writes: three answers in one run.
pub fn interfered() -> Run {
    let mut run = calibrated();
    let log = Some("a durable 8 KiB log stream");
    add(&mut run, calibration("block.calibrate.read.8k.beside_log", 1.0, log), 1.5);
    add(&mut run, calibration("block.calibrate.mixed70.8k", 0.7, None), 2.0);
    run
}

/// A search that ended otherwise.
pub fn unfound(end: CalibrationEnd) -> Run {
    let mut run = calibrated();
    let c = &mut run.calibrations[0];
    c.end = end;
    c.sentence = match end {
        CalibrationEnd::Unlimited => "p99 within 1.00 ms is kept up to the ceiling, 80.8k/s: something else than latency ends the growth",
        CalibrationEnd::Unstable => {
            "the device changed: p99 within 1.00 ms was kept at 62.0k/s and missed at 58.0k/s"
        }
        CalibrationEnd::GeneratorBound => "the load generator could not follow at 310k/s",
        CalibrationEnd::Unfinished => {
            "the time allowed was used up, after 54 windows; so far kept at 58.0k/s and missed at 70.1k/s"
        }
        _ => "p99 within 1.00 ms is not kept even at 808/s (there it is 1.42 ms)",
    }
    .into();
    (c.interval_95, c.oracle, c.knee_per_s, c.bound) = (None, None, None, None);
    if matches!(end, CalibrationEnd::Unreachable | CalibrationEnd::Unstable) {
        (c.rate_per_s, c.latency_mean_ns, c.cpu_per_op_ns) = (None, None, None);
        c.quantiles_ns.clear();
        c.curve.clear();
    }
    run
}

/// What it rests on is invalid.
pub fn botched() -> Run {
    let mut run = calibrated();
    run.findings.push(super::finding(
        Severity::Invalid,
        "device-saw-less",
        Some("block.calibrate.read.8k.confirm"),
        "the drives saw 3 % of the bytes: a cache answered",
    ));
    run.apply_findings();
    run
}

/// Reads at five rates alone and beside four streams of writes; the heaviest makes the queue grow at the highest rate, and one
/// cell is suspect.
pub fn beside() -> Run {
    let mut run = blank();
    run.command = ["narrows", "block", "interference", "--at", "/data"].map(String::from).into();
    let companies = [
        ("alone", "nothing", 1.0),
        ("writes_light", "random 8 KiB writes, 5.20k/s", 1.25),
        ("writes_heavy", "random 8 KiB writes, 15.6k/s", 3.1),
        ("log_light", "a WAL-like stream of 8 KiB, 410/s", 1.04),
        ("log_heavy", "a WAL-like stream of 8 KiB, 1.23k/s", 1.6),
    ];
    for (word, beside, factor) in companies {
        for percent in [10, 30, 50, 70, 90] {
            let rate = CEILING * f64::from(percent) / 100.0;
            let grows = word == "writes_heavy" && percent == 90;
            let place = if grows { "beyond." } else { "" };
            let id = format!("block.interference.read.8k.{word}");
            let mut reads = window(&format!("{id}.{place}p{percent}"), rate, factor, 3);
            company(&mut reads, word, beside);
            run.measurements.push(reads);
            if word != "alone" {
                let at = format!("{id}.p{percent}");
                let mut writes = window(&format!("{at}.beside"), 5e3, factor, 3);
                company(&mut writes, word, beside);
                run.measurements.push(writes);
                run.measurements.push(window(&format!("{at}.together"), rate, factor, 3));
            }
        }
    }
    let late = "block.interference.read.8k.log_heavy.p70";
    run.findings = vec![super::finding(
        Severity::Suspect,
        "generator-late",
        Some(late),
        "the generator was late by 7 % of the latency",
    )];
    run.apply_findings();
    run
}

fn company(m: &mut Measurement, word: &str, beside: &str) {
    m.workload.insert(narrows_model::condition::COMPANY, json!(word));
    m.workload.insert(narrows_model::condition::BESIDE, json!(beside));
    m.workload.insert(condition::BLOCK_BYTES, json!(8192));
}

/// Loads of a job file: one valid, a suspect mix, an invalid one.
pub fn loads() -> Run {
    let mut run = blank();
    run.command = ["narrows", "block", "run", "mixed.fio"].map(String::from).into();
    let load = |id: &str, rate: f64, factor: f64| {
        let mut load = window(id, rate, factor, 2);
        load.workload.insert(condition::LOOP, json!("closed"));
        load.workload.insert(condition::DEPTH, json!(32));
        load
    };
    let mut mix = load("block.run.mixed.a-job-with-a-name-that-is-quite-long", 41e3, 1.6);
    mix.conditions.insert(condition::WRITE_STATE, json!("burst"));
    kinds(&mut mix, 41e3, 0.7, 1.6);
    run.measurements =
        vec![load("block.run.reads", 62e3, 1.0), mix, load("block.run.cached", 582e3, 0.01)];
    run.findings = vec![
        super::finding(
            Severity::Suspect,
            "steal",
            Some(&run.measurements[1].id.clone()),
            "the hypervisor took 7 % of the CPUs",
        ),
        super::finding(
            Severity::Invalid,
            "device-saw-less",
            Some("block.run.cached"),
            "the drives saw none of the bytes",
        ),
    ];
    run.apply_findings();
    run
}

fn blank() -> Run {
    let mut run = super::without_database();
    run.command = ["narrows", "block", "--at", "/data"].map(String::from).into();
    run.plan.layers = vec![Layer::Block];
    run.plan.steps.retain(|step| step.layer == Layer::Block);
    run.finished_at = Some("2026-11-20T14:03:48Z".into());
    run.measurements.clear();
    run.findings.clear();
    run
}

fn add(run: &mut Run, mut c: Calibration, factor: f64) {
    let rate = c.rate_per_s.unwrap();
    let mut confirm = window(&format!("{}.confirm", c.id), rate, factor, 6);
    if c.goal.read_share < 1.0 {
        kinds(&mut confirm, rate, c.goal.read_share, factor);
    }
    c.rests_on = vec![confirm.id.to_string()];
    run.measurements.push(confirm);
    for point in c.curve.iter().filter(|point| !point.sentinel) {
        let id = format!("{}.curve.{}", c.id, point.order);
        let mut at = window(&id, point.asked_per_s, factor, 1);
        if c.goal.read_share < 1.0 {
            kinds(&mut at, point.asked_per_s, c.goal.read_share, factor);
        }
        run.measurements.push(at);
    }
    run.calibrations.push(c);
}

/// Mean latency at a rate, ns.
fn mean_ns(rate: f64, factor: f64) -> f64 {
    ALONE_NS * factor / (1.0 - rate / CEILING).max(0.02)
}

fn latencies(mean: f64, count: u32, seed: u64) -> Recorder {
    let mut recorder = Recorder::new();
    let mut state = seed;
    for _ in 0..count {
        let u = unit(&mut state).max(1e-9);
        recorder.record((mean * (0.55 - 0.45 * u.ln())) as u64);
    }
    recorder
}

/// An open loop at a rate, with histograms and series.
fn window(id: &str, rate: f64, factor: f64, repeats: u32) -> Measurement {
    let mean = mean_ns(rate, factor);
    let all = latencies(mean, 40_000, rate as u64);
    let quantile = |q: f64| all.quantile(q).unwrap() as f64;
    let mut window = m(
        id,
        Layer::Block,
        repeats as usize,
        &[
            (metric::THROUGHPUT, rate, 0.004),
            (metric::BANDWIDTH, rate * 8192.0, 0.004),
            (metric::LATENCY_MEAN, all.mean().unwrap(), 0.02),
            (metric::LATENCY_P50, quantile(0.5), 0.02),
            (metric::LATENCY_P99, quantile(0.99), 0.05),
            (metric::LATENCY_P999, quantile(0.999), 0.09),
            (metric::CPU_PER_OP, 2_900.0, 0.01),
            (metric::ASKED_RATE, rate, 0.0),
        ],
    );
    window.workload.insert(condition::LOOP, "open");
    window.workload.insert(condition::ARRIVALS, "poisson");
    window.workload.insert(condition::FILE_BYTES, 1u64 << 30);
    window.conditions.insert(condition::METHOD, json!("io_uring"));
    window.conditions.insert(condition::DIRECT, json!(true));
    for repeat in 0..repeats {
        let recorder = latencies(mean, 20_000, u64::from(repeat) + rate as u64);
        let hdr_v2 = recorder.to_hdr_v2();
        window.histograms.push(Histogram {
            name: "latency".into(),
            unit: Unit::Ns,
            repeat,
            hdr_v2,
        });
        let mut seed = u64::from(repeat) + 17;
        let means: Vec<f64> = (0..20).map(|_| mean * (0.8 + 0.4 * unit(&mut seed))).collect();
        let longest = means.iter().map(|mean| mean * (4.0 + 3.0 * unit(&mut seed))).collect();
        for (name, values) in [(metric::LATENCY_MEAN, means), (metric::LATENCY_MAX, longest)] {
            window.series.push(Series {
                name: name.into(),
                unit: Unit::Ns,
                repeat,
                t0_ns: 0,
                interval_ns: 100_000_000,
                x: Vec::new(),
                values,
            });
        }
    }
    window
}

/// Reads and writes of a mix apart.
fn kinds(m: &mut Measurement, rate: f64, reads: f64, factor: f64) {
    let at = latencies(mean_ns(rate, factor), 40_000, 5);
    let p99 = at.quantile(0.99).unwrap() as f64;
    let half = 0.02;
    let n = m.repeats as usize;
    for (name, value) in [
        (metric::READ_THROUGHPUT, rate * reads),
        (metric::READ_LATENCY_P50, p99 / 6.0),
        (metric::READ_LATENCY_P99, p99),
        (metric::WRITE_THROUGHPUT, rate * (1.0 - reads)),
        (metric::WRITE_LATENCY_P50, p99 / 12.0),
        (metric::WRITE_LATENCY_P99, p99 / 2.0),
    ] {
        m.metrics.push(super::builders::metric(name, value, half, n));
    }
}

fn calibration(id: &str, read_share: f64, beside: Option<&str>) -> Calibration {
    let factor = if read_share < 1.0 {
        2.0
    } else if beside.is_some() {
        1.5
    } else {
        1.0
    };
    let rate = (CEILING * (1.0 - ALONE_NS * factor * 2.72 / 1e6)).round();
    let quantiles: Vec<f64> = [0.95, 0.97, 0.93, 0.96, 0.99, 0.94].map(|of| of * 1e6).into();
    let what =
        if read_share < 1.0 { "8 KiB random operations, 70 % reads" } else { "8 KiB random reads" };
    let mut c: Calibration = serde_json::from_value(json!({
        "id": id,
        "goal": {
            "what": what, "block_bytes": 8192, "read_share": read_share, "quantile": 0.99,
            "limit_ns": 1_000_000, "arrivals": "poisson", "beside": beside,
        },
        "end": "found",
        "sentence": "",
        "rate_per_s": rate,
        "interval_95": { "low": rate, "high": rate * 1.05, "method": "order_statistic" },
        "quantiles_ns": quantiles,
        "repeats": [6, 6],
        "latency_mean_ns": mean_ns(rate, factor),
        "alone_ns": ALONE_NS,
        "ceiling_per_s": CEILING,
        "ceiling_depth": 64,
        "knee_per_s": rate * 0.65,
        "curve": [],
        "cpu_per_op_ns": 2_900.0,
        "windows": 54,
        "unusable_windows": 3,
        "bound": "the closed loop's depth over its latency: 64 / 792 µs = 80.8k/s",
        "bandwidth_bytes_per_s": 2.19e9,
        "bandwidth_depth": 8,
        "process_bandwidth_bytes_per_s": 1.31e9,
    }))
    .unwrap();
    if read_share == 1.0 {
        c.oracle = Some(OracleNumbers {
            max_iops: 80_812,
            max_mbps: 2_088,
            latency_ms: 0,
            max_pmbps: Some(1_249),
        });
    }
    let shares =
        [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.65, 0.7, 0.7, 0.7, 0.8, 0.9, 0.95, 1.0, 1.03, 1.06];
    for (i, share) in shares.into_iter().enumerate() {
        let sentinel = i == 7 || i == 8 || i == 9;
        let asked = rate * share;
        let bounded = share < 1.05;
        let law = latencies(mean_ns(asked, factor), 40_000, i as u64);
        let at = |q: f64| {
            law.quantile(q)
                .map(|ns| ns as f64 * if bounded { 1.0 + 0.01 * (i % 3) as f64 } else { 900.0 })
        };
        c.curve.push(CurvePoint {
            order: (i as u32 * 7) % 16,
            sentinel,
            asked_per_s: asked,
            achieved_per_s: asked * if bounded { 1.0 } else { 0.99 },
            bounded,
            latency_mean_ns: law.mean(),
            latency_p50_ns: at(0.5),
            latency_p99_ns: at(0.99),
            latency_p999_ns: at(0.999).filter(|_| share > 0.25),
            lateness_p99_ns: Some(6_200.0),
            cpu_per_op_ns: Some(2_900.0 + 400.0 * (1.0 - share)),
        });
    }
    c
}
