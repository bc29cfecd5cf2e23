//! A blocking connection for everything that is not the measured load: authentication, setting up, loading by
//! COPY, reading counters. The wire format and the authentication are `postgres-protocol`'s.
//!
//! Not for a measured load: who drives one prepares its statements here and takes the stream ([`Connection::into_prepared`]).
//!
//! A statement may take minutes on somebody's server (an index, a checkpoint). A connection that was told to
//! [`heed`](Connection::heed) a stop token cancels its statement within a moment of the request, as `psql` does on
//! Ctrl-C: by a cancel request on a connection of its own (PostgreSQL documentation, "Canceling Requests in Progress").

mod dial;
mod error;
#[cfg(test)]
mod gone_test;
pub mod guard;
mod login;
mod stream;
#[cfg(test)]
mod talk_test;
#[cfg(test)]
mod tls_test;
mod wait;
#[cfg(test)]
mod wait_test;

use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::thread::JoinHandle;

use bytes::BytesMut;
use fallible_iterator::FallibleIterator;
use narrows_engine::Stop;
use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend;

pub use error::WireError;
use error::error_of;
pub use error::one_line;
pub use stream::Stream;

use crate::address::{Address, ServerRole};
use dial::{Ask, Dialing, dial, ways, worth_another_way};
use wait::{Clock, Due, GRACE, LONGEST_ANSWER, poll, waits};
pub use wait::{Limits, Patience};

/// A row of a simple query: text, or NULL.
pub type Row = Vec<Option<String>>;

/// An open connection.
pub struct Connection {
    /// It never waits by itself.
    stream: Stream,
    inbox: BytesMut,
    outbox: BytesMut,
    address: Address,
    pid: u32,
    /// What a cancel request has to show.
    secret: i32,
    /// Any of them cancels the statement in hand when set.
    stops: Vec<Stop>,
    /// Whether the password was tied to the server's certificate.
    bound: bool,
    limits: Limits,
    /// Of the statement in hand.
    clock: Clock,
    /// A cancel request on its way; whether the server is known to be done with it.
    cancelling: Option<JoinHandle<bool>>,
    /// Whether it was given up: what comes on it would be the answer to something else.
    closed: bool,
    /// Simple queries answered, each one a transaction of the server's.
    asked: u64,
}

/// Settings of a session that makes, fills and removes what is ours. `default_transaction_read_only` is none of them: who set it meant it.
const OWN_LIMITS: &str = "SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0; \
     SET default_transaction_isolation = 'read committed'; SET default_transaction_deferrable = off; SET default_tablespace = ''; \
     SET default_table_access_method = heap";

/// The longest message that is taken, bytes: answers to what is asked here have some thousand.
const LONGEST_MESSAGE: u32 = 16 << 20;
/// What a cell and a row take beside their text, bytes.
const CELL: usize = size_of::<Option<String>>();
const ROW: usize = size_of::<Row>();
/// Said of a session whose pooler doesn't know a setting of the startup packet.
const NOT_PASSED_ON: &str = "unsupported startup parameter";

impl Connection {
    /// Connects and logs in, with TLS as the address asks. `options` are run-time parameters, `application_name`
    /// among them. The session's settings are fixed ([`guard`]).
    ///
    /// # Errors
    /// Nobody answers or lets us in in time, or the session isn't as was asked for.
    pub fn open(address: &Address, options: &[(&str, &str)]) -> Result<Connection, WireError> {
        Connection::open_heeding(address, options, &[])
    }

    /// The same; any of the stops ends it early, and later the statements, as by [`Connection::heed`].
    ///
    /// # Errors
    /// As of [`Connection::open`], or a stop.
    pub fn open_heeding(
        address: &Address,
        options: &[(&str, &str)],
        stops: &[&Stop],
    ) -> Result<Connection, WireError> {
        let stops = stops.iter().map(|stop| (*stop).clone()).collect();
        Connection::open_within(address, options, stops, Patience::LOGIN)
    }

