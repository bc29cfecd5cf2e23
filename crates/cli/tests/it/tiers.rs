//! `narrows tier forecast` as a user types it.

use std::process::{Command, Output};

fn forecast(words: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_narrows"));
    command.args(["tier", "forecast"]).args(words.split_whitespace()).env("NO_COLOR", "1");
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const LOG: &str =
    "log --rate 26566/s --sessions 10.53 --commit-wait 310us --flush 129us --medium-flush 14us";

#[test]
fn the_guides_table_is_what_its_command_prints() {
    let guide =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/guide/tier.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let output = forecast(LOG);
    let screen = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(guide.contains(&format!("$ narrows tier forecast {LOG}\n")));
    for line in screen.lines().take(4) {
        assert!(guide.contains(line), "`{line}` is not in the guide");
    }
    assert!(screen.lines().all(|line| line.chars().count() <= 100), "{screen}");
    let destaging = forecast(
        "log --rate 26566/s --sessions 64 --commit-wait 310us --flush 129us --cpu-per-transaction 400us --cpus 32 \
         --medium-flush 10..20us --added 21us --wal-per-transaction 2kB --backing 50MB/s --log-size 960MB",
    );
    for line in text(&destaging.stdout).lines().filter(|line| line.starts_with("destaging")).take(2)
    {
        assert!(guide.contains(line), "`{line}` is not in the guide");
    }
}

#[test]
fn every_sum_can_be_redone_and_every_format_is_what_it_says() {
    let of = |format: &str| text(&forecast(&format!("{LOG} --format {format}")).stdout);
    let screen = of("text");
    assert!(screen.contains("[7] 258 × [6] 14 / [5] 129 + [8] 52"), "{screen}");
    let json: serde_json::Value = serde_json::from_str(&of("json")).unwrap();
    assert_eq!(json["tier"], "log");
    let lines = json["lines"].as_array().unwrap();
    let wait = lines.iter().find(|line| line["key"] == "then.wait").unwrap();
    assert!((wait["value"].as_f64().unwrap() - 80.0).abs() < 1e-9, "{wait}");
    assert!(of("csv").starts_with("kind,key,title,off,on,"), "{}", of("csv"));
    assert!(of("markdown").contains("## What binds next"), "{}", of("markdown"));
    let page = of("html");
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
}

#[test]
fn an_unknown_figure_is_told_and_without_a_rate_the_exit_code_says_so() {
    let output =
        forecast("log --rate 26566/s --commit-wait 310us --flush 129us --medium-flush 14us");
    let screen = text(&output.stdout);
    assert_eq!(output.status.code(), Some(4), "{screen}");
    assert!(screen.contains("unknown         sessions, for a rate (--sessions)"), "{screen}");
    // What each option is called stands in the list.
    for option in screen.split(['(', ')', ',', ' ']).filter(|word| word.starts_with("--")) {
        let help = text(&forecast("log --help").stdout);
        assert!(help.contains(&format!("{} ", option.trim())), "{option}");
    }
}

#[test]
fn a_traces_curve_is_what_the_forecast_reads() {
    let folder = tempfile::tempdir().unwrap();
    let (trace, file) = (folder.path().join("reads.txt"), folder.path().join("misses.csv"));
    // A hundred blocks in turns, ten times.
    let line = |read: u64| format!("8,0 1 7 0.5 77 Q R {} + 16 [postgres]\n", read % 100 * 16);
    std::fs::write(&trace, (0..1000).map(line).collect::<String>()).unwrap();
    let run = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_narrows"));
        command.arg("tier").args(words).env("NO_COLOR", "1").output().unwrap()
    };
    let (trace, csv) = (trace.to_str().unwrap(), file.to_str().unwrap());
    let output = run(&["curve", trace]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    std::fs::write(&file, &output.stdout).unwrap();
    let curve = text(&output.stdout);
    assert!(
        curve.starts_with("size,miss\n# ") && curve.contains("8192B,90.0000..100.0000%"),
        "{curve}"
    );
    // The same as an object.
    let object = run(&["curve", trace, "--format", "json"]);
    let object: serde_json::Value = serde_json::from_slice(&object.stdout).unwrap();
    let points = object["points"].as_array().unwrap();
    let shares = |text: &str| {
        let shares = text.strip_suffix('%').unwrap().split("..").map(|end| end.parse::<f64>());
        let shares: Vec<f64> = shares.map(Result::unwrap).collect();
        (shares[0], *shares.last().unwrap())
    };
    let lines: Vec<&str> = curve.lines().skip(2).collect();
    assert_eq!((points.len(), object["block_bytes"].as_u64()), (lines.len(), Some(8192)));
    for (point, line) in points.iter().zip(lines) {
        let (size, missed) = line.split_once("B,").unwrap();
        assert_eq!(point["size_bytes"].to_string(), size);
        let (least, most) = shares(missed);
        let of = |key: &str| point[key].as_f64().unwrap() * 100.0;
        assert!((of("missed_least") - least).abs() < 1e-4, "{point} {line}");
        assert!((of("missed_most") - most).abs() < 1e-4, "{point} {line}");
        assert!((least - 1e-4..=most + 1e-4).contains(&of("missed")), "{point} {line}");
    }
    let of = |what: &[&str]| {
        let asked = ["forecast", "reads", "--rate", "10k/s", "--sessions", "4", "--read", "300us"];
        let more = ["--tier-read", "16us", "--tier-size", "1MiB", "--format", "json"];
        let output = run(&[&asked[..], &more, what].concat());
        let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let lines = told["lines"].as_array().unwrap().clone();
        lines.into_iter().find(|line| line["key"] == "tier.missed").unwrap()["value"].clone()
    };
    // 128 blocks hold all; a tenth of the reads is of a block for the first time.
    let missed = of(&["--trace", trace]);
    assert!((missed.as_f64().unwrap() - 0.05).abs() < 1e-6, "{missed}");
    assert_eq!(of(&["--curve", csv]), missed);
    let nothing = run(&["curve", "/dev/null"]);
    assert_eq!(nothing.status.code(), Some(2), "{}", text(&nothing.stdout));
    assert!(text(&nothing.stderr).contains("hint: "), "{}", text(&nothing.stderr));
}

#[test]
fn wal_as_pg_waldump_prints_it_has_rate_and_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("wal.txt");
    // 2,000 bytes and a commit each millisecond, and another record before each.
    let lines = |n: u64| {
        let at = 0x10_0000 + 2000 * n;
        let record = |lsn: u64, rmgr: &str, what: String| {
            format!(
                "rmgr: {rmgr} len (rec/tot): 34/34, tx: 731, lsn: 0/{lsn:08X}, prev 0/0, desc: {what}\n"
            )
        };
        let time = format!("COMMIT 2026-11-29 20:51:{:09.6} UTC", n as f64 / 1e3);
        record(at, "Heap       ", "HOT_UPDATE off 1".into())
            + &record(at + 1900, "Transaction", time)
    };
    std::fs::write(&file, (0..1001).map(lines).collect::<String>()).unwrap();
    let with = format!(
        "log --trace {} --sessions 4 --commit-wait 2ms --flush 1ms --medium-flush 30us --backing 1MB/s --log-size 500kB",
        file.display()
    );
    let output = forecast(&format!("{with} --format json"));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let value = |key: &str| {
        let lines = told["lines"].as_array().unwrap();
        lines.iter().find(|line| line["key"] == key).unwrap()["value"].as_f64().unwrap()
    };
    assert!(
        (value("now.rate") - 1000.0).abs() < 1e-6 && (value("wal.bytes") - 2000.0).abs() < 1e-6
    );
    assert!((value("destage.held") - 1_001_000.0).abs() < 1.0, "{}", value("destage.held"));
    let screen = text(&forecast(&with).stdout);
    assert!(screen.contains("trace's own rate"), "{screen}");
    let refused =
        forecast("log --trace /dev/null --commit-wait 2ms --flush 1ms --medium-flush 30us");
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("pg_waldump"), "{}", text(&refused.stderr));
}

