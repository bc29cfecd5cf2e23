//! PostgreSQL's lookups beside their forecast, from made figures: they agree, they contradict, and reads that did not reach storage prove
//! nothing.

use narrows_model::{
    Interval, IntervalMethod, Layer, Measurement, Metric, MetricValue, Plan, Platform, Run,
    Validity, condition, metric,
};
use narrows_tier_forecast::{
    Proof, ProofOutcome, ProofRow, has_lookup_proof, has_read_proof, lookup_proof,
};

const BLOCK_BYTES: f64 = 8192.0;
/// Half of the lookups find their block in the pool.
const READS: f64 = 0.5;
/// With what opening the sessions reads.
const ALL_READS: f64 = 0.52;

/// Six windows around a value, and their interval.
fn figure(metric: Metric, value: f64) -> MetricValue {
    let around = |share: f64| value * share;
    let (low, high) = (around(0.98), around(1.02));
    let interval = Interval { low, high, method: IntervalMethod::Propagated };
    let samples = [0.98, 1.01, 1.0, 0.99, 1.02, 1.0].map(around).to_vec();
    MetricValue::new(metric, value, Some(interval), samples)
}

/// A side: lookups per second, and µs of one read.
fn side(name: &str, rate: f64, read_us: f64) -> Measurement {
    let mut m = Measurement::new(format!("database.lookup_tier.{name}"), Layer::Database);
    let bytes = rate * READS * BLOCK_BYTES;
    m.metrics = vec![
        figure(metric::THROUGHPUT, rate),
        figure(metric::TABLE_READS_PER_OP, READS),
        figure(metric::BLOCK_READS_PER_OP, ALL_READS),
        figure(metric::SERVER_READ_TIME_PER_OP, read_us * 1e3 * ALL_READS),
        figure(metric::SERVER_CPU_PER_OP, 40e3),
        figure(metric::SERVER_CPUS_AVAILABLE, 4.0),
        figure(metric::SERVER_READ_BYTES, bytes),
        figure(metric::DEVICE_READ_BYTES, bytes * 1.01),
    ];
    m.workload.insert(condition::SESSIONS, 2);
    m.workload.insert(condition::BLOCK_BYTES, BLOCK_BYTES);
    m.workload.insert(condition::TIER_BYTES, f64::from(1 << 25));
    m.workload.insert(condition::TIER_HITS_LEAST, 0.7);
    m.workload.insert(condition::TIER_HITS_MOST, 0.8);
    m.workload.insert(condition::WORKING_SET_BYTES, f64::from(1 << 27));
    m.workload.insert(condition::WORKING_SET_OF_POOL, 32.0);
    m.conditions.insert(condition::METHOD, "direct");
    m
}

/// Two sessions, each 500 µs of reading and 100 µs of everything else for a lookup: 3,333 lookups per second, 1,000 µs a read without the tier, 50
/// where it serves.
fn run_of(rate: f64, read_us: f64) -> Run {
    let measurements = vec![
        side("off", 2.0 / 600e-6, 1_000.0),
        side("on", rate, read_us),
        side("hit", 8_000.0, 50.0),
    ];
    let plan = Plan { server_cpus: vec![0, 1, 2, 3], ..Plan::default() };
    Run { measurements, ..Run::blank(plan, Platform::default()) }
}

fn row<'a>(proof: &'a Proof, name: &str) -> &'a ProofRow {
    proof.rows.iter().find(|row| row.forecast.name == name).expect("the row is there")
}

fn set(run: &mut Run, side: &str, metric: Metric, value: Option<f64>) {
    let id = format!("database.lookup_tier.{side}");
    let m = run.measurements.iter_mut().find(|m| m.id == id).expect("the side is there");
    m.metrics.retain(|figure| figure.name != metric.name);
    m.metrics.extend(value.map(|value| figure(metric, value)));
}

/// Three of four reads served: 287.5 µs a read, 243.75 µs a lookup.
fn as_forecast() -> Run {
    run_of(2.0 / 243.75e-6, 287.5)
}

#[test]
fn lookups_by_the_law_agree_in_the_servers_words() {
    let run = as_forecast();
    assert!(has_lookup_proof(&run) && !has_read_proof(&run));
    let proof = lookup_proof(&run).unwrap();
    assert_eq!(proof.outcome, ProofOutcome::Agrees, "{proof:#?}");
    let names: Vec<&str> = proof.rows.iter().map(|row| row.forecast.name.as_str()).collect();
    let wanted = ["transactions/s", "read IOPS", "db file sequential read", "bytes read"];
    assert_eq!(names, wanted);
    let read = row(&proof, "db file sequential read");
    assert!((read.forecast.off.unwrap() - 1_000.0).abs() < 0.1, "{read:?}");
    assert!((read.forecast.on.unwrap() - 287.5).abs() < 0.1, "{read:?}");
    let lookups = row(&proof, "transactions/s");
    assert!((lookups.forecast.off.unwrap() - 3_333.3).abs() < 0.1, "{lookups:?}");
    let (on, measured) = (lookups.forecast.on.unwrap(), lookups.measured.unwrap().value);
    assert!((on / measured - 1.0).abs() < 0.03, "{lookups:?}");
    // Half of the lookups read.
    let reads = row(&proof, "read IOPS");
    assert!((reads.forecast.on.unwrap() - on * READS).abs() < 1e-6, "{reads:?}");
    assert!((reads.measured.unwrap().value - measured * READS).abs() < 1e-6);
    let bytes = row(&proof, "bytes read").measured.unwrap().value;
    assert!((bytes - measured * READS * BLOCK_BYTES).abs() < 1.0);
}

