//! A database server of our own as a process, of whatever kind: as whom it runs, who keeps it, what it takes along, and the folders
//! that it works in.
//!
//! Never as root. It dies with us, however we end; what was made for it goes, on every way out. Not here: any kind's programs,
//! settings and log.

mod child;
mod error;
mod keeper;
mod made;
mod run;
mod user;

pub use child::inherits;
pub use error::UserError;
pub use keeper::{Keeper, SpawnError};
pub use made::{Made, MadeError, empty_others};
pub use run::{Ended, run};
pub use user::{ServerUser, in_path, look_up};
