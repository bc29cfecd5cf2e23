//! The archive: gzip around lines of JSON. The first line is the [`Header`], each further one a question with its answer
//! ([`line`]), the last one `{"end":N}` with the number of those between. The page "Captures" of the book describes it.

mod error;
mod header;
mod line;
mod read;
mod write;

pub use error::CaptureError;
pub use header::{Header, LeftOut, MachineDigest, RolePlace, SCHEMA};
pub use read::{MAX_ARCHIVE_BYTES, is_archive, read};
pub use write::write;
