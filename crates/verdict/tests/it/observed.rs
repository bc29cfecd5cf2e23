//! What is said of a server that was only looked at, and what is left open.

use crate::servers;
use crate::servers::{known, observed, set};
use narrows_model::{
    ActivityState, ActivityWhere, Bottleneck, ClassUse, Finding, Grade, HotProcess, IoLimit,
    LimitBasis, LimitShare, LiveSetting, LoadChange, LockHolder, LockHolders, Observation,
    ObservedCounts, ObservedProcesses, ObservedSessions, ProcessClass, ProgramUse, Provenance, Run,
    Severity, TimeAccount, Unit, Unknown, Verdict, metric,
};
use narrows_verdict::{Scenario, judge, propose, what_if};

const ID: &str = "database.observed";

/// A minute of it: 2000 transactions a second, half of which wrote, on 8 CPUs.
fn look() -> Observation {
    Observation {
        consumers: None,
        report: None,
        measurement: ID.into(),
        address: "postgres://app@db7:5432/shop".into(),
        version: "17.2".into(),
        interval_ns: 60e9,
        load_change: None,
        windows: 6,
        counted: ObservedCounts {
            commits: Some(120e3),
            writers: Some(60e3),
            checkpoint_writes: Some(900.0),
            session_writes: Some(100.0),
            ..ObservedCounts::default()
        },
        activity: Default::default(),
        sessions: Default::default(),
        processes: Some(processes(HotProcess {
            class: ProcessClass::Session,
            cpus: 0.4,
            share_of_windows: 0.5,
        })),
        settings: Vec::new(),
        build: Vec::new(),
        capacities_from: Vec::new(),
        cost: Default::default(),
        unknown: Vec::new(),
    }
}

fn processes(hot: HotProcess) -> ObservedProcesses {
    let used = |class, cpus| ClassUse { class, cpus, run_queue: None };
    ObservedProcesses {
        classes: vec![
            used(ProcessClass::Session, 1.2),
            used(ProcessClass::Autovacuum, 0.5),
            used(ProcessClass::LogWriter, 0.001),
        ],
        hot: Some(hot),
        machine_cpus: 2.2,
        kernel_cpus: Some(0.3),
        other_cpus: Some(0.2),
        unattributed_cpus: None,
        client_cpus: None,
        yielding_cpus: None,
        other_programs: Vec::new(),
        allowed_cpus: 8.0,
        quota_cpus: None,
        throttled_share: None,
        drive_read_bytes: None,
    }
}

fn measurement(run: &mut Run) -> &mut narrows_model::Measurement {
    run.measurements.iter_mut().find(|m| m.id == ID).expect("observed")
}

fn run(change: impl FnOnce(&mut Run, &mut Observation)) -> Run {
    let (mut run, mut look) = (observed(), look());
    change(&mut run, &mut look);
    run.observations.push(look);
    run
}

fn verdict(change: impl FnOnce(&mut Run, &mut Observation)) -> Verdict {
    let mut verdicts = judge(&run(change));
    assert_eq!(verdicts.len(), 1);
    verdicts.remove(0)
}

/// The sessions that are open are those at work: the clients keep nobody waiting.
fn busy(run: &mut Run) {
    set(measurement(run), metric::OPEN_SESSIONS, 4.0);
}

#[test]
fn who_has_idle_sessions_waits_for_its_clients_and_is_never_tested() {
    let run = run(|_, _| {});
    let found = &judge(&run)[0];
    assert_eq!((found.narrow, found.or, found.grade), (Bottleneck::Client, None, Grade::Likely));
    assert_eq!(
        found.phrase,
        "waits for its clients: 4.0 of 40.0 sessions active; the server's 8 CPUs 15 % used"
    );
    assert_eq!(propose(&run, ID), None, "somebody's server is left alone");
}

#[test]
fn of_a_mariadb_no_bottleneck_is_named_and_what_its_sessions_do_is_said() {
    let found = |at_work: f64| {
        verdict(|_, seen| {
            let mariadb = Some(narrows_model::MariaDbUse::default());
            seen.consumers = Some(narrows_model::Consumers { mariadb, ..Default::default() });
            seen.activity.samples = 300;
            seen.activity.found = vec![ActivityWhere {
                class: ProcessClass::Session,
                state: ActivityState::Running,
                processes: at_work,
                interval_95: None,
                windows: Vec::new(),
                events: Vec::new(),
            }];
            seen.sessions.open = Some(8.0);
        })
    };
    let busy = found(2.0);
    assert_eq!((busy.narrow, busy.or, busy.grade), (Bottleneck::Unknown, None, Grade::Undecided));
    assert_eq!(busy.phrase, "2.0 of 8 sessions active, mostly computing or reading");
    assert_eq!(busy.gain_at_most, None);
    assert!(busy.standing.is_some_and(|standing| standing.step.is_some()));
    assert_eq!(found(0.05).phrase, "nearly idle: 0.050 of 8 sessions active");
}

#[test]
fn what_the_clients_outweigh_is_still_held_against_the_servers_account() {
    let said = |found: &Verdict| {
        found.reasons.iter().any(|why| why.contains("what that time consists of"))
    };
    assert!(!said(&verdict(|_, _| {})));
    let found = verdict(|run, _| set(measurement(run), metric::ACTIVE_TIME_PER_OP, 1.6e6));
    assert_eq!((found.narrow, found.grade), (Bottleneck::Client, Grade::Likely));
    assert!(said(&found), "{:?}", found.reasons);
}

#[test]
fn statements_that_never_ended_are_missing_in_the_servers_account_and_that_is_no_missing_account() {
    let found = verdict(|run, _| set(measurement(run), metric::ACTIVE_TIME_PER_OP, 0.0));
    assert_eq!(found.grade, Grade::Undecided, "{:?}", found.reasons);
    assert!(!found.reasons.iter().any(|why| why.contains("does not count")), "{found:?}");
    let time = found.standing.and_then(|standing| standing.time).expect("its parts are known");
    assert_eq!((time.account, time.account_ns), (TimeAccount::Server, 0.0));
}

#[test]
fn a_queue_for_locks_is_not_hidden_by_a_pool_that_is_idle() {
    // 4 of 40 at work, of which so many stand in the queue.
    let queued = |share: f64| {
        verdict(|run, _| {
            let m = measurement(run);
            set(m, metric::WAIT_FLUSH_PER_OP, 0.0);
            set(m, metric::WAIT_OTHER_PER_OP, 0.0);
            set(m, metric::WAIT_LOCK_PER_OP, share * 2e6);
            set(m, metric::BACKEND_CPU_PER_OP, (1.0 - share) * 2e6);
        })
    };
    let found = queued(0.7);
    assert_eq!(
        (found.narrow, found.or),
        (Bottleneck::Client, Some(Bottleneck::Lock)),
        "{}",
        found.phrase
    );
    assert_eq!(found.grade, Grade::Undecided);
    assert!(found.reasons.iter().any(|why| why.contains("2.8 sessions queue for locks")));
    assert_eq!(queued(0.4).or, None, "it is the smaller part");
}

