//! Runs of the commit log: a ladder with its load, sessions and arrivals that share flushes, several logs on one device. The drive
//! is invented; its distributions have a second hump beside the load, and all figures are those of its histograms.

use narrows_model::*;
use narrows_stats::{Recorder, interval_95, median};
use serde_json::json;

use super::builders::{m, metric, unit};

const REPEATS: usize = 6;
const LIMIT_NS: u64 = 1_000_000;
/// Mean of a write and its flush, ns.
const FLUSH_NS: f64 = 33e3;
const CALIBRATION: &str = "log.calibrate.commits.200b";

/// From the device's flush to the commit, with sessions, a rate and what is known of durability.
pub fn laddered() -> Run {
    let mut run = blank("log");
    for (state, slow) in [("alone", 0.0), ("beside", 0.03)] {
        let base = "write.fdatasync.overwrite.8k";
        run.measurements.extend([
            step("flush", state, 11.0, slow),
            write("fdatasync", "overwrite", state, 28.0, slow, "flush"),
            write("dsync_direct", "overwrite", state, 15.0, slow, "fua"),
            write("fdatasync", "extend", state, 61.0, slow, "flush"),
            on(step("leader", state, 31.0, slow), base, state),
            on(step("post_wait", state, 46.0, slow), "leader", state),
            version(step("commit_async", state, 40.0, 0.0)),
            on(version(step("commit", state, 78.0, slow)), "leader", state),
        ]);
    }
    for m in &mut run.measurements {
        if let Some(rest) = m.id.strip_prefix("log.ladder.write.") {
            let state = rest.rsplit_once('.').unwrap().1;
            m.conditions.insert(
                narrows_model::condition::STANDS_ON,
                json!(format!("log.ladder.flush.{state}")),
            );
        }
    }
    add_increments(&mut run);
    run.measurements.extend([64, 32, 16, 8, 4, 2, 1].map(sessions));
    rate(&mut run);
    run.durability = vec![durability()];
    run.apply_findings();
    run
}

/// The same with a log tier in front of another folder: the tier's flush takes 3 µs, and of four writers at once 4.
pub fn tiered() -> Run {
    let mut run = laddered();
    run.command.extend(["--tier", "/wal-on"].map(String::from));
    run.plan.wal_dir = "/wal-off".into();
    let base = "write.fdatasync.overwrite.8k";
    let writers = format!("{base}.writers_4");
    for (state, slow) in [("alone", 0.0), ("beside", 0.03)] {
        let at = run.measurements.iter().position(|m| m.id == format!("log.ladder.leader.{state}"));
        let mut several = step(&writers, state, 95.0, slow);
        several.workload.insert(condition::THREADS, json!(4));
        let mut with = [
            step(&format!("{base}.tier"), state, 3.0, 0.0),
            step(&format!("{writers}.tier"), state, 4.0, 0.0),
        ];
        with[1].workload.insert(condition::THREADS, json!(4));
        let mut all = vec![several];
        for (mut with, without) in with.into_iter().zip([base, &writers]) {
            let without = format!("log.ladder.{without}.{state}");
            let p50 = |m: &Measurement| m.metric(metric::LATENCY_P50).unwrap().samples.clone();
            let off = run.measurement(&without).or(all.iter().find(|m| m.id == without));
            let (off, on) = (p50(off.unwrap()), p50(&with));
            let ratio = narrows_stats::paired_ratio(&off, &on).unwrap();
            let samples = off.iter().zip(&on).map(|(off, on)| off / on).collect();
            let name = metric::TIER_SPEEDUP_P50;
            with.metrics.push(MetricValue::new(name, ratio.value, ratio.interval_95, samples));
            with.workload.insert(condition::FOLDER, json!("/wal-on"));
            with.conditions.insert(condition::WITHOUT_TIER, json!(without));
            all.push(with);
        }
        run.measurements.splice(at.unwrap()..at.unwrap(), all);
    }
    run
}

/// One to ten logs; of the smallest number there are too few writes for a tail.
pub fn streams() -> Run {
    let mut run = blank("streams");
    for n in [1, 2, 4, 8, 10, 12] {
        run.measurements.push(several(n));
    }
    run.durability = vec![durability()];
    run.apply_findings();
    run
}

