//! What every look at somebody's server shares: a connection that can't write and doesn't wait, the columns that this
//! version has, the windows of an interval, and how often to ask.
//!
//! Not here: what is asked, and what follows from the answers ([`crate::live`] for the log, [`crate::observe`] for all of it).

pub(crate) mod catalog;
pub(crate) mod error;
#[cfg(test)]
pub(crate) mod fake;
pub(crate) mod server;
pub(crate) mod watcher;
pub(crate) mod windows;
