//! What a platform costs: per year, per throughput, per core, per transaction, per outage.
//!
//! [`cost`] reads the table `[cost]` of a description and fills a sheet of numbered lines, each given with its source or computed from
//! lines above it. Licences follow [`Rules`], which are data. A figure that is unknown makes unknown what rests on it; nothing is assumed.
//! Data in, data out.
//!
//! Not here: what a platform can do ([`narrows_plan`]), and how answers are printed.

#![forbid(unsafe_code)]

mod answer;
mod break_even;
pub mod casebook;
mod day;
mod entry;
mod figures;
mod given_demand;
mod published;
mod reckon;
mod rules;
mod sheet;
mod size;
mod syntax;
mod what_if;

pub use answer::{Compared, CostAnswer, MovedLine, compared, same_years};
pub use break_even::{BreakEven, RateEven, YearsEven, break_even};
pub use day::Day;
pub use given_demand::given_demand;
pub use published::Published;
pub use reckon::{Measured, MeasuredIo, Question, cost, describes_a_platform};
pub use rules::{Counts, Rule, Rules, Term};
pub use sheet::{
    Basis, ClosedLoop, CostLine, Expr, Given, Group, LoopQuestion, LoopQueue, Move, Range, Sheet,
    StorageQueue, WhatIf, number,
};
pub use size::{
    Carries, Headroom, HeadroomOf, SizeError, SizeQuestion, SizedLoss, SizedPlatform, Sizing, size,
};
pub use what_if::{twice, unused, what_if};
