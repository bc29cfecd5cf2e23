//! MariaDB as a kind of server for the database layer: a client of our own for its protocol, a server of our own, its statements,
//! tables and counters.
//!
//! The client is small and synchronous: what is measured is when a request leaves and when its answer is complete, on one Unix socket,
//! so that a library with a pool or a runtime of its own would be measured with it. It speaks what the workloads need (handshake
//! version 10, `COM_QUERY`, `COM_STMT_PREPARE`, `COM_STMT_EXECUTE` in binary) and refuses the rest. Lengths are checked before room is
//! made, and every wait has an end.
//!
//! Lookups, updates and commits on a server of our own; a server that others run is only looked at ([`observe`]). Not here: other
//! workloads, and what follows from what was seen.
//!
//! Source: MariaDB documentation, "Client/Server Protocol", "InnoDB System Variables", "Performance Schema"; version 10.11.

#![forbid(unsafe_code)]

mod connection;
mod error;
mod handshake;
mod kind;
pub mod observe;
mod observer;
mod packet;
mod server;
#[cfg(test)]
mod server_test;
mod session;
mod statements;

pub use connection::Connection;
pub use error::MariaError;
pub use kind::MariaDb;
pub use server::{ManagedMariaDb, Programs, ServerSettings, find};
pub use statements::lacks;
