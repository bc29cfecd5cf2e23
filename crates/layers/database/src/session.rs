//! One session of the measured load: a prepared statement with one 64-bit key, sent as a template of bytes in
//! which only the key changes, and an answer that is parsed just far enough to know when it is complete.
//!
//! The cost of this path is in every result (`client_cpu_per_op`), so it allocates nothing per operation, makes
//! one `send` and one `recv`, and looks at five bytes of each message (tag and length; PostgreSQL documentation,
//! "Message Formats").

use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, RawFd};

use bytes::BytesMut;
use postgres_protocol::IsNull;
use postgres_protocol::message::frontend;

use crate::address::Address;
use crate::wire::{Connection, Stream, WireError};

/// Application name of the load's sessions, by which the sampler finds them.
pub const APPLICATION_NAME: &str = "narrows load";

const STATEMENT: &str = "narrows";

/// What one `recv` brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Received {
    /// The answer is not complete.
    Pending,
    /// The answer is complete.
    Done {
        /// Rows in it.
        rows: u32,
        /// Whether the server reported an error instead.
        failed: bool,
    },
}

/// A session that is logged in and prepared.
pub(crate) struct Session {
    stream: Stream,
    pid: u32,
    request: Vec<u8>,
    key_at: usize,
    inbox: Vec<u8>,
    filled: usize,
    rows: u32,
    failed: bool,
    first_error: Option<String>,
}

impl Session {
    /// Connects, applies the settings, prepares the statement, whose only parameter is a `bigint`.
    pub(crate) fn open(
        address: &Address,
        settings: &[String],
        statement: &str,
    ) -> Result<Session, WireError> {
        let mut connection = Connection::open(address, &[("application_name", APPLICATION_NAME)])?;
        for setting in settings {
            connection.execute(&format!("SET {setting}"))?;
        }
        let (stream, pid) = connection.into_prepared(STATEMENT, statement)?;
        let (request, key_at) = request_template()?;
        Ok(Session {
            stream,
            pid,
            request,
            key_at,
            inbox: vec![0; 8192],
            filled: 0,
            rows: 0,
            failed: false,
            first_error: None,
        })
    }

    /// The server process of this session.
    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// The descriptor to wait on.
    pub(crate) fn fd(&self) -> RawFd {
        self.stream.as_raw_fd()
    }

    /// Switches between waiting in `recv` and waiting in epoll.
    pub(crate) fn set_nonblocking(&self, on: bool) -> io::Result<()> {
        self.stream.set_nonblocking(on)
    }

    /// The first error the server reported to this session.
    pub(crate) fn take_error(&mut self) -> Option<String> {
        self.first_error.take()
    }

