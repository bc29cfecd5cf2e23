//! A server that was only looked at: its figures, its verdict, and what is said where little could be seen.

use crate::common::observed::observed;
use crate::common::{finding, rich};
use narrows_model::page_archive::embedded_run;
use narrows_model::*;
use narrows_report::{Report, Units, csv, html, markdown, text};

fn screen(run: &Run) -> String {
    text(&Report::new(run, Units::Si), 100, false)
}

fn line<'a>(screen: &'a str, name: &str) -> &'a str {
    let of = |line: &&str| line.trim_start().starts_with(name);
    screen.lines().find(of).unwrap_or_else(|| panic!("no {name} in\n{screen}"))
}

#[test]
fn an_observed_server_fits_the_screen() {
    let screen = screen(&observed());
    insta::assert_snapshot!("observed", screen);
    assert!(screen.lines().all(|line| line.chars().count() <= 100), "{screen}");
    let narrow = text(&Report::new(&observed(), Units::Si), 80, false);
    assert!(narrow.lines().all(|line| line.chars().count() <= 80), "{narrow}");
    // What the clients decide is no closed loop of ours, and has no p99 at a rate of ours.
    for absent in ["closed loop", "p99", "server start"] {
        assert!(!screen.contains(absent), "{absent} in\n{screen}");
    }
}

#[test]
fn parts_of_a_transaction_make_the_whole() {
    let screen = screen(&observed());
    let (_, table) = screen.split_once("WHERE A TRANSACTION'S TIME GOES").unwrap();
    let names = ["flush", "CPU", "read", "lock", "other", "run queue", "client"];
    let share = |name: &&str| -> f64 {
        // The ± comes first.
        let before = line(table, name).split(" %").nth(1).unwrap();
        before.split_whitespace().last().unwrap().parse().unwrap()
    };
    let sum: f64 = names.iter().map(share).sum();
    assert!((sum - 100.0).abs() < 1.0, "{sum}: {table}");
    assert_eq!(share(&"flush"), 40.0, "{screen}");
    assert!(line(table, "flush").contains("IO:WALSync 0.80"), "{table}");
    assert!(line(table, "total").contains("2.04 ms (server's own count)"), "{table}");
    // A letter of a bar for every 5 %.
    assert!(line(table, "flush").contains(" ######## "), "{table}");
}

#[test]
fn who_waits_for_a_standby_is_not_sent_to_buy_a_drive() {
    let here = screen(&observed());
    assert!(here.contains("a faster WAL flush"), "{here}");
    let mut run = observed();
    for found in &mut run.observations[0].activity.found {
        if found.state == ActivityState::Log {
            found.events = vec![("IPC:SyncRep".to_string(), found.processes)];
        }
    }
    let standby = screen(&run);
    assert!(standby.contains("a shorter path to the"), "{standby}");
    assert!(!standby.contains("a faster WAL flush"), "{standby}");
}

#[test]
fn what_is_unknown_has_no_row() {
    let mut run = observed();
    let seen = &mut run.observations[0];
    seen.counted = ObservedCounts {
        commits: Some(93_600.0),
        block_reads: Some(1000.0),
        ..ObservedCounts::default()
    };
    seen.processes = None;
    seen.activity = Activity::default();
    seen.sessions = ObservedSessions::default();
    seen.build.clear();
    run.verdicts[0].standing = None;
    let screen = screen(&run);
    assert!(line(&screen, "blocks read").contains("16.7/s"), "{screen}");
    for absent in [
        "blocks hit",
        "CPUs",
        "sessions  ",
        "rows",
        "log",
        "flushes",
        "checkpoints  ",
        "temp",
        "BUILT",
    ] {
        let found = screen.lines().any(|line| line.trim_start().starts_with(absent));
        assert!(!found, "{absent} in\n{screen}");
    }
    assert!(!screen.contains("TIME GOES") && !screen.contains("STATES"), "{screen}");
    let page = html(&Report::new(&run, Units::Si));
    assert!(!page.contains("<section id=\"history\">"), "a picture of nothing");
    assert!(!page.contains("<section id=\"processors\">"), "processors of nobody");
}

