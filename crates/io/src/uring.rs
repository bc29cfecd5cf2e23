//! io_uring: the cheapest way to keep many operations in flight from one thread.
//!
//! What is asked of the kernel, newest first, each left out where it is refused: DEFER_TASKRUN with SINGLE_ISSUER
//! (6.1: completions run when we ask, without interrupts between threads), COOP_TASKRUN (5.19), SUBMIT_ALL
//! (5.18), a registered ring descriptor (5.18), registered file and buffers (5.1; buffers count against
//! RLIMIT_MEMLOCK, so an ordinary user often gets them only for small pools). See io_uring_setup(2).
//!
//! With DEFER_TASKRUN completions appear only when the thread that made the ring enters the kernel for events, so
//! a path is made on the thread that uses it and is not `Send`.
//!
//! Waits are ended by a timeout operation in the ring itself, renewed every [`HEARTBEAT_MS`]; a timeout per wait
//! would program the timer for every operation, which on a virtual machine is an exit to the hypervisor. A
//! timeout wakes a waiter whatever number of completions it waits for (io_uring_enter(2)).

use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use io_uring::types::{CancelBuilder, Fd, Fixed, FsyncFlags, Timespec};
use io_uring::{CompletionQueue, IoUring, Probe, SubmissionQueue, Submitter, opcode, squeue};

use crate::discard;
use crate::path::{Flights, HEARTBEAT_MS};
use crate::{Arena, Completion, DevicePath, Error, Method, Op};

/// `user_data` of the heartbeat; slots are below 2^32.
const HEARTBEAT: u64 = u64::MAX;
/// `user_data` of the cancellation at the end.
const CANCEL: u64 = u64::MAX - 1;
/// How long the end waits for operations to come back before their buffers are given up.
const DRAIN: Duration = Duration::from_secs(10);

/// What the kernel granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Granted {
    /// Completions run on request only.
    pub defer_taskrun: bool,
    /// The file is registered.
    pub fixed_file: bool,
    /// The buffers are registered (pinned once).
    pub fixed_buffers: bool,
}

/// A ring, its file and its buffers.
pub struct UringPath {
    // The queues borrow `ring`, which is why they are dropped by hand, before it.
    submitter: ManuallyDrop<Submitter<'static>>,
    submissions: ManuallyDrop<SubmissionQueue<'static>>,
    completions: ManuallyDrop<CompletionQueue<'static>>,
    ring: *mut IoUring,
    // Dropped by hand: only when the kernel no longer uses it.
    arena: ManuallyDrop<Arena>,
    file: Arc<File>,
    name: PathBuf,
    granted: Granted,
    flights: Flights,
    heartbeat: Box<Timespec>,
    heartbeat_armed: bool,
    block_device: bool,
    /// Executed while submitting, and not reaped yet.
    done_in_line: Vec<Completion>,
}

