//! Verdicts that can be checked with a pencil: the four rows of the design's example screen, the example of the
//! book's page, and what a run can and can't test.

use narrows_model::{
    Bottleneck, Bound, Cpu, DatabaseChoice, Finding, Grade, Interval, IntervalMethod, Layer,
    Measurement, Metric, MetricValue, Plan, Platform, Run, Severity, SumKind, Validity, condition,
    metric,
};
use narrows_verdict::{Estimate, Intervention, fewer_cpus, judge, per_operation, propose};
use serde_json::json;

const REPEATS: usize = 6;

/// A measurement with each metric known to ± 1 %.
pub fn measured(id: &str, layer: Layer, metrics: &[(Metric, f64)]) -> Measurement {
    let mut m = Measurement::new(id, layer);
    m.repeats = REPEATS as u32;
    m.metrics = metrics
        .iter()
        .map(|&(name, value)| {
            MetricValue::new(
                name,
                value,
                Some(Interval {
                    low: value * 0.99,
                    high: value * 1.01,
                    method: IntervalMethod::OrderStatistic,
                }),
                (0..REPEATS).map(|i| value * (0.99 + 0.004 * i as f64)).collect(),
            )
        })
        .collect();
    m
}

pub fn run(server_cpus: u32, client_cpus: u32, measurements: Vec<Measurement>) -> Run {
    let all = server_cpus + client_cpus;
    let plan = Plan {
        layers: Layer::ALL.to_vec(),
        database: DatabaseChoice::Managed,
        sessions: 128,
        repeats: REPEATS as u32,
        server_cpus: (0..server_cpus).collect(),
        client_cpus: (server_cpus..all).collect(),
        ..Plan::default()
    };
    let (base_khz, max_khz) = (Some(3_000_000), Some(3_000_000));
    let cpu = Cpu { threads: all, smt_active: Some(false), base_khz, max_khz, ..Cpu::default() };
    Run { measurements, ..Run::blank(plan, Platform { cpu, ..Platform::default() }) }
}

/// Time per operation, µs, in the order CPU, run queue, read, flush, lock, client, other.
pub struct Time(pub f64, pub f64, pub f64, pub f64, pub f64, pub f64, pub f64);

pub fn workload(id: &str, sessions: f64, rate: f64, cpus: f64, time: Time) -> Measurement {
    let us = 1e3;
    let Time(cpu, run_queue, read, flush, lock, client, other) = time;
    let mut m = measured(
        id,
        Layer::Database,
        &[
            (metric::THROUGHPUT, rate),
            (metric::SERVER_CPU_PER_OP, cpu * us),
            (metric::BACKEND_CPU_PER_OP, cpu * us),
            (metric::CLIENT_CPU_PER_OP, 5.0 * us),
            (metric::CLIENT_BUSY, rate * 5e-6 / 32.0),
            (metric::RUN_QUEUE_PER_OP, run_queue * us),
            (metric::WAIT_READ_PER_OP, read * us),
            (metric::WAIT_FLUSH_PER_OP, flush * us),
            (metric::WAIT_LOCK_PER_OP, lock * us),
            (metric::WAIT_CLIENT_PER_OP, client * us),
            (metric::WAIT_OTHER_PER_OP, other * us),
            (metric::BLOCK_READS_PER_OP, if read > 0.0 { 1.0 } else { 0.0 }),
        ],
    );
    for (name, count) in [
        (metric::SESSIONS, sessions),
        (metric::SERVER_CPUS, cpus),
        (metric::SERVER_CPUS_AVAILABLE, cpus),
        (metric::SERVER_CPUS_TAKEN, 0.0),
    ] {
        let mut exact = measured("", Layer::Database, &[(name, count)]).metrics.remove(0);
        exact.samples = vec![count; REPEATS];
        exact.interval_95 = None;
        m.metrics.push(exact);
    }
    m.conditions.insert(condition::CPUS_SHARED, json!(false));
    m.conditions.insert(condition::CLIENT_CPUS, json!([96, 97, 98, 99]));
    // The looks at the processes lie 4 % apart: as fine as they get.
    m.metrics.extend(measured("", Layer::Database, &[(metric::SAMPLED_WIDTH, 0.04)]).metrics);
    m
}

pub fn tested(id: &str, intervention: Intervention, rate: f64) -> Measurement {
    measured(&intervention.measurement_id(id), Layer::Database, &[(metric::THROUGHPUT, rate)])
}

