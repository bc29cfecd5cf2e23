//! The static program of one target: with musl where the toolchain has it, and with a static glibc otherwise.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};

/// That of what is shipped.
const PROFILE: &str = "shipped";
/// A static program that may lie anywhere moves itself at its start; the list of where it has to is a twentieth so long in this form
/// (glibc 2.36, musl 1.2.4).
const SHORT_RELOCATIONS: &str = " -C link-arg=-Wl,-z,pack-relative-relocs";
/// One copy of functions that are the same instructions, by LLD, which links here: nothing in the program compares functions by where
/// they are.
const ONE_OF_ALIKE: &str = " -C link-arg=-Wl,--icf=all";

/// An architecture.
#[derive(Debug)]
pub(super) struct Target {
    /// As Rust names it.
    pub arch: &'static str,
    /// As Debian names it.
    pub debian: &'static str,
    /// What compiles C for it with musl, and Debian's package of that.
    pub compiler: &'static str,
    pub package: &'static str,
}

/// Which C library is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinkedLibrary {
    Musl,
    Glibc,
}

impl Target {
    pub(super) fn triple(&self, kind: LinkedLibrary) -> String {
        let library = if kind == LinkedLibrary::Musl { "musl" } else { "gnu" };
        format!("{}-unknown-linux-{library}", self.arch)
    }

    fn is_here(&self) -> bool {
        self.arch == std::env::consts::ARCH
    }
}

/// What this machine lacks to build it, and what brings it.
pub(super) fn missing(target: &Target, kind: LinkedLibrary) -> Result<Option<String>> {
    let triple = target.triple(kind);
    if !sysroot()?.join("lib/rustlib").join(&triple).join("lib").is_dir() {
        let hint = format!("rustup target add {triple}");
        return Ok(Some(format!("the toolchain has no standard library for it; hint: {hint}")));
    }
    if kind == LinkedLibrary::Glibc {
        return Ok(
            (!target.is_here()).then(|| "a static glibc is linked for this machine only".into())
        );
    }
    let works = Command::new(target.compiler).arg("--version").output();
    Ok((!works.is_ok_and(|output| output.status.success())).then(|| {
        format!("no {} for the C parts; hint: apt-get install {}", target.compiler, target.package)
    }))
}

fn sysroot() -> Result<PathBuf> {
    let output =
        Command::new("rustc").args(["--print", "sysroot"]).current_dir(crate::root()).output()?;
    ensure!(output.status.success(), "rustc does not tell its sysroot");
    Ok(PathBuf::from(String::from_utf8(output.stdout)?.trim()))
}

/// Builds the package's program with the profile of what is shipped.
pub(super) fn build(
    root: &Path,
    package: &str,
    target: &Target,
    kind: LinkedLibrary,
) -> Result<PathBuf> {
    let triple = target.triple(kind);
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--package", package, "--profile", PROFILE, "--locked"]);
    cargo.args(["--target", &triple]);
    if let Some(commit) = commit(root) {
        cargo.env("NARROWS_COMMIT", commit);
    }
    let flags = format!("CARGO_TARGET_{}_RUSTFLAGS", triple.to_uppercase().replace('-', "_"));
    let mut options = "-C target-feature=+crt-static".to_string();
    if target.is_here() && target.arch == "x86_64" && kind == LinkedLibrary::Glibc {
        options = options + SHORT_RELOCATIONS + ONE_OF_ALIKE;
    }
    cargo.env(flags, options);
    if kind == LinkedLibrary::Musl && !target.is_here() {
        let underscores = triple.replace('-', "_");
        cargo.env(format!("CC_{underscores}"), target.compiler);
        cargo.env(format!("CARGO_TARGET_{}_LINKER", underscores.to_uppercase()), target.compiler);
    }
    let folder =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let status = cargo.current_dir(root).status().context("cargo cannot be run")?;
    if !status.success() {
        bail!("{package} can't be built for {triple} ({status})");
    }
    Ok(folder.join(triple).join(PROFILE).join(package))
}

/// What is built, where it is a checkout: `narrows --version --verbose` says it.
fn commit(root: &Path) -> Option<String> {
    let output = Command::new("git")
        .args(["describe", "--always", "--dirty", "--abbrev=12"])
        .current_dir(root)
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_string()).filter(|id| !id.is_empty())
}
