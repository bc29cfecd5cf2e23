//! How wide could it be? Ceilings beside measurements, each with its source.
//!
//! The memory channels under a node; the PCIe links between processor and drives; links of SATA and SAS drives, ports of Fibre
//! Channel and of networks; links between sockets where drives and load are in different ones; and limits that an
//! administrator set in a control group. [`attach`] puts beside each measurement those that apply to it. A
//! ceiling is never understated: where a part is unknown the ceiling is left out, and where nothing is known,
//! nothing is printed. In a virtual machine modules and links are the hypervisor's invention, so there neither is
//! used.
//!
//! What parts of some name can carry, on any machine or on none, is data: [`table`].
//!
//! Not here: what a workload would need (that is the verdict).

#![forbid(unsafe_code)]

mod carrier;
mod configured;
mod dram;
pub mod flow;
mod observed;
mod pcie;
mod reference_values;
mod route;
mod sockets;
pub mod table;
mod write_amplification;

pub use dram::{Channels, channel_bytes_per_s, channels, node_bytes_per_s};
pub use pcie::{
    Direction, GENERATIONS, Generation, PAYLOAD_BYTES, Packets, generation, payload_share,
    wire_bytes,
};

use narrows_model::{
    Family, Layer, LimitBasis, LimitShare, Measurement, Platform, Role, RolePath, Run, Unit,
    Workload, condition, family, metric,
};

/// The measurement of a server that was looked at and not loaded.
const OBSERVED: &str = Workload::Observed.measurement_id();

/// Fills the limits of every memory-bandwidth, block and log measurement, and what is normal for its class, in place of those
/// it had.
pub fn attach(run: &mut Run) {
    for measurement in &mut run.measurements {
        let Some(host) = run.hosts.get(measurement.host as usize) else { continue };
        let platform = &host.platform;
        let limits = match measurement.layer {
            Layer::Memory => memory(measurement, platform),
            Layer::Block | Layer::Log => storage(measurement, platform),
            Layer::Database if measurement.id == OBSERVED => {
                measurement.limits = observed::drives(measurement, platform);
                continue;
            }
            Layer::Fabric if platform.hypervisor.is_none() => {
                carrier::nvme_tcp(measurement, platform)
            }
            Layer::Clock | Layer::Fabric | Layer::Database => continue,
        };
        measurement.limits = limits;
        let path = path(measurement, platform).filter(|_| measurement.layer == Layer::Block);
        measurement.normals = reference_values::normals(measurement, platform, path);
    }
}

fn memory(m: &Measurement, platform: &Platform) -> Vec<LimitShare> {
    if family::MEMORY_POLICY_READ.has(&m.id) {
        return placed(m, platform).into_iter().collect();
    }
    // `memory.bandwidth.read.node1`, `memory.matrix.read.from0.to1`: whose memory it is.
    let of = |kind: Family, word: &str| {
        let (_, node) = kind.rest(&m.id)?.rsplit_once(word)?;
        node.parse::<u32>().ok()
    };
    let node =
        of(family::MEMORY_BANDWIDTH, ".node").or_else(|| of(family::MEMORY_MATRIX_READ, ".to"));
    let ceiling = node.and_then(|node| node_bytes_per_s(platform, node).map(|c| (node, c)));
    let Some((node, (value, source))) = ceiling else { return Vec::new() };
    share(m, format!("dram:node{node}"), LimitBasis::Raw, Unit::BytesPerS, value, source)
        .into_iter()
        .collect()
}

/// What the channels of all nodes carry of reads that all nodes' CPUs make alike: the one with the most for its channels decides.
fn placed(m: &Measurement, platform: &Platform) -> Option<LimitShare> {
    let by_cpus = m.conditions.get(condition::SHARE_OF_MEMORY_BY_NODE)?;
    let mut shares = std::collections::BTreeMap::<u32, f64>::new();
    for of_memory in by_cpus.values() {
        for (node, share) in of_memory.as_object()? {
            *shares.entry(node.parse().ok()?).or_default() +=
                share.as_f64()? / by_cpus.len() as f64;
        }
    }
    let mut narrowest: Option<(f64, u32, String)> = None;
    for (node, share) in shares.into_iter().filter(|(_, share)| *share > 0.0) {
        let (value, source) = node_bytes_per_s(platform, node)?;
        let carries = value / share;
        if narrowest.as_ref().is_none_or(|(least, ..)| carries < *least) {
            let source = format!("node {node} has {:.0} % of the memory; {source}", 100.0 * share);
            narrowest = Some((carries, node, source));
        }
    }
    let (value, node, source) = narrowest?;
    share(m, format!("dram:node{node}"), LimitBasis::Raw, Unit::BytesPerS, value, source)
}

fn storage(m: &Measurement, platform: &Platform) -> Vec<LimitShare> {
    let mut limits = configured::quota(m, platform);
    if let Some(path) = path(m, platform) {
        limits.extend(configured::io(m, platform, path));
        if platform.hypervisor.is_none() {
            limits.extend(route::links(m, platform, path));
            limits.extend(carrier::limits(m, platform, path));
            limits.extend(sockets::links(m, platform, path));
        }
    }
    limits
}

fn path<'a>(m: &Measurement, platform: &'a Platform) -> Option<&'a RolePath> {
    let role = match (m.text(condition::ROLE), m.layer) {
        (Some("wal"), _) => Role::Wal,
        (Some("data"), _) => Role::Data,
        (_, Layer::Log) => Role::Wal,
        _ => Role::Data,
    };
    let named = m.text(condition::FOLDER);
    let all = || platform.roles.iter().filter(|path| path.role == role);
    all().find(|path| named == Some(path.path.as_str())).or_else(|| all().next())
}

/// Reading or writing; the log only writes.
fn direction(m: &Measurement) -> Option<Direction> {
    match (m.text(condition::DIRECTION), m.layer) {
        (Some("read"), _) => Some(Direction::Read),
        (Some("write"), _) | (_, Layer::Log) => Some(Direction::Write),
        _ if family::BLOCK_READ.has(&m.id) => Some(Direction::Read),
        _ if family::BLOCK_WRITE.has(&m.id) => Some(Direction::Write),
        _ => None,
    }
}

/// A ceiling beside what was measured in its unit; `None` where that wasn't measured.
fn share(
    m: &Measurement,
    id: String,
    basis: LimitBasis,
    unit: Unit,
    value: f64,
    source: String,
) -> Option<LimitShare> {
    let measured = match unit {
        Unit::OpsPerS => m.value(metric::THROUGHPUT),
        _ => m.value(metric::BANDWIDTH),
    }?;
    (value > 0.0 && value.is_finite()).then(|| LimitShare {
        id,
        basis,
        value,
        unit,
        share: measured / value,
        source,
    })
}
