//! `cargo xtask log-ends`: a target with a log whose process is killed, and whose drives lose their power, while it acknowledges writes;
//! and what is there afterwards.
//!
//! The host knows of each block what was acknowledged last and what was begun since. After the end the log is moved to its file by
//! `narrows-target log flush`, and each block must be one of those. A drive that lies about its flushes is the control: with it blocks must be
//! missing, or the test could find nothing. On request, as root: the drives are the laboratory's (`narrows-lab-drive`).

mod model;
mod page;
mod trial;

use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::stored;
use model::Outcome;
use trial::{End, Setting};

const SUITE: &str = "log_ends";
const PAGE: &str = "docs/src/evidence/log-ends.md";
const USAGE: &str =
    "usage: cargo xtask log-ends [--kills N] [--cuts N] [--lies N] [--seed N] [--publish]
  --kills N: the target is ended by SIGKILL [100]
  --cuts N: its drives lose their power, and what was not flushed with it [100]
  --lies N: the same with drives that acknowledge flushes and do none: the control [20]
  --publish: the page is made of these trials";

/// All trials, as they are stored.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Results {
    machine: String,
    seed: u64,
    trials: Vec<Record>,
}

/// A trial.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Record {
    end: End,
    media: u8,
    acknowledge: String,
    /// The log got other sizes meanwhile.
    resized: bool,
    /// So many before the end.
    sizes: u64,
    /// Writes that were acknowledged before the end.
    acknowledged: u64,
    /// Records that recovery moved.
    records: u64,
    outcome: Outcome,
}

/// Ends targets, and says what was lost. It fails where an honest drive lost something, or lying ones never did.
pub fn log_ends(args: &[&str]) -> Result<()> {
    let mut counts = [(End::Kill, 100), (End::Cut, 100), (End::LyingCut, 20)];
    let (mut seed, mut publish) = (1, false);
    let mut args = args.iter();
    while let Some(word) = args.next() {
        let place = match *word {
            "--publish" => {
                publish = true;
                continue;
            }
            "--seed" => &mut seed,
            "--kills" => &mut counts[0].1,
            "--cuts" => &mut counts[1].1,
            "--lies" => &mut counts[2].1,
            _ => bail!("{word} is not known\n{USAGE}"),
        };
        let value = args.next().with_context(|| format!("{word} needs a number\n{USAGE}"))?;
        *place = value.parse().with_context(|| format!("{word} {value}"))?;
    }
    build()?;
    let mut results = Results {
        machine: crate::plants::machine(&narrows_platform::discover(
            &narrows_facts::Live,
            &[(narrows_model::Role::Data, std::path::Path::new("/var/tmp"))],
        )),
        seed,
        ..Results::default()
    };
    for (end, count) in counts {
        for number in 0..count {
            let setting = Setting::of(end, seed.wrapping_mul(1_000_003) + number);
            let record = trial::run(&setting)
                .with_context(|| format!("trial {number} of {end:?}, seed {seed}"))?;
            println!(
                "{end:?} {number}: {} acknowledged, {:?}",
                record.acknowledged, record.outcome
            );
            results.trials.push(record);
        }
    }
    println!("{}", page::sentences(&results.trials));
    let honest = results.trials.iter().filter(|trial| trial.end != End::LyingCut);
    let wrong = honest.filter(|trial| trial.outcome != Outcome::default()).count();
    let lies = results.trials.iter().filter(|trial| trial.end == End::LyingCut);
    let (told, caught) = lies.fold((0, 0), |(all, caught), trial| {
        (all + 1, caught + usize::from(trial.outcome.lost > 0))
    });
    if publish {
        stored::write(SUITE, &results)?;
        let (path, text) = written()?;
        std::fs::write(crate::root().join(path), text).with_context(|| path.to_string())?;
    }
    ensure!(wrong == 0, "{wrong} trials lost or invented something");
    ensure!(told == 0 || caught > 0, "drives that lie lost nothing: this test finds nothing");
    Ok(())
}

/// The page as it should be.
pub(crate) fn written() -> Result<(&'static str, String)> {
    Ok((PAGE, page::page(&stored::read(SUITE)?)))
}

fn build() -> Result<()> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--release", "-p", "narrows-target", "-p", "narrows-lab-drive"]);
    let done = cargo.current_dir(crate::root()).status().context("running cargo")?;
    ensure!(done.success(), "the target and the laboratory's drive could not be built");
    Ok(())
}
