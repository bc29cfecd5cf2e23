//! Raw block devices without accidents: what a device is, who uses it, what is on it, and the consent without which
//! nothing opens it for writing.
//!
//! [`inspect`] collects facts, [`refusals()`] judges them, [`would_lose`] tells what writing would destroy, [`consent()`]
//! takes the user's word for device *and* serial, and [`open_for_writing`] checks everything once more while it holds
//! the device exclusively. [`Consent`] has no other maker, and no other function here opens for writing. Reading needs
//! no consent: [`open_for_reading`] opens with `O_RDONLY`.
//!
//! The judgement is pure: facts come through [`narrows_facts::Source`], so that it is tested on made trees, and the
//! marks on a device through `Read + Seek`, so that it is tested on images.
//!
//! Where the method comes from: what mkfs, wipefs, lsblk and fio's `allow_mounted_write` guard against, and what they
//! don't (other mount namespaces, other paths to the same drive, other loop devices on the same bytes, exports, processes
//! that hold the device or the file under it open or mapped).
//!
//! Not here: what is then written, and how fast it was.

#![forbid(unsafe_code)]

mod beneath;
mod consent;
mod contents;
mod device;
mod doubt;
mod error;
mod exports;
mod family;
mod file_uses;
mod identity;
mod loops;
mod loss;
mod maps;
mod node;
mod open;
mod openers;
mod plain;
mod pooled;
mod refusal;
pub mod signature;
mod storage;
mod usage;
mod wear;

pub use consent::{Consent, consent, consent_accepting, consent_keeping_contents};
pub use contents::{Contents, contents};
pub use device::{Device, inspect, inspect_with};
pub use doubt::Doubt;
pub use error::{ConsentError, InspectError, OpenError};
pub use file_uses::uses_of_file;
pub use identity::Identity;
pub use loss::would_lose;
pub use node::NodeKind;
pub use open::{ReadableDevice, WritableDevice, open_for_reading, open_for_writing};
pub use openers::Opener;
pub use plain::{PlainFileInDev, plain_file_in_dev};
pub use refusal::{Refusal, refusals};
pub use usage::Use;
pub use wear::Wear;
