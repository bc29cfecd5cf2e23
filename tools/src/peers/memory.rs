//! Memory: multichase, multiload and sysbench beside the chase and the kernels of `narrows memory`, on the same CPUs, 4 KiB pages in all.
//!
//! No distribution packages the first two; `NARROWS_PEER_MULTICHASE` and `NARROWS_PEER_MULTILOAD` name the programs
//! (github.com/google/multichase). Their options that change settings of the machine are not used.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use narrows_engine::{Context, Rng};
use narrows_facts::{Live, affinity};
use narrows_layer_memory::peers::{chase, traffics};
use narrows_observe::Watch;
use narrows_stats::median;

use super::ROUNDS;
use super::contender::{figure, printed};
use super::target::{self, Goal};

pub(super) const TITLE: &str = "## Memory";

const BYTES: u64 = 1 << 30;
/// Samples of a round, of half a second each: multichase's own length.
const SAMPLES: u32 = 5;
const SAMPLE: Duration = Duration::from_millis(500);

/// Our word for a kind of traffic, and multiload's for what does the same. The C library fills and copies so much memory by string
/// instructions or stores past the caches, neither of which fetches a line before.
const LOADS: [(&str, &str); 5] = [
    ("read", "stream-sum"),
    ("triad", "stream-triad"),
    ("copy", "stream-copy"),
    ("stream", "memset-libc"),
    ("stream_copy", "memcpy-libc"),
];

/// Our word, and sysbench's for what does the same word by word.
const SYSBENCH: [(&str, &str); 2] = [("read", "read"), ("write", "write")];

pub(super) fn compare(ctx: &Context<'_>, _: &Path) -> Result<String> {
    let named = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let (multichase, multiload) =
        (named("NARROWS_PEER_MULTICHASE"), named("NARROWS_PEER_MULTILOAD"));
    let mut text = String::new();
    match multichase {
        Some(program) => text += &latency(ctx, &program)?,
        None => text += "NARROWS_PEER_MULTICHASE names no program; latency was not compared.\n\n",
    }
    let allowed = affinity::current();
    match multiload {
        Some(program) => {
            let last = &allowed[allowed.len() - 1..];
            text += &bandwidth(ctx, &program, last)?;
            if allowed.len() > 1 {
                text += &bandwidth(ctx, &program, &allowed)?;
            }
        }
        None => text += "NARROWS_PEER_MULTILOAD names no program; bandwidth was not compared.\n\n",
    }
    match Command::new("sysbench").arg("--version").output() {
        Ok(_) => text += &beside_sysbench(ctx, allowed[allowed.len() - 1])?,
        Err(_) => text += "sysbench is not installed; it was not compared.\n\n",
    }
    Ok(text)
}

/// The least and the median of a round's samples, by round.
#[derive(Default)]
struct Rounds {
    least: Vec<f64>,
    middle: Vec<f64>,
}

impl Rounds {
    fn add(&mut self, samples: &[f64]) {
        self.least.push(samples.iter().copied().fold(f64::INFINITY, f64::min));
        self.middle.push(median(samples).unwrap_or(f64::NAN));
    }
}

