//! The one trait behind which every way to a device stands.
//!
//! A path owns its buffers ([`crate::Arena`]) and its file. An operation is named by its slot: at most one is in
//! flight per slot, and the slot's bytes cannot be reached meanwhile, which is what makes handing memory to the
//! kernel sound.
//!
//! Not here: pacing, time stamps, what to read next. Those belong to the caller, who also decides how many
//! operations to keep in flight.

use std::time::Duration;

use crate::{Error, Method, Refusal};

/// What to do with a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Op {
    /// Fill the slot from the file.
    Read,
    /// Write the slot to the file.
    Write,
    /// Declare a range of the file or device unneeded; the slot's bytes play no part.
    Trim,
    /// Make what was written durable (`fdatasync`); offset and length play no part. It covers the writes that were
    /// reaped before it was submitted, no others.
    Sync,
}

impl Op {
    /// Whether the slot's bytes take part.
    #[inline]
    pub fn moves_data(self) -> bool {
        matches!(self, Op::Read | Op::Write)
    }
}

/// One operation that ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Completion {
    /// The slot it was submitted with; free again.
    pub slot: u32,
    /// Bytes moved (0 for [`Op::Trim`] and [`Op::Sync`]), or the negative error number.
    pub result: i32,
}

impl Completion {
    /// Bytes moved, or the error.
    pub fn bytes(&self) -> std::io::Result<u32> {
        u32::try_from(self.result)
            .map_err(|_| std::io::Error::from_raw_os_error(self.result.saturating_neg()))
    }
}

/// What a way over a network saw of lost connections since it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Outages {
    /// How often the connections were lost and made again.
    pub reconnects: u32,
    /// Time without them, ns; that which still lasts is part of it.
    pub disconnected_ns: u64,
    /// The longest that an operation of this way waited that was in flight when they were lost, or submitted while they
    /// were, from its submission, ns; those that still wait are part of it.
    pub longest_stall_ns: u64,
    /// They are lost now.
    pub disconnected: bool,
}

impl Outages {
    /// Of two ways over the same connections.
    #[must_use]
    pub fn both(self, other: Outages) -> Outages {
        Outages {
            reconnects: self.reconnects.max(other.reconnects),
            disconnected_ns: self.disconnected_ns.max(other.disconnected_ns),
            longest_stall_ns: self.longest_stall_ns.max(other.longest_stall_ns),
            disconnected: self.disconnected || other.disconnected,
        }
    }
}

/// An asynchronous way to a device.
pub trait DevicePath {
    /// Which way.
    fn method(&self) -> Method;

    /// Number of slots, and so the most operations that can be in flight.
    fn slots(&self) -> u32;

    /// The bytes of a slot. Panics while an operation on it is in flight.
    fn buffer(&mut self, slot: u32) -> &mut [u8];

    /// Queues an operation on the first `bytes` of the slot, at `offset` of the file. It may start now or with the
    /// next [`reap`](DevicePath::reap). Panics if the slot is in flight already, or if a read or write is longer than
    /// the slot.
    fn submit(&mut self, op: Op, slot: u32, offset: u64, bytes: u32);

    /// Gives the reads and writes submitted from now on that I/O priority, in the kernel's form (`ioprio_set(2)`); 0: that of the
    /// thread, as without this. Ways that know no such thing ignore it.
    fn set_priority(&mut self, priority: u16) {
        let _ = priority;
    }

    /// Starts what is queued, waits for `min` completions (no more than are in flight) and appends all that are
    /// there to `out`. Returns with fewer, perhaps none, after about [`HEARTBEAT_MS`], so that the caller can look at
    /// its stop token; an operation that blocks in the kernel cannot be interrupted on [`Method::Blocking`].
    ///
    /// With `min` 0 nothing is waited for: it starts what is queued and takes what has ended. Only
    /// [`Method::Blocking`], which has nobody else to do the work, executes one operation then.
    fn reap(&mut self, min: u32, out: &mut Vec<Completion>) -> Result<(), Error>;

    /// As [`reap`](DevicePath::reap), but waits at most `wait`, whatever the heartbeat (zero: not at all): an open loop
    /// must be back when its next operation is due. A way without limited waits (kernels before 5.11, polled
    /// completion) returns at once, as with `min` 0, and the caller polls.
    fn reap_within(
        &mut self,
        min: u32,
        wait: Duration,
        out: &mut Vec<Completion>,
    ) -> Result<(), Error> {
        let _ = (min, wait);
        self.reap(0, out)
    }

    /// Operations submitted and not yet reaped.
    fn in_flight(&self) -> u32;

    /// Whether the kernel pinned the buffers once, instead of for every operation; `None` for ways that don't know
    /// such a thing.
    fn registered_buffers(&self) -> Option<bool> {
        None
    }

    /// Time spent so far inside calls that only hand operations over, ns. Such calls should not wait; where they do
    /// (no free request in the device's queue, blocks to be allocated, data in the page cache) this shows it.
    /// `None` where handing over and waiting are one call.
    fn submit_ns(&self) -> Option<u64> {
        None
    }

    /// Threads of the kernel that now execute operations for this path because they could not be started without
    /// blocking; `None` where there is no such thing or it cannot be learned. Costs some system calls: not for
    /// the inside of a window.
    fn workers(&self) -> Option<u32> {
        None
    }

    /// What it saw of lost connections; `None` for ways that have none, or don't make them again.
    fn outages(&self) -> Option<Outages> {
        None
    }

    /// What was asked of this path and not obtained.
    fn refusals(&self) -> &[Refusal] {
        &[]
    }
}

/// The longest wait inside [`DevicePath::reap`] without a completion, ms.
pub const HEARTBEAT_MS: u64 = 20;
