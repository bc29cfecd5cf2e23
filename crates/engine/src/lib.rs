//! What every measurement needs and no layer owns: named phases, the stop token, one common window for all
//! threads, pacing of open loops, the search for the knee, random choices, samples over repeats, and the
//! scratch folder that leaves nothing behind.
//!
//! Knows no layer. The controllers ([`KneeSearch`], [`Poisson`]) are pure, so tests drive them with simulated
//! devices.

mod clock;
mod context;
mod gate;
mod knee;
mod permutation;
mod poisson;
pub mod rate_search;
mod rng;
mod samples;
mod schedule;
mod scratch;
mod stop;
mod zipf;

pub use clock::now_ns;
pub use context::{Context, Phase, Progress, Silent};
pub use gate::{Gate, GateFailed, Window};
pub use knee::KneeSearch;
pub use permutation::Permutation;
pub use poisson::Poisson;
pub use rate_search::RateSearch;
pub use rng::Rng;
pub use samples::{Samples, record_latency};
pub use schedule::{Arrivals, Constant, Schedule};
pub use scratch::{Scratch, ScratchError, Swept};
pub use stop::{Stop, Stopped};
pub use zipf::Zipf;