#[test]
fn without_a_sum_it_still_says_where_sessions_were() {
    let mut run = observed();
    run.verdicts[0].standing.as_mut().unwrap().time = None;
    let screen = screen(&run);
    let row = line(&screen, "waiting for WAL");
    assert!(row.contains("1.25") && row.contains("IO:WALSync 0.80"), "{screen}");
    assert!(line(&screen, "idle in transaction").ends_with('-'), "{screen}");
}

#[test]
fn nothing_is_derived_from_an_invalid_look() {
    let mut run = observed();
    run.findings.push(finding(Severity::Invalid, "planted", Some("database.observed"), "planted"));
    run.apply_findings();
    let screen = screen(&run);
    assert!(screen.contains("invalid: PostgreSQL 18.1"), "{screen}");
    for absent in ["1.56k/s", "TIME GOES"] {
        assert!(!screen.contains(absent), "{absent} in\n{screen}");
    }
    let rows = csv(&Report::new(&run, Units::Si));
    let commits = rows.lines().find(|row| row.starts_with("database.observed.counted")).unwrap();
    assert!(commits.contains(",invalid,"), "{commits}");
}

#[test]
fn only_what_somebody_chose_is_called_not_the_default() {
    let screen = screen(&observed());
    let screen: Vec<&str> = screen.split_whitespace().collect();
    let screen = screen.join(" ");
    let (_, settings) = screen.split_once("SETTINGS").unwrap();
    assert!(settings.contains("max_wal_size 256MB") && settings.contains("shared_buffers 2GB"));
    assert!(settings.contains("work_mem 64MB (narrows' session)"), "{settings}");
    assert!(settings.contains("and 2 irrelevant ones omitted"), "{settings}");
    assert!(!settings.contains("synchronous_commit") && !settings.contains("lc_messages"));
}

#[test]
fn the_page_has_the_verdict_first_and_pictures_with_words() {
    let run = observed();
    let page = html(&Report::new(&run, Units::Si));
    let at = |what: &str| page.find(what).unwrap_or_else(|| panic!("no {what}"));
    let order =
        ["narrow", "next", "observed", "history", "processors", "wal", "settings", "findings"];
    let places = order.map(|id| at(&format!("<section id=\"{id}\">")));
    assert!(places.is_sorted(), "{places:?}");
    // The gap in the history parts each area, in both widths.
    let areas = page
        .split("<path class=")
        .filter(|path| path.starts_with("f2 "))
        .map(crate::common::areas)
        .sum::<usize>();
    assert_eq!(areas, 4, "areas of the log's waits");
    for words in
        ["waiting for WAL", "4 CPUs for the server", "full-page images, at most", "-Wall -O2 -g"]
    {
        assert!(page.contains(words), "no `{words}`");
    }
    assert_eq!(embedded_run(&page).unwrap().unwrap(), run);
}

#[test]
fn spreadsheets_have_states_counters_and_the_history() {
    let run = observed();
    let rows = csv(&Report::new(&run, Units::Si));
    let row = |start: &str| {
        rows.lines().find(|row| row.starts_with(start)).unwrap_or_else(|| panic!("no {start}"))
    };
    let log = row("database.observed.at_work,database,valid,session.log,count,1.25,");
    let cells: Vec<&str> = log.split(',').collect();
    let ends = [6, 7].map(|cell| cells[cell].parse::<f64>().unwrap());
    assert!(ends[0] < 1.25 && 1.25 < ends[1] && cells[8] == "6", "{log}");
    assert!(row("database.observed.counted,database,valid,flush_ns,ns,").len() > 40);
    assert!(row("database.observed.cpus,database,valid,kernel,cpus,0.21,").len() > 40);
    let lock = row("database.observed.history,database,valid,lock,count,");
    assert_eq!(lock.split(',').nth(9).unwrap().split(' ').count(), 114);
    // Each row has the columns of the header.
    assert!(rows.lines().all(|row| row.matches(',').count() >= 10), "{rows}");
}

