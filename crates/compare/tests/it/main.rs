//! Runs that were made up, beside each other.

mod compared;
mod observed;
mod promise;
mod trend;
mod world;
