//! A ring, its file and its buffers.

use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use io_uring::types::{Fd, Fixed, FsyncFlags, Timespec};
use io_uring::{opcode, squeue};

use super::ring::Ring;
use super::{polled, setup, workers};
use crate::discard;
use crate::flights::Flights;
use crate::path::HEARTBEAT_MS;
use crate::{Arena, Completion, DevicePath, Error, Method, Op, Options, Refusal};

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

/// io_uring on one file.
pub struct UringPath {
    pub(super) ring: ManuallyDrop<Ring>,
    // Dropped by hand: only when the kernel no longer uses it.
    pub(super) arena: ManuallyDrop<Arena>,
    file: Arc<File>,
    name: PathBuf,
    pub(super) granted: Granted,
    refusals: Vec<Refusal>,
    pub(super) flights: Flights,
    heartbeat: Box<Timespec>,
    heartbeat_armed: bool,
    block_device: bool,
    /// No operation reaches the file.
    nop: bool,
    /// Executed while being submitted, and not reaped yet.
    ended: Vec<Completion>,
    owner: libc::pid_t,
}

impl UringPath {
    /// A ring for up to `depth` operations in flight on `file` (called `name` in errors). What of `options` cannot be
    /// had is left out and kept among the [refusals](DevicePath::refusals).
    pub fn new(
        file: Arc<File>,
        name: PathBuf,
        arena: Arena,
        depth: u32,
        options: Options,
    ) -> io::Result<UringPath> {
        let mut refusals = Vec::new();
        let mut polled = options.polled;
        if polled && let Err(why) = polled::try_out(&file, &arena) {
            refusals.push(Refusal::new("polled completion", why));
            polled = false;
        }
        let (ring, defer_taskrun) = setup::build(depth + 2, polled)?;
        let mut granted = |wanted: bool, what, result: io::Result<()>| {
            if let (true, Err(error)) = (wanted, &result) {
                refusals.push(Refusal::new(what, why_not_registered(error)));
            }
            wanted && result.is_ok()
        };
        let register = |wanted: bool, act: &dyn Fn() -> io::Result<()>| {
            if wanted { act() } else { Ok(()) }
        };
        let submitter = ring.submitter();
        let fixed_file = granted(
            options.registered_file,
            "registered file",
            register(options.registered_file, &|| submitter.register_files(&[file.as_raw_fd()])),
        );
        let fixed_buffers = granted(
            options.registered_buffers,
            "registered buffers",
            // SAFETY: the arena outlives the ring: it is freed in `drop` after the ring, or leaked.
            register(options.registered_buffers, &|| unsafe {
                submitter.register_buffers(&[arena.whole()])
            }),
        );
        if !fixed_buffers && !setup::reads_into_any_buffer(&ring) {
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "this kernel's io_uring (before 5.6) needs registered buffers, and RLIMIT_MEMLOCK refused them",
            ));
        }
        let timed_waits = ring.params().is_feature_ext_arg() && !polled;
        let slots = arena.slots();
        Ok(UringPath {
            ring: ManuallyDrop::new(Ring::new(ring)),
            arena: ManuallyDrop::new(arena),
            block_device: discard::is_block_device(&file),
            file,
            name,
            granted: Granted { defer_taskrun, fixed_file, fixed_buffers, polled, timed_waits },
            refusals,
            flights: Flights::new(slots),
            heartbeat: Box::new(Timespec::new().nsec(HEARTBEAT_MS as u32 * 1_000_000)),
            heartbeat_armed: false,
            nop: false,
            ended: Vec::with_capacity(slots as usize),
            owner: workers::this_thread(),
        })
    }

    /// A ring that executes IORING_OP_NOP for whatever is submitted, and moves no byte.
    pub fn nop(file: Arc<File>, name: PathBuf, arena: Arena, depth: u32) -> io::Result<UringPath> {
        let options = Options { registered_buffers: false, ..Options::default() };
        let mut path = UringPath::new(file, name, arena, depth, options)?;
        path.nop = true;
        Ok(path)
    }

    /// What the kernel granted.
    pub fn granted(&self) -> Granted {
        self.granted
    }

    #[inline]
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
        let entry = if self.nop {
            opcode::Nop::new().build()
        } else if self.granted.fixed_file {
            on!(Fixed(0))
        } else {
            on!(Fd(self.file.as_raw_fd()))
        };
        let moves = if op.moves_data() { u64::from(length) } else { 0 };
        entry.user_data(moves << 32 | u64::from(slot))
    }

    /// Executes what the ring cannot, now; `None` where it can.
    fn in_line(&self, op: Op, offset: u64, bytes: u32) -> Option<i32> {
        match op {
            _ if self.nop => None,
            Op::Trim if self.block_device || self.granted.polled => {
                Some(discard::discard(&self.file, self.block_device, offset, bytes))
            }
            Op::Sync if self.granted.polled => Some(discard::sync(&self.file)),
            _ => None,
        }
    }

    fn arm_heartbeat(&mut self) {
        if !self.heartbeat_armed && !self.granted.polled {
            let entry = opcode::Timeout::new(&*self.heartbeat).build().user_data(HEARTBEAT);
            // SAFETY: the timespec is read while the entry is submitted, and lives longer than the ring.
            self.heartbeat_armed = unsafe { self.ring.push(&entry) };
        }
    }

    /// Takes what has completed; whether the heartbeat was among it.
    #[inline]
    fn collect(&mut self, out: &mut Vec<Completion>) -> bool {
        let mut beat = false;
        let (flights, nop) = (&mut self.flights, self.nop);
        self.ring.completions(|user_data, result| match user_data {
            HEARTBEAT => beat = true,
            CANCEL => {}
            _ => {
                let slot = user_data as u32;
                flights.land(slot);
                let moved = if nop && result == 0 { (user_data >> 32) as i32 } else { result };
                out.push(Completion { slot, result: moved });
            }
        });
        self.heartbeat_armed &= !beat;
        beat
    }

    /// Whether entering the kernel came to nothing in a way that passes by itself.
    #[inline]
    fn interrupted(&self, entered: io::Result<()>) -> Result<bool, Error> {
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

fn why_not_registered(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::ENOMEM) => "not enough locked memory (ulimit -l)".to_string(),
        _ => error.to_string(),
    }
}

impl DevicePath for UringPath {
    fn method(&self) -> Method {
        if self.nop { Method::Nop } else { Method::IoUring }
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
        if !op.moves_data()
            && let Some(result) = self.in_line(op, offset, bytes)
        {
            return self.ended.push(Completion { slot, result });
        }
        let entry = self.entry(op, slot, offset, bytes);
        // SAFETY: the entry points into the arena, which lives until everything in flight came back, or for ever; the
        // slot was marked in flight, so nobody else reaches it.
        while !unsafe { self.ring.push(&entry) } {
            std::thread::yield_now();
        }
    }

    #[inline]
    fn reap(&mut self, min: u32, out: &mut Vec<Completion>) -> Result<(), Error> {
        let enough = out.len() + min.min(self.flights.count()) as usize;
        self.collect_ended(out);
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
        (!self.nop).then_some(self.granted.fixed_buffers)
    }

    fn workers(&self) -> Option<u32> {
        workers::count(self.owner)
    }

    fn refusals(&self) -> &[Refusal] {
        &self.refusals
    }
}
