//! Runs of the commit log alone: in short, the ladder, sessions, several logs, as text, Markdown and pictures.

use crate::common;
use crate::common::finding;
use crate::common::log::{compared, laddered, step, streams, tiered};
use narrows_model::{DurabilityWord, Metric, Run, Severity, metric};
use narrows_report::{Report, Units, csv, html, markdown, text};

fn report(run: &Run) -> Report {
    Report::new(run, Units::Si)
}

fn screen(run: &Run) -> String {
    text(&report(run), 100, false)
}

/// What a browser shows, without the run that lies in the page.
fn page(run: &Run) -> String {
    html(&report(run)).split("<script").next().unwrap().to_string()
}

/// On one line, so that a wrap breaks no comparison.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn fact(run: &Run, label: &str) -> String {
    let facts = report(run).short;
    facts.iter().find(|fact| fact.label == label).map(|f| f.text.text()).unwrap_or_default()
}

fn plant(run: &mut Run, severity: Severity, id: &str) {
    run.findings.push(finding(severity, "planted", Some(id), "planted"));
    run.apply_findings();
}

/// Sets the samples of a metric, with their interval.
fn set(run: &mut Run, id: &str, name: Metric, samples: &[f64]) {
    let m = run.measurements.iter_mut().find(|m| m.id == id).expect("its measurement");
    let metric = m.metrics.iter_mut().find(|metric| metric.name == name).expect("its metric");
    metric.samples = samples.to_vec();
    metric.value = narrows_stats::median(samples).unwrap();
    metric.interval_95 = narrows_stats::interval_95(samples);
}

#[test]
fn screens_of_the_log_look_as_they_should() {
    let runs = [
        ("ladder", laddered()),
        ("tier", tiered()),
        ("streams", streams()),
        ("places", compared()),
    ];
    for (name, run) in runs {
        let screen = screen(&run);
        assert!(screen.lines().all(|line| line.chars().count() <= 100), "{screen}");
        let narrow = text(&report(&run), 80, false);
        assert!(narrow.lines().all(|line| line.chars().count() <= 80), "{narrow}");
        assert!(!screen.contains("not judged"), "no server was to be judged");
        insta::assert_snapshot!(format!("log_{name}"), screen);
    }
}

#[test]
fn the_ladder_stands_in_its_order() {
    let screen = screen(&laddered());
    let (_, ladder) = screen.split_once("LADDER").expect("a ladder");
    let at = |text: &str| ladder.find(text).unwrap_or_else(|| panic!("no `{text}`"));
    let order = [
        "the device's idle flush",
        "8 KiB fdatasync",
        "one session leads",
        "the database's commit",
    ];
    assert!(order.windows(2).all(|two| at(two[0]) < at(two[1])));
    assert!(at("its commit without a flush") > at("the database's commit"));
    let chain: Vec<bool> = report(&laddered()).ladder.iter().map(|row| row.in_chain).collect();
    assert_eq!(chain, [true, true, true, true, false, false, false, false]);
}

#[test]
fn the_flush_with_a_tier_follows_the_one_without_and_says_nothing_of_commits() {
    let run = tiered();
    let ladder = report(&run).ladder;
    let at = |step: &str| ladder.iter().position(|row| row.step.ends_with(step)).unwrap();
    let base = "write.fdatasync.overwrite.8k";
    assert_eq!(at("overwrite.8k.tier"), at(base) + 1);
    assert_eq!(at("writers_4.tier"), at("writers_4") + 1);
    let chained: Vec<bool> = ladder.iter().map(|row| row.in_chain).collect();
    assert_eq!(chained[..5], [true, true, false, true, true], "the chain is the log's own");
    let fact = fact(&run, "tier");
    assert!(fact.starts_with("the same flush with the tier: "), "{fact}");
    assert!(
        fact.contains(" faster (") && fact.contains("4 writers at once, with the tier"),
        "{fact}"
    );
    assert!(fact.ends_with("narrows tier prove log /wal-off /wal-on"), "{fact}");
    // The stored run says the same.
    let stored: Run = serde_json::from_str(&serde_json::to_string(&run).unwrap()).unwrap();
    assert_eq!(screen(&stored), screen(&run));
    assert!(csv(&report(&run)).contains("tier_speedup_p50"));
}

