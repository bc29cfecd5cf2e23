//! Runs of storage alone: the answer of a calibration, its curve and its pictures, the loads of a job file.

use crate::common;
use crate::common::storage::{beside, botched, calibrated, interfered, loads, unfound};
use narrows_model::{
    CalibrationEnd, Layer, LimitBasis, LimitShare, Measurement, Run, Severity, Unit, condition,
    metric,
};
use narrows_report::document::Row;
use narrows_report::{Report, Units, csv, html, markdown, text};
use proptest::prelude::*;

fn screen(run: &Run) -> String {
    text(&Report::new(run, Units::Si), 100, false)
}

fn page(run: &Run) -> String {
    html(&Report::new(run, Units::Si))
}

/// On one line, so that a wrap breaks no comparison.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

const ENDS: [CalibrationEnd; 5] = [
    CalibrationEnd::Unreachable,
    CalibrationEnd::Unlimited,
    CalibrationEnd::Unstable,
    CalibrationEnd::GeneratorBound,
    CalibrationEnd::Unfinished,
];

fn all() -> Vec<(String, Run)> {
    let mut runs = vec![
        ("calibrated".to_string(), calibrated()),
        ("interfered".to_string(), interfered()),
        ("botched".to_string(), botched()),
        ("beside".to_string(), beside()),
        ("loads".to_string(), loads()),
    ];
    runs.extend(ENDS.map(|end| (format!("{end:?}").to_lowercase(), unfound(end))));
    runs
}

#[test]
fn screens_of_storage_look_as_they_should() {
    for (name, run) in all() {
        insta::assert_snapshot!(format!("storage_{name}"), screen(&run));
    }
}

#[test]
fn every_line_fits() {
    for (name, run) in all() {
        for units in [Units::Si, Units::Iec] {
            for width in [80, 100] {
                let screen = text(&Report::new(&run, units), width, false);
                for line in screen.lines() {
                    assert!(line.chars().count() <= width, "{name}: {line}");
                    assert_eq!(line.trim_end(), line, "{name}");
                }
            }
        }
    }
}

#[test]
fn what_writes_do_to_reads_is_said() {
    let run = beside();
    let report = Report::new(&run, Units::Si);
    let grid = report.interference.as_ref().unwrap();
    assert!(grid.rows[0].alone && grid.rows.iter().all(|row| row.cells.len() == 5));
    let heavy = grid.rows.iter().find(|row| row.beside.contains("15.6k/s")).unwrap();
    assert!(heavy.cells[4].grows && heavy.cells[4].p99_ns.is_none(), "{heavy:?}");
    // The factor of the fixture's law, at the worst rate that was kept.
    assert!(
        grid.sentence.contains("beside random 8 KiB writes, 15.6k/s: × 3."),
        "{}",
        grid.sentence
    );
    assert!(grid.sentence.contains("of reads cannot be kept beside random 8 KiB writes, 15.6k/s"));
}

#[test]
fn on_a_narrow_screen_rates_that_have_no_room_stand_below() {
    let report = Report::new(&beside(), Units::Si);
    for (width, tables) in [(100, 1), (80, 2)] {
        let screen = text(&report, width, false);
        assert_eq!(screen.matches("p99 at offered reads/s").count(), tables, "{screen}");
        let alone = screen.lines().filter_map(|line| line.strip_prefix("  reads alone "));
        // A figure and its unit each.
        let words = alone.map(|cells| cells.split_whitespace().count()).sum::<usize>();
        assert_eq!(words, 2 * 5, "{screen}");
    }
}

#[test]
fn windows_that_overlap_are_no_difference() {
    let mut run = beside();
    for m in &mut run.measurements {
        let alone = m.id.contains(".alone.");
        for metric in m.metrics.iter_mut().filter(|metric| metric.name == "latency_p99") {
            // One window alone is slower than all beside writes.
            metric.samples = if alone { vec![1e5, 1e5, 9e9] } else { vec![2e5, 2e5, 3e5] };
        }
        m.id = m.id.replace(".beyond.", ".").into();
    }
    let report = Report::new(&run, Units::Si);
    let sentence = report.interference.unwrap().sentence;
    assert!(sentence.starts_with("no rate of reads at which"), "{sentence}");
}

