//! Counters of the machine around a window: what the drives did, who else used the processors, who waited.
//!
//! A [`Watch`] opens what it needs once; a [`Snapshot`] before and one after the window give a [`HostWindow`]. Whatever the
//! machine does not count is absent, never zero. [`sentinel`] is a fixed piece of work whose time shows
//! processors that were disturbed or slowed.
//!
//! Where the figures come from (Linux `Documentation/filesystems/proc.rst`, `admin-guide/iostats.rst`,
//! `accounting/psi.rst`, `scheduler/sched-stats.rst`):
//!
//! | figure | file | resolution |
//! | --- | --- | --- |
//! | busy time per processor: what of the window was not idle | `/proc/stat` | 10 ms |
//! | stolen time, time in interrupts | `/proc/stat` | 10 ms, on most kernels sampled at the tick |
//! | busy time, where it agrees | `/proc/schedstat` | ns, counted at each task switch |
//! | our own time | the process's CPU clock | ns |
//! | drives | `/sys/class/block/*/stat` | one request, 512-byte sectors; busy time 1 ms |
//! | pressure | `/proc/pressure/*` | 1 µs, brought up to date by reading it |
//! | throttling | `cpu.stat` of the own control group and those above | one period |
//! | PCIe links of the drives, at the window's end | `current_link_speed`, `current_link_width` | now |
//! | where a path leads over a network: connections made again, segments sent again, packets dropped | `cntlid` of NVMe controllers, `/proc/net/snmp`, `statistics` of ports | 1 |
//! | requests that the drives' queues hold | `mq/*/nr_tags` | once |
//! | which programs used CPUs and drives, over a whole run | `stat` and `io` of all processes | 10 ms |
//! | I/O limits | `io.max` or `blkio.throttle.*` of the same groups | read before and after, and by who asks for it, between |
//!
//! Where the hypervisor steals time, most kernels charge it to the task that was running and leave it out of
//! `/proc/stat`: our own time then looks larger than the processors' and that of others smaller. [`HostWindow::steal`] says
//! when that is so.
//!
//! So a window of a second is seen to about a hundredth of a processor per processor, one of 50 ms to a fifth:
//! windows shorter than 200 ms say little about others. One snapshot's cost is measured by
//! `cargo run --release -p narrows-observe --example snapshot_cost`.
//!
//! Not here: judging any of it (`narrows-validity`), and the server's own counters (the database layer).

#![forbid(unsafe_code)]

mod counters;
mod cpu;
mod drive;
mod group_account;
mod heat;
mod host_window;
mod io_limits;
mod kernel_threads;
mod links;
mod network;
mod other_programs;
mod sentinel;
mod snapshot;
mod watch;

pub use drive::DriveSeen;
pub use host_window::{CpuSeen, HostWindow, begun_too_late};
pub use other_programs::ProgramCensus;
pub use sentinel::{sentinel, sentinel_on};
pub use snapshot::Snapshot;
pub use watch::{Connections, Watch};
