//! A connection for everything that is not the measured load: logging in, setting up, filling a table, reading counters.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use narrows_engine::{Stop, Stopped};

use crate::error::MariaError;
use crate::handshake::{self, Greeting};
use crate::packet::{Body, First, HEAD, begin, body_length, end, end_status, put_text};

/// A row of an answer in text: parameters, or NULL.
pub type Row = Vec<Option<String>>;

/// How long a login or a question may take, and a statement that works.
const QUESTION: Duration = Duration::from_secs(30);
const WORK: Duration = Duration::from_secs(600);
/// How often a wait looks whether it was stopped.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// The longest packet that is taken, and the most of an answer, bytes: answers to what is asked here have some thousand.
const LONGEST_PACKET: usize = 1 << 20;
const LONGEST_ANSWER: usize = 16 << 20;
/// The most columns of an answer.
const MOST_COLUMNS: u64 = 100;

const COM_QUIT: u8 = 0x01;
const COM_QUERY: u8 = 0x03;
const COM_STMT_PREPARE: u8 = 0x16;
const COM_STMT_EXECUTE: u8 = 0x17;

/// An open connection.
pub struct Connection {
    stream: UnixStream,
    version: String,
    connection: u32,
    stops: Vec<Stop>,
    packet: Vec<u8>,
    /// Whether an exchange broke off: what comes would be the answer to something else.
    broken: bool,
}

/// A prepared statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prepared {
    /// Its number on the server.
    pub(crate) id: u32,
    /// Its parameters.
    pub(crate) parameters: u16,
}

/// A value of a row that is filled in.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Parameter<'c> {
    Number(i64),
    Bytes(&'c [u8]),
}

impl Connection {
    /// Connects to a socket and logs in without a password; any of the stops ends it and what is asked later.
    ///
    /// # Errors
    /// Nobody answers in time, or the server refuses.
    pub fn open(socket: &Path, user: &str, stops: &[&Stop]) -> Result<Connection, MariaError> {
        let stream = UnixStream::connect(socket)
            .map_err(|source| MariaError::NoSocket { socket: socket.to_path_buf(), source })?;
        stream.set_read_timeout(Some(LOOK_EVERY))?;
        stream.set_write_timeout(Some(LOOK_EVERY))?;
        let stops = stops.iter().map(|stop| (*stop).clone()).collect();
        let (version, packet) = (String::new(), Vec::new());
        let mut connection =
            Connection { stream, version, connection: 0, stops, packet, broken: false };
        connection.log_in(user)?;
        Ok(connection)
    }

    fn log_in(&mut self, user: &str) -> Result<(), MariaError> {
        let until = Instant::now() + QUESTION;
        let sequence = self.receive(until)?;
        let Greeting { version, connection } = Greeting::read(&self.packet)?;
        (self.version, self.connection) = (version, connection);
        self.send(&handshake::answer(user, sequence.wrapping_add(1)), until)?;
        let sequence = self.receive(until)?;
        if handshake::is_native(&self.packet) {
            // The same without a password: nothing.
            self.send(&[0, 0, 0, sequence.wrapping_add(1)], until)?;
            self.receive(until)?;
        }
        match First::read(&self.packet)? {
            First::Done { .. } => Ok(()),
            First::Refused { code, state, message } => {
                Err(MariaError::Refused { code, state, message })
            }
            First::Columns(_) => Err(MariaError::Unexpected("another way to log in")),
        }
    }

    /// What the server says it is.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The number of this connection on the server.
    pub fn number(&self) -> u32 {
        self.connection
    }

    /// From now on what is asked ends early, with an error, when `stop` is set; `None`: it runs to its end.
    pub fn heed(&mut self, stop: Option<&Stop>) {
        self.stops = stop.into_iter().cloned().collect();
    }

    /// Runs a statement and returns its rows.
    ///
    /// # Errors
    /// The server refuses, takes too long, says too much, or the connection broke.
    pub fn query(&mut self, sql: &str) -> Result<Vec<Row>, MariaError> {
        self.whole(QUESTION, |connection, until| {
            connection.command(COM_QUERY, sql.as_bytes(), until)?;
            connection.rows(until)
        })
    }

    /// Runs a statement that may take long.
    ///
    /// # Errors
    /// As of [`Connection::query`].
    pub fn execute(&mut self, sql: &str) -> Result<(), MariaError> {
        self.whole(WORK, |connection, until| {
            connection.command(COM_QUERY, sql.as_bytes(), until)?;
            connection.rows(until).map(drop)
        })
    }

