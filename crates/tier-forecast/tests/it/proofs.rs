//! Forecasts beside what was measured with the tier, of runs that have both sides.

use narrows_model::{
    Layer, Measurement, Metric, MetricValue, Plan, Platform, Run, Validity, condition, metric,
};
use narrows_tier_forecast::{
    Proof, ProofOutcome, ProofRow, READS_ALONE, READS_BETWEEN, READS_HIT, READS_OFF, READS_ON,
    Refused, has_read_proof, log_proof, read_proof, sides,
};
use serde_json::json;

use crate::runs::{measurement, run, update};

/// Six windows around a value, and their interval.
fn set(m: &mut Measurement, metric: Metric, value: f64) {
    let found = m.metrics.iter_mut().find(|figure| figure.name == metric.name);
    let around = |share: f64| value * share;
    let samples = [0.98, 1.01, 1.0, 0.99, 1.02, 1.0].map(around).to_vec();
    let interval = narrows_model::Interval {
        low: around(0.98),
        high: around(1.02),
        method: narrows_model::IntervalMethod::Propagated,
    };
    let figure = MetricValue::new(metric, value, Some(interval), samples);
    match found {
        Some(found) => *found = figure,
        None => m.metrics.push(figure),
    }
}

fn of_location(location: usize, rate: f64, wait_us: f64, flush_us: f64) -> Vec<Measurement> {
    let mut database = update();
    database.id = format!("database.update.wal_{location}").into();
    set(&mut database, metric::THROUGHPUT, rate);
    set(&mut database, metric::COMMITS_PER_OP, 1.0);
    set(&mut database, metric::WAIT_FLUSH_PER_OP, wait_us * 1e3);
    set(&mut database, metric::WAIT_LOCK_PER_OP, 0.0);
    set(&mut database, metric::WAIT_OTHER_PER_OP, 0.0);
    set(&mut database, metric::SERVER_FLUSH_TIME, flush_us * 1e3);
    let mut step = measurement(
        &format!("log.rung.wal_{location}.write.fdatasync.overwrite.8k"),
        Layer::Log,
        &[],
    );
    set(&mut step, metric::LATENCY_MEAN, flush_us * 1e3);
    vec![database, step]
}

/// 8 sessions; without the tier 100 µs of CPU time and 1,500 µs of commit each, flushes of 1,000 µs; with it flushes of 100.
fn both(rate: f64, wait_us: f64, flush_us: f64) -> Run {
    let mut all = of_location(1, 5_000.0, 1_500.0, 1_000.0);
    all.extend(of_location(2, rate, wait_us, flush_us));
    run(all)
}

fn proven(run: &Run) -> Proof {
    let [off, on] = sides(run).unwrap();
    log_proof(&off, &on).unwrap()
}

fn row<'a>(proof: &'a Proof, name: &str) -> &'a ProofRow {
    proof.rows.iter().find(|row| row.forecast.name == name).expect("the row is there")
}

#[test]
fn each_side_has_its_own_figures_under_the_names_of_a_run_that_has_no_other() {
    let [off, on] = sides(&both(20_000.0, 150.0, 100.0)).unwrap();
    for side in [&off, &on] {
        let ids: Vec<&str> = side.measurements.iter().map(|m| &*m.id).collect();
        assert_eq!(ids, ["database.update", "log.ladder.write.fdatasync.overwrite.8k.alone"]);
    }
    let rate = |run: &Run| run.measurement("database.update").unwrap().value(metric::THROUGHPUT);
    assert_eq!((rate(&off), rate(&on)), (Some(5_000.0), Some(20_000.0)));
}

#[test]
fn windows_as_forecast_agree_and_the_others_do_not() {
    // The wait shrinks with the flush to 150 µs: 8 sessions in 250 µs are 32,000/s.
    let proof = proven(&both(31_000.0, 155.0, 100.0));
    assert_eq!(proof.outcome, ProofOutcome::Agrees, "{proof:#?}");
    assert!(proof.rows.iter().all(|row| row.holds == Some(true)), "{proof:#?}");
    let ratio = proof.rate_ratio.unwrap();
    assert!((ratio.value - 6.2).abs() < 0.01 && ratio.low <= ratio.value && proof.windows == 6);
    assert!((row(&proof, "log file sync").times().unwrap() - 1_500.0 / 155.0).abs() < 1e-6);
    // A wait that stays what it was, although the flush is as forecast.
    let proof = proven(&both(5_000.0, 1_500.0, 100.0));
    assert_eq!(proof.outcome, ProofOutcome::Contradicted);
    assert!(proof.sentence.contains("log file sync"), "{}", proof.sentence);
    assert_eq!(row(&proof, "log file sync").holds, Some(false));
}

