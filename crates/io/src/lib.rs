//! Ways to a storage device, and what they are tried on.
//!
//! [`DevicePath`] is the one trait: [`UringPath`] where the kernel allows it, [`AioPath`] (the way of Oracle and
//! InnoDB), [`BlockingPath`] (the way of PostgreSQL), [`NullPath`] to learn what the generator itself costs, and
//! [`FaultPath`] for tests. [`Access`] finds out which can be had and says why. [`Target`] is an open file or block
//! device; [`TestFile`] makes a file that can be measured honestly: every block written, incompressible, unlike any
//! other.
//!
//! Not here: workloads, windows, statistics; they belong to the layers. Nor whether a device may be written.

mod access;
mod aio;
mod arena;
mod block_device;
mod blocking;
mod contents;
mod direct;
mod discard;
mod entropy;
mod error;
mod fault;
mod file;
mod file_calls;
mod fill;
mod flights;
mod method;
mod null;
mod nvme_generic;
mod path;
mod pattern;
mod space;
mod target;
mod uring;
mod wake_up;

pub use access::{Access, Remote};
pub use aio::{AioPath, available as aio_available};
pub use arena::Arena;
pub use blocking::BlockingPath;
pub use contents::Contents;
pub use direct::Direct;
pub use entropy::{DEDUPE_BYTES, Entropy};
pub use error::Error;
pub use fault::{Clock, Effect, Fault, FaultPath, Monotonic, When};
pub use file::{Blueprint, TestFile};
pub use file_calls::{FileCall, FileCallPath};
pub use fill::{FILE_UNIT, FillStep};
pub use method::{Method, Options, Refusal};
pub use null::NullPath;
pub use nvme_generic::block_device_beside;
pub use path::{Completion, DevicePath, HEARTBEAT_MS, Op, Outages};
pub use pattern::{Pattern, SECTOR, Tag};
pub use space::{Space, check_writable};
pub use target::{Durable, Target, TargetKind};
pub use uring::{Granted, PassthroughPath, UringPath, available as uring_available, build_ring};
pub use wake_up::WakeUp;
