//! A database server, its drives and its log with a virtual clock, and devices that lie: what the judging half
//! of the program is tested against.
//!
//! The server is a discrete-event simulation of sessions that go round through stations whose laws are known in
//! closed form (`tests/laws.rs` holds it against them): processors in time slices, drives, a log that flushes
//! in batches, a lock, a client. It emits measurements with the metrics and the sampling noise of the real
//! layers, makes the same interventions, and so shows whether a verdict is right, because here the narrow place
//! is known. It is a model of queues, not of PostgreSQL.
//!
//! Apart from that there are devices for the controllers: [`drive`] for the search of a rate, with the truth in closed
//! form ([`truth`]) or by a long run with other code ([`longrun`]), and [`flash`] for steady state.
//!
//! Nothing here reads a clock or touches the machine; the same seed gives the same run.

#![forbid(unsafe_code)]

mod account;
mod clock;
pub mod device;
pub mod drive;
mod emit;
pub mod flash;
mod law;
pub mod longrun;
mod observe;
mod scene;
mod server;
mod station;
pub mod truth;
mod world;

pub use account::{Account, OpenAccount, State, Windows};
pub use emit::Table;
pub use law::Law;
pub use observe::{Visibility, observe};
pub use scene::{Scene, simulate};
pub use server::{Disk, Log, Server, Step};
pub use world::{closed, open};
