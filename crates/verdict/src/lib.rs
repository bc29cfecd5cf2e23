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
//! measuring, validity (a suspect measurement gives an UNDECIDED verdict, an invalid one none), words for the screen
//! beyond one phrase.

#![forbid(unsafe_code)]

mod analysis;
mod asked;
mod bound;
mod capacity;
mod choice;
mod demand;
mod estimate;
mod file_sharing;
mod grade;
mod intervention;
mod judge;
mod live;
mod lock_holders;
mod log;
mod observed;
mod phrase;
pub mod placement;
mod prediction;
mod processors;
mod scaling;
mod session;
mod sharing;
mod starts;
mod test;
pub mod threshold;
mod what_if;
mod windows;

pub use asked::{PerOperation, Refused, TimePart, per_operation};
pub use estimate::Estimate;
pub use file_sharing::file_sharing;
pub use intervention::{Intervention, fewer_cpus};
pub use judge::{MOST_TESTS, judge, mix_to_measure, propose};
pub use live::{live, live_in};
pub use narrows_model::Workload;
pub use scaling::scalings;
pub use starts::starts;
pub use what_if::{Amount, LogChange, Scenario, WhatIfError, what_if};
