//! `pread` and `pwrite`: one operation at a time on the calling thread. The way most database servers read, and
//! what remains where io_uring is refused; more depth comes from more threads.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::discard;
use crate::flights::Flights;
use crate::{Arena, Completion, DevicePath, Error, Method, Op};

/// Executes queued operations in order inside `reap`, as many as are waited for.
#[derive(Debug)]
pub struct BlockingPath {
    file: Arc<File>,
    name: PathBuf,
    arena: Arena,
    flights: Flights,
    queued: VecDeque<(Op, u32, u64, u32)>,
    block_device: bool,
}

impl BlockingPath {
    /// A path to `file` (called `name` in errors) over those buffers. Whether it is direct or buffered was decided
    /// when the file was opened.
    pub fn new(file: Arc<File>, name: PathBuf, arena: Arena) -> Self {
        let slots = arena.slots();
        BlockingPath {
            block_device: discard::is_block_device(&file),
            file,
            name,
            arena,
            flights: Flights::new(slots),
            queued: VecDeque::with_capacity(slots as usize),
        }
    }

    fn execute(&mut self, op: Op, slot: u32, offset: u64, bytes: u32) -> i32 {
        let length = bytes as usize;
        let fd = self.file.as_raw_fd();
        let Ok(at) = libc::off_t::try_from(offset) else { return -libc::EINVAL };
        loop {
            let moved = match op {
                Op::Read => {
                    let buffer = &mut self.arena.slot_mut(slot)[..length];
                    // SAFETY: `buffer` is exclusively ours and `length` bytes long; the call returns before the
                    // borrow ends.
                    unsafe { libc::pread(fd, buffer.as_mut_ptr().cast(), length, at) }
                }
                Op::Write => {
                    let buffer = &self.arena.slot(slot)[..length];
                    // SAFETY: `buffer` is readable for `length` bytes for the whole call.
                    unsafe { libc::pwrite(fd, buffer.as_ptr().cast(), length, at) }
                }
                Op::Trim => return discard::discard(&self.file, self.block_device, offset, bytes),
                Op::Sync => return discard::sync(&self.file),
            };
            if moved >= 0 {
                return moved as i32;
            }
            match io::Error::last_os_error().raw_os_error() {
                Some(libc::EINTR) => {}
                errno => return -errno.unwrap_or(libc::EIO),
            }
        }
    }

    /// The file's name in errors.
    pub fn name(&self) -> &std::path::Path {
        &self.name
    }
}

impl DevicePath for BlockingPath {
    fn method(&self) -> Method {
        Method::Blocking
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
        self.queued.push_back((op, slot, offset, bytes));
    }

    fn reap(&mut self, min: u32, out: &mut Vec<Completion>) -> Result<(), Error> {
        for _ in 0..min.max(1) {
            let Some((op, slot, offset, bytes)) = self.queued.pop_front() else { break };
            let result = self.execute(op, slot, offset, bytes);
            self.flights.land(slot);
            out.push(Completion { slot, result });
        }
        Ok(())
    }

    fn reap_within(&mut self, _: u32, _: Duration, out: &mut Vec<Completion>) -> Result<(), Error> {
        self.reap(1, out)
    }

    fn in_flight(&self) -> u32 {
        self.flights.count()
    }
}