#[test]
fn what_makes_no_sense_is_refused_with_what_to_do() {
    let curve = std::env::temp_dir().join(format!("narrows-tier-{}.csv", std::process::id()));
    std::fs::write(&curve, "1GiB,0.5\n2GiB,0.7\n").unwrap();
    let bad_curve =
        format!("reads --read 1ms --tier-read 1us --curve {} --tier-size 1GiB", curve.display());
    for (words, what, hint) in [
        (
            "log --rate 26566/s --sessions 4 --commit-wait 310us --flush 129us --medium-flush 14us",
            "8.24 sessions waiting",
            "Little",
        ),
        (
            "log --rate 26566/s --sessions 64 --cpu-per-transaction 1ms --cpus 4 --commit-wait 310us --flush 129us --medium-flush 14us",
            "use 26.6 CPUs",
            "Little",
        ),
        ("log --rate x/s --commit-wait 1us --flush 1us --medium-flush 1us", "is no rate", "--help"),
        (
            "log --rate 1/s --medium-flush 20..10us --commit-wait 1us --flush 1us",
            "ends below",
            "--help",
        ),
        ("log --rate 1/s", "--commit-wait", "examples"),
        ("log --run nosuchrun --medium-flush 14us", "nosuchrun", "narrows list"),
        (
            "reads --read 1ms --tier-read 1us --curve /nowhere --tier-size 1GB",
            "/nowhere",
            "64GiB,0.42",
        ),
        ("reads --read 1ms --tier-read 1us --curve /dev/null", "--tier-size", "help"),
        ("reads --read 1ms --tier-read 1us --hits 120%", "more than all", "--help"),
        (&bad_curve, "line 2: misses more", "64GiB,0.42"),
    ] {
        let output = forecast(words);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words}: {error}");
        assert!(error.contains(what), "{words}: {error}");
        let told = error.lines().find(|line| line.starts_with("hint: ")).unwrap_or_default();
        assert!(told.contains(hint), "{words}: {error}");
        assert!(output.stdout.is_empty(), "{words}");
    }
    std::fs::remove_file(curve).unwrap();
}
