//! `narrows cost` and `narrows size` as a user types them.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

use narrows_model::{
    Calibration, CalibrationEnd, CalibrationGoal, Layer, Measurement, MetricValue, Plan, Platform,
    Run, Validity, condition, metric,
};

fn narrows(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_narrows"));
    command.args(args).env("NO_COLOR", "1").output().unwrap()
}

fn case(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/costs").join(name);
    path.display().to_string()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The description of the guide that begins after that heading.
fn of_the_guide(heading: &str) -> String {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/guide/cost.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let after = &guide[guide.find(heading).unwrap()..];
    let after = &after[after.find("```toml\n").unwrap() + 8..];
    after[..after.find("```").unwrap()].to_string()
}

#[test]
fn the_guides_first_description_has_the_guides_figures() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("box.toml");
    std::fs::write(&file, of_the_guide("## A first description")).unwrap();
    let file = file.display().to_string();
    let output = narrows(&["cost", &file]);
    let screen = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    for words in [
        "round up ([2] 64 × [10] 0.5)",
        "3,192,000 USD",
        "49,875 USD per core",
        "2 cores fewer save 99,750 USD",
    ] {
        assert!(screen.contains(words), "`{words}` is not in\n{screen}");
    }
    assert!(screen.lines().all(|line| line.chars().count() <= 100), "{screen}");
    let output = narrows(&[
        "cost",
        &file,
        "--what-if",
        "licence.oracle-ee.price=23000",
        "--what-if",
        "years=3",
        "--format",
        "json",
    ]);
    let answers: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let lines = answers["costs"][0]["lines"].as_array().unwrap();
    let licences = lines.iter().find(|line| line["key"] == "licence.oracle-ee.sum").unwrap();
    assert!((licences["value"].as_f64().unwrap() - 32.0 * 23_000.0 * 1.66).abs() < 1e-6);
}

#[test]
fn entries_of_the_guide_are_understood() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("box.toml");
    let entries =
        of_the_guide("Times have a unit") + &of_the_guide("## Published figures to begin with");
    let head = "name = \"a\"\ncurrency = \"USD\"\n[cost.server]\ncores = 32\n";
    std::fs::write(&file, format!("{head}{entries}")).unwrap();
    let output = narrows(&["cost", &file.display().to_string()]);
    let screen = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    for words in ["0.08 USD per month", "0.08 USD per GB", "orders/min", "min per year"] {
        assert!(screen.contains(words), "`{words}` is not in\n{screen}");
    }
}

#[test]
fn two_descriptions_are_compared_and_every_format_is_what_it_says() {
    let files = [case("tpcc-sqlserver.toml"), case("tpcc-oracle.toml")];
    let of =
        |format: &str| text(&narrows(&["cost", &files[0], &files[1], "--format", format]).stdout);
    let screen = of("text");
    assert!(screen.contains("× 0.4216") && screen.contains("+137 %"), "{screen}");
    assert!(of("csv").starts_with("description,number,key,"), "{}", of("csv"));
    assert!(of("markdown").contains("## What differs"), "{}", of("markdown"));
    let page = of("html");
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
    assert!(page.contains("work.rate"), "its keys are on the page");
}

#[test]
fn what_is_unknown_gives_no_total_and_another_exit_code() {
    let output = narrows(&["cost", &case("ghz-scan.toml")]);
    let screen = text(&output.stdout);
    assert_eq!(output.status.code(), Some(4), "{screen}");
    assert!(screen.contains("unknown         item.system.price"), "{screen}");
    assert!(screen.contains("67.86"), "what doesn't rest on it is there: {screen}");
}

#[test]
fn rules_are_listed_and_overridden() {
    let listed = text(&narrows(&["cost", "--list-rules"]).stdout);
    for words in ["oracle-ee", "cores, 0.5 licences for each", "47,500 USD", "https://"] {
        assert!(listed.contains(words), "`{words}` is not in\n{listed}");
    }
    let folder = tempfile::tempdir().unwrap();
    let rules = folder.path().join("ours.toml");
    std::fs::write(
        &rules,
        of_the_guide("`--rules FILE` replaces").replace("our-contract", "oracle-ee"),
    )
    .unwrap();
    let rules = rules.display().to_string();
    let output = narrows(&["cost", &case("avoided-core.toml"), "--rules", &rules]);
    // 32 licences at 21,000, and five years of 20 %.
    assert!(text(&output.stdout).contains("1,344,000 USD"), "{}", text(&output.stdout));
}

