//! Results in fio's JSON layout (`json` and `json+`), so that what reads fio's files reads ours.
//!
//! The layout is fio's, the numbers are not: `fio version` says so. Quantities that narrows doesn't have are absent where
//! fio itself leaves keys out at times, and zero where every reader expects the key; the doc of each field of
//! [`JobResult`] says which. Keys and units are those of fio's `stat.c`, checked against real output by a test.

mod bins;
mod document;
mod latency;
mod result;

pub use bins::{bin_index, bin_value_ns};
pub use document::{Layout, document};
pub use result::{
    Device, DirectionResult, JobResult, Latencies, PriorityResult, RunResult, Sampled, Search,
    Steadiness, Syncs,
};
