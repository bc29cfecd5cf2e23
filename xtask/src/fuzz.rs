//! Fuzzing with coverage guidance on the stable compiler: builds `fuzz/` with LLVM's own instrumentation and runs its targets,
//! each for a while. On request only: it builds everything once more, and needs a C++ compiler.
//!
//! What a run found new stays in `target/fuzz/corpus`, and the next one goes on from there. What breaks a property is kept in
//! `target/fuzz/found` and becomes an ordinary test of the crate it is about.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, bail, ensure};
use narrows_units::Nanos;

/// What is counted: edges that were taken, and operands of comparisons, so that the next input is nearer to equal.
const INSTRUMENTED: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing";
/// The longest input, bytes.
const LONGEST: u32 = 1 << 16;
/// One input may take so many seconds, on a busy machine too.
const SLOWEST_S: u32 = 30;
/// Seconds per target where nobody says.
const USUAL_S: u64 = 60;

/// A target with the folders of inputs it begins with, beside `fuzz/seeds/NAME`.
const TARGETS: [(&str, &[&str]); 22] = [
    ("addresses", &[]),
    ("capture", &[]),
    ("cost", &["cases/costs", "crates/cost/rules"]),
    ("facts", &[]),
    ("file", &[]),
    ("import", &["cases/figures"]),
    ("job", &[]),
    ("limits", &["crates/limits/data"]),
    ("log-tier", &[]),
    ("machine", &[]),
    ("maria", &[]),
    ("nvme-auth", &[]),
    ("nvme-host", &[]),
    ("nvme-target", &[]),
    ("nvme-tls-hello", &[]),
    ("nvme-tls-host", &[]),
    ("nvme-tls-pair", &[]),
    ("nvme-tls-target", &[]),
    ("plan", &["cases"]),
    ("run", &[]),
    ("talk", &[]),
    ("wire", &[]),
];

/// What was asked for.
#[derive(Debug, PartialEq)]
struct Options {
    targets: Vec<&'static str>,
    seconds: u64,
}

/// Builds and runs the targets that `args` name, all without a name; `--for 5m` is for each of them.
///
/// # Errors
/// What can't be built; the targets in which a property broke, with where the input is.
pub fn fuzz(args: &[&str]) -> Result<()> {
    let asked = asked(args)?;
    let root = crate::root();
    let program = build(&root)?;
    let mut broken = Vec::new();
    println!("{:<15} {:>12} {:>8} {:>8}", "target", "executions", "reached", "inputs");
    for name in asked.targets {
        let ran = run(&root, &program, name, asked.seconds)?;
        println!("{name:<15} {:>12} {:>8} {:>8}", ran.executions, ran.reached, ran.inputs);
        if let Some(said) = ran.broken {
            eprintln!("{said}");
            broken.push(name);
        }
    }
    let found = root.join("target/fuzz/found");
    ensure!(
        broken.is_empty(),
        "broken: {}\nhint: the inputs are in {}; NARROWS_FUZZ=TARGET {} FILE reads one again",
        broken.join(", "),
        found.display(),
        program.display()
    );
    Ok(())
}

fn asked(args: &[&str]) -> Result<Options> {
    let mut asked = Options { targets: Vec::new(), seconds: USUAL_S };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        if *arg == "--for" {
            let length = args.next().context("--for: how long? `60s` or `5min`")?;
            let length: Nanos = length.parse().with_context(|| format!("--for {length}"))?;
            asked.seconds = (length.as_secs_f64().ceil() as u64).max(1);
            continue;
        }
        let known = TARGETS.iter().find(|(name, _)| name == arg);
        let names: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
        let (name, _) = known.with_context(|| format!("no target {arg}: {}", names.join(", ")))?;
        asked.targets.push(name);
    }
    if asked.targets.is_empty() {
        asked.targets = TARGETS.iter().map(|(name, _)| *name).collect();
    }
    Ok(asked)
}

/// The instrumented program. Naming the platform keeps build scripts and macros without instruments.
fn build(root: &Path) -> Result<PathBuf> {
    let platform = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let folder = root.join("target/fuzz");
    let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["build", "--release", "--locked", "--target", &platform])
        .current_dir(root.join("fuzz"))
        .env("CARGO_TARGET_DIR", &folder)
        .env("RUSTFLAGS", INSTRUMENTED)
        .status()
        .context("cargo can't be started")?;
    if !status.success() {
        bail!("fuzz/ can't be built\nhint: it needs a C++ compiler (`c++`), for libFuzzer");
    }
    Ok(folder.join(platform).join("release/narrows-fuzz"))
}

/// What came of one target.
struct Ran {
    executions: u64,
    reached: u64,
    inputs: usize,
    broken: Option<String>,
}

