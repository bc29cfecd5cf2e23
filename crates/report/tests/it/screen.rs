//! The one screen: golden screens, its width, and that colour changes nothing but colour.

use crate::common;
use narrows_model::{Bottleneck, Grade, Run, Validity};
use narrows_report::{Report, Units, text};

fn screen(run: &Run) -> String {
    text(&Report::new(run, Units::Si), 100, false)
}

fn all() -> Vec<(&'static str, Run)> {
    vec![
        ("rich", common::rich()),
        ("quick", common::quick()),
        ("interrupted", common::interrupted()),
        ("doubtful", common::doubtful()),
        ("without_database", common::without_database()),
        ("hostile", common::hostile()),
    ]
}

#[test]
fn screens_look_as_they_should() {
    for (name, run) in all().into_iter().filter(|(name, _)| *name != "hostile") {
        insta::assert_snapshot!(name, screen(&run));
    }
}

/// The rich run on a machine of which no limit is known.
fn without_limits() -> Run {
    let mut run = common::rich();
    run.measurements.iter_mut().for_each(|m| m.limits.clear());
    run
}

#[test]
fn columns_of_limits_are_there_only_where_one_is_known() {
    assert!(screen(&common::rich()).contains("link limit"));
    let screen = screen(&without_limits());
    assert!(!screen.contains("  share  remark"), "{screen}");
    assert!(screen.contains("no physical limit known"), "{screen}");
}

#[test]
fn every_line_fits_and_moves_no_cursor() {
    for (name, run) in all().into_iter().chain([("without limits", without_limits())]) {
        for width in [0, 80, 100, 120, 500] {
            for units in [Units::Si, Units::Iec] {
                let screen = text(&Report::new(&run, units), width, false);
                for line in screen.lines() {
                    let columns = line.chars().count();
                    assert!(columns <= width.clamp(80, 120), "{name}: {columns} columns: {line}");
                    assert!(!line.chars().any(char::is_control), "{name}: {line:?}");
                    assert_eq!(line.trim_end(), line, "{name}");
                }
            }
        }
    }
}

#[test]
fn colour_adds_only_colour() {
    for (name, run) in all() {
        let coloured = text(&Report::new(&run, Units::Si), 100, true);
        assert!(coloured.contains('\u{1b}'), "{name}");
        let mut plain = String::new();
        let mut rest = coloured.as_str();
        while let Some((before, after)) = rest.split_once('\u{1b}') {
            plain.push_str(before);
            rest = after.split_once('m').expect("an escape ends with m").1;
        }
        plain.push_str(rest);
        let plain: Vec<&str> = plain.lines().map(str::trim_end).collect();
        assert_eq!(plain, screen(&run).lines().collect::<Vec<_>>(), "{name}");
    }
}

#[test]
fn a_sketch_and_a_stopped_run_say_so_in_the_head() {
    assert!(screen(&common::quick()).lines().take(2).any(|l| l.contains("quick: 3 repeats")));
    assert!(
        screen(&common::interrupted()).lines().next().unwrap().contains("INTERRUPTED, partial")
    );
    let full = screen(&common::rich());
    assert!(!full.contains("quick: ") && !full.contains("INTERRUPTED"));
}

#[test]
fn an_invalid_figure_is_not_printed_anywhere() {
    let screen = screen(&common::doubtful());
    assert!(screen.contains("invalid"));
    assert!(!screen.contains("2.31M/s"), "{screen}");
    assert!(!screen.contains("152k/s"), "{screen}");
    assert!(!screen.contains("602 µs"), "the tail of an invalid measurement is invalid too");
}

#[test]
fn an_invalid_companion_lends_no_figure_to_a_remark() {
    let mut run = common::rich();
    for about in ["block.read.random.8k.d1", "memory.latency.4k", "clock.syscall"] {
        run.findings.push(common::finding(
            narrows_model::Severity::Invalid,
            "planted",
            Some(about),
            "planted",
        ));
    }
    run.apply_findings();
    let screen = screen(&run);
    assert!(!screen.contains("alone 84.6"), "{screen}");
    assert!(!screen.contains("4 KiB 158"), "{screen}");
    assert!(!screen.contains("syscall 181"), "{screen}");
}

