//! Slowness planted below, beside and inside the server: does it land on the step of the ladder where it is?

use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use narrows_engine::{Context, now_ns};
use narrows_facts::affinity;
use narrows_layer_wal::{
    ForeignStep, LEADER, LadderPlace, LadderPlan, LadderStep, LogError, WriteVariant,
    measure_ladder,
};
use narrows_model::{Conditions, Role, metric};
use narrows_observe::Watch;
use narrows_postgres::Connection;
use narrows_postgres::server::Cluster;

use super::place::{self, ROWS};
use crate::group::{Group, Limit};
use crate::peers::fio::Fio;
use crate::peers::target::{self, Goal};
use crate::peers::{NO_FIO, order};
use crate::server::{self, Programs, Wanted, address};

pub(crate) const TITLE: &str = "## Slowness planted under the log";

/// One window of a step.
const WINDOW: Duration = Duration::from_millis(800);
/// Rounds in which each plant takes its turn.
const ROUNDS: u32 = 10;
/// What a flush inside the server takes longer, µs.
const DELAY_US: u32 = 2000;
/// Writes a second that the group may hand to the drive.
const WRITES_PER_S: u32 = 500;
/// Log bytes of a small update.
const COMMIT_BYTES: u64 = 200;
/// How much of what a commit takes longer has to be found on the right steps.
const LANDS: f64 = 0.8;

/// What is planted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Plant {
    Nothing,
    /// A library in the server makes its flushes longer.
    SlowFlush,
    /// The server alone is in a group with few writes.
    ServerLimited,
    /// Server and ladder are in that group.
    AllLimited,
    /// Another program writes to the same drive.
    ForeignWriter,
}

impl Plant {
    const ALL: [Plant; 5] = [
        Plant::Nothing,
        Plant::SlowFlush,
        Plant::ServerLimited,
        Plant::AllLimited,
        Plant::ForeignWriter,
    ];

    fn words(self) -> &'static str {
        match self {
            Plant::Nothing => "nothing planted",
            Plant::SlowFlush => "flush delayed in the server",
            Plant::ServerLimited => "server's writes limited",
            Plant::AllLimited => "all writes limited",
            Plant::ForeignWriter => "foreign writer",
        }
    }

    /// On which steps it has to land, by their place from below.
    fn lands_on(self) -> &'static [usize] {
        match self {
            Plant::Nothing => &[],
            Plant::SlowFlush | Plant::ServerLimited => &[2],
            Plant::AllLimited | Plant::ForeignWriter => &[0],
        }
    }
}

/// From below; each stands on the one before it. The device's own flush is part of the write here, because it can't be had
/// alone on every machine.
fn steps() -> [String; 3] {
    [WriteVariant::POSTGRES.name(), LEADER.to_string(), "commit".to_string()]
}
const STEP_WORDS: [&str; 3] = ["the write and its flush", "the log writer", "the commit"];

/// What the ladder gave: for each round the mean of each step, ns.
type Means = Vec<[f64; 3]>;

struct Bench<'a> {
    folder: &'a Path,
    plain: Cluster,
    slow: Cluster,
    limited: Cluster,
    group: Group,
    fio: Fio,
}

pub(crate) fn compare(ctx: &Context<'_>, folder: &Path) -> Result<String> {
    let Some(fio) = Fio::found().into_iter().next() else { return Ok(NO_FIO.into()) };
    let bench = match bench(ctx, folder, fio) {
        Ok(bench) => bench,
        Err(error) => return Ok(format!("Not measured: {error:#}\n\n")),
    };
    let mut means: Vec<Means> = Plant::ALL.iter().map(|_| Means::new()).collect();
    for round in 0..ROUNDS {
        let ctx = Context { seed: ctx.seed ^ (u64::from(round) << 20), ..*ctx };
        for index in order(round, Plant::ALL.len()) {
            means[index].push(bench.planted(&ctx, Plant::ALL[index])?);
        }
    }
    Ok(text(&means))
}

