//! The memory layer: what a dependent load costs on small and on large pages, near and far, by footprint and beside others'
//! loads, how fast a core and a node can read, write and copy, and what the CPUs of one core do together.
//!
//! Latency and bandwidth are different numbers and neither follows from the other; both are measured on pages
//! whose size and node were verified, by threads that stay where they were put. What could not be obtained is
//! absent, with the reason beside it, never measured under another name.
//!
//! Not here: any setting of the machine: no huge page is reserved and no prefetcher switched.
//!
//! Methods: one random cycle over cache lines (`cycle.rs`); vector loads and stores (`kernel/`) in one common window.
//! What `narrows run` wants to know is in `brief.rs`, all of it in `study.rs`.

mod access_path;
pub mod age;
mod bandwidth;
mod buffers;
mod chase;
mod curve;
mod cycle;
mod error;
mod full_suite;
mod kernel;
mod latency;
mod loaded;
mod lookup;
mod mapping;
pub mod matrix;
mod mix;
pub mod peers;
mod placement;
pub mod pool;
mod shape;
mod siblings;
mod sizing;
pub mod slb;
mod smaps;
mod smt;
mod spread;
mod summary_suite;
mod thread_group;
pub mod touch;
mod traffic;
mod translation;
mod walker;

pub use access_path::spread;
pub use error::MemoryError;
pub use full_suite::{matrix_alone, matrix_planned, study, study_planned};
pub use mapping::base_page_bytes;
pub use matrix::Extent;
pub use sizing::{Sizing, TooLittle, last_level_bytes, room};
pub use summary_suite::{measure, planned};

use narrows_engine::Samples;
use narrows_model::{Conditions, Measurement, Unknown, metric};
use narrows_observe::HostWindow;
use narrows_units::Nanos;
use serde_json::json;

use crate::mapping::MapError;

/// What was measured, and what could not be.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measured {
    /// The measurements.
    pub measurements: Vec<Measurement>,
    /// Ids that are absent, with the reason and what would help.
    pub absent: Vec<Unknown>,
}

impl Measured {
    /// It could not be had: other pages are a matter of the machine and its settings, and anything else was meant to be there.
    fn leave_out(&mut self, id: String, refused: &MapError) {
        match refused {
            MapError::NotGib { .. } => self.cannot(
                id,
                refused,
                "a pool of 1 GiB pages with room (hugepagesz=1G hugepages=N on the kernel's command line)",
            ),
            MapError::NotHuge { .. } => self.cannot(
                id,
                refused,
                "transparent huge pages (`madvise` or `always`), or a pool of huge pages with room for the footprint",
            ),
            MapError::OtherBase { .. } => self.cannot(id, refused, "a kernel with pages of 4 KiB"),
            MapError::Unverified => self.cannot(id, refused, "the right to call move_pages"),
            other => self.absent.push(Unknown::not_made(&id, &other.to_string())),
        }
    }

    /// This machine or its settings don't have it.
    fn cannot(&mut self, id: String, why: impl std::fmt::Display, needs: &str) {
        self.absent.push(Unknown { what: format!("{id}: {why}"), needs: needs.to_string() });
    }
}

/// Of what touches so many bytes over and over.
fn add_sizing(conditions: &mut Conditions, sizing: &Sizing, footprint_bytes: u64) {
    if let Some(times) = sizing.times_cache(footprint_bytes) {
        conditions.insert(narrows_model::condition::FOOTPRINT_OVER_LLC, json!(times));
    }
    if let Some(bytes) = sizing.cache_bytes {
        conditions.insert(narrows_model::condition::LLC_BYTES, json!(bytes));
    }
    if let Some(bytes) = sizing.memory_cache_bytes {
        conditions.insert(narrows_model::condition::MEMORY_CACHE_BYTES, json!(bytes));
    }
    if let Some(what) = sizing.limited_by {
        conditions.insert(narrows_model::condition::FOOTPRINT_LIMITED_BY, json!(what));
        conditions
            .insert(narrows_model::condition::FOOTPRINT_WANTED_BYTES, json!(sizing.wanted_bytes));
    }
}

/// What was seen of the machine, and for how long.
fn add_seen(samples: &mut Samples, seen: &HostWindow) {
    samples.add(metric::WINDOW, seen.window.0 as f64);
    samples.extend(seen.metrics());
}

fn add_sentinel(samples: &mut Samples, before: Nanos, after: Nanos) {
    let drift = after.0 as f64 / before.0 as f64 - 1.0;
    samples.add(metric::SENTINEL_DRIFT, drift);
}

#[cfg(test)]
mod tests;
