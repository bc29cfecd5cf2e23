//! NVMe over TCP as types: what host and controller say to each other, byte by byte, and nothing of sockets, clocks or
//! storage.
//!
//! A connection carries PDUs ([`pdu`]): first eight bytes, [`pdu::CommonHeader`], which say how much follows; then the
//! header of that type; then data. Commands are [`SubmissionEntry`]s in capsules, and [`command`] says what they ask for;
//! answers are [`CompletionEntry`]s with a [`Status`]. [`identify`], [`log`], [`property`] and [`feature`] are what a
//! controller tells of itself.
//!
//! Whatever comes from the other side is only read through here. Each reader takes any bytes, has checked every length
//! before somebody allocates by it, and answers with a value or a typed reason, never with a panic. Each writer gives the
//! bytes that its reader takes: property tests hold the two together, recorded connections of the Linux kernel's host
//! hold both to what is spoken outside.
//!
//! Where it comes from: NVM Express Base Specification 2.0, NVM Command Set Specification 1.0, NVMe over TCP Transport
//! Specification 1.0; offsets and codes were held against `include/linux/nvme.h` and `nvme-tcp.h` of Linux 6.12.

#![forbid(unsafe_code)]

pub mod authentication;
mod bytes;
pub mod command;
mod completion;
mod data_pointer;
pub mod digest;
mod event;
pub mod feature;
pub mod identify;
pub mod intake;
pub mod log;
mod name;
pub mod pdu;
pub mod property;
mod status;
mod submission;
pub mod tls;

pub use completion::CompletionEntry;
pub use data_pointer::DataPointer;
pub use event::AsyncEvent;
pub use name::{DISCOVERY_NQN, HostId, InvalidNqn, Nqn};
pub use status::Status;
pub use submission::SubmissionEntry;

/// TCP port for NVMe/TCP (IANA: nvme).
pub const IO_PORT: u16 = 4420;
/// TCP port of a discovery controller (IANA: nvme-disc).
pub const DISCOVERY_PORT: u16 = 8009;
