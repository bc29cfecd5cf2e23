//! A blocking connection for everything that is not the measured load: authentication, setting up, loading by
//! COPY, reading counters. The wire format and the authentication are `postgres-protocol`'s.
//!
//! Not for the load: that is [`crate::session`], which shares the opened stream.
//!
//! A statement may take minutes on somebody's server (an index, a checkpoint). A connection that was told to
//! [`heed`](Connection::heed) a stop token cancels its statement within a moment of the request, as `psql` does on
//! Ctrl-C: by a cancel request on a connection of its own (PostgreSQL documentation, "Canceling Requests in Progress").

mod dial;
mod error;
mod login;
mod stream;
#[cfg(test)]
mod talk_test;
#[cfg(test)]
mod tls_test;

use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

use bytes::BytesMut;
use fallible_iterator::FallibleIterator;
use narrows_engine::Stop;
use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend;

pub use error::WireError;
use error::error_of;
pub(crate) use stream::Stream;

use crate::address::Address;
use dial::{Ask, dial, waits, ways, worth_another_way};

/// A row of a simple query: text, or NULL.
pub type Row = Vec<Option<String>>;

/// An open connection.
pub struct Connection {
    stream: Stream,
    inbox: BytesMut,
    outbox: BytesMut,
    address: Address,
    pid: u32,
    /// What a cancel request has to show.
    secret: i32,
    /// Cancels the statement in hand when set.
    stop: Option<Stop>,
    /// Whether the password was tied to the server's certificate.
    bound: bool,
    /// Whether the statement in hand was cancelled already.
    cancelled: bool,
    /// How long the server may stay silent.
    silence: Duration,
    /// Simple queries answered, each one a transaction of the server's.
    asked: u64,
}

/// How long logging in may take: what doesn't answer by then speaks another protocol.
const LONGEST_LOGIN: Duration = Duration::from_secs(20);
/// How often a connection that waits for the server looks at its stop token.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How long the server may stay silent: longer than any statement here takes, so that a dead server ends the run.
const SILENCE: Duration = Duration::from_secs(600);

/// The longest message that is taken, bytes: answers to what is asked here have some thousand.
const LONGEST_MESSAGE: u32 = 16 << 20;

impl Connection {
    /// Connects and logs in, with TLS as the address asks. `options` are run-time parameters, `application_name`
    /// among them.
    pub fn open(address: &Address, options: &[(&str, &str)]) -> Result<Connection, WireError> {
        let (first, other) = ways(address);
        let (error, encrypted) = match Connection::attempt(address, options, first) {
            Ok(connection) => return Ok(connection),
            Err(failed) => failed,
        };
        let Some(other) = other.filter(|_| worth_another_way(&error, first, encrypted)) else {
            return Err(error);
        };
        match Connection::attempt(address, options, other) {
            Ok(connection) => Ok(connection),
            // It takes neither way: the one that was wanted says why.
            Err((WireError::NoTls(_), _)) => Err(error),
            Err((again, _)) if again.code() == Some("28000") => Err(error),
            Err((again, _)) => Err(again),
        }
    }

    /// One way of connecting; an error, and whether it came over TLS.
    fn attempt(
        address: &Address,
        options: &[(&str, &str)],
        ask: Ask,
    ) -> Result<Connection, (WireError, bool)> {
        let stream = dial(address, ask).map_err(|error| (error, false))?;
        let encrypted = stream.tls().is_some();
        Connection::log_in(address, options, stream).map_err(|error| (error, encrypted))
    }

    fn log_in(
        address: &Address,
        options: &[(&str, &str)],
        stream: Stream,
    ) -> Result<Connection, WireError> {
        let mut connection = Connection {
            stream,
            inbox: BytesMut::new(),
            outbox: BytesMut::new(),
            address: address.clone(),
            pid: 0,
            secret: 0,
            stop: None,
            bound: false,
            cancelled: false,
            silence: LONGEST_LOGIN,
            asked: 0,
        };
        let mut parameters = vec![
            ("user", address.user.as_str()),
            ("database", address.database.as_str()),
            ("client_encoding", "UTF8"),
        ];
        parameters.extend_from_slice(options);
        frontend::startup_message(parameters, &mut connection.outbox)?;
        connection.send()?;
        connection.authenticate(address)?;
        loop {
            match connection.next()? {
                Message::BackendKeyData(key) => {
                    connection.pid = key.process_id() as u32;
                    connection.secret = key.secret_key();
                }
                Message::ReadyForQuery(_) => {
                    connection.silence = SILENCE;
                    return Ok(connection);
                }
                _ => {}
            }
        }
    }