fn run(root: &Path, program: &Path, name: &str, seconds: u64) -> Result<Ran> {
    let corpus = root.join("target/fuzz/corpus").join(name);
    let found = root.join("target/fuzz/found").join(name);
    for folder in [&corpus, &found] {
        fs::create_dir_all(folder).with_context(|| format!("{}", folder.display()))?;
    }
    let more = TARGETS.iter().find(|(known, _)| *known == name).map_or(&[][..], |(_, more)| more);
    // A socket has to lie where its path is short; it is gone with the folder.
    let scratch = std::env::temp_dir().join(format!("narrows-fuzz-{}", std::process::id()));
    fs::create_dir_all(&scratch).with_context(|| format!("{}", scratch.display()))?;
    let output = Command::new(program)
        .env("NARROWS_FUZZ", name)
        .env("TMPDIR", &scratch)
        .arg(format!("-max_total_time={seconds}"))
        .args([format!("-max_len={LONGEST}"), format!("-timeout={SLOWEST_S}")])
        .args(["-rss_limit_mb=4096", "-print_final_stats=1"])
        .arg(format!("-artifact_prefix={}/", found.display()))
        .arg(&corpus)
        .arg(root.join("fuzz/seeds").join(name))
        .args(more.iter().map(|folder| root.join(folder)))
        .output()
        .with_context(|| format!("{} can't be started", program.display()));
    fs::remove_dir_all(&scratch).with_context(|| format!("{}", scratch.display()))?;
    let output = output?;
    let inputs = fs::read_dir(&corpus).map_or(0, Iterator::count);
    Ok(read(&output, inputs))
}

/// What libFuzzer said at its end.
fn read(output: &Output, inputs: usize) -> Ran {
    let said = String::from_utf8_lossy(&output.stderr);
    let number = |text: &str| text.split_whitespace().next().and_then(|word| word.parse().ok());
    let last = |mark: &str| said.rsplit_once(mark).and_then(|(_, rest)| number(rest)).unwrap_or(0);
    let (executions, reached) = (last("stat::number_of_executed_units:"), last(" cov:"));
    // Its last lines are statistics and a hexadecimal view; what broke stands before.
    let telling = ["panicked at", "this input", "ERROR:", "ALARM:", "Test unit written"];
    let lines: Vec<&str> = said.lines().collect();
    let mut told = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if telling.iter().any(|word| line.contains(word)) {
            told.extend(lines[at..].iter().take(2).copied());
        }
    }
    let broken = (!output.status.success()).then(|| told.join("\n"));
    Ran { executions, reached, inputs, broken }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use super::*;

    #[test]
    fn names_and_a_length_in_any_order() {
        let all = asked(&[]).unwrap();
        assert_eq!((all.targets.len(), all.seconds), (TARGETS.len(), 60));
        let two = asked(&["plan", "--for", "2min", "wire"]).unwrap();
        assert_eq!(two, Options { targets: vec!["plan", "wire"], seconds: 120 });
        let error = asked(&["plna"]).unwrap_err().to_string();
        assert!(error.contains("plna") && error.contains("plan"), "{error}");
        assert!(asked(&["--for"]).is_err() && asked(&["--for", "soon"]).is_err());
    }

    #[test]
    fn what_libfuzzer_says_is_read() {
        let said = "#8\tpulse  cov: 10 ft: 12\nthread 'x' panicked at a.rs:1:2:\nno\n#9 DONE cov: 4437 ft: 9\n\
                    stat::number_of_executed_units: 31575\nstat::peak_rss_mb: 9\n";
        let output = |code: i32| Output {
            status: ExitStatus::from_raw(code << 8),
            stdout: Vec::new(),
            stderr: said.into(),
        };
        let ran = read(&output(77), 3);
        assert_eq!((ran.executions, ran.reached, ran.inputs), (31575, 4437, 3));
        assert_eq!(ran.broken.unwrap(), "thread 'x' panicked at a.rs:1:2:\nno");
        assert!(read(&output(0), 3).broken.is_none());
    }

    #[test]
    fn every_target_of_the_program_is_run_here_and_has_seeds() {
        let root = crate::root();
        let text = fs::read_to_string(root.join("fuzz/src/target/mod.rs")).unwrap();
        let theirs: Vec<&str> = text
            .lines()
            .filter_map(|line| line.trim().strip_prefix("target(\"")?.split('"').next())
            .collect();
        assert_eq!(theirs, TARGETS.map(|(name, _)| name));
        for (name, more) in TARGETS {
            let seeds = root.join("fuzz/seeds").join(name);
            for folder in more.iter().map(|folder| root.join(folder)).chain([seeds]) {
                let some = fs::read_dir(&folder).is_ok_and(|mut files| files.next().is_some());
                assert!(some, "{} is empty", folder.display());
            }
        }
    }
}
