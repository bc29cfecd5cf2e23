//! The tables as they stand in a file.

use serde::Deserialize;
use toml::Spanned;

use super::class::{Duplex, Family};
use super::encoding::Encoding;
use super::figure::Grade;
use super::normal::Measured;
use super::raid::Layout;

/// A quantity with its unit, and where it stands.
pub(super) type Quantity = Spanned<String>;

/// A whole file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Document {
    pub unbalanced: Option<UnbalancedEntry>,
    pub link: Vec<Spanned<LinkEntry>>,
    pub class: Vec<Spanned<ClassEntry>>,
    pub raid: Vec<Spanned<RaidEntry>>,
    pub cpu: Vec<Spanned<CpuEntry>>,
    pub normal: Vec<Spanned<NormalEntry>>,
}

/// What unevenly populated channels lose.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UnbalancedEntry {
    pub loss: Quantity,
    pub source: Spanned<String>,
    pub grade: Grade,
}

/// A source and what it is worth.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cited<'a> {
    pub source: &'a Spanned<String>,
    pub grade: Grade,
}

/// A link by its parts; several widths and frame sizes make several classes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LinkEntry {
    /// With several widths, `{lanes}` stands for the width.
    pub id: Spanned<String>,
    pub title: Spanned<String>,
    pub family: Family,
    pub signal: Quantity,
    pub lanes: Spanned<Vec<u32>>,
    pub encoding: Spanned<Encoding>,
    pub framing: Spanned<FramingName>,
    /// Bytes; the first one's class has the plain name, others have it appended.
    pub mtu: Option<Spanned<Vec<u32>>>,
    #[serde(default = "full")]
    pub duplex: Duplex,
    pub source: Spanned<String>,
    pub grade: Grade,
    pub expected: Option<Spanned<ExpectedEntry>>,
}

fn full() -> Duplex {
    Duplex::Full
}

/// How payload is wrapped, without frame size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum FramingName {
    None,
    Pcie,
    Nvme,
    PcieFlit,
    NvmeFlit,
    Cxl,
    Tcp,
    Roce,
    Infiniband,
    FibreChannel,
    Ssp,
    Fis,
}

/// Shares of the ceiling that good systems reach.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExpectedEntry {
    pub read: Option<Quantity>,
    pub write: Option<Quantity>,
    pub source: Spanned<String>,
    pub grade: Grade,
}

/// Figures by hand: a class of its own, or what is to be put over one that is there.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClassEntry {
    pub id: Spanned<String>,
    pub title: Option<Spanned<String>>,
    pub family: Option<Family>,
    pub duplex: Option<Duplex>,
    pub source: Spanned<String>,
    pub grade: Grade,
    #[serde(default)]
    pub read: WayEntry,
    #[serde(default)]
    pub write: WayEntry,
    #[serde(default)]
    pub operations: BothEntry,
    #[serde(default)]
    pub times: TimesEntry,
    pub write_cache: Option<CacheEntry>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct WayEntry {
    pub raw: Option<Quantity>,
    pub encoded: Option<Quantity>,
    pub protocol: Option<Quantity>,
    pub expected: Option<Quantity>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct BothEntry {
    pub read: Option<Quantity>,
    pub write: Option<Quantity>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct TimesEntry {
    pub read: Option<Quantity>,
    pub durable_write: Option<Quantity>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CacheEntry {
    pub bytes: Quantity,
    pub write_after: Quantity,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RaidEntry {
    pub id: Spanned<String>,
    pub title: Spanned<String>,
    pub layout: Layout,
    pub members_min: Spanned<u32>,
    pub source: Spanned<String>,
    pub grade: Grade,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CpuEntry {
    pub id: Spanned<String>,
    pub title: Spanned<String>,
    #[serde(default)]
    pub identity: Vec<IdentityEntry>,
    pub memory_channels: Spanned<u32>,
    pub memory: Spanned<String>,
    pub memory_two_modules: Option<Spanned<String>>,
    pub lanes: Spanned<u32>,
    pub lanes_of_two: Option<Spanned<[u32; 2]>>,
    pub pcie_generation: Spanned<u32>,
    pub socket_link: Option<Spanned<String>>,
    pub socket_links: Option<Spanned<[u32; 2]>>,
    pub source: Spanned<String>,
    pub grade: Grade,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct IdentityEntry {
    pub vendor: Spanned<String>,
    pub family: u32,
    pub models: Spanned<[u32; 2]>,
    pub steppings: Option<Spanned<[u32; 2]>>,
    #[serde(default)]
    pub names: Vec<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NormalEntry {
    pub of: Spanned<String>,
    pub what: Measured,
    pub value: Quantity,
    pub source: Spanned<String>,
    pub grade: Grade,
}