#[test]
fn cpus_with_room_are_not_named_before_a_queue_for_locks() {
    // 1.2 CPUs in use; of four sessions 2.2 stand in the queue. Without the run queue 2.35k/s.
    let with_cpus = |available: f64, throttled: f64| {
        verdict(|run, _| {
            busy(run);
            let m = measurement(run);
            set(m, metric::SERVER_CPUS_AVAILABLE, available);
            set(m, metric::THROTTLED_SHARE, throttled);
            set(m, metric::WAIT_FLUSH_PER_OP, 0.0);
            set(m, metric::WAIT_OTHER_PER_OP, 0.0);
            set(m, metric::RUN_QUEUE_PER_OP, 0.3e6);
            set(m, metric::WAIT_LOCK_PER_OP, 1.1e6);
            set(m, metric::BACKEND_CPU_PER_OP, 0.6e6);
        })
    };
    let room = with_cpus(1.3, 0.0);
    assert_eq!((room.narrow, room.or), (Bottleneck::Cpu, Some(Bottleneck::Lock)));
    assert_eq!(room.grade, Grade::Undecided);
    for (available, throttled) in [(1.24, 0.0), (1.3, 0.4)] {
        let full = with_cpus(available, throttled);
        assert_eq!((full.narrow, full.or), (Bottleneck::Cpu, None), "{:?}", full.reasons);
    }
}

#[test]
fn who_has_none_waits_for_the_largest_part_of_the_time() {
    let found = verdict(|run, _| busy(run));
    assert_eq!((found.narrow, found.grade), (Bottleneck::CommitWait, Grade::Likely));
    let standing = found.standing.expect("observed");
    let said = standing.sentences.join("\n");
    for part in [
        "A transaction is 2.00 ms in the server: flush 1.20 ms (60 %), CPU 600 µs (30 %)",
        "the server's own account says 2.00 ms",
        "On average 4.0 of 4.00 sessions are active.",
        "Closest to saturation: CPU, the server's 8 CPUs, 15 % in use; at most 6.7x the rate of now.",
        "Capacity unknown: drives, WAL. --capacities RUN uses those measured on this machine, --load-here measures them.",
        "CPUs in use: sessions 1.2, autovacuum 0.50, kernel threads and interrupts 0.30, others here 0.20.",
        "written by the checkpointer 90 %, backends themselves 10 %.",
    ] {
        assert!(said.contains(part), "`{part}` is missing in:\n{said}");
    }
}

#[test]
fn a_sum_that_the_servers_account_contradicts_leaves_it_open() {
    let found = verdict(|run, _| {
        busy(run);
        set(measurement(run), metric::ACTIVE_TIME_PER_OP, 2.2e6);
    });
    assert_eq!(found.grade, Grade::Undecided);
    assert!(found.reasons[0].contains("the sum differs"), "{:?}", found.reasons);
    // Without an account the samples have to do, and it is said.
    let found = verdict(|run, _| {
        busy(run);
        measurement(run).metrics.retain(|m| m.name != metric::ACTIVE_TIME_PER_OP);
    });
    assert_eq!((found.narrow, found.grade), (Bottleneck::CommitWait, Grade::Likely));
    assert!(found.reasons.iter().any(|why| why.contains("samples only")), "{:?}", found.reasons);
}

#[test]
fn cpu_time_outside_of_statements_is_no_part_of_them() {
    // 100 µs for taking requests in: the account of statements knows nothing of it.
    let found = verdict(|run, _| {
        busy(run);
        let m = measurement(run);
        set(m, metric::BACKEND_CPU_PER_OP, 700e3);
        set(m, metric::BETWEEN_STATEMENTS_PER_OP, 100e3);
    });
    let sum = found.sum.expect("all parts are known");
    assert!((sum.predicted_per_s / sum.measured_per_s - 1.0).abs() < 1e-9, "{sum:?}");
}

#[test]
fn a_queue_outside_of_statements_comes_off_the_queue_and_not_off_the_cpu_time() {
    // All CPUs busy with short statements: woken sessions wait for a CPU before the server knows of their request.
    let part = |found: &Verdict, name: &str| {
        let time = found.standing.as_ref()?.time.as_ref()?;
        time.parts.iter().find(|part| part.name == name).map(|part| part.ns_per_op)
    };
    let queued = |run: &mut Run| {
        busy(run);
        let m = measurement(run);
        set(m, metric::BACKEND_CPU_PER_OP, 700e3);
        set(m, metric::RUN_QUEUE_PER_OP, 900e3);
        set(m, metric::BETWEEN_STATEMENTS_PER_OP, 1000e3);
    };
    let found = verdict(|run, _| {
        queued(run);
        set(measurement(run), metric::QUEUE_BETWEEN_STATEMENTS_PER_OP, 900e3);
    });
    assert_eq!((part(&found, "CPU"), part(&found, "run queue")), (Some(600e3), None));
    let time = found.standing.as_ref().and_then(|standing| standing.time.as_ref());
    assert_eq!(time.map(|time| (time.summed_ns, time.account_ns)), Some((2e6, 2e6)));
    // A run that doesn't tell how much of it is which has the same sum.
    let found = verdict(|run, _| queued(run));
    assert_eq!((part(&found, "CPU"), part(&found, "run queue")), (None, Some(600e3)));
    let time = found.standing.as_ref().and_then(|standing| standing.time.as_ref());
    assert_eq!(time.map(|time| time.summed_ns), Some(2e6));
}

#[test]
fn a_flush_that_nobody_times_is_at_least_half_of_a_commits_wait() {
    // 1.2 ms of a transaction, every other of which commits: 2.4 ms a commit, for two flushes at most.
    let with = |layer_ns: f64, delay: &str| {
        verdict(|run, look| {
            busy(run);
            run.measurements.push(servers::flush(layer_ns));
            let (name, source) = ("commit_delay".to_string(), "configuration file".to_string());
            look.settings.push(LiveSetting { name, value: delay.into(), source });
        })
    };
    let slow = with(200e3, "0");
    assert_eq!(slow.narrow, Bottleneck::CommitInsideServer, "{:?}", slow.reasons);
    let said = "commit wait inside the server: its flush takes at least 6.0 times that of the log layer on that drive";
    assert_eq!(slow.phrase, said);
    // Not twice, or a wait that was asked for.
    assert_eq!(with(700e3, "0").narrow, Bottleneck::CommitWait);
    assert_eq!(with(200e3, "100").narrow, Bottleneck::CommitWait);
}

#[test]
fn what_nobody_saw_or_too_little_of_is_open() {
    let idle = verdict(|_, look| look.counted.commits = Some(19.0));
    assert_eq!(idle.grade, Grade::Undecided);
    assert!(idle.reasons[0].contains("only 19 transactions"), "{:?}", idle.reasons);
    let unknown = verdict(|run, _| {
        measurement(run).metrics.retain(|m| m.name != metric::OPEN_SESSIONS);
    });
    assert_eq!(unknown.grade, Grade::Undecided);
    assert!(unknown.reasons[0].contains("the number of open sessions "), "{:?}", unknown.reasons);
    // Nobody may see what sessions do: bounds by counters stay.
    let blind = verdict(|run, _| {
        measurement(run)
            .metrics
            .retain(|m| m.name != metric::SESSIONS && !m.name.starts_with("wait_"));
    });
    assert_eq!(blind.grade, Grade::Undecided);
    assert!(blind.bounds.iter().any(|bound| bound.resource == Bottleneck::Cpu), "{blind:?}");
    let nothing = verdict(|run, _| measurement(run).metrics.clear());
    assert_eq!(nothing.grade, Grade::Undecided);
}

#[test]
fn a_long_report_beside_others_is_not_what_they_wait_for() {
    let with = |class, share_of_sessions: f64| {
        verdict(|run, look| {
            busy(run);
            let m = measurement(run);
            set(m, metric::HOT_THREAD, 0.99);
            set(m, metric::BACKEND_CPU_PER_OP, 0.99 / share_of_sessions / 2000.0 * 1e9);
            let hot = HotProcess { class, cpus: 0.99, share_of_windows: 1.0 };
            look.processes = Some(processes(hot));
        })
    };
    let hot =
        |verdict: &Verdict| verdict.bounds.iter().any(|b| b.resource == Bottleneck::HotThread);
    assert!(!hot(&with(ProcessClass::Session, 0.3)), "others do most of the work");
    assert!(hot(&with(ProcessClass::Session, 0.8)), "it does most of the work");
    assert!(!hot(&with(ProcessClass::Autovacuum, 0.8)), "nobody waits for it");
    assert!(hot(&with(ProcessClass::LogWriter, 0.3)));
    assert!(!hot(&with(ProcessClass::LogSender, 0.3)), "no commit waits for the standby");
}

