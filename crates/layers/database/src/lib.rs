//! The database layer: our own small workloads on PostgreSQL, each with the demand it puts on the layers below.
//!
//! Four workloads, named by what they do to the machine: `lookup_cached` and `lookup_uncached` (one row by its key,
//! from memory or from the drive), `update` (one row, one durable commit), `scan` (the whole table with 1 or n
//! workers). They are not any benchmark kit's and their results compare with no published ones.
//!
//! On a server of our own ([`server`]) or on the user's, in a schema of its own that is dropped at the end.
//! Knows no other layer and no verdict.

mod admission;
mod begun;
mod counters;
mod database;
mod drawn;
mod error;
mod evict;
mod explain;
mod filling;
mod highest;
#[cfg(test)]
mod hostile_test;
mod kind;
mod left;
mod load;
mod null;
mod once;
pub mod orders;
mod poller;
mod processes;
mod repeats;
mod restart;
mod sampling;
mod scan;
mod search;
mod session;
mod statistics;
mod table;
mod task;
#[cfg(test)]
mod tls_test;
mod turns;
mod variation;
mod window;

// As they were named before PostgreSQL had a crate of its own.
pub use narrows_postgres::{
    Address, AddressError, Connection, Endpoint, LeftBehind, Secret, WireError, live, observe,
    server,
};
use narrows_postgres::{event_triggers, ours, schema, wire};

pub use admission::{Admitted, admit};
pub use database::{Database, Settings};
pub use error::DatabaseError;
pub use highest::{Confirmed, Highest, HighestPlan, Shown, highest};
pub use kind::Provisioner;
pub use left::{Left, LeftKind, left};
pub use load::{
    ByKey, ClassResult, Expect, Keys, LoadError, LoadPlan, LoadResult, Next, OpenSlice, OpenSlices,
    Operation, Program, Programs, Recovery, Verdict, run as run_load,
    run_within as run_load_within,
};
pub use null::{ClientPlan, Floor, Hears, NullServer, Pace, floor};
pub use session::{Answer, Refusal, Request, Row, Value};
pub use table::{Contents, TableError};
pub use task::{Action, Answer as ScanAnswer, Calls, Redo, Source, Spread, Task};
pub use turns::Turns;
pub use variation::{Variation, Workload};
