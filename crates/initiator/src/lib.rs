//! A host for NVMe/TCP: what reaches a namespace over the network without a driver, so that it can be measured like a drive.
//!
//! [`Address`] says where a namespace is, [`Association`] connects to its controller and keeps it, [`Association::path`]
//! gives a [`narrows_io::DevicePath`] that is one I/O queue. [`queue`] is the machine below: it takes bytes and gives
//! bytes, knows no socket, and trusts nothing that comes.
//!
//! A connection that is lost is not made again unless the address says so ([`Reconnect`]): a measurement over a reconnect is of
//! the reconnect as well.

mod address;
mod admin;
mod association;
mod authenticate;
mod command_queue;
mod error;
mod identity;
mod interface;
mod link;
mod one_at_a_time;
mod path;
pub mod queue;
mod reconnect;
pub mod stamps;
mod tcp_info;

pub use address::{Address, InvalidAddress};
pub use association::{Association, Reached};
pub use command_queue::{CommandQueue, ReservationState};
pub use error::HostError;
pub use one_at_a_time::OneAtATime;
pub use path::{KernelStamps, NvmeTcpPath, PathOptions};
pub use reconnect::{Outages, Reconnect};
pub use tcp_info::{TcpInfo, tcp_info};
