//! What a program may leave that nobody uses any more: files, processes, shared memory, temporary files, control groups, loop devices.
//!
//! Whatever is there before is taken down, and only what is new counts. On a machine that others use, the harness gives itself shared
//! memory and temporary folders of its own first (`isolation`). Ordinary tests include this file as it is.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Names of what is there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Leftovers(BTreeSet<String>);

impl Leftovers {
    /// On this machine, apart from folders and processes.
    pub fn on_this_machine() -> Leftovers {
        let mut left = shared_memory();
        left.extend(entries(Path::new("/tmp")).map(|path| path.display().to_string()));
        left.extend(groups());
        left.extend(loops());
        Leftovers(left)
    }

    /// What is here and was not there before.
    pub fn since(&self, before: &Leftovers) -> Vec<String> {
        self.0.difference(&before.0).cloned().collect()
    }
}

/// Shared memory of both kinds that PostgreSQL has: System V segments without a process, and files in `/dev/shm` that no process maps.
fn shared_memory() -> BTreeSet<String> {
    let segments = fs::read_to_string("/proc/sysvipc/shm").unwrap_or_default();
    let unused = segments.lines().skip(1).filter_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        // Key, number, permissions, bytes, who made it, who touched it last, how many use it, its owner (proc(5)).
        let [_, number, _, bytes, maker, _, "0", owner, ..] = words[..] else { return None };
        Some(format!("segment {number} of {bytes} bytes, made by process {maker} of user {owner}"))
    });
    let files = entries(Path::new("/dev/shm")).collect::<Vec<PathBuf>>();
    let mapped = if files.is_empty() { String::new() } else { maps() };
    let name = |path: &PathBuf| path.display().to_string();
    let unmapped = files.iter().map(name).filter(|name| !mapped.contains(name));
    unused.chain(unmapped).collect()
}

fn maps() -> String {
    processes().filter_map(|pid| fs::read_to_string(format!("/proc/{pid}/maps")).ok()).collect()
}

fn processes() -> impl Iterator<Item = u32> {
    let names = fs::read_dir("/proc").into_iter().flatten().flatten();
    names.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Control groups by the product's name, those apart that this crate makes for what it plants and limits.
fn groups() -> impl Iterator<Item = String> {
    let root = Path::new("/sys/fs/cgroup");
    let hierarchies = entries(root).filter(|path| path.is_dir()).chain([root.to_path_buf()]);
    let below = hierarchies.flat_map(|path| entries(&path).collect::<Vec<_>>());
    let names = below.map(|path| path.display().to_string());
    names.filter(|path| path.contains("/narrows") && !path.contains("/narrows-planted-"))
}

/// Loop devices with the files behind them.
fn loops() -> impl Iterator<Item = String> {
    entries(Path::new("/sys/block")).filter_map(|path| {
        let file = fs::read_to_string(path.join("loop/backing_file")).ok()?;
        Some(format!("{} on {}", path.display(), file.trim()))
    })
}

/// Everything below these folders.
pub fn files(folders: &[PathBuf]) -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting = folders.to_vec();
    while let Some(folder) = waiting.pop() {
        for path in entries(&folder) {
            found.push(path.display().to_string());
            // A link is an entry, and what it leads to is not ours.
            if fs::symlink_metadata(&path).is_ok_and(|there| there.is_dir()) {
                waiting.push(path);
            }
        }
    }
    found.sort();
    found
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

/// Processes, this one apart, that work in a folder, were given its name, or have it in their environment; with their titles.
pub fn running_in(folder: &Path) -> Vec<(u32, String)> {
    let needle = folder.as_os_str().as_bytes();
    let holds = |bytes: &[u8]| bytes.windows(needle.len()).any(|part| part == needle);
    let mut found = Vec::new();
    for pid in processes().filter(|pid| *pid != std::process::id()) {
        let of = |name: &str| fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default();
        let works =
            fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd.starts_with(folder));
        let title = of("cmdline");
        // One that has ended and only waits for its parent runs nowhere.
        let ended = String::from_utf8_lossy(&of("stat"))
            .rsplit(')')
            .next()
            .is_some_and(|rest| rest.trim_start().starts_with(['Z', 'X']));
        if !ended && (works || holds(&title) || holds(&of("environ"))) {
            let title = String::from_utf8_lossy(&title).replace('\0', " ");
            found.push((pid, title.trim().chars().take(120).collect()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_processes_of_a_folder_are_found_and_only_those() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("trial");
        fs::create_dir_all(folder.join("data/base")).unwrap();
        fs::write(folder.join("data/base/1"), "x").unwrap();
        std::os::unix::fs::symlink("/etc", folder.join("data/link")).unwrap();
        let found = files(&[folder.join("data")]);
        assert_eq!(found.len(), 3, "{found:?}");
        let mut child =
            std::process::Command::new("sleep").arg("60").current_dir(&folder).spawn().unwrap();
        let seen = running_in(&folder);
        let elsewhere = running_in(&dir.path().join("other"));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(seen.iter().any(|(pid, _)| *pid == child.id()), "{seen:?}");
        assert!(elsewhere.is_empty(), "{elsewhere:?}");
        assert!(running_in(&folder).is_empty());
    }

    #[test]
    fn only_what_is_new_counts() {
        let of = |names: &[&str]| Leftovers(names.iter().map(|name| name.to_string()).collect());
        assert_eq!(of(&["a", "b"]).since(&of(&["a"])), ["b"]);
        assert!(of(&["a"]).since(&of(&["a", "b"])).is_empty());
    }
}