#[test]
fn what_others_leave_is_full_where_nothing_of_the_set_is_idle() {
    let with = |cpus: f64| {
        verdict(|run, look| {
            busy(run);
            let m = measurement(run);
            set_cpus(m, cpus, 0.6 * cpus);
            set(m, metric::WAIT_FLUSH_PER_OP, 0.0);
            set(m, metric::RUN_QUEUE_PER_OP, 1.2e6);
            // Time that the parts do not hold: no sum by the sessions.
            set(m, metric::ACTIVE_TIME_PER_OP, 2.8e6);
            look.processes.as_mut().unwrap().other_cpus = Some(0.6 * cpus);
        })
    };
    // 1.2 of 1.28 CPUs, 94 % of what is left; of the set 2.5 % are idle.
    let found = with(3.2);
    assert_eq!((found.narrow, found.grade), (Bottleneck::CpuTaken, Grade::Likely), "{found:?}");
    // 1.2 of 1.6: a tenth of the set is idle.
    assert_eq!(with(4.0).grade, Grade::Undecided);
}

fn set_cpus(m: &mut narrows_model::Measurement, all: f64, taken: f64) {
    for (name, cpus) in [
        (metric::SERVER_CPUS, all),
        (metric::SERVER_CPUS_TAKEN, taken),
        (metric::SERVER_CPUS_AVAILABLE, all - taken),
    ] {
        set(m, name, cpus);
    }
}

#[test]
fn the_quota_is_the_servers_and_not_ours() {
    let full = |run: &mut Run| {
        busy(run);
        // 1.2 CPUs in use; of 1.25.
        set(measurement(run), metric::SERVER_CPUS_AVAILABLE, 1.25);
    };
    let ours = verdict(|run, _| {
        full(run);
        run.hosts[0].platform.cgroup.cpu_quota_cpus = Some(1.25);
    });
    assert_ne!(ours.narrow, Bottleneck::CpuQuota, "{}", ours.phrase);
    let theirs = verdict(|run, look| {
        full(run);
        look.processes.as_mut().unwrap().quota_cpus = Some(1.25);
    });
    assert!(
        [Some(theirs.narrow), theirs.or].contains(&Some(Bottleneck::CpuQuota)),
        "{}",
        theirs.phrase
    );
}

#[test]
fn the_io_limit_of_the_servers_own_group_is_a_ceiling() {
    let throttled = |run: &mut Run| {
        busy(run);
        let m = measurement(run);
        m.metrics.push(known(metric::DEVICE_READS, 20e3));
        m.metrics.push(known(metric::OPERATIONS, 20e3));
        set(m, metric::WAIT_FLUSH_PER_OP, 0.0);
        set(m, metric::WAIT_READ_PER_OP, 1.2e6);
        let (device, kind) = ("254:0".to_string(), "riops".to_string());
        run.hosts[0].platform.cgroup.io_limits = vec![IoLimit { device, kind, value: 2020 }];
    };
    let found = verdict(|run, _| throttled(run));
    assert_eq!(
        (found.narrow, found.grade),
        (Bottleneck::IoLimit, Grade::Likely),
        "{}",
        found.phrase
    );
    // From afar the groups are those of this program.
    let afar = verdict(|run, look| {
        throttled(run);
        look.processes = None;
    });
    assert!(
        afar.bounds.iter().all(|bound| bound.resource != Bottleneck::IoLimit),
        "{:?}",
        afar.bounds
    );
}

#[test]
fn of_a_load_that_changed_the_verdict_says_that_it_is_of_the_time_after() {
    let change = LoadChange { before_ns: 60e9, rate_before: 26_412.0, rate_since: 2_000.0 };
    let found = verdict(|_, look| look.load_change = Some(change));
    let said = "the load changed while observed (transactions: 26.4k/s, then 2.00k/s): this verdict is of a second observation, after that";
    assert!(found.reasons.iter().any(|reason| reason == said), "{:?}", found.reasons);
    assert_eq!(found.grade, Grade::Likely);
    // At 2000 per second now: the load since the change was yet another one.
    let other = LoadChange { rate_since: 800.0, ..change };
    let found = verdict(|_, look| look.load_change = Some(other));
    let reasons = &found.reasons;
    assert!(reasons.iter().any(|why| why.contains("and again before it")), "{reasons:?}");
    // Without a whole second observation nothing is named.
    let (what, needs) = (Observation::SINCE_ITS_LOAD_CHANGED.to_string(), "more".to_string());
    let two = verdict(|_, look| look.unknown.push(Unknown { what, needs }));
    assert_eq!(two.grade, Grade::Undecided, "{two:?}");
    assert!(two.reasons.iter().any(|why| why.contains("two loads")), "{:?}", two.reasons);
    let steady = verdict(|_, _| {});
    assert!(
        !steady.reasons.iter().any(|reason| reason.contains("changed")),
        "{:?}",
        steady.reasons
    );
}

/// So many sessions wait for the log, by these names.
fn at_the_log(look: &mut Observation, events: &[(&str, f64)]) {
    look.activity.samples = 1200;
    let processes = events.iter().map(|(_, n)| n).sum();
    look.activity.found.push(ActivityWhere {
        class: ProcessClass::Session,
        state: ActivityState::Log,
        processes,
        interval_95: None,
        windows: vec![processes; 6],
        events: events.iter().map(|(name, n)| (name.to_string(), *n)).collect(),
    });
}

#[test]
fn a_wait_for_a_standby_is_told_from_one_for_the_log_here() {
    let found = verdict(|run, look| {
        busy(run);
        at_the_log(look, &[("IPC:SyncRep", 2.1), ("IO:WALSync", 0.3)]);
    });
    assert_eq!((found.narrow, found.grade), (Bottleneck::CommitWait, Grade::Likely));
    assert!(found.phrase.starts_with("commit wait for a standby: 88 % of"), "{}", found.phrase);
    let here = verdict(|run, look| {
        busy(run);
        at_the_log(look, &[("IPC:SyncRep", 0.3), ("IO:WALSync", 2.1)]);
    });
    assert!(!here.phrase.contains("standby"), "{}", here.phrase);
}

#[test]
fn a_faster_log_here_does_not_make_a_standby_answer_sooner() {
    let time = |standby: f64| {
        let run = run(|run, look| {
            busy(run);
            at_the_log(look, &[("IPC:SyncRep", standby), ("IO:WALSync", 2.4 - standby)]);
        });
        let scenario = Scenario::parse(&["log=2x"]).expect("a change");
        let (_, answer) = what_if(&run, &scenario, None).remove(0);
        let then = answer.then.expect("the law holds");
        (then.time_at_least_ns.expect("it is known"), answer.assumed.join("; "))
    };
    // Of 2 ms the flush is 1.2.
    let (all_here, assumed) = time(0.0);
    assert!((all_here - 1.4e6).abs() < 1.0, "{all_here}");
    assert!(!assumed.contains("standby"), "{assumed}");
    let (half, assumed) = time(1.2);
    assert!((half - 1.7e6).abs() < 1.0, "{half}");
    assert!(assumed.contains("standby's answer is assumed to stay"), "{assumed}");
}

