//! The statistics that narrows rests on: histograms of a window, intervals over repeats, steady
//! state and trend.
//!
//! Every method here states its assumption, its source and the number of samples from which it
//! exists; below that number it gives `None`, which is printed as the absence of an interval, never
//! as zero.
//!
//! Pure: no clock, no file, no randomness but a fixed sequence of draws. It does not decide what is a finding and does not choose
//! the number of repeats.

#![forbid(unsafe_code)]

mod bootstrap;
pub mod change;
mod difference;
mod effective;
mod exceedance;
mod hdr;
mod looks;
mod modes;
#[cfg(test)]
mod noise;
mod recorder;
mod relabel;
mod runs;
mod share;
mod side;
mod slope;
mod special;
mod starts;
pub mod steady;
mod tail;
pub mod trend;
mod usl;

pub use bootstrap::{FEWEST_FOR_BOOTSTRAP, bootstrap_interval_95};
pub use difference::{
    Design, Difference, FEWEST_RUNS, Scatter, benjamini_hochberg, difference, hodges_lehmann, holm,
    pairs_needed, permutation_p,
};
pub use effective::effective_sample_size;
pub use exceedance::{Exceedance, Slice, exceedance};
pub use hdr::{HdrError, LoggedHistogram, interval_log};
pub use looks::level_of_look;
pub use modes::{LogBins, Mode};
pub use recorder::Recorder;
pub use relabel::{FEWEST_ROUNDS, Rows, largest_above_base_p};
pub use runs::{
    RatioEstimate, geometric_mean, interval_95, mean_interval_95, median, paired_ratio, ratio,
};
pub use share::share_interval_95;
pub use side::{Side, median_side};
pub use slope::{Slope, slope};
pub use starts::{FEWEST_STARTS, Starts, starts};
pub use tail::quantile_interval;
pub use usl::{FEWEST_SIZES, FURTHEST, NoUsl, Ranged, SweepPoint, Usl, usl};
