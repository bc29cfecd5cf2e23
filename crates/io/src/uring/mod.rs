//! io_uring: the cheapest way to keep many operations in flight from one thread.
//!
//! With DEFER_TASKRUN completions appear only when the thread that made the ring enters the kernel for events, so
//! a path is made on the thread that uses it and is not `Send`.
//!
//! Waits are ended by a timeout operation in the ring itself, renewed every [`crate::HEARTBEAT_MS`]; a timeout per
//! wait would program the timer for every operation, which on a virtual machine is an exit to the hypervisor. A
//! timeout wakes a waiter whatever number of completions it waits for (io_uring_enter(2)). A ring with polled
//! completion takes no timeouts; there the kernel itself looks for completions until there are enough. It takes no syncs
//! and no trims of files either; they go to an ordinary ring beside it.

mod drain;
mod dual_ring_wait;
mod nvme;
mod open;
mod path;
mod polled;
mod queue;
mod ring;
mod secondary_ring;
mod setup;
mod submission_encoder;
mod workers;

pub(crate) use nvme::namespace_id;
pub use path::{Granted, PassthroughPath, UringPath};
pub use setup::{available, build_ring};
