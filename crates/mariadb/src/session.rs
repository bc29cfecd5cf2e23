//! One session of the measured load: prepared statements in binary, one in a step, and answers that are looked at just far enough to
//! know when they are complete. It allocates nothing per step and makes one `write` and one `read`.

use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::path::Path;

use narrows_engine::Stop;
use narrows_layer_database::kind::{KindError, Session};
use narrows_layer_database::{Answer, Encode, Format, Refusal, Value};

use crate::connection::{Connection, Parameter, Prepared, put_execute, put_query};
use crate::error::MariaError;
use crate::packet::{Body, First, HEAD, body_length, end_status};

/// The longest packet that is taken, bytes.
const LONGEST_PACKET: usize = 1 << 20;
/// The longest answer that is taken, bytes.
const LONGEST_ANSWER: usize = 16 << 20;
const INBOX: usize = 16 << 10;
/// `SERVER_STATUS_IN_TRANS`.
const IN_TRANSACTION: u16 = 1;
/// Parameters of a statement of ours at most.
const MOST_PARAMETERS: usize = 4;

/// A session that is logged in and prepared.
pub(crate) struct MariaSession {
    stream: UnixStream,
    thread: u32,
    outbox: Outbox,
    inbox: Vec<u8>,
    filled: usize,
    seen: usize,
    at: At,
    rows: u32,
    status: u16,
    refusal: Option<Refusal>,
    stops: Vec<Stop>,
}

/// How far an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    First,
    /// So many packets before the rows.
    Columns(u64),
    Rows,
    Complete,
}

impl MariaSession {
    pub(crate) fn open(
        socket: &Path,
        user: &str,
        settings: &[String],
        statements: &[String],
        stops: &[&Stop],
    ) -> Result<MariaSession, MariaError> {
        let mut connection = Connection::open(socket, user, stops)?;
        for setting in settings {
            connection.execute(&format!("SET SESSION {setting}"))?;
        }
        let thread = connection.one(
            "SELECT thread_os_id FROM performance_schema.threads WHERE processlist_id = connection_id()",
        )?;
        let thread = thread.and_then(|text| text.parse().ok());
        let thread = thread.ok_or(MariaError::Unexpected("no thread of a session"))?;
        let prepared: Result<Vec<Prepared>, _> =
            statements.iter().map(|sql| connection.prepare(sql)).collect();
        let stops = stops.iter().map(|stop| (*stop).clone()).collect();
        Ok(MariaSession::over(connection.into_stream()?, thread, prepared?, stops))
    }

    fn over(
        stream: UnixStream,
        thread: u32,
        prepared: Vec<Prepared>,
        stops: Vec<Stop>,
    ) -> MariaSession {
        MariaSession {
            stream,
            thread,
            outbox: Outbox { prepared, bytes: Vec::with_capacity(512) },
            inbox: vec![0; INBOX],
            filled: 0,
            seen: 0,
            at: At::First,
            rows: 0,
            status: 0,
            refusal: None,
            stops,
        }
    }

    #[inline]
    fn forget(&mut self) {
        self.inbox.copy_within(self.seen..self.filled, 0);
        self.filled -= self.seen;
        self.seen = 0;
        self.rows = 0;
        self.refusal = None;
        self.at = At::First;
    }

    /// Passes the packets that are complete, up to the end of an answer.
    #[inline]
    fn parse(&mut self) -> Result<(), MariaError> {
        while self.at != At::Complete
            && let Some(head) = self.inbox[self.seen..self.filled].first_chunk::<HEAD>()
        {
            let end = self.seen + HEAD + body_length(*head, LONGEST_PACKET)?;
            if end > self.filled {
                break;
            }
            let packet = &self.inbox[self.seen + HEAD..end];
            self.at = match self.at {
                At::First => match First::read(packet)? {
                    First::Done { status, .. } => {
                        self.status = status;
                        At::Complete
                    }
                    First::Columns(columns) => At::Columns(columns.saturating_add(1)),
                    First::Refused { state, message, .. } => {
                        self.refusal = Some(refused(state, message));
                        At::Complete
                    }
                },
                At::Columns(1) => At::Rows,
                At::Columns(left) => At::Columns(left - 1),
                At::Rows => match end_status(packet) {
                    Some(status) => {
                        self.status = status;
                        At::Complete
                    }
                    None if packet.first() == Some(&0xff) => {
                        if let First::Refused { state, message, .. } = First::read(packet)? {
                            self.refusal = Some(refused(state, message));
                        }
                        At::Complete
                    }
                    None => {
                        self.rows += 1;
                        At::Rows
                    }
                },
                At::Complete => At::Complete,
            };
            self.seen = end;
        }
        Ok(())
    }

