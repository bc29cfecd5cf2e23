//! The block layer: what storage gives through the file system, by the best way there is and by the way a server
//! takes.
//!
//! [`prepare`] writes the file, [`measure()`] runs the workloads on it, [`planned`] says beforehand how long that takes
//! and what it writes. [`random_read_once`] is the same hot loop with free block size and depth, for comparisons with
//! other programs.
//!
//! Random reads touch every block once before any twice; the page cache is emptied, and seen to be empty, before
//! each window that goes through it; what was written is unlike anything else on the device. The repeats of all
//! workloads are interleaved in random order, so that drift does not hit one of them.
//!
//! Not here: durable appends (the log layer), open loops, raw devices, judging.
//!
//! Methods and traps: the book's chapter "Block storage".

mod cell;
mod error;
mod knee;
mod measure;
mod offsets;
mod once;
mod plan;
mod record;
mod run;
mod worker;

pub use error::BlockError;
pub use measure::{measure, measure_by, prepare};
pub use once::{Once, random_read_once};
pub use plan::{BlockPlan, planned};