impl UringPath {
    /// A ring for up to `depth` operations in flight on `file` (called `name` in errors).
    pub fn new(file: Arc<File>, name: PathBuf, arena: Arena, depth: u32) -> io::Result<UringPath> {
        let (ring, defer_taskrun) = build(depth + 2)?;
        let fixed_file = ring.submitter().register_files(&[file.as_raw_fd()]).is_ok();
        // SAFETY: the arena outlives the ring: it is freed in `drop` after the ring, or leaked.
        let fixed_buffers = unsafe { ring.submitter().register_buffers(&[arena.whole()]) }.is_ok();
        if !fixed_buffers && !reads_into_any_buffer(&ring) {
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "this kernel's io_uring (before 5.6) needs registered buffers, and RLIMIT_MEMLOCK refused them",
            ));
        }
        let ring = Box::into_raw(Box::new(ring));
        // SAFETY: `ring` comes from Box::into_raw and is freed only in `drop`, after the three parts that borrow it.
        let (mut submitter, submissions, completions) = unsafe { (*ring).split() };
        // Saves a look-up of the descriptor per system call; kernels before 5.18 refuse.
        let _ = submitter.register_ring_fd();
        let slots = arena.slots();
        let block_device = discard::is_block_device(&file);
        Ok(UringPath {
            submitter: ManuallyDrop::new(submitter),
            submissions: ManuallyDrop::new(submissions),
            completions: ManuallyDrop::new(completions),
            ring,
            arena: ManuallyDrop::new(arena),
            file,
            name,
            granted: Granted { defer_taskrun, fixed_file, fixed_buffers },
            flights: Flights::new(slots),
            heartbeat: Box::new(Timespec::new().nsec(HEARTBEAT_MS as u32 * 1_000_000)),
            heartbeat_armed: false,
            block_device,
            done_in_line: Vec::with_capacity(slots as usize),
        })
    }

    /// What the kernel granted.
    pub fn granted(&self) -> Granted {
        self.granted
    }

    fn entry(&self, op: Op, slot: u32, offset: u64, length: u32) -> squeue::Entry {
        let pointer = self.arena.pointer(slot);
        macro_rules! on {
            ($fd:expr) => {
                match (op, self.granted.fixed_buffers) {
                    (Op::Read, true) => {
                        opcode::ReadFixed::new($fd, pointer, length, 0).offset(offset).build()
                    }
                    (Op::Read, false) => {
                        opcode::Read::new($fd, pointer, length).offset(offset).build()
                    }
                    (Op::Write, true) => {
                        opcode::WriteFixed::new($fd, pointer, length, 0).offset(offset).build()
                    }
                    (Op::Write, false) => {
                        opcode::Write::new($fd, pointer, length).offset(offset).build()
                    }
                    (Op::Trim, _) => opcode::Fallocate::new($fd, u64::from(length))
                        .offset(offset)
                        .mode(discard::PUNCH)
                        .build(),
                    (Op::Sync, _) => opcode::Fsync::new($fd).flags(FsyncFlags::DATASYNC).build(),
                }
            };
        }
        let entry =
            if self.granted.fixed_file { on!(Fixed(0)) } else { on!(Fd(self.file.as_raw_fd())) };
        entry.user_data(u64::from(slot))
    }

    /// Queues an entry, making room first where the queue is full. Returns whether it was queued: the kernel
    /// may decline to take entries for a while.
    fn push(&mut self, entry: &squeue::Entry) -> bool {
        for _ in 0..2 {
            // SAFETY: an entry for a slot points into the arena, which lives until everything in flight came back,
            // and the slot was marked in flight; the heartbeat's timespec lives as long as the ring.
            if unsafe { self.submissions.push(entry) }.is_ok() {
                return true;
            }
            self.submissions.sync();
            let _ = self.submitter.submit();
            self.submissions.sync();
        }
        false
    }

    fn arm_heartbeat(&mut self) {
        if !self.heartbeat_armed {
            let entry = opcode::Timeout::new(&*self.heartbeat).build().user_data(HEARTBEAT);
            self.heartbeat_armed = self.push(&entry);
        }
    }

    /// Takes what has completed; whether the heartbeat was among it.
    #[inline]
    fn collect(&mut self, out: &mut Vec<Completion>) -> bool {
        let mut beat = false;
        self.completions.sync();
        for entry in &mut *self.completions {
            match entry.user_data() {
                HEARTBEAT => {
                    self.heartbeat_armed = false;
                    beat = true;
                }
                CANCEL => {}
                slot => {
                    let slot = slot as u32;
                    self.flights.land(slot);
                    out.push(Completion { slot, result: entry.result() });
                }
            }
        }
        self.completions.sync();
        beat
    }

    /// Cancels what can be cancelled and waits for the rest; whether everything came back.
    fn drain(&mut self) -> bool {
        if self.flights.count() == 0 {
            return true;
        }
        // Kernels before 5.19 refuse to cancel everything at once; waiting alone also ends.
        let cancel = opcode::AsyncCancel2::new(CancelBuilder::any()).build().user_data(CANCEL);
        let _ = self.push(&cancel);
        let deadline = Instant::now() + DRAIN;
        let mut out = Vec::with_capacity(self.flights.count() as usize);
        while self.flights.count() > 0 {
            if Instant::now() > deadline || self.reap(1, &mut out).is_err() {
                return false;
            }
        }
        true
    }
}

