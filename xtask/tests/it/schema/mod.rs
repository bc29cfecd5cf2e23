//! The committed schema describes what is written, and refuses what isn't.

mod observed;
mod sweep;

use narrows_model::{
    Bottleneck, Calibration, CalibrationEnd, CalibrationGoal, CrashTest, CrashTestOutcome,
    CurvePoint, DatabaseChoice, DepthPoint, Dimm, Durability, DurabilityEvidence, DurabilityWord,
    Finding, FindingPlace, FlushTest, FlushTestKind, FlushTestRow, Grade, Histogram, Host,
    HostRole, Interval, IntervalMethod, Layer, Leaning, LimitBasis, LimitShare, LiveBound,
    LiveCost, LiveCounts, LiveLog, LiveModel, LivePace, LivePart, LiveSetting, LiveStandby,
    LiveVerdict, LiveWait, LiveWaitKind, LiveWaits, LostRecord, Measurement, MetricValue,
    OperatingPoint, OracleNumbers, OtherProgram, Plan, PlannedStep, Platform, Role, RolePath, Run,
    SCHEMA, Series, Severity, Sum, SumKind, SumTerm, Tool, Unit, Unknown, Validity, Verdict,
    metric,
};
use serde_json::{Value, json};

/// The committed file, not the one that the code would make: that they agree is another test.
fn validator() -> jsonschema::Validator {
    let path = xtask::root().join("docs/schema/run-1.schema.json");
    let text = std::fs::read_to_string(path).expect("the schema is committed");
    let schema: Value = serde_json::from_str(&text).expect("the schema is JSON");
    jsonschema::draft202012::new(&schema).expect("the schema is a schema")
}

fn written(run: &Run) -> Value {
    serde_json::from_str(&run.to_json()).expect("a run is JSON")
}

fn full() -> Run {
    let interval = Interval { low: 79e3, high: 82e3, method: IntervalMethod::OrderStatistic };
    let mut m = Measurement::new("block.read.random.8k.knee", Layer::Block);
    m.repeats = 6;
    m.workload.insert(narrows_model::condition::DEPTH, json!(32));
    m.conditions.insert(narrows_model::condition::METHOD, json!("io_uring"));
    m.metrics.push(MetricValue::new(
        metric::THROUGHPUT,
        80_817.0,
        Some(interval),
        vec![80_817.0; 6],
    ));
    m.histograms.push(Histogram {
        name: "latency".into(),
        unit: Unit::Ns,
        repeat: 0,
        hdr_v2: "HISTFAAAA".into(),
    });
    m.series.push(Series {
        name: metric::THROUGHPUT.into(),
        unit: Unit::OpsPerS,
        repeat: 0,
        t0_ns: 0,
        interval_ns: 1_000_000_000,
        x: vec![1.0],
        values: vec![80_817.0],
    });
    m.limits.push(LimitShare {
        id: "pcie:nvme0n1".into(),
        basis: LimitBasis::Protocol,
        value: 7.2e9,
        unit: Unit::BytesPerS,
        share: 0.09,
        source: "PCIe 4.0 x4".into(),
    });
    m.findings.push("not-steady".into());
    let mut platform = Platform { hostname: Some("db7".into()), ..Platform::default() };
    platform.memory.dimms = Some(vec![Dimm {
        locator: None,
        size_bytes: None,
        kind: None,
        rated_mts: None,
        configured_mts: None,
    }]);
    platform.unknown.push(Unknown { what: "wear".into(), needs: "root".into() });
    platform.roles.push(RolePath {
        role: Role::Data,
        path: "/data".into(),
        file_system: Default::default(),
        devices: Vec::new(),
    });
    Run {
        schema: SCHEMA.into(),
        id: "7f3a".into(),
        tool: Tool { name: "narrows".into(), version: "0.1.0".into() },
        command: vec!["narrows".into(), "run".into()],
        started_at: "2026-11-20T14:02:00Z".into(),
        finished_at: Some("2026-11-20T14:16:00Z".into()),
        anonymous: true,
        completed: true,
        plan: plan(),
        hosts: vec![Host { role: HostRole::ServerAndClient, platform, clock_offset_ns: 0 }],
        measurements: vec![m],
        findings: vec![Finding {
            id: "not-steady".into(),
            severity: Severity::Suspect,
            measurement: Some("block.read.random.8k.knee".into()),
            summary: "The figure was still moving".into(),
            evidence: "throughput falls by 12 %".into(),
            advice: "Measure longer".into(),
            places: vec![FindingPlace {
                parts: vec!["nvme0n1".into()],
                evidence: "x2 of x4".into(),
            }],
        }],
        observations: vec![observed::observation(interval)],
        verdicts: vec![verdict(interval)],
        causes: vec![observed::cause()],
        calibrations: vec![calibration(interval)],
        durability: vec![Durability {
            role: Role::Wal,
            word: DurabilityWord::NotShown,
            sentence: "durability of the log: not shown".into(),
            evidence: vec![DurabilityEvidence {
                about: "flags".into(),
                leaning: Leaning::Open,
                sentence: "vda says write back".into(),
            }],
        }],
        crash_tests: vec![crash_test()],
        comparison: None,
        live_logs: vec![live_log(interval)],
        scalings: vec![sweep::scaling()],
        starts: vec![sweep::starts()],
        file_sharing: Some(sweep::file_sharing(interval)),
        highest_rates: vec![sweep::highest_rate(interval)],
        flush_tests: vec![flush_test()],
        other_programs: vec![other_program()],
    }
}

