use narrows_model::{
    Activity, Captured, ConsumerKind, Consumers, DurabilityWord, HorizonHolder, HorizonKind,
    HostRole, IndexUse, Layer, LiveCost, LiveCounts, LiveStandby, LiveWaits, ObservedCounts,
    ObservedProcesses, ObservedSessions, OtherProgram, Placement, PlanNode, PlannedStep,
    ProgramUse, QueuedSession, Reserves, Role, SampledConsumers, SampledGroup, SequenceUse,
    Severity, StatementFigures, StatementPlan, StatementStatistics, StatementUse, TableUse,
    TriedIndex, UnindexedKey, Validity,
};
use serde_json::json;

use super::*;
use crate::new_run::testing::empty_run;

/// Names of a house, in every field that can have one.
const PLANTED: [&str; 29] = [
    "db7",
    "acme",
    "alice",
    "shopdb",
    "6543",
    "10.1.2.3",
    "beta",
    "gamma",
    "delta",
    "nfs9",
    "epsilon",
    "zeta",
    "eta-standby",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "mu-agent",
    "nu-role",
    "0123abcd",
    "boot-77",
    "xi-label",
    "omicron",
    "pi-host",
    "rho_",
    "sigma-app",
    "tau_column",
    "upsilon-slot",
    "phi-worker",
];

fn set(name: &str, value: &str) -> LiveSetting {
    LiveSetting { name: name.into(), value: value.into(), source: "configuration file".into() }
}

fn machine() -> Platform {
    let file_system = FileSystem {
        kind: "nfs4".into(),
        mount_point: "/srv/acme".into(),
        source: "nfs9:/epsilon".into(),
        options: ["rw", "noatime", "addr=10.1.2.3", "rsize=1048576", "data=/zeta"]
            .map(String::from)
            .into(),
        ..FileSystem::default()
    };
    Platform {
        hostname: Some("db7.acme.example".into()),
        machine: Some("0123abcd".into()),
        boot_id: Some("boot-77".into()),
        product: Some("PowerEdge R760".into()),
        roles: vec![RolePath {
            role: Role::Data,
            path: "/srv/acme/beta".into(),
            file_system,
            devices: Vec::new(),
        }],
        databases: vec![RunningDatabase {
            kind: "PostgreSQL".into(),
            pid: 4711,
            data_dir: Some("/srv/acme/gamma".into()),
            shares_role: Vec::new(),
        }],
        captured: Some(Captured {
            at: "2026-11-20T14:02:00Z".into(),
            version: "0.1.0".into(),
            privileged: true,
            answers: vec!["/srv/delta/x".into()],
        }),
        unknown: vec![Unknown {
            what: "drives under /srv/acme/beta/sub".into(),
            needs: "GRANT pg_monitor TO alice".into(),
        }],
        ..Platform::default()
    }
}

const ADDRESS: &str = "postgres://alice@10.1.2.3:6543/shopdb";

fn observation() -> Observation {
    Observation {
        consumers: Some(consumers()),
        report: None,
        measurement: "database.observed".into(),
        address: ADDRESS.into(),
        version: "15.18".into(),
        interval_ns: 6e10,
        load_change: None,
        windows: 6,
        counted: ObservedCounts::default(),
        activity: Activity::default(),
        sessions: ObservedSessions::default(),
        processes: Some(ObservedProcesses {
            classes: Vec::new(),
            hot: None,
            machine_cpus: 1.0,
            kernel_cpus: None,
            other_cpus: None,
            unattributed_cpus: None,
            client_cpus: None,
            yielding_cpus: None,
            other_programs: vec![ProgramUse { name: "mu-agent".into(), cpus: 0.5 }],
            allowed_cpus: 2.0,
            quota_cpus: None,
            throttled_share: None,
            drive_read_bytes: None,
        }),
        settings: vec![
            set("cluster_name", "theta"),
            set("port", "6543"),
            set("synchronous_standby_names", "eta-standby"),
            set("data_directory", "/srv/acme/gamma"),
            set("work_mem", "64MB"),
        ],
        build: vec![
            ("CFLAGS".into(), "-O2".into()),
            ("CONFIGURE".into(), "--prefix=/opt/iota".into()),
        ],
        capacities_from: vec!["run 7f3a of db7.acme.example, in /srv/kappa".into()],
        cost: LiveCost::default(),
        unknown: Vec::new(),
    }
}

