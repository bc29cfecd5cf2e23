//! Cores and the groups around them, from `/sys/devices/system/cpu/cpuN/topology`.

use std::collections::{BTreeMap, BTreeSet};

use narrows_facts::{Source, parse_cpu_list, parse_cpu_mask};
use narrows_model::{CpuGroup, GroupLevel, IdSet};

use super::CPUS;
use crate::unknown::Unknowns;

/// A level of groups: the files with its members, newer names first, and the one with its id.
struct Level {
    level: GroupLevel,
    members: &'static [&'static str],
    id: &'static str,
}

/// The largest first.
const LEVELS: [Level; 5] = [
    Level { level: GroupLevel::Drawer, members: &["drawer_siblings"], id: "drawer_id" },
    Level { level: GroupLevel::Book, members: &["book_siblings"], id: "book_id" },
    Level {
        level: GroupLevel::Package,
        members: &["package_cpus", "core_siblings"],
        id: "physical_package_id",
    },
    Level { level: GroupLevel::Die, members: &["die_cpus"], id: "die_id" },
    Level { level: GroupLevel::Cluster, members: &["cluster_cpus"], id: "cluster_id" },
];

/// The on-line threads of each core. Each thread is in exactly one, whatever the files say.
pub(super) fn cores(source: &dyn Source, online: &[u32], unknown: &mut Unknowns) -> Vec<Vec<u32>> {
    let mut done: BTreeSet<u32> = BTreeSet::new();
    let mut cores = Vec::new();
    for &cpu in online {
        if done.contains(&cpu) {
            continue;
        }
        let mut threads = siblings(source, cpu).unwrap_or_else(|| vec![cpu]);
        threads.retain(|thread| online.binary_search(thread).is_ok());
        // Kernels before 4.6 called the two cores of an AMD module siblings, under different core ids.
        if threads.len() > 1 {
            let id = core_id(source, cpu);
            threads.retain(|&thread| thread == cpu || core_id(source, thread) == id);
        }
        if !threads.contains(&cpu) || threads.iter().any(|thread| done.contains(thread)) {
            unknown.add(
                "which threads share a core",
                format!("{CPUS}/cpu*/topology that agree: processor {cpu}'s contradict others"),
            );
            threads.retain(|thread| !done.contains(thread));
        }
        if !threads.contains(&cpu) {
            threads = vec![cpu];
        }
        done.extend(&threads);
        cores.push(threads);
    }
    cores
}

/// The threads of a processor's core, as a list or, in kernels before 2.6.26, a mask only.
fn siblings(source: &dyn Source, cpu: u32) -> Option<Vec<u32>> {
    ["core_cpus", "thread_siblings"].iter().find_map(|name| {
        text(source, cpu, &format!("{name}_list"))
            .map(|text| parse_cpu_list(&text))
            .or_else(|| parse_cpu_mask(&text(source, cpu, name)?))
    })
}

fn core_id(source: &dyn Source, cpu: u32) -> Option<i64> {
    text(source, cpu, "core_id")?.parse().ok()
}

fn text(source: &dyn Source, cpu: u32, name: &str) -> Option<String> {
    source.text(&format!("{CPUS}/cpu{cpu}/topology/{name}"))
}

/// The number of packages, and the groups of each level that says something of its own.
pub(super) fn groups(source: &dyn Source, cores: &[Vec<u32>]) -> (u32, Vec<CpuGroup>) {
    let of_cores: BTreeSet<IdSet> = cores.iter().map(|core| IdSet::from(core.as_slice())).collect();
    let mut packages = cores.len().min(1) as u32;
    let mut above: Option<BTreeSet<IdSet>> = None;
    let mut kept = Vec::new();
    for level in &LEVELS {
        let Some(groups) = groups_of(source, level, cores) else { continue };
        let members: BTreeSet<IdSet> = groups.iter().map(|group| group.cpus.clone()).collect();
        let package = level.level == GroupLevel::Package;
        if package {
            packages = groups.len() as u32;
        }
        if package || (above.as_ref() != Some(&members) && members != of_cores) {
            kept.extend(groups);
            above = Some(members);
        }
    }
    (packages, kept)
}

/// All groups of a level; `None` where the first processor doesn't have the level.
fn groups_of(source: &dyn Source, level: &Level, cores: &[Vec<u32>]) -> Option<Vec<CpuGroup>> {
    mark(source, level, *cores.first()?.first()?)?;
    let mut groups: BTreeMap<Option<String>, Vec<u32>> = BTreeMap::new();
    for core in cores {
        groups.entry(mark(source, level, core[0])).or_default().extend(core);
    }
    let mut groups: Vec<CpuGroup> = groups
        .into_values()
        .map(|cpus| CpuGroup {
            level: level.level,
            // -1 where the firmware doesn't tell.
            id: text(source, cpus[0], level.id).and_then(|text| text.parse().ok()),
            cpus: cpus.into_iter().collect(),
        })
        .collect();
    groups.sort_by(|a, b| a.cpus.cmp(&b.cpus));
    Some(groups)
}

/// What all processors of one group have alike. The text of their set tells groups apart better than their id, which
/// some firmware gives to two packages, and which is -1 where the firmware doesn't tell.
fn mark(source: &dyn Source, level: &Level, cpu: u32) -> Option<String> {
    let names = level.members.iter();
    names
        .flat_map(|name| [format!("{name}_list"), name.to_string()])
        .find_map(|name| text(source, cpu, &name))
        .or_else(|| text(source, cpu, level.id).filter(|id| id != "-1"))
}
