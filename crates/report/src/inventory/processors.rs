//! Processors: how many, of what kinds, and how they lie within each other.

use narrows_model::{Cache, CoreKind, Platform};

use super::{Lines, nodes, topology};
use crate::print::Units;
use crate::words::counted;

pub(super) fn processors(p: &Platform, lines: &mut Lines) {
    let cpu = &p.cpu;
    lines.add_known(
        "CPU",
        vec![
            cpu.model.clone(),
            Some(counted(cpu.sockets as usize, "socket")),
            Some(counted(cpu.cores as usize, "core")),
            Some(counted(cpu.threads as usize, "CPU")),
            cpu.smt_active.map(|on| if on { "SMT on" } else { "no SMT" }.to_string()),
            (cpu.allowed.len() < cpu.online.len())
                .then(|| format!("{} allowed to this process", cpu.allowed.len())),
            cpu.governor.as_ref().map(|governor| format!("governor {governor}")),
            cpu.max_khz.map(|khz| format!("up to {:.2} GHz", khz as f64 / 1e6)),
        ],
    );
    if !cpu.offline.is_empty() {
        lines.add("off-line", format!("CPUs {}", nodes::cpu_list(&cpu.offline)));
    }
    for (index, kind) in cpu.kinds.iter().enumerate() {
        lines.add("core kinds", format!("{}: {}", index + 1, core_kind(kind)));
    }
    let tree = topology::lines(p);
    if tree.is_empty() {
        caches(p, lines);
    }
    for (depth, line) in tree {
        lines.add_within("topology", depth, line);
    }
    for line in nodes::lines(p) {
        lines.add("nodes", line);
    }
    if !cpu.mitigations.is_empty() {
        lines.add("mitigated", cpu.mitigations.join("; "));
    }
}

fn core_kind(kind: &CoreKind) -> String {
    let ghz = |khz: u64| format!("{:.2} GHz", khz as f64 / 1e6);
    let parts = [
        Some(format!("CPUs {}", nodes::cpu_list(&kind.cpus))),
        kind.capacity.map(|capacity| format!("capacity {capacity} of 1024")),
        kind.base_khz.map(|khz| format!("sustains {}", ghz(khz))),
        kind.max_khz.map(|khz| format!("up to {}", ghz(khz))),
        kind.counters.as_ref().map(|name| format!("counters {name}")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Caches by their number, where it isn't known who shares them.
fn caches(p: &Platform, lines: &mut Lines) {
    let caches: Vec<String> = p
        .caches
        .iter()
        .map(|cache| {
            let size = Units::Iec.bytes(cache.size_bytes as f64);
            format!("{} × L{}{} {size}", cache.instances, cache.level, cache_kind(cache))
        })
        .collect();
    if !caches.is_empty() {
        lines.add("caches", caches.join(", "));
    }
}

pub(super) fn cache_kind(cache: &Cache) -> &'static str {
    match cache.kind.as_str() {
        "Data" => "d",
        "Instruction" => "i",
        _ => "",
    }
}
