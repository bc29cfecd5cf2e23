//! `cargo xtask quiet`: the tests whose figures another's load would change, on request and one after the other. They look at what
//! this machine measures of itself, so nothing else may run on it; no test of the ordinary suite may need that.

use std::process::Command;

use anyhow::{Result, bail};

/// What such a test looks for; without it, it says that it is skipped.
const WANTED: &str = "NARROWS_QUIET_MACHINE";
/// Packages, their test programs, and the tests.
const SUITE: [[&str; 3]; 2] =
    [["narrows", "it", "alone::"], ["narrows-layer-block", "it", "causes::clean::"]];

/// Runs them; the error names the programs that failed.
pub fn quiet() -> Result<()> {
    let mut failed = Vec::new();
    for [package, program, tests] in SUITE {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(["test", "--package", package, "--test", program, tests]);
        cargo.args(["--", "--nocapture", "--test-threads", "1"]).env(WANTED, "1");
        if !cargo.current_dir(crate::root()).status()?.success() {
            failed.push(program);
        }
    }
    if failed.is_empty() { Ok(()) } else { bail!("failed: {}", failed.join(", ")) }
}
