//! Reading the machine: files of `/proc` and `/sys` behind one trait, and the few system calls that tell what
//! no file tells.
//!
//! [`Source`] is what discovery reads through: [`Live`] is this machine, [`Tree`] the same files copied below a
//! folder, so that a machine nobody has here can still be examined. [`Recorder`] keeps what was asked and said, [`Replay`]
//! says it again. The modules [`affinity`], [`mod@file`], [`mod@claim`], [`loop_device`], [`mapper`], [`nvme`] and [`process`] are system calls
//! on the live machine; those that tell what it is are also a [`Call`] of a source.
//!
//! Not here: what the facts mean. That is `narrows-platform` (the inventory) and `narrows-observe` (counters
//! around a window). Nothing in this crate changes a setting of the machine; [`file::evict`] drops clean pages of
//! one file, [`affinity::pin`] binds the caller's own thread, [`io_priority::set`] and [`memory_policy::set`] give it a priority and nodes for its memory, and [`claim()`] uses free memory for a moment.

mod address_space;
pub mod affinity;
mod call;
pub mod cgroup;
pub mod claim;
mod cpulist;
pub mod file;
pub mod io_limits;
pub mod io_priority;
pub mod loop_device;
pub mod mapper;
pub mod memory_policy;
mod mounts;
pub mod nvme;
mod patience;
pub mod pattern;
mod pcie_config;
pub mod power;
pub mod process;
pub mod process_table;
mod recording;
mod source;
mod tree;
mod usage;

pub use address_space::{AddressSpace, spare_addresses};
pub use call::Call;
pub use claim::claim;
pub use cpulist::{parse_cpu_list, parse_cpu_mask};
pub use mounts::{Mount, mount_of, mounts, parse_mounts, unescape};
pub use patience::answer_within;
pub use process_table::{ProcessTable, ProcessUsage};
pub use recording::{Answer, Contents, Recorder, Recording, Refusal, Replay};
pub use source::{Live, Source, Trouble};
pub use tree::Tree;
pub use usage::Usage;