fn latency(ctx: &Context<'_>, multichase: &Path) -> Result<String> {
    let cpu = *affinity::current().last().context("no CPU is allowed")?;
    let (mut ours, mut theirs) = (Rounds::default(), Rounds::default());
    let mut rng = Rng::new(ctx.seed);
    for _ in 0..ROUNDS {
        let first = rng.below(2);
        for turn in [first, 1 - first] {
            if turn == 0 {
                let ctx =
                    Context { repeats: SAMPLES, window: SAMPLE, seed: rng.next_u64(), ..*ctx };
                ours.add(&chase(&ctx, cpu, BYTES)?);
            } else {
                theirs.add(&chased(multichase, cpu)?);
            }
        }
    }
    let ns = |samples: &[f64]| figure(samples, |ns| format!("{ns:.1} ns"));
    let ratio = |theirs: &[f64], ours: &[f64]| {
        narrows_stats::paired_ratio(theirs, ours).map_or("-".to_string(), |ratio| printed(&ratio))
    };
    let mut text = format!(
        "A dependent load over 1 GiB at random, one CPU, 4 KiB pages; in each round {SAMPLES} samples of half a second, of fresh memory. \
         multichase with a stride of 64 bytes and no locality of the TLB (`-s 64 -T 1g`), so that both walk one random cycle through all \
         lines. A sample is the mean of its loads in both.\n\n\
         | | least of a round | of ours | median of a round | of ours |\n| --- | ---: | ---: | ---: | ---: |\n"
    );
    text += &format!("| narrows | {} | 1 | {} | 1 |\n", ns(&ours.least), ns(&ours.middle));
    text += &format!(
        "| multichase | {} | {} | {} | {} |\n\n",
        ns(&theirs.least),
        ratio(&theirs.least, &ours.least),
        ns(&theirs.middle),
        ratio(&theirs.middle, &ours.middle)
    );
    let words = |which: &str| format!("latency, {which} of a round, of multichase's");
    text += &target::line(&words("least"), Goal::Within(0.03), &ours.least, &theirs.least);
    text += &target::line(&words("median"), Goal::Within(0.05), &ours.middle, &theirs.middle);
    Ok(text + "\n")
}

/// The samples that multichase prints.
fn chased(program: &Path, cpu: u32) -> Result<Vec<f64>> {
    let mut command = Command::new("taskset");
    command.args(["-c", &cpu.to_string()]).arg(program);
    let samples = SAMPLES.to_string();
    command.args(["-m", "1g", "-s", "64", "-T", "1g", "-n", &samples, "-v"]);
    let said = output(command)?;
    let found: Vec<f64> = said.lines().filter_map(|line| after(line, "avg=")).collect();
    ensure!(found.len() == SAMPLES as usize, "{} printed no samples:\n{said}", program.display());
    Ok(found)
}

fn bandwidth(ctx: &Context<'_>, multiload: &Path, cpus: &[u32]) -> Result<String> {
    let who = if cpus.len() == 1 { "one CPU".to_string() } else { format!("{} CPUs", cpus.len()) };
    let head = format!(
        "Bandwidth by {who}, 4 KiB pages, bytes read and written each once; the C library's own functions choose their stores, and take \
         those past the caches for so much memory where they know them."
    );
    let table = in_turns(ctx, cpus, ("multiload", &LOADS), |load| loaded(multiload, load, cpus))?;
    Ok(format!("{head}\n\n{table}"))
}

/// sysbench goes over a block of memory word by word, which the compiler must not join: its rate is the loop's.
fn beside_sysbench(ctx: &Context<'_>, cpu: u32) -> Result<String> {
    let head = "sysbench memory on the same CPU, a block of 1 GiB, in order (`--memory-block-size=1G --memory-scope=local`).";
    let table = in_turns(ctx, &[cpu], ("sysbench", &SYSBENCH), |word| sysbench(word, cpu))?;
    Ok(format!("{head}\n\n{table}"))
}

