//! `cargo xtask tier-proofs`: forecasts of tiers over a slow drive beside what was measured, by `narrows tier prove`: PostgreSQL on a namespace
//! with a log tier and on one without, sessions that read a namespace with a read cache and one without, and PostgreSQL with its data on
//! either.
//!
//! Nothing here is emulated but the drive's slowness: the backing is the laboratory's drive (`narrows-lab-drive`), whose flushes take as much
//! longer as the setting says, or whose reads do; `narrows-target` serves a file on it over NVMe/TCP. For a database, the laboratory shows the
//! namespace as a block device through our initiator, because no kernel module is needed for that; on it is ext4, and on that the WAL of
//! a private PostgreSQL, or its data. On request, as root.

mod page;
mod slow_media;
mod stage;

use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::stored;

const SUITE: &str = "tier_proofs";
const PAGE: &str = "docs/src/evidence/tier-proofs.md";
const USAGE: &str =
    "usage: cargo xtask tier-proofs [--only N | --only N..N] [--repeats N] [--window TIME] [--postgres FILE] [--runs DIR] [--publish]
       cargo xtask tier-proofs --ladder US
       cargo xtask tier-proofs --slow-media MS
  --ladder US: the screen of `narrows log ladder --tier` beside a drive whose flushes take so much longer
  --slow-media MS: what writes take by a log on one drive and on two, each of which is slow now and then
  --only N: of the settings, the one with that number, or those from one to another
  --repeats N: windows on each side [8]
  --window TIME: of the load [1s]
  --postgres FILE: the PostgreSQL to start; one that reads around the page cache (16 and later) for its data on a namespace
  --runs DIR: the runs are kept there
  --publish: the page is made of these proofs, and of those that are stored of other settings";

/// A drive and a load.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Setting {
    /// A log tier over a drive whose flushes take so much longer, µs.
    Log { flush_us: u64, sessions: u32 },
    /// A read cache over a drive whose reads take so much longer, µs, and the law of the reads.
    Reads { read_us: u64, keys: String, sessions: u32 },
    /// The same by the lookups of a PostgreSQL.
    Lookups { read_us: u64, keys: String, sessions: u32 },
}

/// Written down before the first proof.
fn settings() -> Vec<Setting> {
    let log = |flush_us, sessions| Setting::Log { flush_us, sessions };
    let reads = |read_us, keys: &str, sessions| Setting::Reads {
        read_us,
        keys: keys.to_string(),
        sessions,
    };
    let lookups = |read_us, keys: &str, sessions| Setting::Lookups {
        read_us,
        keys: keys.to_string(),
        sessions,
    };
    vec![
        log(500, 4),
        log(500, 16),
        log(1_000, 1),
        log(1_000, 8),
        log(2_000, 4),
        log(2_000, 8),
        log(2_000, 16),
        log(5_000, 1),
        log(5_000, 8),
        log(5_000, 16),
        reads(200, "zipf:0.99", 1),
        reads(200, "zipf:0.99", 4),
        reads(200, "uniform", 4),
        reads(200, "hot:80/20", 8),
        reads(1_000, "zipf:0.99", 1),
        reads(1_000, "uniform", 1),
        reads(1_000, "hot:80/20", 4),
        reads(1_000, "zipf:0.99", 8),
        reads(3_000, "zipf:0.99", 4),
        reads(3_000, "hot:80/20", 1),
        lookups(200, "zipf:0.99", 4),
        lookups(1_000, "zipf:0.99", 1),
        lookups(1_000, "hot:80/20", 4),
        lookups(1_000, "uniform", 4),
        lookups(3_000, "zipf:0.99", 4),
    ]
}

/// A row of a proof, as `narrows tier prove` prints it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct RowRecord {
    name: String,
    unit: String,
    off: Option<f64>,
    on: Option<f64>,
    on_low: Option<f64>,
    on_high: Option<f64>,
    measured: Option<Interval>,
    over_forecast: Option<f64>,
    holds: Option<bool>,
}

/// A figure with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Interval {
    value: f64,
    low: f64,
    high: f64,
}

/// A proof, as `narrows tier prove` prints it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Told {
    outcome: String,
    sentence: String,
    rows: Vec<RowRecord>,
    rate_ratio: Option<Interval>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    storage: Option<Storage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hits: Option<Hits>,
}

/// Shares of the server's reads that reached storage.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Storage {
    off: Option<f64>,
    on: Option<f64>,
    direct: bool,
}

/// The share of reads that the tier serves: forecast, and as the measured time of a read has it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Hits {
    least: f64,
    most: f64,
    by_read_time: Option<f64>,
    reads_per_lookup: f64,
    pool_bytes: Option<f64>,
}

