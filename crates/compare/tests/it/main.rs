//! Runs that were made up, beside each other.

mod compared;
mod looks;
mod promise;
mod trend;
mod world;