    /// The first cell of the first row.
    ///
    /// # Errors
    /// As of [`Connection::query`].
    pub fn one(&mut self, sql: &str) -> Result<Option<String>, MariaError> {
        Ok(self.query(sql)?.into_iter().next().and_then(|row| row.into_iter().next().flatten()))
    }

    /// Prepares a statement.
    ///
    /// # Errors
    /// As of [`Connection::query`].
    pub(crate) fn prepare(&mut self, sql: &str) -> Result<Prepared, MariaError> {
        self.whole(QUESTION, |connection, until| {
            connection.command(COM_STMT_PREPARE, sql.as_bytes(), until)?;
            connection.receive(until)?;
            // Behind its zero it has numbers of a fixed length, unlike the answer to a statement.
            if connection.packet.first() != Some(&0) {
                return Err(First::read(&connection.packet)?.into_error());
            }
            let mut body = Body(&connection.packet[1..]);
            let read = (|| Some((body.u32()?, body.u16()?, body.u16()?)))();
            let (id, columns, parameters) =
                read.ok_or(MariaError::Unexpected("a packet that is too short"))?;
            for count in [parameters, columns] {
                // Each of them, and an end, where there are any.
                for _ in 0..if count == 0 { 0 } else { u32::from(count) + 1 } {
                    connection.receive(until)?;
                }
            }
            Ok(Prepared { id, parameters })
        })
    }

