//! A server that was looked at for a minute. Figures are invented and add up: 3.12 of 40 sessions at work, 1.56k/s of 2 ms.

use narrows_model::*;

use super::builders::m;
use super::{finding, without_database};

const WINDOWS: usize = 6;
const LOOK_NS: f64 = 60e9;
const RATE: f64 = 1560.0;
/// Transactions of the look.
const ALL: f64 = RATE * 60.0;
const ID: &str = "database.observed";

fn around(value: f64, half: f64) -> Option<Interval> {
    let (low, high) = (value * (1.0 - half), value * (1.0 + half));
    Some(Interval { low, high, method: IntervalMethod::MeanT })
}

fn found(
    class: ProcessClass,
    state: ActivityState,
    n: f64,
    events: &[(&str, f64)],
) -> ActivityWhere {
    ActivityWhere {
        class,
        state,
        processes: n,
        interval_95: around(n, 0.08),
        windows: vec![n; WINDOWS],
        events: events.iter().map(|(name, n)| ((*name).to_string(), *n)).collect(),
    }
}

/// A wave over the minute, and a stretch of it in which the server did not answer.
fn history() -> Vec<ActivityMoment> {
    let slices = (0..120u32).filter(|slice| !(70..76).contains(slice));
    slices
        .map(|slice| {
            let wave = 1.0 + 0.6 * (f64::from(slice) / 9.0).sin();
            let storm = if (90..100).contains(&slice) { 9.0 } else { 0.2 };
            ActivityMoment {
                at_ns: (f64::from(slice) + 0.5) * 0.5e9,
                samples: 10,
                sessions: vec![
                    (ActivityState::Running, 0.9 * wave),
                    (ActivityState::Read, 0.5),
                    (ActivityState::Write, 0.1 * wave),
                    (ActivityState::Log, 1.3 * wave),
                    (ActivityState::Lock, storm),
                    (ActivityState::Latch, 0.15),
                    (ActivityState::Client, 0.1),
                    (ActivityState::IdleInTransaction, 2.0),
                    (ActivityState::Other, 0.05),
                ],
            }
        })
        .collect()
}

fn activity() -> Activity {
    use ActivityState::*;
    let session = |state, n, events: &[(&str, f64)]| found(ProcessClass::Session, state, n, events);
    Activity {
        samples: 1190,
        counted: false,
        found: vec![
            session(Running, 0.88, &[]),
            session(Read, 0.47, &[("IO:DataFileRead", 0.44), ("IO:DataFilePrefetch", 0.03)]),
            session(Write, 0.08, &[("IO:DataFileExtend", 0.08)]),
            session(Log, 1.25, &[("IO:WALSync", 0.8), ("LWLock:WALWrite", 0.45)]),
            session(Lock, 0.31, &[("Lock:transactionid", 0.31)]),
            session(Latch, 0.06, &[("LWLock:BufferMapping", 0.06)]),
            session(Client, 0.03, &[("Client:ClientWrite", 0.03)]),
            session(IdleInTransaction, 2.0, &[]),
            session(Other, 0.04, &[("IPC:ParallelFinish", 0.04)]),
            found(ProcessClass::Autovacuum, Read, 0.3, &[("IO:DataFileRead", 0.3)]),
            found(ProcessClass::Checkpointer, Write, 0.5, &[("IO:DataFileFlush", 0.5)]),
        ],
        history: history(),
        checks: vec![WaitCheck { state: Read, runnable: 89, waiting: 54, unclear: 20 }],
    }
}

fn processes() -> ObservedProcesses {
    let class = |class, cpus, run_queue| ClassUse { class, cpus, run_queue: Some(run_queue) };
    ObservedProcesses {
        classes: vec![
            class(ProcessClass::Session, 0.84, 0.04),
            class(ProcessClass::Autovacuum, 0.11, 0.01),
            class(ProcessClass::Checkpointer, 0.06, 0.0),
            class(ProcessClass::LogWriter, 0.02, 0.0),
        ],
        hot: Some(HotProcess { class: ProcessClass::Session, cpus: 0.31, share_of_windows: 0.5 }),
        machine_cpus: 1.74,
        kernel_cpus: Some(0.21),
        other_cpus: Some(0.5),
        unattributed_cpus: None,
        client_cpus: None,
        yielding_cpus: None,
        other_programs: Vec::new(),
        allowed_cpus: 8.0,
        quota_cpus: Some(4.0),
        throttled_share: Some(0.0),
        drive_read_bytes: Some(41e6),
    }
}

