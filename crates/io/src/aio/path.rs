//! A context, its file and its buffers at work.

use std::cell::UnsafeCell;
use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::calls::{self, Context, Event, Iocb};
use crate::discard;
use crate::flights::Flights;
use crate::path::HEARTBEAT_MS;
use crate::{Arena, Completion, DevicePath, Error, Method, Op};

pub(super) const HEARTBEAT: Duration = Duration::from_millis(HEARTBEAT_MS);
/// How long the end waits for operations to come back before their buffers are given up.
const PATIENCE: Duration = Duration::from_secs(10);

/// Linux AIO on one file.
#[derive(Debug)]
pub struct AioPath {
    pub(super) context: Context,
    // Dropped by hand: only when the kernel no longer uses it.
    pub(super) arena: ManuallyDrop<Arena>,
    file: Arc<File>,
    name: PathBuf,
    block_device: bool,
    pub(super) flights: Flights,
    // One a slot. The kernel reads them, and writes to their key, during `io_submit` only.
    iocbs: Box<[UnsafeCell<Iocb>]>,
    /// Not handed over yet, in order.
    pub(super) queued: Vec<*mut Iocb>,
    pub(super) in_kernel: u32,
    /// Ended while being submitted, and not reaped yet.
    ended: Vec<Completion>,
    pub(super) events: Box<[Event]>,
    submit_ns: u64,
    /// Of what is submitted from now on; 0: that of the thread.
    priority: u16,
    /// Of every write.
    write_flags: [u32; 2],
    pub(super) patience: Duration,
}

/// Whether contexts can be made at all, and if not, what stands in the way.
pub fn available() -> Result<(), String> {
    match Context::setup(1) {
        Ok(context) => {
            context.destroy();
            Ok(())
        }
        Err(error) => Err(reason(&error)),
    }
}

fn reason(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::ENOSYS) => "this kernel has no Linux AIO".to_string(),
        Some(libc::EPERM) => "refused by a seccomp profile or security module".to_string(),
        Some(libc::EAGAIN) => {
            "the system's limit is used up (fs.aio-nr of fs.aio-max-nr)".to_string()
        }
        _ => error.to_string(),
    }
}

impl AioPath {
    /// A context for up to `depth` operations in flight on `file` (called `name` in errors).
    pub fn new(file: Arc<File>, name: PathBuf, arena: Arena, depth: u32) -> io::Result<AioPath> {
        let context = Context::setup(depth)?;
        let slots = arena.slots() as usize;
        Ok(AioPath {
            context,
            block_device: discard::is_block_device(&file),
            file,
            name,
            flights: Flights::new(arena.slots()),
            arena: ManuallyDrop::new(arena),
            iocbs: (0..slots).map(|_| UnsafeCell::default()).collect(),
            queued: Vec::with_capacity(slots),
            in_kernel: 0,
            ended: Vec::with_capacity(slots),
            events: vec![Event::default(); slots].into_boxed_slice(),
            submit_ns: 0,
            priority: 0,
            write_flags: calls::with_flags(0),
            patience: PATIENCE,
        })
    }

    /// Marks writes as atomic, where asked for (`RWF_ATOMIC`, Linux 6.11).
    #[must_use]
    pub fn atomic(mut self, atomic: bool) -> AioPath {
        self.write_flags = calls::with_flags(if atomic { libc::RWF_ATOMIC as u32 } else { 0 });
        self
    }

    pub(super) fn queue(&mut self, iocb: Iocb) {
        let place = self.iocbs[iocb.data as usize].get();
        // SAFETY: the slot was not in flight, so neither the kernel nor `queued` uses its control block.
        unsafe { place.write(iocb) };
        self.queued.push(place);
    }

    /// Hands over what is queued; stops early where the kernel takes no more before something was reaped.
    pub(super) fn flush(&mut self) -> Result<(), Error> {
        while !self.queued.is_empty() {
            let began = Instant::now();
            // SAFETY: the pointers are into `iocbs`, touched by nobody during the call; the buffers lie in the arena,
            // which lives until everything in flight came back, or for ever.
            let taken = unsafe { self.context.submit(&mut self.queued) };
            self.submit_ns += began.elapsed().as_nanos() as u64;
            let error = match taken {
                Ok(taken) => {
                    self.in_kernel += taken as u32;
                    self.queued.drain(..taken);
                    continue;
                }
                Err(error) => error,
            };
            match error.raw_os_error() {
                Some(libc::EINTR) => {}
                // The context is full, or memory is short.
                Some(libc::EAGAIN | libc::ENOMEM) if self.in_kernel > 0 => return Ok(()),
                Some(
                    errno @ (libc::EINVAL
                    | libc::EBADF
                    | libc::EOPNOTSUPP
                    | libc::EFBIG
                    | libc::ENXIO),
                ) => {
                    self.refused(errno);
                }
                _ => return Err(Error::system("submit by io_submit to", &self.name, error)),
            }
        }
        Ok(())
    }