/// Three places: the drive, memory, and a drive that was refuted, whose prediction fails.
pub fn compared() -> Run {
    let mut run = blank("compare");
    let mut drive = place(1, "/data", 26_500.0, 310e3);
    (drive.agrees, drive.confirms, drive.measured_over_predicted) = (None, None, Some(0.97));
    let mut memory = place(2, "/dev/shm", 73_900.0, 56e3);
    (memory.in_memory, memory.file_system) = (true, "tmpfs".into());
    memory.durability_sentence = "not durable by construction".into();
    let mut refuted = place(3, "/srv/a folder/with a long name/and another one/wal", 1_900.0, 2e6);
    refuted.durability = DurabilityWord::Refuted;
    (refuted.agrees, refuted.confirms) = (Some(false), Some(false));
    refuted.measured_over_predicted = Some(0.6);
    let (low, high) = (0.57, 0.63);
    let method = IntervalMethod::PairedLogT;
    refuted.measured_over_predicted_95 = Some(Interval { low, high, method });
    refuted.reason = Some("its flushes took 3 times as long under the database".into());
    run.comparison = Some(Comparison {
        workload: "update".into(),
        sessions: 8,
        work: Some(CommitWork {
            cpu_ns: 45e3,
            client_cpu_ns: 22e3,
            waits_ns: 0.0,
            wal_bytes: 248.0,
        }),
        ceiling: Some(CommitFigure { rate_per_s: 84_000.0, interval_95: None }),
        placements: vec![drive, memory, refuted],
        sentences: vec!["None of the other locations is allowed.".into()],
    });
    run
}

fn place(number: u32, folder: &str, rate_per_s: f64, flush_ns: f64) -> Placement {
    let name = format!("wal_{number}");
    let figure = |rate_per_s: f64, off: f64| {
        let (low, high) = (rate_per_s * (1.0 - off), rate_per_s * (1.0 + off));
        let method = IntervalMethod::Propagated;
        CommitFigure { rate_per_s, interval_95: Some(Interval { low, high, method }) }
    };
    let step = |step: &str, factor: f64| PlacedStep {
        measurement: format!("log.rung.{name}.{step}"),
        step: step.into(),
        p50_ns: Some(flush_ns * factor),
        p99_ns: Some(flush_ns * factor * 2.5),
    };
    Placement {
        folder: folder.into(),
        file_system: "ext4 on /dev/vda".into(),
        in_memory: false,
        unseen: None,
        durability: DurabilityWord::NotShown,
        durability_sentence: "not tested, no warning signs".into(),
        ladder: vec![step("write.fdatasync.overwrite.8k", 1.0), step("leader", 1.05)],
        emulated: Some(PlacedEmulation {
            measurement: format!("log.working.{name}"),
            commits: figure(rate_per_s, 0.02),
            log_file_sync_ns: Some(flush_ns * 1.5),
            parallel_write_ns: Some(flush_ns),
            commits_per_flush: Some(2.0),
        }),
        predicted: Some(figure(rate_per_s, 0.05)),
        measured: Some(PlacedDatabase {
            measurement: format!("database.update.{name}"),
            commits: figure(rate_per_s * if number == 3 { 0.6 } else { 1.02 }, 0.03),
            latency_p50_ns: Some(2.0 * flush_ns),
            latency_p99_ns: Some(9.0 * flush_ns),
            log_file_sync_ns: Some(1.4 * flush_ns),
            flush_ns: Some(0.9 * flush_ns),
        }),
        measured_over_predicted: Some(1.02),
        measured_over_predicted_95: Some(Interval {
            low: 0.93,
            high: 1.12,
            method: IntervalMethod::PairedLogT,
        }),
        agrees: Some(true),
        confirms: Some(true),
        reason: None,
        validity: Validity::Valid,
        name,
    }
}

fn blank(what: &str) -> Run {
    let mut run = super::without_database();
    run.command = ["narrows", "log", what, "--wal", "/data"].map(String::from).into();
    run.plan.layers = vec![Layer::Log];
    run.plan.steps.retain(|step| step.layer == Layer::Log);
    run.finished_at = Some("2026-11-20T14:03:48Z".into());
    run.measurements.clear();
    run.findings.clear();
    run
}

/// Values around a median; `slow` of them forty times as long.
fn latencies(median_us: f64, slow: f64, count: u32, seed: u64) -> Recorder {
    let mut recorder = Recorder::new();
    let mut state = seed;
    for _ in 0..count {
        let normal: f64 = (0..12).map(|_| unit(&mut state)).sum::<f64>() - 6.0;
        let factor = if unit(&mut state) < slow { 40.0 } else { 1.0 };
        recorder.record((median_us * 1e3 * (normal * 0.16).exp() * factor) as u64);
    }
    recorder
}

fn figure(metric: Metric, samples: Vec<f64>) -> MetricValue {
    let interval_95 = interval_95(&samples);
    let value = median(&samples).unwrap();
    MetricValue::new(metric, value, interval_95, samples)
}

