//! `cargo xtask peers`: the programs people already trust, beside ours, interleaved in one run.
//!
//! Results with the machine's description go to `docs/benchmarks.md`, whatever they are. Ratios within one run are
//! what counts; the absolute figures are the machine's of that hour.

mod fio;
mod lookups;
mod memory_device;
mod rates;
mod reads;
mod ring;

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use narrows_engine::{Context, Scratch, Silent, Stop};
use narrows_model::{Platform, Role};

/// Rounds; in each of them every contender has one window.
const ROUNDS: u32 = 6;
const WINDOW: Duration = Duration::from_secs(2);

/// One contender's samples: rate, CPU time per operation, and the part of that outside of the kernel.
#[derive(Debug, Default, Clone)]
pub(crate) struct Contender {
    name: String,
    rate_per_s: Vec<f64>,
    cpu_per_op_ns: Vec<f64>,
    user_per_op_ns: Vec<f64>,
}

impl Contender {
    fn new(name: impl Into<String>) -> Self {
        Contender { name: name.into(), ..Contender::default() }
    }

    fn add(&mut self, rate_per_s: f64, cpu_per_op_ns: f64) {
        self.rate_per_s.push(rate_per_s);
        self.cpu_per_op_ns.push(cpu_per_op_ns);
    }

    fn add_cost(&mut self, cost: Cost) {
        self.add(cost.rate_per_s, cost.cpu_per_op_ns);
        self.user_per_op_ns.push(cost.user_per_op_ns);
    }
}

/// What one window cost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    rate_per_s: f64,
    cpu_per_op_ns: f64,
    /// Of it, outside of the kernel.
    user_per_op_ns: f64,
}

type Compare = fn(&Context<'_>, &Path) -> Result<String>;

/// Name on the command line, title of the page's section, and what measures it.
const SECTIONS: &[(&str, &str, Compare)] = &[
    ("reads", reads::TITLE, reads::compare),
    ("memory-device", memory_device::TITLE, memory_device::compare),
    ("ring", ring::TITLE, ring::compare),
    ("rates", rates::TITLE, rates::compare),
    ("lookups", lookups::TITLE, lookups::compare),
];
/// All that is about block storage.
const BLOCK: [&str; 4] = ["reads", "memory-device", "ring", "rates"];

/// Measures beside fio, its `t/io_uring` and pgbench; `args` may name what, and the folder (`--data DIR`).
pub fn peers(args: &[&str]) -> Result<()> {
    let (what, rest): (Vec<&str>, &[&str]) = match args {
        ["block", rest @ ..] => (BLOCK.into(), rest),
        [name, rest @ ..] if SECTIONS.iter().any(|section| section.0 == *name) => {
            (vec![name], rest)
        }
        rest => (SECTIONS.iter().map(|section| section.0).collect(), rest),
    };
    let folder = match rest {
        [] => "/var/tmp",
        ["--data", folder] => folder,
        _ => bail!(
            "usage: cargo xtask peers [block|reads|memory-device|ring|rates|lookups] [--data DIR]"
        ),
    };
    if cfg!(debug_assertions) {
        bail!(
            "a debug build would measure the compiler\nhint: cargo run --release -p xtask -- peers"
        );
    }
    let folder = Path::new(folder);
    let platform = narrows_platform::discover(&narrows_facts::Live, &[(Role::Data, folder)]);
    let stop = Stop::new();
    let ctx = Context {
        stop: &stop,
        progress: &Silent,
        seed: u64::from(std::process::id()),
        repeats: ROUNDS,
        quick: false,
        window: WINDOW,
    };
    Scratch::sweep(folder);
    let path = crate::root().join("docs/benchmarks.md");
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    let mut text = head(&platform);
    let id = format!("peers-{}", std::process::id());
    for (name, title, compare) in SECTIONS {
        text += &format!("{title}\n\n");
        text += &if what.contains(name) {
            let scratch = Scratch::create(folder, &id)?;
            compare(&ctx, scratch.path())?
        } else {
            section(&stored, title)
        };
    }
    std::fs::write(&path, &text).with_context(|| format!("writing {}", path.display()))?;
    print!("{text}");
    Ok(())
}

/// What stands under a title in the stored page, up to the next one.
fn section(stored: &str, title: &str) -> String {
    let Some((_, after)) = stored.split_once(title) else { return "Not measured.\n\n".into() };
    let body = after.split("\n## ").next().unwrap_or(after).trim();
    format!("{body}\n\n")
}

fn head(platform: &Platform) -> String {
    let drive = platform.roles.first().and_then(|role| role.drives().next());
    format!(
        "# Benchmarks\n\n\
         Written by `cargo run --release -p xtask -- peers`; ours and its peers interleaved, {ROUNDS} rounds of {} s, \
         medians. Ratios within one table are what counts: on a shared virtual machine the absolute figures change by \
         the hour.\n\n\
         Machine: {} ({} CPUs), Linux {}, {}, drive {}.\n\n",
        WINDOW.as_secs(),
        platform.cpu.model.as_deref().unwrap_or("processor not known"),
        platform.cpu.threads,
        platform.kernel.as_deref().unwrap_or("?"),
        platform
            .hypervisor
            .as_ref()
            .map_or("no hypervisor seen".into(), |name| format!("under {name}")),
        drive.map_or("not visible".into(), |drive| {
            format!("{} {}", drive.name, drive.transport.as_deref().unwrap_or(""))
        }),
    )
}

/// A table with the first contender as the measure of the others.
fn table(caption: &str, unit: &str, contenders: &[Contender]) -> String {
    let ours = &contenders[0];
    let user = !ours.user_per_op_ns.is_empty();
    let (title, rule) =
        if user { (" outside of the kernel | of ours |", " ---: | ---: |") } else { ("", "") };
    let mut text = format!(
        "{caption}\n\n| | {unit} | of ours | CPU per operation | of ours |{title}\n| --- | ---: | ---: | ---: | ---: |{rule}\n"
    );
    for contender in contenders {
        text += &format!(
            "| {} | {} | {} | {} | {} |",
            contender.name,
            figure(&contender.rate_per_s, |rate| {
                let (number, prefix) = narrows_units::si(rate);
                format!("{number} {prefix}/s")
            }),
            relation(&contender.rate_per_s, &ours.rate_per_s),
            figure(&contender.cpu_per_op_ns, |ns| format!("{:.2} µs", ns / 1e3)),
            relation(&contender.cpu_per_op_ns, &ours.cpu_per_op_ns),
        );
        if user {
            text += &format!(
                " {} | {} |",
                figure(&contender.user_per_op_ns, |ns| format!("{ns:.0} ns")),
                relation(&contender.user_per_op_ns, &ours.user_per_op_ns),
            );
        }
        text += "\n";
    }
    text + "\n"
}

fn figure(samples: &[f64], print: impl Fn(f64) -> String) -> String {
    narrows_stats::median(samples).map_or("-".into(), print)
}

fn relation(theirs: &[f64], ours: &[f64]) -> String {
    let Some(ratio) = narrows_stats::ratio(theirs, ours) else { return "-".into() };
    let interval = ratio.interval_95.map_or(String::new(), |interval| {
        format!(" ({:.2} to {:.2})", interval.low, interval.high)
    });
    format!("× {:.2}{interval}", ratio.value)
}