/// Three servers, one of them with a library that delays, one in a group whose writes are limited.
fn bench<'a>(ctx: &Context<'_>, folder: &'a Path, fio: Fio) -> Result<Bench<'a>> {
    let platform = narrows_platform::discover(&narrows_facts::Live, &[(Role::Wal, folder)]);
    let path = platform.roles.first().context("the folder's drive is not known")?;
    let drive = path.drives().next().context("no drive under the folder")?;
    let group = Group::with("peers", &[Limit::Writes(drive.number.clone(), WRITES_PER_S)], false)
        .context("a control group that limits writes can't be made")?;
    let programs = Programs::here()?;
    let library = server::library(folder, "slow_flush")?;
    let env = [("SLOW_FLUSH_US".to_string(), DELAY_US.to_string())];
    let server = |name, wanted| place::server(ctx, &programs, (folder, name), wanted);
    let plain = server("plain", Wanted::default())?;
    let limited = server("limited", Wanted::default())?;
    let slow = server("slow", Wanted { library: Some(&library), env: &env, ..Wanted::default() })?;
    // Sessions that begin now are in it.
    group.take(limited.pid().context("the server ended")?)?;
    fio.fill(&folder.join("foreign"))?;
    Ok(Bench { folder, plain, slow, limited, group, fio })
}

impl Bench<'_> {
    /// The ladder once with that plant.
    fn planted(&self, ctx: &Context<'_>, plant: Plant) -> Result<[f64; 3]> {
        match plant {
            Plant::Nothing => self.ladder(ctx, &self.plain),
            Plant::SlowFlush => self.ladder(ctx, &self.slow),
            Plant::ServerLimited => self.ladder(ctx, &self.limited),
            Plant::AllLimited => {
                let own = std::process::id();
                self.group.take(own)?;
                let means = self.ladder(ctx, &self.limited);
                self.group.release(own)?;
                means
            }
            Plant::ForeignWriter => {
                let mut writer = Writer::start(&self.fio, &self.folder.join("foreign"))?;
                let means = self.ladder(ctx, &self.plain)?;
                writer.check()?;
                Ok(means)
            }
        }
    }

    fn ladder(&self, ctx: &Context<'_>, cluster: &Cluster) -> Result<[f64; 3]> {
        let ctx = Context { repeats: 1, window: WINDOW, ..*ctx };
        let plan = LadderPlan {
            cells: vec![WriteVariant::POSTGRES],
            device: None,
            queue: None,
            bytes_per_commit: COMMIT_BYTES,
            cpus: affinity::current(),
            beside_bytes: 0,
            with_tier: false,
        };
        let connection = Connection::open(&address(cluster), &[])?;
        let commit: ForeignStep = Box::new(Commit { connection, next: ctx.seed % ROWS });
        let place = LadderPlace { log: self.folder, data: self.folder, tier: None };
        let laddered = measure_ladder(&ctx, place, &Watch::none(), &plan, vec![commit])?;
        let mut means_ns = [0.0; 3];
        for (mean_ns, step) in means_ns.iter_mut().zip(steps()) {
            let id = format!("log.ladder.{step}.alone");
            *mean_ns = laddered
                .measurements
                .iter()
                .find(|m| m.id == id)
                .and_then(|m| m.value(metric::LATENCY_MEAN))
                .with_context(|| format!("{id} was not measured: {:?}", laddered.absent))?;
        }
        Ok(means_ns)
    }
}

/// Random writes past the page cache until it is dropped.
struct Writer(Child);

impl Writer {
    fn start(fio: &Fio, file: &Path) -> Result<Writer> {
        let fixed = ["--rw=randwrite", "--bs=64k", "--iodepth=8", "--ioengine=io_uring"];
        let more = ["--direct=1", "--thread", "--time_based", "--runtime=600", "--size=64m"];
        let mut options: Vec<String> = fixed.into_iter().chain(more).map(String::from).collect();
        options.push(format!("--filename={}", file.display()));
        let child = fio.command(&options).stdout(Stdio::null()).spawn().context("running fio")?;
        // Until it is under way.
        std::thread::sleep(Duration::from_millis(700));
        Ok(Writer(child))
    }

