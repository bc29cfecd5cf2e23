//! Topologies of machines nobody has here, against what hwloc's authors found in the same files.
//!
//! The archives (`*.tar.bz2`, copies of `/sys` and `/proc`, with the expected tree beside them) are hwloc's own test
//! data and are not part of this repository. They are looked for in `../shared/fixtures/hwloc` beside the
//! repository, or where `NARROWS_HWLOC` says; without them, or without `tar` and `bzip2`, the test skips.

use std::path::{Path, PathBuf};
use std::process::Command;

use narrows_facts::Tree;
use narrows_model::Platform;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Counts {
    packages: u32,
    cores: u32,
    threads: u32,
    nodes: u32,
}

/// Where we differ from hwloc on purpose, with what is expected of us instead.
struct Difference {
    archive: &'static str,
    ours: Counts,
    reason: &'static str,
}

const ONLY_ALLOWED: &str = "hwloc leaves out what the control group forbids; we count the machine, and say apart what \
                           is allowed";

const DIFFERENCES: &[Difference] = &[
    Difference {
        archive: "16amd64-4n4c-cgroup-distance-merge",
        ours: Counts { packages: 4, cores: 16, threads: 16, nodes: 4 },
        reason: ONLY_ALLOWED,
    },
    Difference {
        archive: "32amd64-4s2n4c-cgroup2",
        ours: Counts { packages: 4, cores: 32, threads: 32, nodes: 8 },
        reason: ONLY_ALLOWED,
    },
    Difference {
        archive: "2ps3-2t",
        ours: Counts { packages: 1, cores: 1, threads: 2, nodes: 1 },
        reason: "the kernel tells no package; who has a processor has one",
    },
    Difference {
        archive: "fakememinitiators-1np2c+1npp+gi",
        ours: Counts { packages: 2, cores: 8, threads: 8, nodes: 10 },
        reason: "hwloc merges nodes of processors only into those of their memory; the kernel's nodes are ten",
    },
];

#[test]
fn counts_agree_with_hwloc() {
    let Some(folder) = folder() else {
        eprintln!("SKIPPED: no hwloc archives; set NARROWS_HWLOC to hwloc's tests/hwloc/linux");
        return;
    };
    let mut compared = 0;
    let mut failures = Vec::new();
    for (archive, expected) in cases(&folder) {
        let unpacked = folder_in_memory();
        let Some(root) = unpack(&folder.join(format!("{archive}.tar.bz2")), unpacked.path()) else {
            eprintln!("SKIPPED: {archive}: tar could not unpack it");
            continue;
        };
        let platform = narrows_platform::discover(&Tree::new(root), &[]);
        let found = counts(&platform);
        check_modules(&folder.join(format!("{archive}.xml")), &platform);
        check_invariants(&archive, &platform);
        let difference = DIFFERENCES.iter().find(|difference| difference.archive == archive);
        let wanted = difference.map_or(expected, |difference| difference.ours);
        if let Some(difference) = difference {
            eprintln!("{archive}: hwloc {expected:?}, wanted {wanted:?}: {}", difference.reason);
        }
        if found != wanted {
            failures.push(format!("{archive}: found {found:?}, wanted {wanted:?}"));
        }
        compared += 1;
    }
    eprintln!("compared {compared} machines");
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

fn folder() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/fixtures/hwloc");
    let folder = std::env::var_os("NARROWS_HWLOC").map_or(beside, PathBuf::from);
    folder.is_dir().then_some(folder)
}

/// Archives with the counts of the expected tree beside them. Where there are two, hwloc leaves nodes of GPU memory out
/// of one and keeps them in the other, as we do.
fn cases(folder: &Path) -> Vec<(String, Counts)> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| Some(name.strip_suffix(".tar.bz2")?.to_string()))
        .collect();
    names.sort();
    names
        .into_iter()
        .filter_map(|name| {
            let console = std::fs::read_to_string(folder.join(format!("{name}-kept.console")))
                .or_else(|_| std::fs::read_to_string(folder.join(format!("{name}.console"))));
            let xml = std::fs::read_to_string(folder.join(format!("{name}.xml")));
            let counts = console.ok().map(|text| of_console(&text));
            Some((name, counts.or_else(|| xml.ok().map(|text| of_xml(&text)))?))
        })
        .collect()
}