fn counted() -> ObservedCounts {
    ObservedCounts {
        commits: Some(ALL * 0.97),
        rollbacks: Some(ALL * 0.03),
        writers: Some(ALL * 0.62),
        block_hits: Some(ALL * 34.2),
        block_reads: Some(ALL * 1.2),
        read_ns: Some(LOOK_NS * 0.47),
        session_writes: Some(2100.0),
        checkpoint_writes: Some(38_400.0),
        background_writes: Some(4300.0),
        rows_read: Some(ALL * 12.5),
        rows_changed: Some(ALL * 3.1),
        temp_files: Some(12.0),
        temp_bytes: Some(340e6),
        deadlocks: Some(0.0),
        active_ns: Some(ALL * 2e6),
        connections: Some(126.0),
        log_bytes: Some(ALL * 1450.0),
        full_pages: Some(9_200.0),
        log_buffers_full: Some(31.0),
        flushes: Some(ALL * 0.34),
        flush_ns: Some(ALL * 0.34 * 1.05e6),
        checkpoints_timed: Some(0.0),
        checkpoints_requested: Some(3.0),
        ..ObservedCounts::default()
    }
}

fn settings() -> Vec<LiveSetting> {
    let of = [
        ("block_size", "8192", "default"),
        ("full_page_writes", "on", "default"),
        ("lc_messages", "C", "configuration file"),
        ("max_wal_size", "256MB", "configuration file"),
        ("port", "5433", "command line"),
        ("shared_buffers", "2GB", "configuration file"),
        ("synchronous_commit", "on", "default"),
        ("work_mem", "64MB", "user"),
    ];
    of.map(|(name, value, source)| LiveSetting {
        name: name.into(),
        value: value.into(),
        source: source.into(),
    })
    .into()
}

fn observation() -> Observation {
    Observation {
        consumers: None,
        report: None,
        measurement: ID.into(),
        address: "postgres://monitor@db7:5432/shop".into(),
        version: "18.1".into(),
        interval_ns: LOOK_NS,
        load_change: None,
        windows: WINDOWS as u32,
        counted: counted(),
        activity: activity(),
        sessions: ObservedSessions {
            open: Some(40.2),
            most_open: Some(52.0),
            most_at_work: Some(12.0),
            allowed: Some(100.0),
            oldest_transaction_ns: Some(184e9),
            oldest_prepared_ns: None,
            slot_holds: None,
            longest_idle_in_transaction_ns: Some(12e9),
            most_behind_one: Some(9.0),
            ..ObservedSessions::default()
        },
        processes: Some(processes()),
        settings: settings(),
        build: vec![
            ("CC".into(), "gcc".into()),
            ("CFLAGS".into(), "-Wall -O2 -g".into()),
            ("CONFIGURE".into(), "'--with-icu' '--with-llvm'".into()),
        ],
        capacities_from: vec![
            "CPUs: counted".into(),
            "drives and log: run 5c1d of this machine".into(),
        ],
        cost: LiveCost {
            statements: 1240,
            waited_ns: 4.1e8,
            share: 0.0068,
            processors: Some(0.0054),
            ..LiveCost::default()
        },
        unknown: vec![Unknown {
            what: "which statements wait".into(),
            needs: "pg_stat_statements".into(),
        }],
    }
}

/// 2 ms in parts.
fn time() -> TransactionTime {
    let part = |name: &str, us: f64| TimeShare {
        name: name.into(),
        ns_per_op: us * 1e3,
        interval_95: around(us * 1e3, 0.06),
        share: us / 2000.0,
    };
    TransactionTime {
        summed_ns: 2e6,
        account_ns: 2.04e6,
        account: TimeAccount::Server,
        parts: vec![
            part("flush", 800.0),
            part("CPU", 540.0),
            part("read", 300.0),
            part("lock", 240.0),
            part("other", 75.0),
            part("run queue", 25.0),
            part("client", 20.0),
        ],
    }
}

