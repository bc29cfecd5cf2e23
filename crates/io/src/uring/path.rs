//! A ring, its file and its buffers at work.

use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use io_uring::opcode;
use io_uring::types::Timespec;

use super::nvme::Nvme;
use super::ring::Ring;
use super::secondary_ring::Aside;
use super::submission_encoder::{Dialect, Files, Route, Wish};
use super::workers;
use crate::flights::Flights;
use crate::{Arena, Completion, DevicePath, Error, Method, Op, Refusal};

/// `user_data` of the heartbeat; that of an operation is its slot, and its length above bit 32.
const HEARTBEAT: u64 = u64::MAX;
/// `user_data` of the cancellation at the end.
pub(super) const CANCEL: u64 = u64::MAX - 1;

/// What the kernel granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Granted {
    /// Completions run on request only.
    pub defer_taskrun: bool,
    /// The file is registered.
    pub fixed_file: bool,
    /// The buffers are registered (pinned once).
    pub fixed_buffers: bool,
    /// Completions are looked for instead of announced by interrupts.
    pub polled: bool,
    /// A wait can have a limit of its own (5.11).
    pub timed_waits: bool,
}

/// io_uring on one file or block device.
pub type UringPath = RingPath<Files>;
/// io_uring with the commands of an NVMe drive, on its character device.
pub type PassthroughPath = RingPath<Nvme>;

/// A ring, its file and its buffers.
pub struct RingPath<D: Dialect> {
    pub(super) ring: ManuallyDrop<Ring<D::Submission, D::Completion>>,
    // Dropped by hand: only when the kernel no longer uses it.
    pub(super) arena: ManuallyDrop<Arena>,
    pub(super) file: Arc<File>,
    pub(super) name: PathBuf,
    pub(super) granted: Granted,
    pub(super) refusals: Vec<Refusal>,
    pub(super) flights: Flights,
    pub(super) heartbeat: Box<Timespec>,
    pub(super) heartbeat_armed: bool,
    // As the arena: some commands read from it.
    pub(super) dialect: ManuallyDrop<D>,
    /// The ring beside a polled one.
    pub(super) aside: Option<Aside>,
    /// Executed while being submitted, and not reaped yet.
    pub(super) ended: Vec<Completion>,
    pub(super) owner: libc::pid_t,
    /// Of what is submitted from now on.
    pub(super) priority: u16,
}

impl<D: Dialect> RingPath<D> {
    /// What the kernel granted.
    pub fn granted(&self) -> Granted {
        self.granted
    }

    #[inline]
    fn wish(&self, op: Op, slot: u32, offset: u64, bytes: u32) -> Wish {
        let moves = if op.moves_data() { u64::from(bytes) } else { 0 };
        Wish {
            op,
            pointer: self.arena.pointer(slot),
            offset,
            bytes,
            user_data: moves << 32 | u64::from(slot),
            fd: self.file.as_raw_fd(),
            fixed_file: self.granted.fixed_file,
            fixed_buffer: self.granted.fixed_buffers,
            priority: self.priority,
        }
    }

    /// Apart, so that reads and writes stay short.
    #[cold]
    #[inline(never)]
    fn submit_without_data(&mut self, op: Op, slot: u32, offset: u64, bytes: u32) {
        let wish = self.wish(op, slot, offset, bytes);
        match self.dialect.without_data(&wish, &self.file, self.granted.polled) {
            Route::Ring(entry) => self.insist(&entry),
            Route::Aside(entry) => match &mut self.aside {
                // SAFETY: entries on this route point to no memory.
                Some(aside) => unsafe { aside.submit(&entry) },
                None => self.end(slot, -libc::EOPNOTSUPP),
            },
            Route::Ended(result) => self.end(slot, result),
        }
    }

    /// Keeps the result of what was, or could not be, executed while being submitted.
    #[cold]
    #[inline(never)]
    fn end(&mut self, slot: u32, result: i32) {
        self.ended.push(Completion { slot, result });
    }

    /// Queues an entry of [`submit`](DevicePath::submit) that the kernel would not take at once.
    #[cold]
    #[inline(never)]
    fn insist(&mut self, entry: &D::Submission) {
        // SAFETY: as there.
        while !unsafe { self.ring.push(entry) } {
            std::thread::yield_now();
        }
    }

    fn arm_heartbeat(&mut self) {
        if !self.heartbeat_armed && !self.granted.polled {
            let entry = opcode::Timeout::new(&*self.heartbeat).build().user_data(HEARTBEAT);
            // SAFETY: the timespec is read while the entry is submitted, and lives longer than the ring.
            self.heartbeat_armed = unsafe { self.ring.push(&entry.into()) };
        }
    }

