//! A machine: its sockets, cores, lanes and memory.

use narrows_limits::table::{Class, Cpu, Dimension, Duplex, Family, Figure};
use toml::Spanned;

use crate::description::{Carrier, Machine, Memory};
use crate::entry::MachineEntry;
use crate::error::PlanError;
use crate::figures::Reader;
use crate::generation::modules;
use crate::lines;

/// More sockets than any machine has.
const SOCKETS_MAX: u32 = 64;
/// One core's work over another's: beyond these two aren't compared.
pub const CORE_RATIO: std::ops::RangeInclusive<f64> = 0.05..=20.0;
/// A node's distance to itself (ACPI, SLIT).
const LOCAL: i64 = 10;
/// The largest distance; 255 says unreachable.
const DISTANCE_MAX: i64 = 254;

pub(crate) fn read(reader: Reader<'_>, entry: &MachineEntry) -> Result<Machine, PlanError> {
    let name = entry.name.get_ref().clone();
    let what = format!("machine {name}");
    let key = |key: &str| format!("{what}: {key}");
    let sockets = reader.count(&key("sockets"), &entry.sockets, 1)?.unwrap_or(1);
    if sockets > SOCKETS_MAX {
        let at = entry.sockets.as_ref().map_or(0..0, Spanned::span);
        let why = format!("{sockets} sockets are more than any machine has");
        return Err(reader.source.error(&at, key("sockets"), why, "count processors, not cores"));
    }
    let cpu = match &entry.cpu {
        Some(id) => reader.class(&key("cpu"), id, &[Family::Cpu])?.cpu().cloned(),
        None => None,
    };
    let lanes = reader.count(&key("lanes"), &entry.lanes, 1)?;
    let lanes = lanes.or_else(|| cpu.as_ref().and_then(|cpu| cpu.lanes_of(sockets)));
    let interconnect = match &entry.interconnect {
        Some(id) => {
            let class = reader.class(&key("interconnect"), id, &[Family::Socket])?;
            let links = reader.count(&key("interconnect_links"), &entry.interconnect_links, 1)?;
            Some((Carrier::Class(Box::new(class)), links.unwrap_or(1)))
        }
        None => None,
    };
    Ok(Machine {
        sockets,
        cores: reader.count(&key("cores"), &entry.cores, 1)?,
        memory: memory(reader, entry, &what, sockets, cpu.as_ref())?,
        distances: distances(reader, entry, &what)?,
        pages: lines::pages(reader, entry, &what)?,
        lines: lines::lines(reader, entry, &what)?,
        cpu,
        lanes,
        interconnect,
        core_ratio: core_ratio(reader, entry, &what)?,
        name,
    })
}

/// How many times the work of a core where a demand was measured one of this machine does.
fn core_ratio(
    reader: Reader<'_>,
    entry: &MachineEntry,
    what: &str,
) -> Result<Option<(f64, String)>, PlanError> {
    let Some(ratio) = &entry.core_ratio else { return Ok(None) };
    let what = format!("{what}: core_ratio");
    let refuse =
        |why: String, hint: &str| Err(reader.source.error(&ratio.span(), &what, why, hint));
    let value = *ratio.get_ref();
    if !CORE_RATIO.contains(&value) {
        let why = format!("{value} is not within {} and {}", CORE_RATIO.start(), CORE_RATIO.end());
        return refuse(
            why,
            "1.4 says that a core does 1.4 times the work of one where it was measured",
        );
    }
    let Some(source) = &entry.source else {
        let why = "a figure by hand needs its source".to_string();
        return refuse(why, "add source = \"…\": where the figure comes from, in one line");
    };
    Ok(Some((value, reader.prose(&format!("{what}: source"), source)?)))
}

