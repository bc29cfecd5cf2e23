//! The ring of a thread: what it is given to do, and what came of it.

use std::io;
use std::time::{Duration, Instant};

use io_uring::types::Timespec;
use io_uring::{IoUring, opcode, squeue};

use super::Wait;

/// Operations that are handed over at once.
const ENTRIES: u32 = 1024;
/// IORING_ENTER_GETEVENTS of `linux/io_uring.h`.
const GETEVENTS: u32 = 1;
/// Looks between two looks at the clock.
const LOOKS: u32 = 256;

/// Whose an operation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    /// The inbox rang.
    Inbox,
    /// Time passed.
    Tick,
    /// Bytes came.
    Receive { peer: u32 },
    /// Bytes went.
    Send { peer: u32 },
    /// A file did something for a command.
    Storage { peer: u32, slot: u16, part: u8 },
}

impl Work {
    fn to_user_data(self) -> u64 {
        match self {
            Work::Inbox => 0,
            Work::Tick => 4 << 56,
            Work::Receive { peer } => 1 << 56 | u64::from(peer),
            Work::Send { peer } => 2 << 56 | u64::from(peer),
            Work::Storage { peer, slot, part } => {
                3 << 56 | u64::from(part) << 48 | u64::from(slot) << 32 | u64::from(peer)
            }
        }
    }

    fn from_user_data(data: u64) -> Work {
        let peer = data as u32;
        match data >> 56 {
            0 => Work::Inbox,
            1 => Work::Receive { peer },
            2 => Work::Send { peer },
            4 => Work::Tick,
            _ => Work::Storage { peer, slot: (data >> 32) as u16, part: (data >> 48) as u8 },
        }
    }
}

/// An operation that ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Done {
    pub(super) work: Work,
    /// As the kernel gives it.
    pub(super) result: i32,
}

/// A ring of one thread.
pub(super) struct Ring {
    ring: IoUring,
    tick: Box<Timespec>,
}

impl Ring {
    /// A ring whose turns last `tick` at most.
    pub(super) fn new(tick: Duration) -> io::Result<Ring> {
        let ring = narrows_io::build_ring(ENTRIES)?;
        let mut ring = Ring { ring, tick: Box::new(Timespec::from(tick)) };
        ring.renew_tick();
        Ok(ring)
    }

    /// A timeout in the ring: one for each wait would set a timer for each command, which costs a virtual machine an exit.
    pub(super) fn renew_tick(&mut self) {
        let timeout = opcode::Timeout::new(&raw const *self.tick).build();
        self.push(timeout, Work::Tick);
    }

    /// Gives an operation to the next turn. Its memory is the peer's, which stays until the operation has ended.
    pub(super) fn push(&mut self, entry: squeue::Entry, work: Work) {
        let entry = entry.user_data(work.to_user_data());
        loop {
            // SAFETY: what entries point to belongs to a peer, a slot of it, or the inbox, none of which is freed or moved
            // before its operations have ended (`Reactor::close`).
            if unsafe { self.ring.submission().push(&entry) }.is_ok() {
                return;
            }
            // Full: the kernel takes what is there. An error shows itself at the turn.
            if self.ring.submit().is_err() {
                std::thread::yield_now();
            }
        }
    }

    /// Hands over what there is, waits as was chosen until something ended, and appends that to `done`.
    pub(super) fn turn(&mut self, wait: Wait, done: &mut Vec<Done>) -> io::Result<()> {
        match wait {
            Wait::Sleep => self.sleep()?,
            Wait::Spin(Duration::ZERO) => {
                self.look(Some(Duration::ZERO))?;
            }
            Wait::Spin(spin) => {
                if !self.look(Some(spin))? {
                    self.sleep()?;
                }
            }
            Wait::Poll => {
                self.look(None)?;
            }
        }
        for entry in self.ring.completion() {
            let work = Work::from_user_data(entry.user_data());
            done.push(Done { work, result: entry.result() });
        }
        Ok(())
    }

    fn sleep(&mut self) -> io::Result<()> {
        match self.ring.submit_and_wait(1) {
            Err(error) if !is_passing(&error) => Err(error),
            _ => Ok(()),
        }
    }

    /// Looks until something ended, or for so long; whether it did. The kernel is only entered where it has something to do
    /// for us.
    fn look(&mut self, limit: Option<Duration>) -> io::Result<bool> {
        let begun = Instant::now();
        loop {
            for _ in 0..LOOKS {
                let (queued, work) = {
                    let submissions = self.ring.submission();
                    let work = submissions.taskrun() || submissions.cq_overflow();
                    (submissions.len() as u32, work)
                };
                if queued > 0 || work {
                    let submitter = self.ring.submitter();
                    // SAFETY: no argument is passed, and entries were pushed under the promise of `push`.
                    let entered =
                        unsafe { submitter.enter::<libc::sigset_t>(queued, 0, GETEVENTS, None) };
                    match entered {
                        Ok(_) => {}
                        Err(error) if is_passing(&error) => {}
                        Err(error) => return Err(error),
                    }
                }
                if !self.ring.completion().is_empty() {
                    return Ok(true);
                }
                std::hint::spin_loop();
            }
            if limit.is_some_and(|limit| begun.elapsed() >= limit) {
                return Ok(false);
            }
        }
    }
}

fn is_passing(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EINTR | libc::EBUSY | libc::EAGAIN))
}

/// CPU time of this thread, ns.
pub(super) fn thread_cpu_ns() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000
        + u64::try_from(time.tv_nsec).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whose_an_operation_is_survives_the_kernel() {
        for work in [
            Work::Inbox,
            Work::Tick,
            Work::Receive { peer: 7 },
            Work::Send { peer: u32::MAX },
            Work::Storage { peer: 65_536, slot: u16::MAX, part: 0 },
            Work::Storage { peer: 1, slot: 2, part: 3 },
        ] {
            assert_eq!(Work::from_user_data(work.to_user_data()), work);
        }
    }
}