/// A ring, with as many of the newer features as the kernel knows; and whether completions are deferred.
fn build(entries: u32) -> io::Result<(IoUring, bool)> {
    let entries = entries.next_power_of_two().max(8);
    let mut refused = None;
    for generation in (0..4).rev() {
        let mut builder = IoUring::builder();
        if generation >= 3 {
            builder.setup_single_issuer().setup_defer_taskrun();
        }
        if generation >= 2 {
            builder.setup_coop_taskrun();
        }
        if generation >= 1 {
            builder.setup_submit_all();
        }
        match builder.build(entries) {
            Ok(ring) => return Ok((ring, generation >= 3)),
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => refused = Some(error),
            Err(error) => return Err(error),
        }
    }
    Err(refused.unwrap_or_else(|| io::Error::from_raw_os_error(libc::EINVAL)))
}

/// Whether plain READ and WRITE exist (5.6, as does the question).
fn reads_into_any_buffer(ring: &IoUring) -> bool {
    let mut probe = Probe::new();
    ring.submitter().register_probe(&mut probe).is_ok() && probe.is_supported(opcode::Read::CODE)
}

/// Whether rings can be made at all, and if not, what stands in the way.
pub fn available() -> Result<(), String> {
    let error = match build(2) {
        Ok(_) => return Ok(()),
        Err(error) => error,
    };
    let setting = std::fs::read_to_string("/proc/sys/kernel/io_uring_disabled").unwrap_or_default();
    Err(match (error.raw_os_error(), setting.trim()) {
        (Some(libc::ENOSYS), _) => "this kernel has no io_uring".to_string(),
        (Some(libc::EPERM), "2") => "kernel.io_uring_disabled = 2".to_string(),
        (Some(libc::EPERM), "1") => {
            "kernel.io_uring_disabled = 1 and this user is not in kernel.io_uring_group".to_string()
        }
        (Some(libc::EPERM), _) => "refused by a seccomp profile or security module".to_string(),
        (Some(libc::ENOMEM), _) => "not enough locked memory (ulimit -l)".to_string(),
        _ => error.to_string(),
    })
}

impl DevicePath for UringPath {
    fn method(&self) -> Method {
        Method::IoUring
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
        if op == Op::Trim && self.block_device {
            let result = discard::discard(&self.file, true, offset, bytes);
            self.done_in_line.push(Completion { slot, result });
            return;
        }
        let entry = self.entry(op, slot, offset, bytes);
        while !self.push(&entry) {
            std::thread::yield_now();
        }
    }

    #[inline]
    fn reap(&mut self, min: u32, out: &mut Vec<Completion>) -> Result<(), Error> {
        let enough = out.len() + min.min(self.flights.count()) as usize;
        for completion in self.done_in_line.drain(..) {
            self.flights.land(completion.slot);
            out.push(completion);
        }
        self.arm_heartbeat();
        loop {
            let wanted = enough.saturating_sub(out.len());
            self.submissions.sync();
            let interrupted = match self.submitter.submit_and_wait(wanted) {
                Ok(_) => false,
                // A signal; or the completion queue is backed up and wants to be emptied; or memory is short.
                Err(error)
                    if matches!(
                        error.raw_os_error(),
                        Some(libc::EINTR | libc::EAGAIN | libc::EBUSY)
                    ) =>
                {
                    true
                }
                Err(error) => {
                    return Err(Error::system("submit to io_uring for", &self.name, error));
                }
            };
            self.submissions.sync();
            let beat = self.collect(out);
            // A short submission leaves entries behind; they go with the next round.
            if beat || interrupted || (out.len() >= enough && self.submissions.is_empty()) {
                return Ok(());
            }
        }
    }

    fn in_flight(&self) -> u32 {
        self.flights.count()
    }

    fn registered_buffers(&self) -> Option<bool> {
        Some(self.granted.fixed_buffers)
    }
}