    /// It has to write still.
    fn check(&mut self) -> Result<()> {
        match self.0.try_wait()? {
            None => Ok(()),
            Some(status) => bail!("the foreign writer ended early ({status})"),
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Commits of one session, as at the top of the ladder: only the `COMMIT` is timed.
struct Commit {
    connection: Connection,
    next: u64,
}

impl LadderStep for Commit {
    fn name(&self) -> String {
        "commit".to_string()
    }

    fn above(&self) -> Option<String> {
        Some(LEADER.to_string())
    }

    fn operation(&mut self) -> Result<Option<u64>, LogError> {
        let failed = |reason: narrows_postgres::WireError| LogError::Foreign {
            step: "commit".to_string(),
            reason: reason.to_string(),
        };
        self.next = self.next % ROWS + 1;
        let update = format!("BEGIN; UPDATE public.peers SET v = v + 1 WHERE k = {}", self.next);
        self.connection.execute(&update).map_err(failed)?;
        let began_ns = now_ns();
        self.connection.execute("COMMIT").map_err(failed)?;
        Ok(Some(now_ns() - began_ns))
    }

    fn bytes(&self) -> u64 {
        0
    }

    fn back_to_back(&self) -> bool {
        false
    }

    fn describe(&self, _: &mut Conditions) {}
}

/// What each step adds to the one below it, ns; the lowest stands on nothing.
fn added(means: &[f64; 3]) -> [f64; 3] {
    std::array::from_fn(|step| means[step] - if step == 0 { 0.0 } else { means[step - 1] })
}

/// What the plant adds on these steps, ns, round by round.
fn growth(planted: &Means, plain: &Means, on: &[usize]) -> Vec<f64> {
    let sum = |means| -> f64 { on.iter().map(|&step| added(means)[step]).sum() };
    planted.iter().zip(plain).map(|(planted, plain)| sum(planted) - sum(plain)).collect()
}

fn text(means: &[Means]) -> String {
    let mut text = format!(
        "The ladder with one session, windows of {} ms, {ROUNDS} rounds in which each of these takes its turn. The server's flush \
         is made {DELAY_US} µs longer by a library loaded into it; a control group hands at most {WRITES_PER_S} writes a second to \
         the drive, with the server alone in it or with all; fio writes 64 KiB at random places of a file beside, past the page \
         cache, 8 at a time. What each step adds to the one below, µs, medians of the means; the last line is the whole commit.\n\n|",
        WINDOW.as_millis()
    );
    for plant in Plant::ALL {
        text += &format!(" | {}", plant.words());
    }
    text += &format!(" |\n| ---{} |\n", " | ---:".repeat(Plant::ALL.len()));
    let cell = |of: Vec<f64>| {
        narrows_stats::median(&of).map_or("-".to_string(), |ns| super::micros(ns).to_string())
    };
    for (step, words) in STEP_WORDS.iter().enumerate() {
        text += &format!("| {words}");
        for of in means {
            text += &format!(" | {}", cell(of.iter().map(|means| added(means)[step]).collect()));
        }
        text += " |\n";
    }
    text += "| in all";
    for of in means {
        text += &format!(" | {}", cell(of.iter().map(|means| means[2]).collect()));
    }
    text += " |\n\n";
    for (plant, of) in Plant::ALL.iter().zip(means).skip(1) {
        text += &landed(*plant, of, &means[0]);
    }
    text + "\n"
}

/// Whether what the commit takes longer is found where it was planted.
fn landed(plant: Plant, planted: &Means, plain: &Means) -> String {
    let on = plant.lands_on();
    let names: Vec<&str> = on.iter().map(|&step| STEP_WORDS[step]).collect();
    let words = format!(
        "{}, what {} {} longer of what the whole commit takes longer",
        plant.words(),
        names.join(" and "),
        if on.len() == 1 { "takes" } else { "take" }
    );
    let (there, in_all) = (growth(planted, plain, on), growth(planted, plain, &[0, 1, 2]));
    target::pooled(&words, Goal::AtLeast(LANDS), &there, &in_all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plant_lands_where_it_makes_longer_and_nowhere_else() {
        let round = |round: u32| f64::from(round % 3) * 1e3;
        let plain: Means = (0..6).map(|r| [110e3, 120e3, 160e3].map(|ns| ns + round(r))).collect();
        let slower = |from: usize| -> Means {
            plain
                .iter()
                .map(|means| {
                    std::array::from_fn(|at| means[at] + if at >= from { 2e6 } else { 0.0 })
                })
                .collect()
        };
        let said = |plant, from| landed(plant, &slower(from), &plain);
        assert!(said(Plant::SlowFlush, 2).contains("× 1.00 (1.00 to 1.00) measured: **reached**"));
        assert!(said(Plant::SlowFlush, 1).contains("**missed**"));
        assert!(said(Plant::ForeignWriter, 0).contains("**reached**"));
        assert!(said(Plant::AllLimited, 0).contains("**reached**"));
        assert!(said(Plant::AllLimited, 1).contains("**missed**"));
        // A plant that made nothing longer is no success.
        assert!(landed(Plant::SlowFlush, &plain, &plain).contains("not measured"));
        assert!(
            text(&vec![plain; 5]).contains("| the log writer | 10.0 | 10.0 | 10.0 | 10.0 | 10.0 |")
        );
    }
}
