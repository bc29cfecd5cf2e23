//! A device that fails as planned, around any other: what layers and rules are tested with. The command has no way to
//! it.
//!
//! The plan is data: which operations, and what happens to them. With [`crate::NullPath`] below and a delay for every
//! operation it is a device with a known law; with a real file below, the data are real and the faults are not.
//! Delays need a clock, which can be one of the test's own.

mod clock;
mod path;
mod plan;

pub use clock::{Clock, Monotonic};
pub use path::FaultPath;
pub use plan::{Effect, Fault, When};
