//! What to drive, and why it may end without a result.

use std::io;
use std::time::Duration;

use narrows_engine::Stopped;

use super::program::Programs;
use crate::kind::{KindError, Sessions};

/// What to drive.
#[derive(Clone, Copy)]
pub struct LoadPlan<'a> {
    /// Where its sessions come from.
    pub server: &'a dyn Sessions,
    /// Run-time settings of every session, `name = value`.
    pub settings: &'a [String],
    /// What the sessions do.
    pub programs: &'a dyn Programs,
    /// Sessions in all.
    pub sessions: u32,
    /// Processors for the client's threads; one thread on each, not more threads than sessions.
    pub cpus: &'a [u32],
    /// Operations per second in an open loop; `None` is a closed loop.
    pub open_rate_per_s: Option<f64>,
    /// Unmeasured start of the load.
    pub warm_up: Duration,
    /// The window.
    pub window: Duration,
    /// Seed.
    pub seed: u64,
}

/// Why a load ended without a result.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// Connecting, preparing or the connection itself.
    #[error(transparent)]
    Kind(#[from] KindError),
    /// The connection broke while a step was sent.
    #[error("the connection broke: {0}")]
    Send(io::Error),
    /// The last answers didn't come.
    #[error(
        "the server has not answered for {} s after the end of the load\nhint: look at its log for what it does or waits for",
        .0.as_secs()
    )]
    Silent(Duration),
    /// On request.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A thread couldn't be set up.
    #[error("the load's thread could not be set up: {0}")]
    Thread(io::Error),
    /// A program drew an operation, or went on with one, and wrote no statement.
    #[error(
        "an operation of the load has a step without a statement, which no server would answer"
    )]
    NothingToSend,
}
