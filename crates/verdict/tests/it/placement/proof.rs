//! The database beside its prediction: when it confirms, when it says nothing, and which part is named where a prediction fails.

use narrows_model::{Comparison, Measurement, Placement, metric};
use narrows_verdict::placement::compare;

use crate::placement::built::{all, database, run, scattered, with, working};

/// 10,000 commits on the first place, emulated to the commit; 20,000 predicted for the second.
fn proved(proof: Measurement) -> Comparison {
    let measurements = vec![
        database(1, 10_000.0, 200e3, 60e3),
        working(1, 10_000.0, 200e3, 60e3),
        working(2, 20_000.0, 100e3, 40e3),
        proof,
    ];
    compare(&run(&["ext4", "xfs"], measurements), &[]).unwrap()
}

/// The reason for a prediction that fails.
fn missed(proof: Measurement) -> String {
    let found = proved(proof);
    assert_eq!(
        (found.placements[1].agrees, found.placements[1].confirms),
        (Some(false), Some(false))
    );
    let said = all(&found);
    assert!(said.contains("confirms 0 of 1 predictions. wal_2 fails: "), "{said}");
    found.placements[1].reason.clone().unwrap()
}

/// Emulated 10,000 × e^±0.1 where 10,000 were measured: by Student's t of 5 degrees the ratio is 0.891 to 1.122 times one (half the
/// width of the logarithm is 2.571 × 0.1095 / √6 = 0.1150), so that 12.2 % is the doubt. The second place's emulation scatters
/// alike, which falls out of the prediction.
fn doubtful(emulated: f64, measured: f64) -> Comparison {
    let measurements = vec![
        database(1, 10_000.0, 200e3, 60e3),
        scattered(working(1, 10_000.0, 200e3, 60e3), 0.1),
        scattered(working(2, emulated, 100e3, 40e3), 0.1),
        database(2, measured, 100e3, 40e3),
    ];
    compare(&run(&["ext4", "xfs"], measurements), &[]).unwrap()
}

fn second(comparison: &Comparison) -> &Placement {
    &comparison.placements[1]
}

#[test]
fn what_the_emulation_may_miss_is_the_farther_end_of_the_repeats_ratio() {
    let found = doubtful(20_000.0, 20_200.0);
    let first = &found.placements[0];
    assert!((first.measured_over_predicted.unwrap() - 1.0).abs() < 1e-9);
    let interval = first.measured_over_predicted_95.unwrap();
    assert!((interval.high - 1.1219).abs() < 1e-3 && (interval.low - 0.8914).abs() < 1e-3);
    let predicted = second(&found).predicted.unwrap();
    // Beside 0.74 % of the rate's own scatter.
    let half = 0.0074_f64.hypot(0.1219) * 20_000.0;
    let interval = predicted.interval_95.unwrap();
    assert!((interval.high - predicted.rate_per_s - half).abs() < 20.0, "{interval:?}");
    let said = all(&found);
    assert!(
        said.contains(
            "0.0 % more repeat by repeat (95 %: 10.9 % less to 12.2 % more); every prediction"
        ),
        "{said}"
    );
}

#[test]
fn a_proof_confirms_only_where_no_change_would_have_failed_it() {
    // Half of the prediction is further away than 12 %.
    let told = doubtful(20_000.0, 20_200.0);
    assert_eq!((second(&told).agrees, second(&told).confirms), (Some(true), Some(true)));
    assert!(all(&told).contains("confirms 1 of 1 predictions."), "{}", all(&told));
    // 10,000 of 10,800 are 7 % less: a place without any effect would have agreed too.
    let open = doubtful(10_800.0, 10_900.0);
    assert_eq!((second(&open).agrees, second(&open).confirms), (Some(true), Some(false)));
    let said = all(&open);
    assert!(said.contains("does not contradict 1 of 1 predictions, and confirms none"), "{said}");
    // Where nothing scatters and the emulation misses 3 %, 2 % more stays within a tenth: no change is confirmed.
    let same = vec![
        database(1, 10_000.0, 200e3, 60e3),
        working(1, 10_300.0, 200e3, 60e3),
        working(2, 10_506.0, 200e3, 60e3),
        database(2, 10_250.0, 200e3, 60e3),
    ];
    let same = compare(&run(&["ext4", "xfs"], same), &[]).unwrap();
    assert_eq!((second(&same).agrees, second(&same).confirms), (Some(true), Some(true)));
}

