//! Does what was acknowledged as durable survive a cut of the power?
//!
//! A writer makes numbered records durable and names each one to a second host *after* its flush returned. The power is
//! cut. The second host's list then holds records that must be there, whatever the drive, controller, hypervisor or
//! file system does; a checker looks for each of them.
//!
//! - [`Collector`]: on the second host. Keeps the list, flushed before it confirms.
//! - [`write_files`] and [`write_table`]: on the machine whose power is cut, to a file, a raw device, or a table of PostgreSQL.
//! - [`check_file`] and [`check_table`]: after the cut. [`conclude`] is the pure part: counts and what is known of the cut → outcome.
//!
//! The idea is diskchecker.pl's (Brad Fitzpatrick, 2005): a machine can't remember what it forgot. What is added: records
//! whose every sector says whose it is, so that torn, older and foreign contents are told apart; several streams; and
//! a doubt about the cut itself: a killed process, a closed connection or the same boot is none, and neither is a reset, which leaves the
//! drives their power.
//!
//! Not here: what flags and speed say about durability (`narrows-validity`), and the laboratory's drive (`narrows-lab-drive`).

mod check;
mod check_table;
mod collector;
mod crc32c;
mod cut;
mod error;
mod identity;
mod layout;
mod list;
mod medium;
mod open;
mod outcome;
mod power;
mod ranges;
mod reading;
mod record;
mod reporter;
mod server;
mod streams;
mod sync;
mod table;
mod target;
mod terms;
mod wire;
mod write;

pub use check::check_file;
pub use check_table::{TableCheck, check_table};
pub use collector::{Collector, Heard};
pub use cut::Cut;
pub use error::CrashTestError;
pub use identity::{Machine, RunId};
pub use layout::{HEADER_BYTES, Layout, Mode, WINDOW};
pub use list::{Acknowledged, End, List};
pub use outcome::{Counts, LEAST_RECORDS, conclude};
pub use power::{DrivePower, DrivesPower, drives_now};
pub use ranges::Ranges;
pub use server::Server;
pub use streams::Written;
pub use sync::Sync;
pub use table::write_table;
pub use target::Target;
pub use terms::{RecordLocation, Terms};
pub use write::{Settings, write_files};
