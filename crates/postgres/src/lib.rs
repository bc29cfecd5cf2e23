//! PostgreSQL as a client and as an owner sees it: its wire protocol, a schema of ours on a server, a server of our own, what a
//! running server says of itself, and its part of a measured load.
//!
//! [`Connection`] asks and sets up; its session is fixed before the first question ([`wire::guard`]). [`schema`] and [`ours`] say what on a
//! server is ours and how it goes. [`server`] finds, makes, starts and ends a server of our own. [`live`] and [`observe`] monitor one that
//! others run and change nothing there. For the database layer an [`Address`] is a kind of server: its sessions (`session`), statements,
//! tables and counters. [`orders`] is a workload of this kind alone. Not here: the load engine, and what follows from what was seen.

mod address;
mod admission;
pub mod event_triggers;
mod explain;
#[cfg(test)]
mod hostile_test;
mod kind;
mod leftovers;
pub mod live;
mod monitor;
mod null;
pub mod observe;
pub mod orders;
pub mod ours;
mod processes;
mod refusal;
pub mod schema;
pub mod server;
mod session;
mod statements;
mod statistics;
mod table;
#[cfg(test)]
mod transfer_test;
pub mod wire;

pub use address::{Address, AddressError, Endpoint, Secret, ServerRole, SessionRequest};
pub use admission::{AdmissionError, Admitted, admit};
pub use kind::PostgresServer;
pub use leftovers::{LeftKind, LeftoverSchema, left};
pub use null::{ClientPlan, Floor, Hears, NullServer, NullServerError, Pace, floor};
pub use schema::LeftBehind;
pub use table::TableError;
pub use wire::{Connection, Row, WireError};
