//! Arrays, processors and published measurements of a file.

use toml::Spanned;

use super::class::{Class, Detail, DirectionRates, Duplex, Family, Operations, Times};
use super::cpu::{Cpu, Identity};
use super::entry::{Cited, CpuEntry, IdentityEntry, NormalEntry, RaidEntry};
use super::error::TableError;
use super::normal::Normal;
use super::raid::Raid;
use super::reader::Reader;

/// Most of anything that is counted on one processor.
const COUNT_MAX: u32 = 4096;

/// A way to join drives.
pub(super) fn raid(reader: Reader<'_>, entry: &RaidEntry) -> Result<Class, TableError> {
    let id = reader.id(&entry.id)?;
    let members = &entry.members_min;
    let least = match entry.layout {
        super::raid::Layout::DoubleParity => 4,
        super::raid::Layout::SingleParity => 3,
        _ => 2,
    };
    let raid = Raid {
        layout: entry.layout,
        members_min: reader.count(
            id,
            "members_min",
            *members.get_ref(),
            members.span(),
            (least, COUNT_MAX),
        )?,
        source: reader.line(id, "source", &entry.source)?,
        grade: entry.grade,
    };
    let title = reader.line(id, "title", &entry.title)?;
    Ok(bare(id, title, Family::Raid, Detail::Raid(raid)))
}

/// A processor. The classes it names are checked by the caller, who knows them all.
pub(super) fn cpu(reader: Reader<'_>, entry: &CpuEntry) -> Result<Class, TableError> {
    let id = reader.id(&entry.id)?;
    let count = |key: &str, value: &Spanned<u32>| {
        reader.count(id, key, *value.get_ref(), value.span(), (1, COUNT_MAX))
    };
    let pair = |key: &str, value: &Option<Spanned<[u32; 2]>>| {
        value.as_ref().map(|value| range(reader, id, key, value, 1)).transpose()
    };
    let cpu = Cpu {
        identities: entry
            .identity
            .iter()
            .map(|i| identity(reader, id, i))
            .collect::<Result<_, _>>()?,
        memory_channels: count("memory_channels", &entry.memory_channels)?,
        memory: entry.memory.get_ref().clone(),
        memory_two_modules: entry.memory_two_modules.as_ref().map(|m| m.get_ref().clone()),
        lanes: count("lanes", &entry.lanes)?,
        lanes_of_two: pair("lanes_of_two", &entry.lanes_of_two)?,
        pcie_generation: count("pcie_generation", &entry.pcie_generation)?,
        socket_link: entry.socket_link.as_ref().map(|m| m.get_ref().clone()),
        socket_links: pair("socket_links", &entry.socket_links)?,
        source: reader.line(id, "source", &entry.source)?,
        grade: entry.grade,
    };
    let title = reader.line(id, "title", &entry.title)?;
    Ok(bare(id, title, Family::Cpu, Detail::Cpu(Box::new(cpu))))
}

fn identity(reader: Reader<'_>, id: &str, entry: &IdentityEntry) -> Result<Identity, TableError> {
    Ok(Identity {
        vendor: reader.line(id, "identity.vendor", &entry.vendor)?,
        family: entry.family,
        models: range(reader, id, "identity.models", &entry.models, 0)?,
        steppings: entry
            .steppings
            .as_ref()
            .map(|steppings| range(reader, id, "identity.steppings", steppings, 0))
            .transpose()?,
        names: entry
            .names
            .iter()
            .map(|name| reader.line(id, "identity.names", name))
            .collect::<Result<_, _>>()?,
    })
}

fn range(
    reader: Reader<'_>,
    id: &str,
    key: &str,
    value: &Spanned<[u32; 2]>,
    least: u32,
) -> Result<(u32, u32), TableError> {
    let [first, last] = *value.get_ref();
    reader.count(id, key, first, value.span(), (least, last.min(COUNT_MAX)))?;
    reader.count(id, key, last, value.span(), (first, COUNT_MAX))?;
    Ok((first, last))
}

/// A published measurement. The class it is of is checked by the caller.
pub(super) fn normal(reader: Reader<'_>, entry: &NormalEntry) -> Result<Normal, TableError> {
    let of = reader.id(&entry.of)?.to_string();
    let cited = Cited { source: &entry.source, grade: entry.grade };
    let figure = reader.figure(&of, "value", &entry.value, entry.what.dimension(), cited)?;
    Ok(Normal { of, what: entry.what, figure })
}

/// A class without figures of its own.
fn bare(id: &str, title: String, family: Family, detail: Detail) -> Class {
    Class {
        id: id.to_string(),
        title,
        family,
        duplex: Duplex::Full,
        read: DirectionRates::default(),
        write: DirectionRates::default(),
        operations: Operations::default(),
        times: Times::default(),
        write_cache: None,
        detail,
    }
}