#[test]
fn names_that_a_server_gives_stay_text() {
    let mut run = observed();
    let evil = "<script>\u{1b}[2J|`*\"".to_string();
    let seen = &mut run.observations[0];
    (seen.version, seen.address) = (evil.clone(), evil.clone());
    seen.settings[3].value = evil.clone();
    seen.activity.found[1].events[0].0 = evil.clone();
    seen.build[1].1 = evil.clone();
    seen.activity.history[3].sessions[0].1 = f64::NAN;
    let report = Report::new(&run, Units::Si);
    let page = html(&report);
    let (page, _) = page.split_once("<script type").unwrap();
    assert!(!page.contains("<script>") && !page.contains('\u{1b}') && !page.contains("NaN"));
    for view in [markdown(&report), screen(&run)] {
        assert!(!view.contains('\u{1b}'), "{view}");
    }
    assert!(!markdown(&report).contains("<script>"));
}

#[test]
fn runs_without_a_look_have_none_of_it() {
    let page = html(&Report::new(&rich(), Units::Si));
    assert!(!page.contains("id=\"f0\"") && !page.contains("id=\"observed\""));
}

/// Its verdict is open, for these reasons and with these findings of rules.
fn open(narrow: Bottleneck, findings: &[&str]) -> Run {
    let mut run = observed();
    let verdict = &mut run.verdicts[0];
    (verdict.grade, verdict.narrow) = (Grade::Undecided, narrow);
    verdict.phrase = "not named".into();
    let m = run.measurements.iter_mut().find(|m| m.id == "database.observed").unwrap();
    m.findings = findings.iter().map(|rule| rule.to_string()).collect();
    run
}

#[test]
fn a_longer_look_is_named_only_where_it_changes_something() {
    let next = |run: &Run| {
        let said = in_one_line(run);
        let (_, next) = said.split_once("| 1 | the observed server: undecided: nothing").unwrap();
        next.to_string()
    };
    for rule in ["observed-few-samples", "observed-few-transactions", "observed-too-short"] {
        let mut run = open(Bottleneck::Unknown, &[rule]);
        for (look_s, said) in [(20.0, "10min"), (60.0, "60min"), (590.0, "99min")] {
            run.observations[0].interval_ns = look_s * 1e9;
            let next = next(&run);
            assert!(
                next.contains(&format!("observe longer: `narrows observe --for {said}`")),
                "{rule}: {next}"
            );
        }
    }
    let said = next(&open(Bottleneck::CommitWait, &["observed-autovacuum"]));
    assert!(said.contains("narrows log postgres URL"), "{said}");
    let said = screen(&open(Bottleneck::Cpu, &[]));
    assert!(said.contains("undecided: nothing on") && !said.contains("observe longer"), "{said}");
}

#[test]
fn a_change_is_offered_to_be_asked_about_only_where_there_is_an_answer() {
    let mut run = observed();
    run.verdicts[0].sum.as_mut().unwrap().agrees = true;
    assert!(screen(&run).contains("--what-if"));
    run.verdicts[0].sum.as_mut().unwrap().agrees = false;
    assert!(!screen(&run).contains("--what-if"));
}