/// A server with drives that do 100,000 requests a second together.
fn platform(name: &str, cores: u32, price: u32) -> String {
    format!(
        "name = \"{name}\"\ncurrency = \"EUR\"\n[[machine]]\nname = \"server\"\ncores = {cores}\n\
         [[drives]]\nname = \"nvme\"\nat = \"server\"\nclass = \"nvme-gen4-x4\"\ncount = 4\nreads = \"25k/s\"\n\
         writes = \"25k/s\"\nsource = \"data sheet\"\n\
         [[database]]\nat = \"server\"\ndata = \"nvme\"\n[[cost.item]]\nname = \"server\"\nprice = {price}\n\
         date = \"2026-11\"\nsource = \"quote\"\n"
    )
}

#[test]
fn a_given_demand_finds_the_platform_that_carries_it() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, content: String| {
        let file = folder.path().join(name);
        std::fs::write(&file, content).unwrap();
        file.display().to_string()
    };
    let drives = "reads = \"25k/s\"\nwrites = \"25k/s\"\nsource = \"data sheet\"\n";
    let platform = |name, cores, price| platform(name, cores, price).replace(drives, "");
    let small = put("small.toml", platform("small", 16, 20_000));
    let large = put("large.toml", platform("large", 64, 50_000));
    let demand = put("demand.toml", of_the_guide("## Which platform carries it?"));
    let sized = |more: &[&str]| {
        let output = narrows(&[&["size", &small, &large, "--given", &demand], more].concat());
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (code, screen, error) = sized(&["--growth", "20%", "--years", "3", "--headroom", "60%"]);
    assert_eq!(code, Some(0), "{error}");
    assert!(screen.contains("large is the cheapest that carries it"), "{screen}");
    assert!(screen.contains("small: too small, held by CPUs of server"), "{screen}");
    assert!(screen.contains("no array holds its data a second time"), "{screen}");
    assert!(
        screen.contains("not without a drive; not without the machine that has the data"),
        "{screen}"
    );
    assert!(screen.lines().all(|line| line.chars().count() <= 100), "{screen}");
    let (code, screen, _) = sized(&[]);
    assert_eq!(code, Some(4), "{screen}");
    assert!(screen.contains("headroom unknown"), "{screen}");
    let (_, page, _) = sized(&["--headroom", "60%", "--format", "html"]);
    assert!(page.contains("usable throughput against cost"), "the chart is there");
    assert!(page.contains("item.server.price"), "every line of its costs is there");
    let (_, csv, _) = sized(&["--headroom", "60%", "--format", "csv"]);
    assert!(csv.starts_with("demand,platform,answer,"), "{csv}");
}

#[test]
fn the_guides_replacement_is_sized() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, content: String| {
        let file = folder.path().join(name);
        std::fs::write(&file, content).unwrap();
        file.display().to_string()
    };
    let small = of_the_guide("## A replacement for a measured server");
    let large = small.replace("32 cores", "64 cores").replace("cores = 32", "cores = 64");
    let large = put("large.toml", large.replace("21000", "34000"));
    let small = put("small.toml", small);
    let demand = put("demand.toml", of_the_guide("## Which platform carries it?"));
    let growth = ["--growth", "20%", "--years", "3", "--headroom", "60%"];
    let output = narrows(&[&["size", &small, &large, "--given", &demand], &growth[..]].concat());
    let screen = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(screen.contains("32 cores is the cheapest that carries it"), "{screen}");
    assert!(screen.contains("to the power of 3"), "{screen}");
    assert!(screen.contains("3.8 years from now"), "log 2 over log 1.2: {screen}");
}

