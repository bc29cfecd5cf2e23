//! One session of the measured load on PostgreSQL: prepared statements, sent step by step, and answers that are parsed just far
//! enough to know when they are complete; what is in them is read where a program asks.
//!
//! The cost of this path is in every result (`client_cpu_per_op`), so it allocates nothing per step, makes
//! one `send` and one `recv`, and looks at five bytes of each message (tag and length; PostgreSQL documentation,
//! "Message Formats").

mod answer;
mod refusal;
mod request;

use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, RawFd};

use bytes::BytesMut;
use narrows_engine::Stop;
use narrows_layer_database::kind::{KindError, Session};
use narrows_layer_database::{Answer, Encode, Refusal, Sessions, Value};
use postgres_protocol::message::frontend;

use answer::Messages;
use request::Outbox;

use crate::address::Address;
use crate::wire::{Connection, Stream, WireError};

/// Application name of the load's sessions, by which the sampler finds them.
pub const APPLICATION_NAME: &str = "narrows load";

/// The longest answer that is taken, bytes.
const LONGEST_ANSWER: usize = 64 << 20;
const INBOX: usize = 8192;
const ROLLBACK: &[u8] = b"Q\0\0\0\x0dROLLBACK\0";

/// What the server has of this session after an answer (ReadyForQuery).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ready {
    NotYet,
    Idle,
    InTransaction,
}

/// A session of PostgreSQL that is logged in and prepared.
pub(crate) struct PostgresSession {
    stream: Stream,
    pid: u32,
    outbox: Outbox,
    inbox: Vec<u8>,
    /// Bytes of it that were received.
    filled: usize,
    /// Bytes of it that were looked at.
    seen: usize,
    rows: u32,
    refusal: Option<Refusal>,
    ready: Ready,
    /// Looked at while a request finds no room.
    stops: Vec<Stop>,
}

impl PostgresSession {
    /// Over an open stream, with so many statements prepared.
    pub(crate) fn over(stream: Stream, pid: u32, statements: usize, stops: Vec<Stop>) -> Self {
        PostgresSession {
            stops,
            stream,
            pid,
            outbox: Outbox::new(statements),
            inbox: vec![0; INBOX],
            filled: 0,
            seen: 0,
            rows: 0,
            refusal: None,
            ready: Ready::NotYet,
        }
    }

    /// Connects, applies the settings (`name = value`), prepares the statements.
    pub(crate) fn open(
        address: &Address,
        settings: &[String],
        statements: &[String],
        stops: &[&Stop],
    ) -> Result<Self, WireError> {
        let options = [("application_name", APPLICATION_NAME)];
        let mut connection = Connection::open_heeding(address, &options, stops)?;
        for setting in settings {
            connection.execute(&format!("SET {setting}"))?;
        }
        let named: Vec<(String, &str)> =
            statements.iter().enumerate().map(|(n, sql)| (request::name(n), &**sql)).collect();
        let (stream, pid) = connection.into_prepared(&named)?;
        let stops = stops.iter().map(|stop| (*stop).clone()).collect();
        Ok(PostgresSession::over(stream, pid, statements.len(), stops))
    }

    /// With room for a few bytes at first, so that an answer needs many reads.
    #[cfg(test)]
    pub(crate) fn shrink(&mut self) {
        self.inbox = vec![0; 16];
    }

    #[inline]
    fn forget(&mut self) {
        self.inbox.copy_within(self.seen..self.filled, 0);
        self.filled -= self.seen;
        self.seen = 0;
        self.rows = 0;
        self.refusal = None;
        self.ready = Ready::NotYet;
    }

    #[cold]
    fn make_room(&mut self) -> Result<(), WireError> {
        let bytes = self.inbox.len() * 2;
        if bytes > LONGEST_ANSWER {
            return Err(WireError::Long { bytes: bytes as u32 });
        }
        self.inbox.resize(bytes, 0);
        Ok(())
    }

    #[cold]
    fn closed(&mut self) -> WireError {
        match self.refusal.take() {
            Some(Refusal { severity, code, message }) => {
                WireError::Server { severity, code, message, detail: String::new() }
            }
            None => {
                io::Error::new(io::ErrorKind::UnexpectedEof, "the server closed a session").into()
            }
        }
    }

