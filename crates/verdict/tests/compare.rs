//! Places for the log that can be compared with a pencil: what is predicted, how sure, what is recommended, and what a proof says.

use narrows_model::{
    Better, Comparison, Durability, DurabilityWord, FileSystem, Interval, IntervalMethod, Layer,
    Measurement, Metric, Platform, Role, RolePath, Run, SCHEMA, Unit, Validity, condition, metric,
};
use narrows_verdict::compare::compare;
use serde_json::json;

/// Six windows that scatter by 1 % around their value, alike in all measurements: their ratios don't scatter at all.
fn measured(id: &str, layer: Layer, metrics: &[(&str, f64)]) -> Measurement {
    let mut m = Measurement::new(id, layer);
    m.workload.insert(condition::SESSIONS.into(), json!(8));
    m.metrics = metrics
        .iter()
        .map(|(name, value)| Metric {
            name: (*name).to_string(),
            unit: Unit::Count,
            better: Better::Neither,
            value: *value,
            interval_95: Some(Interval {
                low: value * 0.99,
                high: value * 1.01,
                method: IntervalMethod::OrderStatistic,
            }),
            samples: [0.99, 1.01, 1.0, 1.0, 0.995, 1.005].map(|s| s * value).to_vec(),
        })
        .collect();
    m
}

/// The database: commits per second, one flush, processor time, ns.
fn database(number: u32, rate: f64, flush_ns: f64, cpu_ns: f64) -> Measurement {
    let figures = [
        (metric::THROUGHPUT, rate),
        (metric::SERVER_FLUSH_TIME, flush_ns),
        (metric::WAIT_FLUSH_PER_OP, flush_ns * 1.5),
        (metric::BACKEND_CPU_PER_OP, cpu_ns),
        (metric::WAIT_LOCK_PER_OP, 1000.0),
        (metric::LATENCY_P99, 5e6),
    ];
    measured(&format!("database.update.wal_{number}"), Layer::Database, &figures)
}

/// The database that flushes nothing.
fn free() -> Measurement {
    let figures = [
        (metric::THROUGHPUT, 30_000.0),
        (metric::BACKEND_CPU_PER_OP, 25e3),
        (metric::CLIENT_CPU_PER_OP, 20e3),
        (metric::WAL_BYTES_PER_OP, 240.0),
        (metric::WAIT_LOCK_PER_OP, 1000.0),
    ];
    measured("database.update.wal_1.test.fsync_off", Layer::Database, &figures)
}

/// The emulation, likewise.
fn working(number: u32, rate: f64, flush_ns: f64, cpu_ns: f64) -> Measurement {
    let figures = [
        (metric::THROUGHPUT, rate),
        (metric::PARALLEL_WRITE_MEAN, flush_ns),
        (metric::LOG_FILE_SYNC_MEAN, flush_ns * 1.5),
        (metric::BACKEND_CPU_PER_OP, cpu_ns),
    ];
    measured(&format!("log.working.wal_{number}"), Layer::Log, &figures)
}

fn path(role: Role, folder: &str, kind: &str) -> RolePath {
    let file_system = FileSystem {
        kind: kind.to_string(),
        source: "/dev/x".to_string(),
        volatile: kind == "tmpfs",
        ..FileSystem::default()
    };
    RolePath { role, path: folder.to_string(), file_system, devices: Vec::new() }
}

/// The places' file systems in their order.
fn run(kinds: &[&str], measurements: Vec<Measurement>) -> Run {
    let mut roles = vec![path(Role::Data, "/data", "ext4")];
    for (at, kind) in kinds.iter().enumerate() {
        roles.push(path(Role::Wal, &format!("/w{}", at + 1), kind));
    }
    let platform = Platform { roles, ..Platform::default() };
    let text = json!({
        "schema": SCHEMA, "id": "1", "tool": {"name": "narrows", "version": "0"}, "command": [],
        "started_at": "", "completed": true, "findings": [], "verdicts": [],
        "plan": {"quick": false, "layers": ["log"], "data_dir": "", "wal_dir": "", "database": "managed",
                 "workloads": [], "sessions": 8, "repeats": 6, "seed": 1, "file_bytes": 0, "table_bytes": 0,
                 "shared_buffers_bytes": 0, "server_cpus": [0], "client_cpus": [1], "steps": []},
        "hosts": [{"role": "server_and_client", "platform": platform, "clock_offset_ns": 0}],
        "measurements": measurements,
    });
    Run::from_json(&text.to_string()).unwrap()
}

