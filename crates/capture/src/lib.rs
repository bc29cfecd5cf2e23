//! A machine in one small file: what discovery asked of it and what it said, without what names its owner.
//!
//! [`narrows_facts::Recorder`] records, [`scrub()`] takes serial numbers, addresses, names and command lines out,
//! [`write`] and [`read`] make the archive and bring it back as a [`Capture`]; [`narrows_facts::Replay`] then stands for
//! the machine. [`Filled`] lets a capture made by root answer what the running machine refuses, and [`different`] says
//! whether it is another machine.
//!
//! Not here: what is asked (`narrows-platform`), and what the command says (`narrows gather`).

#![forbid(unsafe_code)]

mod archive;
mod fill;
mod privileged;
mod same;
mod scrub;

use narrows_facts::Recording;

pub use archive::{
    CaptureError, Header, LeftOut, MAX_ARCHIVE_BYTES, MachineDigest, RolePlace, SCHEMA, is_archive,
    read, write,
};
pub use fill::Filled;
pub use privileged::ask_as_root;
pub use same::different;
pub use scrub::{Scrubbed, scrub};

/// A machine as it was recorded, with what was said about the recording.
#[derive(Debug, Clone, PartialEq)]
pub struct Capture {
    /// Who captured it, when, with which rights.
    pub header: Header,
    /// What was asked and said.
    pub recording: Recording,
}
