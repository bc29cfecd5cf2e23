//! Ways to a storage device, and the file they are tried on.
//!
//! [`DevicePath`] is the one trait: [`UringPath`] where the kernel allows it, [`BlockingPath`] (the way most
//! servers read) everywhere, [`NullPath`] to learn what the generator itself costs. [`Access`] finds out which can be
//! had and says why. [`TestFile`] makes a file that can be measured honestly: every block written, incompressible,
//! unlike any other.
//!
//! Not here: workloads, windows, statistics; they belong to the layers.

mod access;
mod arena;
mod blocking;
mod discard;
mod error;
mod file;
mod fill;
mod null;
mod path;
mod pattern;
mod space;
mod uring;

pub use access::Access;
pub use arena::Arena;
pub use blocking::BlockingPath;
pub use error::Error;
pub use file::{Blueprint, Contents, Direct, FILE_UNIT, TestFile};
pub use fill::FillStep;
pub use null::NullPath;
pub use path::{Completion, DevicePath, HEARTBEAT_MS, Method, Op};
pub use pattern::{Pattern, SECTOR, Tag};
pub use space::Space;
pub use uring::{Granted, UringPath, available as uring_available};
