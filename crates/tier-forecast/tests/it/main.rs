//! Forecasts against sums that a pencil can do, bounds that hold for every server, and the published cases.

mod cases;
mod figures;
mod log;
mod lookup_proofs;
mod proofs;
mod properties;
mod reads;
mod runs;