fn verdict() -> Verdict {
    let term = |part: &TimeShare| SumTerm { name: part.name.clone(), ns_per_op: part.ns_per_op };
    let time = time();
    Verdict {
        workload: "observed".into(),
        measurement: ID.into(),
        operating_point: OperatingPoint { sessions: 40, think_ns: 0.0, workers: None },
        throughput_per_s: RATE,
        throughput_interval_95: around(RATE, 0.03),
        latency_p99_open_ns: None,
        narrow: Bottleneck::CommitWait,
        or: None,
        phrase: "COMMIT WAIT; CPU 26 %, drives unknown".into(),
        grade: Grade::Likely,
        reasons: vec!["nothing on somebody's server is changed to test it".into()],
        utilisation: vec![
            Utilisation { resource: Bottleneck::Cpu, label: "4 CPUs".into(), value: Some(0.26) },
            Utilisation { resource: Bottleneck::ReadRate, label: "data reads".into(), value: None },
        ],
        bounds: Vec::new(),
        sum: Some(Sum {
            kind: SumKind::Session,
            servers: 3.12,
            terms: time.parts.iter().map(term).collect(),
            predicted_per_s: 1560.0,
            measured_per_s: RATE,
            agrees: true,
            checked_to: None,
        }),
        sharing: None,
        test: None,
        next: vec![NextLimit {
            resource: Bottleneck::Cpu,
            label: "4 CPUs".into(),
            bound_per_s: Some(6000.0),
        }],
        gain_at_most: Some(0.67),
        gain_tested: None,
        standing: Some(ObservedSituation {
            gains: None,
            nearest: Some(Headroom {
                resource: Bottleneck::Cpu,
                label: "4 CPUs".into(),
                utilisation: 0.26,
                factor_at_most: 3.8,
                interval_95: around(3.8, 0.05),
                provenance: Provenance::Configured,
            }),
            time: Some(time),
            sessions_open: Some(40.2),
            sessions_at_work: Some(3.12),
            users: Vec::new(),
            sentences: vec!["A transaction is 2.00 ms in the server.".into()],
            step: None,
        }),
        what_if: Vec::new(),
    }
}

/// The run of the look.
pub fn observed() -> Run {
    let mut run = without_database();
    run.command =
        ["narrows", "run", "--observe", "postgres://monitor@db7/shop"].map(String::from).into();
    run.plan.layers = vec![Layer::Database];
    run.plan.database = DatabaseChoice::Url("postgres://monitor@db7:5432/shop".into());
    (run.plan.sessions, run.plan.server_cpus, run.plan.client_cpus) = (0, Vec::new(), Vec::new());
    let figures = [
        (metric::THROUGHPUT, RATE, 0.03),
        (metric::SERVER_CPU_PER_OP, 1.03 / RATE * 1e9, 0.02),
        (metric::BLOCK_HITS_PER_OP, 34.2, 0.01),
        (metric::BLOCK_READS_PER_OP, 1.2, 0.05),
        (metric::WAL_BYTES_PER_OP, 1450.0, 0.04),
        (metric::FLUSHES_PER_OP, 0.34, 0.02),
    ];
    run.measurements = vec![m(ID, Layer::Database, WINDOWS, &figures)];
    run.observations = vec![observation()];
    run.verdicts = vec![verdict()];
    run.findings = vec![finding(
        Severity::Note,
        "checkpoints-requested",
        Some(ID),
        "checkpoints were begun because max_wal_size was reached",
    )];
    run.apply_findings();
    run
}

/// The same, and which statements sessions were in over time: a report runs from 20 to 30 s and waits for reads, updates go on
/// throughout and wait for WAL and, in the last third, for locks.
pub fn by_statement() -> Run {
    use ActivityState::*;
    let mut run = observed();
    let moment = |slice: u32| {
        let times = |statement, state, count| StatementSamples { statement, state, count };
        let mut found = vec![
            times(StatementGroup::Listed(0), Log, 8),
            times(StatementGroup::Listed(0), Running, 4),
        ];
        if (20..30).contains(&slice) {
            found.push(times(StatementGroup::Listed(1), Read, 20));
        }
        if slice >= 40 {
            found.push(times(StatementGroup::Listed(0), Lock, 12));
        }
        found.extend([
            times(StatementGroup::Others, Running, 2),
            times(StatementGroup::Unknown, Other, 1),
            times(StatementGroup::Others, IdleInTransaction, 4),
        ]);
        StatementMoment { at_ns: (f64::from(slice) + 0.5) * 1e9, samples: 4, found }
    };
    let group = |name: &str, active: f64| SampledGroup {
        kind: ConsumerKind::Statement,
        name: name.into(),
        active,
        interval_95: None,
        states: vec![(Running, active)],
        events: Vec::new(),
    };
    let text = |id: &str, text: &str| (id.to_string(), text.to_string());
    run.observations[0].consumers = Some(Consumers {
        database: "shop".into(),
        sampled: Some(SampledConsumers {
            samples: 240,
            executions: 700,
            active: 4.6,
            groups: vec![group("11", 3.0), group("12", 0.8)],
            texts: vec![
                text("11", "UPDATE accounts SET balance = balance + $1 WHERE id < $2"),
                text("12", "SELECT sum(amount) FROM orders"),
            ],
            by_text: false,
            history: Some(StatementHistory {
                statements: vec!["11".into(), "12".into()],
                moments: (0..60).map(moment).collect(),
            }),
        }),
        ..Consumers::default()
    });
    run
}
