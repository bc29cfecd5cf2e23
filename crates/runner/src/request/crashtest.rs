//! What can be asked of a test of durability.

use std::path::PathBuf;

pub use narrows_crashtest::{LEAST_RECORDS, Sync};
use narrows_postgres::Address;
use narrows_units::Nanos;

use super::block::DeviceConsent;

/// The second host's part.
#[derive(Debug, Clone)]
pub struct ListenRequest {
    /// The list, a new file.
    pub list: PathBuf,
    /// Address and port to listen on.
    pub at: String,
}

/// What is written to.
#[derive(Debug, Clone)]
pub enum WriteTarget {
    /// A new file.
    File(PathBuf),
    /// A device.
    Device(DeviceConsent),
    /// A new table of this server.
    Table(Address),
}

/// The part of the machine whose power is cut.
#[derive(Debug, Clone)]
pub struct WriteRequest {
    /// What is written to.
    pub target: WriteTarget,
    /// Where the list is kept, HOST:PORT.
    pub to: String,
    /// Writers at the same time.
    pub streams: u32,
    /// Bytes of a record.
    pub size: u32,
    /// How each record is made durable.
    pub sync: Sync,
    /// Past the page cache.
    pub direct: bool,
    /// Let the file grow.
    pub append: bool,
    /// Size of the ring of all streams, bytes.
    pub ring: u64,
    /// End after that time.
    pub length: Option<Nanos>,
    /// The list may be kept on this machine.
    pub same_host: bool,
    /// Write although a database runs here.
    pub load_here: bool,
}

/// After the cut.
#[derive(Debug, Clone)]
pub struct CheckRequest {
    /// The file or device that was written.
    pub file: Option<PathBuf>,
    /// The server whose table was written.
    pub postgres: Option<Address>,
    /// The record of acknowledgements from the second host.
    pub acknowledged: PathBuf,
    /// What lost its power, where it isn't this machine.
    pub cut: Option<String>,
    /// Nothing comes from memory.
    pub remounted: bool,
    /// Count what is missing as lost.
    pub gone: bool,
    /// Fewest records that show anything.
    pub least: u64,
    /// Remove what was written if all of it is there.
    pub remove: bool,
}