/// One step in one state, without what it stands on.
pub fn step(name: &str, state: &str, median_us: f64, slow: f64) -> Measurement {
    let mut step = Measurement::new(format!("log.ladder.{name}.{state}"), Layer::Log);
    step.repeats = REPEATS as u32;
    let mut all = Recorder::new();
    let (mut p50, mut p99) = (Vec::new(), Vec::new());
    for repeat in 0..REPEATS {
        let drift = 1.0 + 0.01 * repeat as f64;
        let one = latencies(median_us * drift, slow, 3000, repeat as u64 + median_us as u64);
        p50.push(one.quantile(0.5).unwrap() as f64);
        p99.push(one.quantile(0.99).unwrap() as f64);
        all.merge(&one);
        step.histograms.push(Histogram {
            name: "latency".into(),
            unit: Unit::Ns,
            repeat: repeat as u32,
            hdr_v2: one.to_hdr_v2(),
        });
    }
    let p999 = all.quantile(0.999).unwrap() as f64;
    step.metrics = vec![
        figure(metric::LATENCY_P50, p50),
        figure(metric::LATENCY_P99, p99),
        figure(metric::LATENCY_P999_ALL, vec![p999]),
    ];
    if state == "beside" {
        step.conditions.insert(narrows_model::condition::BUSY_SAME_DEVICE, json!(true));
    }
    step
}

fn write(
    method: &str,
    layout: &str,
    state: &str,
    median_us: f64,
    slow: f64,
    durable_by: &str,
) -> Measurement {
    let mut write = step(&format!("write.{method}.{layout}.8k"), state, median_us, slow);
    write.workload.insert(condition::SYNC_METHOD, json!(method));
    write.workload.insert(condition::BLOCK_BYTES, json!(8192));
    write.workload.insert(narrows_model::condition::LAYOUT, json!(layout));
    write.conditions.insert(narrows_model::condition::DURABLE_BY, json!(durable_by));
    write
}

fn on(mut step: Measurement, lower: &str, state: &str) -> Measurement {
    let lower = format!("log.ladder.{lower}.{state}");
    step.conditions.insert(narrows_model::condition::STANDS_ON, json!(lower));
    step
}

fn version(mut step: Measurement) -> Measurement {
    let version = "15.18 (Debian 15.18-0+deb12u1)";
    step.workload.insert(condition::SERVER_VERSION, json!(version));
    step
}

/// What each step adds, repeat by repeat.
fn add_increments(run: &mut Run) {
    let steps = [
        (metric::LATENCY_P50, metric::ADDED_P50),
        (metric::LATENCY_P99, metric::ADDED_P99),
        (metric::LATENCY_P999_ALL, metric::ADDED_P999),
    ];
    for at in 0..run.measurements.len() {
        let Some(lower) = run.measurements[at].text(narrows_model::condition::STANDS_ON) else {
            continue;
        };
        let Some(lower) = run.measurement(lower) else { continue };
        let upper = &run.measurements[at];
        let added = steps.map(|(of, added)| {
            let samples = |m: &Measurement| m.metric(of).unwrap().samples.clone();
            let pairs = samples(upper).into_iter().zip(samples(lower));
            figure(added, pairs.map(|(upper, lower)| upper - lower).collect())
        });
        run.measurements[at].metrics.extend(added);
    }
}

/// Sessions that commit again at once.
fn sessions(n: u32) -> Measurement {
    let few = f64::from(n);
    let queued = if n == 1 { 0.0 } else { FLUSH_NS * 0.5 };
    let woken = 150.0 * few * few.sqrt();
    let wait = queued + FLUSH_NS + woken;
    let law = if n == 1 { FLUSH_NS } else { FLUSH_NS * 1.5 };
    let metrics = [
        (metric::THROUGHPUT, few * 1e9 / wait, 0.02),
        (metric::COMMITS_PER_FLUSH, (few * 0.6).max(1.0), 0.01),
        (metric::LOG_FILE_SYNC_MEAN, wait, 0.02),
        (metric::LATENCY_P99, wait * 3.0, 0.02),
        (metric::PARALLEL_WRITE_MEAN, FLUSH_NS, 0.02),
        (metric::QUEUED_MEAN, queued, 0.02),
        (metric::WAKE_UP_MEAN, woken, 0.02),
        (metric::WAKE_UP_SHARE, woken / wait, 0.02),
        (metric::MODEL_LATENCY_MEAN, law, 0.02),
        (metric::MODEL_COMMITS_PER_FLUSH, (few * 0.75).max(1.0), 0.01),
    ];
    let mut sessions = m(&format!("{CALIBRATION}.sessions.{n}"), Layer::Log, 3, &metrics);
    sessions.workload.insert(condition::SESSIONS, json!(n));
    sessions.workload.insert(condition::LOOP, json!("closed"));
    sessions
}