#[test]
fn an_invalid_cell_gives_no_figure() {
    let mut run = beside();
    let id = "block.interference.read.8k.writes_heavy.p10.together";
    run.findings.push(common::finding(
        Severity::Invalid,
        "device-saw-less",
        Some(id),
        "a cache answered",
    ));
    run.apply_findings();
    let grid = Report::new(&run, Units::Si).interference.unwrap();
    let heavy = grid.rows.iter().find(|row| row.beside.contains("15.6k/s")).unwrap();
    assert_eq!((heavy.cells[0].p99_ns, heavy.cells[0].beside_p99_ns), (None, None));
    assert!(screen(&run).contains("invalid"));
}

#[test]
fn the_nearest_limit_stands_first_and_a_used_up_one_is_the_reason() {
    let mut run = calibrated();
    let id = run.calibrations[0].id.clone();
    let said = flat(&screen(&run));
    // 4 drives × 32 queues × 1023 requests, each as long as one alone.
    assert!(said.contains("by the drive's queue, 130944 requests of 84.6 µs each"), "{said}");
    let mut ceiling = Measurement::new(format!("{id}.ceiling"), Layer::Block);
    ceiling.limits.push(LimitShare {
        id: "cgroup:riops:nvme0n1".into(),
        basis: LimitBasis::Configured,
        value: 82e3,
        unit: Unit::OpsPerS,
        share: 0.98,
        source: "control group".into(),
    });
    run.measurements.push(ceiling);
    let said = flat(&screen(&run));
    let first = "bottleneck the control group's riops of nvme0n1: its limit is 82.0k/s, and 99 % of that is used";
    assert!(said.contains(first), "{said}");
    assert!(said.contains("closest first: 82.0k/s at most by the control group's riops"), "{said}");
}

#[test]
fn the_answer_is_the_first_thing_behind_the_head() {
    let screen = screen(&calibrated());
    let (_, rest) = screen.split_once("\n\n").unwrap();
    let first = "62.2k/s of 8 KiB random reads keep p99 within 1 ms (crossing between 62.2k/s and 65.3k/s; 6 of 6 runs)";
    assert!(flat(rest).starts_with(first), "{rest}");
}

#[test]
fn storage_alone_has_no_empty_sections() {
    for (name, run) in all() {
        for view in [screen(&run), markdown(&Report::new(&run, Units::Si)), page(&run)] {
            let visible = view.split("<script").next().unwrap();
            for word in [
                "WHERE IT IS NARROW",
                "Where it is narrow",
                "not judged",
                "HOW WIDE",
                "UNDECIDED: cannot",
            ] {
                assert!(!visible.contains(word), "{name}: {word}");
            }
        }
    }
}

#[test]
fn each_end_says_its_own_words_and_no_answer() {
    for (end, words) in ENDS.into_iter().zip([
        "8 KiB random reads: p99 within 1.00 ms is not kept even at 808/s (there it is 1.42 ms)",
        "something else than latency ends the growth",
        "the device changed",
        "the load generator could not follow",
        "the time allowed was used up",
    ]) {
        let screen = flat(&screen(&unfound(end)));
        // Two ends confirm a rate and only don't know what lies above it.
        let floor = matches!(end, CalibrationEnd::Unlimited | CalibrationEnd::GeneratorBound);
        let start = if floor { "62.2k/s or more of 8 KiB" } else { "NOT FOUND 8 KiB" };
        assert!(screen.contains(start), "{screen}");
        assert!(screen.contains(words), "{screen}");
        assert!(!screen.contains("crossing between"), "{screen}");
    }
}

