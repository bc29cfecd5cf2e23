//! Kinds of core on machines that have several.
//!
//! A hybrid x86 kernel has a set of counters per kind and lists their processors
//! (`/sys/bus/event_source/devices/cpu_core/cpus`); Arm states a capacity (`cpu_capacity`). Where neither is there, cores
//! whose sustained frequency or caches differ are of different kinds. The highest frequency is no sign of one: a few
//! favoured cores of one kind reach more.

use std::collections::BTreeMap;

use narrows_facts::{Source, parse_cpu_list};
use narrows_model::{CoreKind, IdSet};

use super::CPUS;

/// What cores of one kind have alike.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Mark {
    counters: Option<String>,
    capacity: Option<u32>,
    base_khz: Option<u64>,
    cache_sizes: Vec<String>,
}

/// The kinds, the fastest first; none where all cores are of one.
pub(super) fn read(source: &dyn Source, cores: &[Vec<u32>]) -> Vec<CoreKind> {
    let counters = counters(source);
    let mut kinds: BTreeMap<Mark, Vec<u32>> = BTreeMap::new();
    for core in cores {
        let mark = match counters.len() {
            0 | 1 => described(source, core[0]),
            _ => counted(&counters, core[0]),
        };
        kinds.entry(mark).or_default().extend(core);
    }
    if kinds.len() < 2 {
        return Vec::new();
    }
    let mut kinds: Vec<CoreKind> =
        kinds.into_iter().map(|(mark, cpus)| kind(source, mark, &cpus)).collect();
    kinds.sort_by_key(|kind| std::cmp::Reverse((kind.capacity, kind.base_khz, kind.max_khz)));
    kinds
}

fn kind(source: &dyn Source, mark: Mark, cpus: &[u32]) -> CoreKind {
    let first = cpus[0];
    CoreKind {
        counters: mark.counters,
        capacity: mark.capacity.or_else(|| capacity(source, first)),
        base_khz: mark.base_khz.or_else(|| base_khz(source, first)),
        max_khz: cpus.iter().filter_map(|&cpu| frequency(source, cpu, "cpuinfo_max_freq")).max(),
        cpus: cpus.iter().copied().collect(),
    }
}

/// Counters of processors, with the processors that have them.
fn counters(source: &dyn Source) -> Vec<(String, IdSet)> {
    const DEVICES: [&str; 2] = ["/sys/bus/event_source/devices", "/sys/devices"];
    DEVICES
        .iter()
        .map(|folder| {
            let names = ["cpu_core", "cpu_atom", "cpu_lowpower"].into_iter();
            let read = |name: &str| source.text(&format!("{folder}/{name}/cpus"));
            names
                .filter_map(|name| {
                    let cpus = parse_cpu_list(&read(name)?).into_iter().collect();
                    Some((name.to_string(), cpus))
                })
                .collect::<Vec<_>>()
        })
        .find(|found| found.len() > 1)
        .unwrap_or_default()
}

fn counted(counters: &[(String, IdSet)], cpu: u32) -> Mark {
    let found = counters.iter().find(|(_, cpus)| cpus.contains(cpu));
    Mark { counters: found.map(|(name, _)| name.clone()), ..Mark::default() }
}

fn described(source: &dyn Source, cpu: u32) -> Mark {
    let sizes = (0..5).map(|index| {
        source.text(&format!("{CPUS}/cpu{cpu}/cache/index{index}/size")).unwrap_or_default()
    });
    Mark {
        counters: None,
        capacity: capacity(source, cpu),
        base_khz: base_khz(source, cpu),
        cache_sizes: sizes.collect(),
    }
}

fn capacity(source: &dyn Source, cpu: u32) -> Option<u32> {
    source.number(&format!("{CPUS}/cpu{cpu}/cpu_capacity"))
}

/// The frequency that a CPU sustains, kHz: `intel_pstate` says it, and the firmware's CPPC tables do (MHz there).
pub(super) fn base_khz(source: &dyn Source, cpu: u32) -> Option<u64> {
    frequency(source, cpu, "base_frequency").or_else(|| {
        let nominal: u64 = source.number(&format!("{CPUS}/cpu{cpu}/acpi_cppc/nominal_freq"))?;
        (nominal > 0).then_some(nominal * 1000)
    })
}

fn frequency(source: &dyn Source, cpu: u32, name: &str) -> Option<u64> {
    source.number(&format!("{CPUS}/cpu{cpu}/cpufreq/{name}"))
}
