//! `--buffercache`: the statement on a real server, and what the forecast makes of it.

use std::process::{Command, Output};

use narrows_tier_forecast::BUFFERCACHE_SQL;

use crate::common::machine::shared;
use crate::common::server::TheirServer;
use crate::common::{Fixture, program};

const NOW: [&str; 10] = [
    "tier",
    "forecast",
    "reads",
    "--rate",
    "10k/s",
    "--sessions",
    "4",
    "--read",
    "300us",
    "--tier-read=16us",
];

fn forecast(more: &[&str]) -> Output {
    Command::new(program()).args(NOW).args(more).env("NO_COLOR", "1").output().unwrap()
}

fn json(more: &[&str]) -> serde_json::Value {
    let output = forecast(&[more, &["--format", "json"]].concat());
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{error}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn relation<'a>(told: &'a serde_json::Value, name: &str) -> &'a serde_json::Value {
    let all = told["pool"]["relations"].as_array().unwrap();
    let found = all.iter().find(|its| its["name"] == name);
    found.unwrap_or_else(|| panic!("{name} is not in {all:#?}"))
}

#[test]
fn the_statement_counts_every_buffer_and_waits_for_no_lock() {
    let _machine = shared();
    let f = Fixture::new();
    let Some(mut server) = TheirServer::start(&f) else {
        eprintln!("SKIPPED: no PostgreSQL on this machine");
        return;
    };
    let available = "SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_buffercache'";
    if server.ask("postgres", available).trim() != "1" {
        eprintln!("SKIPPED: no pg_buffercache on this machine");
        return;
    }
    // 512 buffers, so that no more of the table than that can be in the pool.
    server.restart_with(
        "-c fsync=off -c shared_buffers=4MB -c max_prepared_transactions=1 -c autovacuum=off",
    );
    for sql in [
        "CREATE EXTENSION pg_buffercache",
        "CREATE TABLE wide AS SELECT n AS id, repeat('x', 1900) AS text FROM generate_series(1, 4000) n",
        "CREATE UNIQUE INDEX \"by,id\" ON wide (id)",
        "VACUUM ANALYZE wide",
        "SELECT pg_stat_reset()",
    ] {
        server.ask("shop", sql);
    }
    let blocks: f64 =
        server.ask("shop", "SELECT pg_relation_size('wide') / 8192").trim().parse().unwrap();
    assert_eq!(blocks, 1000.0);
    // Each of the table's blocks by the index, in an order that no ring is used for.
    let read = "SET enable_seqscan = off; SET enable_bitmapscan = off; \
                SELECT sum(length(text)) FROM generate_series(1, 4000, 4) n JOIN wide ON id = n";
    let look = |name: &str| {
        let file = f.public(name).join("pool.csv");
        std::fs::write(&file, server.csv("shop", BUFFERCACHE_SQL)).unwrap();
        file.display().to_string()
    };
    server.ask("shop", read);
    server.until_alone("shop");
    let first = look("first");
    server.ask("shop", read);
    server.until_alone("shop");
    // DDL holds the table, and the statement asks for no lock on it.
    server
        .ask("shop", "BEGIN; LOCK TABLE wide IN ACCESS EXCLUSIVE MODE; PREPARE TRANSACTION 'ddl'");
    let second = look("second");
    server.ask("shop", "ROLLBACK PREPARED 'ddl'");
    let one = ["--tier-size", "64MiB", "--buffercache", &first];
    let told = json(&one);
    let wide = relation(&told, "public.wide");
    assert_eq!(told["pool"]["pool_bytes"], 4_194_304.0, "every buffer once: {told:#}");
    assert_eq!(wide["bytes"], blocks * 8192.0);
    let reads = |of: &serde_json::Value| of["reads"].as_f64().unwrap();
    // What loading it left in the pool was not read.
    assert!(reads(wide) >= 700.0 && reads(wide) < 1100.0, "{wide}");
    // Of the time between, the reads of that time alone; and a name with a comma is one.
    let told = json(&[&one[..], &["--buffercache", &second]].concat());
    let between = reads(relation(&told, "public.wide"));
    let later = json(&["--tier-size", "64MiB", "--buffercache", &second]);
    let wide_later = relation(&later, "public.wide");
    let whole = reads(wide_later);
    let in_pool = wide_later["pool_bytes"].as_f64().unwrap() / 8192.0;
    assert!(in_pool > 100.0 && in_pool <= 512.0, "{wide_later}");
    assert!(between >= 480.0 && whole == between + reads(wide), "{between}, {whole}");
    relation(&json(&one), "public.\"by,id\"");
    let back =
        forecast(&["--tier-size", "64MiB", "--buffercache", &second, "--buffercache", &first]);
    let error = String::from_utf8_lossy(&back.stderr);
    assert!(
        back.status.code() == Some(2) && error.contains("give the earlier file first"),
        "{error}"
    );
}