/// Without columns, in which sentences are broken.
fn in_one_line(run: &Run) -> String {
    let said = markdown(&Report::new(run, Units::Si));
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn holder(behind: f64) -> LockHolder {
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
fn who_keeps_a_lock_stands_under_sessions_and_under_next() {
    let mut run = open(Bottleneck::Lock, &[]);
    run.observations[0].sessions.holder = Some(holder(11.0));
    let said = in_one_line(&run);
    let who = "pid 4711, idle in transaction for 26.0 s";
    assert!(said.contains(&format!("blocked by one session ({who})")), "{said}");
    assert!(said.contains(&format!("11 sessions wait behind {who}")), "{said}");
    // Who has it for a moment is not named.
    let short = LockHolder {
        state: "active".into(),
        state_age_ns: Some(1e6),
        transaction_age_ns: Some(1e6),
        ..holder(11.0)
    };
    run.observations[0].sessions.holder = Some(short);
    assert!(!screen(&run).contains("4711"));
}

/// On one line, so that a wrap breaks no comparison.
fn flat(run: &Run) -> String {
    screen(run).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn who_keeps_a_lock_is_the_result_also_where_transactions_end() {
    let mut run = observed();
    run.observations[0].sessions.holder = Some(holder(11.0));
    let what = "11 sessions wait behind pid 4711, idle in transaction for 26.0 s: end that transaction: its client, or end its session: \
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = 4711 AND state LIKE 'idle in transaction%' \
                AND state_change < now() - interval '26 s'";
    let said = flat(&run);
    assert!(said.contains(&format!("RESULT {what}.")), "{said}");
    assert!(said.contains("The observed server: commit wait is the bottleneck"), "{said}");
    let shown = screen(&run);
    assert_eq!(shown.matches("'idle in transaction%'").count(), 2, "a literal is broken:\n{shown}");
    let next = Report::new(&run, Units::Si).next;
    assert_eq!(next[0].action, what);
    assert!(next[1].action.contains("a faster WAL flush"), "{next:?}");
    // One session that waits is none of it.
    run.observations[0].sessions.holder = Some(holder(1.0));
    let report = Report::new(&run, Units::Si);
    assert!(!report.result.join(" ").contains("4711"), "{:?}", report.result);
    assert!(!report.next.iter().any(|row| row.action.contains("4711")), "{:?}", report.next);
}

#[test]
fn a_role_that_may_not_see_sessions_is_told_the_grant_and_nothing_else() {
    let mut run = open(Bottleneck::Unknown, &["observed-few-samples"]);
    run.verdicts[0].standing = None;
    let seen = &mut run.observations[0];
    seen.activity = Activity::default();
    let unknown = |what: &str, needs: &str| Unknown { what: what.into(), needs: needs.into() };
    let many = (0..9)
        .map(|n| unknown(&format!("thing {n} of the machine"), "root, and a good many words"));
    run.hosts[0].platform.unknown = many.collect();
    seen.unknown = vec![
        unknown("how the server was built", "GRANT pg_read_all_settings, or a superuser"),
        unknown("what sessions do and wait for", "GRANT pg_monitor TO app"),
    ];
    let said = flat(&run);
    let result = "RESULT The observing role may not see what sessions do: GRANT pg_monitor TO app, then observe again.";
    assert!(said.contains(result), "{said}");
    assert!(!said.contains("observe longer") && !said.contains("nothing that was measured"));
    assert!(said.contains("NOT KNOWN what sessions do and wait for (GRANT pg_monitor TO app); "));
    let next = Report::new(&run, Units::Si).next;
    let rows: Vec<(&str, &str)> =
        next.iter().map(|row| (row.action.as_str(), row.prove.as_str())).collect();
    assert_eq!(rows, [("GRANT pg_monitor TO app", "observe again: narrows observe")]);
    // Where counters decide there is an answer too.
    run.verdicts[0].grade = Grade::Likely;
    run.verdicts[0].narrow = Bottleneck::Cpu;
    let said = flat(&run);
    assert!(said.contains("GRANT pg_monitor TO app, then observe again. The observed server: CPU"));
    // A server that does not tell is not a role that may not see.
    run.observations[0].unknown = vec![unknown("what sessions do", "track_activities = on")];
    assert!(flat(&run).contains("set track_activities = on, then observe again."));
}

#[test]
fn a_server_that_nobody_used_was_idle_and_is_not_to_be_observed_at_once_again() {
    let mut run = open(Bottleneck::Unknown, &["observed-few-transactions"]);
    let verdict = &mut run.verdicts[0];
    verdict.phrase = "idle: none of 4 sessions was active".into();
    let action = "nothing: the server was not used".into();
    let step = Step { action, prove: "observe it when it is used".into() };
    verdict.standing = Some(ObservedSituation { step: Some(step), ..ObservedSituation::default() });
    let about = Some("database.observed");
    run.findings.push(finding(Severity::Suspect, "planted", about, "few transactions"));
    run.apply_findings();
    let said = flat(&run);
    let result = "RESULT The observed server was idle: none of 4 sessions was active. Observe it while it is in use.";
    assert!(said.contains(result), "{said}");
    assert!(!said.contains("Run it again") && !said.contains("nothing that was measured"));
    run.verdicts[0].phrase = "locks: 3 of 4 sessions wait for Lock:advisory".into();
    let said = flat(&run);
    let result = "RESULT The observed server: locks: 3 of 4 sessions wait for Lock:advisory. Nothing: the server was not used.";
    assert!(said.contains(result), "{said}");
}

#[test]
fn what_to_do_and_where_the_time_goes_stand_above_the_counters() {
    let screen = screen(&observed());
    let at = |what: &str| screen.find(what).unwrap_or_else(|| panic!("no {what}\n{screen}"));
    let order = [
        "\nRESULT  ",
        "\nWHAT TO DO ",
        "\nWHERE A TRANSACTION'S TIME GOES",
        "\nOBSERVED ",
        "\nBOTTLENECKS ",
    ];
    assert!(order.map(at).is_sorted(), "{screen}");
    // Forms without columns have no bars of letters.
    assert!(screen.contains("######"), "{screen}");
    assert!(!markdown(&Report::new(&observed(), Units::Si)).contains("\\#\\#"));
}

#[test]
fn a_capacity_that_is_unknown_comes_with_the_option_that_gives_it() {
    let mut run = observed();
    run.verdicts[0].utilisation[1].label = "log".into();
    let said = flat(&run);
    assert!(said.contains("capacity unknown: WAL; --capacities RUN uses those measured"), "{said}");
}

#[test]
fn how_long_a_flush_runs_stands_beside_the_ends_where_it_is_long() {
    let mut run = observed();
    let interval_ns = run.observations[0].interval_ns;
    for (share, said) in [(0.83, true), (0.49, false)] {
        run.observations[0].counted.flush_ns = Some(interval_ns * share);
        assert_eq!(flat(&run).contains("a WAL flush runs 83 % of the time"), said, "{share}");
    }
    // Of a report it is the writes of a log writer, told with what they would give.
    run.observations[0].counted.flush_ns = Some(interval_ns * 0.83);
    run.observations[0].report = Some(ServerReport::default());
    assert!(!flat(&run).contains("a WAL flush runs"));
}

#[test]
fn two_limits_in_a_look_that_was_long_enough_ask_for_a_change() {
    let mut run = observed();
    (run.verdicts[0].narrow, run.verdicts[0].or) = (Bottleneck::CommitWait, Some(Bottleneck::Cpu));
    run.verdicts[0].grade = Grade::Undecided;
    let asks =
        |run: &Run| in_one_line(run).contains("commit wait or CPU: change one and observe again");
    let of = run.verdicts[0].measurement.clone();
    let validity = |run: &mut Run, validity| {
        run.measurements.iter_mut().find(|m| m.id == of).unwrap().validity = validity;
    };
    validity(&mut run, Validity::Valid);
    assert!(asks(&run), "{}", in_one_line(&run));
    validity(&mut run, Validity::Suspect);
    assert!(!asks(&run));
    validity(&mut run, Validity::Valid);
    run.verdicts[0].or = Some(Bottleneck::Unknown);
    assert!(!asks(&run));
}

/// Whether it can be typed once the words in capitals are put in: a command of this program, its options, and their values.
fn typed(command: &str) -> bool {
    const WORDS: [&str; 6] = ["run", "observe", "report", "log", "postgres", "7f3a"];
    let option = |word: &str| {
        let name = word.strip_prefix("--");
        name.is_some_and(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '-'))
    };
    let words: Vec<&str> = command.split(' ').collect();
    words.windows(2).all(|pair| {
        let capitals = pair[1].chars().all(|c| c.is_ascii_uppercase());
        WORDS.contains(&pair[1]) || capitals || option(pair[1]) || option(pair[0])
    })
}

#[test]
fn what_is_called_a_command_can_be_typed() {
    for narrow in Bottleneck::NAMED {
        for mut run in
            [rich(), observed(), open(narrow, &[]), open(narrow, &["observed-too-short"])]
        {
            run.verdicts.iter_mut().for_each(|verdict| verdict.narrow = narrow);
            for quick in [false, true] {
                run.plan.quick = quick;
                for row in Report::new(&run, Units::Si).next {
                    let Some(at) = row.prove.find("narrows ") else { continue };
                    assert!(typed(&row.prove[at..]), "{narrow:?}: `{}`", row.prove);
                    let lead = &row.prove[..at];
                    assert!(lead.is_empty() || lead.ends_with(": "), "{}", row.prove);
                }
            }
        }
    }
    assert!(!typed("narrows run, without --quick") && !typed("narrows log on the same drive"));
}

#[test]
fn where_nothing_ended_the_step_is_said_and_no_end_is_near_or_far() {
    let mut run = open(Bottleneck::Lock, &[]);
    let step = Step { action: "end that transaction".into(), prove: "observe again".into() };
    run.verdicts[0].standing =
        Some(ObservedSituation { step: Some(step), ..ObservedSituation::default() });
    let said = screen(&run);
    let next = line(&said, "1  the observed server: end that transaction");
    assert!(next.contains("observe again"), "{said}");
    assert!(!said.contains("how close to saturation"), "{said}");
    assert!(said.contains("SESSION STATES"), "{said}");
}

#[test]
fn sessions_that_did_nothing_are_counted_apart() {
    let mut run = observed();
    let sessions = &mut run.observations[0].sessions;
    (sessions.open, sessions.unused) = (Some(108.0), Some(100.0));
    sessions.duties = vec![
        SessionsOfDuty { duty: Duty::Busy, sessions: 3.0, at_work: 2.91 },
        SessionsOfDuty { duty: Duty::Seldom, sessions: 5.0, at_work: 0.2 },
    ];
    run.observations[0].processes.as_mut().unwrap().other_programs =
        vec![ProgramUse { name: "pgbench".into(), cpus: 0.17 }];
    let said = in_one_line(&run);
    assert!(said.contains("of 8 sessions active, 100 of 108 did nothing"), "{said}");
    assert!(said.contains("100 did nothing"), "{said}");
    assert!(said.contains("3.00 sessions active 97 % of the time, 5.00 sessions 4.0 %"), "{said}");
    assert!(said.contains("programs beside it: pgbench 0.17"), "{said}");
    // Of a server that nobody used there are none of how many.
    run.observations[0].sessions.unused = Some(108.0);
    run.observations[0].activity.found.clear();
    assert!(in_one_line(&run).contains("none of 108 sessions did anything"));
    run.verdicts[0].narrow = Bottleneck::CpuTaken;
    let said = in_one_line(&run);
    assert!(said.contains("move the other load off these CPUs (pgbench 0.17 CPUs)"), "{said}");
}

#[test]
fn the_cpus_of_a_server_of_ours_are_not_those_of_an_observed_one() {
    let mut run = observed();
    run.plan.database = DatabaseChoice::Managed;
    run.plan.server_cpus = vec![0];
    run.verdicts[0].narrow = Bottleneck::Cpu;
    run.verdicts[0].or = None;
    run.verdicts[0].grade = Grade::Likely;
    let said = flat(&run);
    assert!(said.contains("The observed server: CPU is the bottleneck (likely)"), "{said}");
    run.observations.clear();
    assert!(flat(&run).contains("CPU is the bottleneck with 1 of the machine's"), "a load of ours");
}
