//! What is between a socket and its connection: nothing, or TLS.
//!
//! Which of the two, the first byte that comes says: NVMe/TCP begins with a zero, a record of TLS doesn't. Whether it may be nothing, the
//! Connect that follows says, because only that names the host and the subsystem.

use std::sync::atomic::Ordering;

use narrows_nvme_tls::{KeyRing, Session, TlsError};

use crate::buffer::BufferPool;
use crate::connection::{Connection, Context};
use crate::target::Target;

/// Bytes that wait encrypted before no more are encrypted: as many as a socket takes at once.
const ENCRYPTED_AHEAD: usize = 256 << 10;

/// What is between.
pub(super) enum Channel {
    /// Nothing came yet.
    Unknown,
    /// Nothing is.
    Plain,
    /// TLS is.
    Tls(Box<TlsChannel>),
}

/// A session, and what is under way through it.
pub(super) struct TlsChannel {
    session: Session,
    /// What came, decrypted; kept for its room.
    plain: Vec<u8>,
    /// What the kernel may be sending: it stays where it is until it went.
    pub(super) flight: Vec<u8>,
    pub(super) gone: usize,
    /// Nothing more can be encrypted or decrypted.
    failed: bool,
    /// It is counted among the encrypted connections.
    counted: bool,
}

impl Channel {
    /// What is between, by the first bytes that came.
    pub(super) fn begun_by(input: &[u8], target: &Target) -> Result<Channel, &'static str> {
        match input.first() {
            Some(first) if narrows_nvme_tls::is_begun_by(*first) => {
                if !target.has_tls() {
                    return Err(
                        "the host speaks TLS, and no key is named here; --tls-key-file names one, or let the host connect without",
                    );
                }
                Ok(Channel::Tls(Box::new(TlsChannel {
                    session: Session::target(),
                    plain: Vec::new(),
                    flight: Vec::new(),
                    gone: 0,
                    failed: false,
                    counted: false,
                })))
            }
            Some(_) => Ok(Channel::Plain),
            None => Ok(Channel::Unknown),
        }
    }

    /// Whether data are encrypted: they can't be received where they belong.
    pub(super) fn is_tls(&self) -> bool {
        matches!(self, Channel::Tls(_))
    }

    /// Whether all that was to be sent has gone to the kernel.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Channel::Unknown | Channel::Plain => true,
            Channel::Tls(tls) => tls.gone == tls.flight.len() && tls.session.output().is_empty(),
        }
    }

    /// Whether what the connection has to say can no longer be said.
    pub(super) fn has_failed(&self) -> bool {
        matches!(self, Channel::Tls(tls) if tls.failed)
    }

    /// The connection is no more: it is no longer counted.
    pub(super) fn end(&mut self, target: &Target) {
        if let Channel::Tls(tls) = self
            && std::mem::take(&mut tls.counted)
        {
            target.tls.now.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl TlsChannel {
    /// Decrypts what came, and gives it to the connection. Whether the host has ended it in order.
    pub(super) fn input(
        &mut self,
        input: &[u8],
        connection: &mut Connection,
        context: &mut Context<'_>,
    ) -> bool {
        let target = context.target;
        self.plain.clear();
        let taken = self.session.receive(input, target as &dyn KeyRing, &mut self.plain);
        if !self.counted
            && let Some(identity) = self.session.identity()
        {
            self.counted = true;
            target.tls.handshakes.fetch_add(1, Ordering::Relaxed);
            target.tls.now.fetch_add(1, Ordering::Relaxed);
            let suite = self.session.suite().unwrap_or_default().to_string();
            connection.secure(identity.clone(), suite);
        }
        if !self.plain.is_empty() {
            connection.input(&self.plain, context);
        }
        if let Err(error) = taken {
            self.failed = true;
            if !self.counted {
                target.tls.failures.fetch_add(1, Ordering::Relaxed);
            }
            connection.end_because(told(&error));
        }
        self.session.is_closed()
    }

    /// Encrypts what the connection has to say, as far as there is room, unless something is under way; whether there is something to be
    /// sent.
    pub(super) fn fill(
        &mut self,
        connection: &mut Connection,
        pieces: &mut Vec<libc::iovec>,
        pool: &mut BufferPool,
    ) -> bool {
        if self.gone < self.flight.len() {
            return true;
        }
        self.gone = 0;
        self.flight.clear();
        while self.session.is_open()
            && !self.failed
            && self.session.output().len() < ENCRYPTED_AHEAD
            && connection.outbox().gather(pieces)
        {
            let mut bytes = 0;
            for piece in pieces.iter() {
                // SAFETY: the outbox keeps what its pieces point to until it is told that they went, which is below; blocks of memory,
                // which others write, are copied for connections with TLS.
                let content = unsafe {
                    std::slice::from_raw_parts(piece.iov_base.cast::<u8>(), piece.iov_len)
                };
                if let Err(error) = self.session.gather(content) {
                    self.failed = true;
                    connection.end_because(told(&error));
                    break;
                }
                bytes += content.len();
                if self.session.output().len() >= ENCRYPTED_AHEAD {
                    break;
                }
            }
            connection.outbox().sent(bytes, pool);
            if bytes == 0 {
                break;
            }
        }
        if !self.failed
            && let Err(error) = self.session.flush()
        {
            self.failed = true;
            connection.end_because(told(&error));
        }
        self.session.take_output(&mut self.flight);
        !self.flight.is_empty()
    }

    /// Says that nothing more follows.
    pub(super) fn close(&mut self) {
        self.session.close();
    }
}

/// What the journal says of it, with what to do.
fn told(error: &TlsError) -> String {
    let hint = match error {
        TlsError::NoKey(_) => {
            "; is it the right host and subsystem, may the host connect, and has it the key that tls-key-file names here?"
        }
        TlsError::OtherKey(_) => "; give both sides the same key (tls-key-file here)",
        TlsError::Unsuited(_) => "; NVMe/TCP has TLS 1.3 with a pre-shared key",
        TlsError::Refused(_) => "; the host's journal says why",
        TlsError::NotTls | TlsError::Hello(_) | TlsError::Unproven | TlsError::Failed(_) => "",
    };
    format!("TLS: {error}{hint}")
}
