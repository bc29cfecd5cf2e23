//! Who takes what on an observed server, and what to do about it.

use crate::common::observed::observed;
use narrows_model::*;
use narrows_report::{Report, Units, markdown, text};

const SEQUENTIAL: &str = "SELECT sum(amount) FROM orders WHERE customer = $1";
const UPDATE: &str = "UPDATE accounts SET balance = balance + $1 WHERE id = $2";

fn group(kind: ConsumerKind, name: &str, active: f64) -> SampledGroup {
    SampledGroup {
        kind,
        name: name.into(),
        active,
        interval_95: None,
        states: vec![(ActivityState::Running, active)],
        events: vec![("IO:DataFileRead".into(), 0.4 * active)],
    }
}

fn statement(id: &str, text: &str, calls: f64, exec_ns: f64) -> StatementUse {
    let took = StatementFigures {
        calls,
        exec_ns,
        rows: calls,
        blocks_hit: 2860.0 * calls,
        ..StatementFigures::default()
    };
    let (user, database) = ("app".into(), "shop".into());
    StatementUse { id: id.into(), user, database, text: Some(text.into()), took, before: None }
}

fn consumers() -> Consumers {
    let list =
        vec![statement("1", SEQUENTIAL, 3000.0, 150e9), statement("2", UPDATE, 90_000.0, 30e9)];
    Consumers {
        database: "shop".into(),
        statements: Some(StatementStatistics {
            list,
            counted: 2,
            ..StatementStatistics::default()
        }),
        sampled: Some(SampledConsumers {
            samples: 120,
            executions: 900,
            active: 3.0,
            groups: vec![
                group(ConsumerKind::Statement, "1", 2.4),
                group(ConsumerKind::Statement, "2", 0.45),
                group(ConsumerKind::User, "app", 2.5),
                group(ConsumerKind::User, "report", 0.5),
                group(ConsumerKind::Client, "local", 3.0),
            ],
            ..SampledConsumers::default()
        }),
        tables: vec![TableUse {
            name: "public.orders".into(),
            live_rows: 200e3,
            dead_rows: 12.0,
            sequential_scans: 3000.0,
            sequential_rows: 600e6,
            blocks_hit: 8.6e6,
            ..TableUse::default()
        }],
        ..Consumers::default()
    }
}

fn index_missing() -> Cause {
    Cause {
        id: "index-missing".into(),
        measurement: "database.observed".into(),
        urgency: Urgency::Performance,
        has_reason: true,
        summary: "no index serves WHERE customer on public.orders".into(),
        evidence: "3000 sequential scans read 200000 rows each".into(),
        against: "a report that reads all of it on purpose".into(),
        action: "create an index".into(),
        statement: Some("CREATE INDEX CONCURRENTLY ON public.orders (customer);".into()),
        undo: "DROP INDEX CONCURRENTLY of that index".into(),
        verify: "observe again: narrows observe".into(),
        share: Some((CauseShare::SessionTime, 0.8)),
        gain_at_most: None,
        statement_id: "1".into(),
        sessions_behind: None,
    }
}

fn blocked() -> Cause {
    Cause {
        id: "idle-in-transaction-blocks".into(),
        urgency: Urgency::Now,
        summary: "pid 4711, idle in transaction for 26.0 s, blocks 12 sessions".into(),
        action: "end it".into(),
        statement: Some(ends_idle_in_transaction(4711, 26e9)),
        undo: "none: its transaction is rolled back".into(),
        share: None,
        statement_id: String::new(),
        sessions_behind: None,
        ..index_missing()
    }
}

fn with(causes: Vec<Cause>) -> Run {
    let mut run = observed();
    run.observations[0].consumers = Some(consumers());
    run.causes = causes;
    run
}

fn screen(run: &Run) -> String {
    text(&Report::new(run, Units::Si), 100, false)
}

#[test]
fn a_cause_comes_before_hardware_with_its_statement_and_its_undo() {
    let screen = screen(&with(vec![index_missing()]));
    insta::assert_snapshot!("causes", screen);
    assert!(screen.contains("CREATE INDEX CONCURRENTLY ON public.orders (customer);"), "{screen}");
    assert!(screen.contains("undo   DROP INDEX CONCURRENTLY"), "{screen}");
    assert!(!screen.contains("a faster WAL flush"), "hardware beside what stands out: {screen}");
    assert!(screen.lines().all(|line| line.chars().count() <= 100), "{screen}");
    // What takes little leaves the law's advice in place, behind it.
    let small = Cause { share: Some((CauseShare::SessionTime, 0.1)), ..index_missing() };
    let screen = self::screen(&with(vec![small]));
    let index = screen.find("CREATE INDEX").unwrap();
    assert!(screen.find("a faster WAL flush").unwrap() > index, "{screen}");
}

/// What the bottleneck of this server is, by its verdict: the wait for commits.
const FASTER: &str = "a faster WAL flush";

#[test]
fn what_only_says_what_is_waited_for_hides_no_hardware() {
    let of_waits = |id: &str, has_reason| Cause {
        id: id.into(),
        has_reason,
        summary: "5.10 sessions wait for WAL flushes at commit".into(),
        action: "commit several changes in one transaction".into(),
        share: Some((CauseShare::SessionTime, 0.8)),
        ..index_missing()
    };
    let shown = screen(&with(vec![of_waits("flushes", false)]));
    assert!(shown.contains("commit several changes") && shown.contains(FASTER), "{shown}");
    // The same with a reason: that comes first, and no drive.
    let shown = screen(&with(vec![of_waits("commit-delay", true)]));
    assert!(shown.contains("commit several changes") && !shown.contains(FASTER), "{shown}");
}

