//! Waiting for whichever of several sockets has something to read.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::time::Duration;

/// Waits for any of several descriptors (epoll(7)), with a timeout finer than a millisecond where the kernel has
/// `epoll_pwait2` (5.11).
pub(crate) struct Poller {
    epoll: OwnedFd,
    events: Vec<libc::epoll_event>,
    fine: bool,
}

impl Poller {
    /// Watches nothing yet.
    pub(crate) fn new() -> io::Result<Poller> {
        // SAFETY: no pointers; the result is checked before it is owned.
        let fd = unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // Sleeps end up to the timer slack late (50 µs by default); the schedule of an open loop needs better.
        // SAFETY: PR_SET_TIMERSLACK takes an integer and concerns this thread only.
        unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1000) };
        // SAFETY: `fd` is a fresh descriptor that nobody else owns.
        let epoll = unsafe { OwnedFd::from_raw_fd(fd) };
        Ok(Poller { epoll, events: vec![libc::epoll_event { events: 0, u64: 0 }; 64], fine: true })
    }

    /// Watches `fd`, open from here on, for something to read; events of it say `index`.
    pub(crate) fn add(&self, fd: i32, index: usize) -> io::Result<()> {
        let mut event = libc::epoll_event { events: libc::EPOLLIN as u32, u64: index as u64 };
        // SAFETY: both descriptors are open, `event` is valid for the duration of the call.
        let rc =
            unsafe { libc::epoll_ctl(self.epoll.as_raw_fd(), libc::EPOLL_CTL_ADD, fd, &mut event) };
        if rc < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// What the event of that number in the last wait was about.
    pub(crate) fn event(&self, index: usize) -> usize {
        self.events[index].u64 as usize
    }

    /// How many events there are, at the latest after `timeout`.
    #[inline]
    pub(crate) fn wait(&mut self, timeout: Duration) -> io::Result<usize> {
        let n = if self.fine {
            let time = libc::timespec {
                tv_sec: timeout.as_secs() as libc::time_t,
                tv_nsec: timeout.subsec_nanos() as libc::c_long,
            };
            // SAFETY: the event buffer holds 64 entries, `time` outlives the call, no signal mask is passed.
            unsafe {
                libc::syscall(
                    libc::SYS_epoll_pwait2,
                    self.epoll.as_raw_fd(),
                    self.events.as_mut_ptr(),
                    self.events.len() as i32,
                    &time as *const libc::timespec,
                    std::ptr::null::<libc::sigset_t>(),
                    0usize,
                ) as i32
            }
        } else {
            // SAFETY: the event buffer holds 64 entries.
            unsafe {
                libc::epoll_wait(
                    self.epoll.as_raw_fd(),
                    self.events.as_mut_ptr(),
                    self.events.len() as i32,
                    timeout.as_millis() as i32,
                )
            }
        };
        if n >= 0 {
            return Ok(n as usize);
        }
        let error = io::Error::last_os_error();
        match error.raw_os_error() {
            Some(libc::EINTR) => Ok(0),
            Some(libc::ENOSYS) if self.fine => {
                self.fine = false;
                Ok(0)
            }
            _ => Err(error),
        }
    }
}
