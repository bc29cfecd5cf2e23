//! Two observations of a server beside each other, on a screen, on a page, for programs.

use crate::common::observed::observed;
use narrows_compare::{Question, RunComparison, Side, compare};
use narrows_model::*;
use narrows_report::document::Document;
use narrows_report::{HTML, Screen, TEXT, Units, comparison, form, render};

const LOOKUP: &str = "SELECT * FROM orders WHERE customer = $1";
const UPDATE: &str = "UPDATE accounts SET balance = balance + $1 WHERE id = $2";

fn statement(id: &str, text: &str, calls: f64, exec_ns: f64, blocks: f64) -> StatementUse {
    StatementUse {
        id: id.into(),
        user: "app".into(),
        database: "shop".into(),
        text: Some(text.into()),
        took: StatementFigures {
            calls,
            exec_ns: calls * exec_ns,
            blocks_hit: calls * blocks,
            ..StatementFigures::default()
        },
        before: None,
    }
}

fn with(mut run: Run, id: &str, statements: Vec<StatementUse>) -> Run {
    run.id = id.into();
    let all = statements.iter().fold(StatementFigures::default(), |all, one| StatementFigures {
        calls: all.calls + one.took.calls,
        exec_ns: all.exec_ns + one.took.exec_ns,
        ..all
    });
    let (low, high) = (1.9e6, 2.1e6);
    let interval = Interval { low, high, method: IntervalMethod::MeanT };
    let account = MetricValue::new(metric::ACTIVE_TIME_PER_OP, 2e6, Some(interval), Vec::new());
    run.measurements[0].metrics.push(account);
    run.observations[0].sessions.unused = Some(36.2);
    run.observations[0].consumers = Some(Consumers {
        database: "shop".into(),
        statements: Some(StatementStatistics {
            list: statements,
            all,
            ..StatementStatistics::default()
        }),
        ..Consumers::default()
    });
    run
}

fn before() -> Run {
    let mut run = with(
        observed(),
        "aaaa1111",
        vec![
            statement("1", LOOKUP, 93.6e3, 1.4e6, 240.0),
            statement("2", UPDATE, 93.6e3, 0.2e6, 5.0),
        ],
    );
    run.causes = vec![Cause {
        id: "index-missing".into(),
        measurement: "database.observed".into(),
        urgency: Urgency::Performance,
        summary: "public.orders is read as a whole, 200k rows each time".into(),
        evidence: "figures".into(),
        against: String::new(),
        action: "create an index".into(),
        statement: None,
        undo: "drop it".into(),
        verify: "observe again".into(),
        share: Some((CauseShare::SessionTime, 0.6)),
        gain_at_most: Some(1.5),
        has_reason: true,
        statement_id: "1".into(),
        sessions_behind: None,
    }];
    run
}

/// Twice the rate, half the time, all of it less of the lookup's.
fn after() -> Run {
    let mut run = with(
        observed(),
        "bbbb2222",
        vec![
            statement("1", LOOKUP, 187.2e3, 0.1e6, 4.0),
            statement("2", UPDATE, 187.2e3, 0.3e6, 5.0),
        ],
    );
    let scale = |interval: &mut Option<Interval>, by: f64| {
        if let Some(interval) = interval {
            (interval.low, interval.high) = (interval.low * by, interval.high * by);
        }
    };
    for metric in &mut run.measurements[0].metrics {
        let by = if metric.name == metric::THROUGHPUT.name { 2.0 } else { 0.5 };
        metric.value *= by;
        scale(&mut metric.interval_95, by);
    }
    let time = run.verdicts[0].standing.as_mut().unwrap().time.as_mut().unwrap();
    (time.summed_ns, time.account_ns) = (1e6, 1e6);
    for part in &mut time.parts {
        part.ns_per_op *= 0.5;
        scale(&mut part.interval_95, 0.5);
    }
    run.observations[0].settings[5].value = "4GB".into();
    run
}

fn compared(base: &Run, other: &Run) -> RunComparison {
    let side = |name: &str, run| Side { name: name.into(), runs: vec![run] };
    compare(&side("before", base), &[side("after", other)], &Question::default()).unwrap()
}

fn document(base: &Run, other: &Run) -> Document {
    comparison(&compared(base, other), &[], Units::Si)
}

fn screen(document: &Document) -> String {
    render(document, &TEXT, Screen::PLAIN)
}

