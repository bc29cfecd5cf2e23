//! What the server's processes took of the machine, where they run on this one.
//!
//! Everything here is optional: another machine, another process namespace, a user who may not look. What is missing is said
//! with what it takes.

mod files;
mod find;
mod ledger;
mod title;

pub(super) use files::Files;
pub(super) use find::{Server, Started};
pub(super) use ledger::{Ledger, Used};
