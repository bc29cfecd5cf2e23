//! The test programs of the workspace, built once by cargo, which says where they are.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestProgram {
    /// Package and target, as `narrows-io-faults`.
    pub name: String,
    /// The executable.
    pub path: PathBuf,
    /// Where cargo runs it.
    pub package: PathBuf,
}

/// The part of cargo's messages that is needed (`cargo build --message-format=json`).
#[derive(Debug, Deserialize)]
struct Message {
    reason: String,
    #[serde(default)]
    manifest_path: PathBuf,
    #[serde(default)]
    executable: Option<PathBuf>,
    #[serde(default)]
    target: Target,
    #[serde(default)]
    profile: Profile,
}

#[derive(Debug, Default, Deserialize)]
struct Target {
    name: String,
}

#[derive(Debug, Default, Deserialize)]
struct Profile {
    test: bool,
}

/// Builds them, and gives those whose name holds one of `names`.
///
/// # Errors
/// They can't be built.
pub fn built(names: &[String]) -> Result<Vec<TestProgram>> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["test", "--workspace", "--no-run", "--message-format", "json-render-diagnostics"]);
    let output = cargo.current_dir(crate::root()).stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "the tests can't be built");
    let mut programs: Vec<TestProgram> = listed(&String::from_utf8_lossy(&output.stdout))?;
    programs.retain(|p| names.is_empty() || names.iter().any(|name| p.name.contains(name)));
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(programs)
}

fn listed(said: &str) -> Result<Vec<TestProgram>> {
    let mut programs = Vec::new();
    for line in said.lines().filter(|line| line.starts_with('{')) {
        let message: Message = serde_json::from_str(line).context("cargo's message")?;
        let of_a_test = message.reason == "compiler-artifact" && message.profile.test;
        let Some(path) = message.executable.filter(|_| of_a_test) else { continue };
        let package = message.manifest_path.parent().unwrap_or(Path::new("/")).to_path_buf();
        let own = package.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = format!("{}-{}", own.unwrap_or_default(), message.target.name);
        programs.push(TestProgram { name, path, package });
    }
    Ok(programs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_programs_of_tests_are_taken() {
        let said = r#"
{"reason":"compiler-artifact","manifest_path":"/w/crates/io/Cargo.toml","target":{"name":"faults"},"profile":{"test":true},"executable":"/w/target/debug/deps/faults-1"}
{"reason":"compiler-artifact","manifest_path":"/w/crates/cli/Cargo.toml","target":{"name":"narrows"},"profile":{"test":false},"executable":"/w/target/debug/narrows"}
{"reason":"compiler-artifact","manifest_path":"/w/crates/io/Cargo.toml","target":{"name":"x"},"profile":{"test":true},"executable":null}
{"reason":"build-finished","success":true}
"#;
        let program = TestProgram {
            name: "io-faults".into(),
            path: "/w/target/debug/deps/faults-1".into(),
            package: "/w/crates/io".into(),
        };
        assert_eq!(listed(said).unwrap(), [program]);
    }
}
