//! How hard a stream pushes.

use narrows_engine::Arrivals;

/// How hard a stream pushes, all threads together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Load {
    /// So many operations in flight at all times: the next one starts when one ends. Its percentiles describe this depth,
    /// not a rate.
    Closed {
        /// Operations in flight.
        depth: u32,
    },
    /// Operations start when they are due, whatever became of those before them; latency counts from that time.
    Open {
        /// Operations per second.
        rate_per_s: f64,
        /// How they arrive.
        arrivals: Arrivals,
        /// Cap on operations in flight: those due beyond it wait, and waiting is latency.
        most_in_flight: u32,
    },
}

impl Load {
    /// Most operations in flight.
    pub fn in_flight(&self) -> u32 {
        match self {
            Load::Closed { depth } => *depth,
            Load::Open { most_in_flight, .. } => *most_in_flight,
        }
    }

    /// Whether operations start when they are due.
    pub fn is_open(&self) -> bool {
        matches!(self, Load::Open { .. })
    }

    /// `closed` or `open`.
    pub fn word(&self) -> &'static str {
        match self {
            Load::Closed { .. } => "closed",
            Load::Open { .. } => "open",
        }
    }

    pub(super) fn reason(&self) -> Option<&'static str> {
        match self {
            Load::Closed { depth: 0 } => Some("it keeps nothing in flight"),
            Load::Open { most_in_flight: 0, .. } => Some("its cap allows nothing in flight"),
            Load::Open { rate_per_s, .. } if !(rate_per_s.is_finite() && *rate_per_s > 0.0) => {
                Some("its rate is not a positive number")
            }
            Load::Closed { .. } | Load::Open { .. } => None,
        }
    }
}
