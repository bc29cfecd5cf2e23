//! Nobody goes around the one place that opens files (`crates/files`): what writes elsewhere, or reads what others wrote without a limit,
//! is found by its words. Tests, and what is never shipped, may do as they like.

use std::path::Path;

use anyhow::{Context, Result};

use crate::text;

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
    ".create_new(",
    ".truncate(true)",
    "symlink(",
];

/// What reads to an end that may not come, or waits for a pipe.
const READS: &[&str] = &["fs::read(", "read_to_string(", "read_to_end(", "File::open("];

/// Where a word stands all the same, and why it may. A line that excuses nothing is an error too.
const EXCUSED: &[(&str, &[&str], &str)] = &[
    (
        "crates/files/",
        &["fs::", "chown(", "read_to_end(", "set_permissions(", ".create_new("],
        "the one place",
    ),
    ("crates/facts/", READS, "the kernel's own files"),
    ("crates/observe/", READS, "the kernel's own files"),
    ("crates/lab-drive/", &["fs::", "File::", "read_to_string("], "for tests; never shipped"),
    ("crates/report/examples/", READS, "an example"),
    ("crates/layers/log/examples/", WRITES, "an example"),
    ("crates/io/examples/", READS, "an example"),
    ("crates/engine/src/scratch.rs", &["read_to_string("], "the kernel's own files"),
    ("crates/io/src/nvme_generic.rs", &["read_to_string("], "the kernel's own files"),
    ("crates/io/src/uring/", &["read_to_string("], "the kernel's own files"),
    (
        "crates/layers/database/src/server/run.rs",
        &["read_to_end("],
        "the pipe of a program that we started",
    ),
    (
        "crates/layers/database/src/server/cluster.rs",
        &["read_to_string("],
        "the kernel's own files",
    ),
    (
        "crates/layers/database/src/server/leftovers.rs",
        &["read_to_string(", "read_to_end("],
        "the kernel's own files, and up to a limit",
    ),
    (
        "crates/layers/database/src/server/user.rs",
        &["File::open("],
        "as the server's user, to see whether it may",
    ),
    ("crates/layers/log/src/ladder/flush.rs", &["File::open("], "the device itself"),
    ("crates/crashtest/src/identity.rs", &["File::open("], "the kernel's random numbers"),
    ("crates/crashtest/src/target.rs", &["File::open("], "the folder of a new file, to flush it"),
    (
        "crates/cli/src/memory/race.rs",
        &["read_to_end("],
        "the pipe from the process that started this one",
    ),
    ("crates/cli/src/block/jobs/read.rs", &["fs::read("], "the kernel's own files"),
    ("crates/tls/src/home.rs", &["read_to_string("], "the machine's list of users"),
];

/// Places that go around it, and excuses that nobody needs.
///
/// # Errors
/// The sources can't be read.
pub fn around(root: &Path) -> Result<Vec<String>> {
    let mut sources = Vec::new();
    text::walk(&root.join("crates"), &mut sources).context("listing the crates")?;
    let mut used = vec![false; EXCUSED.len()];
    let mut wrong = Vec::new();
    for path in sources {
        let name = path.strip_prefix(root)?.to_string_lossy().into_owned();
        if !name.ends_with(".rs") || is_test(&name) {
            continue;
        }
        let source = std::fs::read_to_string(&path).with_context(|| name.clone())?;
        for (number, line) in code(&source) {
            for word in WRITES.iter().chain(READS).filter(|word| calls(line, word)) {
                let excuse = EXCUSED.iter().position(|(place, words, _)| {
                    name.starts_with(place) && words.iter().any(|excused| word.starts_with(excused))
                });
                match excuse {
                    Some(excuse) => used[excuse] = true,
                    None => wrong.push(format!("{name}:{number}: {}", line.trim())),
                }
            }
        }
    }
    let idle = EXCUSED.iter().zip(used).filter(|(_, used)| !used);
    wrong.extend(
        idle.map(|((place, ..), _)| format!("xtask/src/files.rs excuses {place} for nothing")),
    );
    Ok(wrong)
}

/// Whether `word` is called there: not `read_to_string` of a longer name, and not through the one place.
fn calls(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = &line[..at];
        let method = word.starts_with('.');
        !before.ends_with(|c: char| c.is_alphanumeric() || c == '_')
            && !before.ends_with("narrows_files::")
            // `remove_file` of an open folder of ours is a method; these words are functions.
            && (method || !before.ends_with("Dir::"))
    })
}

fn is_test(name: &str) -> bool {
    let parts: Vec<&str> = name.split('/').collect();
    let file = parts.last().copied().unwrap_or_default();
    parts.iter().any(|part| matches!(*part, "tests" | "benches" | "tls_test"))
        || matches!(file, "tests.rs" | "testing.rs" | "test.rs")
        || file.ends_with("_test.rs")
        || file.ends_with("_tests.rs")
}

/// Lines of code with their numbers, up to the file's own tests, comments left out.
fn code(source: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines: Vec<&str> = source.lines().collect();
    let tests = |pair: &[&str]| {
        pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod ") && pair[1].ends_with('{')
    };
    let end = lines.windows(2).position(tests).unwrap_or(lines.len());
    let numbered = lines.into_iter().take(end).enumerate();
    numbered.map(|(index, line)| (index + 1, line.split("//").next().unwrap_or_default()))
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
            assert!(WRITES.iter().chain(READS).any(|word| calls(line, word)), "{line}");
        }
        for line in [
            "narrows_files::read_to_string(p)",
            "prefs::write(x)",
            "my_read_to_string(x)",
            "fchown(x)",
        ] {
            assert!(!WRITES.iter().chain(READS).any(|word| calls(line, word)), "{line}");
        }
    }

    #[test]
    fn tests_at_a_files_end_are_passed_over_and_comments_too() {
        let source = "#[cfg(test)]\nmod a_test;\nfs::write(a);\n// fs::write(b)\n#[cfg(test)]\nmod tests {\n    fs::write(c)\n}\n";
        let lines: Vec<_> = code(source).filter(|(_, line)| calls(line, "fs::write(")).collect();
        assert_eq!(lines, [(3, "fs::write(a);")]);
    }
}