#[test]
fn what_the_closed_loop_gives_at_the_end_is_told_where_it_fell_and_after_a_pause() {
    let said = |part: &str, rate: f64| {
        let mut run = calibrated();
        let mut again = run.measurements[0].clone();
        again.id = format!("{}.{part}", run.calibrations[0].id).into();
        let throughput = again.metrics.iter_mut().find(|m| m.name == metric::THROUGHPUT);
        throughput.expect("a load has a rate").value = rate;
        again.conditions.insert(condition::IDLE_BEFORE_S, 600.0);
        run.measurements.push(again);
        flat(&screen(&run))
    };
    let fell = said("again", 20_000.0);
    assert!(fell.contains("at the end 20.0k/s, 25 % of the ceiling: it fell meanwhile"), "{fell}");
    assert!(!said("again", 70_000.0).contains("at the end"));
    let idle = said("idle", 70_000.0);
    assert!(
        idle.contains("after idle 70.0k/s, 87 % of the ceiling, after 600 s without"),
        "{idle}"
    );
}

#[test]
fn an_end_without_a_sentence_has_words_all_the_same() {
    let mut run = unfound(CalibrationEnd::Unreachable);
    run.calibrations[0].sentence.clear();
    let screen = flat(&screen(&run));
    let words = "NOT FOUND 8 KiB random reads with p99 within 1 ms: no rate is low enough";
    assert!(screen.contains(words), "{screen}");
}

#[test]
fn a_rate_with_writes_says_what_it_is_worth() {
    let mut run = interfered();
    assert!(flat(&screen(&run)).contains("writes burst or sustained, unknown"));
    let confirm =
        run.measurements.iter_mut().find(|m| m.id == "block.calibrate.mixed70.8k.confirm");
    confirm.unwrap().conditions.insert(narrows_model::condition::WRITE_STATE, "burst");
    assert_eq!(screen(&run).matches("burst: for minutes").count(), 1);
}

#[test]
fn an_invalid_answer_gives_no_figure_and_no_picture() {
    let run = botched();
    let page = page(&run);
    let (answer, _) = page.split_once("id=\"measurements\"").unwrap();
    for view in [&screen(&run), &markdown(&Report::new(&run, Units::Si)), answer] {
        assert!(view.to_lowercase().contains("invalid"), "{view}");
        for figure in ["62.2k/s", "80.8k/s", "84.6 µs", "max_iops", "max\\_iops"] {
            assert!(!view.contains(figure), "{figure}: {view}");
        }
    }
    assert!(!page.contains("class=answerline "));
}

#[test]
fn figures_of_windows_that_are_invalid_are_not_printed_where_a_search_found_nothing() {
    let invalid = |parts: &[&str]| {
        let mut run = unfound(CalibrationEnd::Unreachable);
        let windows: Vec<_> = run.measurements.iter().map(|m| m.id.to_string()).collect();
        for part in parts {
            let found = windows.iter().filter(|id| *part == "all" || id.ends_with(part));
            for id in found {
                run.findings.push(common::finding(
                    Severity::Invalid,
                    "planted",
                    Some(id),
                    "planted",
                ));
            }
        }
        run.apply_findings();
        screen(&run)
    };
    let figures = ["84.6 µs", "80.8k/s"];
    let sound = invalid(&[]);
    let shown: Vec<&str> = figures.into_iter().filter(|figure| sound.contains(figure)).collect();
    assert!(!shown.is_empty(), "{sound}");
    let none = invalid(&["all"]);
    for figure in shown {
        assert!(!none.contains(figure), "{figure}: {none}");
    }
    let said = "no answer, because a measurement that it needs is invalid";
    assert!(flat(&none).contains(said), "{none}");
}

#[test]
fn a_suspect_answer_is_marked_with_its_footnote() {
    let mut run = calibrated();
    let about = Some("block.calibrate.read.8k.confirm");
    run.findings.push(common::finding(
        Severity::Suspect,
        "steal",
        about,
        "the hypervisor took 7 %",
    ));
    run.apply_findings();
    let screen = flat(&screen(&run));
    assert!(screen.contains("62.2k/s ? of 8 KiB"), "{screen}");
    assert!(screen.contains("6 of 6 runs) [1]"), "{screen}");
    assert!(screen.contains("[1] suspect: the hypervisor took 7 %"), "{screen}");
}

