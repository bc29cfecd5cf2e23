//! What `--dry-run` prints, of every command that has it. Figures depend on the machine and its memory, so each stands as `#`;
//! words and their order are compared. Sizes follow caches and free memory, so their units stand as `MiB` and `MB`. The words, too, are
//! those of a machine like the one where they were recorded.

use std::fmt::Write as _;
use std::process::Command;

use super::Differences;
use crate::common::{Fixture, postgres_folder, program};

/// `DATA` stands for a folder of the fixture, `OTHER` for a second one.
const PLANS: [&str; 26] = [
    "run --quick --data DATA",
    "run --data DATA --wal OTHER",
    "run --layers block,log --data DATA",
    "run --layers database --workloads update --data DATA --sessions 4",
    "run --database none --data DATA",
    "block --at DATA",
    "block calibrate --at DATA --reads 70 --within 2ms --beside log",
    "block interference --at DATA",
    "block steady --at DATA",
    "block writers --at DATA --writers 4",
    "memory",
    "memory --quick",
    "memory --thorough",
    "memory slb 4096 100000",
    "log --wal DATA",
    "log --wal DATA --no-database",
    "log commits --wal DATA",
    "log placement --wal DATA --wal OTHER",
    "log streams --wal DATA",
    "db lookup --data DATA",
    "db lookup --from drive --p99 2ms --data DATA",
    "db batch --data DATA",
    "db update --sessions 1,2,4 --data DATA",
    "db commit --data DATA --starts 3",
    "db scan --workers 1,2 --data DATA",
    "db orders --data DATA",
];

/// The text with each figure, list or range of figures as `#`.
fn without_figures(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if !c.is_ascii_digit() {
            out.push(c);
            continue;
        }
        out.push('#');
        while rest.peek().is_some_and(|c| c.is_ascii_digit() || ".,:-".contains(*c)) {
            let c = rest.next().expect("peeked");
            // A comma or a dot that no figure follows is the sentence's.
            if !c.is_ascii_digit() && !rest.peek().is_some_and(char::is_ascii_digit) {
                out.push(c);
                break;
            }
        }
    }
    let sizes = [(["# KiB", "# GiB", "# TiB"], "# MiB"), (["# kB", "# GB", "# TB"], "# MB")];
    for (size, one) in sizes.iter().flat_map(|(sizes, one)| sizes.map(|size| (size, one))) {
        out = out.replace(size, one);
    }
    // A step of about a minute is one of seconds on the next machine.
    out.replace("# min,", "# s,").replace("# min)", "# s)")
}

/// A line without what the machine decides: whether a server of others runs just now, and on which file system a folder lies. Nothing
/// may be left of it.
fn without_surroundings(line: &str) -> Option<String> {
    let Some(checks) = line.strip_prefix("checks   ") else { return Some(line.to_string()) };
    let kept = checks.split("; ").filter(|check| *check != "no database runs here");
    let kept = kept.map(|check| match check.split_once(" on ") {
        Some((kind, rest)) if !kind.contains(' ') => format!("FS on {rest}"),
        _ => check.to_string(),
    });
    let kept: Vec<String> = kept.collect();
    (!kept.is_empty()).then(|| format!("checks   {}", kept.join("; ")))
}

#[test]
fn plans_are_as_recorded() {
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    let root = narrows_facts::process::is_root();
    let nodes = std::path::Path::new("/sys/devices/system/node/node1").exists();
    if cpus != 2 || !root || nodes || postgres_folder().is_none() {
        println!("SKIPPED: plans were recorded as root, on 2 CPUs, one node, with a PostgreSQL");
        return;
    }
    let fixture = Fixture::new();
    let data = fixture.data().display().to_string();
    let other = fixture.public("other").display().to_string();
    let mut text = String::new();
    for plan in PLANS {
        let args = plan.split(' ').map(|word| match word {
            "DATA" => &data,
            "OTHER" => &other,
            other => other,
        });
        let output = Command::new(program())
            .args(args)
            .args(["--dry-run", "--load-here", "--seed", "7"])
            .env("XDG_DATA_HOME", fixture.home())
            .output()
            .unwrap();
        if plan == PLANS[0] {
            let printed = String::from_utf8_lossy(&output.stdout);
            assert!(printed.contains("total    about 2 min,"), "as help and README say: {printed}");
        }
        let _ =
            writeln!(text, "$ narrows {plan} --dry-run\nexit {}", output.status.code().unwrap());
        for said in [&output.stdout, &output.stderr] {
            let said =
                String::from_utf8_lossy(said).replace(&other, "OTHER").replace(&data, "DATA");
            // Others' servers come and go on this machine.
            let lines = said.lines().filter(|line| !line.ends_with("because of --load-here"));
            let lines = lines.filter_map(without_surroundings);
            lines.for_each(|line| text.push_str(&(without_figures(&line) + "\n")));
        }
    }
    fixture.assert_nothing_left();
    let mut differences = Differences::default();
    differences.compare("plans.txt", &text);
    differences.assert_none();
}

#[test]
fn of_checks_stay_those_that_every_machine_has() {
    let checks =
        "checks   PostgreSQL 15.18 at /x; ext4 on D, 6 GB free; no database runs here; D writable";
    let kept = "checks   PostgreSQL 15.18 at /x; FS on D, 6 GB free; D writable";
    assert_eq!(without_surroundings(checks).as_deref(), Some(kept));
    assert_eq!(without_surroundings("checks   no database runs here"), None);
    assert_eq!(
        without_surroundings("total    about 2 min").as_deref(),
        Some("total    about 2 min")
    );
}

#[test]
fn figures_are_taken_out_and_words_are_not() {
    let text = "1.07 GB, CPUs 0-3,8; 12:05. ~2:19, log";
    assert_eq!(without_figures(text), "# MB, CPUs #; #. ~#, log");
}