impl Drop for UringPath {
    fn drop(&mut self) {
        let drained = self.drain();
        if drained {
            // Closing a ring lets go of its file and its locked memory some time later, on another thread of the
            // kernel; whoever unmounts or registers next should not meet them.
            if self.granted.fixed_buffers {
                let _ = self.submitter.unregister_buffers();
            }
            if self.granted.fixed_file {
                let _ = self.submitter.unregister_files();
            }
        }
        // SAFETY: each is dropped once, here, the borrowers before `ring`, which came from Box::into_raw.
        unsafe {
            ManuallyDrop::drop(&mut self.submitter);
            ManuallyDrop::drop(&mut self.submissions);
            ManuallyDrop::drop(&mut self.completions);
            drop(Box::from_raw(self.ring));
        }
        if drained {
            // SAFETY: dropped once, and nothing in flight refers to it.
            unsafe { ManuallyDrop::drop(&mut self.arena) };
        }
        // Else the memory is left to the kernel, which may still write to it.
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A path whose reads never complete: the reading end of a pipe nobody writes to.
    fn silent(writer_kept: &mut Vec<File>) -> Option<UringPath> {
        if let Err(reason) = available() {
            eprintln!("SKIPPED: no io_uring: {reason}");
            return None;
        }
        use std::os::fd::FromRawFd;
        let mut ends = [0; 2];
        // SAFETY: `ends` has room for the two descriptors.
        assert_eq!(unsafe { libc::pipe(ends.as_mut_ptr()) }, 0);
        // SAFETY: both descriptors are fresh and belong to nobody else.
        let (reader, writer) = unsafe { (File::from_raw_fd(ends[0]), File::from_raw_fd(ends[1])) };
        writer_kept.push(writer);
        let arena = Arena::new(4, 4096, 4096).unwrap();
        Some(UringPath::new(Arc::new(reader), "pipe".into(), arena, 4).unwrap())
    }

    #[test]
    fn a_wait_without_completions_returns_for_the_stop_token() {
        let mut keep = Vec::new();
        let Some(mut path) = silent(&mut keep) else { return };
        let mut out = Vec::new();
        for slot in 0..3 {
            path.submit(Op::Read, slot, u64::MAX, 4096);
        }
        for _ in 0..3 {
            let began = Instant::now();
            path.reap(3, &mut out).unwrap();
            assert!(out.is_empty());
            assert!(began.elapsed() < Duration::from_secs(5), "woken by the heartbeat");
        }
        assert_eq!(path.in_flight(), 3);
    }

    #[test]
    fn dropping_cancels_what_is_in_flight() {
        let mut keep = Vec::new();
        let Some(mut path) = silent(&mut keep) else { return };
        path.submit(Op::Read, 0, u64::MAX, 4096);
        path.submit(Op::Read, 1, u64::MAX, 4096);
        path.reap(1, &mut Vec::new()).unwrap();
        let began = Instant::now();
        assert!(path.drain(), "cancelled reads come back");
        assert!(began.elapsed() < DRAIN);
        drop(path);
    }

    #[test]
    fn more_than_the_queue_holds_can_be_submitted() {
        if available().is_err() {
            eprintln!("SKIPPED: no io_uring");
            return;
        }
        let zeros = Arc::new(File::open("/dev/zero").unwrap());
        let arena = Arena::new(100, 4096, 4096).unwrap();
        let mut path = UringPath::new(zeros, "/dev/zero".into(), arena, 4).unwrap();
        for slot in 0..100 {
            path.submit(Op::Read, slot, 0, 4096);
        }
        let mut out = Vec::new();
        while path.in_flight() > 0 {
            path.reap(path.in_flight(), &mut out).unwrap();
        }
        let mut slots: Vec<_> = out.iter().map(|completion| completion.slot).collect();
        slots.sort_unstable();
        assert_eq!(slots, (0..100).collect::<Vec<_>>());
        assert!(out.iter().all(|completion| completion.result == 4096));
    }

    #[test]
    #[should_panic(expected = "slot 0 is in flight")]
    fn a_buffer_in_flight_cannot_be_reached() {
        let mut keep = Vec::new();
        let Some(mut path) = silent(&mut keep) else { panic!("slot 0 is in flight (skipped)") };
        path.submit(Op::Read, 0, u64::MAX, 4096);
        path.buffer(0);
    }
}