#[test]
fn a_suspect_row_carries_its_mark_and_footnote() {
    let screen = screen(&common::rich());
    let row = screen.lines().find(|l| l.contains("random write 8 KiB")).unwrap();
    assert_eq!(row.chars().nth(7), Some('?'), "{row}");
    assert!(row.ends_with("[2]"), "{row}");
    assert!(screen.contains("[2] suspect: wrote 41 GB"));
}

#[test]
fn an_absent_workload_gives_its_reason() {
    let screen = screen(&common::quick());
    let mut lines = screen.lines().skip_while(|l| !l.contains("  lookup, uncached"));
    let line = lines.nth(1).unwrap();
    assert!(line.contains("not measured: no way to keep"), "{line}");
}

#[test]
fn without_an_interval_the_number_of_repeats_is_printed() {
    let quick = screen(&common::quick());
    let row = quick.lines().find(|l| l.contains("sequential read 1 MiB")).unwrap();
    assert!(row.contains("- n 3"), "{row}");
    assert!(quick.contains("n: repeats, too few for an interval"));
    assert!(!screen(&common::rich()).contains("too few"));
}

#[test]
fn grades_end_at_the_right_edge() {
    let screen = screen(&common::rich());
    for line in screen.lines().filter(|l| l.ends_with(" CONFIRMED") || l.ends_with(" LIKELY")) {
        assert_eq!(line.chars().count(), 100, "{line}");
    }
    assert_eq!(screen.lines().filter(|l| l.ends_with(" CONFIRMED")).count(), 3);
}

#[test]
fn the_tail_says_at_which_rate_it_was_taken() {
    let screen = screen(&common::rich());
    let (_, table) = screen.split_once("WORKLOAD").unwrap();
    let uncached = table.lines().find(|line| line.contains("lookup, uncached")).unwrap();
    assert!(uncached.contains(" 410 µs"), "{table}");
    assert!(table.lines().next().unwrap().contains("p99 *"), "{table}");
    assert!(table.contains("* p99 at 70 % of that throughput"), "{table}");
}

#[test]
fn a_cpu_is_never_called_a_thread() {
    for (name, run) in all() {
        let screen = screen(&run);
        let found = screen.lines().find(|l| l.contains("thread") || l.contains("processor"));
        assert_eq!(found, None, "{name}");
    }
}

#[test]
fn a_factor_that_is_no_loss_is_not_called_sharing() {
    let mut run = common::rich();
    let sharing = run.verdicts[0].sharing.as_mut().unwrap();
    (sharing.alone_ns_per_op, sharing.smt_factor) = (89.2e3, Some(1.0));
    (sharing.ratio, sharing.limits_scaling) = (Some(0.686), false);
    let screen_text = common::explained(&run);
    assert!(!screen_text.contains("0.686") && !screen_text.contains("sharing ×"), "{screen_text}");
    let flat = screen_text.split_whitespace().collect::<Vec<_>>().join(" ");
    let told = "one session alone needs 89.2 µs CPU, more than one of many: the cost of sharing is unknown";
    assert!(flat.contains(told), "{flat}");
    // Then more CPUs are worth a try, and the reader is told how many there were.
    let next = Report::new(&run, Units::Si).next;
    let asks = |row: &narrows_report::NextRow| row.action.contains("the server had 96 of 128");
    assert!(next.iter().any(asks), "{next:?}");
    // Where something else is narrow, it would only be noise.
    run.verdicts[0].narrow = narrows_model::Bottleneck::Client;
    assert!(!common::explained(&run).contains("sharing"));
}