    /// Passes the messages that are complete, up to the end of an answer.
    #[inline]
    fn parse(&mut self) {
        let mut at = self.seen;
        while self.ready == Ready::NotYet
            && let Some(head) = self.inbox[at..self.filled].first_chunk::<{ answer::HEAD }>()
        {
            let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
            if self.filled - at < 1 + length {
                break;
            }
            match head[0] {
                b'D' => self.rows += 1,
                b'E' => {
                    let body = self.inbox.get(at + answer::HEAD..at + 1 + length);
                    self.refusal.get_or_insert(refusal::refusal(body.unwrap_or_default()));
                }
                b'Z' => {
                    let status = self.inbox.get(at + answer::HEAD);
                    self.ready =
                        if status == Some(&b'I') { Ready::Idle } else { Ready::InTransaction };
                }
                _ => {}
            }
            at += 1 + length;
        }
        self.seen = at;
    }
}

impl Sessions for Address {
    fn open(
        &self,
        settings: &[String],
        statements: &[String],
        stops: &[&Stop],
    ) -> Result<Box<dyn Session>, KindError> {
        Ok(Box::new(PostgresSession::open(self, settings, statements, stops)?))
    }
}

impl Session for PostgresSession {
    fn pid(&self) -> u32 {
        self.pid
    }

    fn descriptor(&self) -> RawFd {
        self.stream.as_raw_fd()
    }

    #[inline]
    fn begin(&mut self) -> &mut dyn Encode {
        self.outbox.anew()
    }

    #[inline]
    fn has_step(&self) -> bool {
        !self.outbox.is_empty()
    }

    #[inline]
    fn send(&mut self) -> io::Result<()> {
        self.forget();
        send_all(&mut self.stream, self.outbox.complete(), &self.stops)
    }

    /// Reads again only where the stream holds what it took from the socket before: nobody is woken for that.
    #[inline]
    fn receive(&mut self) -> Result<bool, KindError> {
        loop {
            if self.filled == self.inbox.len() {
                self.make_room()?;
            }
            match self.stream.read(&mut self.inbox[self.filled..]) {
                Ok(0) => return Err(self.closed().into()),
                Ok(n) => {
                    self.filled += n;
                    self.parse();
                    if self.ready != Ready::NotYet {
                        return Ok(true);
                    }
                    if !self.stream.holds_more() {
                        return Ok(false);
                    }
                }
                Err(error) => match error.kind() {
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => return Ok(false),
                    _ => return Err(WireError::Io(error).into()),
                },
            }
        }
    }

    #[inline]
    fn heard(&mut self) -> (Result<Answer<'_>, &Refusal>, &mut dyn Encode) {
        let heard = match &self.refusal {
            None => Ok(Answer::new(&self.inbox[..self.seen], self.rows, &Messages)),
            Some(refusal) => Err(refusal),
        };
        (heard, self.outbox.anew())
    }

    #[inline]
    fn in_transaction(&self) -> bool {
        self.ready == Ready::InTransaction
    }

    fn send_rollback(&mut self) -> io::Result<()> {
        self.forget();
        send_all(&mut self.stream, ROLLBACK, &self.stops)
    }
}

impl Drop for PostgresSession {
    fn drop(&mut self) {
        // A polite end lets the server report the session's statistics at once.
        let mut goodbye = BytesMut::new();
        frontend::terminate(&mut goodbye);
        let _ = self.stream.write_all(&goodbye);
    }
}

/// Bytes of a request of one statement by one `bigint`.
pub(crate) fn request_bytes() -> usize {
    let mut outbox = Outbox::new(1);
    outbox.anew().run(0, &[Value::Int8(0)]);
    outbox.complete().len()
}

#[inline]
fn send_all(stream: &mut Stream, bytes: &[u8], stops: &[Stop]) -> io::Result<()> {
    let mut sent = 0;
    while sent < bytes.len() {
        match stream.write(&bytes[sent..]) {
            Ok(n) => sent += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                wait_writable(stream.as_raw_fd(), stops)?;
            }
            Err(error) => return Err(error),
        }
    }
    while !stream.flushed()? {
        wait_writable(stream.as_raw_fd(), stops)?;
    }
    Ok(())
}

