//! Runs that only looked: a live server's log, and what `pg_test_fsync` printed beside it.

use crate::common::builders::m;
use crate::common::finding;
use crate::common::live::looked as run;
use narrows_model::*;
use narrows_report::{Report, Units, text};
use serde_json::json;

fn screen(run: &Run) -> String {
    text(&Report::new(run, Units::Si), 100, false)
}

#[test]
fn a_look_fits_the_screen() {
    let screen = screen(&run());
    insta::assert_snapshot!("live_log", screen);
    assert!(screen.lines().all(|line| line.chars().count() <= 100), "{screen}");
    let narrow = text(&Report::new(&run(), Units::Si), 80, false);
    assert!(narrow.lines().all(|line| line.chars().count() <= 80), "{narrow}");
    // The parts of the wait make its sum: sessions over three thousand a second.
    let row = |name: &str| screen.lines().find(|line| line.contains(name)).expect(name).to_string();
    assert!(row("WAL in total").contains("1.64 ms"), "{screen}");
    assert!(row("behind another's flush").contains("1.37 ms"), "{screen}");
    assert!(screen.contains("what is planted (a right)"), "{screen}");
}

#[test]
fn a_ladder_stands_beside_pg_test_fsync_where_there_is_one() {
    let mut run = run();
    let row = |run: &Run| {
        let screen = screen(run);
        screen.lines().find(|line| line.contains("8 KiB fdatasync")).unwrap().to_string()
    };
    assert!(
        row(&run).contains("1.02 ms") && row(&run).contains("the server's own flush"),
        "{}",
        row(&run)
    );
    let id = "log.ladder.write.fdatasync.overwrite.8k.alone";
    run.measurements.push(m(id, Layer::Log, 6, &[(metric::LATENCY_MEAN, 7e5, 0.0)]));
    assert!(row(&run).contains("700 µs") && row(&run).contains("the ladder's"), "{}", row(&run));
    // What is invalid is printed nowhere.
    run.findings.push(finding(Severity::Invalid, "planted", Some(id), "planted"));
    run.apply_findings();
    assert!(!row(&run).contains("700 µs"), "{}", row(&run));
}