    /// From now on statements end early, with an error, when `stop` is set; `None`: they run to their end.
    pub fn heed(&mut self, stop: Option<&Stop>) {
        self.stop = stop.cloned();
    }

    /// From now on a server that says nothing for longer than that is given up; what the limit was.
    pub(crate) fn patience(&mut self, limit: Duration) -> Duration {
        std::mem::replace(&mut self.silence, limit)
    }

    /// How it is encrypted: `none`, or protocol, ciphers and what was verified of the server. No name of anybody.
    pub fn encryption(&self) -> String {
        self.stream.tls().map_or_else(|| "none".to_string(), |tls| tls.description())
    }

    /// The server process of this connection.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Runs one or several statements and returns the rows of all of them.
    pub fn query(&mut self, sql: &str) -> Result<Vec<Row>, WireError> {
        frontend::query(sql, &mut self.outbox)?;
        self.send()?;
        let mut rows = Vec::new();
        self.until_ready(|message| {
            if let Message::DataRow(body) = message {
                let buffer = body.buffer();
                let text = |range| String::from_utf8_lossy(&buffer[range]).into_owned();
                rows.push(body.ranges().map(|range| Ok(range.map(text))).collect()?);
            }
            Ok(())
        })?;
        self.asked += 1;
        Ok(rows)
    }

    /// The database it is in.
    pub(crate) fn database(&self) -> &str {
        &self.address.database
    }

    /// Simple queries that were answered so far, outside of transactions each a transaction by itself.
    pub(crate) fn asked(&self) -> u64 {
        self.asked
    }

    /// Runs statements whose rows don't matter.
    pub fn execute(&mut self, sql: &str) -> Result<(), WireError> {
        self.query(sql).map(|_| ())
    }

    /// The first column of the first row.
    pub fn one(&mut self, sql: &str) -> Result<Option<String>, WireError> {
        Ok(self.query(sql)?.into_iter().next().and_then(|row| row.into_iter().next().flatten()))
    }