#[test]
fn runs_that_missed_the_limit_are_counted_as_such() {
    let mut run = calibrated();
    run.calibrations[0].quantiles_ns.extend([1.2e6, 0.9e6, 0.9e6]);
    assert!(flat(&screen(&run)).contains("8 of 9 runs"));
}

#[test]
fn latencies_of_a_queue_that_grows_are_not_printed() {
    let run = calibrated();
    let point = run.calibrations[0].curve.iter().find(|p| !p.bounded).unwrap();
    assert!(point.latency_p99_ns.is_some());
    let report = Report::new(&run, Units::Si);
    let grows =
        |row: &&Row| matches!(row, Row::Cells(_, said) if said[..] == ["queue grows".into()]);
    let Some(Row::Cells(cells, _)) = report.answers[0].curve.iter().find(grows) else {
        panic!("{:?}", report.answers[0].curve)
    };
    let texts: Vec<String> = cells[2..5].iter().map(|cell| cell.text.text()).collect();
    assert_eq!(texts, ["-", "-", "-"]);
}

#[test]
fn oracle_prints_its_three_numbers_as_its_own_example_does() {
    let screen = screen(&calibrated());
    for line in ["max_iops = 80812", "latency  = 0", "max_mbps = 2088"] {
        assert!(screen.contains(line), "{screen}");
    }
    assert!(flat(&screen).contains("so max_iops is 1.30 × the answer"), "{screen}");
    assert!(flat(&screen).contains("80.8k/s, the maximum of a closed loop"), "{screen}");
}

#[test]
fn a_ceiling_that_another_depth_passed_is_no_maximum() {
    let mut run = calibrated();
    let calibration = &mut run.calibrations[0];
    calibration.oracle.as_mut().expect("reads alone").max_iops = 97_000;
    let said = flat(&screen(&run));
    let ceiling = "80.8k/s, a closed loop, at QD64; 97.0k/s at another queue depth: rates varied";
    assert!(said.contains(ceiling) && !said.contains("the maximum of a closed loop"), "{said}");
}

#[test]
fn csv_has_the_curve() {
    let run = calibrated();
    let text = csv(&Report::new(&run, Units::Si));
    let value = |about: &str, name: &str| -> Option<f64> {
        let row = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let mut row = row.filter(|row| row[0] == about && row[3] == name);
        row.next().map(|row| row[5].parse().unwrap())
    };
    let c = &run.calibrations[0];
    assert_eq!(value(&c.id, "answer"), c.rate_per_s);
    assert_eq!(value(&c.id, "oracle_max_iops"), Some(80_812.0));
    assert_eq!(value(&c.id, "latency_unknown"), None);
    for point in &c.curve {
        let id = format!("{}.curve.{}", c.id, point.order);
        let value_of = |name: &str| {
            let rows = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
            let mut found = rows.filter(|row| row[0] == id && row[3] == name);
            found.next_back().map(|row| row[5].parse::<f64>().unwrap())
        };
        assert_eq!(value_of("bounded"), Some(f64::from(u8::from(point.bounded))));
        assert_eq!(value_of("lateness_p99"), point.lateness_p99_ns);
        assert_eq!(value_of("asked_rate"), Some(point.asked_per_s));
    }
    assert!(text.lines().all(|line| line.matches(',').count() == 10), "eleven columns");
}

#[test]
fn the_page_has_its_pictures_or_says_what_is_missing() {
    let page_of = |run: &Run| page(run).split("<script").next().unwrap().to_string();
    let whole = page_of(&interfered());
    for picture in [
        "latency against rate of",
        "latency by percentile at",
        "latency over time at",
        "p99 with and without",
    ] {
        assert!(whole.contains(&format!("aria-label=\"{picture}")), "{picture}");
    }
    assert!(whole.contains(">reads alone<") && whole.contains(">writes<"));
    assert!(whole.contains("class=answerline ") && whole.contains("class=cross "));
    let mut bare = calibrated();
    bare.calibrations[0].curve.clear();
    for m in &mut bare.measurements {
        m.histograms.clear();
        m.series.clear();
    }
    let bare = page_of(&bare);
    let said = "Not shown: latency against rate: the curve is not measured; percentile curves: its windows kept no \
                distribution; latency over time: the windows that it rests on kept no series; interference";
    assert!(bare.contains(said), "{bare}");
    assert!(!bare.contains("aria-label=\"latency against"));
}

