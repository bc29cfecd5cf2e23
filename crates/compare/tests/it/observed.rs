//! Two looks at a server, with what changed between them planted.

use narrows_compare::observed::{
    BoundOutcome, CauseFate, Changed, LoadKind, Matched, ObservedComparison, PromisedOf, ShareOf,
};
use narrows_compare::{NothingToCompare, Question, compare};
use narrows_model::{
    Activity, Bottleneck, Cause, CauseShare, ConsumerKind, Consumers, Grade, Interval,
    IntervalMethod, Layer, LiveSetting, Measurement, MetricValue, Observation, ObservedCounts,
    ObservedSessions, ObservedSituation, OperatingPoint, Plan, Platform, Run, SampledConsumers,
    SampledGroup, StatementFigures, StatementStatistics, StatementUse, TimeAccount, TimeShare,
    TransactionTime, Urgency, Validity, Verdict, metric,
};

use crate::world::side;

const ID: &str = "database.observed";

/// A look of a minute: sessions that took part, transactions per second, and what one of them takes, ns.
struct Planted {
    sessions: f64,
    rate: f64,
    cpu_ns: f64,
    read_ns: f64,
}

const BEFORE: Planted = Planted { sessions: 8.0, rate: 2000.0, cpu_ns: 3e6, read_ns: 0.8e6 };
/// The lookup has an index: as many sessions, without its CPU time.
const AFTER: Planted = Planted { sessions: 8.0, rate: 7000.0, cpu_ns: 0.4e6, read_ns: 0.6e6 };

/// Two per cent to both sides.
fn near(value: f64) -> Option<Interval> {
    let (low, high) = (value * 0.98, value * 1.02);
    Some(Interval { low, high, method: IntervalMethod::MeanT })
}

fn statement(id: &str, text: &str, calls: f64, exec_ns: f64, blocks: f64) -> StatementUse {
    StatementUse {
        id: id.into(),
        user: "app".into(),
        database: "shop".into(),
        text: Some(text.into()),
        took: StatementFigures {
            calls,
            exec_ns: exec_ns * calls,
            blocks_hit: blocks * calls,
            ..StatementFigures::default()
        },
        before: None,
    }
}

fn cause(id: &str, summary: &str, statement_id: &str, share: f64, gain: Option<f64>) -> Cause {
    Cause {
        id: id.into(),
        measurement: ID.into(),
        urgency: Urgency::Performance,
        summary: summary.into(),
        evidence: String::new(),
        against: String::new(),
        action: String::new(),
        statement: None,
        undo: String::new(),
        verify: String::new(),
        share: Some((CauseShare::Cpu, share)),
        gain_at_most: gain,
        has_reason: true,
        statement_id: statement_id.into(),
        sessions_behind: None,
    }
}

fn index_missing() -> Cause {
    cause(
        "index-missing",
        "public.orders is read as a whole, 40k rows each time",
        "1",
        0.75,
        Some(3.1),
    )
}