#[test]
fn a_links_specification_is_a_ceiling_and_says_that_it_is_one() {
    let found = verdict(|run, _| {
        let m = measurement(run);
        m.metrics.push(known(metric::DEVICE_READ_BYTES, 20e9));
        m.metrics.push(known(metric::OPERATIONS, 20e3));
        m.limits.push(LimitShare {
            id: "pcie:nvme0n1:read".into(),
            basis: LimitBasis::Protocol,
            value: 4e9,
            unit: Unit::BytesPerS,
            share: 0.5,
            source: "PCIe".into(),
        });
    });
    let link = found.bounds.iter().find(|b| b.provenance == Provenance::Limit).expect("a ceiling");
    assert!((link.bound_per_s - 4000.0).abs() < 1e-6, "4 GB/s over 1 MB each: {link:?}");
    let nearest = found.standing.and_then(|standing| standing.nearest).expect("it is the nearest");
    assert_eq!((nearest.provenance, nearest.utilisation), (Provenance::Limit, 0.5));
}

#[test]
fn commits_that_nobody_waits_for_have_no_bound_at_the_log() {
    let with = |value: &str| {
        verdict(|run, look| {
            let source = "configuration file".to_string();
            let name = "synchronous_commit".to_string();
            look.settings.push(LiveSetting { name, value: value.into(), source });
            run.measurements.push(servers::step(64, 50e3));
            run.measurements.push(servers::step(1, 5e3));
        })
    };
    let log = |verdict: &Verdict| {
        verdict.bounds.iter().find(|b| b.label.starts_with("WAL")).map(|b| b.demand_per_op)
    };
    assert_eq!(log(&with("on")), Some(0.5), "half of the transactions wrote");
    assert_eq!(log(&with("off")), None);
}

#[test]
fn the_servers_own_names_of_waits_are_told() {
    let found = verdict(|run, look| {
        busy(run);
        look.activity.samples = 1200;
        look.sessions.most_behind_one = Some(12.0);
        look.activity.found.push(ActivityWhere {
            class: ProcessClass::Session,
            state: ActivityState::Lock,
            processes: 2.5,
            interval_95: None,
            windows: vec![2.5; 6],
            events: vec![("Lock:tuple".into(), 0.5), ("Lock:transactionid".into(), 2.0)],
        });
    });
    let said = found.standing.expect("observed").sentences.join("\n");
    assert!(
        said.contains(
            "Lock:transactionid 2.0, Lock:tuple 0.50; at most 12 sessions were blocked by one session"
        ),
        "{said}"
    );
}

/// The review's table: eight sessions of which 7.66 are at work, 21 ms of flush in each of 356.5 transactions a second, and `unused`
/// more that do nothing.
fn slow_flush(unused: f64) -> Verdict {
    verdict(|run, _| {
        let m = measurement(run);
        for (name, value) in [
            (metric::THROUGHPUT, 356.5),
            (metric::SESSIONS, 7.66),
            (metric::OPEN_SESSIONS, 8.0 + unused),
            (metric::PARTICIPATING_SESSIONS, 8.0),
            (metric::UNUSED_SESSIONS, unused),
            (metric::WAIT_FLUSH_PER_OP, 21.0e6),
            (metric::WAIT_OTHER_PER_OP, 0.05e6),
            (metric::BACKEND_CPU_PER_OP, 0.3e6),
            (metric::ACTIVE_TIME_PER_OP, 21.48e6),
        ] {
            set(m, name, value);
        }
    })
}

#[test]
fn sessions_that_do_nothing_change_no_name() {
    for unused in [0.0, 12.0, 50.0, 100.0] {
        let found = slow_flush(unused);
        let got = (found.narrow, found.or, found.grade);
        assert_eq!(
            got,
            (Bottleneck::CommitWait, None, Grade::Likely),
            "{unused} unused: {found:?}"
        );
        assert_eq!(found.operating_point.sessions, 8, "{unused} unused");
        let said = found.standing.expect("observed").sentences.join("\n");
        assert!(said.contains("7.7 of 8.00 sessions are active"), "{said}");
        let more = said.contains(&format!("{} more did nothing", unused as u32));
        assert_eq!(more, unused > 0.0, "{said}");
    }
}

#[test]
fn clients_that_think_are_told_from_sessions_that_did_nothing() {
    let found = verdict(|run, _| {
        set(measurement(run), metric::PARTICIPATING_SESSIONS, 30.0);
        set(measurement(run), metric::OPEN_SESSIONS, 130.0);
    });
    assert_eq!((found.narrow, found.grade), (Bottleneck::Client, Grade::Likely));
    assert!(
        found.phrase.starts_with(
            "waits for its clients: 4.0 of 30.0 sessions active; 100 of 130 sessions did nothing"
        ),
        "{}",
        found.phrase
    );
    let said = |found: &Verdict| {
        found.reasons.iter().any(|why| why.contains("did nothing at all is unknown"))
    };
    assert!(!said(&found), "{:?}", found.reasons);
    // A run from before it was counted is judged as it was, with a doubt where it may matter.
    let old = verdict(|_, _| {});
    assert_eq!((old.narrow, old.grade), (Bottleneck::Client, Grade::Likely));
    assert!(said(&old), "{:?}", old.reasons);
    let few = verdict(|run, _| set(measurement(run), metric::OPEN_SESSIONS, 15.0));
    assert!(!said(&few), "{:?}", few.reasons);
}

/// So many sessions that are at work 97 % of the time, and others that are now and then.
fn two_kinds(busy: f64, others: f64, others_at_work: f64) -> Verdict {
    verdict(|run, _| {
        let at_work = busy * 0.97 + others_at_work;
        let m = measurement(run);
        set(m, metric::SESSIONS, at_work);
        // By Little's law.
        set(m, metric::THROUGHPUT, at_work / 2e-3);
        set(m, metric::OPEN_SESSIONS, busy + others);
        set(m, metric::PARTICIPATING_SESSIONS, busy + others);
        set(m, metric::BUSY_SESSIONS, busy);
        set(m, metric::BUSY_SESSIONS_AT_WORK, busy * 0.97);
        set(m, metric::SERVER_CPUS_AVAILABLE, 64.0);
    })
}

#[test]
fn who_is_always_at_work_does_not_wait_for_a_client_however_many_others_do() {
    // 7.8 of 8.3 at work are of the eight: their round is the system.
    let found = two_kinds(8.0, 20.0, 0.5);
    let got = (found.narrow, found.or, found.grade);
    assert_eq!(got, (Bottleneck::CommitWait, None, Grade::Likely), "{:?}", found.reasons);
    let said = found.standing.expect("observed").sentences.join("\n");
    let kinds = "8.0 sessions are active 97 % of the time, 20 now and then";
    assert!(said.contains(kinds), "{said}");
    // A half of the work: neither kind is the system.
    let found = two_kinds(4.0, 200.0, 4.0);
    let got = (found.narrow, found.or, found.grade);
    assert_eq!(got, (Bottleneck::Client, Some(Bottleneck::CommitWait), Grade::Undecided));
    let kinds = "4.0 sessions are active 97 % of the time, 200 now and then";
    assert!(found.reasons.iter().any(|why| why == kinds), "{:?}", found.reasons);
    // One report beside many clients that think is not what these wait for.
    let found = two_kinds(1.0, 200.0, 12.0);
    let got = (found.narrow, found.or, found.grade);
    assert_eq!(got, (Bottleneck::Client, None, Grade::Likely), "{:?}", found.reasons);
}