fn known(words: &[DurabilityWord]) -> Vec<Durability> {
    let one = |word: &DurabilityWord| Durability {
        role: Role::Wal,
        word: *word,
        sentence: "a sentence".to_string(),
        evidence: Vec::new(),
    };
    words.iter().map(one).collect()
}

fn all(comparison: &Comparison) -> String {
    comparison.sentences.join(" ")
}

#[test]
fn a_prediction_is_the_databases_rate_times_what_the_place_changes_about_the_emulation() {
    // 10,000 commits; the emulation gives 9,500 there and 19,000 elsewhere: twice as many.
    let measurements = vec![
        database(1, 10_000.0, 200e3, 60e3),
        working(1, 9_500.0, 180e3, 60e3),
        working(2, 19_000.0, 90e3, 40e3),
        free(),
    ];
    let found = compare(&run(&["ext4", "xfs"], measurements), &[]).unwrap();
    assert_eq!((found.sessions, found.placements.len()), (8, 2));
    let predicted = found.placements[1].predicted.unwrap();
    assert!((predicted.rate_per_s - 20_000.0).abs() < 1.0, "{predicted:?}");
    // Only the rate scatters, by 0.71 % (standard deviation), t of 5 degrees 2.571: 0.74 %; the emulation misses 5 % of the database.
    let interval = predicted.interval_95.unwrap();
    let half = 0.0074_f64.hypot(0.05) * 20_000.0;
    assert!((interval.high - predicted.rate_per_s - half).abs() < 5.0, "{interval:?}");
    assert!((predicted.rate_per_s - interval.low - half).abs() < 5.0, "{interval:?}");
    // Of the first place the emulation stands for itself, and nothing there is proved.
    let first = &found.placements[0];
    assert_eq!(first.predicted.unwrap().rate_per_s, 9_500.0);
    assert_eq!(first.agrees, None);
    assert!((first.measured_over_predicted.unwrap() - 10.0 / 9.5).abs() < 1e-9);
    let work = found.work.unwrap();
    assert_eq!((work.cpu_ns, work.client_cpu_ns, work.waits_ns), (25e3, 20e3, 1000.0));
    assert_eq!(found.ceiling.unwrap().rate_per_s, 30_000.0);
    let said = all(&found);
    for part in [
        "it is 30.0 k/s",
        "8 sessions commit 10.0 k/s with the log in /w1",
        "5.0 % less",
        "/w2: +100 %",
    ] {
        assert!(said.contains(part), "`{part}` is missing in: {said}");
    }
}

#[test]
fn memory_and_refuted_places_are_never_recommended() {
    let measurements = || {
        vec![
            database(1, 10_000.0, 200e3, 60e3),
            working(1, 10_000.0, 180e3, 60e3),
            working(2, 40_000.0, 1e3, 30e3),
            working(3, 30_000.0, 50e3, 40e3),
            working(4, 15_000.0, 90e3, 50e3),
        ]
    };
    let kinds = ["ext4", "tmpfs", "xfs", "btrfs"];
    use DurabilityWord::{NotShown, Refuted, Shown};
    let said = |words: &[DurabilityWord]| {
        all(&compare(&run(&kinds, measurements()), &known(words)).unwrap())
    };
    let honest = said(&[Shown, NotShown, NotShown, NotShown]);
    assert!(
        honest.contains("Put the log in /w3: +200 % expected, durability not shown"),
        "{honest}"
    );
    assert!(honest.contains("/w2 is in memory"), "{honest}");
    let liar = said(&[Shown, NotShown, Refuted, NotShown]);
    assert!(liar.contains("Put the log in /w4: +50 %"), "{liar}");
    assert!(liar.contains("/w3 lost acknowledged records"), "{liar}");
}

#[test]
fn what_is_not_beyond_both_doubts_or_rests_on_something_suspect_is_not_recommended() {
    // 2 % more is less than the doubt of 3 %.
    let close = vec![
        database(1, 10_000.0, 200e3, 60e3),
        working(1, 10_300.0, 180e3, 60e3),
        working(2, 10_500.0, 170e3, 60e3),
    ];
    let said = all(&compare(&run(&["ext4", "xfs"], close), &[]).unwrap());
    assert!(said.contains("No place that may be taken is shown to give more"), "{said}");
    let mut suspect = vec![
        database(1, 10_000.0, 200e3, 60e3),
        working(1, 10_000.0, 180e3, 60e3),
        working(2, 20_000.0, 90e3, 40e3),
    ];
    suspect[2].validity = Validity::Suspect;
    let found = compare(&run(&["ext4", "xfs"], suspect), &[]).unwrap();
    assert_eq!(found.placements[1].validity, Validity::Suspect);
    assert!(found.placements[1].predicted.is_some());
    assert!(!all(&found).contains("Put the log"), "{}", all(&found));
}

