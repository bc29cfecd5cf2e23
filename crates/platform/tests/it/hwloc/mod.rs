//! Topologies of machines nobody has here, against what hwloc's authors found in the same files.
//!
//! The archives (`*.tar.bz2`, copies of `/sys` and `/proc`, with the expected tree beside them) are hwloc's own test
//! data and are not part of this repository. They are looked for in `../shared/fixtures/hwloc` beside the repository, or
//! where `NARROWS_HWLOC_TREES` says; without them these tests skip.

pub mod archive;
mod compare;
mod console;
mod damage;
mod expected;
mod modules;
mod object;
mod recorded;
mod xml;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use compare::{MachineViews, Made, PARTS};
use expected::Expected;
use narrows_facts::Tree;
use narrows_model::Platform;

/// Where we differ from hwloc on purpose. A row whose machine agrees after all fails.
const DIFFERENCES: &[(&str, &str, &str)] = &[(
    "8em64t-2s2ca2c-buggynuma",
    "nodes",
    "each of eight nodes claims all processors: both of us make them one, hwloc with the memory of the first, we with \
     that of the machine",
)];

/// One of hwloc's tests: an archive, and what is expected of it.
struct Case {
    name: String,
    archive: PathBuf,
    made: Made,
    expected: Expected,
    xml: Option<String>,
}

/// `*.test` names the archive, the expected file, options of lstopo, and its environment.
fn case(file: &Path) -> Case {
    let text = std::fs::read_to_string(file).unwrap();
    let field = |name: &str| {
        let mut lines = text.lines().filter_map(|line| line.strip_prefix(name));
        lines.next().map(|value| value.trim().to_string())
    };
    let has = |word: &str| text.lines().any(|line| !line.starts_with('#') && line.contains(word));
    let beside = |name: String| file.with_file_name(name);
    let target = beside(field("target:").expect("a target"));
    let wanted = std::fs::read_to_string(&target).unwrap();
    let is_xml = target.extension().is_some_and(|extension| extension == "xml");
    Case {
        name: file.file_stem().unwrap().to_string_lossy().into_owned(),
        archive: beside(field("source:").expect("a source")),
        made: Made {
            filtered: has("--filter"),
            without_instruction_caches: has("--no-icaches"),
            with_gpu_nodes: has("HWLOC_KEEP_NVIDIA_GPU_NUMA_NODES=1"),
            with_told_locality: has("HWLOC_PCI_LOCALITY="),
        },
        expected: if is_xml { xml::parse(&wanted) } else { console::parse(&wanted) },
        xml: is_xml.then_some(wanted),
    }
}

#[test]
fn machines_are_what_hwloc_found() {
    let Some(folder) = archive::folder() else { return };
    let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|name| name == "test")).collect();
    files.sort();
    assert!(!files.is_empty(), "{}: no *.test", folder.display());
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut failures = Vec::new();
    for case in files.iter().map(|file| case(file)).filter(|case| case.archive.exists()) {
        let unpacked = archive::unpack(&case.archive);
        let tree = Tree::new(&unpacked.root);
        let platform = narrows_platform::discover(&tree, &[]);
        check_invariants(&case.name, &platform);
        recorded::check(&case.name, &tree, &platform);
        modules::check(&case.name, case.xml.as_deref(), &platform);
        let seen = MachineViews {
            made: &case.made,
            expected: &case.expected,
            platform: &platform,
            tree: &tree,
        };
        for (part, compare) in PARTS {
            let differs = DIFFERENCES.iter().find(|row| (row.0, row.1) == (&case.name, part));
            match (compare(&seen), differs) {
                (Ok(count), None) => *counts.entry(part).or_default() += count,
                (Err(_), Some(_)) => {}
                (Err(why), None) => failures.push(format!("{}: {part}: {why}", case.name)),
                (Ok(_), Some(row)) => {
                    failures.push(format!("{}: {part} agrees after all: {}", case.name, row.2));
                }
            }
        }
    }
    eprintln!("{} tests of hwloc, compared: {counts:?}", files.len());
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
    assert!(PARTS.iter().all(|(part, _)| counts.get(part).is_some_and(|count| *count > 0)));
}

/// What must hold on any machine.
pub fn check_invariants(name: &str, platform: &Platform) {
    let cpu = &platform.cpu;
    let mut threads: Vec<u32> = cpu.cores_threads.concat();
    threads.sort_unstable();
    assert_eq!(threads, cpu.online, "{name}: each thread is in exactly one core");
    let of_nodes: Vec<u32> = platform.nodes.iter().flat_map(|node| node.cpus.clone()).collect();
    let mut once = of_nodes.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), of_nodes.len(), "{name}: no thread is in two nodes");
    assert!(once.iter().all(|id| threads.contains(id)), "{name}: nodes of on-line threads");
    assert!(cpu.offline.ids().iter().all(|id| !threads.contains(id)), "{name}: off-line");
    for node in &platform.nodes {
        let columns = node.distances.len();
        assert!(columns == 0 || columns == platform.nodes.len(), "{name}: node {}", node.id);
    }
    for cache in &platform.caches {
        assert_eq!(cache.instances as usize, cache.cpus.len(), "{name}: {cache:?}");
        let behind: usize = cache.cpus.iter().map(|cpus| cpus.len()).sum();
        assert!(behind <= threads.len(), "{name}: {cache:?}");
    }
    for level in cpu.groups.iter().map(|group| group.level) {
        let members: usize = cpu.groups_at(level).map(|group| group.cpus.len()).sum();
        assert_eq!(members, threads.len(), "{name}: each thread is in one {level:?}");
    }
    let text = serde_json::to_string(platform).unwrap();
    assert_eq!(serde_json::from_str::<Platform>(&text).unwrap(), *platform, "{name}: JSON");
}
