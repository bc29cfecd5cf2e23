//! The database layer: our own small workloads on a database server, each with the demand it puts on the layers below.
//!
//! Workloads are named by what they do to the machine: `lookup_cached` and `lookup_uncached` (one row by its key, from memory or from
//! the drive), `update` (one row, one durable commit), `commit`, `batch`, `scan`. They are not any benchmark kit's and their results
//! compare with no published ones.
//!
//! What a server is, how its sessions speak and in which language it is asked, a [`ServerKind`] says; here is no statement and no name of
//! any server's. Knows no other layer and no verdict.

mod access_pattern;
mod capacity;
mod counters;
mod database;
mod error;
mod evict;
mod highest;
mod interleaved;
pub mod kind;
pub mod load;
mod measurement_builder;
mod measurement_setup;
pub mod poller;
pub mod processes;
mod repeat_sample;
mod repeats;
mod restart;
mod sampling;
mod scan;
mod search;
mod session;
mod table;
mod task;
mod variation;
mod wakes;
mod window;

pub use counters::Counters;
pub use database::{Database, Settings};
pub use error::DatabaseError;
pub use highest::{Confirmed, Highest, HighestPlan, SearchWindow, highest};
pub use interleaved::Turns;
pub use kind::{KindError, Provisioner, ServerKind, Sessions};
pub use load::{
    AfterAnswer, ByKey, ClassResult, Expect, Keys, LoadError, LoadPlan, LoadResult, OpenSlice,
    OpenSlices, Operation, Program, Programs, Recovery, Verdict, run as run_load,
    run_within as run_load_within,
};
pub use measurement_builder::MeasurementBuilder;
pub use repeat_sample::{Cpus, RepeatSample, Shape};
pub use sampling::{Moment, Sampled, Wait};
pub use session::{Answer, Encode, Format, Refusal, Request, Row, Value};
pub use table::{Contents, Table};
pub use task::{Action, Answer as ScanAnswer, Calls, Planned, Redo, Source, Spread, Task};
pub use variation::Variation;
pub use window::WindowLoad;