    /// Takes what has completed; whether the heartbeat was among it.
    #[inline]
    pub(super) fn collect(&mut self, out: &mut Vec<Completion>) -> bool {
        let mut beat = false;
        let (flights, dialect, file) = (&mut self.flights, &mut self.dialect, &self.file);
        self.ring.completions(|user_data, result| match user_data {
            HEARTBEAT => beat = true,
            CANCEL => {}
            _ => {
                let (slot, bytes) = (user_data as u32, (user_data >> 32) as u32);
                flights.land(slot);
                let mut result = dialect.outcome(result, bytes);
                if bytes == 0 {
                    result = dialect.ended(slot, result, file);
                }
                out.push(Completion { slot, result });
            }
        });
        self.heartbeat_armed &= !beat;
        beat
    }

    /// Whether entering the kernel came to nothing in a way that passes by itself.
    #[inline]
    pub(super) fn interrupted(&self, entered: io::Result<()>) -> Result<bool, Error> {
        match entered {
            Ok(()) => Ok(false),
            // A signal; or memory is short; or the completion queue is backed up and wants to be emptied.
            Err(error)
                if matches!(
                    error.raw_os_error(),
                    Some(libc::EINTR | libc::EAGAIN | libc::EBUSY)
                ) =>
            {
                Ok(true)
            }
            Err(error) => Err(Error::system("submit to io_uring for", &self.name, error)),
        }
    }

    /// Takes what was executed while being submitted.
    pub(super) fn collect_ended(&mut self, out: &mut Vec<Completion>) {
        for completion in self.ended.drain(..) {
            self.flights.land(completion.slot);
            out.push(completion);
        }
    }
}

impl<D: Dialect> DevicePath for RingPath<D> {
    fn method(&self) -> Method {
        self.dialect.method()
    }

    fn slots(&self) -> u32 {
        self.arena.slots()
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.flights.assert_landed(slot);
        self.arena.slot_mut(slot)
    }

    #[inline]
    fn submit(&mut self, op: Op, slot: u32, offset: u64, bytes: u32) {
        self.arena.assert_fits(op, bytes);
        self.flights.take_off(slot);
        if !op.moves_data() {
            return self.submit_without_data(op, slot, offset, bytes);
        }
        let entry = match self.dialect.data(&self.wish(op, slot, offset, bytes)) {
            Ok(entry) => entry,
            Err(result) => return self.end(slot, result),
        };
        // SAFETY: the entry points into the arena, which lives until everything in flight came back, or for ever; the
        // slot was marked in flight, so nobody else reaches it.
        if !unsafe { self.ring.push(&entry) } {
            self.insist(&entry);
        }
    }

    fn set_priority(&mut self, priority: u16) {
        self.priority = priority;
    }

    #[inline]
    fn reap(&mut self, min: u32, out: &mut Vec<Completion>) -> Result<(), Error> {
        let enough = out.len() + min.min(self.flights.count()) as usize;
        self.collect_ended(out);
        if self.aside_in_flight() > 0 {
            return self.reap_both(enough, out);
        }
        if out.len() < enough {
            self.arm_heartbeat();
        }
        loop {
            let entered = self.ring.enter(enough.saturating_sub(out.len()));
            let interrupted = self.interrupted(entered)?;
            let beat = self.collect(out);
            // A short submission leaves entries behind; they go with the next round.
            if beat || interrupted || (out.len() >= enough && self.ring.all_submitted()) {
                return Ok(());
            }
        }
    }

    fn reap_within(
        &mut self,
        min: u32,
        wait: Duration,
        out: &mut Vec<Completion>,
    ) -> Result<(), Error> {
        let enough = out.len() + min.min(self.flights.count()) as usize;
        self.collect_ended(out);
        self.collect_aside(Duration::ZERO, out)?;
        let wanted = enough.saturating_sub(out.len());
        let entered = if wait.is_zero() || wanted == 0 || !self.granted.timed_waits {
            self.ring.enter(0)
        } else {
            self.ring.enter_within(wanted, wait)
        };
        self.interrupted(entered)?;
        self.collect(out);
        Ok(())
    }

    fn in_flight(&self) -> u32 {
        self.flights.count()
    }

    fn registered_buffers(&self) -> Option<bool> {
        (self.dialect.method() != Method::Nop).then_some(self.granted.fixed_buffers)
    }

    fn workers(&self) -> Option<u32> {
        workers::count(self.owner)
    }

    fn refusals(&self) -> &[Refusal] {
        &self.refusals
    }
}
