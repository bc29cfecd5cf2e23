//! What every measurement needs and no layer owns: named phases, the stop token, one common window for all
//! threads, pacing of open loops, the search for the knee, random choices, samples over repeats, and the
//! scratch folder that leaves nothing behind.
//!
//! Knows no layer. The controllers ([`KneeSearch`], [`RateSearch`], [`CurvePlan`], [`SteadyState`]) are pure, so
//! that tests drive them with simulated devices.

pub mod calibrate_io;
mod clock;
mod context;
pub mod curve;
mod gate;
mod knee;
mod live_value;
mod permutation;
mod poisson;
mod precondition;
pub mod rate_search;
mod rng;
mod samples;
mod schedule;
mod scratch;
pub mod steady_state;
mod stop;
mod zipf;

pub use clock::now_ns;
pub use context::{Announced, Context, Phase, Progress, Silent};
pub use curve::CurvePlan;
pub use gate::{Gate, GateFailed, Window};
pub use knee::KneeSearch;
pub use live_value::{LiveValue, after_window, repeat_of, share_done, with_value};
pub use permutation::Permutation;
pub use poisson::Poisson;
pub use precondition::Precondition;
pub use rate_search::RateSearch;
pub use rng::Rng;
pub use samples::{Samples, held_quantile, record_latency};
pub use schedule::{Arrivals, Constant, Schedule};
pub use scratch::{Hold, Scratch, ScratchError, Swept};
pub use steady_state::SteadyState;
pub use stop::{Stop, Stopped};
pub use zipf::Zipf;
