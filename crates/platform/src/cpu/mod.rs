//! Processors: `/proc/cpuinfo`, `/sys/devices/system/cpu` (Linux `Documentation/ABI/stable/sysfs-devices-system-cpu`,
//! `Documentation/admin-guide/cputopology.rst`).
//!
//! A hypervisor may invent packages, cores and siblings; what is here is what the kernel was told.

use std::collections::BTreeSet;

use narrows_facts::{Source, affinity, parse_cpu_list, parse_cpu_mask};
use narrows_model::Cpu;

use crate::unknown::Unknowns;

const CPUS: &str = "/sys/devices/system/cpu";

pub(crate) fn read(source: &dyn Source, unknown: &mut Unknowns) -> Cpu {
    // Making this file takes some microseconds per processor; the first one's entry is enough.
    let head = source.read_head("/proc/cpuinfo", 8192).unwrap_or_default();
    let head = String::from_utf8_lossy(&head);
    let online = online(source);
    let cores = cores(source, &online);
    let sockets = packages(source, &cores);
    let (governor, max_khz) = frequency(source);
    if governor.is_none() {
        unknown.add(
            "CPU frequency and its governor",
            "a kernel that controls the frequency; inside a virtual machine the host does",
        );
    }
    let threads = online.len() as u32;
    let smt_active = match source.text(&format!("{CPUS}/smt/active")).as_deref() {
        Some("1") => Some(true),
        Some("0") => Some(false),
        // Kernels before 4.19: what the topology shows.
        _ if !cores.is_empty() => Some(cores.iter().any(|threads| threads.len() > 1)),
        _ => None,
    };
    Cpu {
        model: model(&head),
        sockets,
        cores: cores.len() as u32,
        threads,
        smt_active,
        allowed: allowed(source, &online),
        online,
        cores_threads: cores,
        governor,
        max_khz,
        invariant_tsc: field(&head, "flags").map(|flags| {
            let has = |name| flags.split_whitespace().any(|flag| flag == name);
            has("constant_tsc") && has("nonstop_tsc")
        }),
        mitigations: mitigations(source),
    }
}

/// The first value of a field of `/proc/cpuinfo`.
pub(crate) fn field<'a>(cpuinfo: &'a str, name: &str) -> Option<&'a str> {
    cpuinfo.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim()).filter(|value| !value.is_empty())
    })
}

fn model(cpuinfo: &str) -> Option<String> {
    // Runs of spaces are common in the brand string.
    let tidy = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    field(cpuinfo, "model name").map(tidy).or_else(|| arm_model(cpuinfo)).or_else(|| {
        let names = ["cpu", "Processor", "family", "vendor_id"];
        names.iter().find_map(|name| field(cpuinfo, name)).map(tidy)
    })
}

/// Arm kernels print numbers only (Linux `arch/arm64/include/asm/cputype.h`).
fn arm_model(cpuinfo: &str) -> Option<String> {
    const PARTS: &[(u32, u32, &str)] = &[
        (0x41, 0xd08, "Arm Cortex-A72"),
        (0x41, 0xd0c, "Arm Neoverse N1"),
        (0x41, 0xd40, "Arm Neoverse V1"),
        (0x41, 0xd49, "Arm Neoverse N2"),
        (0x41, 0xd4f, "Arm Neoverse V2"),
        (0x41, 0xd83, "Arm Neoverse V3"),
        (0x41, 0xd8e, "Arm Neoverse N3"),
        (0x43, 0x0af, "Cavium ThunderX2"),
        (0x46, 0x001, "Fujitsu A64FX"),
        (0x48, 0xd01, "HiSilicon Kunpeng 920"),
        (0x48, 0xd02, "HiSilicon Kunpeng 930"),
        (0x6d, 0xd49, "Microsoft Azure Cobalt 100"),
        (0xc0, 0xac3, "Ampere One"),
        (0xc0, 0xac4, "Ampere One"),
    ];
    let number = |name| {
        let text = field(cpuinfo, name)?;
        u32::from_str_radix(text.strip_prefix("0x")?, 16).ok()
    };
    let (implementer, part) = (number("CPU implementer")?, number("CPU part")?);
    let known = PARTS.iter().find(|(i, p, _)| (*i, *p) == (implementer, part));
    Some(known.map_or_else(
        || format!("Arm implementer {implementer:#x} part {part:#x}"),
        |(_, _, name)| name.to_string(),
    ))
}