/// All sockets' channels; by hand over the class.
fn memory(
    reader: Reader<'_>,
    entry: &MachineEntry,
    what: &str,
    sockets: u32,
    cpu: Option<&Cpu>,
) -> Result<Option<Memory>, PlanError> {
    let key = |key: &str| format!("{what}: {key}");
    let by_hand = reader.figure(
        &key("memory_bandwidth"),
        &entry.memory_bandwidth,
        Dimension::Bandwidth,
        &entry.source,
    )?;
    if let Some(figure) = by_hand {
        let label = "memory bandwidth by hand".to_string();
        return Ok(Some(Memory { ceiling: figure.high, expected: None, label, doubt: None }));
    }
    let Some(id) = &entry.memory else { return Ok(None) };
    let class = reader.class(&key("memory"), id, &[Family::Dram])?;
    let own = cpu.map(|cpu| cpu.memory.as_str());
    if let (Some(kind), Some(of_cpu)) = (modules(&class.id), own.and_then(modules))
        && kind != of_cpu
    {
        let why = format!("the processor's channels are of {of_cpu}");
        let hint = format!("write {of_cpu}-… as `narrows limits dram` lists them, or another cpu");
        return Err(reader.source.error(
            &id.span(),
            format!("{} `{}`", key("memory"), class.id),
            why,
            hint,
        ));
    }
    let Some(channels) = reader.count(&key("channels"), &entry.channels, 1)? else {
        let why = "does not say how many channels have modules";
        let hint = "add channels = N, the channels of one socket that have a module; where that is unknown, leave memory out, and it limits nothing";
        return Err(reader.source.error(&id.span(), key("memory"), why, hint));
    };
    if let Some(most) = cpu.map(|cpu| cpu.memory_channels).filter(|most| channels > *most) {
        let at = entry.channels.as_ref().map_or(0..0, Spanned::span);
        let why = format!("{channels} channels, and a socket of this processor has {most}");
        let hint = "count channels of one socket; two modules on one channel share it";
        return Err(reader.source.error(&at, key("channels"), why, hint));
    }
    let count = f64::from(sockets * channels);
    let Some(one) = class.read.ceiling() else { return Ok(None) };
    debug_assert_eq!(class.duplex, Duplex::Half);
    let label = match sockets {
        1 => format!("{channels} × {}", class.id),
        _ => format!("{sockets} × {channels} × {}", class.id),
    };
    let scaled = |figure: &Figure| Figure {
        low: figure.low * count,
        high: figure.high * count,
        ..figure.clone()
    };
    let expected = class.read.expected.as_ref().map(scaled);
    let doubt = own.filter(|own| is_faster(reader, &class, own)).map(|own| {
        format!(
            "modules are {}, and a processor of this class is told to run {own}: {} is reckoned with the modules' speed",
            class.id,
            entry.name.get_ref()
        )
    });
    Ok(Some(Memory { ceiling: one.high * count, expected, label, doubt }))
}

/// Whether modules are faster than those of a class; those with multiplexed ranks are told apart by the processor's source.
fn is_faster(reader: Reader<'_>, modules: &Class, own: &str) -> bool {
    let ceiling = |class: &Class| class.read.ceiling().map(|figure| figure.high);
    let own = reader.table.class(own).and_then(ceiling);
    let faster = ceiling(modules).zip(own).is_some_and(|(modules, own)| modules > own);
    faster && !modules.id.starts_with("mrdimm")
}

/// The firmware's matrix: square, each node nearest to itself.
fn distances(
    reader: Reader<'_>,
    entry: &MachineEntry,
    what: &str,
) -> Result<Option<Vec<Vec<i64>>>, PlanError> {
    let Some(matrix) = &entry.distances else { return Ok(None) };
    let rows = matrix.get_ref();
    let refuse = |at: std::ops::Range<usize>, why: String| {
        let hint = "one row for each node as /sys/devices/system/node/node*/distance prints it";
        Err(reader.source.error(&at, format!("{what}: distances"), why, hint))
    };
    if rows.is_empty() || rows.len() > 1024 {
        return refuse(matrix.span(), format!("{} rows", rows.len()));
    }
    for (index, row) in rows.iter().enumerate() {
        let values = row.get_ref();
        if values.len() != rows.len() {
            let why = format!("row {index} has {} columns of {}", values.len(), rows.len());
            return refuse(row.span(), why);
        }
        if let Some(odd) = values.iter().find(|d| !(LOCAL..=DISTANCE_MAX).contains(*d)) {
            return refuse(row.span(), format!("{odd} is not within {LOCAL} and {DISTANCE_MAX}"));
        }
        if values[index] != LOCAL {
            let why =
                format!("node {index} is {} from itself, and {LOCAL} is local", values[index]);
            return refuse(row.span(), why);
        }
    }
    Ok(Some(rows.iter().map(|row| row.get_ref().clone()).collect()))
}
