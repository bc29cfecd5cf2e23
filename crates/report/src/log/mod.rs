//! What a run of the commit log says: the ladder, rung by rung, and sessions that share flushes.
//!
//! Nothing is judged here; increments, their intervals and the law beside the measurement are in the run file.

mod commits;
mod ladder;

pub use commits::CommitsRow;
pub(crate) use commits::rows as commits_rows;
pub(crate) use ladder::rows as ladder_rows;
pub use ladder::{RungFigures, RungRow};
