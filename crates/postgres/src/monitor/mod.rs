//! The monitor of somebody's server: a connection that can't write and doesn't wait, the counters that this version has, the
//! samples of what processes do, and the loop that asks for both.
//!
//! Not here: what is asked beside that, and what follows from the answers ([`crate::live`] for the log, [`crate::observe`] for all of it).

pub(crate) mod catalog;
pub(crate) mod counters;
pub(crate) mod error;
#[cfg(test)]
pub(crate) mod fake;
pub(crate) mod lock_queue;
mod own_reports;
pub(crate) mod pace;
pub(crate) mod poll_loop;
pub(crate) mod samples;
pub(crate) mod server;
pub(crate) mod session;
pub(crate) mod sources;
pub(crate) mod statement_log;
pub(crate) mod windows;