fn look(id: &str, planted: &Planted, statements: Vec<StatementUse>, causes: Vec<Cause>) -> Run {
    let time_ns = planted.cpu_ns + planted.read_ns;
    let mut m = Measurement::new(ID, Layer::Database);
    for (metric, value) in [
        (metric::THROUGHPUT, planted.rate),
        (metric::ACTIVE_TIME_PER_OP, time_ns),
        (metric::SERVER_CPU_PER_OP, planted.cpu_ns),
    ] {
        m.metrics.push(MetricValue::new(metric, value, near(value), Vec::new()));
    }
    let mut run = Run::blank(Plan::default(), Platform::default());
    run.id = id.into();
    run.measurements.push(m);
    run.causes = causes;
    let part = |name: &str, ns: f64| TimeShare {
        name: name.into(),
        ns_per_op: ns,
        interval_95: near(ns),
        share: ns / time_ns,
    };
    let time = TransactionTime {
        summed_ns: time_ns,
        account_ns: time_ns,
        account: TimeAccount::Server,
        parts: vec![part("CPU", planted.cpu_ns), part("read", planted.read_ns)],
    };
    run.verdicts.push(Verdict {
        workload: "observed".into(),
        measurement: ID.into(),
        operating_point: OperatingPoint { sessions: 8, think_ns: 0.0, workers: None },
        throughput_per_s: planted.rate,
        throughput_interval_95: None,
        latency_p99_open_ns: None,
        narrow: Bottleneck::Cpu,
        or: None,
        phrase: String::new(),
        grade: Grade::Likely,
        reasons: Vec::new(),
        utilisation: Vec::new(),
        bounds: Vec::new(),
        sum: None,
        sharing: None,
        test: None,
        next: Vec::new(),
        gain_at_most: None,
        gain_tested: None,
        standing: Some(ObservedSituation { time: Some(time), ..ObservedSituation::default() }),
        what_if: Vec::new(),
    });
    let all = statements.iter().fold(StatementFigures::default(), |all, one| StatementFigures {
        calls: all.calls + one.took.calls,
        exec_ns: all.exec_ns + one.took.exec_ns,
        ..all
    });
    run.observations.push(Observation {
        measurement: ID.into(),
        address: "postgres://app@db7:5432/shop".into(),
        version: "17.2 (Debian 17.2-1)".into(),
        interval_ns: 60e9,
        load_change: None,
        windows: 6,
        counted: ObservedCounts {
            commits: Some(planted.rate * 60.0),
            rollbacks: Some(0.0),
            ..ObservedCounts::default()
        },
        activity: Activity { samples: 1000, ..Activity::default() },
        sessions: ObservedSessions {
            open: Some(planted.sessions + 20.0),
            unused: Some(20.0),
            ..ObservedSessions::default()
        },
        consumers: Some(Consumers {
            database: "shop".into(),
            statements: Some(StatementStatistics {
                counted: statements.len() as u64,
                list: statements,
                all,
                ..StatementStatistics::default()
            }),
            ..Consumers::default()
        }),
        processes: None,
        settings: vec![LiveSetting {
            name: "work_mem".into(),
            value: "4MB".into(),
            source: "configuration file".into(),
        }],
        build: Vec::new(),
        capacities_from: Vec::new(),
        report: None,
        cost: Default::default(),
        unknown: Vec::new(),
    });
    run
}

fn before() -> Run {
    let statements = vec![
        statement("1", "SELECT * FROM orders WHERE customer = $1", 120e3, 3.4e6, 400.0),
        statement("2", "UPDATE stock SET n = n - $1 WHERE id = $2", 120e3, 0.3e6, 4.0),
    ];
    look("a", &BEFORE, statements, vec![index_missing()])
}

fn after() -> Run {
    let statements = vec![
        statement("1", "SELECT * FROM orders WHERE customer = $1", 420e3, 0.05e6, 4.0),
        statement("2", "UPDATE stock SET n = n - $1 WHERE id = $2", 420e3, 0.9e6, 4.0),
    ];
    look("b", &AFTER, statements, Vec::new())
}

fn compared(base: Run, other: Run) -> ObservedComparison {
    let (base, other) = ([base], [other]);
    let found =
        compare(&side("before", &base), &[side("after", &other)], &Question::default()).unwrap();
    assert!(found.against[0].only_observed());
    *found.against[0].observed.clone().unwrap()
}

fn changed(looks: &ObservedComparison, name: &str) -> Changed {
    looks.figures.iter().chain(&looks.parts).find(|figure| figure.name == name).unwrap().changed
}

#[test]
fn a_cause_that_went_is_gone_and_what_came_is_held_against_its_bound() {
    let looks = compared(before(), after());
    assert_eq!(looks.causes.len(), 1);
    assert_eq!((looks.causes[0].fate, looks.causes[0].base_place), (CauseFate::Gone, Some(1)));
    assert_eq!(looks.load.kind, LoadKind::ClosedLoop);
    assert_eq!(changed(&looks, "transactions per second"), Changed::Up);
    assert_eq!(changed(&looks, "time per transaction"), Changed::Down);
    assert_eq!(changed(&looks, "CPU"), Changed::Down);
    let promise = looks.promise.unwrap();
    assert_eq!(
        (promise.of, promise.at_most, promise.outcome),
        (PromisedOf::Rate, 4.1, BoundOutcome::Within)
    );
    let (came, interval) = (promise.came.unwrap(), promise.came_95.unwrap());
    assert!((came - 3.5).abs() < 1e-9 && interval.low > 3.3 && interval.high < 3.7, "{interval:?}");
    // The largest change first, by its share; what a call takes beside it.
    let first = &looks.statements.list[0];
    assert_eq!((first.id.as_str(), first.matched), ("1", Matched::Id));
    let (base, other) = (first.base.unwrap(), first.other.unwrap());
    assert_eq!((base.blocks_per_call, other.blocks_per_call), (Some(400.0), Some(4.0)));
    assert_eq!((base.calls_per_s, other.calls_per_s), (Some(2000.0), Some(7000.0)));
    assert!(base.share > 0.9 && other.share < 0.06);
    assert!(looks.statements.mix_distance.unwrap() < 1e-9 && looks.differences.is_empty());
}

