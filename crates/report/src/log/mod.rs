//! What a run of the commit log says: in short, the ladder step by step, sessions that share flushes, several logs on one device.
//!
//! Nothing is judged here; increments, their intervals and the law beside the measurement are in the run file.

mod commits;
mod ladder;
mod proof;
mod sharing;
mod short;
mod streams;
mod tier;

pub use commits::CommitsRow;
pub(crate) use commits::rows as commits_rows;
pub use ladder::{StepFigures, StepRow, TierGain};
pub(crate) use ladder::{rows as ladder_rows, signed};
pub(crate) use proof::{held, measured_over_predicted};
pub use sharing::SharingPoint;
pub(crate) use sharing::sharing;
pub(crate) use short::{LogResults, short};
pub(crate) use streams::streams;
pub use streams::{Streams, StreamsRow};
pub(crate) use tier::tiers;