#[test]
fn a_screen_says_what_became_of_the_cause_and_of_the_promise() {
    let screen = screen(&document(&before(), &after()));
    insta::assert_snapshot!("compared", screen);
    assert!(screen.lines().all(|line| line.chars().count() <= 100), "{screen}");
    assert!(screen.lines().count() <= 60, "one screen: {screen}");
    assert!(
        screen.contains("A setting changed between the observations, and what came is of both"),
        "{screen}"
    );
    // Nobody who has one look of each is told that three runs are needed for a word.
    assert!(!screen.contains("Fewer than three") && !screen.contains("MEASUREMENTS"), "{screen}");
}

#[test]
fn a_look_that_tells_too_little_is_the_first_sentence() {
    let mut idle = after();
    (idle.observations[0].counted.commits, idle.observations[0].counted.rollbacks) =
        (Some(12.0), Some(0.0));
    let screen = screen(&document(&before(), &idle));
    let result = screen.split("RESULT").nth(1).unwrap().trim_start();
    assert!(result.starts_with("Nothing is concluded"), "{screen}");
    assert!(result.contains("after: 12 transactions ended, 100 are needed: idle, or too short"));
    assert!(!screen.contains("Gone:") && screen.contains("not seen"), "{screen}");
    assert!(!screen.contains(" down ") && !screen.contains(" up "), "{screen}");
}

#[test]
fn other_servers_versions_and_loads_are_named_before_their_figures_are_used() {
    let mut other = after();
    other.observations[0].version = "17.4".into();
    other.observations[0].address = "postgres://monitor@db8:5432/shop".into();
    let consumers = other.observations[0].consumers.as_mut().unwrap();
    let statements = consumers.statements.as_mut().unwrap();
    statements.list.push(statement("3", "SELECT 1", 500e3, 0.1e6, 1.0));
    statements.all.calls += 500e3;
    let screen = screen(&document(&before(), &other));
    assert!(screen.contains("The observations saw other statements"), "{screen}");
    assert!(
        screen.contains("The observations differ in server, version: see COMPARABLE"),
        "{screen}"
    );
    assert!(
        screen.contains("server    db7:5432 → db8:5432 on db7; version 18.1 → 17.4"),
        "{screen}"
    );
    assert!(screen.contains("the same by its text; its query_id is another one"), "{screen}");
    assert!(screen.contains("not listed in the first observation"), "{screen}");
    assert!(!screen.contains("Promised"), "{screen}");
}

#[test]
fn a_page_has_both_histories_and_programs_have_all_of_it() {
    let document = document(&before(), &after());
    let page = render(&document, &HTML, Screen::PLAIN);
    for part in [
        "before: active sessions by what they were doing",
        "after: active sessions by what they were doing",
        "<h2>Causes then and now</h2>",
        "id=\"f0\"",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let json = render(&document, form("json").unwrap(), Screen::PLAIN);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let observed = &json["against"][0]["observed"];
    assert_eq!(observed["causes"][0]["fate"], "gone");
    assert_eq!(observed["promise"]["outcome"], "within");
    assert_eq!(observed["load"]["kind"], "closed_loop");
    assert_eq!(observed["statements"]["list"][0]["base"]["blocks_per_call"], 240.0);
    assert!(observed["base"]["history"].is_null(), "the run has it");
    let markdown = render(&document, form("markdown").unwrap(), Screen::PLAIN);
    assert!(markdown.contains("buffers 2GB → 4GB"), "{markdown}");
}

#[test]
fn hostile_names_stay_text_in_a_comparison() {
    let mut run = after();
    let hostile = "</script><script>alert(1)</script>\u{1b}[2J\u{202e}";
    run.observations[0].address = format!("postgres://{hostile}@x/y");
    run.observations[0].settings[5].value = hostile.into();
    run.causes = before().causes;
    run.causes[0].summary = hostile.into();
    run.causes[0].id = "flushes".into();
    let statements = run.observations[0].consumers.as_mut().unwrap().statements.as_mut();
    statements.unwrap().list[0].text = Some(hostile.into());
    let document = document(&before(), &run);
    let page = render(&document, &HTML, Screen::PLAIN);
    assert!(!page.contains("<script>alert"), "{page}");
    let screen = render(&document, &TEXT, Screen::PLAIN);
    assert!(!screen.contains('\u{1b}') && !screen.contains('\u{202e}'), "{screen}");
}
