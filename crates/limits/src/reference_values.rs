//! "Is this normal?": the table's published figures beside a measurement of the same kind, on the same class of part.
//!
//! The class is never guessed: a processor is known by its family, model and stepping, and as a server's by its name; a link by the speed that the kernel
//! negotiated, where it is the only one on the path; a drive by the model that it gives itself. In a virtual machine none of
//! these is the machine's own word.

use narrows_model::{
    GroupLevel, Measurement, NormalFigure, Platform, RolePath, Unit, condition, family, metric,
};

use crate::pcie::Direction;
use crate::table::{Dimension, Measured, Table};
use crate::{carrier, direction};

/// Figures of all classes that the measurement is known to be about.
pub(crate) fn normals(
    m: &Measurement,
    platform: &Platform,
    path: Option<&RolePath>,
) -> Vec<NormalFigure> {
    if platform.hypervisor.is_some() {
        return Vec::new();
    }
    let memory = memory(m, platform).zip(processor(platform));
    let storage = path.and_then(|path| storage(m).zip(class_of_path(platform, path)));
    let known = memory.into_iter().chain(storage);
    known.flat_map(|(what, class)| beside(m, what, &class)).collect()
}

fn beside(m: &Measurement, what: Measured, class: &str) -> Vec<NormalFigure> {
    let (measured, unit) = match what.dimension() {
        Dimension::Time => (m.value(metric::COST).or(m.value(metric::LATENCY_MEAN)), Unit::Ns),
        Dimension::Bandwidth => (m.value(metric::BANDWIDTH), Unit::BytesPerS),
        Dimension::Operations => (m.value(metric::THROUGHPUT), Unit::OpsPerS),
        _ => return Vec::new(),
    };
    let Some(measured) = measured else { return Vec::new() };
    let table = Table::builtin();
    let title = table.class(class).map_or(class, |class| class.title.as_str());
    let normals = table.normals(class).filter(|normal| normal.what == what);
    normals
        .map(|normal| NormalFigure {
            what: what.title().to_string(),
            of: format!("{title} ({class})"),
            low: normal.figure.low,
            high: normal.figure.high,
            measured,
            unit,
            source: normal.figure.source.clone(),
            grade: normal.figure.grade.name().to_string(),
        })
        .collect()
}

/// The class of the machine's processors.
pub(crate) fn processor(platform: &Platform) -> Option<String> {
    let cpu = platform.cpu.identity.as_ref()?;
    let name = platform.cpu.model.as_deref().unwrap_or_default();
    let table = Table::builtin();
    Some(table.processor(&cpu.vendor, cpu.family, cpu.model, cpu.stepping, name)?.id.clone())
}

/// Published latencies are of large pages, or of walks in which small ones cost nothing.
fn memory(m: &Measurement, platform: &Platform) -> Option<Measured> {
    if let Some(node) = family::MEMORY_BANDWIDTH_READ_NODE.rest(&m.id) {
        let node = node.parse().ok()?;
        let nodes = nodes_of_socket(platform, node)?;
        return Some(if nodes == 1 {
            Measured::MemoryReadSocket
        } else {
            Measured::MemoryReadNode
        });
    }
    match family::MEMORY_LATENCY.rest(&m.id)? {
        "2m" => Some(Measured::MemoryLatencyLocal),
        far if far.starts_with("far") && far.ends_with("2m") => {
            let from = m.number(condition::CPU_NODE)? as u32;
            let to = m.number(condition::NODE)? as u32;
            let same = socket(platform, from)? == socket(platform, to)?;
            Some(if same {
                Measured::MemoryLatencySameSocket
            } else {
                Measured::MemoryLatencyOtherSocket
            })
        }
        _ => None,
    }
}

/// Which package a node's processors are in; `None` where they are in several or none.
pub(crate) fn socket(platform: &Platform, node: u32) -> Option<usize> {
    let node = platform.nodes.iter().find(|known| known.id == node && !known.cpus.is_empty())?;
    let mut packages = platform.cpu.groups_at(GroupLevel::Package);
    packages.position(|package| node.cpus.iter().all(|cpu| package.cpus.contains(*cpu)))
}

fn nodes_of_socket(platform: &Platform, node: u32) -> Option<usize> {
    let own = socket(platform, node)?;
    let all = platform.nodes.iter().filter(|other| socket(platform, other.id) == Some(own));
    Some(all.count())
}

fn storage(m: &Measurement) -> Option<Measured> {
    let block = m.number(condition::BLOCK_BYTES)?;
    let random = m.text(condition::PATTERN) == Some("random") || m.id.contains(".random.");
    match (direction(m)?, random) {
        (Direction::Read, true) if block == 4096.0 => Some(Measured::RandomRead4k),
        (Direction::Read, false) if block >= 131_072.0 => Some(Measured::SequentialRead),
        (Direction::Write, false) if block >= 131_072.0 => Some(Measured::SequentialWrite),
        _ => None,
    }
}

/// The only port under the path, or the only drive, where the table has its model.
fn class_of_path(platform: &Platform, path: &RolePath) -> Option<String> {
    if let Some(class) = carrier::only_port(platform, path) {
        return Some(class);
    }
    let mut drives = path.drives();
    let model = drives.next()?.model.as_deref()?;
    if drives.next().is_some() {
        return None;
    }
    let of_model = [
        ("Samsung SSD 870 QVO 1TB", "qlc-slc-cache"),
        ("Samsung SSD 870 QVO 4TB", "qlc-slc-cache-large"),
    ];
    of_model.iter().find(|(name, _)| *name == model).map(|(_, class)| (*class).to_string())
}
