//! Memory safety of the I/O path: its tests under AddressSanitizer, and what of it makes no system calls under Miri.
//!
//! AddressSanitizer sees what the program itself touches. What the kernel writes into memory that was given back it does
//! not see; the tests that drop paths with operations in flight look for that themselves. On request only: it builds
//! everything once more.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

/// Tests under AddressSanitizer: arguments after `cargo test`.
const ADDRESS: [&[&str]; 2] = [
    &["--package", "narrows-io"],
    &["--package", "narrows-layer-block", "--tests", "--", "stop", "fail", "cut", "fault", "error"],
];

/// Tests under Miri, which knows neither rings nor block devices.
const MIRI: [&[&str]; 1] =
    [&["--package", "narrows-io", "--lib", "--", "arena::tests::a_slot", "uring::nvme"]];

/// Runs them; what can't be had here is skipped and said.
///
/// # Errors
/// What failed.
pub fn sanitize() -> Result<()> {
    let root = crate::root();
    let mut failed = Vec::new();
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    for tests in ADDRESS {
        let mut test = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        // The option is an unstable one; the runtime comes with every toolchain. Naming the target keeps build scripts
        // and macros without it.
        test.env("RUSTC_BOOTSTRAP", "1")
            .env("RUSTFLAGS", "-Zsanitizer=address")
            .args(["test", "--target", &target]);
        ran(&root, test, "address", tests, &mut failed);
    }
    let miri = |args: &[&str]| {
        let mut command = Command::new("rustup");
        command.args(["run", "nightly", "cargo", "miri"]).args(args);
        command
    };
    if miri(&["--version"]).output().is_ok_and(|output| output.status.success()) {
        for tests in MIRI {
            let mut test = miri(&["test"]);
            // The stricter of the two models, Stacked Borrows, objects to the library's builder of commands.
            test.env("MIRIFLAGS", "-Zmiri-disable-isolation -Zmiri-tree-borrows");
            ran(&root, test, "miri", tests, &mut failed);
        }
    } else {
        eprintln!("SKIPPED: Miri: `rustup component add miri --toolchain nightly` installs it");
    }
    if failed.is_empty() { Ok(()) } else { bail!("failed: {}", failed.join("; ")) }
}

fn ran(root: &Path, mut test: Command, kind: &str, tests: &[&str], failed: &mut Vec<String>) {
    let folder = root.join("target").join(kind);
    let passed = test.args(tests).current_dir(root).env("CARGO_TARGET_DIR", folder).status();
    if !passed.is_ok_and(|status| status.success()) {
        failed.push(format!("{kind} {}", tests.join(" ")));
    }
}