fn consumers() -> Consumers {
    let text = Some("SELECT * FROM rho_accounts WHERE id = $1".to_string());
    let group = |kind, name: &str| SampledGroup {
        kind,
        name: name.into(),
        active: 1.0,
        interval_95: None,
        states: Vec::new(),
        events: Vec::new(),
    };
    Consumers {
        database: "shopdb".into(),
        statements: Some(StatementStatistics {
            list: vec![StatementUse {
                id: "-42".into(),
                user: "alice".into(),
                database: "shopdb".into(),
                text: text.clone(),
                took: StatementFigures::default(),
                before: None,
            }],
            ..StatementStatistics::default()
        }),
        sampled: Some(SampledConsumers {
            groups: vec![
                group(ConsumerKind::Statement, "-42"),
                group(ConsumerKind::User, "alice"),
                group(ConsumerKind::Database, "shopdb"),
                group(ConsumerKind::Application, "sigma-app"),
                group(ConsumerKind::Client, "10.1.2.3"),
            ],
            texts: vec![("-42".into(), "SELECT * FROM rho_accounts".into())],
            ..SampledConsumers::default()
        }),
        tables: vec![TableUse { name: "public.rho_accounts".into(), ..TableUse::default() }],
        unindexed_keys: vec![UnindexedKey {
            name: "rho_accounts_fkey".into(),
            table: "public.rho_accounts".into(),
            columns: "tau_column".into(),
            refers_to: "public.rho_owners".into(),
            rows_gone: 1.0,
        }],
        plans: vec![StatementPlan {
            id: "-42".into(),
            nodes: vec![PlanNode {
                kind: "Index Scan".into(),
                table: Some("public.rho_accounts".into()),
                index: Some("rho_accounts_key".into()),
                index_condition: Some("(tau_column = $1)".into()),
                filter: Some("(tau_column = $1)".into()),
                filtered_equal: vec!["tau_column".into()],
                ..PlanNode::default()
            }],
            tried: Some(TriedIndex {
                table: "public.rho_accounts".into(),
                columns: "tau_column".into(),
                ..TriedIndex::default()
            }),
            ..StatementPlan::default()
        }],
        indexes: vec![IndexUse {
            name: "public.rho_accounts_key".into(),
            table: "public.rho_accounts".into(),
            columns: "tau_column".into(),
            ..IndexUse::default()
        }],
        all_indexes: None,
        sequences: vec![SequenceUse {
            name: "public.rho_sequence".into(),
            table: "public.rho_accounts".into(),
            column: "tau_column".into(),
            ..SequenceUse::default()
        }],
        lock_queue: vec![QueuedSession {
            pid: 4711,
            table: Some("public.rho_accounts".into()),
            user: "alice".into(),
            application: "sigma-app".into(),
            backend_type: "phi-worker".into(),
            text: text.clone(),
            ..QueuedSession::default()
        }],
        lock_queue_age_ns: None,
        horizon: vec![HorizonHolder {
            kind: HorizonKind::Slot,
            name: "upsilon-slot".into(),
            text,
            ..HorizonHolder::default()
        }],
        reserves: Some(Reserves {
            oldest_database: Some(("shopdb".into(), 1e9)),
            unread_slots: vec![("upsilon-slot".into(), 1e9)],
            ..Reserves::default()
        }),
        mariadb: None,
    }
}

fn live_log() -> LiveLog {
    LiveLog {
        measurement: "log.live".into(),
        address: "postgres://alice@/shopdb?host=/run/lambda&port=6543".into(),
        version: "15.18".into(),
        counted: LiveCounts::default(),
        waits: LiveWaits::default(),
        cpus: None,
        settings: vec![set("synchronous_standby_names", "eta-standby")],
        synchronous_commit_of: vec!["nu-role = off".into(), "alice in shopdb = local".into()],
        standbys: vec![LiveStandby {
            name: "eta-standby".into(),
            state: Some("streaming".into()),
            sync_state: None,
            write_lag_ns: None,
            flush_lag_ns: None,
            replay_lag_ns: None,
        }],
        cost: LiveCost::default(),
        unknown: Vec::new(),
        verdict: None,
    }
}

fn measurement() -> Measurement {
    let mut m = Measurement::new("log.commit.1", Layer::Log);
    m.workload.insert(condition::FOLDER, "/srv/acme/beta");
    m.workload.insert(condition::ROLE, "data");
    m.conditions.insert(condition::DEVICE, "nvme0n1");
    m.conditions.insert(condition::FILE, "/srv/acme/beta/xi-label");
    m.conditions.insert(condition::ENCRYPTION, "TLS 1.3, certificate of 10.1.2.3 verified");
    m.conditions.insert(condition::FIRST_ERROR, "cannot write /mnt/omicron/file: full");
    m.conditions.insert(condition::SERVER_BUILD, json!({"CC": "gcc", "CONFIGURE": "/opt/iota"}));
    m.conditions.add_setting("port", "6543");
    m.conditions.add_setting("ssl_cert_file", "/opt/iota/server.crt");
    m.conditions.add_setting("work_mem", "4MB");
    let settings = json!({"cluster_name": "theta", "log_directory": "/var/iota", "fsync": "on", "archive_command": "rsync %p acme@nfs9:x"});
    m.conditions.insert(condition::SERVER_SETTINGS, settings);
    m
}

