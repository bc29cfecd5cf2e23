//! Text hygiene: nothing in the repository speaks of the machine it was written on.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

/// What must not stand in a file and why. Written in parts, so that this file is not the first to be found.
const FORBIDDEN: &[(&str, &str)] = &[
    (concat!("/ro", "ot/"), "an absolute home path"),
    (concat!("/ho", "me/"), "an absolute home path"),
    (concat!("/Us", "ers/"), "an absolute home path"),
    (concat!("/wo", "rk/"), "a path of one machine"),
    (concat!("maven", ".org"), "a registry's host"),
    (concat!("mvn", "repository"), "a registry's host"),
    (concat!("pypi", ".org"), "a registry's host"),
    (concat!("npm", "js"), "a registry's host"),
    (concat!("arti", "factory"), "a registry's host"),
];

/// Files that are not ours to word: the lock file names where crates come from.
const EXEMPT: &[&str] = &["Cargo.lock"];

/// The repository's files: what git tracks or would track, or everything outside of build folders where there is no
/// git.
pub fn files(root: &Path) -> Result<Vec<PathBuf>> {
    let git = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output();
    if let Ok(output) = git
        && output.status.success()
    {
        let names = String::from_utf8(output.stdout).context("a file name is not UTF-8")?;
        // Deleted files stay in the index until the deletion is recorded.
        return Ok(names.lines().map(|name| root.join(name)).filter(|p| p.is_file()).collect());
    }
    let mut files = Vec::new();
    walk(root, &mut files)?;
    Ok(files)
}

/// Every file below, build folders and hidden ones left out.
pub fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| format!("{}", folder.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            if name != "target" && !name.starts_with('.') {
                walk(&path, files)?;
            }
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// Places with forbidden text; binary files are passed over.
pub fn unclean(root: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for path in files(root)? {
        let exempt = path.file_name().is_some_and(|name| EXEMPT.iter().any(|e| *e == name));
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if exempt {
            continue;
        }
        let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        found.extend(forbidden(&text).map(|(line, why)| format!("{name}:{line}: {why}")));
    }
    Ok(found)
}

fn forbidden(text: &str) -> impl Iterator<Item = (usize, &'static str)> {
    text.lines().enumerate().flat_map(|(index, line)| {
        // `/proc/N/root` is where a process sees its files, and no home.
        let line = without_roots_of_processes(line);
        let hits = FORBIDDEN.iter().filter(move |(part, _)| line.contains(part));
        hits.map(move |(_, why)| (index + 1, *why))
    })
}

/// The line without the roots of processes, `/proc/77/root/` and `/proc/{process}/root/`.
fn without_roots_of_processes(line: &str) -> String {
    let mut left = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find("/proc/") {
        let end = at + "/proc/".len();
        left.push_str(&rest[..end]);
        rest = &rest[end..];
        let after = rest.find('/').map_or("", |slash| &rest[slash..]);
        if after.starts_with(concat!("/ro", "ot/")) {
            rest = &after[concat!("/ro", "ot").len()..];
        }
    }
    left + rest
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_root_of_a_process_is_no_home() {
        let root = concat!("/ro", "ot/");
        let of = |text: &str| super::forbidden(text).count();
        assert_eq!(of(&format!("/proc/77{root}sys and /proc/{{process}}{root}x")), 0);
        assert_eq!(of(&format!("/proc/77/status, {root}x")), 1);
        assert_eq!(of(&format!("/proc/77{root}sys, {root}x")), 1);
    }

    #[test]
    fn a_home_path_is_found_with_its_line() {
        let text = format!("fine\nsee {}someone/x\n", concat!("/ho", "me/"));
        let found: Vec<_> = super::forbidden(&text).collect();
        assert_eq!(found, [(2, "an absolute home path")]);
    }
}