/// Arrivals on a schedule: the curve around an answer, and the answer.
fn rate(run: &mut Run) {
    let kept = 152_000.0;
    let mut curve = Vec::new();
    for (order, share) in [0.2, 0.4, 0.6, 0.8, 0.9, 1.0, 1.05].into_iter().enumerate() {
        let asked = kept * share;
        let bounded = share < 1.03;
        let mean_us = 60.0 / f64::max(1.04 - share, 0.02).sqrt();
        let all = latencies(mean_us, 0.012, 20_000, order as u64);
        let at = |q: f64| all.quantile(q).map(|ns| ns as f64);
        curve.push(CurvePoint {
            order: order as u32,
            sentinel: false,
            asked_per_s: asked,
            achieved_per_s: asked,
            bounded,
            latency_mean_ns: all.mean(),
            latency_p50_ns: at(0.5),
            latency_p99_ns: at(0.985),
            latency_p999_ns: at(0.99),
            lateness_p99_ns: Some(4_000.0),
            cpu_per_op_ns: None,
        });
        let per_flush = 1.0 + asked * FLUSH_NS / 1e9;
        let id = format!("{CALIBRATION}.curve.{order}");
        let metrics = [
            (metric::THROUGHPUT, asked, 0.0),
            (metric::ASKED_RATE, asked, 0.0),
            (metric::COMMITS_PER_FLUSH, per_flush, 0.0),
            (metric::MODEL_COMMITS_PER_FLUSH, per_flush * 0.93, 0.0),
        ];
        let mut window = m(&id, Layer::Log, 1, &metrics);
        window.workload.insert(condition::SESSIONS, json!(64));
        window.workload.insert(condition::LOOP, json!("open"));
        window.histograms.push(Histogram {
            name: "latency".into(),
            unit: Unit::Ns,
            repeat: 0,
            hdr_v2: all.to_hdr_v2(),
        });
        run.measurements.push(window);
    }
    let quantiles = [0.71, 0.68, 0.74].map(|ms| ms * 1e6);
    let mut calibration: Calibration = serde_json::from_value(json!({
        "id": CALIBRATION,
        "goal": {
            "what": "commits of 200 bytes", "block_bytes": 200, "read_share": 0.0, "quantile": 0.99,
            "limit_ns": LIMIT_NS, "arrivals": "poisson",
        },
        "end": "found", "sentence": "", "rate_per_s": kept,
        "interval_95": { "low": kept, "high": kept * 1.04, "method": "order_statistic" },
        "quantiles_ns": quantiles, "repeats": [3, 3], "alone_ns": FLUSH_NS,
        "ceiling_per_s": 507_000.0, "ceiling_depth": 64, "knee_per_s": kept * 0.6, "curve": [],
        "windows": 31, "unusable_windows": 0,
    }))
    .unwrap();
    calibration.curve = curve;
    run.calibrations.push(calibration);
}

fn durability() -> Durability {
    let item = |about: &str, leaning, sentence: &str| DurabilityEvidence {
        about: about.into(),
        leaning,
        sentence: sentence.into(),
    };
    Durability {
        role: Role::Wal,
        word: DurabilityWord::NotShown,
        sentence: "not tested, no warning signs only a power cut can prove it".into(),
        evidence: vec![
            item("file system", Leaning::For, "xfs passes flushes on"),
            item("md0", Leaning::Against, "says write through above drives that say write back"),
            item("flush cost", Leaning::Open, "a durable write takes 28.0 µs; time proves nothing"),
        ],
    }
}

/// So many logs of 4 MB/s each.
fn several(n: u32) -> Measurement {
    let few = f64::from(n);
    let slow = if n > 10 { 0.02 } else { 0.004 };
    let all = latencies(400.0 + 60.0 * few, slow, 1000 * n, u64::from(n));
    let at = |q: f64| all.quantile(q).unwrap() as f64;
    let mut metrics = vec![
        (metric::THROUGHPUT, 30.5 * few, 0.01),
        (metric::BANDWIDTH, 4e6 * few, 0.01),
        (metric::LATENCY_P50, at(0.5), 0.05),
        (metric::PARALLEL_WRITE_MEAN, 390e3, 0.05),
    ];
    if n > 1 {
        metrics.push((metric::INTERFERENCE, 1.0 + 0.07 * few, 0.05));
    }
    let mut streams = m(&format!("log.streams.{n}"), Layer::Log, 3, &metrics);
    if n > 4 {
        streams.metrics.push(metric(metric::LATENCY_P99, at(0.99), 0.2, 3));
    }
    streams.workload.insert(condition::STREAMS, n);
    streams.workload.insert(condition::TARGET_QUANTILE, 0.99);
    streams.workload.insert(condition::TARGET_NS, 10_000_000);
    streams.workload.insert(condition::LOOP, "open");
    let sentence = "The device holds 10 WAL streams of 4.00 MB/s in durable writes of 128 KiB with p99 within 10.0 ms; 12 miss it.";
    streams.conditions.insert(narrows_model::condition::SENTENCE, json!(sentence));
    streams.conditions.insert(narrows_model::condition::OVER_TARGET_SHARE, json!(slow));
    streams
}