#[test]
fn what_no_effect_would_agree_with_too_is_told_as_that() {
    // A medium as fast as the backing: nothing is promised, and nothing comes.
    let proof = proven(&both(5_000.0, 1_500.0, 1_000.0));
    assert_eq!(proof.outcome, ProofOutcome::NotTold, "{proof:#?}");
    assert!(!proof.answers() && proof.sentence.contains("proves little"), "{}", proof.sentence);
}

#[test]
fn nothing_of_the_windows_with_the_tier_is_in_the_forecast() {
    let [as_forecast, slow] = [both(31_000.0, 155.0, 100.0), both(5_000.0, 1_500.0, 100.0)];
    assert_eq!(proven(&as_forecast).forecast, proven(&slow).forecast);
}

#[test]
fn a_run_without_one_side_is_refused_with_what_measures_it() {
    let refused = |run: &Run| -> Refused { sides(run).unwrap_err() };
    let one = refused(&run(of_location(1, 5_000.0, 1_500.0, 1_000.0)));
    assert!(one.what.contains("two locations") && one.hint.contains("tier prove log"), "{one}");
    let mut no_step = both(31_000.0, 155.0, 100.0);
    no_step.measurements.retain(|m| !m.id.starts_with("log.rung.wal_2"));
    let [off, on] = sides(&no_step).unwrap();
    assert!(log_proof(&off, &on).unwrap_err().what.contains("no valid flush"));
}

fn reads(side: &str, rate: f64, mean_us: f64) -> Measurement {
    let mut m = measurement(&format!("block.tier.{side}"), Layer::Block, &[]);
    set(&mut m, metric::THROUGHPUT, rate);
    set(&mut m, metric::LATENCY_MEAN, mean_us * 1e3);
    set(&mut m, metric::CPU_PER_OP, 5e3);
    m.workload.insert(condition::BLOCK_BYTES, json!(8192));
    m.workload.insert(condition::DEPTH, json!(2));
    m.workload.insert(condition::TIER_BYTES, json!(1 << 24));
    m.workload.insert(condition::TIER_HITS_LEAST, json!(0.7));
    m.workload.insert(condition::TIER_HITS_MOST, json!(0.8));
    m
}

/// Two sessions; 1,000 µs a read without the tier, 20 with it where it serves.
fn read_run(rate: f64, mean_us: f64) -> Run {
    let measurements = vec![
        reads(READS_OFF, 2_000.0, 1_000.0),
        reads(READS_ON, rate, mean_us),
        reads(READS_HIT, 50_000.0, 20.0),
    ];
    let plan = Plan { server_cpus: vec![0, 1, 2, 3], ..Plan::default() };
    Run { measurements, ..Run::blank(plan, Platform::default()) }
}

#[test]
fn reads_by_the_law_agree_and_a_cache_that_serves_nothing_does_not() {
    // Three of four served: 265 µs.
    let proof = read_proof(&read_run(7_500.0, 266.0)).unwrap();
    assert_eq!(proof.outcome, ProofOutcome::Agrees, "{proof:#?}");
    let read = row(&proof, "single-block read");
    assert!((read.forecast.on.unwrap() - 265.0).abs() < 1e-6, "{read:?}");
    let bytes = row(&proof, "bytes read").measured.unwrap();
    assert!((bytes.value - 7_500.0 * 8192.0).abs() < 1.0, "{bytes:?}");
    let proof = read_proof(&read_run(2_000.0, 1_000.0)).unwrap();
    assert_eq!(proof.outcome, ProofOutcome::Contradicted, "{proof:#?}");
}

