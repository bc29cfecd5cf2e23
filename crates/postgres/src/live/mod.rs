//! The commit log of a running server, observed and not touched: its own counters over an interval, and what its
//! processes were found waiting for.
//!
//! Goals: nothing is changed or written; every figure comes from a column that the server's catalog was asked for, so
//! that no version is assumed; what a role may not see is named and the rest goes on; looking costs a percent of one
//! processor at most, and the cost is measured. Not here: what follows from it (the verdict), or any load.
//!
//! Source: PostgreSQL documentation 13 to 18, "The Cumulative Statistics System", "System Views".

mod cpus;
mod figures;
mod monitor;
mod server;
mod standby;
mod waits;

pub use crate::monitor::error::MonitorError;
pub use monitor::{Monitor, Observed};

/// Id of the measurement that holds the figures by windows.
pub const MEASUREMENT: &str = "log.live";
