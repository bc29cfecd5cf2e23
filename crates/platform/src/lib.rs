//! Discovery: what this machine is, from the processor down to the drives under each role.
//!
//! [`discover`] reads `/proc`, `/sys` and a few system calls, needs no right beyond a user's, changes nothing, and
//! never fails: what can't be read is absent and listed in [`Platform::unknown`] with what would show it. One module
//! per part of the inventory; each says where its facts come from.
//!
//! Through [`narrows_facts::Tree`] the same code examines a copied machine. Facts that only a system call tells
//! (free space, this thread's affinity, the processor's hypervisor leaf) are absent then.
//!
//! Not here: what the parts could do (`narrows-limits`), or whether a setting is bad (`narrows-validity`).

#![forbid(unsafe_code)]

mod block;
mod caches;
mod cgroup;
mod cpu;
mod database;
mod devices;
mod dimm;
mod hypervisor;
mod identity;
mod idle;
mod machine;
mod memory;
mod mount;
mod nodes;
mod pcie;
mod role;
mod smbios;
mod unknown;

use std::path::Path;

use narrows_facts::Source;
use narrows_model::{BlockDevice, IdSet, Platform, Role, RunningDatabase};

pub use cgroup::{cgroup_of, quota_is_ours_too};
pub use identity::{boot_id, drive_digest, machine_digest};
use unknown::Unknowns;

/// Examines the machine behind `source`. `roles` are the folders in which a database's files are or will be; one that
/// does not exist yet is examined by its nearest existing parent.
pub fn discover(source: &dyn Source, roles: &[(Role, &Path)]) -> Platform {
    let mut unknown = Unknowns::default();
    let cpu = cpu::read(source, &mut unknown);
    let memory = memory::read(source, &mut unknown);
    let (nodes, empty_nodes) = nodes::read(source, &cpu.online, memory.total_bytes, &mut unknown);
    let hypervisor = hypervisor::read(source);
    let paths: Vec<role::Path> =
        roles.iter().map(|(role, path)| role::read(source, *role, path, &mut unknown)).collect();
    let databases = database::read(source, &paths, &mut unknown);
    machine::note_counters(source, hypervisor.is_some(), &mut unknown);
    let cgroup = cgroup::read(source);
    cgroup::note_unseen(source, &cgroup, &mut unknown);
    let idle = idle::read(source, &cpu.online);
    let devices = devices::read(source, &cpu.online);
    let mut platform = Platform {
        hostname: source.text("/proc/sys/kernel/hostname"),
        machine: identity::machine_digest(source),
        boot_id: identity::boot_id(source),
        kernel: machine::kernel(source),
        os: machine::os(source),
        architecture: machine::architecture(source),
        product: machine::product(source),
        hypervisor,
        container: machine::container(source),
        caches: caches::read(source, &cpu.online),
        cpu,
        nodes,
        empty_nodes,
        allowed_nodes: cpu::allowed_nodes(source),
        memory,
        clock_source: source.text(&clock_file("current_clocksource")),
        clock_sources_available: source
            .text(&clock_file("available_clocksource"))
            .map(|text| text.split_whitespace().map(str::to_string).collect())
            .unwrap_or_default(),
        cgroup,
        idle,
        devices,
        io_uring_disabled: source.number("/proc/sys/kernel/io_uring_disabled"),
        perf_event_paranoid: source.number("/proc/sys/kernel/perf_event_paranoid"),
        roles: paths.into_iter().map(|path| path.role).collect(),
        databases,
        load_1m: source
            .text("/proc/loadavg")
            .and_then(|text| text.split_whitespace().next()?.parse().ok()),
        captured: None,
        unknown: Vec::new(),
    };
    // After the last file was read.
    unknown.add_troubles(&source.troubles());
    platform.unknown = unknown.into_vec();
    platform
}

/// The stack of devices from block device `number` (`major:minor`) down to the drives, each once, upper ones first; empty
/// where the kernel shows none.
pub fn block_stack(source: &dyn Source, number: &str) -> Vec<BlockDevice> {
    block::stack(source, number)
}

/// The on-line processors near the PCI function at `address` (`0000:5e:00.0`); `None` where the kernel doesn't know them,
/// or where all are equally near.
pub fn pci_local_cpus(source: &dyn Source, address: &str, online: &[u32]) -> Option<IdSet> {
    pcie::local_cpus(source, address, online)
}

/// Database servers that run, each with the names of all devices under its files as far as they can be told, nearest to
/// the files first.
pub fn running_databases(source: &dyn Source) -> Vec<(RunningDatabase, Vec<String>)> {
    let databases = database::read(source, &[], &mut Unknowns::default()).into_iter();
    databases
        .map(|server| {
            let devices = database::devices(source, &server);
            (server, devices)
        })
        .collect()
}

fn clock_file(name: &str) -> String {
    format!("/sys/devices/system/clocksource/clocksource0/{name}")
}
