//! What is inside a program: every crate that is compiled into it, with its version and licence, as cargo resolves them.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

/// A line for each crate of others.
pub(super) fn list(root: &Path, package: &str, triple: &str) -> Result<String> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["tree", "--package", package, "--edges", "normal", "--locked", "--target", triple]);
    let output =
        cargo.args(["--prefix", "none", "--format", "{p}\t{l}"]).current_dir(root).output()?;
    ensure!(output.status.success(), "cargo tree: {}", String::from_utf8_lossy(&output.stderr));
    let crates = others(&String::from_utf8_lossy(&output.stdout));
    ensure!(!crates.is_empty(), "cargo tree names no crate");
    let version = env!("CARGO_PKG_VERSION");
    let mut text = format!(
        "{package} {version}, Apache-2.0 OR MIT, with what follows compiled in ({triple})\n"
    );
    for line in crates {
        text += &format!("{line}\n");
    }
    Ok(text)
}

/// Crates that are not ours: theirs have no path behind the version.
fn others(tree: &str) -> BTreeSet<String> {
    let lines = tree.lines().filter_map(|line| line.split_once('\t'));
    let foreign = lines.filter(|(package, _)| !package.contains("(/"));
    foreign
        .map(|(package, licence)| {
            let package = package.trim_end_matches(" (proc-macro)").replace(" v", " ");
            format!("{package}, {}", licence.trim_end_matches(" (*)"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_of_others_are_listed_once_with_their_licences() {
        let tree = "narrows v0.1.0 (/w/crates/cli)\tApache-2.0 OR MIT\nlibc v0.2.1\tMIT OR Apache-2.0\nlibc v0.2.1\tMIT OR Apache-2.0 (*)\n\n";
        let listed: Vec<String> = others(tree).into_iter().collect();
        assert_eq!(listed, ["libc 0.2.1, MIT OR Apache-2.0"]);
    }
}
