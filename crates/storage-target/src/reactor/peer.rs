//! A socket with its connection, and the memory that the kernel uses for it.

use std::net::TcpStream;

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

    /// The message, which stays where it is until it was sent.
    pub(super) fn message(&self) -> *const libc::msghdr {
        &raw const self.message
    }
}
