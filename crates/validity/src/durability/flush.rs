//! What a flush costs. It tells little: a drive without a volatile cache is fast and honest, a slow one may still lie.

use narrows_model::DurabilityEvidence;
use narrows_units::Nanos;

use super::open;

/// What a durable write took beside a plain one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlushCost {
    /// Median of a small durable write, ns.
    pub durable_ns: f64,
    /// Median of the same write to the device without a flush, ns.
    pub plain_ns: Option<f64>,
    /// Flushes that the device counted for each durable write.
    pub device_flushes: Option<f64>,
}

/// Most drives need longer to answer at all, ns.
const SHORTEST_ANSWER_NS: f64 = 10_000.0;

pub(super) fn evidence(cost: &FlushCost) -> DurabilityEvidence {
    let nanos = |ns: f64| Nanos(ns.round() as u64);
    let beside = match cost.plain_ns {
        Some(plain) => format!(", {} without a flush", nanos(plain)),
        None => String::new(),
    };
    let counted = match cost.device_flushes {
        Some(flushes) if flushes <= 0.0 => ", and the device counted no flush",
        _ => "",
    };
    let doubt = if cost.durable_ns < SHORTEST_ANSWER_NS {
        "less than most drives need to answer: right for caches with power-loss protection and persistent memory, and also what a flush that does nothing looks like"
    } else {
        "time spent proves nothing about where the data is"
    };
    let durable = nanos(cost.durable_ns);
    open("flush cost", format!("a durable write takes {durable}{beside}{counted}; {doubt}"))
}