#[test]
fn nothing_is_said_of_a_tier_where_one_of_both_flushes_is_invalid() {
    let tier = "log.ladder.write.fdatasync.overwrite.8k.tier.alone";
    for invalid in [tier, "log.ladder.write.fdatasync.overwrite.8k.alone"] {
        let mut run = tiered();
        plant(&mut run, Severity::Invalid, invalid);
        let fact = fact(&run, "tier");
        assert!(!fact.contains("the same flush"), "{fact}");
        assert!(fact.starts_with("4 writers at once, with the tier: "), "{fact}");
    }
    let mut run = tiered();
    plant(&mut run, Severity::Suspect, tier);
    assert!(fact(&run, "tier").contains(") ?; 4 writers"), "{}", fact(&run, "tier"));
    assert_eq!(fact(&laddered(), "tier"), "", "and nothing where there is none");
}

#[test]
fn what_is_invalid_is_said_and_drawn_nowhere() {
    let mut run = laddered();
    let way = "log.ladder.write.dsync_direct.overwrite.8k.alone";
    set(&mut run, way, metric::LATENCY_P50, &[13.7e3; 6]);
    plant(&mut run, Severity::Invalid, way);
    let eight = "log.calibrate.commits.200b.sessions.8";
    set(&mut run, eight, metric::LOG_FILE_SYNC_MEAN, &[53.7e3; 3]);
    plant(&mut run, Severity::Invalid, eight);
    let (screen, md, page) = (screen(&run), markdown(&report(&run)), page(&run));
    let (pictures, _) = page.split_once("id=\"measurements\"").unwrap();
    for view in [&screen, &md, &pictures.to_string()] {
        assert!(!view.contains("13.7 µs") && !view.contains("53.7 µs"), "{view}");
    }
    let row =
        |text: &str| screen.lines().find(|line| line.contains(text)).expect("its row is there");
    assert!(row("8 KiB dsync direct").contains("invalid"), "{screen}");
    assert!(
        screen.lines().any(|line| line.trim_start().starts_with("8 ") && line.contains("invalid"))
    );
}

#[test]
fn with_an_invalid_step_nobody_knows_what_adds_most() {
    let mut run = laddered();
    assert!(
        fact(&run, "most by").starts_with("the database's commit"),
        "{}",
        fact(&run, "most by")
    );
    plant(&mut run, Severity::Invalid, "log.ladder.leader.alone");
    assert_eq!(fact(&run, "most by"), "");
    plant(&mut run, Severity::Invalid, "log.ladder.commit.alone");
    assert!(fact(&run, "costs").starts_with("unknown: the database's commit"));
}

#[test]
fn of_two_steps_whose_intervals_overlap_neither_adds_more() {
    let mut run = laddered();
    let (write, commit) =
        ("log.ladder.write.fdatasync.overwrite.8k.alone", "log.ladder.commit.alone");
    let around = |ns: f64, off: f64| [-2.0, -1.0, 0.0, 0.0, 1.0, 2.0].map(|by| ns + by * off);
    set(&mut run, write, metric::ADDED_P50, &around(30e3, 4e3));
    set(&mut run, commit, metric::ADDED_P50, &around(33e3, 4e3));
    let said = fact(&run, "most by");
    assert!(said.contains(" or 8 KiB fdatasync, overwrite +30.0 µs"), "{said}");
    assert!(said.contains("too close to tell"), "{said}");
    set(&mut run, commit, metric::ADDED_P50, &around(90e3, 4e3));
    let said = fact(&run, "most by");
    assert!(
        said.starts_with("the database's commit +90.0 µs") && !said.contains("too close"),
        "{said}"
    );
    // What may as well be nothing is no part of it.
    set(&mut run, write, metric::ADDED_P50, &around(0.0, 4e3));
    let said = fact(&run, "most by");
    assert!(said.contains("no difference by 8 KiB fdatasync, overwrite"), "{said}");
}