#[test]
fn more_than_was_promised_is_said_and_a_cause_that_stays_is_too() {
    let faster = Planted { rate: 9500.0, cpu_ns: 0.2e6, read_ns: 0.5e6, ..AFTER };
    let mut other = look("b", &faster, after_statements(), vec![index_missing()]);
    other.causes[0].summary = "public.orders is read as a whole, 41k rows each time".into();
    let looks = compared(before(), other);
    assert_eq!(looks.causes.len(), 1);
    assert_eq!((looks.causes[0].fate, looks.causes[0].other_place), (CauseFate::Stayed, Some(1)));
    let promise = looks.promise.unwrap();
    assert_eq!((promise.outcome, promise.fate), (BoundOutcome::Exceeded, CauseFate::Stayed));
}

fn after_statements() -> Vec<StatementUse> {
    let run = after();
    run.observations[0].consumers.clone().unwrap().statements.unwrap().list
}

#[test]
fn clients_that_choose_the_rate_are_held_against_time_and_not_against_the_rate() {
    // As many transactions per second as before; each takes less.
    let other = Planted { rate: 2000.0, ..AFTER };
    let mut statements = after_statements();
    for statement in &mut statements {
        statement.took.calls = 120e3;
        statement.took.exec_ns *= 120.0 / 420.0;
    }
    let looks = compared(before(), look("b", &other, statements, Vec::new()));
    assert_eq!(looks.load.kind, LoadKind::SameRate);
    assert_eq!(changed(&looks, "transactions per second"), Changed::Same);
    let promise = looks.promise.unwrap();
    // Its share is one of CPU time. It is 3 ms before and 0.4 after, of which the bound allows a factor of 4.1.
    assert_eq!((promise.of, promise.outcome), (PromisedOf::Cpu, BoundOutcome::Exceeded));
    assert!((promise.came.unwrap() - 7.5).abs() < 1e-9);
}

#[test]
fn other_statements_are_another_load_and_nothing_is_held_against_a_promise() {
    let statements = vec![
        statement("1", "SELECT * FROM orders WHERE customer = $1", 60e3, 0.05e6, 4.0),
        statement("9", "SELECT 1", 360e3, 0.9e6, 4.0),
    ];
    let looks = compared(before(), look("b", &AFTER, statements, Vec::new()));
    assert_eq!(looks.load.kind, LoadKind::OtherStatements);
    assert!(looks.load.mix_distance.unwrap() > 0.8 && looks.promise.is_none());
    let alone = looks.statements.list.iter().filter(|s| s.matched == Matched::Alone).count();
    assert_eq!(alone, 2);
    // A near miss: a fifth of the executions are of another statement.
    let statements = vec![
        statement("1", "SELECT * FROM orders WHERE customer = $1", 420e3, 0.05e6, 4.0),
        statement("2", "UPDATE stock SET n = n - $1 WHERE id = $2", 420e3, 0.9e6, 4.0),
        statement("9", "SELECT 1", 210e3, 0.9e6, 4.0),
    ];
    let looks = compared(before(), look("b", &AFTER, statements, Vec::new()));
    assert_eq!(looks.load.kind, LoadKind::ClosedLoop);
}