#[test]
fn the_io_of_an_awr_report_reaches_the_drives_of_a_platform() {
    let folder = tempfile::tempdir().unwrap();
    let seed = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/import/awr-text");
    let seed = std::fs::read_to_string(seed).unwrap();
    let line =
        |name: &str, total: &str| format!("{name:<32} {total:>18} {:>14} {:>13}\n", "1.0", "1.0");
    let more = [
        line("physical read total IO requests", "1,200,000"),
        line("physical read total bytes", "9,830,400,000"),
        line("physical write total IO requests", "300,000"),
        line("physical write total bytes", "2,457,600,000"),
    ];
    let report = folder.path().join("awr.txt");
    let head = "user commits                                120,000";
    assert!(seed.contains(head), "the seed has its instance activity");
    std::fs::write(&report, seed.replace(head, &format!("{}{head}", more.concat()))).unwrap();
    let here = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_narrows"));
        let output = command.args(args).env("XDG_DATA_HOME", folder.path()).env("NO_COLOR", "1");
        output.output().unwrap()
    };
    let imported = here(&["import", &report.display().to_string()]);
    assert_eq!(imported.status.code(), Some(0), "{}", text(&imported.stderr));
    let run = std::fs::read_dir(folder.path().join("narrows/runs")).unwrap().next().unwrap();
    let run = run.unwrap().path().display().to_string();
    let file = folder.path().join("box.toml");
    std::fs::write(&file, platform("box", 64, 50_000)).unwrap();
    let file = file.display().to_string();
    let output = here(&["size", &file, "--demand", &run, "--headroom", "60%", "--format", "json"]);
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let sized = &answer["sizings"][0]["platforms"][0];
    assert_eq!(sized["lacks"], serde_json::Value::Null, "{}", text(&output.stdout));
    // 12.5 requests of 100,000 per second for each transaction; CPU time would allow more.
    let ceiling = sized["ceiling_per_s"]["value"].as_f64().unwrap();
    assert!((7_000.0..=10_001.0).contains(&ceiling), "{ceiling}");
    assert_eq!(sized["binding"][0], "nvme", "{sized}");
    let notes = answer["notes"].to_string();
    assert!(notes.contains("--core-ratio"), "nothing is known of its cores: {notes}");
    let costs = here(&["cost", &file, "--run", &run]);
    assert!(text(&costs.stdout).contains("an unknown number of CPUs"), "{}", text(&costs.stdout));
}

/// A run with a closed loop at three numbers of sessions, on four CPUs, 200 µs for each operation.
fn swept() -> Run {
    let mut platform = Platform::default();
    platform.cpu.threads = 4;
    platform.cpu.cores = 4;
    let mut run = Run { completed: true, ..Run::blank(Plan::default(), platform) };
    run.id = "5eed".to_string();
    let measured = |id: &str, values: &[(narrows_model::Metric, f64)]| {
        let mut m = Measurement::new(id, Layer::Database);
        m.workload.insert(condition::SESSIONS, 8);
        for (metric, value) in values {
            m.metrics.push(MetricValue::new(*metric, *value, None, vec![*value]));
        }
        m
    };
    let of = |id: &str, rate: f64, p99_ns: f64| {
        let values = [
            (metric::THROUGHPUT, rate),
            (metric::LATENCY_P99, p99_ns),
            (metric::SERVER_CPU_PER_OP, 200_000.0),
            (metric::OPERATIONS, rate),
            (metric::DEVICE_READS, rate),
            (metric::DEVICE_READ_BYTES, 8192.0 * rate),
            (metric::DEVICE_WRITES, 0.0),
            (metric::DEVICE_WRITE_BYTES, 0.0),
        ];
        measured(id, &values)
    };
    run.measurements = vec![
        of("database.lookup_uncached", 16_000.0, 6e6),
        of("database.lookup_uncached.sessions_1", 3_000.0, 0.5e6),
        of("database.lookup_uncached.sessions_4", 10_000.0, 1.5e6),
        of("database.lookup_uncached.sessions_8", 16_000.0, 6e6),
    ];
    run
}

