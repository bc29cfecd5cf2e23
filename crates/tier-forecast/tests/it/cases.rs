//! The published tiers: every row of the casebook is where its data says.

use narrows_tier_forecast::casebook::{Both, TierCases, read};

fn book() -> TierCases {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/tiers.toml");
    read(&std::fs::read_to_string(path).unwrap()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_row_is_where_it_was_expected_or_tells_why_not() {
    let book = book();
    assert_eq!(book.cases.len(), 2);
    for case in &book.cases {
        let outcomes = case.outcomes().unwrap_or_else(|error| panic!("{error}"));
        assert!(!outcomes.is_empty());
    }
}

#[test]
fn both_runs_together_say_how_many_sessions_there_were() {
    let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 2e-3, "{a} {b}");
    let [log, reads] = &book().cases[..] else { panic!("two cases") };
    let log = log.both().unwrap();
    close(log.waiting[0], 8.235);
    close(log.waiting[1], 4.139);
    close(log.sessions, 10.53);
    close(log.besides_us, 86.5);
    let reads = reads.both().unwrap();
    close(reads.waiting[0], 29.29);
    close(reads.waiting[1], 16.33);
    close(reads.sessions, 31.1);
    close(reads.besides_us, 14.47);
    // So many give both rates.
    for (rate, wait) in [(26_566.0, 310.0), (73_915.0, 56.0)] {
        close(log.sessions / (log.besides_us + wait) * 1e6, rate);
    }
    assert_eq!(Both::of([2.0, 1.0], [5.0, 3.0]), None);
}