fn other_program() -> OtherProgram {
    OtherProgram {
        name: "kswapd0".into(),
        kernel: true,
        cpus: 0.5,
        read_bytes_per_s: Some(0.0),
        write_bytes_per_s: Some(2e6),
    }
}

fn live_cpus() -> narrows_model::LiveCpus {
    let window = narrows_model::LiveCpuWindow { available: 1.9, used: 1.2, run_queue: 0.4 };
    narrows_model::LiveCpus {
        available: window.available,
        used: window.used,
        run_queue: window.run_queue,
        sessions: Some(8.0),
        windows: vec![window],
    }
}

fn live_log(interval: Interval) -> LiveLog {
    let wait = LiveWait {
        kind: LiveWaitKind::Behind,
        backends: 4.1,
        interval_95: Some(interval),
        windows: vec![4.1; 6],
    };
    let count = Some(9.0);
    LiveLog {
        measurement: "log.live".into(),
        address: "postgres://monitor@db7:5432/shop".into(),
        version: "18.1".into(),
        counted: LiveCounts {
            interval_ns: 30e9,
            windows: 6,
            unseen_ns: count,
            commits: count,
            writers: count,
            log_bytes: count,
            records: count,
            full_pages: count,
            buffers_full: count,
            writes: count,
            written_bytes: count,
            write_ns: count,
            flushes: count,
            session_flushes: count,
            flush_ns: count,
            checkpoints: count,
        },
        waits: LiveWaits {
            holders: Some(narrows_model::LockHolders::default()),
            samples: 600,
            sessions: vec![wait.clone()],
            own: vec![wait],
            elsewhere: vec![("IO:DataFileRead".into(), 0.5)],
            locks: vec![("Lock:tuple".into(), 0.5)],
        },
        cpus: Some(live_cpus()),
        settings: vec![LiveSetting {
            name: "fsync".into(),
            value: "on".into(),
            source: "default".into(),
        }],
        synchronous_commit_of: vec!["app = off".into()],
        standbys: vec![LiveStandby {
            name: "db8".into(),
            state: Some("streaming".into()),
            sync_state: Some("sync".into()),
            write_lag_ns: Some(1.0),
            flush_lag_ns: Some(2.0),
            replay_lag_ns: Some(3.0),
        }],
        cost: LiveCost {
            statements: 604,
            waited_ns: 2e8,
            share: 0.004,
            unanswered: 1,
            unanswered_ns: 5e9,
            processors: Some(0.008),
            received_bytes: 480_000,
            questions_per_s: Some(4.5),
            paced_by: Some(LivePace::LogLines),
            log_lines_per_min: Some(590.0),
            logged_by: vec!["log_statement = all".into()],
        },
        unknown: vec![Unknown { what: "bytes of the log's writes".into(), needs: "18".into() }],
        verdict: Some(LiveVerdict {
            bound: LiveBound::FlushTime,
            grade: Grade::Likely,
            or_cpus: true,
            parts: vec![LivePart {
                kind: LiveWaitKind::Behind,
                per_commit_ns: 1e6,
                interval_95: Some(interval),
            }],
            wait_ns: Some(1e6),
            share: Some(0.7),
            gain_at_most: Some(2.3),
            busy: Some(0.5),
            model: Some(LiveModel {
                flush_ns: 1e6,
                from: "counted".into(),
                commits_per_flush: 2.0,
                low_ns: 1e6,
                high_ns: 1.5e6,
            }),
            sentences: vec!["A transaction that writes waits 1 ms.".into()],
            changes: vec!["larger transactions".into()],
        }),
    }
}

