//! Verdicts on runs whose narrow place is known.

mod attacked;
mod observed;
mod placement;
mod servers;
mod what_if;
mod worked;