#[test]
fn time_that_the_account_does_not_explain_carries_no_verdict() {
    let said = |found: &Verdict| {
        let why = found.reasons.iter().find(|why| why.starts_with("time not explained"));
        why.cloned()
    };
    let found = verdict(|run, _| {
        busy(run);
        set(measurement(run), metric::ACTIVE_TIME_PER_OP, 2.3e6);
    });
    assert_eq!(found.grade, Grade::Undecided);
    let why = "time not explained: the parts of a transaction add up to 2.00 ms, the server counts 2.30 ms";
    assert_eq!(said(&found).as_deref(), Some(why));
    // 8 % are the sum's own affair.
    let near = verdict(|run, _| {
        busy(run);
        set(measurement(run), metric::ACTIVE_TIME_PER_OP, 2.17e6);
    });
    assert_eq!(said(&near), None);
    // Processors that are full by the kernel's count are full whatever the time consists of.
    let full = verdict(|run, _| {
        busy(run);
        let m = measurement(run);
        set(m, metric::SERVER_CPUS, 1.25);
        set(m, metric::SERVER_CPUS_AVAILABLE, 1.25);
        set(m, metric::RUN_QUEUE_PER_OP, 1.2e6);
        set(m, metric::WAIT_FLUSH_PER_OP, 0.0);
        set(m, metric::ACTIVE_TIME_PER_OP, 4e6);
    });
    assert_eq!(said(&full), None, "{:?}", full.reasons);
    assert_eq!((full.narrow, full.grade), (Bottleneck::Cpu, Grade::Likely), "{:?}", full.reasons);
}

#[test]
fn clients_are_named_where_no_account_could_turn_it() {
    let with = |sessions: f64, account_ns: f64| {
        verdict(|run, _| {
            set(measurement(run), metric::PARTICIPATING_SESSIONS, sessions);
            set(measurement(run), metric::ACTIVE_TIME_PER_OP, account_ns);
        })
    };
    // A round of 20 ms: 2 ms of it in the server, or 2.8.
    let found = with(40.0, 2.8e6);
    assert_eq!(
        (found.narrow, found.grade),
        (Bottleneck::Client, Grade::Likely),
        "{:?}",
        found.reasons
    );
    // Of 5 ms 2 or 3: by one of the accounts it is most of it.
    let found = with(10.0, 3e6);
    assert_eq!((found.narrow, found.grade), (Bottleneck::Client, Grade::Undecided));
    assert!(found.reasons.iter().any(|why| why.starts_with("time not explained")), "{found:?}");
}

#[test]
fn clients_are_named_where_all_that_was_sampled_lies_between_statements() {
    let with = |account_ns: f64| {
        verdict(|run, look| {
            look.counted.active_ns = Some(account_ns * 120e3);
            let m = measurement(run);
            set(m, metric::PARTICIPATING_SESSIONS, 8.0);
            set(m, metric::OPEN_SESSIONS, 8.0);
            for wait in [metric::WAIT_FLUSH_PER_OP, metric::WAIT_OTHER_PER_OP] {
                set(m, wait, 0.0);
            }
            // More of it than the 0.6 ms of CPU time, and no run queue.
            set(m, metric::BETWEEN_STATEMENTS_PER_OP, 1e6);
            set(m, metric::SESSIONS, 0.02);
            set(m, metric::ACTIVE_TIME_PER_OP, account_ns);
        })
    };
    // A round of 4 ms.
    let found = with(10e3);
    assert_eq!((found.narrow, found.grade), (Bottleneck::Client, Grade::Likely), "{found:?}");
    assert!(found.reasons.iter().any(|why| why.contains("add up to 0 ns")), "{:?}", found.reasons);
    // Most of the round is in statements by the server's account.
    let found = with(3e6);
    assert_eq!(found.grade, Grade::Undecided, "{found:?}");
}

/// A look of 24 s in which nothing ended, with so many sessions in a state and 13 open.
fn still(found: &[(ActivityState, f64, &str)], sessions: ObservedSessions) -> Verdict {
    verdict(|run, look| {
        measurement(run).metrics.clear();
        set(measurement(run), metric::THROUGHPUT, 0.0);
        look.interval_ns = 24e9;
        look.counted.commits = Some(0.0);
        look.activity.samples = 400;
        look.activity.found = found
            .iter()
            .map(|(state, processes, event)| ActivityWhere {
                class: ProcessClass::Session,
                state: *state,
                processes: *processes,
                interval_95: None,
                windows: vec![*processes; 6],
                events: vec![(event.to_string(), *processes)],
            })
            .collect();
        look.sessions = ObservedSessions { open: Some(13.0), ..sessions };
    })
}

fn idle_in_transaction(behind: f64) -> LockHolder {
    LockHolder {
        pid: 4711,
        state: "idle in transaction".into(),
        state_age_ns: Some(26e9),
        transaction_age_ns: Some(27e9),
        waits_for: None,
        behind,
    }
}

#[test]
fn an_outage_is_read_at_a_glance() {
    let locked = [
        (ActivityState::Lock, 12.0, "Lock:transactionid"),
        (ActivityState::IdleInTransaction, 1.0, "Client:ClientRead"),
    ];
    let held = |holder| ObservedSessions { holder: Some(holder), ..Default::default() };
    let found = still(&locked, held(idle_in_transaction(12.0)));
    assert_eq!((found.narrow, found.grade), (Bottleneck::Lock, Grade::Undecided));
    assert_eq!(
        found.phrase,
        "locks: 12 of 13 sessions wait behind pid 4711, idle in transaction for 26.0 s"
    );
    let why = "no transaction was counted within the 24.0 s observed: there is no rate to compare the waits with";
    assert_eq!(found.reasons, [why]);
    // Who holds it for a moment only is nobody to accuse.
    let writer = LockHolder {
        pid: 9,
        state: "active".into(),
        state_age_ns: Some(1e6),
        transaction_age_ns: Some(1e6),
        waits_for: Some("IO:WALSync".into()),
        behind: 12.0,
    };
    let found = still(&locked, held(writer.clone()));
    assert_eq!(found.phrase, "locks: 12 of 13 sessions wait for Lock:transactionid");
    let long = LockHolder { transaction_age_ns: Some(40e9), ..writer };
    let found = still(&locked, held(long));
    let said = "12 of 13 sessions wait behind pid 9, active for 1.00 ms in IO:WALSync, its transaction open for 40.0 s";
    assert!(found.phrase.ends_with(said), "{}", found.phrase);
    let prepared = LockHolder { behind: 100.0, ..LockHolder::default() };
    let found = still(&locked, held(prepared));
    assert!(found.phrase.contains("100 or more of 13"), "{}", found.phrase);
    assert!(found.phrase.ends_with("a prepared transaction (pg_prepared_xacts names it)"));
}

#[test]
fn a_standby_that_is_gone_and_a_server_without_work_are_told_apart() {
    let waits = [(ActivityState::Log, 8.0, "IPC:SyncRep")];
    let senders = |n| ObservedSessions { log_senders: Some(n), ..Default::default() };
    let gone = still(&waits, senders(0.0));
    assert_eq!((gone.narrow, gone.grade), (Bottleneck::CommitWait, Grade::Undecided));
    let said = "commit wait: 8.0 of 13 sessions wait for a standby's answer, and none is connected";
    assert_eq!(gone.phrase, said);
    let there = still(&waits, senders(2.0));
    assert!(there.phrase.ends_with("with 2 WAL senders connected"), "{}", there.phrase);
    let idle = still(&[], ObservedSessions::default());
    assert_eq!((idle.narrow, idle.grade), (Bottleneck::Unknown, Grade::Undecided));
    assert_eq!(idle.phrase, "idle: none of 13 sessions was active");
    let reads = still(&[(ActivityState::Read, 3.0, "IO:DataFileRead")], Default::default());
    let said = "unknown: 3.0 of 13 sessions active, mostly reading data files, and no transaction was counted";
    assert_eq!(reads.phrase, said);
}

