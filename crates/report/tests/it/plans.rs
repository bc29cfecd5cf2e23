//! Platforms on paper and demands on them, in every form.

use crate::common;
use narrows_limits::table::Table;
use narrows_plan::{
    Amount, Demand, Description, Fit, Log, Migration, PartKind, Plan, Question, RequestDemand,
    TimePart, describe, fit, plan,
};
use narrows_report::document::Document;
use narrows_report::{FORMS, Screen, fits, form, plans, render};

fn printed(document: &Document, name: &str) -> String {
    render(document, form(name).unwrap(), Screen::PLAIN)
}

const QUESTION: Question = Question { block_bytes: 8192, table_bytes: 1_000_000_000_000 };

const BOX: &str = r#"
name = "box"
currency = "EUR"
[[machine]]
name = "server"
cores = 10
price = 9200
memory_bandwidth = "40 GB/s"
source = "test"
[[drives]]
name = "disks"
at = "server"
count = 8
price = 100
read = "2 GB/s"
write = "2 GB/s"
reads = "100k/s"
writes = "50k/s"
read_latency = "100 us"
source = "test"
[[database]]
name = "db"
at = "server"
data = "disks"
in_flight = 16
"#;

const TWO: &str = r#"
name = "a <target> and its host"
note = "two & a link"
[[machine]]
name = "target"
memory_bandwidth = "20 GB/s"
source = "test"
[[machine]]
name = "host"
memory_bandwidth = "100 GB/s"
source = "test"
[[drives]]
name = "disks"
at = "target"
read = "9 GB/s"
source = "test"
[[link]]
name = "fabric"
from = "target"
to = "host"
class = "hdr-200"
[[database]]
name = "db"
at = "host"
data = "disks"
"#;

fn described(text: &str) -> Description {
    describe("test.toml", text, Table::builtin()).unwrap_or_else(|error| panic!("{error}"))
}

fn planned(text: &str) -> Plan {
    plan(&described(text), QUESTION).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_form_names_what_binds_and_a_screen_fits_its_width() {
    let both = [planned(BOX), planned(TWO)];
    let document = plans(&both);
    let screen = printed(&document, "text");
    assert!(screen.lines().all(|line| line.chars().count() <= 100), "{screen}");
    // 10,000 EUR over 160 k reads, and over 16 GB/s.
    assert!(screen.contains("62.5 EUR") && screen.contains("625 EUR"), "{screen}");
    for form in FORMS {
        let out = render(&document, form, Screen::PLAIN);
        for part in ["requests in flight of db", "disks"] {
            assert!(out.contains(part), "`{part}` is missing in {out}");
        }
    }
    let json: serde_json::Value = serde_json::from_str(&printed(&document, "json")).unwrap();
    assert_eq!(json[1]["works"][0]["work"], "random_read");
    let works: usize = both.iter().map(|plan| plan.works.len()).sum();
    assert_eq!(printed(&document, "csv").lines().count(), 1 + works);
}

#[test]
fn platforms_that_have_no_room_beside_each_other_stand_below() {
    let many = [TWO; 5].map(planned);
    let screen = printed(&plans(&many), "text");
    assert!(screen.lines().all(|line| line.chars().count() <= 100), "{screen}");
    let heads: Vec<&str> = screen.lines().filter(|line| line.contains("a <target> and")).collect();
    assert_eq!(heads.iter().map(|line| line.matches("a <target>").count()).sum::<usize>(), 5);
    assert!(heads.len() == 2 && heads[0].contains('…'), "{heads:?}");
}

#[test]
fn the_page_has_ceilings_a_picture_for_both_screens_and_what_binds_in_words() {
    let page = printed(&plans(&[planned(TWO)]), "html");
    assert!(page.contains("<h2>a &lt;target&gt; and its host</h2>") && !page.contains("<target>"));
    assert!(page.contains("two &amp; a link"));
    // By pencil: the drives' 9 GB/s are less than the link's 24.8 GB/s.
    assert!(page.contains("<td>9.00 GB/s<"));
    for picture in ["onwide", "onnarrow"] {
        let (_, drawn) = page.split_once(&format!("<div class=\"{picture}\"")).unwrap();
        let (drawn, _) = drawn.split_once("</svg>").unwrap();
        assert!(drawn.contains("BINDS"), "{drawn}");
        assert!(drawn.contains("fabric: target to host"), "{drawn}");
    }
    assert!(!common::without_own_script(&page).contains("<script"));
}

fn known(value: f64, relative: f64) -> Amount {
    Amount { value, half: Some(value * relative) }
}

/// Updates of 8 sessions: 50 µs of a processor, 200 µs for the log, a quarter of a flush and 400 bytes of log each.
fn update() -> Demand {
    let part =
        |kind, name: &str, us: f64| TimePart { kind, name: name.into(), ns: known(us * 1e3, 0.02) };
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

/// One machine of `cores`, four drives whose media do 200 k reads and 100 k writes each.
fn box_of(cores: u32, drives: &str) -> Description {
    described(&format!(
        "name = \"box\"\n[[machine]]\nname = \"server\"\ncores = {cores}\n\
         [[drives]]\nname = \"disks\"\nat = \"server\"\ncount = 4\nreads = \"200k/s\"\nwrites = \"100k/s\"\n\
         {drives}source = \"test\"\n\
         [[database]]\nat = \"server\"\ndata = \"disks\"\n"
    ))
}

#[test]
fn every_form_carries_the_answer_to_a_demand() {
    let platforms = [box_of(4, ""), box_of(1000, "write_latency = \"15 us\"\n")];
    let doubtful = Demand { name: "odd".into(), suspect: Some("drifts".into()), ..update() };
    let demands = vec![update(), doubtful];
    let fitted = |p: &Description, d: &Demand| -> Fit { fit(p, d, None).unwrap() };
    let all = platforms.iter().flat_map(|p| demands.iter().map(move |d| fitted(p, d))).collect();
    let migration = Migration {
        from: "run 7f3a".into(),
        refused: vec!["database.scan_1: it is invalid: broken".into()],
        remarks: Vec::new(),
        demands,
        fits: all,
    };
    let document = fits(&migration, &[]);
    let screen = printed(&document, "text");
    assert!(screen.lines().all(|line| line.chars().count() <= 100), "{screen}");
    let csv = printed(&document, "csv");
    assert_eq!(csv.lines().count(), 1 + 4);
    // Commas between quotes are no columns.
    let columns =
        |line: &str| line.split('"').step_by(2).map(|s| s.matches(',').count()).sum::<usize>();
    assert!(csv.lines().all(|line| columns(line) == columns(csv.lines().next().unwrap())), "{csv}");
    for name in ["text", "markdown", "html"] {
        let out = printed(&document, name);
        for part in ["? odd", "drifts", "refused", "fits", "8 sessions"] {
            assert!(out.contains(part), "`{part}` is missing in {out}");
        }
    }
    let json: serde_json::Value = serde_json::from_str(&printed(&document, "json")).unwrap();
    assert_eq!(json["fits"][0]["verdict"], "fits");
    assert_eq!(json["fits"][3]["suspect"], true);
    assert_eq!(json["demands"][0]["log"]["bytes"]["value"], 400.0);
    assert!(json["fits"][0]["at_sessions"]["rate_per_s"]["half_95"].is_f64(), "{json}");
}