fn planted() -> Run {
    let mut run = empty_run(&[Layer::Database]);
    run.command = [
        "/srv/kappa/bin/narrows",
        "log",
        "postgres",
        "postgres://alice@db7/shopdb",
        "--for",
        "60s",
        "--data",
        "/srv/acme",
        "--wal=/srv/delta",
        "--quick",
        "--format=json",
        "-o",
        "kappa",
    ]
    .map(String::from)
    .into();
    run.plan = Plan {
        data_dir: "/srv/acme/beta".into(),
        wal_dir: "/srv/delta".into(),
        database: DatabaseChoice::Url(ADDRESS.into()),
        steps: vec![PlannedStep {
            layer: Layer::Log,
            what: "append to /srv/delta/wal".into(),
            expected_s: 1.0,
            writes_bytes: 0,
        }],
        ..run.plan
    };
    run.hosts[0].platform = machine();
    run.hosts.push(Host {
        role: HostRole::Client,
        platform: Platform { hostname: Some("pi-host".into()), ..Platform::default() },
        clock_offset_ns: 0,
    });
    run.observations = vec![observation()];
    run.live_logs = vec![live_log()];
    run.measurements = vec![measurement()];
    run.findings = vec![Finding {
        id: Finding::id_of_not_measured("block"),
        severity: Severity::Note,
        measurement: None,
        summary: "cannot create a folder in /srv/acme/beta".into(),
        evidence: "db7.acme.example refuses".into(),
        advice: "ask alice".into(),
        places: Vec::new(),
    }];
    run.crash_tests = vec![crash_test()];
    let program = |name: &str, kernel| OtherProgram {
        name: name.into(),
        kernel,
        cpus: 0.5,
        read_bytes_per_s: None,
        write_bytes_per_s: None,
    };
    run.other_programs = vec![program("mu-agent", false), program("drbd_r_mu-agent", true)];
    run.flush_tests = vec![FlushTest {
        source: "/srv/kappa/fsync.txt".into(),
        seconds_per_test: None,
        direct: None,
        rows: Vec::new(),
    }];
    run.comparison = Some(comparison());
    run
}

fn crash_test() -> CrashTest {
    CrashTest {
        id: "77".into(),
        target: "/srv/acme/beta/crash".into(),
        method: "fdatasync".into(),
        flushes: true,
        outcome: narrows_model::CrashTestOutcome::Shown,
        sentences: vec!["written by pi-host to /srv/acme/beta/crash".into()],
        acknowledged: 1,
        checked: 1,
        missing: 0,
        torn: 0,
        lost: Vec::new(),
        cut: Some("pi-host started again".into()),
        told: None,
        host: Some("pi-host".into()),
        machine: Some("0123abcd".into()),
        boot_id: Some("boot-77".into()),
        mount_point: Some("/srv/acme".into()),
    }
}

fn comparison() -> Comparison {
    Comparison {
        workload: "update".into(),
        sessions: 8,
        work: None,
        ceiling: None,
        placements: vec![Placement {
            name: "wal_1".into(),
            folder: "/srv/delta".into(),
            file_system: "nfs4 on nfs9:/epsilon".into(),
            in_memory: false,
            unseen: None,
            durability: DurabilityWord::NotShown,
            durability_sentence: "nobody knows what nfs9:/epsilon does".into(),
            ladder: Vec::new(),
            emulated: None,
            predicted: None,
            measured: None,
            measured_over_predicted: None,
            measured_over_predicted_95: None,
            agrees: None,
            confirms: None,
            reason: Some("/srv/delta is full".into()),
            validity: Validity::Valid,
        }],
        sentences: vec!["put the log on /srv/delta".into()],
    }
}

#[test]
fn no_planted_name_is_in_the_file_and_the_same_names_are_the_same_still() {
    let planted = planted();
    let named = planted.to_json();
    for name in PLANTED {
        assert!(named.contains(name), "the plant has {name}");
    }
    let address = Address::parse(ADDRESS).unwrap();
    let anonymous = Anonymous::of(Some(&address), &[]);
    let run = anonymous.run(&planted);
    let text = run.to_json();
    for name in PLANTED {
        assert!(!text.contains(name), "{name} in {text}");
    }
    assert!(run.anonymous && Run::from_json(&text).unwrap() == run);
    // What figures mean stays, and what is one thing is one thing.
    for kept in [
        "PowerEdge R760",
        "nvme0n1",
        "15.18",
        "64MB",
        "\"4MB\"",
        "nfs4",
        "\"data\"",
        "rsize=1048576",
    ] {
        assert!(text.contains(kept), "{kept} in {text}");
    }
    let role = &run.hosts[0].platform.roles[0];
    assert_eq!(role.path, run.plan.data_dir);
    assert_eq!(run.measurements[0].workload.get(condition::FOLDER), Some(role.path.as_str()));
    assert_eq!(Some(&role.file_system.mount_point), run.crash_tests[0].mount_point.as_ref());
    assert_eq!(run.hosts[0].platform.machine, run.crash_tests[0].machine);
    assert_eq!(run.observations[0].address, "postgres://user-1@host-1/database-1");
    assert_eq!(run.plan.database, DatabaseChoice::Url(run.observations[0].address.clone()));
    let command = run.command.join(" ");
    assert_eq!(
        command,
        "narrows log postgres … --for 60s --data … --wal=… --quick --format=json -o …"
    );
    // Each time in the same way: a run is kept many times.
    assert_eq!(anonymous.run(&planted), run);
}