#[test]
fn what_bounds_commits_is_the_result_with_the_first_thing_to_do() {
    let result = |run: &Run| -> String {
        let screen = screen(run);
        let (_, sections) = screen.split_once("\n\n").unwrap();
        let (first, _) = sections.split_once("\n\n").unwrap();
        first.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let mut run = run();
    let said = "RESULT Commits on the observed server: WAL flushes that follow each other are the bottleneck (likely). It would change with a log device with shorter flushes.";
    assert_eq!(result(&run), said);
    let verdict = run.live_logs[0].verdict.as_mut().unwrap();
    (verdict.grade, verdict.or_cpus) = (Grade::Undecided, true);
    let said = "RESULT Commits on the observed server: undecided, CPU or WAL flushes that follow each other. Run narrows observe, which compares all limits.";
    assert_eq!(result(&run), said);
    let verdict = run.live_logs[0].verdict.as_mut().unwrap();
    verdict.or_cpus = false;
    (verdict.bound, verdict.grade) = (LiveBound::NotTheLog, Grade::Undecided);
    verdict.changes.clear();
    let said = "RESULT Commits on the observed server: the WAL is not the bottleneck (undecided).";
    assert_eq!(result(&run), said);
    run.live_logs[0].verdict.as_mut().unwrap().bound = LiveBound::Unknown;
    run.live_logs[0].unknown[0].needs = "GRANT pg_monitor TO app".into();
    assert!(result(&run).ends_with(" GRANT pg_monitor TO app, then observe again."));
}

#[test]
fn what_is_unknown_is_a_dash_and_suspects_are_marked() {
    let mut run = run();
    let log = &mut run.live_logs[0];
    log.counted = LiveCounts { interval_ns: 30e9, writers: Some(90.0), ..LiveCounts::default() };
    log.waits = LiveWaits::default();
    run.measurements[0].conditions.insert(narrows_model::condition::FSYNC, json!("off"));
    run.findings.push(finding(Severity::Suspect, "planted", Some("log.live"), "planted"));
    run.apply_findings();
    run.live_logs[0].cost.unanswered = 2;
    run.live_logs[0].cost.unanswered_ns = 1e10;
    let screen = screen(&run);
    assert!(screen.contains("604 queries (2 not answered, 10.0 s lost)"), "{screen}");
    let row = screen.lines().find(|line| line.trim_start().starts_with("flushes")).unwrap();
    assert!(row.contains(" - "), "{screen}");
    assert!(!screen.contains("ACTIVE SESSIONS"), "{screen}");
    assert!(screen.contains("? PostgreSQL 18.1"), "{screen}");
}

#[test]
fn what_looking_added_to_a_log_and_what_it_was_held_to_is_said() {
    let mut run = run();
    let looking = |run: &Run| {
        let screen = screen(run);
        let at = screen.find("took 604").expect("a line on looking");
        screen[at..].split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let cost = &mut run.live_logs[0].cost;
    cost.log_lines_per_min = Some(590.0);
    cost.logged_by = vec!["log_statement = all".into(), "log_duration = on".into()];
    cost.paced_by = Some(LivePace::LogLines);
    cost.questions_per_s = Some(3.26);
    let said = looking(&run);
    let lines = "; about 590 lines per minute in the server's log (log_statement = all, log_duration = on); samples were limited to 600 lines per minute there, at least one per window: 3.3 per second instead of 20; nothing was changed";
    assert!(said.contains(lines), "{said}");
    let cost = &mut run.live_logs[0].cost;
    (cost.log_lines_per_min, cost.paced_by) = (None, Some(LivePace::Processor));
    let said = looking(&run);
    assert!(
        said.contains(
            "; samples were limited to 1.0 % of a CPU, at least one per window: 3.3 per second"
        ),
        "{said}"
    );
    run.live_logs[0].cost.paced_by = None;
    let said = looking(&run);
    assert!(!said.contains("limited to") && said.contains("; nothing was changed"), "{said}");
}

#[test]
fn a_verdict_on_a_log_comes_with_what_its_grades_mean() {
    let legend = "LIKELY: counters and waits name it, no change tested it.";
    let mut run = run();
    let report = |run: &Run| Report::new(run, Units::Si);
    assert!(screen(&run).contains(legend));
    assert!(narrows_report::html(&report(&run)).contains(legend));
    run.live_logs[0].verdict = None;
    assert!(!screen(&run).contains(legend));
    assert!(!narrows_report::html(&report(&run)).contains(legend));
}

#[test]
fn no_doubt_is_printed_that_leaves_its_figure_out() {
    let mut run = run();
    // Bursts: the median window's interval is far below the mean.
    let flush = &mut run.live_logs[0].waits.sessions[0];
    flush.interval_95 =
        Some(Interval { low: 0.0, high: 0.1, method: IntervalMethod::OrderStatistic });
    let log_rate = run.measurements[0].metrics.iter_mut().find(|m| m.name == metric::LOG_RATE);
    log_rate.unwrap().interval_95 =
        Some(Interval { low: 2e6, high: 3e6, method: IntervalMethod::OrderStatistic });
    let screen = screen(&run);
    for name in ["in its own flush", "  WAL "] {
        let row = screen.lines().find(|line| line.contains(name)).unwrap();
        assert!(!row.contains('±'), "{row}");
    }
    let row = screen.lines().find(|line| line.contains("behind another's flush")).unwrap();
    assert!(row.contains('±'), "{row}");
}

#[test]
fn what_is_ours_alone_and_ids_beyond_commits_are_marked() {
    let mut run = run();
    let log = &mut run.live_logs[0];
    log.counted.commits = Some(45_000.0);
    let off = log.settings.iter_mut().find(|s| s.name == "synchronous_commit").unwrap();
    (off.value, off.source) = ("off".into(), "user".into());
    let screen = screen(&run);
    assert!(screen.contains("synchronous_commit off (narrows' session)"), "{screen}");
    let row = screen.lines().find(|line| line.contains("transactions that wrote")).unwrap();
    // Half of the ids are commits, so that each commit has twice as much.
    assert!(row.contains("1.50k/s") && row.contains("1.07 kB of WAL each"), "{row}");
    assert!(screen.contains("transaction ids: 3.00k/s"), "{screen}");
}