#[test]
fn growth_that_a_clock_may_explain_is_called_either() {
    let mut run = common::rich();
    let sharing = run.verdicts[0].sharing.as_mut().unwrap();
    (sharing.clock_factor, sharing.limits_scaling) = (None, false);
    let flat = |run: &Run| common::explained(run).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        flat(&run)
            .contains("SMT × 1.65, × 1.32, which sharing or a clock that falls under load may be")
    );
    // A clock that falls by a fifth at most, and is known to.
    let sharing = run.verdicts[0].sharing.as_mut().unwrap();
    (sharing.clock_factor, sharing.limits_scaling, sharing.ratio) = (Some(1.2), true, Some(1.5));
    let text = flat(&run);
    assert!(text.contains("× 1.50 by sharing (memory, caches, locks), more than a falling clock explains (× 1.20 at most)"), "{text}");
}

#[test]
fn a_wait_for_reads_has_two_ways_out_with_the_gain_of_each() {
    let next = Report::new(&common::rich(), Units::Si).next;
    let of = |words: &str| next.iter().find(|row| row.action.contains(words)).unwrap();
    let (sessions, reads) = (of("more sessions"), of("faster reads"));
    assert_eq!((sessions.expect.as_str(), sessions.prove.as_str()), ("+51 %", "tested above"));
    assert_eq!(reads.expect, "+0 to +91 %");
}

#[test]
fn a_commit_delay_is_blamed_before_a_drive() {
    let mut run = common::rich();
    let delayed = |delay: &str, run: &mut Run| {
        let id = run.verdicts[2].measurement.clone();
        let m = run.measurements.iter_mut().find(|m| m.id == *id.as_str()).unwrap();
        m.conditions.insert(
            narrows_model::condition::SERVER_SETTINGS,
            serde_json::json!({"commit_delay": delay}),
        );
        Report::new(run, Units::Si)
            .next
            .iter()
            .map(|row| row.action.clone())
            .collect::<Vec<_>>()
            .join("; ")
    };
    let told = delayed("5000", &mut run);
    assert!(
        told.contains("commit_delay = 0: before a flush a commit waits up to 5000 µs"),
        "{told}"
    );
    assert!(!told.contains("a faster WAL flush"), "{told}");
    // Off, or too short for 645 µs in which commits wait.
    for delay in ["0", "10", "300"] {
        assert!(delayed(delay, &mut run).contains("a faster WAL flush"), "{delay}");
    }
}

#[test]
fn more_cpus_are_not_advised_where_they_do_not_scale() {
    let screen = screen(&common::rich());
    let (_, next) = screen.split_once("\nWHAT TO DO").unwrap();
    assert!(next.contains("cached lookups: faster CPUs"), "{next}");
    assert!(!next.contains("the server had"), "{next}");
}

#[test]
fn each_workload_has_a_gain_of_its_own() {
    let mut run = common::rich();
    let mut twin = run.verdicts[0].clone();
    twin.workload = "update".into();
    (twin.measurement, twin.gain_at_most) = ("database.update".into(), Some(1.19));
    run.verdicts[2] = twin;
    let screen = screen(&run);
    let gain = |start: &str| {
        let row = screen.lines().find(|l| l.contains(start)).unwrap_or_else(|| panic!("{screen}"));
        row.split("+0 to ").nth(1).map(|rest| rest.split(" %").next().unwrap().to_string())
    };
    assert_eq!(gain("  cached lookups: ").as_deref(), Some("+33"));
    assert_eq!(gain("  updates: ").as_deref(), Some("+119"));
}