/// Ours and a peer's for each pair of words (our kind of traffic, and what the peer calls the same), in turns: the table, and whether each
/// is at least the peer's.
fn in_turns(
    ctx: &Context<'_>,
    cpus: &[u32],
    (peer, pairs): (&str, &[(&str, &str)]),
    measure: impl Fn(&str) -> Result<f64>,
) -> Result<String> {
    let platform = narrows_platform::discover(&Live, &[]);
    let words: Vec<&str> = pairs.iter().map(|(ours, _)| *ours).collect();
    let mut ours = vec![Vec::new(); pairs.len()];
    let mut theirs = ours.clone();
    let mut rng = Rng::new(ctx.seed);
    for _ in 0..ROUNDS {
        let first = rng.below(2);
        for turn in [first, 1 - first] {
            if turn == 0 {
                let ctx = Context { repeats: 1, window: 2 * SAMPLE, seed: rng.next_u64(), ..*ctx };
                let found = traffics(&ctx, &platform, cpus, &words, &Watch::none())?;
                ours.iter_mut().zip(found).for_each(|(all, per_s)| all.push(per_s));
            } else {
                for (all, (_, word)) in theirs.iter_mut().zip(pairs) {
                    all.push(measure(word)?);
                }
            }
        }
    }
    let per_s = |samples: &[f64]| figure(samples, |bytes| format!("{:.1} GB/s", bytes / 1e9));
    let mut text =
        format!("| narrows | | {peer} | | of ours |\n| --- | ---: | --- | ---: | ---: |\n");
    let mut goals = String::new();
    for ((ours, theirs), (word, of_peer)) in ours.iter().zip(&theirs).zip(pairs) {
        let ratio = narrows_stats::paired_ratio(theirs, ours);
        text += &format!(
            "| {word} | {} | {of_peer} | {} | {} |\n",
            per_s(ours),
            per_s(theirs),
            ratio.map_or("-".to_string(), |ratio| printed(&ratio))
        );
        let words = format!("{word}, of {peer}'s {of_peer}");
        goals += &target::line(&words, Goal::AtLeast(1.0), ours, theirs);
    }
    Ok(text + "\n" + &goals + "\n")
}

/// Bytes a second.
fn sysbench(operation: &str, cpu: u32) -> Result<f64> {
    let mut command = Command::new("taskset");
    command.args(["-c", &cpu.to_string(), "sysbench", "memory", "--memory-block-size=1G"]);
    command.args(["--memory-total-size=100T", "--memory-scope=local", "--threads=1", "--time=2"]);
    command.arg(format!("--memory-oper={operation}")).arg("run");
    let said = output(command)?;
    // 20480.00 MiB transferred (10182.35 MiB/sec)
    let mib = said.lines().find_map(|line| after(line, "transferred ("));
    let mib = mib.with_context(|| format!("sysbench printed no rate:\n{said}"))?;
    Ok(mib * f64::from(1 << 20))
}

/// What all threads of multiload moved in a second: the median of its samples.
fn loaded(program: &Path, load: &str, cpus: &[u32]) -> Result<f64> {
    let list: Vec<String> = cpus.iter().map(u32::to_string).collect();
    let mut command = Command::new("taskset");
    command.args(["-c", &list.join(",")]).arg(program);
    let each = format!("{}m", (BYTES >> 20) / cpus.len() as u64);
    command.args(["-l", load, "-t", &cpus.len().to_string(), "-m", &each, "-n", "2", "-v"]);
    let said = output(command)?;
    let found: Vec<f64> = said.lines().filter_map(|line| after(line, "Total(MiB/s)=")).collect();
    let mib = median(&found)
        .with_context(|| format!("{} printed no rate:\n{said}", program.display()))?;
    Ok(mib * f64::from(1 << 20))
}

fn output(mut command: Command) -> Result<String> {
    let output = command.output().with_context(|| format!("running {command:?}"))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(
        output.status.success(),
        "{command:?} failed ({}):\n{said}{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(said)
}

/// The number behind a word.
fn after(line: &str, word: &str) -> Option<f64> {
    let rest = &line[line.find(word)? + word.len()..];
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    rest[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_as_they_are_printed() {
        assert_eq!(after("  231.4  avg=231.4", "avg="), Some(231.4));
        let line = "main: sample_no=2  ML(0)27310(MiB/s) main: threads=1, Total(MiB/s)=27310.0, PerThread=27310";
        assert_eq!(after(line, "Total(MiB/s)="), Some(27310.0));
        let line = "20480.00 MiB transferred (10182.35 MiB/sec)";
        assert_eq!(after(line, "transferred ("), Some(10182.35));
        assert_eq!(after("samples (one column per thread)", "avg="), None);
    }
}
