//! `narrows platform` for people: what the machine is, block by block, and what could not be learned.

mod nodes;
mod topology;

use narrows_model::{
    BlockDevice, Cache, CoreKind, DeviceKind, FileSystem, PcieLink, Platform, RolePath,
};

use crate::print::Units;
use crate::words::counted;

/// The inventory as aligned text.
pub fn platform(p: &Platform) -> String {
    let mut lines = Lines::default();
    machine(p, &mut lines);
    processors(p, &mut lines);
    memory(p, &mut lines);
    limits(p, &mut lines);
    for role in &p.roles {
        path(role, &mut lines);
    }
    for database in &p.databases {
        let place = database.data_dir.as_deref().unwrap_or("data folder not known");
        let shares: Vec<&str> = database.shares_role.iter().map(|role| role.word()).collect();
        let shares = match shares.as_slice() {
            [] => String::new(),
            roles => format!(", on the drives of {}", roles.join(" and ")),
        };
        lines.add(
            "database",
            format!("{} runs, process {}, {place}{shares}", database.kind, database.pid),
        );
    }
    for unknown in &p.unknown {
        lines.add("not known", format!("{}: {}", unknown.what, unknown.needs));
    }
    lines.text
}

#[derive(Default)]
struct Lines {
    text: String,
    last: String,
}

impl Lines {
    /// A line under a label that is printed once for all its lines; long lines go on below.
    fn add(&mut self, label: &str, value: String) {
        let shown = if self.last == label { "" } else { label };
        self.last = label.to_string();
        let mut line = format!("{shown:<11}");
        let mut width = 0;
        for word in value.split(' ') {
            if width > 0 && width + word.chars().count() > 88 {
                self.text += line.trim_end();
                self.text += "\n";
                line = " ".repeat(13);
                width = 2;
            }
            line += word;
            line += " ";
            width += word.chars().count() + 1;
        }
        self.text += line.trim_end();
        self.text += "\n";
    }

    fn add_known(&mut self, label: &str, parts: Vec<Option<String>>) {
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if !parts.is_empty() {
            self.add(label, parts.join(", "));
        }
    }
}

fn machine(p: &Platform, lines: &mut Lines) {
    lines.add_known(
        "machine",
        vec![
            p.hostname.clone(),
            p.product.clone(),
            p.os.clone(),
            p.kernel.as_ref().map(|kernel| format!("Linux {kernel}")),
            p.architecture.clone(),
        ],
    );
    lines.add_known(
        "",
        vec![
            Some(match &p.hypervisor {
                Some(name) => format!("under {name}: topology and caches are what it shows"),
                None => "no hypervisor seen".to_string(),
            }),
            p.container.as_ref().map(|name| format!("in {name}")),
        ],
    );
    let others: Vec<&str> = p
        .clock_sources_available
        .iter()
        .map(String::as_str)
        .filter(|source| Some(*source) != p.clock_source.as_deref())
        .collect();
    if let Some(source) = &p.clock_source {
        let others = if others.is_empty() {
            String::new()
        } else {
            format!(" (also {})", others.join(", "))
        };
        lines.add("clock", format!("{source}{others}"));
    }
}

fn processors(p: &Platform, lines: &mut Lines) {
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
        lines.add("off-line", format!("CPUs {}", cpu.offline));
    }
    for (index, kind) in cpu.kinds.iter().enumerate() {
        lines.add("core kinds", format!("{}: {}", index + 1, core_kind(kind)));
    }
    let tree = topology::lines(p);
    if tree.is_empty() {
        caches(p, lines);
    }
    for line in tree {
        lines.add("topology", line);
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
        Some(format!("CPUs {}", kind.cpus)),
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

fn cache_kind(cache: &Cache) -> &'static str {
    match cache.kind.as_str() {
        "Data" => "d",
        "Instruction" => "i",
        _ => "",
    }
}

fn memory(p: &Platform, lines: &mut Lines) {
    let memory = &p.memory;
    let bytes = |bytes: u64| Units::Si.bytes(bytes as f64);
    let on_off = |on: bool| if on { "on" } else { "off" };
    lines.add_known(
        "memory",
        vec![
            Some(match memory.total_bytes {
                0 => "size not known".to_string(),
                total => bytes(total),
            }),
            memory.available_bytes.map(|free| format!("{} available", bytes(free))),
            Some(match memory.swap_bytes {
                0 => "no swap".to_string(),
                swap => format!("{} of swap", bytes(swap)),
            }),
            memory
                .transparent_huge_pages
                .as_ref()
                .map(|thp| format!("transparent huge pages {thp}")),
            memory.numa_balancing.map(|on| format!("NUMA balancing {}", on_off(on))),
            memory
                .free_page_reporting
                .filter(|&reports| reports)
                .map(|_| "the hypervisor takes back what is free".to_string()),
        ],
    );
    for pool in memory.huge_pages.iter().filter(|pool| pool.total > 0) {
        let size = Units::Iec.bytes(pool.page_bytes as f64);
        lines.add("", format!("{} huge pages of {size}, {} free", pool.total, pool.free));
    }
    for dimm in memory.dimms.iter().flatten() {
        let place = dimm.locator.as_deref().unwrap_or("a slot");
        lines.add(
            "modules",
            match dimm.size_bytes {
                None => format!("{place}: empty"),
                Some(size) => {
                    let kind = dimm.kind.as_deref().unwrap_or("");
                    let rate = match (dimm.configured_mts, dimm.rated_mts) {
                        (Some(now), Some(rated)) if now < rated => {
                            format!(" {now} MT/s of {rated}")
                        }
                        (Some(mts), _) | (None, Some(mts)) => format!(" {mts} MT/s"),
                        (None, None) => String::new(),
                    };
                    format!("{place}: {} {kind}{rate}", Units::Iec.bytes(size as f64))
                }
            },
        );
    }
}