    /// The same, with a limit for all of it: connecting, TLS, another way where the first is refused, and the login.
    pub fn open_within(
        address: &Address,
        options: &[(&str, &str)],
        stops: Vec<Stop>,
        patience: Patience,
    ) -> Result<Connection, WireError> {
        let dialing = Dialing::new(patience, stops);
        let (first, other) = ways(address);
        let (error, encrypted) = match Connection::attempt(address, options, first, &dialing) {
            Ok(connection) => return Ok(connection),
            Err(failed) => failed,
        };
        let Some(other) = other.filter(|_| worth_another_way(&error, first, encrypted)) else {
            return Err(error);
        };
        match Connection::attempt(address, options, other, &dialing) {
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
        dialing: &Dialing,
    ) -> Result<Connection, (WireError, bool)> {
        let stream = dial(address, ask, dialing).map_err(|error| (error, false))?;
        let encrypted = stream.tls().is_some();
        Connection::log_in(address, options, stream, dialing).map_err(|error| (error, encrypted))
    }

    fn log_in(
        address: &Address,
        options: &[(&str, &str)],
        stream: Stream,
        dialing: &Dialing,
    ) -> Result<Connection, WireError> {
        stream.set_nonblocking(true)?;
        let mut connection = Connection {
            stream,
            inbox: BytesMut::new(),
            outbox: BytesMut::new(),
            address: address.clone(),
            pid: 0,
            secret: 0,
            stops: dialing.stops.clone(),
            bound: false,
            limits: Limits::USUAL,
            clock: dialing.clock(),
            cancelling: None,
            closed: false,
            asked: 0,
        };
        let mut parameters = vec![
            ("user", address.user.as_str()),
            ("database", address.database.as_str()),
            ("client_encoding", "UTF8"),
        ];
        parameters.extend_from_slice(&guard::FIXED);
        parameters.extend_from_slice(options);
        // Of a setting in both, the server takes the one above.
        parameters.extend(address.session.options.as_deref().map(|options| ("options", options)));
        frontend::startup_message(parameters, &mut connection.outbox)?;
        connection.send()?;
        let admitted = connection.authenticate(address).and_then(|()| connection.until_admitted());
        admitted.map_err(|error| match error {
            WireError::Server { message, .. } if message.contains(NOT_PASSED_ON) => {
                WireError::Pooled(message)
            }
            other => other,
        })?;
        // Of the login's time, like everything before it.
        frontend::query(&guard::question(), &mut connection.outbox)?;
        connection.send()?;
        let rows = connection.rows()?;
        guard::verify(&rows, connection.pid, &address.user)?;
        if let Some(wanted) = address.session.server {
            connection.has_role(wanted)?;
        }
        Ok(connection)
    }

    /// Looks whether the server is what the address asks for; of the login's time, too.
    fn has_role(&mut self, wanted: ServerRole) -> Result<(), WireError> {
        frontend::query("SELECT pg_catalog.pg_is_in_recovery()", &mut self.outbox)?;
        self.send()?;
        let rows = self.rows()?;
        let follows = rows
            .first()
            .and_then(|row| row.first())
            .is_some_and(|cell| cell.as_deref() == Some("t"));
        match (wanted, follows) {
            (ServerRole::Primary, true) => {
                Err(WireError::Role { wanted: "primary", found: "standby" })
            }
            (ServerRole::Standby, false) => {
                Err(WireError::Role { wanted: "standby", found: "primary" })
            }
            _ => Ok(()),
        }
    }

    fn until_admitted(&mut self) -> Result<(), WireError> {
        loop {
            match self.next()? {
                Message::BackendKeyData(key) => {
                    self.pid = key.process_id() as u32;
                    self.secret = key.secret_key();
                }
                Message::ReadyForQuery(_) => return Ok(()),
                _ => {}
            }
        }
    }

    /// From now on a server of version 14 or newer looks every second, also in the middle of a statement, whether we are still there
    /// (`client_connection_check_interval`): a session of a run that was killed ends and gives its locks back. And what the owner of the
    /// database has set for everybody ends none of our long statements and moves no table of ours to another drive. Not for the load:
    /// the server would set a timer for each statement, and what it measures is what everybody has.
    ///
    /// # Errors
    /// The connection broke; a server that can't look is none.
    pub fn end_with_us(&mut self) -> Result<(), WireError> {
        let asked = self.execute(
            "SELECT pg_catalog.set_config(name, '1s', false) FROM pg_catalog.pg_settings \
             WHERE name = 'client_connection_check_interval'",
        );
        match asked {
            Err(WireError::Server { .. }) => {}
            asked => asked?,
        }
        self.execute(OWN_LIMITS)
    }

    /// From now on statements end early, with an error, when `stop` is set; `None`: they run to their end.
    pub fn heed(&mut self, stop: Option<&Stop>) {
        self.stops = stop.into_iter().cloned().collect();
    }

    /// From now on a server that takes longer than that is given up; what the limits were.
    pub fn limit(&mut self, limits: Limits) -> Limits {
        std::mem::replace(&mut self.limits, limits)
    }

    /// How it is encrypted: `none`, or protocol, ciphers and what was verified of the server. No name of anybody.
    pub fn encryption(&self) -> String {
        self.stream.tls().map_or_else(|| "none".to_string(), |tls| tls.description())
    }

    /// The server process of this connection.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Runs one or several statements and returns the rows of all of them. The server has the time of a question for that.
    ///
    /// # Errors
    /// It refuses, takes too long, says too much, or the connection broke.
    pub fn query(&mut self, sql: &str) -> Result<Vec<Row>, WireError> {
        self.say(sql, self.limits.question)?;
        let rows = self.rows()?;
        self.asked += 1;
        Ok(rows)
    }

    /// The same for a statement that may take long: it has the time of one that works.
    ///
    /// # Errors
    /// As of [`Connection::query`].
    pub fn query_at_work(&mut self, sql: &str) -> Result<Vec<Row>, WireError> {
        self.say(sql, self.limits.work)?;
        let rows = self.rows()?;
        self.asked += 1;
        Ok(rows)
    }

    /// Whether it was given up.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// The rows of an answer.
    fn rows(&mut self) -> Result<Vec<Row>, WireError> {
        let (mut rows, mut kept) = (Vec::new(), 0);
        self.until_ready(|message| {
            if let Message::DataRow(body) = message {
                let buffer = body.buffer();
                let text = |range| String::from_utf8_lossy(&buffer[range]).into_owned();
                let row: Row = body.ranges().map(|range| Ok(range.map(text))).collect()?;
                kept += ROW
                    + row.iter().map(|c| CELL + c.as_ref().map_or(0, String::len)).sum::<usize>();
                if kept > LONGEST_ANSWER {
                    return Err(WireError::TooMuch);
                }
                rows.push(row);
            }
            Ok(())
        })?;
        Ok(rows)
    }

    /// The database it is in.
    pub fn database(&self) -> &str {
        &self.address.database
    }

    /// Simple queries that were answered so far, outside of transactions each a transaction by itself.
    pub fn asked(&self) -> u64 {
        self.asked
    }

    /// Runs statements whose rows don't matter, and which may take long.
    ///
    /// # Errors
    /// The server refuses, falls silent, says too much, or the connection broke.
    pub fn execute(&mut self, sql: &str) -> Result<(), WireError> {
        self.say(sql, self.limits.work)?;
        self.until_ready(|_| Ok(()))?;
        self.asked += 1;
        Ok(())
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
        self.say(sql, self.limits.work)?;
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
                    self.send()?;
                }
                Err(error) => break Err(error),
            }
        };
        match &outcome {
            Ok(()) => frontend::copy_done(&mut self.outbox),
            Err(_) => frontend::copy_fail("stopped", &mut self.outbox).map_err(wire)?,
        }
        let ended = self.send().and_then(|()| self.until_ready(|_| Ok(())));
        outcome?;
        ended.map_err(E::from)
    }

    /// Prepares named statements, all in one transaction, and gives up the stream for the load.
    pub fn into_prepared(
        mut self,
        statements: &[(String, &str)],
    ) -> Result<(Stream, u32), WireError> {
        for (name, sql) in statements {
            frontend::parse(name, sql, std::iter::empty(), &mut self.outbox)?;
        }
        frontend::sync(&mut self.outbox);
        self.begin(self.limits.question);
        self.send()?;
        self.until_ready(|_| Ok(()))?;
        Ok((self.stream, self.pid))
    }

    /// Sends statements.
    fn say(&mut self, sql: &str, patience: Patience) -> Result<(), WireError> {
        self.begin(patience);
        frontend::query(sql, &mut self.outbox)?;
        self.send()
    }

    /// A cancel request that is still on its way would end this statement instead of the one before.
    fn begin(&mut self, patience: Patience) {
        if let Some(request) = self.cancelling.take()
            && !request.join().unwrap_or(false)
        {
            self.give_up();
        }
        self.clock = Clock::new(patience, self.limits.cancel_after);
    }

    /// Sends what is written, within the time of the statement in hand.
    fn send(&mut self) -> Result<(), WireError> {
        if self.closed {
            self.outbox.clear();
            let why = "it was given up before";
            return Err(io::Error::new(io::ErrorKind::NotConnected, why).into());
        }
        let sent = self.send_all();
        self.outbox.clear();
        sent.inspect_err(|_| self.give_up())
    }

    fn send_all(&mut self) -> Result<(), WireError> {
        let mut sent = 0;
        // What TLS has taken is not on its way yet.
        while sent < self.outbox.len() || !self.stream.flushed()? {
            let written = match self.outbox.len() - sent {
                0 => Err(io::ErrorKind::WouldBlock.into()),
                _ => self.stream.write(&self.outbox[sent..]),
            };
            match written {
                Ok(0) => return Err(io::Error::from(io::ErrorKind::WriteZero).into()),
                Ok(taken) => {
                    sent += taken;
                    self.clock.sent();
                }
                Err(error) if waits(&error) => poll(self.stream.as_raw_fd(), libc::POLLOUT),
                Err(error) => return Err(error.into()),
            }
            self.look()?;
        }
        Ok(())
    }

    /// Looks at the clock and at the stops; tells the server to end its statement where that is due.
    fn look(&mut self) -> Result<(), WireError> {
        if self.clock.look(&self.stops)? == Due::Cancel {
            self.cancel();
        }
        Ok(())
    }

    /// Closes it, so that the server notices.
    fn give_up(&mut self) {
        self.closed = true;
        self.stream.shut_down();
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
                // What isn't taken leaves the rest of the answer unread.
                Ok(Ok(message)) => take(message).inspect_err(|_| self.give_up())?,
                Ok(Err(error)) => failure = Some(error),
                Err(broken) => return Err(failure.unwrap_or(broken)),
            }
        }
    }

    /// The next message; notices and parameter changes are passed over, errors are errors.
    fn next(&mut self) -> Result<Message, WireError> {
        self.next_or_error()?
    }

    /// The outer error is the connection's end.
    fn next_or_error(&mut self) -> Result<Result<Message, WireError>, WireError> {
        self.receive().inspect_err(|_| self.give_up())
    }

    fn receive(&mut self) -> Result<Result<Message, WireError>, WireError> {
        loop {
            self.bounded()?;
            match Message::parse(&mut self.inbox)? {
                Some(Message::NoticeResponse(_) | Message::ParameterStatus(_)) => {}
                Some(Message::ErrorResponse(body)) => {
                    return Ok(Err(error_of(&body)?));
                }
                Some(message) => return Ok(Ok(message)),
                None => self.read_more()?,
            }
        }
    }

    /// Refuses a message by the length in its head: the parser makes room for all of it before the first byte is there, and
    /// what answers on a port may be no server.
    fn bounded(&self) -> Result<(), WireError> {
        let Some(&[_, a, b, c, d]) = self.inbox.first_chunk() else { return Ok(()) };
        let bytes = u32::from_be_bytes([a, b, c, d]);
        if bytes > LONGEST_MESSAGE { Err(WireError::Long { bytes }) } else { Ok(()) }
    }

    /// Waits for something to read. The clock is looked at each time, also where something comes each time.
    fn read_more(&mut self) -> Result<(), WireError> {
        let mut chunk = [0u8; 16 * 1024];
        loop {
            self.look()?;
            match self.stream.read(&mut chunk) {
                Ok(0) => {
                    let why = "the server closed the connection";
                    return Err(io::Error::new(io::ErrorKind::UnexpectedEof, why).into());
                }
                Ok(taken) => {
                    self.inbox.extend_from_slice(&chunk[..taken]);
                    return self.clock.received(taken);
                }
                Err(error) if waits(&error) => poll(self.stream.as_raw_fd(), libc::POLLIN),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Asks the server to end the statement in hand, over TLS where this connection has it. Nobody waits for that: where it can't be
    /// delivered the connection is given up a moment later.
    fn cancel(&mut self) {
        let (address, pid, secret) = (self.address.clone(), self.pid, self.secret);
        let ask = if self.stream.tls().is_some() { Ask::Tls } else { Ask::Plain };
        let deliver = move || -> Result<(), WireError> {
            let mut request = BytesMut::new();
            frontend::cancel_request(pid as i32, secret, &mut request);
            let dialing = Dialing::new(Patience::within(GRACE), Vec::new());
            let mut stream = dial(&address, ask, &dialing)?;
            stream.set_timeout(Some(GRACE))?;
            stream.write_all(&request)?;
            stream.flush()?;
            // The server closes the connection once it has passed the request on.
            match stream.read(&mut [0; 1]) {
                Err(error) if waits(&error) => Err(error.into()),
                _ => Ok(()),
            }
        };
        let request = std::thread::Builder::new().name("cancel".into());
        // Without a thread for it the connection is only closed.
        self.cancelling = request.spawn(move || deliver().is_ok()).ok();
    }
}
