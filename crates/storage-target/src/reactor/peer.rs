//! A socket with its connection, and the memory that the kernel uses for it.

use std::io;
use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::sync::Arc;

use narrows_io::WakeUp;

use super::channel::Channel;
use crate::buffer::BufferPool;
use crate::connection::{Connection, Context, PIECES};

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
    pub(super) socket: Arc<TcpStream>,
    pub(super) connection: Connection,
    pub(super) channel: Channel,
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
        socket: Arc<TcpStream>,
        connection: Connection,
        from: String,
        opened_ns: u64,
        serial: u64,
    ) -> Peer {
        Peer {
            socket,
            connection,
            channel: Channel::Unknown,
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

    /// So many bytes came to the input.
    pub(super) fn came(&mut self, bytes: usize, context: &mut Context<'_>) {
        let input = &self.input[..bytes];
        if let Channel::Unknown = self.channel {
            match Channel::begun_by(input, context.target) {
                Ok(channel) => self.channel = channel,
                Err(why) => return self.connection.end_because(why.to_string()),
            }
        }
        match &mut self.channel {
            Channel::Tls(tls) => {
                self.broken |= tls.input(input, &mut self.connection, context);
            }
            Channel::Plain | Channel::Unknown => self.connection.input(input, context),
        }
    }

    /// So many bytes of the message went.
    pub(super) fn went(&mut self, bytes: usize, pool: &mut BufferPool) {
        match &mut self.channel {
            Channel::Tls(tls) => tls.gone += bytes,
            Channel::Plain | Channel::Unknown => self.connection.outbox().sent(bytes, pool),
        }
    }

    /// Says that nothing more follows, where that is said, if the socket takes it now.
    pub(super) fn say_goodbye(&mut self, pool: &mut BufferPool) {
        if let Channel::Tls(tls) = &mut self.channel
            && !self.sending
            && !self.broken
        {
            tls.close();
            self.send_now(pool);
        }
    }

    /// Fills the message with what is to be sent; whether there is something.
    pub(super) fn fill_message(&mut self, pool: &mut BufferPool) -> bool {
        if let Channel::Tls(tls) = &mut self.channel {
            if !tls.fill(&mut self.connection, &mut self.pieces, pool) {
                return false;
            }
            self.pieces.clear();
            let left = &tls.flight[tls.gone..];
            self.pieces.push(libc::iovec {
                iov_base: left.as_ptr().cast_mut().cast(),
                iov_len: left.len(),
            });
        } else if !self.connection.outbox().gather(&mut self.pieces) {
            return false;
        }
        self.message.msg_iov = self.pieces.as_mut_ptr();
        self.message.msg_iovlen = self.pieces.len();
        true
    }

    /// Sends what the socket takes at once; whether something went. Where that fails the connection is broken. By the ring it would
    /// be an operation whose end, there at once, keeps the thread from its sleep for a turn.
    pub(super) fn send_now(&mut self, pool: &mut BufferPool) -> bool {
        if !self.fill_message(pool) {
            return false;
        }
        let flags = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
        // SAFETY: the message points to what the outbox keeps until it is told that it went.
        let result = unsafe { libc::sendmsg(self.socket.as_raw_fd(), self.message(), flags) };
        if let Ok(bytes) = usize::try_from(result) {
            self.went(bytes, pool);
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