#[test]
fn who_keeps_a_lock_is_named_also_where_others_go_on() {
    let found = verdict(|run, look| {
        busy(run);
        look.activity.samples = 1200;
        look.sessions.most_behind_one = Some(11.0);
        look.sessions.holder = Some(idle_in_transaction(11.0));
        look.activity.found.push(ActivityWhere {
            class: ProcessClass::Session,
            state: ActivityState::Lock,
            processes: 11.0,
            interval_95: None,
            windows: vec![11.0; 6],
            events: vec![("Lock:transactionid".into(), 11.0)],
        });
    });
    let said = found.standing.expect("observed").sentences.join("\n");
    let who = "blocked by one session: pid 4711, idle in transaction for 26.0 s";
    assert!(said.contains(who), "{said}");
}

#[test]
fn a_neighbour_that_takes_what_is_idle_is_not_in_the_way_of_clients_that_think() {
    // 1.2 of 8 CPUs in use, and others on all the rest.
    let beside = |queue_ns: f64, open: f64| {
        verdict(|run, look| {
            let m = measurement(run);
            set(m, metric::OPEN_SESSIONS, open);
            set(m, metric::PARTICIPATING_SESSIONS, open);
            set(m, metric::SERVER_CPUS_TAKEN, 6.8);
            set(m, metric::SERVER_CPUS_AVAILABLE, 1.2);
            set(m, metric::WAIT_FLUSH_PER_OP, 0.0);
            set(m, metric::WAIT_OTHER_PER_OP, 0.0);
            set(m, metric::RUN_QUEUE_PER_OP, queue_ns);
            set(m, metric::SESSIONS, (0.6e6 + queue_ns) * 2e-6);
            set(m, metric::ACTIVE_TIME_PER_OP, 0.6e6 + queue_ns);
            look.processes.as_mut().unwrap().other_cpus = Some(6.8);
        })
    };
    // A round of 7 ms, of which 0.5 goes into waiting for a CPU: what others use they may leave.
    let found = beside(0.5e6, 14.0);
    let got = (found.narrow, found.or, found.grade);
    assert_eq!(got, (Bottleneck::Client, None, Grade::Likely), "{:?}", found.reasons);
    // Or 1 ms.
    let found = beside(1e6, 14.0);
    let got = (found.narrow, found.or, found.grade);
    assert_eq!(
        got,
        (Bottleneck::CpuTaken, Some(Bottleneck::Client), Grade::Undecided),
        "{:?}",
        found.reasons
    );
    let found = beside(3e6, 8.0);
    let got = (found.narrow, found.or, found.grade);
    assert_eq!(got, (Bottleneck::CpuTaken, None, Grade::Likely), "{:?}", found.reasons);
}

#[test]
fn the_others_have_names() {
    let found = verdict(|_, look| {
        let program = |name: &str, cpus| ProgramUse { name: name.into(), cpus };
        look.processes.as_mut().unwrap().other_programs =
            vec![program("pgbench", 0.17), program("sshd", 0.001)];
    });
    let said = found.standing.expect("observed").sentences.join("\n");
    assert!(said.contains("others here 0.20; programs beside it: pgbench 0.17."), "{said}");
}

#[test]
fn clients_on_its_machine_are_no_others() {
    // 1.2 of 1.8 CPUs are the server's, which are all that is left.
    let beside = |client_cpus: Option<f64>| {
        verdict(|run, look| {
            let m = measurement(run);
            for (name, value) in [
                (metric::OPEN_SESSIONS, 8.0),
                (metric::PARTICIPATING_SESSIONS, 8.0),
                (metric::SERVER_CPUS, 1.8),
                (metric::SERVER_CPUS_TAKEN, 0.6),
                (metric::SERVER_CPUS_AVAILABLE, 1.2),
                (metric::WAIT_FLUSH_PER_OP, 0.0),
                (metric::WAIT_OTHER_PER_OP, 0.0),
                (metric::RUN_QUEUE_PER_OP, 3e6),
                (metric::SESSIONS, 7.2),
                (metric::ACTIVE_TIME_PER_OP, 3.6e6),
            ] {
                set(m, name, value);
            }
            let processes = look.processes.as_mut().unwrap();
            (processes.other_cpus, processes.client_cpus) = (Some(0.6), client_cpus);
        })
    };
    assert_eq!(beside(None).narrow, Bottleneck::CpuTaken);
    let found = beside(Some(0.55));
    assert_eq!(
        (found.narrow, found.grade),
        (Bottleneck::Cpu, Grade::Likely),
        "{:?}",
        found.reasons
    );
    let said = found.standing.expect("observed").sentences.join("\n");
    assert!(said.contains("its clients here 0.55"), "{said}");
}

#[test]
fn a_quota_that_its_own_counters_prove_needs_no_samples() {
    let stopped = |periods: f64, suspect: &[&str]| {
        let mut run = run(|run, look| {
            busy(run);
            let m = measurement(run);
            set(m, metric::SERVER_CPUS_AVAILABLE, 1.2);
            // What would be left without the queue is far from binding.
            set(m, metric::RUN_QUEUE_PER_OP, 1.2e6);
            set(m, metric::WAIT_FLUSH_PER_OP, 0.0);
            set(m, metric::THROTTLED, 600.0);
            set(m, metric::THROTTLED_SHARE, periods);
            look.processes.as_mut().unwrap().quota_cpus = Some(1.25);
        });
        run.findings.extend(suspect.iter().map(|id| Finding {
            id: (*id).into(),
            measurement: Some(ID.into()),
            severity: Severity::Suspect,
            summary: String::new(),
            evidence: String::new(),
            advice: String::new(),
            places: Vec::new(),
        }));
        run.apply_findings();
        judge(&run).remove(0)
    };
    let few = stopped(1.0, &["observed-few-samples"]);
    assert_eq!((few.narrow, few.grade), (Bottleneck::CpuQuota, Grade::Likely), "{few:?}");
    assert!(few.reasons.iter().any(|why| why.contains("observed-few-samples")), "{few:?}");
    // What is wrong with it otherwise still counts.
    let short = stopped(1.0, &["observed-few-samples", "observed-too-short"]);
    assert_eq!(short.grade, Grade::Undecided, "{short:?}");
    // A quota that stopped it in a tenth of its periods is no proof.
    assert_eq!(stopped(0.1, &["observed-few-samples"]).grade, Grade::Undecided);
}

/// Eight sessions that update one row, 460 times a second: 15 ms in its queue and 2 ms in a flush, of which nobody knows whether
/// the row is locked through it.
fn one_row(holders: Option<LockHolders>) -> Verdict {
    verdict(|run, look| {
        let m = measurement(run);
        for (name, value) in [
            (metric::THROUGHPUT, 460.0),
            (metric::SESSIONS, 7.9),
            (metric::OPEN_SESSIONS, 8.0),
            (metric::PARTICIPATING_SESSIONS, 8.0),
            (metric::WAIT_LOCK_PER_OP, 15.0e6),
            (metric::WAIT_FLUSH_PER_OP, 2.0e6),
            (metric::WAIT_OTHER_PER_OP, 0.05e6),
            (metric::BACKEND_CPU_PER_OP, 0.2e6),
            (metric::ACTIVE_TIME_PER_OP, 17.25e6),
        ] {
            set(m, name, value);
        }
        look.sessions.holders = holders;
    })
}