    /// Streams `COPY … FROM STDIN`: `fill` is called with an empty buffer until it leaves it empty. An error of
    /// `fill` cancels the COPY on the server.
    pub fn copy_in<E: From<WireError>>(
        &mut self,
        sql: &str,
        mut fill: impl FnMut(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<(), E> {
        let wire = |error: io::Error| E::from(WireError::Io(error));
        frontend::query(sql, &mut self.outbox).map_err(wire)?;
        self.send().map_err(|e| E::from(e.into()))?;
        loop {
            match self.next().map_err(E::from)? {
                Message::CopyInResponse(_) => break,
                Message::ReadyForQuery(_) => {
                    return Err(E::from(WireError::Unexpected("COPY did not start")));
                }
                _ => {}
            }
        }
        let mut chunk = Vec::with_capacity(1 << 20);
        let outcome = loop {
            chunk.clear();
            match fill(&mut chunk) {
                Ok(()) if chunk.is_empty() => break Ok(()),
                Ok(()) => {
                    frontend::CopyData::new(&chunk[..]).map_err(wire)?.write(&mut self.outbox);
                    self.send().map_err(|e| E::from(e.into()))?;
                }
                Err(error) => break Err(error),
            }
        };
        match &outcome {
            Ok(()) => frontend::copy_done(&mut self.outbox),
            Err(_) => frontend::copy_fail("stopped", &mut self.outbox).map_err(wire)?,
        }
        self.send().map_err(|e| E::from(e.into()))?;
        let ended = self.until_ready(|_| Ok(()));
        outcome?;
        ended.map_err(E::from)
    }

    /// Prepares named statements, all in one transaction, and gives up the stream for the load.
    pub(crate) fn into_prepared(
        mut self,
        statements: &[(String, &str)],
    ) -> Result<(Stream, u32), WireError> {
        for (name, sql) in statements {
            frontend::parse(name, sql, std::iter::empty(), &mut self.outbox)?;
        }
        frontend::sync(&mut self.outbox);
        self.send()?;
        self.until_ready(|_| Ok(()))?;
        self.stream.set_timeout(Some(SILENCE))?;
        Ok((self.stream, self.pid))
    }

    fn send(&mut self) -> io::Result<()> {
        self.cancelled = false;
        self.stream.write_all(&self.outbox)?;
        self.outbox.clear();
        Ok(())
    }

    /// Takes the messages of an answer until the server is ready again. An error doesn't end it: the server still says when it is ready,
    /// unless the error was its last word.
    fn until_ready(
        &mut self,
        mut take: impl FnMut(Message) -> Result<(), WireError>,
    ) -> Result<(), WireError> {
        let mut failure = None;
        loop {
            match self.next_or_error() {
                Ok(Ok(Message::ReadyForQuery(_))) => return failure.map_or(Ok(()), Err),
                Ok(Ok(message)) => take(message)?,
                Ok(Err(error)) => failure = Some(error),
                Err(broken) => return Err(failure.unwrap_or(broken)),
            }
        }
    }

    /// The next message; notices and parameter changes are passed over, errors are errors.
    fn next(&mut self) -> Result<Message, WireError> {
        self.next_or_error()?
    }

    fn next_or_error(&mut self) -> Result<Result<Message, WireError>, WireError> {
        loop {
            self.bounded()?;
            match Message::parse(&mut self.inbox)? {
                Some(Message::NoticeResponse(_) | Message::ParameterStatus(_)) => {}
                Some(Message::ErrorResponse(body)) => {
                    return Ok(Err(error_of(&body)?));
                }
                Some(message) => return Ok(Ok(message)),
                None => {
                    let mut chunk = [0u8; 16 * 1024];
                    let n = self.wait_for(&mut chunk)?;
                    if n == 0 {
                        return Err(WireError::Io(io::Error::new(
                            io::ErrorKind::UnexpectedEof,
                            "the server closed the connection",
                        )));
                    }
                    self.inbox.extend_from_slice(&chunk[..n]);
                }
            }
        }
    }
}

impl Connection {
    /// Refuses a message by the length in its head: the parser makes room for all of it before the first byte is there, and
    /// what answers on a port may be no server.
    fn bounded(&self) -> Result<(), WireError> {
        let Some(&[_, a, b, c, d]) = self.inbox.first_chunk() else { return Ok(()) };
        let bytes = u32::from_be_bytes([a, b, c, d]);
        if bytes > LONGEST_MESSAGE { Err(WireError::Long { bytes }) } else { Ok(()) }
    }

    fn wait_for(&mut self, chunk: &mut [u8]) -> io::Result<usize> {
        let since = Instant::now();
        loop {
            match self.stream.read(chunk) {
                Err(error) if waits(&error) => {}
                read => return read,
            }
            // One that was asked to end its statement and doesn't is not waited for longer than usual.
            let longest = if self.cancelled { self.silence.min(SILENCE) } else { self.silence };
            if since.elapsed() > longest {
                let what = format!("the server was silent for {} s", longest.as_secs());
                return Err(io::Error::new(io::ErrorKind::TimedOut, what));
            }
            if !self.cancelled && self.stop.as_ref().is_some_and(Stop::is_set) {
                self.cancelled = true;
                // Where it can't be delivered the statement runs to its end.
                let _ = self.cancel();
            }
        }
    }

    /// Over TLS where this connection has it.
    fn cancel(&self) -> Result<(), WireError> {
        let mut request = BytesMut::new();
        frontend::cancel_request(self.pid as i32, self.secret, &mut request);
        let ask = if self.stream.tls().is_some() { Ask::Tls } else { Ask::Plain };
        let mut stream = dial(&self.address, ask)?;
        stream.write_all(&request)?;
        // The server closes the connection once it has passed the request on.
        stream.set_timeout(Some(Duration::from_secs(1)))?;
        Ok(stream.read(&mut [0; 1]).map(|_| ())?)
    }
}