/// Waits a moment for room: a server that takes nothing has stopped, and a stop of ours ends that wait.
#[cold]
fn wait_writable(fd: RawFd, stops: &[Stop]) -> io::Result<()> {
    if stops.iter().any(Stop::is_set) {
        return Err(io::Error::new(io::ErrorKind::TimedOut, "stopped on request"));
    }
    let mut poll = libc::pollfd { fd, events: libc::POLLOUT, revents: 0 };
    // SAFETY: `poll` is one valid pollfd for the duration of the call.
    unsafe { libc::poll(&mut poll, 1, 50) };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;

    fn session(stream: UnixStream) -> PostgresSession {
        let mut session = PostgresSession::over(Stream::Unix(stream), 0, 1, Vec::new());
        session.shrink();
        session
    }

    pub(super) fn message(tag: u8, body: &[u8]) -> Vec<u8> {
        let mut bytes = vec![tag];
        bytes.extend_from_slice(&(body.len() as u32 + 4).to_be_bytes());
        bytes.extend_from_slice(body);
        bytes
    }

    fn receive_all(session: &mut PostgresSession) -> Result<(), KindError> {
        while !session.receive()? {}
        Ok(())
    }

    #[test]
    fn an_answer_in_single_bytes_is_the_same_answer() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let mut session = session(ours);
        let mut answer = message(b'2', b"");
        answer.extend(message(b'D', &[0; 100]));
        answer.extend(message(b'C', b"SELECT 1\0"));
        answer.extend(message(b'Z', b"I"));
        let last = answer.len() - 1;
        session.stream.set_nonblocking(true).unwrap();
        for (i, byte) in answer.iter().enumerate() {
            theirs.write_all(&[*byte]).unwrap();
            assert_eq!(session.receive().unwrap(), i == last);
        }
        let heard = session.heard().0.map(|a| (a.rows(), a.affected())).ok();
        assert_eq!((heard, session.in_transaction()), (Some((1, 1)), false));
    }

    #[test]
    fn a_request_that_finds_no_room_ends_with_a_stop() {
        let (ours, _theirs) = UnixStream::pair().unwrap();
        ours.set_nonblocking(true).unwrap();
        let stop = Stop::new();
        let (mut stream, stops) = (Stream::Unix(ours), [stop.clone()]);
        // Nobody reads: more than any socket holds.
        std::thread::scope(|scope| {
            let sender = scope.spawn(|| send_all(&mut stream, &vec![0; 64 << 20], &stops));
            stop.set();
            let error = sender.join().unwrap().unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::TimedOut, "{error}");
        });
    }

    #[test]
    fn an_error_is_reported_once_complete_with_its_state_and_text() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let mut session = session(ours);
        let mut answer = message(b'E', b"SERROR\0C40001\0Mcould not serialize\0\0");
        answer.extend(message(b'Z', b"E"));
        theirs.write_all(&answer).unwrap();
        receive_all(&mut session).unwrap();
        let refusal = session.heard().0.err().cloned().unwrap();
        assert_eq!(refusal.to_string(), "ERROR 40001: could not serialize");
        assert!(refusal.is_conflict() && session.in_transaction());
        session.send_rollback().unwrap();
        let mut sent = [0; 64];
        let n = theirs.read(&mut sent).unwrap();
        assert_eq!(&sent[..n], message(b'Q', b"ROLLBACK\0"));
        theirs.write_all(&[message(b'C', b"ROLLBACK\0"), message(b'Z', b"I")].concat()).unwrap();
        receive_all(&mut session).unwrap();
        assert!(session.heard().0.is_ok() && !session.in_transaction());
    }

    #[test]
    fn what_comes_behind_an_answer_belongs_to_the_next() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let mut session = session(ours);
        let answer = |rows: usize| {
            let all = vec![message(b'D', &[0, 0]); rows].concat();
            [all, message(b'Z', b"I")].concat()
        };
        theirs.write_all(&[answer(3), message(b'N', b"SNOTICE\0\0"), answer(40)].concat()).unwrap();
        for rows in [3, 40] {
            receive_all(&mut session).unwrap();
            assert_eq!(session.heard().0.unwrap().rows(), rows);
            session.send().unwrap();
        }
    }

    #[test]
    fn a_servers_last_word_is_told_and_not_that_it_hung_up() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let mut session = session(ours);
        theirs.write_all(&message(b'E', b"SFATAL\0C57P01\0Mterminating connection\0\0")).unwrap();
        drop(theirs);
        let error = receive_all(&mut session).unwrap_err();
        let error = error.downcast::<WireError>().unwrap();
        assert_eq!(error.code(), Some("57P01"), "{error}");
    }
}