pub fn cached() -> Measurement {
    workload(
        "database.lookup_cached",
        128.0,
        1.52e6,
        96.0,
        Time(61.0, 15.0, 0.0, 0.0, 0.0, 8.0, 0.2),
    )
}

pub fn uncached() -> Measurement {
    let mut m = workload(
        "database.lookup_uncached",
        128.0,
        492e3,
        96.0,
        Time(96.0, 3.0, 131.0, 0.0, 5.0, 20.0, 5.0),
    );
    m.conditions.insert(condition::UNCACHED_BY, json!("debug_io_direct"));
    m
}

pub fn drives() -> Measurement {
    measured("block.read.random.8k.knee", Layer::Block, &[(metric::THROUGHPUT, 2.31e6)])
}

#[test]
fn lookups_that_fill_the_processors() {
    let id = "database.lookup_cached";
    let alone = measured(
        &format!("{id}.alone"),
        Layer::Database,
        &[(metric::SERVER_CPU_PER_OP, 28e3), (metric::THROUGHPUT, 27e3)],
    );
    let mut run = run(96, 32, vec![cached(), alone]);
    let untested = judge(&run).remove(0);
    assert_eq!((untested.narrow, untested.grade), (Bottleneck::Cpu, Grade::Likely));
    let proposed = propose(&run, id).expect("something to test");
    assert!(matches!(proposed, Intervention::FewerCpus | Intervention::MoreCpus), "{proposed:?}");
    run.measurements.push(tested(id, Intervention::FewerCpus, 1.52e6 * 0.76));
    let verdict = judge(&run).remove(0);
    assert_eq!((verdict.narrow, verdict.grade), (Bottleneck::Cpu, Grade::Confirmed));
    // 96 threads / 61 µs = 1.574M/s; 1.52 of it is 97 %.
    assert_eq!(verdict.phrase, "CPU, 97 % busy (server has 96 of 128 CPUs)");
    let sum = verdict.sum.expect("a sum");
    assert_eq!(sum.kind, SumKind::Capacity);
    assert!((sum.predicted_per_s - 96.0 / 61e-6).abs() < 1.0);
    let test = verdict.test.expect("a test");
    assert!(test.confirms && (test.effect + 0.24).abs() < 1e-9);
    assert_eq!(verdict.gain_tested, None, "a loss shows no gain");
    let sharing = verdict.sharing.expect("a lone session was measured");
    assert!((sharing.ratio.expect("no SMT") - 61.0 / 28.0).abs() < 1e-9);
    assert!(sharing.limits_scaling);
}

#[test]
fn the_sharing_factor_is_unknown_where_threads_share_cores() {
    let alone = measured(
        "database.lookup_cached.alone",
        Layer::Database,
        &[(metric::SERVER_CPU_PER_OP, 28e3)],
    );
    let mut run = run(96, 32, vec![cached(), alone]);
    run.hosts[0].platform.cpu.smt_active = Some(true);
    let sharing = judge(&run).remove(0).sharing.expect("both figures");
    assert_eq!((sharing.smt_factor, sharing.ratio), (None, None));
    assert!(!sharing.limits_scaling, "what is not known is not claimed");
}

/// A machine of 64 cores with two CPUs each, of which the server has 48 cores; and the yield of a core.
fn with_smt(mut run: Run, smt_yield: f64) -> Run {
    let cpu = &mut run.hosts[0].platform.cpu;
    cpu.smt_active = Some(true);
    cpu.cores_threads = (0..64).map(|core| vec![2 * core, 2 * core + 1]).collect();
    let mut m = measured("memory.smt_yield", Layer::Memory, &[(metric::SMT_YIELD, smt_yield)]);
    m.workload.insert(condition::THREADS, json!(2));
    run.measurements.push(m);
    run
}

fn lone(us: f64) -> Measurement {
    measured(
        "database.lookup_cached.alone",
        Layer::Database,
        &[(metric::SERVER_CPU_PER_OP, us * 1e3)],
    )
}