#[test]
fn the_statement_is_in_the_guide_and_in_the_help() {
    let guide =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/guide/tier.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    assert!(
        guide.contains(&format!("```sql\n{BUFFERCACHE_SQL}```\n")),
        "the guide has another one"
    );
    let help =
        Command::new(program()).args(["tier", "forecast", "reads", "--help"]).output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    for line in BUFFERCACHE_SQL.lines() {
        assert!(help.contains(&format!("\n  {line}\n")), "{line}");
    }
}

#[test]
fn a_pool_gives_a_share_of_hits_with_its_doubt() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pool.csv");
    let head =
        "relation,size_blocks,buffers,usage0,usage1,usage2,usage3,usage4,usage5,reads,block_bytes";
    let big = "public.big,1000,0,0,0,0,0,0,0,2000,8192";
    let hot = "public.hot,100,0,0,0,0,0,0,0,8000,8192";
    std::fs::write(&file, format!("{head}\n{big}\n{hot}\n(unused),,512,0,0,0,0,0,0,0,8192\n"))
        .unwrap();
    let file = file.to_str().unwrap();
    // 600 blocks: 8,000 of 10,000 reads, and half of the other 2,000.
    let more = ["--tier-size", "4800KiB", "--buffercache", file];
    let told = json(&more);
    let lines = told["lines"].as_array().unwrap();
    let missed = lines.iter().find(|line| line["key"] == "tier.missed").unwrap();
    assert!((missed["value"].as_f64().unwrap() - 0.1).abs() < 1e-6, "{missed}");
    let ends = [&missed["interval"][0], &missed["interval"][1]].map(|end| end.as_f64().unwrap());
    assert_eq!(ends, [0.0, 1.0]);
    assert_eq!(relation(&told, "public.hot")["tier_bytes"], 819_200.0);
    let screen = String::from_utf8(forecast(&more).stdout).unwrap();
    for words in [
        "grade C",
        "public.hot",
        "at least 0 %; if each relation's reads are spread evenly, 90 % by LRU and 90 % at most",
        "hold nothing: it was not full",
    ] {
        let flat = screen.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(words), "{words}: {screen}");
    }
    assert!(screen.lines().all(|line| line.chars().count() <= 100), "{screen}");
    let more: String = (0..9).map(|n| format!("public.r{n},10,0,0,0,0,0,0,0,1,8192\n")).collect();
    std::fs::write(file, format!("{head}\n{big}\n{more}")).unwrap();
    let many = String::from_utf8(forecast(&["--tier-size", "1MiB", "--buffercache", file]).stdout);
    assert!(many.unwrap().contains("2 more that were read"));
    // The best first.
    assert!(screen.find("public.hot") < screen.find("public.big"), "{screen}");
}

#[test]
fn a_file_that_is_no_pool_is_refused_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pool.csv");
    let head =
        "relation,size_blocks,buffers,usage0,usage1,usage2,usage3,usage4,usage5,reads,block_bytes";
    std::fs::write(&file, format!("{head}\nhot,100,0,0,0,many,0,0,0,8000,8192\n")).unwrap();
    let file = file.to_str().unwrap();
    let size = ["--tier-size", "1MiB", "--buffercache"];
    for (more, what) in [
        (vec![file], "pool.csv, line 2, column usage2: `many` is no whole number"),
        (vec!["/nowhere"], "--buffercache /nowhere: "),
        (vec!["/dev/null"], "/dev/null"),
        (vec![file, "--hits", "80%"], "cannot be used with"),
        (vec![file, "--buffercache", file, "--buffercache", file], "is given 3 times"),
    ] {
        let output = forecast(&[&size[..], &more].concat());
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{more:?}: {error}");
        assert!(error.contains(what) && error.contains("hint: "), "{more:?}: {error}");
    }
    let output = forecast(&["--buffercache", file]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("--tier-size"));
}