fn limits(p: &Platform, lines: &mut Lines) {
    let cgroup = &p.cgroup;
    let mut parts = vec![
        cgroup.cpu_quota_cpus.map(|cpus| format!("{cpus:.2} CPUs")),
        cgroup.cpu_weight.map(|weight| format!("CPU weight {weight}")),
        cgroup.memory_limit_bytes.map(|bytes| format!("memory {}", Units::Si.bytes(bytes as f64))),
    ];
    for limit in &cgroup.io_limits {
        parts.push(Some(format!("{} {} {}/s", limit.device, limit.kind, limit.value)));
    }
    if parts.iter().all(Option::is_none) {
        parts = vec![Some("none".into())];
    }
    lines.add_known("cgroup", parts);
    let io_uring = match p.io_uring_disabled {
        Some(0) => Some("io_uring allowed".to_string()),
        Some(1) => Some("io_uring for privileged groups only".to_string()),
        Some(_) => Some("io_uring off".to_string()),
        None => None,
    };
    lines.add_known(
        "kernel",
        vec![io_uring, p.perf_event_paranoid.map(|level| format!("perf_event_paranoid {level}"))],
    );
}

fn path(role: &RolePath, lines: &mut Lines) {
    let fs = &role.file_system;
    let label = role.role.word();
    lines.add(label, format!("{}: {}", role.path, file_system(fs)));
    for item in &role.devices {
        lines.add(label, device(item));
        for link in &item.pcie {
            lines.add(label, format!("  PCIe {}", pcie(link)));
        }
    }
}

fn file_system(fs: &FileSystem) -> String {
    let size = |bytes: Option<u64>| bytes.map(|bytes| Units::Si.bytes(bytes as f64));
    let mut parts = vec![format!("{} on {}", fs.kind, fs.mount_point), fs.options.join(",")];
    if let (Some(free), Some(total)) = (size(fs.free_bytes), size(fs.total_bytes)) {
        parts.push(format!("{free} of {total} free"));
    }
    for (set, text) in [
        (fs.read_only, "read-only"),
        (fs.volatile, "in memory: nothing survives a power-off"),
        (fs.network, "over a network"),
        (fs.overlay, "a container's layered file system"),
    ] {
        if set {
            parts.push(text.to_string());
        }
    }
    parts.retain(|part| !part.is_empty());
    parts.join(", ")
}

fn device(device: &BlockDevice) -> String {
    let kind = match device.kind {
        DeviceKind::Disk => "drive",
        DeviceKind::Partition => "partition",
        DeviceKind::Mapper => "device mapper",
        DeviceKind::Raid => "md",
        DeviceKind::Loop => "loop",
        DeviceKind::Memory => "device in memory",
    };
    let mut parts = vec![format!("  {} {kind}", device.name)];
    parts.extend(device.level.clone());
    parts.extend(device.model.clone());
    parts.extend(device.transport.clone());
    parts.extend(device.size_bytes.map(|bytes| Units::Si.bytes(bytes as f64)));
    if let Some(queue) = &device.queue {
        parts.extend(queue.write_cache.clone());
        parts.extend(queue.fua.map(|fua| if fua { "FUA" } else { "no FUA" }.to_string()));
        parts.extend(queue.scheduler.as_ref().map(|name| format!("scheduler {name}")));
        parts.extend(queue.nr_requests.map(|n| format!("{n} requests")));
        parts.extend(queue.logical_block_bytes.map(|n| format!("{n} B blocks")));
        if queue.iostats == Some(false) {
            parts.push("counters off".into());
        }
    }
    parts.extend(device.numa_node.map(|node| format!("node {node}")));
    parts.join(", ")
}

fn pcie(link: &PcieLink) -> String {
    let end = |gts: Option<f64>, width: Option<u32>| match (gts, width) {
        (Some(gts), Some(width)) => Some(format!("{gts} GT/s x{width}")),
        _ => None,
    };
    let now = end(link.current_gts, link.current_width).unwrap_or_else(|| "speed not known".into());
    let most = end(link.max_gts, link.max_width);
    match most.filter(|most| *most != now) {
        Some(most) => format!("{}: {now} of {most}", link.address),
        None => format!("{}: {now}", link.address),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_model::{Role, Unknown};

    #[test]
    fn long_lines_go_on_below_and_nothing_is_lost() {
        let needs = "a right ".repeat(30);
        let p = Platform {
            unknown: vec![Unknown { what: "wear".into(), needs: needs.trim().into() }],
            ..Platform::default()
        };
        let text = platform(&p);
        assert!(text.lines().all(|line| line.chars().count() <= 101), "{text}");
        assert_eq!(text.matches("right").count(), 30);
    }

    #[test]
    fn a_degraded_link_shows_both_ends() {
        let link = PcieLink {
            address: "0000:01:00.0".into(),
            current_gts: Some(8.0),
            current_width: Some(4),
            max_gts: Some(16.0),
            max_width: Some(4),
        };
        assert_eq!(pcie(&link), "0000:01:00.0: 8 GT/s x4 of 16 GT/s x4");
    }

    #[test]
    fn a_file_system_in_memory_is_called_what_it_is() {
        let role = RolePath {
            role: Role::Wal,
            path: "/dev/shm".into(),
            file_system: FileSystem {
                kind: "tmpfs".into(),
                volatile: true,
                ..FileSystem::default()
            },
            devices: Vec::new(),
        };
        let p = Platform { roles: vec![role], ..Platform::default() };
        assert!(platform(&p).contains("nothing survives a power-off"));
    }
}
