//! Thresholds that the division of a fabric's latency, its checks and its report share.

/// Storage that answers sooner is memory, ns: no drive is so fast.
pub const MEMORY_NS: f64 = 1000.0;
/// A division that is cut short is kept from so many rounds on: the fewest of which the median has an interval without a model.
pub const LEAST_ROUNDS: u32 = 6;
/// Parts may miss the whole by so much, as a share of it, before it is said.
pub const EXPLAINED_SHARE: f64 = 0.05;
