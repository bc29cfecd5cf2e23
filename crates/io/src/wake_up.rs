//! At how many bytes a socket wakes who receives from it.

use std::ffi::c_int;
use std::os::fd::{AsRawFd, BorrowedFd};

/// Most bytes at which a thread is woken: a large block comes in some wake-ups and not in one for each packet, and is copied while
/// its next part comes. On loopback more bytes made no more of it, and from 512 KiB on less.
const WOKEN_AT: usize = 128 << 10;

/// SO_RCVLOWAT of a socket, kept, so that the kernel is only asked where it changes.
#[derive(Debug)]
pub struct WakeUp {
    bytes: usize,
}

impl Default for WakeUp {
    /// As the kernel makes sockets: one byte wakes.
    fn default() -> WakeUp {
        WakeUp { bytes: 1 }
    }
}

impl WakeUp {
    /// Has the kernel wake the thread that waits to receive when there is what is `missing`, bytes, or enough of it. What is missing must be
    /// bound to come: with less the thread sleeps on. It is for poll(2) and a ring's receive, which count what is there: a receive that
    /// blocks takes what is there first, and then sleeps until as much comes once more. Where the kernel refuses, each packet wakes.
    pub fn when(&mut self, socket: BorrowedFd<'_>, missing: usize) {
        let bytes = missing.clamp(1, WOKEN_AT);
        if bytes == self.bytes {
            return;
        }
        let value = bytes as c_int;
        // SAFETY: the kernel reads a number of the size that is said, during the call.
        unsafe {
            libc::setsockopt(
                socket.as_raw_fd(),
                libc::SOL_SOCKET,
                libc::SO_RCVLOWAT,
                (&raw const value).cast(),
                size_of::<c_int>() as libc::socklen_t,
            );
        }
        self.bytes = bytes;
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::AsFd;

    use super::*;

    fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        (one, listener.accept().unwrap().0)
    }

    fn is_readable(socket: &TcpStream) -> bool {
        let mut asked = libc::pollfd { fd: socket.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one structure, for the time of the call.
        let readable = unsafe { libc::poll(&raw mut asked, 1, 0) };
        readable == 1
    }

    #[test]
    fn a_thread_is_woken_when_enough_is_there_and_for_one_byte_again_afterwards() {
        let (mut there, mut here) = pair();
        let mut wake_up = WakeUp::default();
        wake_up.when(here.as_fd(), 3000);
        there.write_all(&[7; 2999]).unwrap();
        here.set_nonblocking(true).unwrap();
        assert_eq!(here.peek(&mut [0; 4000]).unwrap(), 2999);
        assert!(!is_readable(&here));
        there.write_all(&[7]).unwrap();
        assert!(is_readable(&here));
        here.read_exact(&mut [0; 3000]).unwrap();
        wake_up.when(here.as_fd(), 1);
        there.write_all(&[7]).unwrap();
        assert!(is_readable(&here));
    }

    #[test]
    fn what_is_asked_for_is_bounded() {
        let (_there, here) = pair();
        let mut wake_up = WakeUp::default();
        wake_up.when(here.as_fd(), 0);
        assert_eq!(wake_up.bytes, 1);
        wake_up.when(here.as_fd(), 1 << 30);
        assert_eq!(wake_up.bytes, WOKEN_AT);
    }
}