fn flush_test() -> FlushTest {
    FlushTest {
        source: "fsync.txt".into(),
        seconds_per_test: Some(5.0),
        direct: Some(true),
        rows: vec![FlushTestRow {
            kind: FlushTestKind::Durable,
            name: "fdatasync".into(),
            method: Some("fdatasync".into()),
            writes: 1,
            write_bytes: 8192,
            ops_per_s: Some(4000.0),
            mean_ns: Some(250_000.0),
        }],
    }
}

fn crash_test() -> CrashTest {
    CrashTest {
        id: "1f".into(),
        target: "/wal/records".into(),
        method: "fdatasync".into(),
        flushes: true,
        outcome: CrashTestOutcome::Refuted,
        sentences: vec!["1 acknowledged record is missing".into()],
        acknowledged: 10,
        checked: 10,
        missing: 1,
        torn: 0,
        lost: vec![LostRecord { stream: 0, number: 9, found: "older record".into() }],
        cut: None,
        told: Some("db7's plug".into()),
        host: Some("db7".into()),
        machine: Some("5e1f".into()),
        boot_id: Some("07c2".into()),
        mount_point: Some("/wal".into()),
    }
}

fn plan() -> Plan {
    Plan {
        quick: false,
        layers: Layer::ALL.to_vec(),
        data_dir: "/data".into(),
        wal_dir: "/wal".into(),
        database: DatabaseChoice::Url("postgres://db7/bench".into()),
        workloads: Vec::new(),
        sessions: 128,
        repeats: 6,
        seed: 1,
        file_bytes: 1 << 30,
        table_bytes: 1 << 30,
        shared_buffers_bytes: 1 << 30,
        server_cpus: vec![0],
        client_cpus: vec![1],
        steps: vec![PlannedStep {
            layer: Layer::Block,
            what: "random reads".into(),
            expected_s: 20.0,
            writes_bytes: 0,
        }],
    }
}

fn verdict(interval: Interval) -> Verdict {
    Verdict {
        workload: "update".into(),
        measurement: "database.update".into(),
        operating_point: OperatingPoint { sessions: 128, think_ns: 0.0, workers: None },
        throughput_per_s: 152e3,
        throughput_interval_95: Some(interval),
        latency_p99_open_ns: None,
        narrow: Bottleneck::CommitWait,
        or: Some(Bottleneck::Cpu),
        phrase: "COMMIT WAIT".into(),
        grade: Grade::Likely,
        reasons: vec!["not tested".into()],
        utilisation: Vec::new(),
        bounds: Vec::new(),
        sum: Some(Sum {
            kind: SumKind::Session,
            servers: 128.0,
            terms: vec![SumTerm { name: "flush".into(), ns_per_op: 645e3 }],
            predicted_per_s: 152e3,
            measured_per_s: 152e3,
            agrees: true,
            checked_to: Some(0.33),
        }),
        sharing: None,
        test: None,
        next: Vec::new(),
        gain_at_most: Some(1.59),
        gain_tested: None,
        standing: Some(observed::standing(interval)),
        what_if: vec![observed::what_if(interval)],
    }
}