#[test]
fn the_yield_of_a_core_is_taken_out_of_the_sharing_factor() {
    // Both CPUs of a core do 1.21 times one: each takes 2 / 1.21 = 1.653 times as long. 61 / 28 = 2.179; 2.179 / 1.653 =
    // 1.318.
    let of = |run: Run| judge(&run).remove(0).sharing.expect("both figures");
    let sharing = of(with_smt(run(96, 32, vec![cached(), lone(28.0)]), 1.21));
    assert!((sharing.smt_factor.expect("measured") - 1.653).abs() < 1e-3);
    assert!((sharing.ratio.expect("measured") - 1.318).abs() < 1e-3);
    assert!(sharing.limits_scaling);
    // The same growth where the cores explain it: 61 / 36.9 = 1.653.
    let sharing = of(with_smt(run(96, 32, vec![cached(), lone(36.9)]), 1.21));
    assert!((sharing.ratio.expect("measured") - 1.0).abs() < 1e-3);
    assert!(!sharing.limits_scaling);
}

#[test]
fn a_yield_that_is_not_of_this_operating_point_is_not_used() {
    let of = |run: &Run| judge(run).remove(0).sharing.expect("both figures").smt_factor;
    let smt = with_smt(run(96, 32, vec![cached(), lone(28.0)]), 1.21);
    assert!(of(&smt).is_some());
    let changed = |change: &dyn Fn(&mut Run)| {
        let mut run = smt.clone();
        change(&mut run);
        of(&run)
    };
    let the_yield = |run: &mut Run| run.measurements.len() - 1;
    // Half of the CPUs idle: nobody knows how often two of a core worked at the same time.
    let slower = |run: &mut Run| run.measurements[0].metrics[0].value = 800e3;
    assert_eq!(changed(&slower), None);
    assert_eq!(
        changed(&|run| {
            let at = the_yield(run);
            run.measurements.remove(at);
        }),
        None
    );
    // Measured with four CPUs of a core, used with two.
    let four = |run: &mut Run| {
        let at = the_yield(run);
        run.measurements[at].workload.insert(condition::THREADS, json!(4));
    };
    assert_eq!(changed(&four), None);
    let suspect = |run: &mut Run| {
        let at = the_yield(run);
        run.measurements[at].validity = narrows_model::Validity::Suspect;
    };
    assert_eq!(changed(&suspect), None);
    // One core is the server's by half only: the cores differ.
    assert_eq!(
        changed(&|run| {
            run.plan.server_cpus.pop();
        }),
        None
    );
    // One CPU of each core: nothing to take out, unless the client sits on the other.
    let even = |run: &mut Run| run.plan.server_cpus = (0..64).map(|core| 2 * core).collect();
    assert_eq!(
        changed(&|run| {
            even(run);
            run.plan.client_cpus = vec![];
        }),
        Some(1.0)
    );
    assert_eq!(
        changed(&|run| {
            even(run);
            run.plan.client_cpus = vec![1];
        }),
        None
    );
    assert_eq!(changed(&|run| run.hosts[0].platform.cpu.smt_active = None), None);
    assert_eq!(changed(&|run| run.hosts[0].platform.cpu.smt_active = Some(false)), Some(1.0));
}

#[test]
fn lookups_that_wait_for_reads() {
    let id = "database.lookup_uncached";
    let mut run = run(96, 32, vec![uncached(), drives()]);
    assert_eq!(propose(&run, id), Some(Intervention::SessionsX2));
    run.measurements.push(tested(id, Intervention::SessionsX2, 492e3 * 1.51));
    let verdict = judge(&run).remove(0);
    assert_eq!((verdict.narrow, verdict.grade), (Bottleneck::ReadLatency, Grade::Confirmed));
    assert_eq!(verdict.phrase, "read latency; drives 21 % busy, CPU 49 %");
    // 128 / 260 µs = 492k/s.
    let sum = verdict.sum.expect("a sum");
    assert!((sum.predicted_per_s - 128.0 / 260e-6).abs() < 1.0);
    assert_eq!(sum.terms[0].name, "read");
    assert_eq!(verdict.gain_tested.map(|gain| (gain * 100.0).round()), Some(51.0));
    // Without its reads an operation takes 126 µs (the run queue is the processors' queue): 1.02M/s; but the
    // processors end at 96 / 96 µs = 1.00M/s.
    let at_most = verdict.gain_at_most.expect("bounds are known");
    assert!((at_most - (1.0e6 / 492e3 - 1.0)).abs() < 0.01, "{at_most}");
    assert_eq!(verdict.next[0].resource, Bottleneck::Cpu);
}

