//! Limits of the control groups a process is in, this one or another: the tightest on the way to the root, because each of
//! them applies.
//! Files: cgroups(7), Linux `Documentation/admin-guide/cgroup-v2.rst`, `cgroup-v1/*`.

use narrows_facts::cgroup::{Controller, Hierarchies, Version, sees_all_groups};
use narrows_facts::{Source, io_limits};
use narrows_model::{Cgroup, CgroupVersion, IoLimit};

use crate::unknown::Unknowns;

/// Version 1 writes "no limit" as the largest number of whole pages; nobody limits to an exbibyte.
const UNLIMITED_BYTES: u64 = 1 << 60;
const DEFAULT_WEIGHT: u64 = 100;
const DEFAULT_SHARES: u64 = 1024;

pub(crate) fn read(source: &dyn Source) -> Cgroup {
    cgroup_of(source, "self")
}

/// Says where limits may apply that can't be seen from here.
pub(crate) fn note_unseen(source: &dyn Source, cgroup: &Cgroup, unknown: &mut Unknowns) {
    let needs = "narrows on the host: from a control group namespace, such as a container's, limits above its root can't be read (cgroup_namespaces(7))";
    if !cgroup.hidden.is_empty() {
        unknown
            .add(format!("limits of the control group here ({})", cgroup.hidden.join(", ")), needs);
    } else if sees_all_groups(source) == Some(false) {
        unknown.add("limits of control groups above this container's", needs);
    }
}

/// Limits of the control groups of a process, by its number or `self`, as far as they can be seen from here.
pub fn cgroup_of(source: &dyn Source, process: &str) -> Cgroup {
    let hierarchies = Hierarchies::of(source, process);
    let controller = |name| hierarchies.controller(source, name);
    let cpu = controller("cpu");
    let memory = controller("memory").map(|found| memory(source, &found)).unwrap_or_default();
    Cgroup {
        version: match (hierarchies.has_v1(), hierarchies.has_v2()) {
            (false, false) => CgroupVersion::None,
            (true, false) => CgroupVersion::V1,
            (false, true) => CgroupVersion::V2,
            (true, true) => CgroupVersion::Hybrid,
        },
        cpu_quota_cpus: cpu
            .as_ref()
            .and_then(|found| found.cpu_quota(source))
            .map(|(cpus, _)| cpus),
        cpu_weight: cpu.as_ref().and_then(|found| weight(source, found)),
        memory_limit_bytes: memory.0,
        memory_used_bytes: memory.1,
        io_limits: io_limits(source, process),
        hidden: [("cpu", "cpu"), ("memory", "memory"), ("io", "blkio")]
            .into_iter()
            .filter(|(_, controller)| hierarchies.hides(source, controller))
            .map(|(name, _)| name.to_string())
            .collect(),
    }
}

/// Whether the tightest processor quota of a process is of a group that this process is in too, so that it covers both alike.
pub fn quota_is_ours_too(source: &dyn Source, process: &str) -> bool {
    let cpu = |process| Hierarchies::of(source, process).controller(source, "cpu");
    let (Some(theirs), Some(ours)) = (cpu(process), cpu("self")) else { return false };
    theirs.cpu_quota(source).is_some_and(|(_, folder)| ours.folders.contains(folder))
}

/// The nearest group's weight that is not the default, on the scale of version 2.
fn weight(source: &dyn Source, cpu: &Controller) -> Option<u64> {
    cpu.folders.iter().find_map(|folder| match cpu.version {
        Version::V2 => source
            .number::<u64>(&format!("{folder}/cpu.weight"))
            .filter(|&weight| weight != DEFAULT_WEIGHT),
        Version::V1 => source
            .number::<u64>(&format!("{folder}/cpu.shares"))
            .filter(|&shares| shares != DEFAULT_SHARES)
            .map(|shares| (shares.saturating_mul(DEFAULT_WEIGHT) / DEFAULT_SHARES).max(1)),
    })
}

/// (tightest limit, use of the group that has it, or of the own group)
fn memory(source: &dyn Source, memory: &Controller) -> (Option<u64>, Option<u64>) {
    let (limits, usage): (&[&str], &str) = match memory.version {
        Version::V2 => (&["memory.max", "memory.high"], "memory.current"),
        Version::V1 => (&["memory.limit_in_bytes"], "memory.usage_in_bytes"),
    };
    let tightest = memory
        .folders
        .iter()
        .flat_map(|folder| limits.iter().map(move |file| (folder, file)))
        .filter_map(|(folder, file)| {
            let limit = source.number::<u64>(&format!("{folder}/{file}"))?;
            (limit < UNLIMITED_BYTES).then_some((limit, folder))
        })
        .min_by_key(|(limit, _)| *limit);
    let folder = tightest.map_or(memory.folders.first(), |(_, folder)| Some(folder));
    let used = folder.and_then(|folder| source.number(&format!("{folder}/{usage}")));
    (tightest.map(|(limit, _)| limit), used)
}

fn io_limits(source: &dyn Source, process: &str) -> Vec<IoLimit> {
    let limit = |((device, kind), value)| IoLimit { device, kind, value };
    io_limits::read_of(source, process).into_iter().map(limit).collect()
}