fn calibration(interval: Interval) -> Calibration {
    Calibration {
        id: "block.calibrate.read.8k".into(),
        goal: CalibrationGoal {
            what: "8 KiB random reads".into(),
            block_bytes: 8192,
            read_share: 1.0,
            quantile: 0.99,
            limit_ns: 1_000_000,
            arrivals: "poisson".into(),
            beside: Some("a durable 8 KiB log stream".into()),
        },
        end: CalibrationEnd::Found,
        sentence: "62.0 k/s keep p99 within 1 ms".into(),
        rate_per_s: Some(62e3),
        interval_95: Some(interval),
        quantiles_ns: vec![0.8e6; 6],
        repeats: (6, 6),
        latency_mean_ns: Some(0.2e6),
        alone_ns: Some(90e3),
        ceiling_per_s: Some(81e3),
        ceiling_depth: Some(64),
        knee_per_s: Some(60e3),
        curve: vec![CurvePoint {
            order: 3,
            sentinel: false,
            asked_per_s: 60e3,
            achieved_per_s: 60e3,
            bounded: true,
            latency_mean_ns: Some(0.2e6),
            latency_p50_ns: Some(0.15e6),
            latency_p99_ns: Some(0.7e6),
            latency_p999_ns: None,
            lateness_p99_ns: Some(2e3),
            cpu_per_op_ns: Some(4e3),
        }],
        ramp: vec![DepthPoint {
            depth: 1,
            rate_per_s: 11e3,
            latency_mean_ns: Some(90e3),
            latency_p99_ns: None,
        }],
        cpu_per_op_ns: Some(4e3),
        burst_per_s: Some(80e3),
        thin: false,
        pooled: false,
        windows: 31,
        unusable_windows: 2,
        generator_per_s: Some(3e6),
        bound: Some("the drive's own time at this rate".into()),
        bandwidth_bytes_per_s: Some(4e9),
        bandwidth_depth: Some(4),
        process_bandwidth_bytes_per_s: Some(2e9),
        oracle: Some(OracleNumbers {
            max_iops: 62_000,
            max_mbps: 4000,
            latency_ms: 0,
            max_pmbps: None,
        }),
        rests_on: vec!["block.calibrate.read.8k.confirm.62000".into()],
        validity: Validity::Valid,
    }
}

#[test]
fn a_full_run_fits_the_committed_schema() {
    let (validator, run) = (validator(), written(&full()));
    let errors: Vec<String> = validator
        .iter_errors(&run)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn a_stopped_run_without_results_fits_it_too() {
    let mut run = full();
    run.completed = false;
    run.finished_at = None;
    run.measurements.clear();
    run.findings.clear();
    run.verdicts.clear();
    run.calibrations.clear();
    assert!(validator().is_valid(&written(&run)));
}

#[test]
fn what_no_version_writes_is_refused() {
    let validator = validator();
    let run = written(&full());
    for (pointer, wrong) in [
        ("/schema", json!("narrows.run/2")),
        ("/measurements", json!({})),
        ("/measurements/0/validity", json!("fine")),
        ("/measurements/0/layer", json!("network")),
        // What a writer makes of a figure that is not a number.
        ("/measurements/0/metrics/0/value", Value::Null),
        ("/plan/database", json!("mysql")),
        ("/hosts/0/clock_offset_ns", json!("0")),
    ] {
        let mut run = run.clone();
        *run.pointer_mut(pointer).expect("the full run has it") = wrong;
        assert!(!validator.is_valid(&run), "{pointer}");
    }
}
