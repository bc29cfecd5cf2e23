//! `cargo xtask peers`: the programs people already trust, beside ours, interleaved in one run.
//!
//! Results with the machine's description go to `docs/benchmarks.md`, whatever they are. Ratios within one run are
//! what counts; the absolute figures are the machine's of that hour.

mod agree;
mod bare;
mod contender;
mod database;
mod fabric;
mod fio;
mod log;
mod memory;
mod memory_device;
mod orders_load;
mod pooled;
mod rates;
mod reads;
mod ring;
mod spent;
mod stalls;
mod target;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use narrows_engine::{Context, Scratch, Silent, Stop};
use narrows_model::{Platform, Role};
use xtask::bound::ends_with_us;

pub(crate) use self::fabric::{PERSISTENT_TARGET, serve_persistent};

use self::contender::{Contender, Cost, figure, table};

/// Rounds; in each of them every contender has one window.
const ROUNDS: u32 = 6;
const WINDOW: Duration = Duration::from_secs(2);

const NO_FIO: &str = "fio is not installed here; nothing to compare with.\n\n";

type Compare = fn(&Context<'_>, &Path) -> Result<String>;

/// Name on the command line, title of the page's section, and what measures it.
const SECTIONS: &[(&str, &str, Compare)] = &[
    ("reads", reads::TITLE, reads::compare),
    ("memory-device", memory_device::TITLE, memory_device::compare),
    ("ring", ring::TITLE, ring::compare),
    ("rates", rates::TITLE, rates::compare),
    ("stalls", stalls::TITLE, stalls::compare),
    ("memory", memory::TITLE, memory::compare),
    ("database", database::TITLE, database::compare),
    ("orders-load", orders_load::TITLE, orders_load::compare),
    ("fabric", fabric::TITLE, fabric::compare),
    (SPDK, fabric::SPDK_TITLE, fabric::compare_spdk),
    ("tiers", fabric::TIERS_TITLE, fabric::compare_tiers),
    ("log-writes", log::writes::TITLE, log::writes::compare),
    ("log-commits", log::commits::TITLE, log::commits::compare),
    ("log-plants", log::plants::TITLE, log::plants::compare),
];
/// The section that needs a program which nobody installs.
const SPDK: &str = "fabric-spdk";

/// All that is about block storage.
const BLOCK: [&str; 5] = ["reads", "memory-device", "ring", "rates", "stalls"];

/// All that is about the commit log.
const LOG: [&str; 3] = ["log-writes", "log-commits", "log-plants"];

/// Measures beside fio, its `t/io_uring`, `pg_test_fsync`, pgbench and sysbench; `args` may name what, and the folder (`--data DIR`).
pub fn peers(args: &[&str]) -> Result<()> {
    let (mut what, folder) = asked(args)?;
    if cfg!(debug_assertions) {
        bail!("a debug build would measure the compiler\nhint: cargo xtask peers");
    }
    let path = crate::root().join("docs/benchmarks.md");
    what.retain(|name| *name != SPDK || fabric::has_spdk());
    match what[..] {
        [name] => measure(name, folder, &path)?,
        _ => each_apart(&what, folder)?,
    }
    print!("{}", std::fs::read_to_string(&path)?);
    Ok(())
}

/// Each section in a process of its own: the kernel splits a process's time by all it did before, so what one section
/// did would colour the next one's.
fn each_apart(names: &[&str], folder: &Path) -> Result<()> {
    let program = std::env::current_exe()?;
    for name in names {
        let mut command = Command::new(&program);
        command.args(["peers", name, "--data"]).arg(folder).stdout(Stdio::null());
        let status = ends_with_us(&mut command, libc::SIGTERM).status();
        let status = status.with_context(|| format!("running {}", program.display()))?;
        ensure!(status.success(), "section {name} could not be measured ({status})");
    }
    Ok(())
}

/// Measures that section and writes it into the page; the others stay.
fn measure(name: &str, folder: &Path, path: &Path) -> Result<()> {
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
    narrows_postgres::server::sweep(folder);
    let stored = std::fs::read_to_string(path).unwrap_or_default();
    let mut text = head();
    let id = format!("peers-{}", std::process::id());
    for (other, title, compare) in SECTIONS {
        text += &format!("{title}\n\n");
        text += &if *other == name {
            let scratch = Scratch::create(folder, &id)?;
            machine(&platform) + &compare(&ctx, scratch.path())?
        } else {
            section(&stored, title)
        };
    }
    std::fs::write(path, &text).with_context(|| format!("writing {}", path.display()))
}

/// The sections that are asked for, all where none is named, and the folder to work in.
fn asked<'a>(args: &[&'a str]) -> Result<(Vec<&'a str>, &'a Path)> {
    let names: Vec<&str> = args.iter().copied().take_while(|arg| !arg.starts_with('-')).collect();
    let folder = match &args[names.len()..] {
        [] => "/var/tmp",
        ["--data", folder] => folder,
        _ => bail!("{}", usage()),
    };
    let mut what = Vec::new();
    for name in names {
        match name {
            "block" => what.extend(BLOCK),
            "log" => what.extend(LOG),
            _ if SECTIONS.iter().any(|section| section.0 == name) => what.push(name),
            _ => bail!("there is no section {name:?}\n{}", usage()),
        }
    }
    if what.is_empty() {
        what.extend(SECTIONS.iter().map(|section| section.0));
    }
    Ok((what, Path::new(folder)))
}