#[test]
fn an_invalid_window_enters_no_picture() {
    let mut run = interfered();
    let worst = run
        .measurements
        .iter()
        .position(|m| m.id.starts_with("block.calibrate.mixed70.8k.curve"))
        .unwrap();
    run.measurements[worst].id = "block.calibrate.mixed70.8k.odd".into();
    let figure =
        run.measurements[worst].metrics.iter_mut().find(|m| m.name == "read_latency_p99").unwrap();
    figure.value = 123_456_789.0;
    assert!(page(&run).contains(": 123 ms"));
    let about = Some("block.calibrate.mixed70.8k.odd");
    run.findings.push(common::finding(Severity::Invalid, "planted", about, "planted"));
    run.apply_findings();
    assert!(!page(&run).contains(": 123 ms"));
}

#[test]
fn loads_show_figures_of_what_may_be_used_only() {
    let screen = screen(&loads());
    let row = |start: &str| {
        screen.lines().find(|l| l.trim_start_matches('?').trim().starts_with(start)).unwrap()
    };
    assert!(row("run.reads").contains("62.0k/s"));
    assert!(row("run.cached").contains("invalid") && !screen.contains("582k/s"), "{screen}");
    assert!(row("reads ").starts_with('?') && row("writes ").contains("12.3k/s"), "{screen}");
    assert!(page(&loads()).contains("id=\"loads\""));
}

/// A number as a broken counter or a hostile file might give it.
fn odd() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(f64::NEG_INFINITY),
        Just(0.0),
        Just(-1.0),
        Just(f64::MIN_POSITIVE),
        Just(f64::MAX),
        1.0..1e9f64,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn no_number_that_is_not_finite_reaches_a_picture(
        rates in prop::collection::vec(odd(), 16),
        latencies in prop::collection::vec(odd(), 16),
        others in prop::collection::vec(odd(), 6),
        limit_ns in prop_oneof![Just(0u64), Just(u64::MAX), 1..10_000_000u64],
        quantile in prop_oneof![Just(0.0), Just(1.0), Just(f64::NAN), 0.5..0.999f64],
    ) {
        let mut run = interfered();
        for c in &mut run.calibrations {
            for (i, point) in c.curve.iter_mut().enumerate() {
                (point.asked_per_s, point.achieved_per_s) = (rates[i], rates[15 - i]);
                point.latency_p50_ns = Some(latencies[i]);
                point.latency_p99_ns = Some(latencies[15 - i]);
            }
            (c.knee_per_s, c.ceiling_per_s, c.alone_ns) = (Some(others[0]), Some(others[1]), Some(others[2]));
            c.rate_per_s = Some(others[3]);
            let interval = c.interval_95.as_mut().unwrap();
            (interval.low, interval.high) = (others[4], others[5]);
            (c.goal.limit_ns, c.goal.quantile) = (limit_ns, quantile);
        }
        for m in &mut run.measurements {
            for (metric, odd) in m.metrics.iter_mut().zip(latencies.iter().cycle()) {
                metric.value = *odd;
            }
            for series in &mut m.series {
                series.values.iter_mut().zip(latencies.iter().cycle()).for_each(|(v, odd)| *v = *odd);
            }
        }
        let page = page(&run);
        let (visible, _) = page.split_once("<script").unwrap();
        for svg in visible.split("<svg").skip(1) {
            let svg = svg.split("</svg>").next().unwrap();
            prop_assert!(!svg.contains("NaN") && !svg.contains("inf"), "{}", svg);
            for attribute in svg.split("=\"").skip(1) {
                let number = attribute.split('"').next().unwrap();
                if let Ok(number) = number.parse::<f64>() {
                    prop_assert!(number.is_finite(), "{}", number);
                }
            }
        }
    }
}
