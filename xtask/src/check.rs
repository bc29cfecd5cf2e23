//! Everything that must hold before a change is handed in, run to the end so that one look shows all that is wrong.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::{book, crates, fuzz, generate, links, suite, tools};

/// What is fuzzed for a minute each: what comes from anybody who reaches a port, or from whatever listens at one.
const FUZZED: [&str; 7] = [
    "nvme-target",
    "nvme-host",
    "nvme-auth",
    "nvme-tls-hello",
    "nvme-tls-target",
    "nvme-tls-host",
    "nvme-tls-pair",
];

/// Runs all of it; the error names what failed.
pub fn check() -> Result<()> {
    let root = crate::root();
    let mut failed = Vec::new();
    let mut step = |name: &str, passed: bool| {
        eprintln!("{} {name}", if passed { "ok     " } else { "FAILED " });
        if !passed {
            failed.push(name.to_string());
        }
    };

    step("format", cargo(&root, &["fmt", "--all", "--check"], &[]));
    for apart in crates::APART {
        let format = ["fmt", "--manifest-path", apart, "--check"];
        step(&format!("format of {apart}"), cargo(&root, &format, &[]));
    }
    let clippy = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
    step("clippy", cargo(&root, &clippy, &[]));
    let said = |ended: Result<()>| ended.err().map(|error| error.to_string()).into_iter().collect();
    step("tests", nothing(said(suite::suite(suite::Scratch::Memory)), "see above"));
    // What no default build has.
    let parquet =
        ["test", "-q", "-p", "narrows-report", "--lib", "--features", "parquet", "export"];
    let command = ["check", "-q", "-p", "narrows", "--features", "parquet"];
    step("feature parquet", cargo(&root, &parquet, &[]) && cargo(&root, &command, &[]));
    step("tools", nothing(said(tools::check()), "see above"));
    let outdated = generate::outdated(&generate::all()?);
    step("generated files", nothing(outdated, "run `cargo xtask docs`"));
    step("links", nothing(links::broken(&root)?, "docs/src and the pages at the root"));
    let doc = ["doc", "--workspace", "--no-deps", "--document-private-items"];
    step("code documentation", cargo(&root, &doc, &[("RUSTDOCFLAGS", "-D warnings")]));
    step("book", nothing(said(book::write()), "docs/src"));
    if installed("c++") {
        let name = format!("fuzzing of {}, a minute each", FUZZED.join(", "));
        step(&name, nothing(said(fuzz::fuzz(&FUZZED)), "see above"));
    } else {
        eprintln!("skipped fuzzing: there is no C++ compiler (c++), for libFuzzer");
    }
    if installed("cargo-deny") {
        step("licences", cargo(&root, &["deny", "check", "licenses", "bans", "sources"], &[]));
        // The database of advisories lies where many machines can't reach.
        if cargo(&root, &["deny", "fetch", "db"], &[]) {
            step("advisories", cargo(&root, &["deny", "check", "advisories"], &[]));
        } else {
            eprintln!("skipped advisories: the database of RustSec can't be reached");
        }
    } else {
        eprintln!("skipped licences and advisories: cargo-deny is not installed");
    }

    if failed.is_empty() { Ok(()) } else { bail!("failed: {}", failed.join(", ")) }
}

fn cargo(root: &Path, args: &[&str], environment: &[(&str, &str)]) -> bool {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let environment = environment.iter().copied();
    run(Command::new(cargo).args(args).current_dir(root).envs(environment))
}

fn run(command: &mut Command) -> bool {
    match command.status() {
        Ok(status) => status.success(),
        Err(error) => {
            eprintln!("cannot run {:?}: {error}", command.get_program());
            false
        }
    }
}

fn nothing(wrong: Vec<String>, hint: &str) -> bool {
    for line in &wrong {
        eprintln!("  {line}");
    }
    if !wrong.is_empty() {
        eprintln!("hint: {hint}");
    }
    wrong.is_empty()
}

fn installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}