/// Drives that keep p99 up to half of what they do.
fn calibrated() -> Run {
    let mut run = Run { completed: true, ..Run::blank(Plan::default(), Platform::default()) };
    run.id = "ca11".to_string();
    run.calibrations.push(Calibration {
        id: "block.calibrate.read.8k".to_string(),
        goal: CalibrationGoal {
            what: "8 KiB random reads".to_string(),
            block_bytes: 8192,
            read_share: 1.0,
            quantile: 0.99,
            limit_ns: 1_000_000,
            arrivals: "poisson".to_string(),
            beside: None,
        },
        end: CalibrationEnd::Found,
        sentence: "found".to_string(),
        rate_per_s: Some(30_000.0),
        interval_95: None,
        quantiles_ns: Vec::new(),
        repeats: (3, 3),
        latency_mean_ns: None,
        alone_ns: None,
        ceiling_per_s: Some(60_000.0),
        ceiling_depth: None,
        knee_per_s: None,
        curve: Vec::new(),
        ramp: Vec::new(),
        cpu_per_op_ns: None,
        burst_per_s: None,
        thin: false,
        pooled: false,
        windows: 9,
        unusable_windows: 0,
        generator_per_s: None,
        bound: None,
        bandwidth_bytes_per_s: None,
        bandwidth_depth: None,
        process_bandwidth_bytes_per_s: None,
        oracle: None,
        rests_on: Vec::new(),
        validity: Validity::Valid,
    });
    run
}

#[test]
fn measured_curves_say_how_much_of_cpus_and_drives_may_be_used() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, content: String| {
        let file = folder.path().join(name);
        std::fs::write(&file, content).unwrap();
        file.display().to_string()
    };
    let run = put("run.narrows.json", swept().to_json());
    let drives = put("drives.narrows.json", calibrated().to_json());
    let small = put("small.toml", platform("small", 8, 20_000));
    let sized = |more: &[&str]| {
        let args = [&["size", &small, "--demand", &run, "--rate", "5k/s"], more].concat();
        let output = narrows(&args);
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (code, screen, error) = sized(&[]);
    assert_eq!(code, Some(4), "{error}");
    assert!(screen.contains("--p99 TIME takes from it"), "the curve is there: {screen}");
    let (code, screen, _) = sized(&["--p99", "2ms"]);
    assert_eq!(code, Some(0), "{screen}");
    // 4 sessions: 10,000 × 200 µs on 4 CPUs; 8 cores do 40,000.
    assert!(screen.contains("50.0 % of CPUs") || screen.contains("50 % of CPUs"), "{screen}");
    assert!(screen.contains("unknown of drives and links"), "{screen}");
    let (_, screen, _) = sized(&["--p99", "2ms", "--calibration", &drives, "--format", "json"]);
    let answer: serde_json::Value = serde_json::from_str(&screen).unwrap();
    let platform = &answer["sizings"][0]["platforms"][0];
    let usable = platform["usable_per_s"]["value"].as_f64().unwrap();
    assert!((usable - 20_000.0).abs() < 1.0, "half of 40,000: {usable}");
    assert_eq!(answer["sizings"][0]["headroom"].as_array().unwrap().len(), 2);
    let (code, _, error) = sized(&["--p99", "2ms", "--headroom", "60%"]);
    assert_eq!(code, Some(2), "one or the other: {error}");
    let (code, _, error) = sized(&["--calibration", &run]);
    assert_eq!(code, Some(2));
    assert!(error.contains("no usable curve") && error.contains("hint:"), "{error}");
}

/// All keys of objects in a JSON document.
fn keys(value: &serde_json::Value, into: &mut BTreeSet<String>) {
    match value {
        serde_json::Value::Object(fields) => {
            for (key, value) in fields {
                into.insert(key.clone());
                keys(value, into);
            }
        }
        serde_json::Value::Array(all) => all.iter().for_each(|value| keys(value, into)),
        _ => {}
    }
}

