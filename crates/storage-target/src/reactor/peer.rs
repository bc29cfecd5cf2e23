//! A socket with its connection, and the memory that the kernel uses for it.

use std::io;
use std::net::TcpStream;
use std::os::fd::AsRawFd;

use narrows_io::WakeUp;

use crate::buffer::BufferPool;
use crate::connection::{Connection, PIECES};

/// Bytes that are received at once, past commands' own memory.
const INPUT: usize = 64 << 10;

/// Where bytes are being received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Receiving {
    /// To the input.
    Input,
    /// To a command's buffer.
    Direct,
}

/// A connected socket.
pub(super) struct Peer {
    pub(super) socket: TcpStream,
    pub(super) connection: Connection,
    /// The host's address, to be shown.
    pub(super) from: String,
    pub(super) opened_ns: u64,
    /// No two connections of a thread have the same.
    pub(super) serial: u64,
    pub(super) input: Box<[u8]>,
    pub(super) receiving: Option<Receiving>,
    pub(super) wake_up: WakeUp,
    pub(super) sending: bool,
    /// When the host last took something, or there was nothing to take, ns.
    pub(super) took_ns: u64,
    /// Nothing more can be received or sent.
    pub(super) broken: bool,
    /// It took leave of its controller.
    pub(super) closing: bool,
    pieces: Vec<libc::iovec>,
    message: libc::msghdr,
}

impl Peer {
    pub(super) fn new(
        socket: TcpStream,
        connection: Connection,
        from: String,
        opened_ns: u64,
        serial: u64,
    ) -> Peer {
        Peer {
            socket,
            connection,
            from,
            opened_ns,
            serial,
            input: vec![0; INPUT].into_boxed_slice(),
            receiving: None,
            wake_up: WakeUp::default(),
            sending: false,
            took_ns: opened_ns,
            broken: false,
            closing: false,
            pieces: Vec::with_capacity(PIECES),
            // SAFETY: a message without name, pieces and control data is all zeros.
            message: unsafe { std::mem::zeroed() },
        }
    }

    /// Fills the message with what is to be sent; whether there is something.
    pub(super) fn fill_message(&mut self) -> bool {
        if !self.connection.outbox().gather(&mut self.pieces) {
            return false;
        }
        self.message.msg_iov = self.pieces.as_mut_ptr();
        self.message.msg_iovlen = self.pieces.len();
        true
    }

    /// Sends what the socket takes at once; whether something went. Where that fails the connection is broken. By the ring it would
    /// be an operation whose end, there at once, keeps the thread from its sleep for a turn.
    pub(super) fn send_now(&mut self, pool: &mut BufferPool) -> bool {
        if !self.fill_message() {
            return false;
        }
        let flags = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
        // SAFETY: the message points to what the outbox keeps until it is told that it went.
        let result = unsafe { libc::sendmsg(self.socket.as_raw_fd(), self.message(), flags) };
        if let Ok(bytes) = usize::try_from(result) {
            self.connection.outbox().sent(bytes, pool);
            return true;
        }
        let error = io::Error::last_os_error().kind();
        self.broken |= !matches!(error, io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock);
        false
    }

    /// The message, which stays where it is until it was sent.
    pub(super) fn message(&self) -> *const libc::msghdr {
        &raw const self.message
    }
}