#[test]
fn what_cannot_be_predicted_says_why() {
    let why = |measurements: Vec<Measurement>| {
        let found = compare(&run(&["ext4", "xfs"], measurements), &[]).unwrap();
        assert!(found.placements[1].predicted.is_none());
        found.placements[1].reason.clone().unwrap()
    };
    let base = || database(1, 10_000.0, 200e3, 60e3);
    // No model of this database.
    let far = vec![base(), working(1, 16_000.0, 180e3, 60e3), working(2, 20_000.0, 90e3, 40e3)];
    assert!(why(far).contains("60 % off"));
    let mut invalid =
        vec![base(), working(1, 10_000.0, 180e3, 60e3), working(2, 20_000.0, 90e3, 40e3)];
    invalid[2].validity = Validity::Invalid;
    assert!(why(invalid).contains("nothing that can be believed"));
    let no_base = vec![working(1, 10_000.0, 180e3, 60e3), working(2, 20_000.0, 90e3, 40e3)];
    assert!(why(no_base).contains("was not measured"));
    let mut short = vec![base(), working(1, 10_000.0, 180e3, 60e3), working(2, 2e4, 90e3, 40e3)];
    short[2].metrics[0].samples.pop();
    assert!(why(short).contains("do not pair"));
}

#[test]
fn a_proof_holds_or_names_what_went_another_way() {
    let proved = |proof: Measurement| {
        let measurements = vec![
            database(1, 10_000.0, 200e3, 60e3),
            working(1, 10_000.0, 200e3, 60e3),
            working(2, 20_000.0, 100e3, 40e3),
            proof,
        ];
        compare(&run(&["ext4", "xfs"], measurements), &[]).unwrap()
    };
    // Half widths of 0.74 % of the prediction and 1 % of the measurement: 1.24 % together.
    let held = proved(database(2, 20_200.0, 100e3, 40e3));
    assert_eq!(held.placements[1].agrees, Some(true));
    assert!((held.placements[1].measured_over_predicted.unwrap() - 1.01).abs() < 1e-4);
    assert!(all(&held).contains("confirms 1 of 1 predictions."), "{}", all(&held));
    assert!(all(&held).contains("+102 % measured"), "{}", all(&held));
    let lost = all(&proved(database(2, 9_000.0, 190e3, 40e3)));
    assert!(!lost.contains("Put the log") && lost.contains("No place that may be taken"), "{lost}");
    let missed = |proof| {
        let found = proved(proof);
        assert_eq!(found.placements[1].agrees, Some(false));
        assert!(all(&found).contains("confirms 0 of 1"), "{}", all(&found));
        found.placements[1].reason.clone().unwrap()
    };
    let flush = missed(database(2, 12_000.0, 190e3, 40e3));
    assert!(
        flush.contains("went from 200 µs to 190 µs in the database and from 200 µs to 100 µs"),
        "{flush}"
    );
    let cpu = missed(database(2, 15_000.0, 100e3, 90e3));
    assert!(cpu.contains("CPU time went from 60.0 µs to 90.0 µs"), "{cpu}");
    let mut waits = database(2, 15_000.0, 100e3, 40e3);
    waits.metrics.iter_mut().find(|m| m.name == metric::WAIT_LOCK_PER_OP).unwrap().value = 200e3;
    let waits = missed(waits);
    assert!(waits.contains("waits for locks and others grew by 199 µs"), "{waits}");
    let nothing = missed(database(2, 15_000.0, 100e3, 40e3));
    assert_eq!(nothing, "no part that was measured explains it");
}

#[test]
fn only_a_run_of_several_places_is_a_comparison() {
    let measurements = || vec![database(1, 10_000.0, 200e3, 60e3), working(1, 1e4, 2e5, 6e4)];
    assert!(compare(&run(&["ext4"], measurements()), &[]).is_none());
    assert!(compare(&run(&["ext4", "xfs"], Vec::new()), &[]).is_none());
    assert!(compare(&run(&["ext4", "xfs"], measurements()), &[]).is_some());
}