#[test]
fn a_mariadb_has_neither_its_user_nor_its_socket() {
    let address = "mariadb://alice@/?socket=/srv/acme/beta.sock";
    let mut run = planted();
    run.plan.database = DatabaseChoice::Url(address.into());
    run.observations[0].address = address.into();
    run.observations[0].unknown = vec![Unknown {
        what: "sessions and transactions of others".into(),
        needs: "GRANT PROCESS ON *.* TO alice@localhost".into(),
    }];
    let consumers = run.observations[0].consumers.as_mut().unwrap();
    consumers.mariadb = Some(narrows_model::MariaDbUse::default());
    let kept = Anonymous::default().run(&run);
    assert_eq!(kept.observations[0].address, "mariadb://user-1@/?socket=/folder-3");
    let text = serde_json::to_string(&kept).unwrap();
    for name in ["alice", "acme", "beta.sock", "rho_accounts", "10.1.2.3"] {
        assert!(!text.contains(name), "{name} in {text}");
    }
}

#[test]
fn of_a_command_line_its_own_words_stay_whatever_a_database_is_called() {
    for (typed, kept) in [
        ("/opt/narrows observe shop --for 5min", "narrows observe … --for 5min"),
        ("narrows observe postgres", "narrows observe …"),
        ("narrows log postgres shop", "narrows log postgres …"),
        ("narrows log shop", "narrows … …"),
        ("narrows run --quick -o/srv/acme", "narrows run --quick -o…"),
        ("narrows run -o=/srv/acme --units=iec", "narrows run -o=… --units=iec"),
        ("narrows run --data /srv --layers log,block", "narrows run --data … --layers log,block"),
        ("narrows --for", "narrows --for"),
    ] {
        let mut command: Vec<String> = typed.split(' ').map(str::to_string).collect();
        of_command(&mut command);
        assert_eq!(command.join(" "), kept);
    }
}

#[test]
fn the_screen_loses_the_names_that_are_known_and_keeps_its_words() {
    let anonymous = Anonymous::of(Some(&Address::parse(ADDRESS).unwrap()), &[]);
    anonymous.learn(&planted().plan, &machine(), &[]);
    let said = anonymous.text(&format!("look at {ADDRESS}, data in /srv/acme/beta, as alice"));
    assert_eq!(said, "look at postgres://user-1@host-1/database-1, data in /folder-1, as user-1");
    let error =
        crate::failure::Failure::hinted(format!("{ADDRESS} is gone"), "start db7.acme.example");
    let said = crate::failure::render(&anonymous.error(&error));
    assert_eq!(said, "error: postgres://user-1@host-1/database-1 is gone\nhint: start host-2");
}

#[test]
fn a_plan_for_programs_has_no_names_either() {
    let anonymous = Anonymous::of(Some(&Address::parse(ADDRESS).unwrap()), &[]);
    let plan = planted().plan;
    anonymous.learn(&plan, &machine(), &[]);
    let checks = vec![format!("{ADDRESS} answers"), format!("{} writable", plan.data_dir)];
    let notes = vec![format!("{}: nfs4 is served by this machine to itself", plan.data_dir)];
    let document = PlanDocument::new(&plan, Vec::new(), (checks, notes), Vec::new());
    let text = serde_json::to_string(&anonymous.plan(&document)).unwrap();
    for name in PLANTED {
        assert!(!text.contains(name), "{name} in {text}");
    }
    assert!(text.contains("postgres://user-1@host-1/database-1 answers"), "{text}");
    assert!(text.contains(": nfs4 is served by this machine to itself"), "{text}");
}

#[test]
fn kernel_names_of_devices_stay_and_names_of_volumes_go() {
    for (source, stays) in [
        ("/dev/nvme0n1p2", true),
        ("/dev/md127", true),
        ("/dev/dm-3", true),
        ("/dev/mapper/acme-data", false),
        ("/dev/disk/by-label/acme", false),
        ("server:/export", false),
        ("/dev/sdacmeacmeacme", false),
    ] {
        assert_eq!(is_kernels_device(source), stays, "{source}");
    }
}