#[test]
fn a_load_beside_is_blamed_only_where_all_windows_agree() {
    let mut run = laddered();
    let said = fact(&run, "beside");
    assert!(
        said.contains("first at the device's idle flush") && said.contains("one device"),
        "{said}"
    );
    for step in ["flush", "write.fdatasync.overwrite.8k", "leader", "commit"] {
        let id = format!("log.ladder.{step}.beside");
        // One window of six is as fast as those alone.
        set(&mut run, &id, metric::LATENCY_P99, &[1.0, 9e6, 9e6, 9e6, 9e6, 9e6]);
    }
    let said = fact(&run, "beside");
    assert!(said.contains("no step's p99 is longer in all windows"), "{said}");
    for m in run.measurements.iter_mut().filter(|m| m.id.starts_with("log.ladder.")) {
        for metric in m.metrics.iter_mut().filter(|metric| metric.name == metric::LATENCY_P99) {
            metric.samples.truncate(2);
        }
    }
    assert!(!fact(&run, "beside").contains("p99"), "two windows of each show nothing");
    run.measurements.retain(|m| !m.id.ends_with(".beside"));
    assert_eq!(fact(&run, "beside"), "");
}

#[test]
fn the_word_of_durability_stands_in_every_view_with_its_evidence() {
    let mut run = laddered();
    for (word, said) in [
        (DurabilityWord::NotShown, "not proven"),
        (DurabilityWord::Shown, "shown"),
        (DurabilityWord::Refuted, "refuted"),
    ] {
        run.durability[0].word = word;
        assert!(fact(&run, "durable").starts_with(said));
        for view in [screen(&run), markdown(&report(&run)), page(&run)] {
            let (_, about) =
                view.split_once("urability").or(view.split_once("DURABILITY")).unwrap();
            assert!(about.contains(said), "{view}");
            let view = flat(&view);
            for item in &run.durability[0].evidence {
                assert!(view.contains(&item.sentence), "{}: {view}", item.sentence);
            }
        }
    }
    // Which way each points is said in words, not in colour alone.
    let page = page(&run);
    for words in [">for it</", ">against it</", ">open</"] {
        assert!(page.contains(words), "{words}");
    }
    run.durability.clear();
    assert!(!self::page(&run).contains("id=\"durability\""));
}

#[test]
fn in_a_run_of_a_server_durability_stands_behind_its_answer() {
    let mut run = common::rich();
    run.durability = laddered().durability;
    for (view, narrow, durability) in [
        (page(&run), "<section id=\"narrow\"", "<section id=\"durability\""),
        (markdown(&report(&run)), "## Where it is narrow", "## Durability"),
    ] {
        assert_eq!(view.matches(durability).count(), 1);
        let page = view.starts_with("<!doctype");
        assert!(!page || view.find(narrow) < view.find(durability), "{view}");
    }
}

const PICTURES: [&str; 7] = [
    "what each step adds",
    "times of other ways",
    "distribution of",
    "parts of a commit",
    "commits per flush against",
    "latency against rate of",
    "wait against the number of WAL streams",
];

#[test]
fn the_page_has_every_picture_and_only_those_it_has_figures_for() {
    let label = |picture: &str| format!("aria-label=\"{picture}");
    let (ladder, several) = (page(&laddered()), page(&streams()));
    for picture in PICTURES {
        let own = if picture.starts_with("wait") { &several } else { &ladder };
        let other = if picture.starts_with("wait") { &ladder } else { &several };
        assert!(own.contains(&label(picture)), "{picture}");
        assert!(!other.contains(&label(picture)), "{picture}");
    }
    let mut bare = laddered();
    bare.measurements.retain(|m| m.id == "log.ladder.flush.alone");
    bare.calibrations.clear();
    let bare = page(&bare);
    assert!(bare.contains("fewer than two steps can be compared"));
    assert_eq!(bare.matches(&label("distribution of")).count(), 1);
    assert!(!bare.contains(&label("what each step adds")));
}

/// The middles and ends of what is drawn for the places, by class.
fn drawn(page: &str, class: &str) -> Vec<f64> {
    let (_, picture) =
        page.split_once("aria-label=\"commits per second on each").expect("a picture");
    let start = format!("<circle class=\"point {class}\" cx=");
    let dots = picture.split(start.as_str()).skip(1);
    dots.map(|dot| dot.split(' ').next().unwrap().parse().unwrap()).collect()
}