#[test]
fn whoever_holds_a_lock_tells_through_what_it_is_held() {
    let of = |answers, in_flush, on_cpu| {
        one_row(Some(LockHolders { answers, in_flush, on_cpu, for_client: 0 }))
    };
    let got = |found: &Verdict| (found.narrow, found.or, found.grade);
    let nobody_asked = one_row(None);
    let open = (Bottleneck::Lock, Some(Bottleneck::CommitWait), Grade::Undecided);
    assert_eq!(got(&nobody_asked), open, "{nobody_asked:?}");
    let flush = of(18, 17, 1);
    assert_eq!(got(&flush), (Bottleneck::CommitWait, None, Grade::Likely), "{flush:?}");
    assert_eq!(
        flush.phrase,
        "commit wait, with locks held through the flush: their holder was in one in 17 of 18 samples"
    );
    let said = flush.standing.as_ref().expect("observed").sentences.join("\n");
    assert!(said.contains("the longest queue was in a WAL flush in 17, running in 1."), "{said}");
    // Without locks and flushes only 0.25 ms of a round are left.
    assert!(flush.gain_at_most.is_some_and(|gain| gain > 10.0), "{:?}", flush.gain_at_most);
    let cpu = of(18, 1, 17);
    assert_eq!(got(&cpu), (Bottleneck::Lock, None, Grade::Likely), "{cpu:?}");
    // Half and half, and five answers, tell nothing.
    assert_eq!(got(&of(18, 9, 9)), open);
    assert_eq!(got(&of(5, 5, 0)), open);
}

#[test]
fn a_quota_just_below_the_servers_cpus_is_their_end() {
    let full = |quota: Option<f64>, throttled: f64| {
        verdict(|run, look| {
            busy(run);
            let m = measurement(run);
            set(m, metric::SERVER_CPUS_AVAILABLE, quota.unwrap_or(8.0));
            set(m, metric::SERVER_CPUS_TAKEN, 0.02);
            set(m, metric::SERVER_CPU_PER_OP, 7.55 / 2000.0 * 1e9);
            set(m, metric::RUN_QUEUE_PER_OP, 1.2e6);
            set(m, metric::WAIT_FLUSH_PER_OP, 0.0);
            set(m, metric::THROTTLED, throttled);
            look.processes.as_mut().unwrap().quota_cpus = quota;
        })
    };
    let stopped = full(Some(7.6), 300.0);
    assert_eq!(stopped.narrow, Bottleneck::CpuQuota, "{stopped:?}");
    assert!(stopped.phrase.starts_with("CPU quota of 7.60 CPUs, 99 % used"), "{}", stopped.phrase);
    // One that never stopped it is not what ended it, and neither is none.
    assert_eq!(full(Some(7.6), 0.0).narrow, Bottleneck::Cpu);
    assert_eq!(full(None, 0.0).narrow, Bottleneck::Cpu);
}

#[test]
fn a_quota_that_stops_the_server_often_is_its_end_beside_others_that_take_as_much() {
    // Others take 0.5 of 8 CPUs in bursts, and leave 7.5 of a quota of 7.6.
    let full = |throttled_share: f64| {
        verdict(|run, look| {
            busy(run);
            let m = measurement(run);
            set(m, metric::SERVER_CPUS_AVAILABLE, 7.5);
            set(m, metric::SERVER_CPUS_TAKEN, 0.5);
            set(m, metric::SERVER_CPU_PER_OP, 7.45 / 2000.0 * 1e9);
            set(m, metric::RUN_QUEUE_PER_OP, 1.2e6);
            set(m, metric::WAIT_FLUSH_PER_OP, 0.0);
            set(m, metric::THROTTLED, 300.0);
            set(m, metric::THROTTLED_SHARE, throttled_share);
            look.processes.as_mut().unwrap().quota_cpus = Some(7.6);
        })
    };
    assert_eq!(full(0.4).narrow, Bottleneck::CpuQuota);
    assert_eq!(full(0.02).narrow, Bottleneck::Cpu);
}

#[test]
fn cpu_time_is_named_where_one_session_and_all_cpus_end_together() {
    // One session, 1.2 times a second 800 ms of CPU time on a server of one or of eight CPUs.
    let lone = |cpus: f64, elsewhere_ms: f64| {
        verdict(|run, _| {
            let m = measurement(run);
            let residence_ms = 800.0 + elsewhere_ms;
            for (name, value) in [
                (metric::THROUGHPUT, 1e3 / residence_ms),
                (metric::SESSIONS, 1.0),
                (metric::OPEN_SESSIONS, 1.0),
                (metric::PARTICIPATING_SESSIONS, 1.0),
                (metric::SERVER_CPUS, cpus),
                (metric::SERVER_CPUS_AVAILABLE, cpus),
                (metric::SERVER_CPUS_TAKEN, 0.0),
                (metric::BACKEND_CPU_PER_OP, 800e6),
                (metric::SERVER_CPU_PER_OP, 800e6),
                (metric::WAIT_FLUSH_PER_OP, 0.0),
                (metric::WAIT_OTHER_PER_OP, elsewhere_ms * 1e6),
                (metric::ACTIVE_TIME_PER_OP, residence_ms * 1e6),
            ] {
                set(m, name, value);
            }
        })
    };
    let got = |found: &Verdict| (found.narrow, found.or, found.grade);
    let told = |found: &Verdict| {
        found.reasons.iter().any(|why| why.contains("a faster CPU helps, more CPUs may not"))
    };
    let full = lone(1.0, 30.0);
    assert_eq!(got(&full), (Bottleneck::Cpu, None, Grade::Likely), "{full:?}");
    assert!(told(&full), "{full:?}");
    let less = lone(1.0, 130.0);
    assert_eq!(got(&less), (Bottleneck::CpuPerSession, None, Grade::Likely), "{less:?}");
    assert!(told(&less), "{less:?}");
    let wide = lone(8.0, 30.0);
    assert_eq!((wide.narrow, told(&wide)), (Bottleneck::CpuPerSession, false), "{wide:?}");
}

#[test]
fn a_server_whose_only_cpu_takes_the_samples_has_as_many_active_as_it_counts() {
    // 57 % of one CPU, and samples, which need that CPU, find nobody on it.
    let found = verdict(|run, _| {
        let m = measurement(run);
        for (name, value) in [
            (metric::THROUGHPUT, 10_000.0),
            (metric::SESSIONS, 0.005),
            (metric::OPEN_SESSIONS, 8.0),
            (metric::PARTICIPATING_SESSIONS, 8.0),
            (metric::SERVER_CPUS, 1.0),
            (metric::SERVER_CPUS_AVAILABLE, 1.0),
            (metric::SERVER_CPUS_TAKEN, 0.0),
            (metric::BACKEND_CPU_PER_OP, 57e3),
            (metric::SERVER_CPU_PER_OP, 57e3),
            (metric::WAIT_FLUSH_PER_OP, 0.0),
            (metric::WAIT_OTHER_PER_OP, 0.0),
            (metric::ACTIVE_TIME_PER_OP, 60e3),
        ] {
            set(m, name, value);
        }
    });
    let said = "waits for its clients: 0.60 of 8.00 sessions active; the server's 1 CPU 57 % used";
    assert_eq!(found.phrase, said);
    assert_eq!((found.narrow, found.grade), (Bottleneck::Client, Grade::Likely), "{found:?}");
    let standing = found.standing.expect("observed");
    assert_eq!(standing.sessions_at_work, Some(0.6));
    assert!(standing.sentences.join("\n").contains("On average 0.60 of 8.00 sessions are active"));
}

/// 1.4 ms of CPU time and 1.2 ms in reads, where the server counts 2 ms: 0.6 ms is in both.
fn copies_from_the_page_cache(runnable_ns: f64) -> Verdict {
    verdict(|run, _| {
        busy(run);
        let m = measurement(run);
        for (name, ns) in [
            (metric::BACKEND_CPU_PER_OP, 1.4e6),
            (metric::WAIT_READ_PER_OP, 1.2e6),
            (metric::WAIT_FLUSH_PER_OP, 0.0),
            (metric::WAIT_OTHER_PER_OP, 0.0),
        ] {
            set(m, name, ns);
        }
        m.metrics.push(known(metric::RUNNABLE_READ_PER_OP, runnable_ns));
    })
}

