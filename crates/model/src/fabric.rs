//! Thresholds that the division of a fabric's latency, its checks and its report share.

/// Storage that answers sooner is memory, ns: no drive is so fast.
pub const MEMORY_NS: f64 = 1000.0;
/// Parts may miss the whole by so much, as a share of it, before it is said.
pub const EXPLAINED_SHARE: f64 = 0.05;