#[test]
fn updates_that_wait_for_the_log() {
    let id = "database.update";
    let update = workload(id, 128.0, 152e3, 96.0, Time(150.0, 5.0, 0.0, 645.0, 25.0, 10.0, 5.0));
    let mut run = run(96, 32, vec![update]);
    assert_eq!(propose(&run, id), Some(Intervention::SyncOff));
    run.measurements.push(tested(id, Intervention::SyncOff, 152e3 * 1.59));
    let verdict = judge(&run).remove(0);
    assert_eq!((verdict.narrow, verdict.grade), (Bottleneck::CommitWait, Grade::Confirmed));
    assert_eq!(verdict.phrase, "commit wait; CPU 24 % busy, drives unknown");
    assert_eq!(verdict.gain_tested.map(|gain| (gain * 100.0).round()), Some(59.0));
    assert!(verdict.gain_at_most.expect("CPU bound") > 1.59);
}

#[test]
fn a_scan_with_few_workers() {
    let id = "database.scan_n";
    // 64 GB in 9.3 s; 16 workers, each 92 % of the time on a processor.
    let rate = 1.0 / 9.3;
    let cpu_s = 16.0 / rate * 0.92;
    let mut scan = measured(
        id,
        Layer::Database,
        &[
            (metric::THROUGHPUT, rate),
            (metric::SERVER_CPU_PER_OP, cpu_s * 1e9),
            (metric::BACKEND_CPU_PER_OP, cpu_s * 1e9),
            (metric::SERVER_CPUS, 96.0),
            (metric::SERVER_CPUS_AVAILABLE, 96.0),
            (metric::SERVER_CPUS_TAKEN, 0.0),
            (metric::WORKERS, 16.0),
            (metric::RUN_QUEUE_PER_OP, 0.0),
            // Of all sixteen: the 8 % that they are not on a processor.
            (metric::WAIT_READ_PER_OP, 16.0 * 0.08 / rate * 1e9),
            (metric::WAIT_FLUSH_PER_OP, 0.0),
            (metric::WAIT_LOCK_PER_OP, 0.0),
            (metric::WAIT_CLIENT_PER_OP, 0.0),
            (metric::WAIT_OTHER_PER_OP, 0.0),
            (metric::BLOCK_READS_PER_OP, 64e9 / 8192.0),
        ],
    );
    scan.conditions.insert(condition::CPUS_SHARED, json!(false));
    scan.metrics.extend(measured("", Layer::Database, &[(metric::SAMPLED_WIDTH, 0.04)]).metrics);
    let sequential = measured(
        "block.read.sequential.1m.knee",
        Layer::Block,
        &[(metric::THROUGHPUT, 21.9e9 / 1048576.0), (metric::BANDWIDTH, 21.9e9)],
    );
    let mut run = run(96, 32, vec![scan, sequential]);
    assert_eq!(propose(&run, id), Some(Intervention::WorkersX2));
    run.measurements.push(tested(id, Intervention::WorkersX2, rate * 1.83));
    let verdict = judge(&run).remove(0);
    assert_eq!((verdict.narrow, verdict.grade), (Bottleneck::Workers, Grade::Confirmed));
    assert_eq!(verdict.phrase, "workers, 92 % on CPU; drives 31 % busy, CPU 15 %");
    assert_eq!((verdict.workload.as_str(), verdict.operating_point.workers), ("scan", Some(16)));
}

#[test]
fn more_workers_that_gave_nothing_in_the_same_run_leave_their_number_open() {
    // Each worker is on a CPU for 92 % of the time, alone as among sixteen.
    let scan = |id: &str, workers: f64, rate: f64| {
        let worker_ns = workers / rate * 1e9;
        let mut m = measured(
            id,
            Layer::Database,
            &[
                (metric::THROUGHPUT, rate),
                (metric::SERVER_CPU_PER_OP, worker_ns * 0.92),
                (metric::BACKEND_CPU_PER_OP, worker_ns * 0.92),
                (metric::SERVER_CPUS, 96.0),
                (metric::SERVER_CPUS_AVAILABLE, 96.0),
                (metric::SERVER_CPUS_TAKEN, 0.0),
                (metric::WORKERS, workers),
                (metric::RUN_QUEUE_PER_OP, 0.0),
                (metric::WAIT_READ_PER_OP, worker_ns * 0.08),
                (metric::WAIT_FLUSH_PER_OP, 0.0),
                (metric::WAIT_LOCK_PER_OP, 0.0),
                (metric::WAIT_CLIENT_PER_OP, 0.0),
                (metric::WAIT_OTHER_PER_OP, 0.0),
            ],
        );
        m.conditions.insert(condition::CPUS_SHARED, json!(false));
        m
    };
    let one = |with_many: f64| {
        let all =
            vec![scan("database.scan_1", 1.0, 0.01), scan("database.scan_n", 16.0, with_many)];
        let verdicts = judge(&run(96, 32, all));
        verdicts.into_iter().find(|v| v.measurement == "database.scan_1").unwrap()
    };
    let helped = one(0.1);
    assert_eq!((helped.narrow, helped.grade), (Bottleneck::Workers, Grade::Likely), "{helped:#?}");
    let useless = one(0.01);
    assert_eq!((useless.narrow, useless.grade), (Bottleneck::Workers, Grade::Undecided));
    let why = useless.reasons.join("; ");
    assert!(why.contains("16 workers were not faster beyond the error (+0 %)"), "{why}");
}