#[test]
fn pages_that_a_processor_copied_are_no_wait_as_far_as_the_kernel_saw_it() {
    let read_ns = |found: &Verdict| {
        let time = found.standing.as_ref().and_then(|standing| standing.time.as_ref()).unwrap();
        let read = time.parts.iter().find(|part| part.name == "read");
        (read.map_or(0.0, |part| part.ns_per_op), time.summed_ns)
    };
    let off = |found: &Verdict| found.reasons.iter().any(|why| why.contains("not explained"));
    // At most 0.9 ms was no wait: 0.6 of it was none, and the rest was one.
    let found = copies_from_the_page_cache(0.9e6);
    assert_eq!(read_ns(&found), (0.6e6, 2e6));
    assert!(!off(&found), "{:?}", found.reasons);
    assert_eq!((found.narrow, found.grade), (Bottleneck::CpuPerSession, Grade::Likely));
    // At most 0.3 ms was: another 0.3 ms is too much all the same, and what it is nobody knows.
    let found = copies_from_the_page_cache(0.3e6);
    assert_eq!(read_ns(&found), (0.9e6, 2.3e6));
    assert!(off(&found), "{:?}", found.reasons);
    assert_eq!(found.grade, Grade::Undecided);
}

/// A load that comes and goes: so much of the rate in each window, and by that much less time and CPU time for each transaction.
const LOAD: [f64; 6] = [0.88, 1.1, 0.94, 1.12, 0.9, 1.06];

/// Scatters a figure by its windows, with the interval that these give.
fn scatter(run: &mut Run, name: narrows_model::Metric, by: [f64; 6]) {
    let metric = measurement(run).metrics.iter_mut().find(|m| m.name == name).expect("is there");
    metric.samples = by.map(|share| metric.value * share).to_vec();
    metric.interval_95 = narrows_stats::interval_95(&metric.samples);
}

/// Four sessions mostly in flushes, whose limit is 2.00k/s, and CPUs whose limit is 2.23k/s, at 1.43k/s with the queue for CPUs; CPU time scatters as given.
fn two_limits(cpu_by: [f64; 6]) -> Verdict {
    two_limits_under(LOAD, cpu_by)
}

fn two_limits_under(load: [f64; 6], cpu_by: [f64; 6]) -> Verdict {
    verdict(|run, _| {
        busy(run);
        set(measurement(run), metric::SERVER_CPUS_AVAILABLE, 1.34);
        set(measurement(run), metric::THROUGHPUT, 4.0 / 2.8e-3);
        set(measurement(run), metric::RUN_QUEUE_PER_OP, 0.8e6);
        set(measurement(run), metric::ACTIVE_TIME_PER_OP, 2.8e6);
        let times = load.map(|load| 1.0 / load);
        scatter(run, metric::THROUGHPUT, load);
        for time in [
            metric::WAIT_FLUSH_PER_OP,
            metric::WAIT_OTHER_PER_OP,
            metric::BACKEND_CPU_PER_OP,
            metric::RUN_QUEUE_PER_OP,
            metric::ACTIVE_TIME_PER_OP,
        ] {
            scatter(run, time, times);
        }
        scatter(run, metric::SERVER_CPU_PER_OP, cpu_by);
    })
}

#[test]
fn limits_that_scatter_together_are_told_apart_window_by_window() {
    let together = two_limits(LOAD.map(|load| 1.0 / load));
    assert_eq!(
        (together.narrow, together.or),
        (Bottleneck::CommitWait, None),
        "{:?}",
        together.reasons
    );
    assert_eq!(together.grade, Grade::Likely);
    // The same figures in windows that have nothing to do with each other.
    let mut apart = LOAD;
    apart.rotate_left(1);
    let apart = two_limits(apart.map(|load| 1.0 / load));
    assert_eq!((apart.or, apart.grade), (Some(Bottleneck::Cpu), Grade::Undecided));
    assert!(apart.reasons[0].contains("too close to tell apart"), "{:?}", apart.reasons);
}

#[test]
fn windows_between_which_the_load_changed_tell_nothing_apart() {
    let load = [1.4, 1.5, 1.45, 0.6, 0.55, 0.5];
    let changed = two_limits_under(load, load.map(|load| 1.0 / load));
    assert_eq!((changed.or, changed.grade), (Some(Bottleneck::Cpu), Grade::Undecided));
}

#[test]
fn a_server_that_is_stopped_from_outside_does_not_wait_for_its_clients() {
    // A fifth of each session's round in the queue for CPUs of which 85 % are idle: all 40 woken together would queue for 1.2 ms.
    let queued =
        |ns: f64| verdict(move |run, _| set(measurement(run), metric::RUN_QUEUE_PER_OP, ns));
    let stopped = queued(4e6);
    assert_eq!((stopped.narrow, stopped.grade), (Bottleneck::Client, Grade::Undecided));
    let said = "sessions wait for a CPU for 20 % of their time while 85 % of the CPUs are idle";
    assert!(stopped.reasons.iter().any(|why| why.contains(said)), "{:?}", stopped.reasons);
    // As much as such a load queues by chance.
    assert_eq!(queued(0.2e6).grade, Grade::Likely);
    let throttled = verdict(|run, _| {
        set(measurement(run), metric::RUN_QUEUE_PER_OP, 4e6);
        set(measurement(run), metric::THROTTLED, 3.0);
    });
    assert!(!throttled.reasons.iter().any(|why| why.contains(said)), "a quota explains it");
}

#[test]
fn sessions_that_are_woken_together_queue_for_cpus_that_are_idle_in_the_mean() {
    // Four sessions, 200 µs of one CPU each, 40 % busy: random arrivals queue for 133 µs, all four together for 300 µs.
    let said = |cpus: f64, queue_ns: f64| {
        let found = verdict(|run, _| {
            busy(run);
            set(measurement(run), metric::SERVER_CPUS_AVAILABLE, cpus);
            set(measurement(run), metric::SERVER_CPU_PER_OP, 0.2e6);
            set(measurement(run), metric::RUN_QUEUE_PER_OP, queue_ns);
        });
        found.reasons.iter().any(|why| why.contains("no counter shows what keeps them from it"))
    };
    assert!(!said(1.0, 0.5e6) && said(1.0, 0.6e6));
    // Each on a CPU of its own waits for nobody.
    assert!(said(4.0, 0.3e6));
}

/// Four sessions of which each transaction takes so much of a CPU and of a flush, and CPUs that allow 2.33k/s, at 2.00k/s.
fn cpus_used_to_six_sevenths(flush_ns: f64) -> Verdict {
    verdict(move |run, _| {
        busy(run);
        set(measurement(run), metric::SERVER_CPUS_AVAILABLE, 1.4);
        set(measurement(run), metric::WAIT_FLUSH_PER_OP, flush_ns);
        set(measurement(run), metric::WAIT_OTHER_PER_OP, 0.0);
        set(measurement(run), metric::RUN_QUEUE_PER_OP, 1.4e6 - flush_ns);
    })
}

#[test]
fn a_limit_that_is_nearly_reached_is_named_where_no_other_is_within_reach() {
    // Without the run queue 850 µs: 4.71k/s, more than twice what the CPUs allow.
    let far = cpus_used_to_six_sevenths(0.25e6);
    assert_eq!((far.narrow, far.or, far.grade), (Bottleneck::Cpu, None, Grade::Likely));
    let said = |found: &Verdict| found.reasons.iter().any(|why| why.contains("only 86 % busy"));
    assert!(said(&far), "{:?}", far.reasons);
    // 1.1 ms: 3.64k/s.
    let near = cpus_used_to_six_sevenths(0.5e6);
    assert_eq!((near.narrow, near.grade), (Bottleneck::Cpu, Grade::Undecided));
    assert!(near.or.is_some() && said(&near), "{near:?}");
}