/// Lines such as ` depth 1:  4 Package (type #1)`.
fn of_console(text: &str) -> Counts {
    let count = |kind: &str| {
        let depths = text.lines().filter(|line| line.trim_start().to_lowercase().contains("depth"));
        depths
            .filter_map(|line| {
                let mut words = line.split(':').nth(1)?.split_whitespace();
                let number: u32 = words.next()?.parse().ok()?;
                (words.next()? == kind).then_some(number)
            })
            .sum()
    };
    Counts {
        packages: count("Package"),
        cores: count("Core"),
        threads: count("PU"),
        nodes: count("NUMANode"),
    }
}

fn of_xml(text: &str) -> Counts {
    let count = |kind: &str| text.matches(&format!("<object type=\"{kind}\"")).count() as u32;
    Counts {
        packages: count("Package"),
        cores: count("Core"),
        threads: count("PU"),
        nodes: count("NUMANode"),
    }
}

fn counts(platform: &Platform) -> Counts {
    Counts {
        packages: platform.cpu.sockets,
        cores: platform.cpu.cores,
        threads: platform.cpu.threads,
        nodes: platform.nodes.len() as u32,
    }
}

/// Memory modules, where the expected tree lists them.
fn check_modules(xml: &Path, platform: &Platform) {
    let text = std::fs::read_to_string(xml).unwrap_or_default();
    let mark = "name=\"DeviceLocation\" value=\"";
    let values = text.match_indices(mark).map(|(start, _)| &text[start + mark.len()..]);
    let mut wanted: Vec<&str> =
        values.filter_map(|rest| rest.split('"').next()).map(str::trim).collect();
    if wanted.is_empty() {
        return;
    }
    let dimms = platform.memory.dimms.as_ref().expect("modules");
    let filled = dimms.iter().filter(|dimm| dimm.size_bytes.is_some());
    let mut found: Vec<&str> = filled.filter_map(|dimm| dimm.locator.as_deref()).collect();
    wanted.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, wanted, "{}", xml.display());
    let total: u64 = dimms.iter().filter_map(|dimm| dimm.size_bytes).sum();
    // The kernel keeps some for itself before it counts.
    let counted = platform.memory.total_bytes;
    assert!(counted <= total && counted > total / 10 * 9, "{counted} of {total} bytes");
}

/// What must hold on any machine.
fn check_invariants(archive: &str, platform: &Platform) {
    let mut threads: Vec<u32> = platform.cpu.cores_threads.concat();
    threads.sort_unstable();
    assert_eq!(threads, platform.cpu.online, "{archive}: each thread is in exactly one core");
    let mut of_nodes: Vec<u32> = platform.nodes.iter().flat_map(|node| node.cpus.clone()).collect();
    of_nodes.sort_unstable();
    of_nodes.dedup();
    assert!(
        of_nodes.iter().all(|cpu| threads.contains(cpu)),
        "{archive}: nodes of on-line threads"
    );
    for node in &platform.nodes {
        let columns = node.distances.len();
        assert!(columns == 0 || columns == platform.nodes.len(), "{archive}: node {}", node.id);
    }
    for cache in &platform.caches {
        assert!(cache.instances <= platform.cpu.threads, "{archive}: {cache:?}");
    }
}

/// Creating ten thousand small files takes a minute on a busy disk.
fn folder_in_memory() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

/// Unpacks below `target`; the archive's one folder is the machine's root.
fn unpack(archive: &Path, target: &Path) -> Option<PathBuf> {
    // Thousands of files that are not read here.
    let unread =
        ["uevent", "power", "*_policy", "ways_*", "number_of_*", "die_*", "cpuidle", "driver"];
    let status = Command::new("tar")
        .args(unread.map(|pattern| format!("--exclude={pattern}")))
        .args(["--no-same-owner", "-xjf"])
        .arg(archive)
        .arg("-C")
        .arg(target)
        .stderr(std::process::Stdio::null())
        .status();
    status.ok().filter(|status| status.success())?;
    let mut folders = std::fs::read_dir(target).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    folders.find(|path| path.is_dir())
}
