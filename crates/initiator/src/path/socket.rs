//! Bytes of a path's queue to its socket and back, in the clear or by TLS, and sleeping until there are some.

use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::time::{Duration, Instant};

use narrows_nvme_tls::NoKeys;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::NvmeTcpPath;
use crate::queue::{Piece, SlotMemory};
use crate::{HostError, stamps};

/// The rest of a command's data is received where it belongs from this size on, bytes.
const DIRECT_FROM: usize = 16 << 10;
/// Bytes that wait encrypted before no more are encrypted.
const ENCRYPTED_AHEAD: usize = 256 << 10;
/// Most pieces of a message.
const PIECES: usize = 256;

/// Bytes for which a thread need not be woken before they are there.
fn missing(direct: &Option<(u16, Range<usize>)>) -> usize {
    direct.as_ref().map_or(1, |(_, range)| range.len())
}

impl NvmeTcpPath {
    /// Sends what there is, as far as the socket takes it; whether all went.
    pub(super) fn flush(&mut self) -> Result<bool, HostError> {
        let Some(stream) = self.stream.as_ref() else { return Ok(true) };
        let socket = stream.as_raw_fd();
        while self.queue.in_flight() < self.room
            && let Some((entry, slot, direction)) = self.backlog.pop_front()
        {
            self.queue.submit(entry, slot, direction, &mut self.slots);
            if let Some(wait) = &mut self.waits[usize::from(slot)] {
                wait.handed = Some(Instant::now());
            }
        }
        if self.tls.is_some() {
            return self.flush_encrypted(socket);
        }
        while !self.queue.pieces().is_empty() {
            let mut vectors: [libc::iovec; PIECES] =
                [libc::iovec { iov_base: std::ptr::null_mut(), iov_len: 0 }; PIECES];
            let mut count = 0;
            for (vector, piece) in vectors.iter_mut().zip(self.queue.pieces()) {
                let bytes: &[u8] = match piece {
                    Piece::Bytes(range) => &self.queue.bytes()[range.clone()],
                    Piece::Slot { slot, range } => &self.slots.slot(*slot)[range.clone()],
                };
                *vector = libc::iovec {
                    iov_base: bytes.as_ptr().cast_mut().cast(),
                    iov_len: bytes.len(),
                };
                count += 1;
            }
            // SAFETY: a message without name and control data is all zeros; its pieces point to memory that is not touched
            // during the call.
            let result = unsafe {
                let mut message: libc::msghdr = std::mem::zeroed();
                message.msg_iov = vectors.as_mut_ptr();
                message.msg_iovlen = count;
                let flags = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
                libc::sendmsg(socket, &raw const message, flags)
            };
            match usize::try_from(result) {
                Ok(went) => self.queue.sent_bytes(went),
                Err(_) => {
                    let error = io::Error::last_os_error();
                    return match error.kind() {
                        io::ErrorKind::WouldBlock => Ok(false),
                        io::ErrorKind::Interrupted => continue,
                        _ => Err(HostError::System { action: "send to the target", source: error }),
                    };
                }
            }
        }
        Ok(true)
    }

    /// Encrypts what there is and sends it, as far as the socket takes it; whether all went.
    fn flush_encrypted(&mut self, socket: RawFd) -> Result<bool, HostError> {
        let Some(tls) = self.tls.as_mut() else { return Ok(true) };
        loop {
            let mut bytes = 0;
            for piece in self.queue.pieces() {
                if tls.output().len() + bytes >= ENCRYPTED_AHEAD {
                    break;
                }
                let piece: &[u8] = match piece {
                    Piece::Bytes(range) => &self.queue.bytes()[range.clone()],
                    Piece::Slot { slot, range } => &self.slots.slot(*slot)[range.clone()],
                };
                tls.gather(piece).map_err(HostError::Tls)?;
                bytes += piece.len();
            }
            tls.flush().map_err(HostError::Tls)?;
            self.queue.sent_bytes(bytes);
            let output = tls.output();
            if output.is_empty() {
                return Ok(true);
            }
            let flags = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
            // SAFETY: memory of the session, as long as is said, that is not touched during the call.
            let result = unsafe { libc::send(socket, output.as_ptr().cast(), output.len(), flags) };
            match usize::try_from(result) {
                Ok(went) => tls.sent(went),
                Err(_) => {
                    let error = io::Error::last_os_error();
                    match error.kind() {
                        io::ErrorKind::WouldBlock => return Ok(false),
                        io::ErrorKind::Interrupted => {}
                        _ => {
                            return Err(HostError::System {
                                action: "send to the target",
                                source: error,
                            });
                        }
                    }
                }
            }
        }
    }