    /// The kernel did not take the first operation; its error is that operation's result.
    fn refused(&mut self, errno: i32) {
        let first = self.queued.remove(0);
        // SAFETY: a control block of ours that the kernel does not use.
        let iocb = unsafe { first.read() };
        let result = if iocb.opcode == calls::FDSYNC && errno == libc::EINVAL {
            // Kernels before 4.18.
            discard::sync(&self.file)
        } else {
            -errno
        };
        self.ended.push(Completion { slot: iocb.data as u32, result });
    }

    /// Gives out what ended while being submitted.
    #[inline]
    pub(super) fn collect_ended(&mut self, out: &mut Vec<Completion>) {
        for completion in self.ended.drain(..) {
            self.flights.land(completion.slot);
            out.push(completion);
        }
    }

    #[inline]
    pub(super) fn take(&mut self, events: usize, out: &mut Vec<Completion>) {
        for event in &self.events[..events] {
            let slot = event.data as u32;
            self.flights.land(slot);
            out.push(Completion { slot, result: event.result as i32 });
        }
        self.in_kernel -= events as u32;
    }
}

impl DevicePath for AioPath {
    fn method(&self) -> Method {
        Method::Aio
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
        let opcode = match op {
            Op::Read => calls::PREAD,
            Op::Write => calls::PWRITE,
            Op::Sync => calls::FDSYNC,
            Op::Trim => {
                // AIO knows no discard.
                let result = discard::discard(&self.file, self.block_device, offset, bytes);
                return self.ended.push(Completion { slot, result });
            }
        };
        let mut iocb = Iocb {
            data: u64::from(slot),
            opcode,
            fd: self.file.as_raw_fd() as u32,
            ..Iocb::default()
        };
        if op.moves_data() {
            let Ok(offset) = i64::try_from(offset) else {
                return self.ended.push(Completion { slot, result: -libc::EINVAL });
            };
            iocb.buffer = self.arena.pointer(slot) as u64;
            iocb.bytes = u64::from(bytes);
            iocb.offset = offset;
            if op == Op::Write {
                iocb.key_and_flags = self.write_flags;
            }
            if self.priority != 0 {
                iocb.priority = self.priority as i16;
                iocb.flags |= calls::WITH_PRIORITY;
            }
        }
        self.queue(iocb);
    }

    fn set_priority(&mut self, priority: u16) {
        self.priority = priority;
    }

    #[inline]
    fn reap(&mut self, min: u32, out: &mut Vec<Completion>) -> Result<(), Error> {
        self.reap_within(min, HEARTBEAT, out)
    }

    #[inline]
    fn reap_within(
        &mut self,
        min: u32,
        wait: Duration,
        out: &mut Vec<Completion>,
    ) -> Result<(), Error> {
        let min = if wait.is_zero() { 0 } else { min.min(self.flights.count()) };
        let enough = out.len() + min as usize;
        loop {
            self.flush()?;
            self.collect_ended(out);
            if self.in_kernel == 0 {
                return Ok(());
            }
            let min = enough.saturating_sub(out.len()).min(self.in_kernel as usize);
            let events = match self.context.wait(min, &mut self.events, wait) {
                Ok(events) => events,
                Err(error) if error.raw_os_error() == Some(libc::EINTR) => return Ok(()),
                Err(error) => {
                    return Err(Error::system("wait by io_getevents for", &self.name, error));
                }
            };
            self.take(events, out);
            // What the context had no room for goes now, or with the next reap.
            if events < min || out.len() >= enough {
                self.flush()?;
                self.collect_ended(out);
                return Ok(());
            }
        }
    }

    fn in_flight(&self) -> u32 {
        self.flights.count()
    }

    fn submit_ns(&self) -> Option<u64> {
        Some(self.submit_ns)
    }
}
