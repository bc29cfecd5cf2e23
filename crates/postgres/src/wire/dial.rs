//! Reaching a server, with TLS where both sides want it (PostgreSQL documentation, "SSL Session Encryption").

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Instant;

use narrows_engine::Stop;

use bytes::BytesMut;
use narrows_tls::{Mode, TlsError};
use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend;

use super::error::error_of;
use super::wait::{Clock, LOOK_EVERY, Patience, waits};
use super::{Stream, WireError};
use crate::address::{Address, Endpoint};

/// The longest error message that is taken before TLS, bytes, as in libpq.
const LONGEST_ERROR: u32 = 30_000;

/// A login in progress: all its steps and all its ways share one limit.
pub(super) struct Dialing {
    began: Instant,
    patience: Patience,
    pub(super) stops: Vec<Stop>,
}

impl Dialing {
    pub(super) fn new(patience: Patience, stops: Vec<Stop>) -> Dialing {
        Dialing { began: Instant::now(), patience, stops }
    }

    /// The clock of the rest of it.
    pub(super) fn clock(&self) -> Clock {
        Clock::since(self.began, self.patience, self.patience.silence)
    }

    /// Whether to wait on.
    ///
    /// # Errors
    /// The time is over, or a stop: before the login nothing has to be ended in order.
    pub(super) fn look(&self) -> Result<(), WireError> {
        if self.stops.iter().any(Stop::is_set) {
            return Err(WireError::Stopped);
        }
        self.clock().look(&[]).map(drop)
    }

    fn until(&self) -> Instant {
        self.began + self.patience.silence
    }
}

/// What to ask of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ask {
    /// No TLS.
    Plain,
    /// TLS if it has it.
    IfThere,
    /// TLS or nothing.
    Tls,
}

/// What to ask first, and what if the server refuses that.
pub(super) fn ways(address: &Address) -> (Ask, Option<Ask>) {
    match mode(address) {
        Mode::Disable => (Ask::Plain, None),
        Mode::Allow => (Ask::Plain, Some(Ask::Tls)),
        Mode::Prefer => (Ask::IfThere, Some(Ask::Plain)),
        Mode::Require | Mode::VerifyCa | Mode::VerifyFull => (Ask::Tls, None),
    }
}

/// A Unix socket takes no TLS.
fn mode(address: &Address) -> Mode {
    match &address.endpoint {
        Endpoint::Unix { .. } => Mode::Disable,
        Endpoint::Tcp { tls, .. } => tls.settings().mode,
    }
}

/// Whether the other way may do what this one didn't: the server and we have no TLS in common, or its `pg_hba.conf`
/// admits this user only with it, or without.
pub(super) fn worth_another_way(error: &WireError, asked: Ask, encrypted: bool) -> bool {
    use TlsError::{Handshake, Io, Refused};
    match error {
        WireError::Tls(Handshake { .. } | Io(_) | Refused { .. }) => true,
        WireError::Server { code, .. } => code == "28000" && (encrypted || asked == Ask::Plain),
        _ => false,
    }
}

/// A connection on which nobody has logged in. Its reads end after [`LOOK_EVERY`].
pub(super) fn dial(address: &Address, ask: Ask, dialing: &Dialing) -> Result<Stream, WireError> {
    let stream = Stream::connect(address, dialing)?;
    stream.set_timeout(Some(LOOK_EVERY))?;
    let (mut tcp, host, tls) = match (stream, &address.endpoint) {
        (Stream::Tcp(tcp), Endpoint::Tcp { host, tls, .. }) if ask != Ask::Plain => {
            (tcp, host, tls)
        }
        (stream, _) => return Ok(stream),
    };
    match request(&mut tcp, dialing)? {
        b'S' => {
            let stopped = || dialing.stops.iter().any(Stop::is_set);
            let stream = tls.agree(tcp, host, dialing.until(), &stopped);
            // A stop has its own word, whatever it broke.
            let stream = stream.map_err(|error| match stopped() {
                true => WireError::Stopped,
                false => WireError::Tls(error),
            })?;
            Ok(Stream::Tls(Box::new(stream)))
        }
        b'N' if ask == Ask::Tls => Err(WireError::NoTls(mode(address).name())),
        b'N' => Ok(Stream::Tcp(tcp)),
        // It could not start to serve us; asked without, it can say why.
        b'E' if ask == Ask::IfThere => dial(address, Ask::Plain, dialing),
        b'E' => Err(before_tls(&mut tcp, dialing)?),
        _ => Err(WireError::Unexpected("neither yes nor no to the request for TLS")),
    }
}

/// Asks for TLS. One byte is read and no more: what follows is the session's, and nobody else's.
fn request(tcp: &mut TcpStream, dialing: &Dialing) -> Result<u8, WireError> {
    let mut outbox = BytesMut::new();
    frontend::ssl_request(&mut outbox);
    tcp.write_all(&outbox)?;
    let mut answer = [0];
    fill(tcp, &mut answer, dialing)?;
    Ok(answer[0])
}

/// Reads what the server says to the request for TLS, all of it.
fn fill(tcp: &mut TcpStream, mut answer: &mut [u8], dialing: &Dialing) -> Result<(), WireError> {
    while !answer.is_empty() {
        match tcp.read(answer) {
            Ok(0) => {
                let why = "the server closed the connection when it was asked for TLS";
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, why).into());
            }
            Ok(taken) => answer = &mut answer[taken..],
            Err(error) if !waits(&error) => return Err(error.into()),
            Err(_) => {}
        }
        if !answer.is_empty() {
            dialing.look()?;
        }
    }
    Ok(())
}

/// The rest of an error message whose tag was read. Whoever is on the way may have written it: it is shown, without what a
/// terminal would obey, and decides nothing.
fn before_tls(tcp: &mut TcpStream, dialing: &Dialing) -> Result<WireError, WireError> {
    let mut message = vec![b'E', 0, 0, 0, 0];
    fill(tcp, &mut message[1..], dialing)?;
    let bytes = u32::from_be_bytes([message[1], message[2], message[3], message[4]]);
    if !(4..=LONGEST_ERROR).contains(&bytes) {
        return Err(WireError::Unexpected("an error to the request for TLS, in another form"));
    }
    message.resize(1 + bytes as usize, 0);
    fill(tcp, &mut message[5..], dialing)?;
    let said = match Message::parse(&mut BytesMut::from(&message[..]))? {
        Some(Message::ErrorResponse(body)) => match error_of(&body)? {
            WireError::Server { severity, code, message, .. } => {
                format!("{severity} {code}: {message}")
            }
            other => other.to_string(),
        },
        _ => return Err(WireError::Unexpected("an error to the request for TLS, in another form")),
    };
    let shown = said.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    Ok(WireError::BeforeTls(shown))
}
