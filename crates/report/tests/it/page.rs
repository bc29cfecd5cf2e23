//! The HTML page: whole, offline, safe, and its own archive.

use crate::common;
use narrows_model::Inventory;
use narrows_model::page_archive::embedded_run;
use narrows_report::{HTML, Report, Screen, Units, html, inventory, render};

fn page(run: &narrows_model::Run) -> String {
    html(&Report::new(run, Units::Si))
}

fn all() -> [(&'static str, narrows_model::Run); 8] {
    [
        ("rich", common::rich()),
        ("quick", common::quick()),
        ("interrupted", common::interrupted()),
        ("doubtful", common::doubtful()),
        ("without_database", common::without_database()),
        ("hostile", common::hostile()),
        ("observed", common::observed::observed()),
        ("by_statement", common::observed::by_statement()),
    ]
}

/// Names of the elements in the order of their tags, checked for balance. Script and style are skipped as text; parts of a table and of a
/// list of facts need no end.
fn balanced(page: &str) -> Result<Vec<String>, String> {
    const VOID: [&str; 11] =
        ["meta", "br", "input", "!doctype", "thead", "tbody", "tr", "th", "td", "dt", "dd"];
    let mut open: Vec<String> = Vec::new();
    let mut seen = Vec::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once('<') {
        if before.contains('>') {
            return Err(format!("a bare > in {before:?}"));
        }
        let (tag, after) = after.split_once('>').ok_or("an unclosed tag")?;
        if tag.matches('"').count() % 2 != 0 {
            return Err(format!("an attribute is not closed in <{tag}>"));
        }
        rest = after;
        let name: String =
            tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or("").to_string();
        if let Some(closed) = tag.strip_prefix('/') {
            match open.pop() {
                Some(last) if last == closed => {}
                last => return Err(format!("</{closed}> closes {last:?}")),
            }
        } else if !VOID.contains(&name.as_str()) && !tag.ends_with('/') {
            if name == "script" || name == "style" {
                let end = format!("</{name}>");
                rest = rest.split_once(end.as_str()).ok_or("a script without end")?.1;
            } else {
                open.push(name.clone());
            }
        }
        seen.push(name);
    }
    if open.is_empty() { Ok(seen) } else { Err(format!("left open: {open:?}")) }
}

#[test]
fn tags_are_balanced() {
    for (name, run) in all() {
        if let Err(why) = balanced(&page(&run)) {
            panic!("{name}: {why}");
        }
    }
}

#[test]
fn the_checker_notices_faults() {
    assert!(balanced("<p><b></p></b>").is_err());
    assert!(balanced("<p>").is_err());
    assert!(balanced("<p title=\"x>y</p>").is_err());
    assert!(balanced("<p>a</p><br>").is_ok());
}

#[test]
fn nothing_is_loaded_and_nothing_runs() {
    for (name, run) in all() {
        // What lies in the page itself is not loaded.
        let page = page(&run).replace("url(#", "");
        // The run's own texts may name addresses; what the page itself loads may not.
        for load in ["src=", "url(", "@import", "http://", "https://", "<link", "<iframe", "<img"] {
            assert!(!page.contains(load), "{name}: {load}");
        }
        let tags = balanced(&page).unwrap();
        // The run, and what sorts tables.
        assert_eq!(tags.iter().filter(|tag| *tag == "script").count(), 2, "{name}");
        assert!(!common::without_own_script(&page).contains("<script>"), "{name}");
        let kinds =
            ["json", "gzip"].map(|of| format!("<script type=\"application/{of}\" id=\"run\">"));
        assert!(kinds.iter().any(|kind| page.contains(kind)), "{name}");
        assert!(page.contains("default-src 'none'"));
    }
}

#[test]
fn the_page_holds_the_very_run() {
    for (name, run) in all() {
        let back = embedded_run(&page(&run)).expect("a run").expect("readable");
        assert!(back == run, "{name}: the run changed on its way through the page");
    }
    assert!(embedded_run("<html></html>").is_none());
}

#[test]
fn hostile_names_stay_text() {
    let page = page(&common::hostile());
    let (visible, json) = page.split_once("<script type=\"application/json\"").unwrap();
    assert!(!visible.contains("<script"));
    assert!(visible.contains("&lt;script&gt;alert(1)"));
    assert!(!visible.contains('\u{202e}') && !visible.contains('\u{1b}'));
    let (json, _) = json.split_once("</script>").unwrap();
    assert!(!json.contains("<!--") && !json.contains("<script"));
}

#[test]
fn every_grade_has_its_badge_and_long_ids_break() {
    let page = page(&common::rich());
    let (_, rest) = page.split_once("<style>").unwrap();
    let (style, _) = rest.split_once("</style>").unwrap();
    for word in ["CONFIRMED", "LIKELY", "UNDECIDED"] {
        assert!(style.contains(&format!(".grade.{}{{", word.to_lowercase())), "{word}");
    }
    assert!(page.contains("<span class=\"grade confirmed\">CONFIRMED</span>"));
    assert!(style.contains("code,h3,dt,dd,li,figcaption,.name,.phrase{overflow-wrap:anywhere}"));
}

#[test]
fn a_normal_page_stays_under_a_megabyte() {
    let page = page(&common::rich());
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
}

#[test]
fn the_answer_comes_first_and_everything_else_is_there() {
    let page = page(&common::rich());
    let at = |what: &str| page.find(what).unwrap_or_else(|| panic!("no {what}"));
    let order = [
        "id=\"narrow\"",
        "id=\"next\"",
        "id=\"wide\"",
        "id=\"latency\"",
        "id=\"measurements\"",
        "id=\"findings\"",
        "id=\"machine\"",
        "id=\"plan\"",
        "id=\"run\"",
    ];
    assert!(order.windows(2).all(|pair| at(pair[0]) < at(pair[1])));
    for finding in &common::rich().findings {
        assert!(page.contains(&finding.advice) && page.contains(&finding.id));
    }
    assert!(page.contains("class=chosen "), "the sweep's chosen depth");
    assert!(page.contains("class=bold "), "a latency curve");
}

#[test]
fn anchors_exist_once_for_every_link() {
    for (name, run) in all() {
        let page = page(&run);
        for link in page.split("href=\"#").skip(1) {
            let id = link.split('"').next().unwrap();
            // A section without content is left out; its link in the navigation must be too.
            let found = page.matches(&format!("id=\"{id}\"")).count();
            assert_eq!(found, 1, "{name}: #{id}");
        }
    }
}

#[test]
fn a_broken_histogram_costs_only_its_picture() {
    let mut run = common::rich();
    for m in &mut run.measurements {
        for h in &mut m.histograms {
            h.hdr_v2 = "not base64!".into();
        }
    }
    assert!(page(&run).contains("No distribution was recorded"));
}

#[test]
fn figures_of_invalid_measurements_enter_no_answer_and_no_picture() {
    let page = page(&common::doubtful());
    let (answer, rest) = page.split_once("id=\"measurements\"").unwrap();
    assert!(!answer.contains("2.31M/s") && !answer.contains("152k/s"));
    assert!(!answer.contains("latency by percentile of block.read.random.8k.knee"));
    assert!(rest.contains("Invalid: these figures are wrong"));
}

#[test]
fn a_machine_alone_has_a_page() {
    let mut platform = common::rich().hosts[0].platform.clone();
    platform.cpu.groups = vec![narrows_model::CpuGroup {
        level: narrows_model::GroupLevel::Package,
        id: Some(0),
        cpus: "0-127".parse().unwrap(),
    }];
    platform.hostname = Some("<db7>".into());
    let place = |parts: &[&str], evidence: &str| narrows_model::FindingPlace {
        parts: parts.iter().map(|part| (*part).to_string()).collect(),
        evidence: evidence.to_string(),
    };
    let mut finding = common::finding(narrows_model::Severity::Note, "slot-below-device", None, "");
    finding.places = vec![place(&["0000:41:00.0"], "its slot is <slow>"), place(&[], "powersave")];
    let machine = inventory(&Inventory { platform, findings: vec![finding] });
    let page = render(&machine, &HTML, Screen::PLAIN);
    assert!(page.contains("its slot is &lt;slow&gt;") && page.contains("id=\"findings\""));
    assert!(page.contains("note slot-below-device: powersave"), "a box has it");
    assert!(page.starts_with("<!doctype html>") && page.contains("<h1>&lt;db7&gt;<small>"));
    let page = common::without_own_script(&page);
    assert!(page.contains("<svg class=chart ") && !page.contains("<script"));
}

#[test]
fn what_is_normal_stands_beside_what_was_measured() {
    let mut run = common::rich();
    run.measurements[0].normals = vec![narrows_model::NormalFigure {
        what: "memory latency, own".into(),
        of: "EPYC 9004 (epyc-9004)".into(),
        low: 105.0,
        high: 125.0,
        measured: 121.0,
        unit: narrows_model::Unit::Ns,
        source: "working value".into(),
        grade: "inferred".into(),
    }];
    let page = page(&run);
    for part in ["is this normal?", "105 ns to 125 ns", "121 ns", "inferred", "epyc-9004"] {
        assert!(page.contains(part), "{part} is missing");
    }
    assert!(page.contains(">nearest<"), "the nearest limit is named");
}

/// A measurement of updates with everything that stands behind a workload.
fn with_evidence() -> narrows_model::Run {
    use narrows_model::{Metric, MetricValue, Series, Unit, condition, metric};
    use serde_json::json;
    let mut run = common::rich();
    let m = run.measurements.iter_mut().find(|m| m.id == "database.update").unwrap();
    let series = |name: Metric, repeat, values: &[f64]| Series {
        name: name.into(),
        unit: Unit::Count,
        repeat,
        t0_ns: 0,
        interval_ns: 500_000_000,
        x: Vec::new(),
        values: values.to_vec(),
    };
    for repeat in 0..2 {
        m.series.push(series(metric::SESSIONS_RUNNING, repeat, &[10.0, 12.0, 11.0]));
        m.series.push(series(metric::SESSIONS_FLUSHING, repeat, &[100.0, 96.0, 98.0]));
        m.series.push(series(metric::SESSIONS_LOCKED, repeat, &[0.0, 0.0, 0.0]));
    }
    let figures = [
        (metric::WAL_BYTES_PER_OP, 1000.0),
        (metric::FULL_PAGES_PER_OP, 0.05),
        (metric::CHECKPOINTS, 2.0),
        (metric::CHECKPOINT_PAGES, 812.0),
    ];
    m.metrics.retain(|metric| figures.iter().all(|(name, ..)| metric.name != *name));
    m.metrics.extend(figures.map(|(name, value)| MetricValue::new(name, value, None, vec![value])));
    let classes = json!({"sessions": 3.25, "walwriter": 0.125});
    m.conditions.insert(condition::CPUS_BY_CLASS, classes);
    m.conditions.insert(condition::WAIT_EVENTS, json!({"IO:WALSync": 75, "on CPU": 25}));
    m.conditions.insert(condition::SERVER_SETTINGS, json!({"max_wal_size": "1024MB"}));
    m.conditions.insert(condition::SERVER_BUILD, json!({"CFLAGS": "-O2 <x>"}));
    m.workload.insert(condition::STATEMENT, json!("UPDATE t SET a = 1 WHERE id < $1"));
    m.workload.insert(condition::PLAN, json!("Index Scan using t_pkey on t"));
    run
}

#[test]
fn two_scans_have_their_own_figures_behind_them() {
    use narrows_model::condition;
    let mut run = common::rich();
    let of_many = run.verdicts.iter().position(|v| v.measurement == "database.scan_n").unwrap();
    let mut one = run.measurement("database.scan_n").unwrap().clone();
    one.id = "database.scan_1".into();
    one.conditions.insert(condition::CPUS_BY_CLASS, serde_json::json!({"sessions": 0.593}));
    run.measurements.push(one);
    let many = run.measurements.iter_mut().find(|m| m.id == "database.scan_n").unwrap();
    many.conditions.insert(condition::CPUS_BY_CLASS, serde_json::json!({"sessions": 0.604}));
    run.verdicts[of_many].workload = "scan".into();
    let mut verdict = run.verdicts[of_many].clone();
    verdict.measurement = "database.scan_1".into();
    verdict.operating_point.workers = Some(1);
    run.verdicts.insert(of_many, verdict);
    let page = page(&run);
    let (_, section) = page.split_once("<section id=\"workloads\">").expect("the section");
    let (section, _) = section.split_once("</section>").unwrap();
    let behind = |name: &str| {
        let (_, rest) = section.split_once(&format!("<h3>{name}</h3>")).expect(name);
        rest.split("<h3>").next().unwrap().to_string()
    };
    let (one, many) = (behind("scan, 1 worker"), behind("scan, 16 workers"));
    assert!(one.contains("0.593") && !one.contains("0.604"), "{one}");
    assert!(many.contains("0.604") && !many.contains("0.593"), "{many}");
}

#[test]
fn each_workload_has_its_verdict_first_and_what_is_behind_it() {
    let page = page(&with_evidence());
    balanced(&page).unwrap();
    let (_, section) = page.split_once("<section id=\"workloads\">").expect("the section");
    let (section, _) = section.split_once("</section>").unwrap();
    let (_, update) = section.split_once("<h3>update, durable</h3>").expect("updates");
    let verdict =
        update.find("LIKELY").or(update.find("CONFIRMED")).or(update.find("UNDECIDED")).unwrap();
    let picture = update.find("<svg class=chart ").expect("a picture");
    assert!(verdict < picture, "the verdict is first");
    for said in [
        "waiting for WAL<td>98.0",
        "<td>walwriter<td>0.125",
        "0.0500 full-page images (41 % of the bytes at most)",
        "2 during the load, 812 pages written",
        "IO:WALSync 75 %, on CPU 25 %",
        "Index Scan using t_pkey on t",
        "<code>max_wal_size</code>",
        "-O2 &lt;x&gt;",
    ] {
        assert!(section.contains(said), "{said}\n{section}");
    }
    assert!(!update.contains("waiting for a lock or latch"), "nobody did");
    // Six slices and the gap between the two windows: two areas of each of the two states that were found, on wide and on narrow pages.
    assert_eq!(common::areas(section), 8);
    let another = {
        let mut run = with_evidence();
        let m = run.measurements.iter_mut().find(|m| m.id == "database.update").unwrap();
        m.conditions.insert(narrows_model::condition::PLAN_AFTER, "other");
        html(&Report::new(&run, Units::Si))
    };
    assert!(another.contains("another one after the load"));
}

#[test]
fn a_long_condition_that_measurements_share_stands_once_and_another_stays() {
    let mut run = common::rich();
    let long = |of: &str| serde_json::json!(format!("{of} {}", "-O2 -g ".repeat(20)));
    let build = narrows_model::condition::SERVER_BUILD;
    for m in run.measurements.iter_mut().take(3) {
        m.conditions.insert(build, long("the same"));
    }
    let alike = page(&run);
    let shown = |page: &str, of: &str| {
        page.split("<script").next().unwrap().matches(&format!("{of} -O2 -g")).count()
    };
    assert_eq!((shown(&alike, "the same"), alike.matches("as above").count()), (1, 3));
    run.measurements[2].conditions.insert(build, long("another"));
    let apart = page(&run);
    assert_eq!((shown(&apart, "the same"), shown(&apart, "another")), (2, 1));
    assert!(!apart.contains("as above"));
}

#[test]
fn metrics_that_are_zero_in_every_repeat_share_a_line() {
    let zeros_of = |samples: &[f64]| {
        let mut run = common::rich();
        let m = &mut run.measurements[0];
        m.metrics.retain(|metric| metric.name != narrows_model::metric::STEAL);
        let mut steal = common::builders::metric(narrows_model::metric::STEAL, 0.0, 0.0, 3);
        steal.samples = samples.to_vec();
        m.metrics.push(steal);
        let whole = page(&run);
        let (_, all) = whole.split_once("<section id=\"measurements\">").unwrap();
        let own = all.split_once("<details>").unwrap().1.split_once("</details>").unwrap().0;
        (own.contains("<tr><td>steal"), own.contains("Zero in every repeat: steal."))
    };
    assert_eq!(zeros_of(&[0.0; 3]), (false, true));
    assert_eq!(zeros_of(&[0.0, 0.01, 0.0]), (true, false), "its median is zero, and it is not");
}
