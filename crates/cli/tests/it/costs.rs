//! `narrows cost` and `narrows size` as a user types them.

use std::path::Path;
use std::process::{Command, Output};

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

#[test]
fn a_given_demand_finds_the_platform_that_carries_it() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, content: String| {
        let file = folder.path().join(name);
        std::fs::write(&file, content).unwrap();
        file.display().to_string()
    };
    let platform = |name: &str, cores: u32, price: u32| {
        format!(
            "name = \"{name}\"\ncurrency = \"EUR\"\n[[machine]]\nname = \"server\"\ncores = {cores}\n\
             [[drives]]\nname = \"nvme\"\nat = \"server\"\nclass = \"nvme-gen4-x4\"\ncount = 4\n\
             [[database]]\nat = \"server\"\ndata = \"nvme\"\n[[cost.item]]\nname = \"server\"\nprice = {price}\n\
             date = \"2026-11\"\nsource = \"quote\"\n"
        )
    };
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
    let (_, csv, _) = sized(&["--headroom", "60%", "--format", "csv"]);
    assert!(csv.starts_with("demand,platform,answer,"), "{csv}");
}

#[test]
fn what_is_no_description_is_refused_with_a_hint() {
    let (file, other) = (case("avoided-core.toml"), case("one-server.toml"));
    for args in [
        vec!["cost", "/nowhere/x.toml"],
        vec!["cost", "/"],
        vec!["cost"],
        vec!["cost", &file, "--run", "/nowhere/run.json"],
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