#[test]
fn a_hot_thread_is_named() {
    let mut m = workload(
        "database.update",
        64.0,
        50e3,
        96.0,
        Time(60.0, 5.0, 0.0, 20.0, 0.0, 15.0, 1180.0),
    );
    m.metrics.extend(measured("", Layer::Database, &[(metric::HOT_THREAD, 0.99)]).metrics);
    m.conditions.insert(condition::HOT_THREAD_NAME, json!("walwriter"));
    let verdict = judge(&run(96, 32, vec![m])).remove(0);
    assert_eq!(verdict.narrow, Bottleneck::HotThread, "{:?}", verdict.reasons);
    assert_eq!(verdict.phrase, "one server process (walwriter), 99 % busy");
}

#[test]
fn a_read_limit_of_the_control_group_is_named_rather_than_the_drives() {
    let mut m = uncached();
    // Measured under the same limit: the block layer saw it too.
    let mut limited = run(
        96,
        32,
        vec![measured("block.read.random.8k.knee", Layer::Block, &[(metric::THROUGHPUT, 500e3)])],
    );
    limited.hosts[0].platform.cgroup.io_limits.push(narrows_model::IoLimit {
        device: "254:0".into(),
        kind: "riops".into(),
        value: 500_000,
    });
    m.conditions.insert(condition::METHOD, json!("direct"));
    limited.measurements.push(m);
    let verdict = judge(&limited).remove(0);
    assert_eq!(verdict.narrow, Bottleneck::IoLimit, "{:?}", verdict.reasons);
    assert_eq!(verdict.phrase, "control group's I/O limit, 98 % used");
    assert!(verdict.bounds.iter().all(|bound| bound.resource != Bottleneck::ReadRate));
    // The kernel lets a tenth more through, which no drive could; a fifth more is another matter.
    let understated = |limit: u64| {
        let mut run = limited.clone();
        run.hosts[0].platform.cgroup.io_limits[0].value = limit;
        let verdict = judge(&run).remove(0);
        assert_eq!(verdict.narrow, Bottleneck::IoLimit, "{:?}", verdict.reasons);
        verdict.reasons.iter().any(|reason| reason.contains("understated"))
    };
    assert_eq!([450_000, 400_000].map(understated), [false, true]);
}

#[test]
fn a_limit_that_is_used_up_in_each_window_is_one_while_the_rate_changes() {
    let judged = |least: f64, finding: &str| {
        let mut m = uncached();
        m.conditions.insert(condition::METHOD, json!("direct"));
        let share = MetricValue::new(
            metric::IO_LIMIT_SHARE,
            0.98,
            None,
            [least].into_iter().chain([0.98; REPEATS - 1]).collect(),
        );
        m.metrics.push(share);
        m.validity = Validity::Suspect;
        let found = Finding {
            id: finding.to_string(),
            severity: Severity::Suspect,
            measurement: Some(m.id.to_string()),
            summary: String::new(),
            evidence: String::new(),
            advice: String::new(),
            places: Vec::new(),
        };
        let mut limited = run(96, 32, vec![m]);
        limited.hosts[0].platform.cgroup.io_limits.push(narrows_model::IoLimit {
            device: "254:0".into(),
            kind: "riops".into(),
            value: 500_000,
        });
        limited.findings.push(found);
        let verdict = judge(&limited).remove(0);
        assert_eq!(verdict.narrow, Bottleneck::IoLimit, "{:?}", verdict.reasons);
        verdict.grade
    };
    // A cache that fills makes each operation need less of the limit.
    assert_eq!(judged(0.91, "not-steady"), Grade::Likely);
    assert_eq!(judged(0.5, "not-steady"), Grade::Undecided, "not in each window");
    assert_eq!(judged(0.91, "wide-spread"), Grade::Likely);
    assert_eq!(judged(0.5, "wide-spread"), Grade::Undecided, "not in each window");
    assert_eq!(judged(0.98, "uncached-lookups-hit"), Grade::Undecided, "another doubt");
}