    #[cold]
    fn make_room(&mut self) -> Result<(), MariaError> {
        let bytes = self.inbox.len() * 2;
        if bytes > LONGEST_ANSWER {
            return Err(MariaError::Long { bytes });
        }
        self.inbox.resize(bytes, 0);
        Ok(())
    }

    fn send_all(&mut self) -> io::Result<()> {
        let mut sent = 0;
        while sent < self.outbox.bytes.len() {
            match self.stream.write(&self.outbox.bytes[sent..]) {
                Ok(n) => sent += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if self.stops.iter().any(Stop::is_set) {
                        return Err(io::Error::new(io::ErrorKind::TimedOut, "stopped on request"));
                    }
                    // A request is a few bytes, and a socket that has no room for them is a server that has stopped.
                    std::thread::sleep(std::time::Duration::from_millis(1));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// In MariaDB a deadlock has the state of a serialization failure, which the error's text alone tells apart; either way the transaction
/// was rolled back for another one's sake.
fn refused(code: String, message: String) -> Refusal {
    Refusal { severity: "ERROR".into(), code, message }
}

impl Session for MariaSession {
    fn pid(&self) -> u32 {
        self.thread
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
        !self.outbox.bytes.is_empty()
    }

    #[inline]
    fn send(&mut self) -> io::Result<()> {
        self.forget();
        self.send_all()
    }

    #[inline]
    fn receive(&mut self) -> Result<bool, KindError> {
        if self.filled == self.inbox.len() {
            self.make_room()?;
        }
        match self.stream.read(&mut self.inbox[self.filled..]) {
            Ok(0) => {
                let closed = "the server closed a session";
                Err(MariaError::Io(io::Error::new(io::ErrorKind::UnexpectedEof, closed)).into())
            }
            Ok(n) => {
                self.filled += n;
                self.parse()?;
                Ok(self.at == At::Complete)
            }
            Err(error) => match error.kind() {
                io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => Ok(false),
                _ => Err(MariaError::Io(error).into()),
            },
        }
    }

    #[inline]
    fn heard(&mut self) -> (Result<Answer<'_>, &Refusal>, &mut dyn Encode) {
        let heard = match &self.refusal {
            None => Ok(Answer::new(&self.inbox[..self.seen], self.rows, &Packets)),
            Some(refusal) => Err(refusal),
        };
        (heard, self.outbox.anew())
    }

    #[inline]
    fn in_transaction(&self) -> bool {
        self.status & IN_TRANSACTION != 0
    }

    fn send_rollback(&mut self) -> io::Result<()> {
        self.forget();
        let step = std::mem::take(&mut self.outbox.bytes);
        put_query(&mut self.outbox.bytes, "ROLLBACK");
        let sent = self.send_all();
        self.outbox.bytes = step;
        sent
    }
}

impl Drop for MariaSession {
    fn drop(&mut self) {
        // A polite end lets the server close the session at once.
        let _ = self.stream.write_all(&[1, 0, 0, 0, 1]);
    }
}

/// The prepared statements of a session, and the buffer their requests are written into.
struct Outbox {
    prepared: Vec<Prepared>,
    bytes: Vec<u8>,
}

impl Outbox {
    #[inline]
    fn anew(&mut self) -> &mut Outbox {
        self.bytes.clear();
        self
    }
}

impl Encode for Outbox {
    /// # Panics
    /// A second statement in a step, or a value that none of our statements has.
    #[inline]
    fn run(&mut self, statement: usize, values: &[Value<'_>]) {
        assert!(self.bytes.is_empty(), "one statement in a step");
        let mut parameters = [Parameter::Number(0); MOST_PARAMETERS];
        for (cell, value) in parameters.iter_mut().zip(values) {
            *cell = match *value {
                Value::Int2(number) => Parameter::Number(number.into()),
                Value::Int4(number) => Parameter::Number(number.into()),
                Value::Int8(number) => Parameter::Number(number),
                Value::Text(text) | Value::Written(text) => Parameter::Bytes(text.as_bytes()),
                Value::Float8(_) | Value::Int8s(_) | Value::Null => {
                    panic!("no statement of ours has such a parameter")
                }
            };
        }
        put_execute(&mut self.bytes, self.prepared[statement].id, &parameters[..values.len()]);
    }
}

/// MariaDB's packets. No workload of this kind looks into rows.
struct Packets;

impl Format for Packets {
    /// Rows that were changed, or that came.
    #[inline]
    fn affected(&self, answer: &[u8]) -> u64 {
        match answer.get(HEAD..).map(First::read) {
            Some(Ok(First::Done { affected, .. })) => affected,
            Some(Ok(First::Columns(columns))) => rows(answer, columns),
            _ => 0,
        }
    }
}

/// Rows of an answer that has some: all its packets but the first, the columns and two ends.
fn rows(answer: &[u8], columns: u64) -> u64 {
    let (mut body, mut packets) = (Body(answer), 0u64);
    while let Some(head) = body.take(HEAD) {
        let length = [head[0], head[1], head[2], 0];
        if body.take(u32::from_le_bytes(length) as usize).is_none() {
            break;
        }
        packets += 1;
    }
    packets.saturating_sub(columns.saturating_add(3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::tests::{END, packets};

    fn session() -> (MariaSession, UnixStream) {
        let (ours, theirs) = UnixStream::pair().unwrap();
        ours.set_nonblocking(true).unwrap();
        let prepared = vec![Prepared { id: 1, parameters: 1 }];
        (MariaSession::over(ours, 0, prepared, Vec::new()), theirs)
    }

    #[test]
    fn an_answer_in_single_bytes_is_the_same_answer() {
        let (mut session, mut theirs) = session();
        let answer = packets(&[&[1], b"def v", END, &[0, 0, 7, 0, 0, 0, 0, 0, 0, 0], END]);
        for (n, byte) in answer.iter().enumerate() {
            theirs.write_all(&[*byte]).unwrap();
            assert_eq!(session.receive().unwrap(), n + 1 == answer.len());
        }
        let (heard, _) = session.heard();
        let heard = heard.unwrap();
        assert_eq!((heard.rows(), heard.affected()), (1, 1));
        assert!(!session.in_transaction());
    }

    #[test]
    fn a_change_says_how_many_rows_and_whether_a_transaction_is_open() {
        let (mut session, mut theirs) = session();
        theirs.write_all(&packets(&[&[0, 3, 0, 3, 0, 0, 0]])).unwrap();
        assert!(session.receive().unwrap() && session.in_transaction());
        assert_eq!(session.heard().0.map(|answer| answer.affected()).ok(), Some(3));
        session.begin().run(0, &[Value::Int8(5)]);
        session.send_rollback().unwrap();
        let mut sent = [0; 64];
        let n = theirs.read(&mut sent).unwrap();
        assert_eq!(&sent[..n], b"\x09\0\0\0\x03ROLLBACK");
        assert!(session.has_step());
        theirs.write_all(&packets(&[b"\xff\xbd\x04#40001Deadlock found"])).unwrap();
        assert!(session.receive().unwrap());
        assert!(session.heard().0.is_err_and(|refusal| refusal.is_conflict()));
    }

    #[test]
    fn what_no_server_says_is_an_error_and_makes_no_room() {
        for answer in [
            vec![0, 0, 0x20, 1],
            vec![255, 255, 255, 1],
            packets(&[&[0xfb, b'x']]),
            packets(&[&[]]),
        ] {
            let (mut session, mut theirs) = session();
            theirs.write_all(&answer).unwrap();
            assert!(session.receive().is_err(), "{answer:?}");
            assert_eq!(session.inbox.len(), INBOX);
        }
        // Columns without end are as long as what comes.
        let (mut session, mut theirs) = session();
        theirs.write_all(&packets(&[&[0xfe, 255, 255, 255, 255, 255, 255, 255, 255]])).unwrap();
        assert!(!session.receive().unwrap());
        drop(theirs);
        assert!(session.receive().is_err());
    }
}
