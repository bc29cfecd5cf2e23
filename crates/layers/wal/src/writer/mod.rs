//! Emulation of a log writer: commits arrive, flushes are shared, and both sides of it are timed.
//!
//! [`queue`] is the state without threads or time; [`log`] puts threads and a real flush to it; [`drive`] lets commits arrive,
//! from sessions in a closed loop or by a schedule; [`account`] says what a window showed, in the words of Oracle (*log file
//! sync* against *log file parallel write*) and PostgreSQL (commits per flush); [`law`] is what it should have been.

pub(crate) mod account;
pub(crate) mod calibrate;

pub(crate) mod drive;
mod law;
pub(crate) mod log;
#[cfg(test)]
mod log_test;
mod queue;
pub(crate) mod sizes;
#[cfg(test)]
mod virtual_time;
mod work;
mod working;

pub use calibrate::{CommitPlan, CommitRate, commit_rate, planned_commits};
pub use law::{Law, closed_law, open_law};
pub use log::{CommitLog, Delay, Flushed, Flusher, Style};
pub use queue::{Batch, Queue};
pub use sizes::{CommitSizes, SizesError};
pub use work::Work;