#[test]
fn a_limit_that_counters_show_used_up_is_so_in_the_window() {
    // Sessions with as much time as reads behind a limit take; by the counters, warm-up included, an operation has 0.7 reads.
    let judged = |share: Option<f64>| {
        let mut m = uncached();
        m.conditions.insert(condition::METHOD, json!("direct"));
        m.metrics.retain(|metric| metric.name != metric::BLOCK_READS_PER_OP);
        let reads = [(metric::BLOCK_READS_PER_OP, 0.7)];
        m.metrics.extend(measured("", Layer::Database, &reads).metrics);
        let share =
            share.map(|share| measured("", Layer::Database, &[(metric::IO_LIMIT_SHARE, share)]));
        m.metrics.extend(share.into_iter().flat_map(|share| share.metrics));
        let mut limited = run(96, 32, vec![m]);
        limited.hosts[0].platform.cgroup.io_limits.push(narrows_model::IoLimit {
            device: "254:0".into(),
            kind: "riops".into(),
            value: 500_000,
        });
        let verdict = judge(&limited).remove(0);
        let used = verdict.utilisation.iter().find(|u| u.resource == Bottleneck::IoLimit);
        (verdict.narrow, used.and_then(|used| Some((used.value? * 100.0).round())))
    };
    assert_eq!(judged(None).1, Some(69.0));
    assert_eq!(judged(Some(0.99)), (Bottleneck::IoLimit, Some(99.0)));
    assert_eq!(judged(Some(0.8)).1, Some(69.0), "not used up");
    assert_eq!(
        judged(Some(1.3)).1,
        Some(69.0),
        "more than a limit lets through is not of its group alone"
    );
}

#[test]
fn more_sessions_that_cost_more_cpu_time_each_do_less_with_the_same_cpus() {
    let id = "database.lookup_cached";
    let judged = |rate: f64, cpu_ns: f64| {
        let mut run = run(96, 32, vec![cached()]);
        let mut test = tested(id, Intervention::SessionsX2, rate);
        test.metrics
            .extend(measured("", Layer::Database, &[(metric::SERVER_CPU_PER_OP, cpu_ns)]).metrics);
        run.measurements.push(test);
        let verdict = judge(&run).remove(0);
        assert_eq!(verdict.narrow, Bottleneck::Cpu);
        verdict.reasons.iter().any(|reason| reason.contains("contradicts"))
    };
    // Full with 75 µs for each in place of 61.
    assert!(!judged(1.52e6 * 61.0 / 75.0, 75e3));
    assert!(judged(1.52e6 * 61.0 / 75.0, 61e3), "nothing explains the loss");
    assert!(judged(1.52e6 * 0.6, 75e3), "it explains a fifth of it only");
    assert!(judged(1.52e6 * 1.4, 75e3), "CPUs that were full don't do more");
}

#[test]
fn what_the_workload_itself_makes_the_kernel_do_is_no_neighbour() {
    let mut m = cached();
    let set = |m: &mut Measurement, name: Metric, value: f64| {
        let metric = m.metrics.iter_mut().find(|metric| metric.name == name).expect("there");
        metric.value = value;
        metric.samples = vec![value; REPEATS];
    };
    set(&mut m, metric::SERVER_CPUS_TAKEN, 24.0);
    set(&mut m, metric::SERVER_CPUS_AVAILABLE, 72.0);
    set(&mut m, metric::THROUGHPUT, 72.0 / 61e-6 * 0.97);
    let alone = |taken: f64| {
        measured(
            "database.lookup_cached.alone",
            Layer::Database,
            &[(metric::SERVER_CPU_PER_OP, 28e3), (metric::SERVER_CPUS_TAKEN, taken)],
        )
    };
    let neighbour = judge(&run(96, 32, vec![m.clone(), alone(25.0)])).remove(0);
    assert_eq!(neighbour.narrow, Bottleneck::CpuTaken);
    assert_eq!(
        neighbour.phrase,
        "CPU used by other programs: 24.0 of 96 CPUs; the server used 97 % of the rest"
    );
    // A quarter comes back, and what of the rest was not used: 1 / 0.75 / 0.97.
    let gain = neighbour.gain_at_most.unwrap();
    assert!((gain - 0.375).abs() < 0.01, "{gain}");
    let interrupts = judge(&run(96, 32, vec![m, alone(0.3)])).remove(0);
    assert_eq!(interrupts.narrow, Bottleneck::Cpu);
}