fn online(source: &dyn Source) -> Vec<u32> {
    if let Some(text) = source.text(&format!("{CPUS}/online")) {
        return parse_cpu_list(&text);
    }
    let names = source.list(CPUS).unwrap_or_default();
    let mut listed: Vec<u32> = names
        .iter()
        .filter_map(|name| name.strip_prefix("cpu")?.parse().ok())
        // Absent for a processor that can't be taken off-line.
        .filter(|cpu| source.text(&format!("{CPUS}/cpu{cpu}/online")).as_deref() != Some("0"))
        .collect();
    if listed.is_empty() {
        let stat = source.text("/proc/stat").unwrap_or_default();
        let lines = stat.lines().filter_map(|line| line.strip_prefix("cpu"));
        listed = lines.filter_map(|rest| rest.split(' ').next()?.parse().ok()).collect();
    }
    listed.sort_unstable();
    listed
}

fn allowed(source: &dyn Source, online: &[u32]) -> Vec<u32> {
    let mut allowed = if source.is_live() { affinity::current() } else { Vec::new() };
    if allowed.is_empty() {
        let status = source.text("/proc/self/status").unwrap_or_default();
        let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
        allowed = list.map(parse_cpu_list).unwrap_or_else(|| online.to_vec());
    }
    allowed.retain(|cpu| online.contains(cpu));
    allowed
}

/// The on-line threads of each core.
fn cores(source: &dyn Source, online: &[u32]) -> Vec<Vec<u32>> {
    let online_set: BTreeSet<u32> = online.iter().copied().collect();
    let mut done: BTreeSet<u32> = BTreeSet::new();
    let mut cores = Vec::new();
    for &cpu in online {
        if done.contains(&cpu) {
            continue;
        }
        let mut threads =
            siblings(source, cpu, &["core_cpus", "thread_siblings"]).unwrap_or_default();
        threads.retain(|thread| online_set.contains(thread) && !done.contains(thread));
        // Kernels before 4.6 called the two cores of an AMD module siblings, under different core ids.
        if threads.len() > 1 {
            let id = core_id(source, cpu);
            threads.retain(|&thread| thread == cpu || core_id(source, thread) == id);
        }
        // Without a topology, or with one that leaves the processor out, each thread is its own core.
        if !threads.contains(&cpu) {
            threads = vec![cpu];
        }
        done.extend(&threads);
        cores.push(threads);
    }
    cores
}

/// A set from the first of `names` that exists, as a list (`NAME_list`) or, in kernels before 2.6.26, a mask only.
fn siblings(source: &dyn Source, cpu: u32, names: &[&str]) -> Option<Vec<u32>> {
    let folder = format!("{CPUS}/cpu{cpu}/topology");
    names.iter().find_map(|name| {
        source
            .text(&format!("{folder}/{name}_list"))
            .map(|text| parse_cpu_list(&text))
            .or_else(|| parse_cpu_mask(&source.text(&format!("{folder}/{name}"))?))
    })
}

fn core_id(source: &dyn Source, cpu: u32) -> Option<i64> {
    source.number(&format!("{CPUS}/cpu{cpu}/topology/core_id"))
}

fn packages(source: &dyn Source, cores: &[Vec<u32>]) -> u32 {
    // The set of processors in a package tells packages apart better than its id, which some firmware gives to two of
    // them and which is -1 where the firmware doesn't tell. The set's text will do: all of a package read the same.
    const SETS: [&str; 4] =
        ["package_cpus_list", "core_siblings_list", "package_cpus", "core_siblings"];
    let packages: BTreeSet<Option<String>> = cores
        .iter()
        .map(|core| {
            let folder = format!("{CPUS}/cpu{}/topology", core[0]);
            SETS.iter()
                .find_map(|name| source.text(&format!("{folder}/{name}")))
                .or_else(|| source.text(&format!("{folder}/physical_package_id")))
        })
        .collect();
    // Those that tell nothing share one entry: whoever has a processor has a package.
    packages.len() as u32
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_of_several_architectures() {
        let x86 =
            "processor\t: 0\nmodel\t\t: 2\nmodel name\t: AMD EPYC  9354   32-Core Processor\n";
        assert_eq!(model(x86).as_deref(), Some("AMD EPYC 9354 32-Core Processor"));
        let arm = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n";
        assert_eq!(model(arm).as_deref(), Some("Arm Neoverse N1"));
        let unknown = "CPU implementer\t: 0x99\nCPU part\t: 0x001\n";
        assert_eq!(model(unknown).as_deref(), Some("Arm implementer 0x99 part 0x1"));
        let power = "processor\t: 0\ncpu\t\t: POWER9, altivec supported\n";
        assert_eq!(model(power).as_deref(), Some("POWER9, altivec supported"));
        assert_eq!(model(""), None);
    }
}