#[test]
fn the_share_of_hits_that_the_read_time_gives_stands_beside_the_forecast() {
    let hits = lookup_proof(&as_forecast()).unwrap().hits.unwrap();
    assert_eq!((hits.least, hits.most, hits.reads_per_lookup), (0.7, 0.8, READS));
    assert_eq!(hits.pool_bytes, Some(f64::from(1 << 22)));
    assert!((hits.by_read_time.unwrap() - 0.75).abs() < 1e-3, "{hits:?}");
    // Slower than no hit at all would be.
    let hits = lookup_proof(&run_of(3_000.0, 1_200.0)).unwrap().hits.unwrap();
    assert_eq!(hits.by_read_time, None);
}

#[test]
fn a_cache_that_serves_nothing_contradicts_the_forecast() {
    let proof = lookup_proof(&run_of(2.0 / 600e-6, 1_000.0)).unwrap();
    assert_eq!(proof.outcome, ProofOutcome::Contradicted, "{proof:#?}");
    assert!(proof.sentence.contains("db file sequential read"), "{}", proof.sentence);
    // Nothing of the windows with the tier is in the forecast.
    assert_eq!(proof.forecast, lookup_proof(&as_forecast()).unwrap().forecast);
}

#[test]
fn reads_that_did_not_reach_storage_prove_nothing() {
    for (side, said) in [("off", "without the tier"), ("on", "with the tier")] {
        let mut run = as_forecast();
        let id = format!("database.lookup_tier.{side}");
        let server = run.measurement(&id).unwrap().value(metric::SERVER_READ_BYTES).unwrap();
        set(&mut run, side, metric::DEVICE_READ_BYTES, Some(server * 0.92));
        assert_eq!(lookup_proof(&run).unwrap().outcome, ProofOutcome::Agrees, "nearly all");
        set(&mut run, side, metric::DEVICE_READ_BYTES, Some(server * 0.3));
        // The rule of validity says the same of the measurement.
        let m = run.measurements.iter_mut().find(|m| m.id == id).unwrap();
        m.validity = Validity::Invalid;
        let proof = lookup_proof(&run).unwrap();
        assert_eq!(proof.outcome, ProofOutcome::Open, "{proof:#?}");
        assert!(!proof.answers() && proof.sentence.contains("this is no proof"));
        assert!(proof.sentence.contains("30") && proof.sentence.contains(said), "{proof:#?}");
        let storage = proof.storage.unwrap();
        let share = if side == "off" { storage.off } else { storage.on };
        assert!((share.unwrap() - 0.3).abs() < 1e-9, "{storage:?}");
    }
}

#[test]
fn storage_that_counts_nothing_is_believed_only_where_the_server_reads_around_the_page_cache() {
    let mut run = as_forecast();
    set(&mut run, "on", metric::DEVICE_READ_BYTES, None);
    let proof = lookup_proof(&run).unwrap();
    assert_eq!(proof.outcome, ProofOutcome::Agrees, "{proof:#?}");
    assert!(proof.doubts.iter().any(|doubt| doubt.contains("debug_io_direct")), "{proof:#?}");
    for m in &mut run.measurements {
        m.conditions.insert(condition::METHOD, "buffered");
    }
    let proof = lookup_proof(&run).unwrap();
    assert_eq!(proof.outcome, ProofOutcome::Open, "{proof:#?}");
    assert!(proof.sentence.contains("is unknown"), "{}", proof.sentence);
}

#[test]
fn a_queue_at_storage_is_that_of_the_misses() {
    let on = |run: &Run| {
        let proof = lookup_proof(run).unwrap();
        row(&proof, "db file sequential read").forecast.on.unwrap()
    };
    let mut run = as_forecast();
    let kept = on(&run);
    // One session alone takes 550 µs: the rest is a queue, which is shorter where most reads are served.
    run.measurements.push(side("off_alone", 1_500.0, 550.0));
    let shorter = on(&run);
    assert!(shorter < kept * 0.9 && shorter > 0.25 * 550.0, "{shorter} {kept}");
}

#[test]
fn a_side_that_read_nothing_or_is_invalid_otherwise_is_refused() {
    let mut run = as_forecast();
    set(&mut run, "off", metric::TABLE_READS_PER_OP, Some(0.0));
    let refused = lookup_proof(&run).unwrap_err();
    assert!(refused.what.contains("shared_buffers had every block"), "{refused}");
    assert!(refused.hint.contains("--pool"), "{}", refused.hint);
    let mut run = as_forecast();
    run.measurements[2].validity = Validity::Invalid;
    assert!(lookup_proof(&run).unwrap_err().what.contains("is invalid"));
    run.measurements.remove(2);
    let refused = lookup_proof(&run).unwrap_err();
    assert!(refused.hint.contains("--database postgres"), "{}", refused.hint);
}
