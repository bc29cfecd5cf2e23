//! What a program that we start takes along: a signal for when we die, and a lock that says that it lives.
//!
//! The kernel's parent-death signal fires when the *thread* that started a child ends (`prctl(2)`, `PR_SET_PDEATHSIG`), so a program is
//! started by a thread that lives as long as it does. It reaches the program alone and not what that has started, which may live on for
//! a moment (`initdb`'s bootstrap ends when its input does): that is what the lock is for.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Lets the program get `signal` when the thread that starts it ends, however it ends.
pub(crate) fn dies_with_us(command: &mut Command, signal: libc::c_int) {
    let us = std::process::id();
    // SAFETY: prctl and getppid are async-signal-safe and allocate nothing. The kernel clears this setting when a
    // process changes its user, and this runs after that change.
    unsafe {
        command.pre_exec(move || {
            if libc::prctl(libc::PR_SET_PDEATHSIG, signal as libc::c_ulong) != 0 {
                return Err(io::Error::last_os_error());
            }
            // We may have died before the call above.
            if libc::getppid() as u32 != us {
                return Err(io::Error::from_raw_os_error(libc::ESRCH));
            }
            Ok(())
        })
    };
}

/// Lets the program and all that it starts inherit an open file, which the caller keeps open until it has started.
pub fn inherits(command: &mut Command, file: &File) {
    let descriptor = file.as_raw_fd();
    // SAFETY: fcntl is async-signal-safe and allocates nothing; the descriptor is a copy of the caller's, and only its flag for closing
    // at execve is cleared, in the child alone.
    unsafe {
        command.pre_exec(move || match libc::fcntl(descriptor, libc::F_SETFD, 0) {
            -1 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        })
    };
}