#[test]
fn hits_are_those_between_other_reads_where_these_were_measured() {
    // One session: 350 µs without the tier; of the reads it serves, back to back, 55 µs, and 16 between others.
    let one = |side: &str, rate: f64, mean_us: f64| {
        let mut m = reads(side, rate, mean_us);
        m.workload.insert(condition::DEPTH, json!(1));
        m
    };
    // Four of five: 16 and 350 are 83 µs, 55 and 350 are 114.
    let mut run = read_run(0.0, 0.0);
    run.measurements = vec![
        one(READS_OFF, 2_857.0, 350.0),
        one(READS_ON, 12_050.0, 83.0),
        one(READS_HIT, 18_182.0, 55.0),
    ];
    run.measurements.iter_mut().for_each(|m| {
        m.workload.insert(condition::TIER_HITS_LEAST, json!(0.79));
        m.workload.insert(condition::TIER_HITS_MOST, json!(0.81));
    });
    let proof = read_proof(&run).unwrap();
    assert_eq!(proof.outcome, ProofOutcome::Contradicted, "{proof:#?}");
    run.measurements.push(one(READS_BETWEEN, 12_000.0, 16.0));
    let proof = read_proof(&run).unwrap();
    assert_eq!(proof.outcome, ProofOutcome::Agrees, "{proof:#?}");
    let read = row(&proof, "single-block read");
    assert!((read.forecast.on.unwrap() - 82.8).abs() < 0.1, "{read:?}");
    // Hits back to back are not needed then, and invalid windows between others are none.
    run.measurements[2].validity = Validity::Invalid;
    assert_eq!(read_proof(&run).unwrap().outcome, ProofOutcome::Agrees);
    run.measurements[2].validity = Validity::Valid;
    run.measurements[3].validity = Validity::Invalid;
    assert_eq!(read_proof(&run).unwrap().outcome, ProofOutcome::Contradicted);
}

#[test]
fn a_queue_at_storage_is_that_of_the_misses() {
    // Two sessions at storage that does one read in a millisecond and 10 µs: less than 2,000 µs each.
    let mut run = read_run(0.0, 0.0);
    run.measurements = vec![reads(READS_OFF, 990.1, 2_020.0), reads(READS_HIT, 50_000.0, 100.0)];
    run.measurements.push(reads(READS_ON, 3_700.0, 540.0));
    let rate = |run: &Run| read_proof(run).unwrap().forecast.rate().unwrap().on.unwrap();
    let kept = rate(&run);
    run.measurements.push(reads(READS_ALONE, 990.0, 1_010.0));
    assert!((kept - 2.0 / 580e-6).abs() < 40.0, "{kept}");
    // A quarter of the reads at the queue: 252.5 µs, and 75 elsewhere. Alone 3,053 per second, half and more of it at the queue.
    let truth = {
        let there = 252.5 * (1.0 + 252.5 / 327.5);
        2.0 / (there + 75.0) * 1e6
    };
    assert!((rate(&run) / truth - 1.0).abs() < 0.02, "{} {truth}", rate(&run));
    assert!(truth > kept * 1.1);
}

#[test]
fn reads_that_are_faster_among_others_than_alone_are_a_doubt() {
    let told = |run: &Run| {
        let proof = read_proof(run).unwrap();
        proof.doubts.iter().any(|doubt| doubt.contains("idle CPU for each"))
    };
    let mut run = read_run(7_500.0, 266.0);
    set(&mut run.measurements[1], metric::LATENCY_P50, 19e3);
    assert!(!told(&run), "they are as fast alone");
    set(&mut run.measurements[1], metric::LATENCY_P50, 7e3);
    assert!(told(&run));
}

#[test]
fn a_cache_that_is_not_warm_yet_is_told_and_an_invalid_side_refused() {
    let told = |proof: &Proof| proof.doubts.iter().any(|doubt| doubt.contains("not warm"));
    let mut run = read_run(7_500.0, 266.0);
    assert!(!told(&read_proof(&run).unwrap()));
    let on = &mut run.measurements[1];
    let rates = on.metrics.iter_mut().find(|figure| figure.name == metric::THROUGHPUT.name);
    rates.unwrap().samples = vec![5_000.0, 6_000.0, 6_500.0, 7_000.0, 7_400.0, 7_500.0];
    assert!(told(&read_proof(&run).unwrap()));
    run.measurements[1].validity = Validity::Invalid;
    assert!(read_proof(&run).unwrap_err().what.contains("is invalid"));
    run.measurements.remove(1);
    assert!(!has_read_proof(&run));
    let refused = read_proof(&run).unwrap_err();
    assert!(refused.hint.contains("tier prove reads"), "{refused}");
}