#[test]
fn measured_over_predicted_is_taken_repeat_by_repeat() {
    // The proof alone scatters: its ratio does too, by the pencil above.
    let found = proved(scattered(database(2, 20_000.0, 100e3, 40e3), 0.1));
    let interval = second(&found).measured_over_predicted_95.unwrap();
    assert!((second(&found).measured_over_predicted.unwrap() - 1.0).abs() < 1e-9);
    assert!((interval.high - 1.1219).abs() < 1e-3 && (interval.low - 0.8914).abs() < 1e-3);
    // What drifts in all of them falls out.
    let drifting = [
        database(1, 10_000.0, 200e3, 60e3),
        working(1, 10_000.0, 200e3, 60e3),
        working(2, 20_000.0, 100e3, 40e3),
        database(2, 20_200.0, 100e3, 40e3),
    ];
    let drifting = drifting.map(|m| scattered(m, 0.3)).to_vec();
    let found = compare(&run(&["ext4", "xfs"], drifting), &[]).unwrap();
    let interval = second(&found).measured_over_predicted_95.unwrap();
    assert!((interval.high - 1.01).abs() < 1e-6 && (interval.low - 1.01).abs() < 1e-6);
    // Windows that don't pair prove nothing.
    let mut short = database(2, 20_200.0, 100e3, 40e3);
    short.metrics[0].samples.pop();
    let found = proved(short);
    assert_eq!((second(&found).agrees, second(&found).confirms), (None, None));
    assert!(!all(&found).contains("predictions"), "{}", all(&found));
}

#[test]
fn a_proof_that_fails_names_what_went_another_way() {
    let lost = all(&proved(database(2, 9_000.0, 190e3, 40e3)));
    assert!(!lost.contains("Move WAL to") && lost.contains("No allowed location"), "{lost}");
    let won = all(&proved(database(2, 20_200.0, 100e3, 40e3)));
    assert!(won.contains("+102 % measured"), "{won}");
    // 8 sessions: 8 × (83.3 − 50.0) µs. A commit waits for two flushes, each 90 µs longer than expected.
    let flush = missed(database(2, 12_000.0, 190e3, 40e3));
    assert_eq!(
        flush,
        "one write and flush went from 200 µs to 190 µs in the database and from 200 µs to 100 µs in the emulation: 180 µs of the 267 µs of a session's time per commit by which prediction and proof differ"
    );
    // 8 × (66.7 − 50.0) µs.
    let cpu = missed(database(2, 15_000.0, 100e3, 90e3));
    assert!(cpu.contains("CPU time went from 60.0 µs to 90.0 µs"), "{cpu}");
    assert!(cpu.contains("50.0 µs of the 133 µs"), "{cpu}");
    let waits = missed(with(database(2, 15_000.0, 100e3, 40e3), metric::WAIT_LOCK_PER_OP, 101e3));
    assert!(waits.contains("waits for locks and others grew by 100 µs"), "{waits}");
    let nothing = missed(database(2, 15_000.0, 100e3, 40e3));
    assert_eq!(nothing, "no part that was measured explains it");
}

#[test]
fn a_part_is_held_to_the_sessions_time_and_not_to_the_time_between_two_commits() {
    let nothing = "no part that was measured explains it";
    // 15 µs of CPU are nearly all of the 16.7 µs between two commits, and a ninth of what a session lost.
    assert_eq!(missed(database(2, 15_000.0, 100e3, 55e3)), nothing);
    // The same with as much time again in the queue for a processor is 30 of 133 µs.
    let mut queued = database(2, 15_000.0, 100e3, 55e3);
    let mut queue = queued.metric(metric::BACKEND_CPU_PER_OP).unwrap().clone();
    queue.name = metric::RUN_QUEUE_PER_OP.to_string();
    queued.metrics.push(queue);
    let queued = missed(queued);
    assert!(queued.contains("30.0 µs of the 133 µs"), "{queued}");
    // Where every commit is alone with its flush it waits for one: 15 of 133 µs; where two share, for two.
    let alone = |per_op| with(database(2, 15_000.0, 115e3, 40e3), metric::FLUSHES_PER_OP, per_op);
    assert_eq!(missed(alone(0.125)), nothing);
    let shared = missed(alone(0.5));
    assert!(shared.contains("30.0 µs of the 133 µs"), "{shared}");
}

#[test]
fn a_part_that_moved_the_other_way_explains_nothing() {
    // 8 × (40 − 50) µs: faster than predicted, although each write and flush took 90 µs longer than expected.
    let faster = missed(database(2, 25_000.0, 190e3, 40e3));
    assert_eq!(faster, "no part that was measured explains it");
    let cpu = missed(database(2, 25_000.0, 100e3, 15e3));
    assert!(cpu.contains("CPU time went from 60.0 µs to 15.0 µs"), "{cpu}");
    assert!(cpu.contains("25.0 µs of the 80.0 µs"), "{cpu}");
}

#[test]
fn a_flush_without_its_write_is_held_to_nothing() {
    // The server's clock of the flush alone, as runs kept before its writes were timed have it.
    let renamed = |mut m: Measurement| {
        let time = m.metrics.iter_mut().find(|m| m.name == metric::PARALLEL_WRITE_MEAN).unwrap();
        time.name = metric::SERVER_FLUSH_TIME.to_string();
        m
    };
    let measurements = vec![
        renamed(database(1, 10_000.0, 200e3, 60e3)),
        working(1, 10_000.0, 200e3, 60e3),
        working(2, 20_000.0, 100e3, 40e3),
        renamed(database(2, 12_000.0, 190e3, 40e3)),
    ];
    let found = compare(&run(&["ext4", "xfs"], measurements), &[]).unwrap();
    // The wait is known on both sides and says it.
    let why = second(&found).reason.clone().unwrap();
    assert!(why.starts_with("the wait for WAL went from 300 µs to 285 µs"), "{why}");
}
