//! A description as it stands in its file.

use serde::Deserialize;
use serde::de::IgnoredAny;
use toml::Spanned;

/// Text, a name or a quantity with its unit, and where it stands.
pub(crate) type Text = Spanned<String>;
/// A whole number and where it stands. Signed, so that a negative one is refused in our words.
pub(crate) type Whole = Spanned<i64>;

/// A whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Document {
    pub name: Text,
    pub note: Option<String>,
    pub currency: Option<Text>,
    #[serde(default)]
    pub machine: Vec<Spanned<MachineEntry>>,
    #[serde(default)]
    pub switch: Vec<Spanned<SwitchEntry>>,
    #[serde(default)]
    pub drives: Vec<Spanned<DrivesEntry>>,
    #[serde(default)]
    pub array: Vec<Spanned<ArrayEntry>>,
    #[serde(default)]
    pub adapter: Vec<Spanned<AdapterEntry>>,
    #[serde(default)]
    pub link: Vec<Spanned<LinkEntry>>,
    #[serde(default)]
    pub database: Vec<Spanned<DatabaseEntry>>,
    /// What it costs, which `narrows cost` reads.
    #[serde(rename = "cost")]
    pub _cost: Option<IgnoredAny>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MachineEntry {
    pub name: Text,
    pub cpu: Option<Text>,
    pub sockets: Option<Whole>,
    pub cores: Option<Whole>,
    pub lanes: Option<Whole>,
    pub memory: Option<Text>,
    pub channels: Option<Whole>,
    pub memory_bandwidth: Option<Text>,
    pub memory_latency: Option<Text>,
    pub far_memory_latency: Option<Text>,
    pub lines_per_core: Option<Whole>,
    pub pages: Option<Text>,
    pub distances: Option<Spanned<Vec<Spanned<Vec<i64>>>>>,
    pub interconnect: Option<Text>,
    pub interconnect_links: Option<Whole>,
    pub core_ratio: Option<Spanned<f64>>,
    pub source: Option<Text>,
    pub price: Option<Spanned<f64>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SwitchEntry {
    pub name: Text,
    /// The machine or switch above it; absent for a switch of the network.
    pub at: Option<Text>,
    /// The link to what is above it.
    pub class: Option<Text>,
    pub bandwidth: Option<Text>,
    pub source: Option<Text>,
    pub price: Option<Spanned<f64>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DrivesEntry {
    pub name: Text,
    pub at: Text,
    pub class: Option<Text>,
    pub count: Option<Whole>,
    pub media: Option<Text>,
    pub read: Option<Text>,
    pub write: Option<Text>,
    pub reads: Option<Text>,
    pub writes: Option<Text>,
    pub read_latency: Option<Text>,
    pub write_latency: Option<Text>,
    pub spinning: Option<bool>,
    pub source: Option<Text>,
    pub price: Option<Spanned<f64>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ArrayEntry {
    pub name: Text,
    pub level: Text,
    pub drives: Spanned<Vec<Text>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AdapterEntry {
    pub name: Text,
    pub at: Text,
    pub slot: Text,
    pub price: Option<Spanned<f64>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LinkEntry {
    pub name: Option<Text>,
    pub from: Text,
    pub to: Text,
    pub class: Option<Text>,
    pub count: Option<Whole>,
    pub bandwidth: Option<Text>,
    pub protocol: Option<Text>,
    pub queues: Option<Whole>,
    pub latency: Option<Text>,
    pub source: Option<Text>,
    pub price: Option<Spanned<f64>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DatabaseEntry {
    pub name: Option<Text>,
    pub at: Text,
    pub data: Text,
    pub wal: Option<Text>,
    pub in_flight: Option<Whole>,
    pub workers: Option<Whole>,
    pub copies: Option<Whole>,
    pub cpu_per_read: Option<Text>,
    pub cpu_per_write: Option<Text>,
    pub scan_per_core: Option<Text>,
    pub source: Option<Text>,
}
