//! fio's job files, read as fio reads them, and its JSON layout, written so that tools made for fio understand it.
//!
//! fio's parser accepts values that it then takes for something else: `runtime=2sec` is 2 µs, `size=1.5m` is one byte.
//! Here every number is read twice, once as fio does and once as it is written. Where the two differ it is said what
//! fio makes of it, and the file stops, or goes on with a warning where the meaning is clear. Every option is in one of
//! three classes (see [`options`]): what narrows does the same, what it approximates, and what it refuses. A refused
//! option stops the file; none is accepted and skipped.
//!
//! Pure: files, the environment and the machine's figures come through [`Loader`] and [`Machine`]. Not here: running
//! anything. The result is a list of [`Job`]s with typed fields, which the caller maps to its workloads.
//!
//! The method comes from fio's manual and from watching fio's parser (`fio --debug=parse --parse-only`), which the
//! tests use as the judge. Where manual and program disagree, the program is right, since it is what ran.

#![forbid(unsafe_code)]

mod apply;
mod arithmetic;
mod arrangement;
mod calls;
mod distribution;
mod draft;
mod ending_rules;
mod files;
mod grammar;
pub mod iolog;
mod job;
pub mod json;
mod kind;
mod loader;
mod nodes;
mod number;
mod operation_rules;
pub mod options;
mod problem;
mod resolve;
mod spelling;
mod split;
mod substitute;
pub mod verify;
mod written;

pub use arrangement::{Plan, read, resolve};
pub use calls::{CallEngine, StatCall};
pub use distribution::{Distribution, Zone};
pub use ending_rules::{LatencyTarget, MinimumRate, Steady, SteadyValue};
pub use files::Targets;
pub use grammar::{Section, Setting, sections};
pub use job::*;
pub use kind::OptionType;
pub use loader::{Loader, Machine};
pub use number::{KbBase, bytes_as_fio, time_as_fio};
pub use operation_rules::{PriorityShare, SerializedOverlap, StridedZones};
pub use problem::{Cause, JobFileLine, Note, Problem, Problems, SettingTreatment};
pub use split::Share;
pub use substitute::substitute;
