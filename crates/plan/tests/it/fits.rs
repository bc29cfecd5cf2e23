//! Demands set on platforms, by pencil: as many sessions, the ceiling, the log, what isn't known.

use narrows_limits::table::Table;
use narrows_plan::{
    Amount, Demand, Description, Fit, FitError, Log, PartKind, RequestDemand, TimePart, Verdict,
    describe, fit,
};

/// One machine of `cores`, four drives whose media do 200 k reads and 100 k writes each, and more keys.
fn box_of(cores: u32, drives: &str, database: &str) -> Description {
    let text = format!(
        "name = \"box\"\n[[machine]]\nname = \"server\"\ncores = {cores}\n\
         [[drives]]\nname = \"disks\"\nat = \"server\"\ncount = 4\nreads = \"200k/s\"\nwrites = \"100k/s\"\n\
         {drives}source = \"test\"\n\
         [[database]]\nat = \"server\"\ndata = \"disks\"\n{database}"
    );
    described(&text)
}

fn described(text: &str) -> Description {
    describe("test.toml", text, Table::builtin()).unwrap_or_else(|error| panic!("{error}"))
}

fn known(value: f64, relative: f64) -> Amount {
    Amount { value, half: Some(value * relative) }
}

fn part(kind: PartKind, name: &str, us: f64) -> TimePart {
    TimePart { kind, name: name.into(), ns: known(us * 1e3, 0.02) }
}

/// Updates of 8 sessions: 50 µs of a processor, 200 µs for the log, a quarter of a flush and 400 bytes of log each.
fn update() -> Demand {
    Demand {
        name: "update".into(),
        unit: "operation",
        rate_per_s: known(20_000.0, 0.03),
        sessions: Some(8.0),
        observed: false,
        think_ns: 0.0,
        suspect: None,
        scan: false,
        cpu_ns: Some(known(50_000.0, 0.02)),
        threads_per_core: 1.0,
        reads: Some(RequestDemand { per_op: Amount::exact(2.0), bytes: 8192.0 }),
        read_ns: Some(Amount::exact(80_000.0)),
        writes: Some(RequestDemand { per_op: Amount::exact(0.5), bytes: 8192.0 }),
        log: Some(Log {
            bytes: Amount::exact(400.0),
            flushes: Some(Amount::exact(0.25)),
            flush_ns: Some(Amount::exact(150_000.0)),
            commits_per_s: None,
        }),
        parts: Some(vec![
            part(PartKind::Cpu, "CPU", 50.0),
            part(PartKind::Flush, "flush", 200.0),
            part(PartKind::Other, "client", 50.0),
        ]),
        unknown: Vec::new(),
    }
}

fn fitted(platform: &Description, demand: &Demand) -> Fit {
    fit(platform, demand, None).unwrap_or_else(|error| panic!("{error}"))
}

fn at(fit: &Fit) -> f64 {
    fit.at_sessions.as_ref().expect("its parts are known").rate_per_s.value
}

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-3 * expected.abs()
}

#[test]
fn sessions_that_wait_bind_long_before_the_components_do() {
    let platform = box_of(1000, "", "");
    let found = fitted(&platform, &update());
    // With a core for everybody: 8 sessions / 300 us; the flow: 800 k reads / 2.
    assert!(close(at(&found), 8.0 / 300e-6), "{found:?}");
    assert!(close(found.ceiling_per_s.unwrap().value, 400e3), "{found:?}");
    assert_eq!(found.binding[0].component, "disks");
    assert_eq!(found.verdict, Verdict::Fits);
    let sessions = found.at_sessions.as_ref().unwrap();
    assert!(sessions.holds.contains("flush"), "{}", sessions.holds);
    let twice = sessions.widen.iter().find(|gain| gain.change == "twice the sessions").unwrap();
    assert!(close(twice.gain, 1.0), "{twice:?}");
    // Its doubt is that of the parts, in quadrature: 4 of 300, 1 of 300, 1 of 300.
    let doubt = sessions.rate_per_s.relative().unwrap();
    assert!((0.012..0.016).contains(&doubt), "{doubt}");
}

