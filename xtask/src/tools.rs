//! `tools/`: what is done on request beside other programs, in a workspace of its own, so that neither continuous integration nor an
//! ordinary build compiles its lines, and the product with their features once more. `cargo xtask check` does.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Result, bail};

use crate::bound::ends_with_us;

/// What measures beside peers has to be built as what is shipped is.
const MEASURES: &str = "peers";

fn manifest() -> PathBuf {
    crate::root().join("tools/Cargo.toml")
}

/// Cargo on that workspace, with a folder of its own for what is built; whoever calls may stand anywhere.
fn cargo(command: &str) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.arg(command).arg("--manifest-path").arg(manifest());
    cargo.arg("--target-dir").arg(crate::root().join("target/tools"));
    cargo
}

/// Builds them, and does what `args` begin with; the exit code is the tool's.
pub fn run(args: &[&str]) -> ExitCode {
    let mut tool = cargo("run");
    tool.arg("--quiet");
    if args.first() == Some(&MEASURES) {
        tool.args(["--profile", "dist"]);
    }
    tool.arg("--").args(args);
    // By a signal that it may clean up at.
    match ends_with_us(&mut tool, libc::SIGTERM).status() {
        Ok(status) => status.code().map_or(ExitCode::FAILURE, |code| ExitCode::from(code as u8)),
        Err(error) => {
            eprintln!("xtask: {} can't be built: {error}", manifest().display());
            ExitCode::FAILURE
        }
    }
}

/// Lints and tests them.
///
/// # Errors
/// What failed.
pub fn check() -> Result<()> {
    let mut lint = cargo("clippy");
    lint.args(["--all-targets", "--locked", "--", "-D", "warnings"]);
    let mut test = cargo("test");
    test.arg("--locked");
    for (what, mut command) in [("clippy", lint), ("tests", test)] {
        if !command.status()?.success() {
            bail!("{what} of tools/");
        }
    }
    Ok(())
}