#[test]
fn what_is_not_known_is_all_named_or_the_command_that_names_it() {
    let mut run = common::rich();
    let unknown = |i: u32| narrows_model::Unknown {
        what: format!("thing {i}"),
        needs: format!("a right that takes a good many words to describe, number {i}"),
    };
    run.hosts[0].platform.unknown = (0..8).map(unknown).collect();
    let few = screen(&run);
    let (_, few) = few.split_once("NOT KNOWN").unwrap();
    assert!((0..8).all(|i| few.contains(&format!("thing {i}"))), "{few}");
    assert!(few.contains("why: narrows report 7f3a --html"), "{few}");
    run.hosts[0].platform.unknown = (0..80).map(unknown).collect();
    let many = screen(&run);
    let (_, many) = many.split_once("NOT KNOWN").unwrap();
    let named = (0..80).filter(|i| many.contains(&format!("thing {i};"))).count();
    assert!(named >= 20, "{many}");
    // The effect of a restart is the one unknown that the run itself adds.
    let flat = many.split_whitespace().collect::<Vec<_>>().join(" ");
    let rest = format!("{} more, and why: narrows report 7f3a --html", 81 - named);
    assert!(flat.contains(&rest), "{named}: {flat}");
}

#[test]
fn iec_is_an_option() {
    let screen = text(&Report::new(&common::rich(), Units::Iec), 100, false);
    assert!(screen.contains("361 GiB/s"), "{screen}");
    assert!(!screen.contains("GB/s"), "{screen}");
}

#[test]
fn an_empty_run_still_gives_a_screen() {
    let mut run = common::rich();
    run.measurements.clear();
    run.findings.clear();
    run.verdicts.clear();
    run.hosts.clear();
    let report = Report::new(&run, Units::Si);
    assert!(text(&report, 100, false).contains("0 measurements: 0 valid"));
    assert!(narrows_report::html(&report).contains("</html>"));
    assert!(narrows_report::markdown(&report).contains("not judged"));
}

#[test]
fn a_database_that_could_not_be_measured_says_why_and_what_to_do() {
    let mut run = common::rich();
    run.verdicts.clear();
    run.measurements.retain(|m| m.layer != narrows_model::Layer::Database);
    run.findings.push(narrows_model::Finding {
        id: "absent-database".into(),
        severity: narrows_model::Severity::Note,
        measurement: None,
        summary: "no PostgreSQL server found".into(),
        evidence: "no PostgreSQL server found".into(),
        advice: "install one".into(),
        places: Vec::new(),
    });
    let screen = text(&Report::new(&run, Units::Si), 100, false);
    let flat = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    let said =
        "RESULT The database was not measured: no PostgreSQL server found; hint: install one.";
    assert!(flat.contains(said), "{screen}");
}

#[test]
fn a_layer_that_could_not_be_measured_is_named_first_and_has_its_row() {
    use narrows_model::Layer;
    for (layer, says, name) in [
        (Layer::Memory, "The memory was", "memory"),
        (Layer::Block, "The drives were", "block"),
        (Layer::Log, "The WAL was", "WAL"),
    ] {
        for mut run in [common::rich(), common::without_database()] {
            run.measurements.retain(|m| m.layer != layer);
            let id = narrows_model::Finding::id_of_not_measured(layer.word());
            let mut finding =
                common::finding(narrows_model::Severity::Note, &id, None, "no room in /data");
            finding.advice = "free 4.29 GB".into();
            run.findings.push(finding);
            let report = Report::new(&run, Units::Si);
            let said = format!("{says} not measured: no room in /data; hint: free 4.29 GB.");
            assert_eq!(report.result[0], said);
            let screen = text(&report, 100, false);
            let flat = screen.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(flat.contains(&format!("RESULT {said}")), "{screen}");
            let row = screen.lines().find(|line| line.contains("  not measured: no room in /data"));
            assert!(row.is_some_and(|row| row.starts_with(name)), "{screen}");
            let brief = common::brief(&run, 100);
            let flat = brief.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(flat.contains(&format!("RESULT {says} not measured: no room")), "{brief}");
        }
    }
}