#[test]
fn few_cores_hold_the_sessions_by_their_queue() {
    let demand = Demand { rate_per_s: known(18_700.0, 0.03), ..update() };
    let found = fitted(&box_of(1, "", ""), &demand);
    // One core gives 20k/s at most; 8 sessions queue for it and reach nearly that.
    let rate = at(&found);
    assert!((0.9 * 20e3..20e3).contains(&rate), "{rate}");
    assert_eq!(found.verdict, Verdict::JustAbout);
    assert!(found.at_sessions.as_ref().unwrap().holds.contains("CPUs of server"));
    assert!(close(found.ceiling_per_s.unwrap().value, 20e3));
    assert_eq!(found.binding[0].component, "CPUs of server");
    // Cores that do twice the work, by the command and by the description.
    let by_command = fit(&box_of(1, "", ""), &update(), Some(2.0)).unwrap();
    assert!(close(by_command.ceiling_per_s.unwrap().value, 40e3));
    let text = "name = \"box\"\n[[machine]]\nname = \"server\"\ncores = 1\ncore_ratio = 2.0\nsource = \"a test\"\n\
                [[drives]]\nname = \"disks\"\nat = \"server\"\nreads = \"1M/s\"\nsource = \"test\"\n\
                [[database]]\nat = \"server\"\ndata = \"disks\"\n";
    let described = fit(&described(text), &update(), Some(9.0)).unwrap();
    assert!(close(described.ceiling_per_s.unwrap().value, 40e3), "{described:?}");
    assert!(described.taken.iter().any(|t| t.contains("2 times") && t.contains("a test")));
    // Processor time of threads: a core has two of them.
    let threads = Demand { threads_per_core: 2.0, ..update() };
    let found = fitted(&box_of(1, "", ""), &threads);
    assert!(close(found.ceiling_per_s.unwrap().value, 40e3));
    assert!(found.taken.iter().any(|t| t.contains("2 threads")), "{:?}", found.taken);
}

#[test]
fn waits_follow_what_a_request_takes_there() {
    let fast = box_of(1000, "write_latency = \"15 us\"\n", "");
    // A flush takes a tenth: 8 / (50 + 20 + 50) us.
    let found = fitted(&fast, &update());
    assert!(close(at(&found), 8.0 / 120e-6), "{found:?}");
    // Where a flush's time there isn't known, a commit waits for one flush at least.
    let mut unknown = update();
    unknown.log.as_mut().unwrap().flush_ns = None;
    assert!(close(at(&fitted(&fast, &unknown)), 8.0 / 115e-6));
    // A range is a doubt: 15 to 45 us is 30 ± 15, so 40 ± 20 us of 140.
    let found = fitted(&box_of(1000, "write_latency = \"15 to 45 us\"\n", ""), &update());
    assert!(close(at(&found), 8.0 / 140e-6), "{found:?}");
    let doubt = found.at_sessions.unwrap().rate_per_s.relative().unwrap();
    assert!((0.11..0.15).contains(&doubt), "{doubt}");
    // Not described: as where it was measured, and that is said.
    let found = fitted(&box_of(1000, "", ""), &update());
    assert!(found.taken.iter().any(|t| t.contains("flush") && t.contains("write_latency")));
    // Flushes that weren't counted are as they were whatever is described, and no key is advised.
    let mut uncounted = update();
    uncounted.log.as_mut().unwrap().flushes = None;
    let found = fitted(&fast, &uncounted);
    assert!(close(at(&found), 8.0 / 300e-6), "{found:?}");
    let of_flush = found.taken.iter().find(|t| t.contains("flush")).expect("it is told");
    assert!(!of_flush.contains("write_latency"), "{of_flush}");
}

#[test]
fn the_log_is_no_flow_of_flushes() {
    let log_drive = "[[drives]]\nname = \"log\"\nat = \"server\"\nwrites = \"1k/s\"\nwrite = \"1 GB/s\"\nsource = \"test\"\n";
    let text = format!(
        "name = \"box\"\n[[machine]]\nname = \"server\"\ncores = 1000\n\
         [[drives]]\nname = \"disks\"\nat = \"server\"\nwrites = \"100k/s\"\nsource = \"test\"\n{log_drive}\
         [[database]]\nat = \"server\"\ndata = \"disks\"\nwal = \"log\"\n"
    );
    let platform = described(&text);
    let demand = Demand {
        reads: Some(RequestDemand { per_op: Amount::exact(0.0), bytes: 0.0 }),
        ..update()
    };
    let found = fitted(&platform, &demand);
    // 1 k flushes of 4 commits bind as many sessions at 4k/s; more of them would share each flush, so the ceiling is that
    // of the data's quarter of a write: 400k/s.
    assert!(close(at(&found), 4e3), "{found:?}");
    assert_eq!(found.at_sessions.as_ref().unwrap().holds, "log");
    assert!(close(found.ceiling_per_s.unwrap().value, 400e3), "{found:?}");
    assert_eq!(found.verdict, Verdict::MoreSessions);
    // What the log committed with as many committers holds too, by the time of a flush.
    let mut ladder = demand;
    ladder.log.as_mut().unwrap().commits_per_s = Some(known(22e3, 0.05));
    let found = fitted(&box_of(1000, "", ""), &ladder);
    assert!(close(at(&found), 22e3), "{found:?}");
    assert!(found.at_sessions.unwrap().holds.contains("WAL with 8 committers"));
    let found = fitted(&box_of(1000, "write_latency = \"300 us\"\n", ""), &ladder);
    assert!(close(at(&found), 11e3), "{found:?}");
}

