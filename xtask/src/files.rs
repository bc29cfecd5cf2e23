//! Nobody goes around the one place that opens files (`crates/files`): what writes elsewhere, or reads what others wrote without a limit,
//! is found by its words. Tests, and what is never shipped, may do as they like.

use std::path::Path;

use anyhow::Result;

use crate::sources;

/// What makes, changes, removes or hands over files by their paths.
const WRITES: &[&str] = &[
    "fs::write(",
    "File::create(",
    "File::create_new(",
    "fs::create_dir",
    "DirBuilder::new(",
    "fs::remove_",
    "fs::rename(",
    "fs::copy(",
    "fs::hard_link(",
    "set_permissions(",
    "chown(",
    ".create(true)",
    ".create_new(true)",
    ".truncate(true)",
    "symlink(",
];

/// What reads to an end that may not come, or waits for a pipe.
const READS: &[&str] = &["fs::read(", "read_to_string(", "read_to_end(", "File::open("];

/// Where a word stands all the same, and why it may. A line that excuses nothing is an error too.
const EXCUSED: &[(&str, &[&str], &str)] = &[
    ("crates/files/", &["fs::", "read_to_end("], "the one place"),
    ("crates/facts/", READS, "the kernel's own files"),
    ("crates/observe/", READS, "the kernel's own files"),
    ("crates/lab-drive/", &["fs::", "File::", "read_to_string("], "for tests; never shipped"),
    ("crates/bundle/src/cache.rs", WRITES, "below a way that only root and we can change"),
    ("crates/bundle/src/cache.rs", READS, "below a way that only root and we can change"),
    ("crates/bundle/src/unpack.rs", WRITES, "below a way that only root and we can change"),
    ("crates/io/src/nvme_generic.rs", READS, "the kernel's own files"),
    ("crates/io/src/uring/", READS, "the kernel's own files"),
    ("crates/postgres/src/server/leftovers.rs", READS, "an open file, up to a limit"),
    ("crates/server/src/user.rs", READS, "as the server's user, to see whether it may"),
    ("crates/layers/wal/src/ladder/flush.rs", READS, "the device itself"),
    ("crates/layers/memory/src/mapping/system.rs", READS, "the kernel's own files"),
    ("crates/storage-target/src/control/command.rs", READS, "a socket, up to a limit"),
    ("crates/crashtest/src/identity.rs", READS, "the kernel's random numbers"),
    ("crates/crashtest/src/target.rs", READS, "the folder of a new file, to flush it"),
    (
        "crates/runner/src/memory/process_group.rs",
        READS,
        "the pipe from the process that started this one",
    ),
];

/// Where the kernel keeps files of its own.
const KERNEL: [&str; 2] = ["\"/proc/", "\"/sys/"];

/// Places that go around it, and excuses that nobody needs.
///
/// # Errors
/// The sources can't be read.
pub fn around(root: &Path) -> Result<Vec<String>> {
    let mut used = vec![false; EXCUSED.len()];
    let mut wrong = Vec::new();
    for (path, source) in sources::shipped_sources(root)? {
        for (number, word, line) in calls(&source) {
            let excuse = EXCUSED.iter().position(|(place, words, _)| {
                path.starts_with(place) && words.iter().any(|excused| word.starts_with(excused))
            });
            match excuse {
                Some(excuse) => used[excuse] = true,
                None => wrong.push(format!("{path}:{number}: {}", line.trim())),
            }
        }
    }
    let idle = EXCUSED.iter().zip(used).filter(|(_, used)| !used);
    wrong.extend(
        idle.map(|((place, ..), _)| format!("xtask/src/files.rs excuses {place} for nothing")),
    );
    Ok(wrong)
}

/// Calls in shipped code: their lines' numbers, the words, and the lines.
fn calls(source: &str) -> Vec<(usize, &'static str, &str)> {
    let lines: Vec<&str> = sources::shipped(source).collect();
    let words = WRITES.iter().chain(READS);
    words
        .flat_map(|word| {
            let lines = &lines;
            let word = std::slice::from_ref(word);
            sources::found(lines, word).map(|at| (at + 1, word[0], lines[at])).collect::<Vec<_>>()
        })
        .filter(|(_, word, line)| {
            let kernel = READS.contains(word) && KERNEL.iter().any(|place| line.contains(place));
            !kernel && !line.contains("narrows_files::")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_found_and_names_that_only_resemble_them_are_not() {
        for line in [
            "std::fs::write(path, text)",
            "fs::remove_dir_all(x)",
            "let f = File::open(p)?;",
            "options.create_new(true)",
        ] {
            assert_eq!(calls(line).len(), 1, "{line}");
        }
        for line in [
            "narrows_files::read_to_string(p)",
            "prefs::write(x)",
            "my_read_to_string(x)",
            "fchown(x)",
            "// fs::write(x)",
            "fs::read(\"/proc/self/maps\")",
        ] {
            assert!(calls(line).is_empty(), "{line}");
        }
    }
}
