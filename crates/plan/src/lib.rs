//! A platform on paper: what could it do, what would bind, what should be widened first?
//!
//! [`describe`] reads a TOML text and refuses what can't be built; [`plan`] answers by [`narrows_limits::flow`] for
//! each kind of work. Ceilings come from the table of limits or by hand with a source. Data in, data out.
//!
//! [`fit`] sets a measured demand on it.
//!
//! Not here: queueing (but for sessions at the processors), software, and how answers are printed. A ceiling is what no system passes; where a
//! source says what good systems reach, that stands beside it.

#![forbid(unsafe_code)]

mod answer;
mod assumptions;
mod budget;
mod build;
pub mod casebook;
pub mod closed;
mod constraints;
mod demand;
mod description;
mod drawing;
mod drives;
mod entry;
mod error;
mod figures;
mod fit;
mod generation;
mod lines;
mod links;
mod loss;
mod machine;
mod memory;
mod migration;
mod note;
mod paths;
mod price;
mod protocol;
mod read;
mod sessions;
mod syntax;
mod waits;
mod work;

pub use answer::{Binding, Plan, Price, Question, Share, Widen, WorkAnswer, plan};
pub use demand::{Amount, Demand, Log, PartKind, RequestDemand, TimePart};
pub use description::{Description, ServerParts};
pub use drawing::{Drawing, DrawnPart, Wire, drawn_for};
pub use error::{PlanError, Source};
pub use fit::{Fit, FitError, PartUse, UsedKind, Verdict, beside_one, fit};
pub use loss::{Loss, LostKind};
pub use machine::CORE_RATIO;
pub use migration::Migration;
pub use narrows_limits::flow::FlowError;
pub use read::{TEXT_BYTES_MAX, describe};
pub use sessions::{AtRate, AtSessions, Gain, Term};
pub use work::{SEQUENTIAL_BYTES, Work};
