//! Where a database workload is narrow, and how that is known: demands × capacities → verdicts.
//!
//! The law is the operational analysis of closed systems (Denning and Buzen, "The Operational Analysis of
//! Queueing Network Models", ACM Computing Surveys 10(3), 1978): no rate exceeds the capacity of a resource over
//! the demand for it, nor the sessions over the time one operation takes. The lowest bound names the narrow
//! place; a sum that fails to reproduce the measured rate, two bounds that can't be told apart, or a resource
//! that gave more than its capacity leave the verdict open. The law proposes, an intervention disposes:
//! [`propose`] picks the change whose outcome tells the verdict from its rival, the database layer makes it, and
//! [`judge`] reads what happened. The book's page `methods/verdict.md` does one by hand.
//!
//! Pure: everything is derived from the run file, so a newer version can judge an old run again. Not here:
//! measuring, validity (a suspect measurement gives an OPEN verdict, an invalid one none), words for the screen
//! beyond one phrase.

#![forbid(unsafe_code)]

mod analysis;
mod asked;
mod bound;
mod capacity;
pub mod compare;
mod demand;
mod estimate;
mod file_sharing;
mod grade;
mod intervention;
mod judge;
mod live;
mod log;
mod narrow;
mod observed;
mod phrase;
mod prediction;
mod processors;
mod scaling;
mod session;
mod sharing;
mod starts;
mod test;
pub mod threshold;
mod what_if;

pub use asked::{PerOperation, Refused, TimePart, per_operation};
pub use estimate::Estimate;
pub use file_sharing::file_sharing;
pub use intervention::{Intervention, fewer_cpus};
pub use judge::{judge, propose};
pub use live::live;
pub use scaling::scalings;
pub use starts::starts;
pub use what_if::{Amount, LogChange, Scenario, WhatIfError, what_if};

/// The database workloads that get a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Workload {
    /// Point lookups from the buffer pool.
    LookupCached,
    /// Point lookups whose blocks come from the drives.
    LookupUncached,
    /// Blocks by the server's bitmap, many at a time.
    Batch,
    /// Durable single-row updates, or a mix of them and lookups.
    Update,
    /// Durable commits of nothing else.
    Commit,
    /// The order-entry mix; an operation is one of its transactions.
    Orders,
    /// A scan by one process.
    ScanOne,
    /// A scan by parallel workers.
    ScanMany,
    /// The transactions of somebody's server, which was only looked at.
    Observed,
}

impl Workload {
    /// Every workload, in the order of the screen.
    pub const ALL: [Workload; 9] = [
        Workload::LookupCached,
        Workload::LookupUncached,
        Workload::Batch,
        Workload::Update,
        Workload::Commit,
        Workload::Orders,
        Workload::ScanOne,
        Workload::ScanMany,
        Workload::Observed,
    ];

    /// The id of its measurement.
    pub fn measurement_id(self) -> &'static str {
        match self {
            Workload::LookupCached => "database.lookup_cached",
            Workload::LookupUncached => "database.lookup_uncached",
            Workload::Batch => "database.batch",
            Workload::Update => "database.update",
            Workload::Commit => "database.commit",
            Workload::Orders => narrows_model::orders::ID,
            Workload::ScanOne => "database.scan_1",
            Workload::ScanMany => "database.scan_n",
            Workload::Observed => "database.observed",
        }
    }

    /// The word in a verdict; the two scans differ by their workers.
    pub fn word(self) -> &'static str {
        match self {
            Workload::LookupCached => "lookup_cached",
            Workload::LookupUncached => "lookup_uncached",
            Workload::Batch => "batch",
            Workload::Update => "update",
            Workload::Commit => "commit",
            Workload::Orders => "orders",
            Workload::ScanOne | Workload::ScanMany => "scan",
            Workload::Observed => "observed",
        }
    }

    /// Whether an operation is a scan of the whole table.
    pub fn is_scan(self) -> bool {
        matches!(self, Workload::ScanOne | Workload::ScanMany)
    }

    /// The workload measured under that id.
    pub fn from_measurement_id(id: &str) -> Option<Workload> {
        Workload::ALL.into_iter().find(|workload| workload.measurement_id() == id)
    }
}
