//! Storage alone, through a file system or as a raw device.
//!
//! Each program has a file or folder of its own. What they share: the folder or device that is measured ([`folder`], [`target`]). What a
//! device is and whether it may be written is decided in `narrows-raw`; here it is only asked.

pub mod calibrate;
pub mod device;
pub mod folder;
pub mod interference;
pub mod jobs;
pub mod remote;
pub mod steady;
pub mod target;
pub mod writers;