#[test]
fn an_arm_that_reads_does_not_write() {
    let disks = |class: &str| {
        described(&format!(
            "name = \"box\"\n[[machine]]\nname = \"server\"\ncores = 1000\n\
             [[drives]]\nname = \"disks\"\nat = \"server\"\n{class}count = 10\n\
             [[database]]\nat = \"server\"\ndata = \"disks\"\n"
        ))
    };
    let demand = Demand {
        reads: Some(RequestDemand { per_op: Amount::exact(2.0), bytes: 8192.0 }),
        writes: Some(RequestDemand { per_op: Amount::exact(2.0), bytes: 8192.0 }),
        log: None,
        ..update()
    };
    let most = |class: &str| fitted(&disks(class), &demand).ceiling_per_s.unwrap().value;
    // 10 arms of 200 requests, 4 for an operation.
    assert!(close(most("class = \"drive-hdd\"\n"), 500.0));
    let by_hand = "reads = \"200/s\"\nwrites = \"100/s\"\nsource = \"test\"\n";
    // Apart: 1000 writes / 2. One arm: 2 / 2000 + 2 / 1000 of a second for each.
    assert!(close(most(by_hand), 500.0));
    assert!(close(most(&format!("spinning = true\n{by_hand}")), 1000.0 / 3.0));
}

#[test]
fn unknown_is_not_zero_and_takes_the_interval_with_it() {
    let platform = box_of(10, "", "");
    let bare = |value: f64| Amount { value, half: None };
    let without = Demand { writes: None, cpu_ns: Some(bare(50_000.0)), ..update() };
    let found = fitted(&platform, &without);
    assert!(found.notes.iter().any(|n| n.contains("writes") && n.contains("were not measured")));
    // The processors bind at 200k/s, and their time has no interval.
    let ceiling = found.ceiling_per_s.unwrap();
    assert!(close(ceiling.value, 200e3) && ceiling.half.is_none(), "{ceiling:?}");
    let none =
        Demand { cpu_ns: None, reads: None, writes: None, log: None, parts: None, ..update() };
    let found = fitted(&platform, &none);
    assert_eq!((found.ceiling_per_s, found.verdict), (None, Verdict::Unknown));
    assert!(found.at_sessions.is_none());
}

#[test]
fn an_observed_rate_is_not_what_a_server_could_do() {
    let seen = Demand {
        observed: true,
        rate_per_s: known(1000.0, 0.01),
        sessions: Some(0.3),
        cpu_ns: None,
        reads: None,
        writes: None,
        ..update()
    };
    let found = fitted(&box_of(10, "write_latency = \"300 us\"\nwrite = \"1 GB/s\"\n", ""), &seen);
    let rate = found.at_rate.as_ref().unwrap();
    // 1000/s of 50 + 400 + 50 us; 250 flushes of 300 us.
    assert!(close(rate.sessions.unwrap().value, 0.5), "{rate:?}");
    assert!(close(rate.log_busy.unwrap(), 0.075), "{rate:?}");
    assert!(found.verdict == Verdict::LogFits && found.log_only);
    // Where its processor time was seen too, the flow is whole: 10 cores / 50 us.
    let whole = Demand { cpu_ns: Some(known(50_000.0, 0.02)), ..seen.clone() };
    let platform = box_of(10, "write_latency = \"300 us\"\nwrite = \"1 GB/s\"\n", "");
    let whole = fitted(&platform, &whole);
    assert!(whole.verdict == Verdict::Fits && !whole.log_only, "{whole:?}");
    assert!(close(whole.ceiling_per_s.unwrap().value, 200e3));
    let slow = fitted(&box_of(10, "write_latency = \"6 ms\"\n", ""), &seen);
    assert_eq!(slow.verdict, Verdict::JustAbout);
    let unknown = fitted(&box_of(10, "", ""), &seen);
    assert_eq!(unknown.verdict, Verdict::Unknown);
}

#[test]
fn what_cannot_be_answered_is_refused() {
    let nothing = described("name = \"box\"\n[[machine]]\nname = \"server\"\ncores = 4\n");
    assert_eq!(fit(&nothing, &update(), None), Err(FitError::NoDatabase));
    for rate in [0.0, -1.0, f64::NAN] {
        let idle = Demand { rate_per_s: Amount::exact(rate), ..update() };
        let error = fit(&box_of(4, "", ""), &idle, None).unwrap_err();
        assert!(matches!(error, FitError::NoRate { .. }), "{error}");
    }
    let negative =
        "name = \"box\"\n[[machine]]\nname = \"server\"\ncore_ratio = -1.0\nsource = \"x\"\n";
    let error = describe("test.toml", negative, Table::builtin()).unwrap_err();
    assert!(error.line == 4 && error.what.contains("core_ratio"), "{error}");
    let bare = "name = \"box\"\n[[machine]]\nname = \"server\"\ncore_ratio = 1.4\n";
    let error = describe("test.toml", bare, Table::builtin()).unwrap_err();
    assert!(error.why.contains("source"), "{error}");
}
