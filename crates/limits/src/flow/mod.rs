//! What flows through a platform when nothing waits: rates that its components allow, and which of them bind.
//!
//! A unit of work (a read, a written page, a scanned byte) takes a route and uses what it crosses: bytes of a link, an
//! operation of a drive, a processor's time, a place among the requests in flight. Everything is linear, so a small
//! linear programme gives the rates, and several users share max-min fair. What widening a component gives is
//! computed anew and not read from a dual value, which holds only for the first step.
//!
//! Not here: queueing. A rate from here is a ceiling; what a real system reaches of it is measured.

mod answer;
mod fair;
mod filling;
mod network;
mod programme;
mod simplex;

pub use answer::{Answer, LITTLE_SLACK, Used, WIDENED_BY, Widening, answer};
pub use fair::{FlowError, fair_rates};
pub use network::{Constraint, Counts, Network, Route, User};
pub use programme::{LinearCondition, Optimum, Programme, ProgrammeError, Relation};

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
