//! Signals as something to read: the target's threads are never interrupted.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

/// What a signal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    /// SIGTERM or SIGINT.
    Stop,
    /// SIGHUP.
    LookAgain,
}

/// The signals that are taken.
#[derive(Debug)]
pub(crate) struct Signals {
    fd: OwnedFd,
}

impl Signals {
    /// Takes them for this thread and all that it begins afterwards.
    ///
    /// # Errors
    /// What the kernel says.
    pub(crate) fn take() -> io::Result<Signals> {
        // SAFETY: a set on the stack, made empty before signals are added to it; the calls take it by reference.
        let fd = unsafe {
            let mut set: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&raw mut set);
            for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP] {
                libc::sigaddset(&raw mut set, signal);
            }
            let refused =
                libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut());
            if refused != 0 {
                return Err(io::Error::from_raw_os_error(refused));
            }
            libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK)
        };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a fresh descriptor that nobody else has.
        Ok(Signals { fd: unsafe { OwnedFd::from_raw_fd(fd) } })
    }

    pub(crate) fn fd(&self) -> RawFd {
        self.fd.as_raw_fd()
    }

    /// The next that came, if one did.
    pub(crate) fn next(&self) -> Option<Signal> {
        let mut bytes = [0; size_of::<libc::signalfd_siginfo>()];
        let read = rustix::io::read(&self.fd, &mut bytes).ok()?;
        if read < bytes.len() {
            return None;
        }
        // The number is the first field.
        let number = u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        let hang_up = number == libc::SIGHUP as u32;
        Some(if hang_up { Signal::LookAgain } else { Signal::Stop })
    }
}
