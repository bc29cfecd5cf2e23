//! A forecast: the table of off and on, what stops the gain, what is unknown, and every line that it rests on.

use narrows_cost::CostLine;
use serde::Serialize;

use crate::lines;
use crate::pool_reads::PoolReads;

/// Which product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Durable writes, acknowledged from a faster medium.
    Log,
    /// Reads.
    ReadCache,
}

/// What a row counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Operations per second.
    PerS,
    /// Microseconds.
    Us,
    /// Bytes per second.
    BytesPerS,
}

/// Which way is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// Rates.
    More,
    /// Times.
    Less,
}

/// One row of the table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OffOn {
    /// What it is.
    pub name: String,
    /// What it counts.
    pub unit: Unit,
    /// Which way is better.
    pub better: Better,
    /// Without the tier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub off: Option<f64>,
    /// With it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<f64>,
    /// With it, at least.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_low: Option<f64>,
    /// With it, at most; absent where nothing bounds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_high: Option<f64>,
    /// Under which condition `on` is what it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
}

impl OffOn {
    /// How many times better: on over off for rates, off over on for times.
    pub fn times(&self) -> Option<f64> {
        let (off, on) = (self.off?, self.on?);
        let (less, more) = match self.better {
            Better::More => (off, on),
            Better::Less => (on, off),
        };
        (less > 0.0 && more > 0.0).then(|| more / less)
    }
}

/// A part of an operation's time with the tier.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Share {
    /// Which.
    pub name: String,
    /// µs.
    pub us: f64,
    /// Of all of it.
    pub share: f64,
}

/// What stops the gain.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GainLimit {
    /// The lowest known limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    /// What it allows, operations per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_s: Option<f64>,
    /// What it allows over the rate of now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times_at_most: Option<f64>,
    /// Whether the forecast is at it.
    pub reached: bool,
    /// The same for people.
    pub sentence: String,
}

/// A figure that is not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unknown {
    /// Its name.
    pub what: String,
    /// What it would give.
    pub gives: String,
    /// How to give it.
    pub hint: String,
}

/// The answer for one tier.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Forecast {
    /// Which product.
    pub tier: Tier,
    /// Where the figures of now come from.
    pub from: String,
    /// Off and on.
    pub rows: Vec<OffOn>,
    /// What stops the gain.
    pub next: GainLimit,
    /// Where an operation's time goes with the tier; empty where that is not known.
    pub time: Vec<Share>,
    /// Whether writing behind keeps up; empty for a read cache.
    pub destaging: Vec<String>,
    /// The reads by relation, of a read cache for which the server's buffer pool was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pool: Option<PoolReads>,
    /// What is not known.
    pub unknown: Vec<Unknown>,
    /// What it rests on and can't show.
    pub doubts: Vec<String>,
    /// All lines, each computed from those above it.
    pub lines: Vec<CostLine>,
}

impl Forecast {
    /// The value of the line with that key; `None` where it is unknown too.
    pub fn value(&self, key: &str) -> Option<f64> {
        lines::value(&self.lines, key)
    }

    /// The row of the rate.
    pub fn rate(&self) -> Option<&OffOn> {
        self.rows.iter().find(|row| row.unit == Unit::PerS)
    }

    /// Whether it says what the rate would be.
    pub fn answers(&self) -> bool {
        self.rate().is_some_and(|rate| rate.on.is_some())
    }
}