#[test]
fn every_key_of_the_json_documents_is_described() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/reference/cost-json.md");
    let page = std::fs::read_to_string(page).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, content: String| {
        let file = folder.path().join(name);
        std::fs::write(&file, content).unwrap();
        file.display().to_string()
    };
    let (run, drives) = (swept().to_json(), calibrated().to_json());
    let (run, drives) = (put("run.narrows.json", run), put("drives.narrows.json", drives));
    let cheap = platform("cheap", 8, 20_000);
    let dear = platform("dear", 32, 60_000).replace("price = 60000", "price = \"50000 to 70000\"");
    let rent = "[[cost.item]]\nname = \"rent\"\nprice = 4000\nper = \"year\"\ndate = \"2026\"\nsource = \"c\"\n";
    let lacking = platform("lacking", 32, 1).replace("price = 1\n", "");
    let work = "[cost.work]\nname = \"orders\"\nrate = \"1k/s\"\nsource = \"tried\"\n";
    let dear = dear + &work.replace("1k", "5k") + "[[cost.licence]]\nrule = \"postgresql\"\n";
    let limited = platform("limited", 32, 1) + "[[cost.licence]]\nrule = \"oracle-se2\"\n";
    let noted = format!("note = \"a note\"\n{cheap}{rent}{work}");
    let [cheap, dear] = [put("cheap.toml", noted), put("dear.toml", dear)];
    let [lacking, limited] = [put("lacking.toml", lacking), put("limited.toml", limited)];
    let mut found = BTreeSet::new();
    let size = ["size", &cheap, &dear, "--demand", &run, "--p99", "2ms", "--calibration", &drives];
    for args in [
        vec!["cost", &cheap, &dear, "--run", &run],
        vec!["cost", &lacking],
        vec!["cost", &limited],
        vec!["cost", "--list-rules"],
        [&size[..], &["--growth", "20%"]].concat(),
    ] {
        let output = narrows(&[&args[..], &["--format", "json"]].concat());
        let document = serde_json::from_slice(&output.stdout);
        let document: serde_json::Value =
            document.unwrap_or_else(|_| panic!("{args:?}: {}", text(&output.stderr)));
        keys(&document, &mut found);
    }
    for key in
        ["break_even", "above", "years", "headroom", "lasts_years", "smallest", "most_threads"]
    {
        assert!(found.contains(key), "{key} is in none: {found:?}");
    }
    let missing: Vec<&String> =
        found.iter().filter(|key| !page.contains(&format!("`{key}`"))).collect();
    assert!(missing.is_empty(), "not on the page: {missing:?}");
}

#[test]
fn what_is_no_description_is_refused_with_a_hint() {
    let (file, other) = (case("avoided-core.toml"), case("one-server.toml"));
    for args in [
        vec!["cost", "/nowhere/x.toml"],
        vec!["cost", "/"],
        vec!["cost"],
        vec!["cost", &file, "--run", "/nowhere/run.json"],
        vec!["cost", &file, "--rules", &file],
        vec!["cost", &file, "--rules", "/nowhere/rules.toml"],
        vec!["cost", &file, "--what-if", "years"],
        vec!["cost", &file, "--what-if", "years=-1"],
        vec!["cost", &file, "--what-if", "yeers=3"],
        vec!["cost", &file, "--what-if", "years=3", "--what-if", "years=5"],
        vec!["cost", &file, "--what-if", "licence.oracle-ee.support=22"],
        // Five years beside three.
        vec!["cost", &file, &other],
        vec!["size", &file, "--given", &file],
        vec!["size", &file],
        vec!["size", &file, "--given", "/nowhere/d.toml"],
        vec!["size", &file, "--given", "/nowhere/d.toml", "--headroom", "120%"],
        vec!["size", &file, "--given", "/nowhere/d.toml", "--growth", "fast"],
    ] {
        let output = narrows(&args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output.stderr));
        assert!(!output.stderr.is_empty() && output.stdout.is_empty(), "{args:?}");
    }
    let nearest = narrows(&["cost", &file, "--what-if", "yeers=3"]);
    assert!(text(&nearest.stderr).contains("did you mean `years`?"), "{}", text(&nearest.stderr));
}
