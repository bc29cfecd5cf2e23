//! Memory modules, persistent memory, memory that is mapped directly.

use narrows_model::{DaxDevice, Platform, PmemRegion};

use super::{Facts, is, mib, optional, sorted};
use crate::lab::guest::{Guest, Persistent, Used};

pub fn wanted(guest: &Guest) -> Facts {
    let modules = vec![mib(u64::from(guest.memory_mib()) << 20)];
    let regions = guest.persistent.iter().map(|part| {
        let mode = match part.used {
            Used::AsDrive => "raw",
            Used::AsMemory => "dax",
        };
        region(bytes(part), mode, Some(part.node))
    });
    let mapped = guest.persistent.iter().filter(|part| part.used == Used::AsMemory);
    let mapped = mapped.map(|part| device(Some("kmem"), Some(part.node)));
    facts(modules, regions.collect(), mapped.collect())
}

pub fn found(platform: &Platform) -> Facts {
    let modules = platform.memory.dimms.iter().flatten().filter_map(|dimm| dimm.size_bytes);
    let mapped = |found: &DaxDevice| device(found.driver.as_deref(), found.target_node);
    facts(
        modules.map(mib).collect(),
        platform.devices.pmem.iter().map(found_region).collect(),
        platform.devices.dax.iter().map(mapped).collect(),
    )
}

fn found_region(found: &PmemRegion) -> String {
    let modes: Vec<String> =
        found.namespaces.iter().map(|namespace| optional(namespace.mode.as_ref())).collect();
    region(found.size_bytes.unwrap_or(0), &modes.join(" and "), found.target_node)
}

fn facts(modules: Vec<String>, regions: Vec<String>, mapped: Vec<String>) -> Facts {
    [
        ("memory modules", is(modules.join("; "))),
        ("persistent memory", sorted(regions)),
        ("memory mapped directly", sorted(mapped)),
    ]
    .map(|(name, fact)| (name.to_string(), fact))
    .into()
}

fn bytes(part: &Persistent) -> u64 {
    u64::from(part.mib) << 20
}

fn region(bytes: u64, mode: &str, node: Option<u32>) -> String {
    format!("{} used as {mode}, as memory at node {}", mib(bytes), optional(node))
}

fn device(driver: Option<&str>, node: Option<u32>) -> String {
    format!("by {}, node {}", optional(driver), optional(node))
}
