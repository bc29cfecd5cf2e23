//! Linux AIO: the way Oracle and InnoDB read and write, and what remains for one thread with many operations in
//! flight where io_uring is refused.
//!
//! It is asynchronous for direct I/O only, and not always then: `io_submit(2)` blocks when the device's queue has no
//! free request, when blocks must be allocated or an inode lock is taken, and does the whole work itself where the
//! page cache is involved. The time inside it is therefore kept apart ([`crate::DevicePath::submit_ns`]).
//!
//! Waiting uses the time limit of `io_getevents(2)`, as those servers do; its timer is part of that way's cost.

mod calls;
mod drain;
mod path;

pub use path::{AioPath, available};