fn usage() -> String {
    let names: Vec<&str> = SECTIONS.iter().map(|section| section.0).collect();
    format!("usage: cargo xtask peers [block] [log] [{}]... [--data DIR]", names.join("] ["))
}

/// Who comes when: each round begins with another one.
fn order(round: u32, contenders: usize) -> impl Iterator<Item = usize> {
    (0..contenders).map(move |place| (place + round as usize) % contenders)
}

/// What stands under a title in the stored page, up to the next one.
fn section(stored: &str, title: &str) -> String {
    let Some((_, after)) = stored.split_once(&format!("{title}\n")) else {
        return "Not measured.\n\n".into();
    };
    let body = after.split("\n## ").next().unwrap_or(after).trim();
    format!("{body}\n\n")
}

fn head() -> String {
    format!(
        "# Benchmarks\n\n\
         Written by `cargo xtask peers`; ours and its peers interleaved, {ROUNDS} rounds of {} s where nothing else is said, \
         medians. Ratios are taken round by round, with the 95 % interval of their geometric mean (t on the logarithms). They are what counts: on a shared virtual machine the absolute figures change by \
         the hour, and sections were measured on different ones.\n\n",
        WINDOW.as_secs(),
    )
}

/// What a section was measured on.
fn machine(platform: &Platform) -> String {
    let drive = platform.roles.first().and_then(|role| role.drives().next());
    format!(
        "Machine: {} ({} CPUs), Linux {}, {}, drive {}.\n\n",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_named_or_all_of_them() {
        assert_eq!(asked(&[]).unwrap().0.len(), SECTIONS.len());
        assert_eq!(asked(&["block"]).unwrap().0, BLOCK);
        let (what, folder) = asked(&["ring", "rates", "--data", "/x"]).unwrap();
        assert_eq!((what, folder), (vec!["ring", "rates"], Path::new("/x")));
        for wrong in [&["rings"][..], &["ring", "--data"], &["--dta", "/x"]] {
            assert!(asked(wrong).unwrap_err().to_string().contains("usage:"), "{wrong:?}");
        }
        assert_eq!(asked(&["log"]).unwrap().0, LOG);
        assert!(
            BLOCK.iter().chain(&LOG).all(|name| SECTIONS.iter().any(|section| section.0 == *name))
        );
    }

    #[test]
    fn each_round_begins_with_another() {
        let orders: Vec<Vec<usize>> = (0..4).map(|round| order(round, 3).collect()).collect();
        assert_eq!(orders, [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 1, 2]]);
    }

    #[test]
    fn what_was_not_measured_now_is_kept() {
        let stored = "# B\n\n## Rates\n\nold\n\n## Other\n\nmore\n";
        assert_eq!(section(stored, "## Rates"), "old\n\n");
        assert_eq!(section(stored, "## Nothing"), "Not measured.\n\n");
    }
}
