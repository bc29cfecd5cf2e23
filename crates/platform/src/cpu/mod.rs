//! Processors: `/proc/cpuinfo`, `/sys/devices/system/cpu` (Linux `Documentation/ABI/stable/sysfs-devices-system-cpu`,
//! `Documentation/admin-guide/cputopology.rst`).
//!
//! A hypervisor may invent packages, cores and siblings; what is here is what the kernel was told.

mod allowed;
mod kinds;
mod names;
mod threads;
mod topology;

use std::collections::BTreeSet;

use narrows_facts::Source;
use narrows_model::Cpu;

pub(crate) use allowed::nodes as allowed_nodes;
pub(crate) use names::field;

use crate::unknown::Unknowns;

const CPUS: &str = "/sys/devices/system/cpu";

pub(crate) fn read(source: &dyn Source, unknown: &mut Unknowns) -> Cpu {
    // Making this file takes some microseconds per processor; the first one's entry is enough.
    let head = source.read_head("/proc/cpuinfo", 8192).unwrap_or_default();
    let head = String::from_utf8_lossy(&head);
    let (online, offline) = threads::read(source, unknown);
    let cores = topology::cores(source, &online, unknown);
    let (sockets, groups) = topology::groups(source, &cores);
    let (governor, max_khz) = frequency(source);
    if governor.is_none() {
        unknown.add(
            "CPU frequency and its governor",
            "a kernel that controls the frequency; in a virtual machine the host does",
        );
    }
    let base_khz = online.iter().filter_map(|&cpu| kinds::base_khz(source, cpu)).min();
    let threads = online.len() as u32;
    let smt_active = match source.text(&format!("{CPUS}/smt/active")).as_deref() {
        Some("1") => Some(true),
        Some("0") => Some(false),
        // Kernels before 4.19: what the topology shows.
        _ if !cores.is_empty() => Some(cores.iter().any(|threads| threads.len() > 1)),
        _ => None,
    };
    Cpu {
        model: names::model(&head),
        identity: names::identity(&head),
        sockets,
        cores: cores.len() as u32,
        threads,
        smt_active,
        allowed: allowed::cpus(source, &online),
        kinds: kinds::read(source, &cores),
        online,
        offline,
        cores_threads: cores,
        groups,
        governor,
        base_khz,
        max_khz,
        invariant_tsc: field(&head, "flags").map(|flags| {
            let has = |name| flags.split_whitespace().any(|flag| flag == name);
            has("constant_tsc") && has("nonstop_tsc")
        }),
        mitigations: mitigations(source),
    }
}

fn frequency(source: &dyn Source) -> (Option<String>, Option<u64>) {
    let folder = format!("{CPUS}/cpufreq");
    let mut governors = BTreeSet::new();
    let mut max_khz: Option<u64> = None;
    for policy in source.list(&folder).unwrap_or_default() {
        if !policy.starts_with("policy") {
            continue;
        }
        governors.extend(source.text(&format!("{folder}/{policy}/scaling_governor")));
        max_khz = max_khz.max(source.number(&format!("{folder}/{policy}/cpuinfo_max_freq")));
    }
    let governor = match governors.len() {
        0 => None,
        1 => governors.pop_first(),
        // Several are in force; that is a fact worth showing, not one name.
        _ => Some(format!("mixed: {}", governors.into_iter().collect::<Vec<_>>().join(", "))),
    };
    (governor, max_khz)
}

fn mitigations(source: &dyn Source) -> Vec<String> {
    let folder = format!("{CPUS}/vulnerabilities");
    let names = source.list(&folder).unwrap_or_default();
    names
        .iter()
        .filter_map(|name| {
            let state = source.text(&format!("{folder}/{name}"))?;
            (state != "Not affected").then(|| format!("{name}: {state}"))
        })
        .collect()
}