    /// Where the rest of a command's data are received, past the input. What is encrypted has to be decrypted first.
    fn direct(&self) -> Option<(u16, Range<usize>)> {
        if self.tls.is_some() { None } else { self.queue.direct(DIRECT_FROM) }
    }

    /// Takes so many bytes that came to the input.
    fn take_input(&mut self, came: usize) -> Result<(), HostError> {
        let input = &self.input[..came];
        let Some(tls) = &mut self.tls else {
            return self.queue.input(input, &mut self.slots, &mut self.ended);
        };
        self.plain.clear();
        let taken = tls.receive(input, &NoKeys, &mut self.plain);
        self.queue.input(&self.plain, &mut self.slots, &mut self.ended)?;
        taken.map_err(HostError::Tls)?;
        if tls.is_closed() {
            return Err(HostError::Closed("while commands were in flight"));
        }
        Ok(())
    }

    /// Takes what came; whether something did. With `wait` it sleeps until something does, or for a heartbeat.
    pub(super) fn receive(&mut self, wait: bool) -> Result<bool, HostError> {
        if wait {
            // Of several commands one may have been answered meanwhile.
            let may_be_there = self.queue.in_flight() > 1 && missing(&self.direct()) == 1;
            if may_be_there && self.take_what_is_there()? {
                return Ok(true);
            }
            self.wait_for_socket(PollFlags::IN)?;
        }
        self.take_what_is_there()
    }

    /// Takes what came so far; whether something did.
    fn take_what_is_there(&mut self) -> Result<bool, HostError> {
        let Some(stream) = self.stream.as_deref() else { return Ok(false) };
        let direct = self.direct();
        let flags = libc::MSG_DONTWAIT;
        let memory = match &direct {
            Some((slot, range)) => &mut self.slots.slot(*slot)[range.clone()],
            None => &mut self.input[..],
        };
        let received = if self.options.stamped {
            stamps::receive(stream, memory, flags)
        } else {
            // SAFETY: memory of this path, as long as is said.
            let came = unsafe {
                let fd = stream.as_raw_fd();
                libc::recv(fd, memory.as_mut_ptr().cast(), memory.len(), flags)
            };
            let came = usize::try_from(came).map_err(|_| io::Error::last_os_error());
            came.map(|came| (came, None))
        };
        let came = match received {
            Ok((0, _)) => {
                return Err(HostError::Closed("while commands were in flight"));
            }
            Ok((came, stamp)) => {
                self.received_ns = stamp.or(self.received_ns);
                came
            }
            Err(error) => {
                return match error.kind() {
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => Ok(false),
                    _ => {
                        Err(HostError::System { action: "receive from the target", source: error })
                    }
                };
            }
        };
        if direct.is_some() {
            self.queue.received_direct(came, &mut self.slots, &mut self.ended)?;
        } else {
            self.take_input(came)?;
        }
        Ok(true)
    }

    /// Sleeps until the socket takes more, or something came, as `events` says; for a heartbeat at most.
    pub(super) fn wait_for_socket(&mut self, events: PollFlags) -> Result<(), HostError> {
        let Some(stream) = self.stream.as_deref() else { return Ok(()) };
        self.wake_up.when(stream.as_fd(), missing(&self.direct()));
        self.heartbeat.sleep_until(stream, events)
    }

    /// Sleeps until something came, no longer than `wait`.
    pub(super) fn wait_for_answer(&mut self, wait: Duration) {
        let Some(stream) = self.stream.as_deref() else {
            return self.association.link().wait(wait);
        };
        self.wake_up.when(stream.as_fd(), missing(&self.direct()));
        let mut fds = [PollFd::new(stream, PollFlags::IN)];
        let limit = Timespec {
            tv_sec: i64::try_from(wait.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: wait.subsec_nanos().into(),
        };
        // Interrupted or not, the caller looks.
        let _ = poll(&mut fds, Some(&limit));
    }
}
