//! Intervals, trends and the recorder against what is known to be true.

mod clumps;
mod coverage;
mod recorder;
mod trend;