#[test]
fn a_look_that_is_idle_or_too_short_gets_no_word_and_nothing_is_gone() {
    let mut idle = after();
    idle.observations[0].counted.commits = Some(40.0);
    idle.observations[0].activity.samples = 90;
    let looks = compared(before(), idle);
    assert_eq!(looks.other.weak.len(), 2, "{:?}", looks.other.weak);
    assert!(looks.base.is_strong() && looks.other.weak[0].contains("40 transactions ended"));
    assert_eq!(looks.causes[0].fate, CauseFate::NotSeen);
    assert!(looks.figures.iter().chain(&looks.parts).all(|f| f.changed == Changed::Unknown));
    assert_eq!(looks.promise.unwrap().outcome, BoundOutcome::Unknown);
    // The fewest that are enough.
    let mut enough = after();
    enough.observations[0].counted.commits = Some(100.0);
    enough.observations[0].activity.samples = 200;
    assert_eq!(compared(before(), enough).causes[0].fate, CauseFate::Gone);
}

#[test]
fn figures_that_are_invalid_are_compared_without_a_word() {
    let mut invalid = after();
    invalid.measurements[0].validity = Validity::Invalid;
    invalid.measurements[0].findings = vec!["observed-reset".into()];
    // Nothing pairs, and the looks say why.
    let looks = compared(before(), invalid);
    assert_eq!(looks.other.weak, ["its figures are invalid (observed-reset)"]);
    let (base, other) = ([before()], [Run::blank(Plan::default(), Platform::default())]);
    let error = compare(&side("a", &base), &[side("b", &other)], &Question::default()).unwrap_err();
    assert!(matches!(error, NothingToCompare::NoPair { .. }));
}

#[test]
fn another_version_or_server_matches_statements_by_their_text() {
    let anew = |change: &dyn Fn(&mut Observation)| {
        let mut run = after();
        change(&mut run.observations[0]);
        let statements = run.observations[0].consumers.as_mut().unwrap().statements.as_mut();
        for statement in &mut statements.unwrap().list {
            statement.id = format!("9{}", statement.id);
        }
        compared(before(), run)
    };
    for change in [
        &(|seen: &mut Observation| seen.version = "18.0".into()) as &dyn Fn(&mut Observation),
        &|seen: &mut Observation| seen.address = "postgres://app@db8:5432/shop".into(),
    ] {
        let looks = anew(change);
        assert!(!looks.statements.ids_hold && looks.differences.len() == 1);
        assert!(looks.statements.list.iter().all(|s| s.matched == Matched::Text));
        assert_eq!(looks.load.kind, LoadKind::ClosedLoop);
    }
    // Another role, or a minor package of the same version, is the same server.
    let looks = compared(before(), {
        let mut run = after();
        run.observations[0].address = "postgres://monitor@db7:5432/shop".into();
        run.observations[0].version = "17.2 (Debian 17.2-2)".into();
        run
    });
    assert!(looks.statements.ids_hold && looks.differences.is_empty());
    // A table that was made anew gives its statements new ids on one server; another user's statement is another.
    let looks = anew(&|_| {});
    assert!(looks.statements.ids_hold);
    assert!(looks.statements.list.iter().all(|s| s.matched == Matched::Text));
    let mut run = after();
    let statements = run.observations[0].consumers.as_mut().unwrap().statements.as_mut();
    statements.unwrap().list[0].user = "report".into();
    let looks = compared(before(), run);
    assert_eq!(looks.statements.list.iter().filter(|s| s.matched == Matched::Alone).count(), 2);
}

#[test]
fn settings_that_changed_are_listed_and_those_of_our_own_session_are_not() {
    let mut run = after();
    let set = |name: &str, value: &str, source: &str| LiveSetting {
        name: name.into(),
        value: value.into(),
        source: source.into(),
    };
    run.observations[0].settings = vec![
        set("work_mem", "64MB", "configuration file"),
        set("jit", "off", "configuration file"),
        set("lock_timeout", "1s", "session"),
    ];
    let looks = compared(before(), run);
    let told: Vec<String> =
        looks.differences.iter().map(|d| format!("{} {} {}", d.what, d.base, d.other)).collect();
    assert_eq!(told, ["jit the default off", "work_mem 4MB 64MB"]);
    assert!(looks.differences.iter().all(|difference| difference.setting));
}