#[test]
fn stops_by_a_quota_that_the_kernel_counts_nowhere_are_no_waits_for_the_client() {
    // 8 sessions, 560 µs a round, 18 µs of CPU: 0.257 of one CPU, which stands still for 416 µs of the round.
    let session_bound = |run_queue: f64, stopped_periods: f64| {
        let time = Time(18.0, run_queue, 0.0, 0.0, 0.0, 422.0, 0.0);
        let mut m = workload("database.lookup_cached", 8.0, 8.0 / 560e-6, 1.0, time);
        for (name, value) in [
            (metric::SERVER_CPUS_AVAILABLE, 0.018 / 0.56 * 8.0),
            (metric::THROTTLED, 150.0),
            (metric::THROTTLED_SHARE, stopped_periods),
        ] {
            m.metrics.retain(|metric| metric.name != name);
            m.metrics.extend(measured("", Layer::Database, &[(name, value)]).metrics);
        }
        let verdict = judge(&run(1, 2, vec![m])).remove(0);
        assert_eq!(verdict.narrow, Bottleneck::CpuQuota, "{}", verdict.phrase);
        let sessions = |bound: &&Bound| bound.capacity_unit == "sessions";
        8e6 / verdict.bounds.iter().find(sessions).expect("a session bound").bound_per_s
    };
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{a} µs, not {b}");
    // Stopped in no run queue: of the 144 µs that are left 18 are CPU time, and no more than 126 the client's.
    close(session_bound(120.0, 1.0), 144.0);
    // Stopped in the run queue: 416 of the 422 µs were counted twice.
    close(session_bound(536.0, 1.0), 18.0 + 422.0 - 416.0);
    // A quota that stops it now and then hides little, and nothing is taken off.
    close(session_bound(120.0, 0.3), 440.0);
}

#[test]
fn on_a_users_server_only_our_sessions_change() {
    let mut run = run(96, 32, vec![cached(), uncached(), drives()]);
    run.plan.database = DatabaseChoice::Url("postgres://db7/app".into());
    assert_eq!(propose(&run, "database.lookup_uncached"), Some(Intervention::SessionsX2));
    let cpu = propose(&run, "database.lookup_cached");
    assert!(!matches!(cpu, Some(Intervention::FewerCpus | Intervention::MoreCpus)), "{cpu:?}");
    assert_eq!(propose(&run, "database.update"), None, "it was not measured");
    assert_eq!(propose(&run, "block.read.random.8k.knee"), None);
}

#[test]
fn a_quarter_of_the_processors_is_taken_and_never_the_last() {
    assert_eq!(fewer_cpus(96), Some(72));
    assert_eq!(fewer_cpus(2), Some(1));
    assert_eq!(fewer_cpus(3), Some(2));
    assert_eq!(fewer_cpus(1), None);
    assert_eq!(fewer_cpus(0), None);
}

#[test]
fn the_log_is_read_off_its_ladder_between_steps_and_not_beyond() {
    let step = |n: u32, rate: f64| {
        measured(&format!("log.commit.{n}"), Layer::Log, &[(metric::THROUGHPUT, rate)])
    };
    let bound_at = |sessions: f64| {
        let rate = 10e3;
        let flush = sessions / rate * 1e6 - 30.0;
        let m = workload(
            "database.update",
            sessions,
            rate,
            96.0,
            Time(30.0, 0.0, 0.0, flush, 0.0, 0.0, 0.0),
        );
        let run = run(96, 32, vec![m, step(1, 10e3), step(8, 40e3), step(64, 160e3)]);
        let verdict = judge(&run).remove(0);
        verdict
            .bounds
            .iter()
            .find(|bound| bound.capacity_unit == "commits_per_s")
            .map(|bound| bound.bound_per_s)
    };
    assert_eq!(bound_at(8.0), Some(40e3));
    // Half-way between 8 and 64 on a logarithmic scale is 22.6; 16 is a third of the way: 40 k × 4^(1/3).
    let at_16 = bound_at(16.0).expect("between steps");
    assert!((at_16 / (40e3 * 4f64.powf(1.0 / 3.0)) - 1.0).abs() < 1e-9, "{at_16}");
    assert_eq!(bound_at(128.0), None);
}

