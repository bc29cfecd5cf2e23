//! A host for NVMe/TCP: what reaches a namespace over the network without a driver, so that it can be measured like a drive.
//!
//! [`Address`] says where a namespace is, [`Association`] connects to its controller and keeps it, [`Association::path`]
//! gives a [`narrows_io::DevicePath`] that is one I/O queue. [`queue`] is the machine below: it takes bytes and gives
//! bytes, knows no socket, and trusts nothing that comes.
//!
//! A connection that is lost is not made again: a measurement over a reconnect would be of the reconnect.

mod address;
mod admin;
mod association;
mod authenticate;
mod error;
mod identity;
mod interface;
mod path;
pub mod queue;
pub mod stamps;
mod tcp_info;

pub use address::{Address, InvalidAddress};
pub use association::{Association, Reached};
pub use error::HostError;
pub use path::{KernelStamps, NvmeTcpPath, PathOptions};
pub use tcp_info::{TcpInfo, tcp_info};
