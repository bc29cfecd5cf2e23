//! A drive for the laboratory: what was written and not flushed is lost when its power is cut. Honest, or lying:
//! then a flush is acknowledged and nothing is flushed.
//!
//! The drive is a process of its own ([`serve`], the program `narrows-lab-drive`) that shows one file through FUSE; a
//! loop device makes it a block device ([`Lab`]), on which there can be a file system and a database. Ending the
//! process is to this drive what a power cut is to a real one: the rest of the machine lives on, and the image that is
//! left can be mounted afresh and looked at.
//!
//! A namespace of a storage target can be shown in the same way ([`serve_namespace`]): a file system and a database on it, where no
//! kernel module reaches it.
//!
//! Only tests use this crate; the tool doesn't know it.

mod cache;
mod commands;
mod disk;
mod fuse;
mod lab;
mod loopback;
mod mounting;
mod namespace;
mod process;
mod serve;

pub use cache::{Cache, SECTOR_BYTES};
pub use lab::{DriveContents, Lab, missing};
pub use mounting::private_mounts;
pub use process::Drive;
pub use serve::{serve, serve_namespace};