#[test]
fn a_command_to_type_is_never_broken() {
    for (name, run) in all() {
        let report = Report::new(&run, Units::Si);
        let commands = report
            .next
            .iter()
            .filter_map(|row| row.prove.find("narrows ").map(|at| &row.prove[at..]));
        let mut commands: Vec<String> = commands.map(str::to_string).collect();
        commands
            .extend(["--explain", "--html"].map(|option| format!("narrows report 7f3a {option}")));
        for width in [80, 100] {
            let screen = text(&report, width, false);
            for command in &commands {
                let whole = screen.lines().any(|line| line.contains(command.as_str()));
                assert!(whole, "{name}, {width}: {command}\n{screen}");
            }
        }
        // One to a line.
        let screen = screen(&run);
        let last: Vec<&str> = screen.lines().rev().take(2).collect();
        let ends = [
            "Waits, sweeps, findings: narrows report 7f3a --html",
            "How each answer is known: narrows report 7f3a --explain",
        ];
        assert!(name == "hostile" || last == ends, "{name}: {last:?}");
    }
}

#[test]
fn words_are_those_of_the_field() {
    let said = screen(&common::rich()).split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        " flush 8 KiB 31.2 µs ",
        " flush 224 KiB, busy 388 µs ",
        "data files being written",
        "how much results differ after a restart",
    ] {
        assert!(said.contains(words), "no `{words}`: {said}");
    }
    for gone in
        ["flush, alone", "beside writes", "explain WORD", "Uncached by", "effect of a restart"]
    {
        assert!(!said.contains(gone), "{gone}: {said}");
    }
}

#[test]
fn what_the_machine_costs_is_one_line_and_empty_channels_stand_at_their_node() {
    use narrows_model::{FindingPlace, Severity};
    let mut run = common::rich();
    let mut found = |id: &str, about: Option<&str>, summary: &str, evidence: &str| {
        let mut finding = common::finding(Severity::Note, id, about, summary);
        let place = FindingPlace { parts: Vec::new(), evidence: evidence.to_string() };
        finding.places = vec![place];
        run.findings.push(finding);
    };
    let memory = "memory.bandwidth.read.node1";
    found("memory-channels-empty", Some(memory), "Channels without a module", "2 of 12: K, L");
    found("governor-not-performance", None, "The governor may lower the clock", "powersave");
    found("mitigations-costly", None, "Guards cost time", "meltdown: PTI");
    let report = Report::new(&run, Units::Si);
    let screen = text(&report, 100, false);
    let flat = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = "Machine setup: governor-not-performance, mitigations-costly (narrows explain ID)";
    assert!(flat.contains(line), "{screen}");
    assert!(!flat.contains("powersave"), "figures are in the long report");
    assert!(flat.contains("Channels without a module: 2 of 12: K, L"), "{screen}");
    let marked = screen.lines().find(|line| line.contains("read, node 1")).expect("a row");
    assert!(marked.contains('['), "{marked}");
    let markdown = narrows_report::markdown(&report);
    assert!(markdown.contains("The governor may lower the clock"), "{markdown}");
}

#[test]
fn a_limit_that_is_no_pcie_link_is_named_in_its_row() {
    let mut run = common::rich();
    let m = run.measurements.iter_mut().find(|m| m.id == "block.read.sequential.1m.knee");
    let limit = &mut m.expect("measured").limits[0];
    limit.id = "sata:sda+sdb".into();
    let screen = text(&Report::new(&run, Units::Si), 120, false);
    assert!(screen.contains("limit: sata:sda+sdb"), "{screen}");
}

#[test]
fn a_workload_is_named_as_it_was_run() {
    let name_of = |change: &dyn Fn(&mut narrows_model::Measurement)| {
        let mut run = common::rich();
        let m = run.measurements.iter_mut().find(|m| m.id == "database.update").unwrap();
        change(m);
        Report::new(&run, Units::Si).narrow.iter().map(|b| b.name.clone()).collect::<Vec<_>>()
    };
    assert!(name_of(&|_| {}).contains(&"update, durable".to_string()));
    let mix = name_of(&|m| m.workload.insert(narrows_model::condition::UPDATES_PERCENT, 30));
    assert!(mix.contains(&"30 % updates".to_string()), "{mix:?}");
    let all = name_of(&|m| m.workload.insert(narrows_model::condition::UPDATES_PERCENT, 100));
    assert!(all.contains(&"update, durable".to_string()), "{all:?}");
    let heavy = name_of(&|m| m.workload.insert(narrows_model::condition::REDO, "heavy"));
    assert!(heavy.contains(&"update, heavy".to_string()), "{heavy:?}");
    let blocks = name_of(&|m| m.workload.insert(narrows_model::condition::BLOCKS_PER_OP, 16));
    assert!(blocks.contains(&"update, 16 blocks".to_string()), "{blocks:?}");
}

