//! The verdicts of the design's screen.

use narrows_model::*;

fn term(name: &str, us: f64) -> SumTerm {
    SumTerm { name: name.into(), ns_per_op: us * 1e3 }
}

fn next(resource: Bottleneck, label: &str, bound_per_s: Option<f64>) -> NextLimit {
    NextLimit { resource, label: label.into(), bound_per_s }
}

fn test(intervention: &str, measurement: &str, effect: f64) -> Option<Test> {
    Some(Test {
        intervention: intervention.into(),
        measurement: measurement.into(),
        effect,
        interval_95: None,
        expected_low: effect - 0.1,
        expected_high: effect + 0.1,
        confirms: true,
    })
}

fn verdict(workload: &str, rate: f64, half: f64, narrow: Bottleneck, phrase: &str) -> Verdict {
    Verdict {
        workload: workload.into(),
        measurement: format!("database.{workload}"),
        operating_point: OperatingPoint { sessions: 128, think_ns: 0.0, workers: None },
        throughput_per_s: rate,
        throughput_interval_95: Some(Interval {
            low: rate * (1.0 - half),
            high: rate * (1.0 + half),
            method: IntervalMethod::OrderStatistic,
        }),
        latency_p99_open_ns: None,
        narrow,
        or: None,
        phrase: phrase.into(),
        grade: Grade::Confirmed,
        reasons: Vec::new(),
        utilisation: Vec::new(),
        bounds: Vec::new(),
        sum: None,
        sharing: None,
        test: None,
        next: Vec::new(),
        gain_at_most: None,
        gain_tested: None,
        standing: None,
        what_if: Vec::new(),
    }
}

fn sum(
    kind: SumKind,
    servers: f64,
    terms: Vec<SumTerm>,
    predicted: f64,
    measured: f64,
) -> Option<Sum> {
    Some(Sum {
        kind,
        servers,
        terms,
        predicted_per_s: predicted,
        measured_per_s: measured,
        agrees: (predicted / measured - 1.0).abs() <= 0.05,
        checked_to: (kind == SumKind::Session).then_some(0.07),
    })
}

pub fn verdicts() -> Vec<Verdict> {
    let mut cached = verdict(
        "lookup_cached",
        1.52e6,
        0.01,
        Bottleneck::Cpu,
        "CPU, 97 % busy (server has 96 of 128)",
    );
    cached.latency_p99_open_ns = Some(240e3);
    cached.sum = sum(SumKind::Capacity, 96.0, vec![term("CPU", 61.2)], 96e6 / 61.2, 1.52e6);
    cached.sharing = Some(Sharing {
        loaded_ns_per_op: 61.2e3,
        alone_ns_per_op: 28.1e3,
        smt_factor: Some(1.65),
        clock_factor: Some(1.0),
        ratio: Some(1.32),
        limits_scaling: true,
    });
    cached.test = test("fewer server CPUs", "database.lookup_cached.test.fewer_cpus", -0.24);
    cached.next = vec![next(Bottleneck::Unknown, "no other resource above 20 %", None)];
    cached.gain_at_most = Some(0.33);

    let mut uncached = verdict(
        "lookup_uncached",
        492e3,
        0.03,
        Bottleneck::ReadLatency,
        "READ LATENCY; drives 22 % busy, CPU 49 %",
    );
    uncached.latency_p99_open_ns = Some(410e3);
    let terms = vec![term("CPU", 96.4), term("read", 130.6), term("other", 33.4)];
    uncached.sum = sum(SumKind::Session, 128.0, terms, 128e6 / 260.4, 492e3);
    uncached.test = test("256 sessions", "database.lookup_uncached.test.sessions_x2", 0.51);
    uncached.next = vec![
        next(Bottleneck::Cpu, "the server's 96 CPUs", Some(0.94e6)),
        next(Bottleneck::ReadRate, "the drives", Some(2.3e6)),
    ];
    uncached.gain_tested = Some(0.51);
    uncached.gain_at_most = Some(0.91);

    let mut update = verdict(
        "update",
        152e3,
        0.05,
        Bottleneck::CommitWait,
        "COMMIT WAIT; CPU 24 %, drives unknown",
    );
    update.latency_p99_open_ns = Some(3.8e6);
    let terms = vec![term("flush", 645.4), term("CPU", 150.3), term("other", 44.6)];
    update.sum = sum(SumKind::Session, 128.0, terms, 128e6 / 840.3, 152e3);
    update.test = test("synchronous_commit off", "database.update.test.sync_off", 0.59);
    update.next =
        vec![next(Bottleneck::Lock, "WALInsert lock inside the server, not hardware", None)];
    update.gain_tested = Some(0.59);
    update.gain_at_most = Some(3.3);

    let rate = 6.9e9 / 64e9;
    let mut scan = verdict(
        "scan_n",
        rate,
        0.01,
        Bottleneck::Workers,
        "WORKERS, 92 % on CPU; drives 32 % busy",
    );
    scan.operating_point = OperatingPoint { sessions: 1, think_ns: 0.0, workers: Some(16) };
    scan.grade = Grade::Likely;
    scan.reasons = vec!["the test's interval reaches what a drive limit would show".into()];
    scan.test = test("32 workers", "database.scan_n.test.workers_x2", 0.83);
    scan.gain_tested = Some(0.83);
    scan.next = vec![next(Bottleneck::Unknown, "CPU or drives, too close to tell here", None)];
    vec![cached, uncached, update, scan]
}
