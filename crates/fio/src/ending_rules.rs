//! When a job begins and ends by others and by what it does.

use narrows_units::Nanos;

use crate::job::{Counted, PerDirection};

/// A rate that a clone must reach in every cycle, or it ends with an error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MinimumRate {
    /// How much per second; `None` for a kind of which none is asked.
    pub per_second: PerDirection<Option<u64>>,
    /// Whether operations or bytes are counted.
    pub counted: Counted,
    /// Over which time.
    pub cycle: Nanos,
}

/// A figure that ends the job when it has become steady.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Steady {
    /// Which.
    pub value: SteadyValue,
    /// The slope per interval; else the largest deviation from the mean.
    pub slope: bool,
    /// Whether the limit is per cent of the mean; else it is in the figure's unit (bytes per second, ns).
    pub percent: bool,
    /// Below that it is steady.
    pub limit: f64,
    /// Of the window that is looked at.
    pub duration: Nanos,
    /// Between two looks.
    pub interval: Nanos,
    /// Nothing before counts.
    pub lead_in: Nanos,
}

/// What becomes steady.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SteadyValue {
    /// Operations per second.
    Iops,
    /// Bytes per second.
    Bandwidth,
    /// Mean latency.
    Latency,
}

impl Steady {
    /// Intervals of the window.
    pub fn intervals(&self) -> u64 {
        self.duration.0 / self.interval.0.max(1)
    }

    /// In fio's words, with `limit` or another number of its unit: `iops_slope:1.000000%`.
    pub fn word(&self) -> String {
        let value = match self.value {
            SteadyValue::Iops => "iops",
            SteadyValue::Bandwidth => "bw",
            SteadyValue::Latency => "lat",
        };
        let slope = if self.slope { "_slope" } else { "" };
        format!("{value}{slope}:{:.6}{}", self.limit, self.unit())
    }

    /// `%` where the limit is a share.
    pub fn unit(&self) -> &'static str {
        if self.percent { "%" } else { "" }
    }
}

/// The depth that is searched: the highest at which so many operations take no longer than the target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LatencyTarget {
    /// No longer than this.
    pub target: Nanos,
    /// Time that each depth is held.
    pub window: Nanos,
    /// The share of operations that must keep it, in per cent.
    pub percent: f64,
    /// The search goes on until the job ends.
    pub goes_on: bool,
}