#[test]
fn a_capacity_that_may_not_be_used_is_unknown_and_why_is_said() {
    for (validity, word) in [(Validity::Invalid, "invalid"), (Validity::Suspect, "suspect")] {
        let mut knee = drives();
        knee.validity = validity;
        let verdict = judge(&run(96, 32, vec![uncached(), knee])).remove(0);
        let why = format!("block.read.random.8k.knee: {word}, so its capacity is unknown");
        assert!(verdict.reasons.contains(&why), "{:?}", verdict.reasons);
    }
}

#[test]
fn what_one_operation_takes_is_told_where_it_was_measured_and_valid() {
    let counted = [
        (metric::THROUGHPUT, 100_000.0),
        (metric::SESSIONS, 8.0),
        (metric::SERVER_CPU_PER_OP, 50_000.0),
        (metric::SPAN_OPERATIONS, 1_000_000.0),
        (metric::DEVICE_READS, 900_000.0),
        (metric::DEVICE_READ_BYTES, 900_000.0 * 8192.0),
    ];
    let valid = measured("database.lookup_uncached", Layer::Database, &counted);
    let mut spoiled = measured("database.update", Layer::Database, &counted);
    spoiled.validity = Validity::Invalid;
    let mut doubtful = measured("database.lookup_cached", Layer::Database, &counted);
    doubtful.validity = Validity::Suspect;
    doubtful.findings = vec!["odd".into()];
    let (all, refused) = per_operation(&run(48, 16, vec![valid, spoiled, doubtful]));
    let [marked, plain] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!(marked.suspect.as_deref(), Some("odd"));
    assert_eq!(plain.workload.measurement_id(), "database.lookup_uncached");
    assert_eq!((plain.suspect.as_ref(), plain.sessions), (None, 8.0));
    let value = |estimate: Option<Estimate>| estimate.map(|estimate| estimate.value);
    assert_eq!((plain.rate_per_s.value, value(plain.cpu_ns)), (100_000.0, Some(50_000.0)));
    assert!((plain.cpu_ns.and_then(|cpu| cpu.half).unwrap() - 500.0).abs() < 1e-6);
    assert_eq!((value(plain.reads), value(plain.read_bytes)), (Some(0.9), Some(0.9 * 8192.0)));
    // Not counted is not zero.
    assert_eq!((plain.writes, plain.write_bytes, plain.wal_bytes), (None, None, None));
    assert_eq!((plain.time.as_ref(), plain.flushes), (None, None));
    assert_eq!(refused.len(), 1);
    assert_eq!(refused[0].measurement, "database.update");
    assert!(refused[0].why.contains("invalid"), "{refused:?}");
}

#[test]
fn sessions_that_mostly_pause_are_held_back_by_their_pauses() {
    // 64 sessions pause 100 ms and work 2 ms, of which 1.7 in flushes: 64 / 102 ms = 627 a second.
    let time = Time(200.0, 50.0, 0.0, 1700.0, 0.0, 50.0, 0.0);
    let mut m = workload("database.update", 64.0, 627.45, 96.0, time);
    m.workload.insert(condition::THINK_NS, json!(100e6));
    let verdict = judge(&run(96, 32, vec![m.clone()])).remove(0);
    assert_eq!(verdict.narrow, Bottleneck::Client);
    assert!(verdict.phrase.starts_with("the sessions' own pauses, 98 %"), "{}", verdict.phrase);
    let sum = verdict.sum.expect("all parts are there");
    assert!(sum.agrees && sum.terms[0].name == "think", "{sum:?}");
    // A pause of a fifth leaves the flush what it is: 64 / 2.4 ms.
    let time = Time(200.0, 50.0, 0.0, 1700.0, 0.0, 50.0, 0.0);
    let mut m = workload("database.update", 64.0, 26_666.7, 96.0, time);
    m.workload.insert(condition::THINK_NS, json!(0.4e6));
    let verdict = judge(&run(96, 32, vec![m])).remove(0);
    assert_eq!(verdict.narrow, Bottleneck::CommitWait, "{}", verdict.phrase);
}