    /// Runs a prepared statement that answers with no rows.
    ///
    /// # Errors
    /// As of [`Connection::query`].
    pub(crate) fn fill(
        &mut self,
        prepared: Prepared,
        parameters: &[Parameter<'_>],
    ) -> Result<(), MariaError> {
        debug_assert_eq!(usize::from(prepared.parameters), parameters.len());
        let mut out = Vec::new();
        put_execute(&mut out, prepared.id, parameters);
        self.whole(WORK, |connection, until| {
            connection.send(&out, until)?;
            connection.rows(until).map(drop)
        })
    }

    /// The process that listens at the socket; `None` where it can't be seen.
    pub(crate) fn listener(&self) -> Option<u32> {
        narrows_facts::process::listener(&self.stream)
    }

    /// The stream, for a session of the load.
    pub(crate) fn into_stream(mut self) -> Result<UnixStream, MariaError> {
        let stream = self.stream.try_clone()?;
        // It goes on, and takes no leave.
        self.broken = true;
        stream.set_nonblocking(true)?;
        Ok(stream)
    }

    fn whole<T>(
        &mut self,
        limit: Duration,
        exchange: impl FnOnce(&mut Self, Instant) -> Result<T, MariaError>,
    ) -> Result<T, MariaError> {
        if self.broken {
            let why = "it was given up before";
            return Err(io::Error::new(io::ErrorKind::NotConnected, why).into());
        }
        let outcome = exchange(self, Instant::now() + limit);
        // A refusal is a whole answer.
        self.broken =
            matches!(&outcome, Err(error) if !matches!(error, MariaError::Refused { .. }));
        match outcome {
            Err(MariaError::Late(_)) => Err(MariaError::Late(limit)),
            outcome => outcome,
        }
    }

    fn command(&mut self, command: u8, text: &[u8], until: Instant) -> Result<(), MariaError> {
        let mut out = Vec::with_capacity(text.len() + HEAD + 1);
        let body = begin(&mut out, 0);
        out.push(command);
        out.extend_from_slice(text);
        end(&mut out, body);
        self.send(&out, until)
    }

    /// The rows of an answer in text.
    fn rows(&mut self, until: Instant) -> Result<Vec<Row>, MariaError> {
        self.receive(until)?;
        let columns = match First::read(&self.packet)? {
            First::Done { .. } => return Ok(Vec::new()),
            First::Columns(columns) if columns <= MOST_COLUMNS => columns,
            First::Columns(_) => {
                return Err(MariaError::Unexpected("more columns than were asked for"));
            }
            refused => return Err(refused.into_error()),
        };
        for _ in 0..=columns {
            self.receive(until)?;
        }
        let (mut rows, mut kept) = (Vec::new(), 0);
        loop {
            self.receive(until)?;
            if end_status(&self.packet).is_some() {
                return Ok(rows);
            }
            if self.packet.first() == Some(&0xff) {
                return Err(First::read(&self.packet)?.into_error());
            }
            kept += self.packet.len() + columns as usize * size_of::<Option<String>>();
            if kept > LONGEST_ANSWER {
                return Err(MariaError::Long { bytes: kept });
            }
            rows.push(row(&self.packet, columns)?);
        }
    }

    /// Waits for a packet, whose body is then in `packet`; its number in the exchange.
    fn receive(&mut self, until: Instant) -> Result<u8, MariaError> {
        let mut head = [0; HEAD];
        read_exact(&mut self.stream, &mut head, &self.stops, until)?;
        let length = body_length(head, LONGEST_PACKET)?;
        self.packet.resize(length, 0);
        read_exact(&mut self.stream, &mut self.packet, &self.stops, until)?;
        Ok(head[3])
    }

    fn send(&mut self, mut bytes: &[u8], until: Instant) -> Result<(), MariaError> {
        while !bytes.is_empty() {
            look(&self.stops, until)?;
            match self.stream.write(bytes) {
                Ok(sent) => bytes = &bytes[sent..],
                Err(error) if waits(&error) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if !self.broken {
            let _ = self.stream.write_all(&[1, 0, 0, 0, COM_QUIT]);
        }
    }
}

impl First {
    /// What is not the answer that was meant.
    pub(crate) fn into_error(self) -> MariaError {
        match self {
            First::Refused { code, state, message } => MariaError::Refused { code, state, message },
            _ => MariaError::Unexpected("another answer than was asked for"),
        }
    }
}

/// A row in text.
fn row(bytes: &[u8], columns: u64) -> Result<Row, MariaError> {
    let mut body = Body(bytes);
    let parameters = (0..columns).map(|_| {
        if body.0.first() == Some(&0xfb) {
            body.u8();
            return Ok(None);
        }
        let text = body.text().ok_or(MariaError::Unexpected("a row that is too short"))?;
        Ok(Some(String::from_utf8_lossy(text).into_owned()))
    });
    parameters.collect()
}

/// `COM_STMT_EXECUTE` with values in binary: no cursor, once, types said with them.
pub(crate) fn put_execute(out: &mut Vec<u8>, statement: u32, parameters: &[Parameter<'_>]) {
    const BIGINT: [u8; 2] = [0x08, 0];
    const BLOB: [u8; 2] = [0xfc, 0];
    let body = begin(out, 0);
    out.push(COM_STMT_EXECUTE);
    out.extend_from_slice(&statement.to_le_bytes());
    out.extend_from_slice(&[0, 1, 0, 0, 0]);
    if !parameters.is_empty() {
        // None of them is NULL.
        out.resize(out.len() + parameters.len().div_ceil(8), 0);
        out.push(1);
        for cell in parameters {
            out.extend_from_slice(match cell {
                Parameter::Number(_) => &BIGINT,
                Parameter::Bytes(_) => &BLOB,
            });
        }
        for cell in parameters {
            match cell {
                Parameter::Number(number) => out.extend_from_slice(&number.to_le_bytes()),
                Parameter::Bytes(bytes) => put_text(out, bytes),
            }
        }
    }
    end(out, body);
}

/// `COM_QUERY` with that text.
pub(crate) fn put_query(out: &mut Vec<u8>, sql: &str) {
    let body = begin(out, 0);
    out.push(COM_QUERY);
    out.extend_from_slice(sql.as_bytes());
    end(out, body);
}

fn look(stops: &[Stop], until: Instant) -> Result<(), MariaError> {
    if stops.iter().any(Stop::is_set) {
        return Err(Stopped.into());
    }
    if Instant::now() >= until { Err(MariaError::Late(Duration::ZERO)) } else { Ok(()) }
}

fn waits(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), Interrupted | TimedOut | WouldBlock)
}

fn read_exact(
    stream: &mut UnixStream,
    mut bytes: &mut [u8],
    stops: &[Stop],
    until: Instant,
) -> Result<(), MariaError> {
    while !bytes.is_empty() {
        look(stops, until)?;
        match stream.read(bytes) {
            Ok(0) => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
            Ok(read) => bytes = &mut bytes[read..],
            Err(error) if waits(&error) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    fn pair() -> (Connection, UnixStream) {
        let (ours, theirs) = UnixStream::pair().unwrap();
        ours.set_read_timeout(Some(LOOK_EVERY)).unwrap();
        let connection = Connection {
            stream: ours,
            version: String::new(),
            connection: 0,
            stops: Vec::new(),
            packet: Vec::new(),
            broken: false,
        };
        (connection, theirs)
    }

    pub(crate) fn packets(bodies: &[&[u8]]) -> Vec<u8> {
        let mut out = Vec::new();
        for (n, bytes) in bodies.iter().enumerate() {
            let body = begin(&mut out, n as u8 + 1);
            out.extend_from_slice(bytes);
            end(&mut out, body);
        }
        out
    }

    pub(crate) const END: &[u8] = &[0xfe, 0, 0, 2, 0];

    #[test]
    fn a_socket_that_nobody_listens_at_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let socket = dir.path().join("gone.sock");
        let error = Connection::open(&socket, "root", &[]).err().expect("nobody is there");
        assert!(matches!(&error, MariaError::NoSocket { socket: named, .. } if *named == socket));
        assert!(error.to_string().contains("gone.sock"), "{error}");
    }

    #[test]
    fn rows_are_read_with_their_nulls() {
        let (mut connection, mut theirs) = pair();
        let answer = packets(&[&[2], b"def a", b"def b", END, b"\x01x\xfb", b"\xfb\x00", END]);
        theirs.write_all(&answer).unwrap();
        let rows = connection.query("SELECT").unwrap();
        let text = |text: &str| Some(text.to_string());
        assert_eq!(rows, [vec![text("x"), None], vec![None, text("")]]);
    }

    #[test]
    fn what_no_server_says_ends_with_an_error_and_the_connection_is_not_used_again() {
        for answer in [
            packets(&[&[0xfe, 255, 255, 255, 255, 255, 255, 255, 127]]),
            packets(&[&[101]]),
            packets(&[&[0xfb, b'/']]),
            packets(&[&[]]),
            packets(&[&[1], b"def", END, b"\x05x"]),
            vec![255, 255, 255, 1],
            vec![0, 0, 0x20, 1],
        ] {
            let (mut connection, mut theirs) = pair();
            theirs.write_all(&answer).unwrap();
            assert!(connection.query("SELECT").is_err(), "{answer:?}");
            let error = connection.query("SELECT").unwrap_err();
            assert!(error.to_string().contains("given up"), "{error}");
        }
    }

    #[test]
    fn a_refusal_is_a_whole_answer_and_silence_ends_with_a_stop() {
        let (mut connection, mut theirs) = pair();
        theirs.write_all(&packets(&[b"\xff\x28\x04#42000syntax"])).unwrap();
        let error = connection.query("SELEC").unwrap_err();
        assert!(matches!(error, MariaError::Refused { code: 1064, .. }), "{error}");
        let stop = Stop::new();
        stop.set();
        connection.heed(Some(&stop));
        assert!(matches!(connection.query("SELECT").unwrap_err(), MariaError::Stopped(_)));
    }

    #[test]
    fn a_statement_is_prepared_whatever_its_number_and_other_answers_are_refused() {
        for id in [1u32, 0xfb, 0xfe, 0xffff_ffff] {
            let (mut connection, mut theirs) = pair();
            let said = [&[0][..], &id.to_le_bytes(), &[0, 0, 1, 0, 0, 0, 0]].concat();
            theirs.write_all(&packets(&[&said, b"def", END])).unwrap();
            let parameters = 1;
            assert_eq!(connection.prepare("SELECT ?").unwrap(), Prepared { id, parameters });
        }
        for said in [&b"\x02"[..], b"\xff\x28\x04#42000syntax", b"\x00\x01", b""] {
            let (mut connection, mut theirs) = pair();
            theirs.write_all(&packets(&[said])).unwrap();
            assert!(connection.prepare("SELECT ?").is_err(), "{said:?}");
        }
    }

    #[test]
    fn a_prepared_statement_is_run_with_numbers_and_bytes() {
        let mut out = Vec::new();
        put_execute(&mut out, 7, &[Parameter::Number(-2), Parameter::Bytes(b"ab")]);
        let body = [
            &[0x17, 7, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 8, 0, 0xfc, 0][..],
            &(-2i64).to_le_bytes(),
            &[2, b'a', b'b'],
        ]
        .concat();
        assert_eq!(out[..4], [body.len() as u8, 0, 0, 0]);
        assert_eq!(out[4..], body);
    }
}