#[test]
fn places_show_prediction_and_measurement_and_their_durability() {
    let page_of = page(&compared());
    let (predicted, measured) = (drawn(&page_of, "c2"), drawn(&page_of, "c0"));
    // Nothing is predicted of the first place, on which it was measured.
    assert_eq!((predicted.len(), measured.len()), (2, 3));
    assert!(measured[1] > predicted[0] && measured[2] < predicted[1], "{predicted:?} {measured:?}");
    for said in [
        "predicted 73.9k/s",
        "measured 75.4k/s: holds",
        ": fails",
        "<span class=bad>not durable</span><span class=soft> by construction",
        "durability refuted",
        "with fsync off 84.0k/s",
    ] {
        assert!(page_of.contains(said), "{said}");
    }
    let md = markdown(&report(&compared()));
    for said in ["holds", "fails", "not durable by construction", "refuted", "× 2.79"] {
        assert!(md.contains(said), "{said}: {md}");
    }
    let csv = csv(&report(&compared()));
    let row = csv.lines().find(|line| line.starts_with("log.compare.wal_2,")).expect("a row");
    assert_eq!(
        row,
        "log.compare.wal_2,log,valid,predicted_throughput,ops_per_s,73900,70205,77595,1,,"
    );
    let mut run = compared();
    run.comparison.as_mut().unwrap().placements[1].validity = narrows_model::Validity::Invalid;
    let page_of = page(&run);
    for view in [page_of.clone(), markdown(&report(&run)), screen(&run)] {
        assert!(view.contains("invalid") && !view.contains("73.9k/s"), "{view}");
    }
    assert_eq!(drawn(&page_of, "c0").len(), 2);
}

#[test]
fn no_picture_has_a_broken_number() {
    let mut run = laddered();
    for (i, m) in run.measurements.iter_mut().enumerate() {
        let odd = [f64::NAN, f64::INFINITY, -5.0, 0.0][i % 4];
        for metric in &mut m.metrics {
            metric.value = odd;
            metric.samples.fill(odd);
        }
        for histogram in &mut m.histograms {
            histogram.hdr_v2 = "not base64!".into();
        }
    }
    let page = page(&run);
    assert!(!page.contains("NaN") && !page.contains("inf"), "a number that is none");
}

#[test]
fn a_step_begins_where_its_difference_says() {
    // 20 of 50 µs at the median, in a panel of its own.
    let mut run = laddered();
    run.measurements = vec![step("flush", "alone", 30.0, 0.0), step("write.x", "alone", 50.0, 0.0)];
    for m in &mut run.measurements {
        m.metrics.retain(|metric| metric.name == metric::LATENCY_P50);
    }
    let (lower, upper) = ("log.ladder.flush.alone", "log.ladder.write.x.alone");
    set(&mut run, lower, metric::LATENCY_P50, &[30e3; 6]);
    set(&mut run, upper, metric::LATENCY_P50, &[50e3; 6]);
    let mut added = run.measurements[1].metrics[0].clone();
    added.name = metric::ADDED_P50.into();
    run.measurements[1].metrics.push(added);
    set(&mut run, upper, metric::ADDED_P50, &[20e3; 6]);
    run.measurements[1].id = "log.ladder.leader.alone".into();
    run.measurements[1].conditions.insert(narrows_model::condition::STANDS_ON, lower);
    let page = page(&run);
    let (_, picture) = page.split_once("aria-label=\"what each step adds").expect("a picture");
    let bars: Vec<(f64, f64)> = picture
        .split("<rect class=\"step alone\"")
        .skip(1)
        .map(|bar| {
            let of = |key: &str| -> f64 {
                let (_, rest) = bar.split_once(&format!(" {key}=")).unwrap();
                rest.split(' ').next().unwrap().parse().unwrap()
            };
            (of("x"), of("width"))
        })
        .collect();
    let [(zero, flush), (from, step)] = bars[..] else { panic!("{bars:?}") };
    assert!((step / flush - 20.0 / 30.0).abs() < 0.01, "{bars:?}");
    assert!((from - (zero + flush)).abs() < 0.5, "{bars:?}");
}