#[test]
fn two_limits_in_figures_that_are_valid_ask_for_a_change_and_not_for_another_machine() {
    let mut run = common::rich();
    for verdict in &mut run.verdicts {
        (verdict.grade, verdict.or) = (Grade::Undecided, None);
    }
    let of = |run: &Run| {
        let screen = screen(run).split_whitespace().collect::<Vec<_>>().join(" ");
        let (_, next) = screen.split_once("WHAT TO DO").unwrap();
        next.split_once("HARDWARE").unwrap().0.to_string()
    };
    let open = of(&run);
    assert!(open.contains("idle machine") && !open.contains("change one"), "{open}");
    assert!(open.contains("narrows report 7f3a --explain"), "{open}");
    let cached = run.verdicts.iter_mut().find(|v| v.workload == "lookup_cached").unwrap();
    cached.or = Some(Bottleneck::CommitWait);
    let apart = of(&run);
    assert!(apart.contains("CPU or commit wait: change one"), "{apart}");
    assert!(apart.contains("idle machine"), "of the others: {apart}");
    // What is suspect may be two limits on a busy machine only.
    run.measurements.iter_mut().find(|m| m.id == "database.lookup_cached").unwrap().validity =
        Validity::Suspect;
    assert!(!of(&run).contains("change one"));
}

#[test]
fn a_test_that_missed_says_what_was_predicted_and_a_limit_beyond_two_names_both() {
    let mut run = common::rich();
    let verdict = run.verdicts.iter_mut().find(|v| v.workload == "lookup_uncached").unwrap();
    verdict.or = Some(Bottleneck::Cpu);
    let test = verdict.test.as_mut().unwrap();
    (test.confirms, test.expected_low, test.expected_high) = (false, 0.7, 0.9);
    // A cell is several lines high: each column by itself.
    let column = |run: &Run, from: usize, to: usize| {
        let screen = screen(run);
        let (_, checks) = screen.split_once("CHECKS").unwrap();
        let lines = checks.lines().take_while(|line| !line.is_empty());
        let cells = lines.map(|line| line.chars().skip(from).take(to - from).collect::<String>());
        cells.collect::<Vec<_>>().join(" ").split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let (tests, limits) = (column(&run, 56, 77), column(&run, 78, 200));
    assert!(tests.contains("not the predicted +70 to +90 %"), "{tests}");
    assert!(limits.contains("after read latency and CPU: "), "{limits}");
    let met = common::rich();
    let (tests, limits) = (column(&met, 56, 77), column(&met, 78, 200));
    assert!(tests.contains("256 sessions: +51 %") && !tests.contains("predicted"), "{tests}");
    assert!(!limits.contains("after"), "{limits}");
}

#[test]
fn a_tail_that_is_suspect_is_called_so_and_one_that_was_not_measured_has_none() {
    let mut run = common::rich();
    let verdict = run.verdicts.iter_mut().find(|v| v.workload == "lookup_cached").unwrap();
    verdict.latency_p99_open_ns = None;
    let cell = |run: &Run| {
        let screen = screen(run);
        let row = screen.lines().find(|line| line.contains("lookup, cached")).unwrap();
        row[..56].split_whitespace().last().map(str::to_string)
    };
    let open = run.measurements.iter_mut().find(|m| m.id == "database.lookup_cached.open");
    open.unwrap().validity = Validity::Suspect;
    assert_eq!(cell(&run).as_deref(), Some("suspect"));
    run.measurements.retain(|m| m.id != "database.lookup_cached.open");
    assert_eq!(cell(&run).as_deref(), Some("-"));
}