    /// Sends one operation.
    #[inline]
    pub(crate) fn send(&mut self, key: i64) -> io::Result<()> {
        self.request[self.key_at..self.key_at + 8].copy_from_slice(&key.to_be_bytes());
        let mut sent = 0;
        while sent < self.request.len() {
            match self.stream.write(&self.request[sent..]) {
                Ok(n) => sent += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    wait_writable(self.fd());
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Reads once and says whether the answer is complete.
    #[inline]
    pub(crate) fn receive(&mut self) -> io::Result<Received> {
        if self.filled == self.inbox.len() {
            // A message longer than the buffer; only error texts of unusual length get here.
            self.inbox.resize(self.inbox.len() * 2, 0);
        }
        match self.stream.read(&mut self.inbox[self.filled..]) {
            Ok(0) => {
                Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the server closed a session"))
            }
            Ok(n) => {
                self.filled += n;
                Ok(self.parse())
            }
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
                ) =>
            {
                Ok(Received::Pending)
            }
            Err(error) => Err(error),
        }
    }

    #[inline]
    fn parse(&mut self) -> Received {
        let mut at = 0;
        let mut done = Received::Pending;
        while self.filled - at >= 5 {
            let header = &self.inbox[at..at + 5];
            let length = u32::from_be_bytes([header[1], header[2], header[3], header[4]]) as usize;
            if self.filled - at < 1 + length {
                break;
            }
            match header[0] {
                b'D' => self.rows += 1,
                b'E' => {
                    self.failed = true;
                    if self.first_error.is_none() {
                        let body = &self.inbox[at + 5..at + 1 + length];
                        self.first_error = Some(error_message(body));
                    }
                }
                b'Z' => {
                    done = Received::Done { rows: self.rows, failed: self.failed };
                    self.rows = 0;
                    self.failed = false;
                }
                _ => {}
            }
            at += 1 + length;
        }
        self.inbox.copy_within(at..self.filled, 0);
        self.filled -= at;
        done
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // A polite end lets the server report the session's statistics at once.
        let mut goodbye = BytesMut::new();
        frontend::terminate(&mut goodbye);
        let _ = self.stream.write_all(&goodbye);
    }
}

/// Bytes of one operation's request.
pub(crate) fn request_bytes() -> io::Result<usize> {
    Ok(request_template()?.0.len())
}

fn request_template() -> io::Result<(Vec<u8>, usize)> {
    // A key that cannot appear in the template by chance.
    const MARK: i64 = 0x7e5a_11c3_96d2_480f;
    let mut buffer = BytesMut::new();
    frontend::bind(
        "",
        STATEMENT,
        [1],
        [MARK],
        |value, out| {
            out.extend_from_slice(&value.to_be_bytes());
            Ok(IsNull::No)
        },
        [1],
        &mut buffer,
    )
    .map_err(|_| io::Error::other("a bigint could not be encoded"))?;
    frontend::execute("", 0, &mut buffer)?;
    frontend::sync(&mut buffer);
    let key_at = buffer
        .windows(8)
        .position(|window| window == MARK.to_be_bytes())
        .ok_or_else(|| io::Error::other("the key is not in the request"))?;
    Ok((buffer.to_vec(), key_at))
}

/// The message field of an error: fields are a type byte and a zero-terminated text.
fn error_message(body: &[u8]) -> String {
    body.split(|&byte| byte == 0)
        .filter_map(|field| field.split_first())
        .find(|(kind, _)| **kind == b'M')
        .map_or_else(
            || "no message".to_string(),
            |(_, text)| String::from_utf8_lossy(text).into_owned(),
        )
}

fn wait_writable(fd: RawFd) {
    let mut poll = libc::pollfd { fd, events: libc::POLLOUT, revents: 0 };
    // SAFETY: `poll` is one valid pollfd for the duration of the call.
    unsafe { libc::poll(&mut poll, 1, 50) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;

    fn session(stream: UnixStream) -> Session {
        let (request, key_at) = request_template().unwrap();
        Session {
            stream: Stream::Unix(stream),
            pid: 0,
            request,
            key_at,
            inbox: vec![0; 16],
            filled: 0,
            rows: 0,
            failed: false,
            first_error: None,
        }
    }

    fn message(tag: u8, body: &[u8]) -> Vec<u8> {
        let mut bytes = vec![tag];
        bytes.extend_from_slice(&(body.len() as u32 + 4).to_be_bytes());
        bytes.extend_from_slice(body);
        bytes
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
        for (i, byte) in answer.iter().enumerate() {
            theirs.write_all(&[*byte]).unwrap();
            let expected = if i == last {
                Received::Done { rows: 1, failed: false }
            } else {
                Received::Pending
            };
            assert_eq!(session.receive().unwrap(), expected);
        }
    }

    #[test]
    fn an_error_is_reported_once_complete_with_its_text() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let mut session = session(ours);
        let mut answer = message(b'E', b"SERROR\0C40001\0Mcould not serialize\0\0");
        answer.extend(message(b'Z', b"I"));
        theirs.write_all(&answer).unwrap();
        let mut got = session.receive().unwrap();
        while got == Received::Pending {
            got = session.receive().unwrap();
        }
        assert_eq!(got, Received::Done { rows: 0, failed: true });
        assert_eq!(session.take_error().as_deref(), Some("could not serialize"));
    }

    #[test]
    fn only_the_key_differs_between_requests() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let mut session = session(ours);
        session.send(1).unwrap();
        session.send(-1).unwrap();
        let n = session.request.len();
        let mut sent = vec![0; 2 * n];
        theirs.read_exact(&mut sent).unwrap();
        let differing: Vec<usize> = (0..n).filter(|&i| sent[i] != sent[n + i]).collect();
        assert!(differing.iter().all(|&i| (session.key_at..session.key_at + 8).contains(&i)));
        assert_eq!(&sent[session.key_at..session.key_at + 8], &1i64.to_be_bytes());
    }
}
