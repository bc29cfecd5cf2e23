//! Verdicts on runs whose narrow place is known.

mod attacked;
mod compare;
mod observed;
mod servers;
mod what_if;
mod worked;
