//! The log tier: a write is acknowledged when it is in a log on fast media, and moved to its place, the *backing*, behind that.
//!
//! ```text
//!   write ──► append ──► log on 1 to 8 media ──► acknowledged
//!                 │
//!                 └─ image in memory ──► batch ──► backing ──► flush ──► superblock ──► room is free
//!                          │                                  (tail moves)
//!   read ◄── newest ◄──────┘
//! ```
//!
//! Four rules carry it. A search through crash states finds a loss when one of them is taken out (`tests/it/crash.rs`):
//!
//! 1. **The log is a prefix.** Records are acknowledged in the order in which they lie in the log, each once it and all before it are
//!    durable. What recovery finds up to the first record that isn't whole is then all that was acknowledged.
//! 2. **Flush before forgetting.** Room is used again only after its records are in the backing, the backing is flushed, and a superblock
//!    with the new tail is durable.
//! 3. **A tail of its own for each life.** Recovery writes all records to the backing, flushes it, and begins a new epoch with an empty log.
//!    A whole record of an older epoch that lies behind a torn one is then no record. A ring of another size is another life too.
//! 4. **Only what no medium is still being given is moved**, because its room is used again then, and a late write would land over the next
//!    record. A batch holds what its own records say: newer data beyond it never take the place of older data within.
//!
//! Where each record has to be on so many of up to eight media ([`Acknowledge::Copies`]), two more:
//!
//! 5. **So many copies**, of those that still answer, before a record is acknowledged. Recovery refuses when as many members are missing, or
//!    have lost what they held. One that comes back empty is no member of the life in which it lost that.
//! 6. **The backing knows the life.** It is marked with it before anything is acknowledged in it, so that media that missed one are told from
//!    those that have it.
//!
//! This crate decides; it does no I/O, knows no clock and starts no thread. Who uses it moves bytes: the target
//! (`narrows-target`), and the simulator of its tests, which goes through the states that a power cut can leave.
//!
//! *Durable* is the medium's word: a drive has ended a write with force unit access, or persistent memory's cache lines were flushed and a fence
//! followed. Until then any piece of a record may be on the medium or not: sectors of a drive, words of eight bytes in persistent memory. Checksums
//! of header and data tell a whole record from a torn one, and nothing else does.
//!
//! Not here: reads that hit a cache (a product of its own, which promises nothing about durability), and whether media keep
//! what they say they keep: the crash test of `narrows durability` finds that out.
//!
//! Sources: write-ahead logging and its order of forgetting as in Mohan et al., ARIES (TODS 1992), for redo only; alternating headers
//! as in Gray and Reuter, Transaction Processing (1993), chapter 9; sectors as the unit that is written whole: NVMe Base Specification,
//! "Atomic Operation" (AWUPF of at least one logical block).

#![forbid(unsafe_code)]

mod copies;
mod format;
mod log;
mod newest;
mod recover;

pub use copies::Known;
pub use format::{
    Acknowledge, Action, GEOMETRY_HINT, Geometry, HEAD_BYTES, LEAST_CAPACITY, LogId, MOST_MEDIA,
    RecordHeader, SECTOR, SLOT_BYTES, Superblock,
};
pub use log::{Append, Batch, Change, Image, Log, Refused, State, Status};
pub use newest::{Piece, Source};
pub use recover::{FoundRecord, LogContents, ReadMedium, Unusable, scan, scan_known};