#[test]
fn causes_about_other_statements_are_other_causes() {
    let mut other = after();
    other.causes = vec![
        cause(
            "index-missing",
            "public.stock is read as a whole, 9k rows each time",
            "2",
            0.4,
            None,
        ),
        cause("flushes", "commits wait for WAL", "", 0.3, None),
    ];
    let looks = compared(before(), other);
    let fates: Vec<CauseFate> = looks.causes.iter().map(|cause| cause.fate).collect();
    assert_eq!(fates, [CauseFate::Gone, CauseFate::New, CauseFate::New]);
    assert_eq!(looks.causes[1].other_place, Some(1));
    // By its text where ids are others: the statement of the cause is the same one.
    let mut other = after();
    other.observations[0].version = "18.0".into();
    let statements = other.observations[0].consumers.as_mut().unwrap().statements.as_mut();
    statements.unwrap().list[0].id = "77".into();
    other.causes = vec![Cause { statement_id: "77".into(), ..index_missing() }];
    assert_eq!(compared(before(), other).causes[0].fate, CauseFate::Stayed);
}

#[test]
fn what_is_not_asked_for_is_not_compared() {
    let (base, other) = ([before()], [after()]);
    let only = |only: &str| Question { only: vec![only.into()], ..Question::default() };
    let of = |question: &Question| compare(&side("a", &base), &[side("b", &other)], question);
    assert!(of(&only("database.")).unwrap().against[0].observed.is_some());
    assert!(of(&only("block.")).is_err());
}

#[test]
fn without_intervals_nothing_is_said_to_have_changed() {
    let mut run = after();
    for metric in &mut run.measurements[0].metrics {
        metric.interval_95 = None;
    }
    let looks = compared(before(), run);
    assert_eq!(changed(&looks, "transactions per second"), Changed::Unknown);
    let promise = looks.promise.unwrap();
    assert_eq!((promise.outcome, promise.came_95), (BoundOutcome::Unknown, None));
}

/// Samples of active sessions: statements by their ids, with how many sessions were in each.
fn sample(run: &mut Run, groups: &[(&str, f64)]) {
    let consumers = run.observations[0].consumers.as_mut().unwrap();
    let group = |(name, active): &(&str, f64)| SampledGroup {
        kind: ConsumerKind::Statement,
        name: name.to_string(),
        active: *active,
        interval_95: None,
        states: Vec::new(),
        events: Vec::new(),
    };
    consumers.sampled = Some(SampledConsumers {
        samples: 240,
        active: groups.iter().map(|(_, active)| active).sum(),
        groups: groups.iter().map(group).collect(),
        ..SampledConsumers::default()
    });
}

#[test]
fn shares_are_of_session_time_where_both_were_sampled() {
    let (mut base, mut other) = (before(), after());
    // The update waits for its commit, which the server counts to no statement; a third one never ended.
    sample(&mut base, &[("1", 2.0), ("2", 2.0)]);
    sample(&mut other, &[("1", 0.3), ("2", 3.0), ("7", 0.6), ("text-1", 0.1)]);
    let texts =
        &mut other.observations[0].consumers.as_mut().unwrap().sampled.as_mut().unwrap().texts;
    texts.push(("text-1".into(), "SELECT * FROM orders WHERE customer = ?".into()));
    let observed = compared(base.clone(), other);
    let statements = &observed.statements;
    assert!(statements.counted && statements.share_of == ShareOf::SessionTime);
    let shares = |id: &str| {
        let of = statements.list.iter().find(|statement| statement.id == id).unwrap();
        [of.base, of.other].map(|side| side.map(|side| side.share))
    };
    assert_eq!(shares("1"), [Some(0.5), Some(0.1)]);
    assert_eq!(shares("2"), [Some(0.5), Some(0.75)]);
    assert_eq!(shares("7"), [None, Some(0.15)]);
    // What was sampled before it had an id is the statement of that text.
    assert_eq!(statements.list.len(), 3);
    // Samples of one alone share out nothing of the other.
    let observed = compared(base.clone(), after());
    assert_eq!(observed.statements.share_of, ShareOf::StatementTime);
    // Executions that one of both didn't count.
    let mut other = after();
    sample(&mut other, &[("1", 1.0)]);
    other.observations[0].consumers.as_mut().unwrap().statements = None;
    let observed = compared(base, other);
    assert_eq!(observed.statements.lacks, "the second observation has no pg_stat_statements");
    assert!(!observed.statements.counted && observed.load.mix_distance.is_none());
    assert_eq!(observed.statements.share_of, ShareOf::SessionTime);
    assert!(observed.statements.list.iter().any(|s| s.id == "1" && s.matched == Matched::Id));
}
