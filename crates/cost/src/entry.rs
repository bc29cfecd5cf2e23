//! The costs of a platform as they stand in its description: the table `[cost]` and what is below it.

use serde::Deserialize;
use toml::Spanned;

pub(crate) type Text = Spanned<String>;

/// A figure as people write it: a number, a range `"12000 to 18000"`, or `"unknown"`.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum Written {
    Whole(i64),
    Real(f64),
    Text(String),
}

pub(crate) type Figure = Spanned<Written>;

/// What of a description's file is read here; its other tables are those of `narrows plan`.
#[derive(Debug, Deserialize)]
pub(crate) struct Document {
    pub name: Text,
    pub currency: Option<Text>,
    pub note: Option<Text>,
    pub cost: Option<CostEntry>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CostEntry {
    pub years: Option<Figure>,
    pub server: Option<ServerEntry>,
    #[serde(default)]
    pub item: Vec<Spanned<ItemEntry>>,
    #[serde(default)]
    pub licence: Vec<Spanned<LicenceEntry>>,
    pub power: Option<Spanned<PowerEntry>>,
    pub work: Option<Spanned<WorkEntry>>,
    #[serde(default)]
    pub saved: Vec<Spanned<SavedEntry>>,
    pub cache: Option<Spanned<CacheEntry>>,
    pub scaling: Option<Spanned<ScalingEntry>>,
    #[serde(default)]
    pub outage: Vec<Spanned<OutageEntry>>,
    /// What a minute without service costs.
    pub outage_minute: Option<Figure>,
    pub outage_minute_source: Option<Text>,
}

/// What is counted for licences and shares; what is absent comes from the machines that are described.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServerEntry {
    pub servers: Option<Figure>,
    pub cores: Option<Figure>,
    pub sockets: Option<Figure>,
    pub vcpus: Option<Figure>,
    pub threads_per_core: Option<Figure>,
    pub memory: Option<Text>,
    pub drives: Option<Figure>,
    pub ghz: Option<Figure>,
    /// Work of one core over that of a core where a run measured.
    pub core_ratio: Option<Figure>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ItemEntry {
    pub name: Text,
    /// The id of a published figure, in place of price, per, date and source.
    pub figure: Option<Text>,
    pub price: Option<Figure>,
    pub count: Option<Figure>,
    pub per: Option<Text>,
    pub date: Option<Text>,
    pub source: Option<Text>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LicenceEntry {
    pub rule: Text,
    /// Licensed things, where not all of the servers' count: a hard partition, an option on fewer cores.
    pub counted: Option<Figure>,
    pub price: Option<Figure>,
    pub discount: Option<Text>,
    pub support: Option<Text>,
    pub date: Option<Text>,
    pub source: Option<Text>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PowerEntry {
    pub watts: Figure,
    pub price_per_kwh: Option<Figure>,
    /// Ids of published figures.
    pub price_figure: Option<Text>,
    pub pue_figure: Option<Text>,
    pub pue: Option<Figure>,
    pub date: Option<Text>,
    pub source: Option<Text>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorkEntry {
    pub name: Text,
    pub rate: Text,
    /// CPU time of the server for one operation.
    pub cpu: Option<Text>,
    pub source: Option<Text>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SavedEntry {
    pub name: Text,
    /// A share of the CPU time that is no work, or CPU time of one operation.
    pub from: Option<Text>,
    pub to: Option<Text>,
    /// The share of all CPU time that is missing after, and the share of work that is done more then.
    pub less: Option<Text>,
    pub more_work: Option<Text>,
    /// How busy the cores are, where the two are shares.
    pub busy: Option<Text>,
    /// Operations per second, where the two are times.
    pub rate: Option<Text>,
    pub source: Option<Text>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CacheEntry {
    pub page: Text,
    pub memory_price: Option<Figure>,
    pub memory_size: Text,
    pub drive_price: Option<Figure>,
    pub drive_reads: Text,
    /// CPU time of a read that the cache would have spared.
    pub cpu_per_read: Option<Text>,
    /// What a core costs; without it the licence money of one.
    pub core_price: Option<Figure>,
    pub date: Option<Text>,
    pub source: Option<Text>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScalingEntry {
    pub name: Text,
    /// The unit of time of the rates: s, min or h.
    pub per: Option<Text>,
    /// `[[servers, rate], …]`, measured.
    pub points: Spanned<Vec<[f64; 2]>>,
    /// How many servers the option has.
    pub servers: Figure,
    pub source: Option<Text>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OutageEntry {
    pub name: Text,
    pub per_year: Figure,
    pub detection: Option<Text>,
    pub failover: Option<Text>,
    /// Until service is back after that, where no log says it.
    pub recovery: Option<Text>,
    /// Log to be applied, and how fast that goes.
    pub redo: Option<Text>,
    pub redo_rate: Option<Text>,
    /// What has to be read before the cache is warm again, and how fast that goes.
    pub warm: Option<Text>,
    pub warm_rate: Option<Text>,
    /// `[[GB, share of misses], …]`, instead of warm and cold_loss.
    pub miss_curve: Option<Spanned<Vec<[f64; 2]>>>,
    /// Throughput that is missing while the cache is cold, and while the event lasts.
    pub cold_loss: Option<Text>,
    pub loss: Option<Text>,
    pub source: Option<Text>,
}
