//! Administration of a target while it serves: a socket of this machine, one question per connection, answered as JSON.
//!
//! Who may ask is decided by the file system, and once more by the kernel's word on who is at the other end: the user who runs the target,
//! and root. A question is a line of JSON of 4 KiB at most; an answer is a document. Each is served by a thread of its own, four at once, so
//! that one that waits for a log to be moved delays no host.

mod command;
mod done;
mod overview;
mod question;
mod server;

pub(crate) use command::{TierVerb, run};
pub(crate) use server::ControlSocket;