/// A proof and its setting.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Record {
    setting: Setting,
    proof: Told,
}

/// All proofs, as they are stored.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Results {
    machine: String,
    /// The fewest of any proof.
    repeats: u32,
    /// The shortest of any.
    window: String,
    proofs: Vec<Record>,
}

/// Measures every setting, and says what came of it. It fails where a forecast is contradicted.
pub fn tier_proofs(args: &[&str]) -> Result<()> {
    let (mut only, mut publish) = (None, false);
    let mut how = How { repeats: 8, window: "1s".to_string(), postgres: None, runs: None };
    if let ["--ladder", flush_us] = args {
        build(&PROGRAMS)?;
        print!("{}", stage::ladder(flush_us.parse().context("--ladder")?)?);
        return Ok(());
    }
    if let ["--slow-media", slow_ms] = args {
        build(&PROGRAMS[..2])?;
        print!("{}", slow_media::table(slow_ms.parse().context("--slow-media")?)?);
        return Ok(());
    }
    let mut args = args.iter();
    while let Some(word) = args.next() {
        if *word == "--publish" {
            publish = true;
            continue;
        }
        let mut value = || args.next().with_context(|| format!("{word} needs a value\n{USAGE}"));
        match *word {
            "--only" => only = Some(range(value()?)?),
            "--repeats" => how.repeats = value()?.parse().context("--repeats")?,
            "--window" => how.window = (*value()?).to_string(),
            "--postgres" => how.postgres = Some((*value()?).to_string()),
            "--runs" => how.runs = Some((*value()?).into()),
            _ => bail!("{word} is not known\n{USAGE}"),
        }
    }
    build(&PROGRAMS)?;
    let mut proofs = Vec::new();
    let wanted = |at: usize| only.as_ref().is_none_or(|only| only.contains(&(at + 1)));
    for (at, setting) in settings().into_iter().enumerate().filter(|(at, _)| wanted(*at)) {
        let proof = stage::prove(&setting, &how)
            .with_context(|| format!("setting {}: {setting:?}", at + 1))?;
        println!("{}: {setting:?}\n{}", at + 1, page::lines(&proof));
        proofs.push(Record { setting, proof });
    }
    println!("{}", page::sentence(&proofs));
    let contradicted = proofs.iter().filter(|of| of.proof.outcome == "contradicted").count();
    if publish {
        keep(proofs, how)?;
    }
    ensure!(contradicted == 0, "{contradicted} forecasts are contradicted");
    Ok(())
}

/// How long each is measured, and with which server.
struct How {
    repeats: u32,
    window: String,
    postgres: Option<String>,
    /// Where the runs are kept.
    runs: Option<std::path::PathBuf>,
}

/// Stores them in place of what was stored of their settings, and writes the page.
fn keep(proofs: Vec<Record>, how: How) -> Result<()> {
    let mut all: Results = stored::read(SUITE)?;
    let here = narrows_platform::discover(
        &narrows_facts::Live,
        &[(narrows_model::Role::Data, std::path::Path::new("/var/tmp"))],
    );
    crate::provenance::also(&mut all.machine, crate::plants::machine(&here));
    all.proofs.retain(|old| proofs.iter().all(|new| new.setting != old.setting));
    if all.proofs.is_empty() {
        (all.repeats, all.window) = (how.repeats, how.window);
    } else {
        // Those that stay were measured as it says.
        all.repeats = all.repeats.min(how.repeats);
    }
    all.proofs.extend(proofs);
    let order = settings();
    all.proofs.sort_by_key(|of| order.iter().position(|setting| *setting == of.setting));
    stored::write(SUITE, &all)?;
    let (path, text) = written()?;
    std::fs::write(crate::root().join(path), text).with_context(|| path.to_string())?;
    Ok(())
}

/// `3`, or `3..7` with both ends.
fn range(text: &str) -> Result<std::ops::RangeInclusive<usize>> {
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    let number = |text: &str| text.parse::<usize>().with_context(|| format!("--only {text}"));
    Ok(number(from)?..=number(to)?)
}

/// The page as it should be.
pub(crate) fn written() -> Result<(&'static str, String)> {
    Ok((PAGE, page::page(&stored::read(SUITE)?)))
}

/// The programs that are measured.
const PROGRAMS: [&str; 3] = ["narrows-target", "narrows-lab-drive", "narrows"];

fn build(programs: &[&str]) -> Result<()> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--release"]);
    programs.iter().for_each(|program| {
        cargo.args(["-p", program]);
    });
    let done = cargo.current_dir(crate::root()).status().context("running cargo")?;
    ensure!(done.success(), "{} could not be built", programs.join(", "));
    Ok(())
}