#[test]
fn wal_that_nobody_waits_for_hides_no_hardware() {
    let images = Cause { share: Some((CauseShare::Wal, 0.6)), ..index_missing() };
    let mut run = with(vec![images]);
    assert!(!screen(&run).contains(FASTER), "commits wait for their flush");
    run.verdicts[0].narrow = Bottleneck::Cpu;
    let advice = Report::new(&run, Units::Si).next;
    assert!(advice.iter().any(|row| row.cause.is_none()), "{advice:#?}");
    run.verdicts[0].narrow = Bottleneck::CommitWait;
    let advice = Report::new(&run, Units::Si).next;
    assert!(advice.iter().all(|row| row.cause.is_some()), "{advice:#?}");
}

#[test]
fn what_stands_still_is_the_first_sentence_and_the_first_action() {
    let run = with(vec![blocked(), index_missing()]);
    let screen = screen(&run);
    let result = screen.split("RESULT").nth(1).unwrap().trim_start();
    assert!(result.starts_with("Pid 4711, idle in transaction for 26.0 s"), "{screen}");
    let (first, second) =
        (screen.find("pg_terminate_backend").unwrap(), screen.find("CREATE INDEX").unwrap());
    assert!(first < second, "{screen}");
    assert!(screen.lines().all(|line| line.chars().count() <= 100), "{screen}");
    // A line that ends within a literal would make it another one.
    for literal in ["'idle in transaction%'", "'26 s'"] {
        assert!(screen.contains(literal), "{literal} in\n{screen}");
    }
}

#[test]
fn where_sessions_stand_still_nothing_is_said_of_a_mean_transaction_and_no_other_run_is_asked_for()
{
    let result = |run: &Run| {
        let flat = screen(run).split_whitespace().collect::<Vec<_>>().join(" ");
        flat.split("WHAT TO DO").next().unwrap().to_string()
    };
    let mut run = with(vec![index_missing()]);
    run.measurements[0].validity = Validity::Suspect;
    let said = result(&run);
    assert!(said.contains("A transaction takes") && said.contains("Run it again"), "{said}");
    assert!(said.contains("(at most 80 % of session time)"), "{said}");
    // Once, where the sentence has it.
    run.causes[0].summary = "sessions wait for locks for 80 % of session time".into();
    let said = result(&run);
    assert_eq!(said.matches("80 % of session time").count(), 1, "{said}");
    run.causes.insert(0, Cause { sessions_behind: Some(12.0), ..blocked() });
    let said = result(&run);
    assert!(!said.contains("A transaction takes") && !said.contains("Run it again"), "{said}");
    assert!(screen(&run).contains("(frees 12 sessions at most)"), "{}", screen(&run));
    run.causes[0].sessions_behind = Some(1.0);
    assert!(screen(&run).contains("(frees 1 session at most)"), "{}", screen(&run));
}

#[test]
fn who_waits_for_whom_is_a_tree_also_where_everybody_waits_for_everybody() {
    let queued = |pid, behind: &[u32], state: &str| QueuedSession {
        pid,
        behind: behind.into(),
        state: state.into(),
        state_age_ns: Some(26e9),
        mode: Some("ShareLock".into()),
        table: Some("public.accounts".into()),
        user: "app".into(),
        text: Some(UPDATE.into()),
        ..QueuedSession::default()
    };
    let mut run = with(vec![blocked()]);
    let consumers = run.observations[0].consumers.as_mut().unwrap();
    consumers.lock_queue = vec![
        queued(4711, &[], "idle in transaction"),
        queued(4712, &[4711], "active"),
        queued(4713, &[4712, 4711], "active"),
    ];
    let tree = screen(&run);
    let (_, tree) = tree.split_once("WHO WAITS FOR WHOM").unwrap();
    let at = |text: &str| tree.find(text).unwrap_or_else(|| panic!("no {text} in\n{tree}"));
    assert!(at("PID 4711") < at("PID 4712") && at("PID 4712") < at("PID 4713"), "{tree}");
    assert!(tree.contains("waits for ShareLock on public.accounts for 26.0 s (app)"), "{tree}");
    // A queue that has gone is one of before.
    assert!(!tree.contains("gone since"), "{tree}");
    run.observations[0].consumers.as_mut().unwrap().lock_queue_age_ns = Some(5e9);
    assert!(!screen(&run).contains("gone since"), "{}", screen(&run));
    run.observations[0].consumers.as_mut().unwrap().lock_queue_age_ns = Some(40e9);
    assert!(screen(&run).contains("40.0 s before the end, and gone since"), "{}", screen(&run));
    // A circle has no head: nothing is drawn, and nothing hangs.
    let consumers = run.observations[0].consumers.as_mut().unwrap();
    consumers.lock_queue = vec![queued(1, &[2], "active"), queued(2, &[1], "active")];
    assert!(!screen(&run).contains("WHO WAITS FOR WHOM"));
    // One behind the other, more than anybody asks for.
    let consumers = run.observations[0].consumers.as_mut().unwrap();
    consumers.lock_queue =
        (0..300_000u32).map(|n| queued(n + 1, &[n][..n.min(1) as usize], "active")).collect();
    assert!(screen(&run).contains("and 495 more sessions"), "{}", screen(&run));
}

#[test]
fn every_cause_has_its_figures_and_what_speaks_against_it_where_there_is_room() {
    let page = markdown(&Report::new(&with(vec![index_missing()]), Units::Si));
    for said in [
        "3000 sequential scans read 200000 rows each",
        "a report that reads all of it on purpose",
        "index-missing",
        "80 % of session time at most",
    ] {
        assert!(page.contains(said), "{said} in\n{page}");
    }
}
