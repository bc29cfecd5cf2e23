//! A blocking connection for everything that is not the measured load: authentication, setting up, loading by
//! COPY, reading counters. The wire format and the authentication are `postgres-protocol`'s.
//!
//! Not for the load: that is [`crate::session`], which shares the opened stream.
//!
//! A statement may take minutes on somebody's server (an index, a checkpoint). A connection that was told to
//! [`heed`](Connection::heed) a stop token cancels its statement within a moment of the request, as `psql` does on
//! Ctrl-C: by a cancel request on a connection of its own (PostgreSQL documentation, "Canceling Requests in Progress").

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use fallible_iterator::FallibleIterator;
use narrows_engine::Stop;
use postgres_protocol::authentication::{md5_hash, sasl};
use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend;

use crate::address::{Address, Endpoint};
use crate::refusal;

/// What can go wrong between us and a server.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// Nobody answers there.
    #[error("cannot connect to {address}: {reason}\nhint: {}", refusal::unreached(reason))]
    Connect {
        /// Where.
        address: String,
        /// What the system said.
        reason: io::Error,
    },
    /// The connection broke.
    #[error(
        "the connection to the server broke: {0}\nhint: was the server stopped or restarted? its log says why"
    )]
    Io(#[from] io::Error),
    /// The server refused something.
    #[error("{severity} {code}: {message}{detail}{}", refusal::hint(code, message))]
    Server {
        /// `ERROR`, `FATAL`.
        severity: String,
        /// SQLSTATE.
        code: String,
        /// The server's text.
        message: String,
        /// The server's detail and hint, with line breaks, or nothing.
        detail: String,
    },
    /// An authentication method this program doesn't speak.
    #[error(
        "the server asks for {0}, which is not spoken here\nhint: connect through the Unix socket, or as a user with scram-sha-256"
    )]
    Authentication(&'static str),
    /// The password was asked for as it is, and would cross a network that way.
    #[error(
        "the server asks for the password in clear text, and the connection has no TLS: it was not sent\nhint: \
         connect through the Unix socket on the server's machine, or set the user's password_encryption to scram-sha-256"
    )]
    ClearText,
    /// A password was asked for and none given.
    #[error(
        "the server asks for a password\nhint: set PGPASSWORD, which keeps it out of the process list"
    )]
    Password,
    /// Something a server of this protocol doesn't say.
    #[error("the server said something unexpected: {0}")]
    Unexpected(&'static str),
}

impl WireError {
    /// The SQLSTATE, if the server sent one.
    pub fn code(&self) -> Option<&str> {
        match self {
            WireError::Server { code, .. } => Some(code),
            _ => None,
        }
    }
}

/// The transport.
#[derive(Debug)]
pub(crate) enum Stream {
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl Stream {
    fn connect(endpoint: &Endpoint) -> io::Result<Stream> {
        match endpoint {
            Endpoint::Unix { folder, port } => {
                UnixStream::connect(folder.join(format!(".s.PGSQL.{port}"))).map(Stream::Unix)
            }
            Endpoint::Tcp { host, port } => {
                let stream = connect_tcp(host, *port)?;
                // One small request at a time: Nagle's algorithm would hold it back.
                stream.set_nodelay(true)?;
                Ok(Stream::Tcp(stream))
            }
        }
    }

    pub(crate) fn set_nonblocking(&self, on: bool) -> io::Result<()> {
        match self {
            Stream::Unix(stream) => stream.set_nonblocking(on),
            Stream::Tcp(stream) => stream.set_nonblocking(on),
        }
    }

    fn set_timeout(&self, limit: Option<Duration>) -> io::Result<()> {
        match self {
            Stream::Unix(stream) => stream.set_read_timeout(limit),
            Stream::Tcp(stream) => stream.set_read_timeout(limit),
        }
    }
}

/// The first of the host's addresses that answers.
fn connect_tcp(host: &str, port: u16) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, LONGEST_CONNECT) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

impl AsRawFd for Stream {
    fn as_raw_fd(&self) -> RawFd {
        match self {
            Stream::Unix(stream) => stream.as_raw_fd(),
            Stream::Tcp(stream) => stream.as_raw_fd(),
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Unix(stream) => stream.read(buffer),
            Stream::Tcp(stream) => stream.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Unix(stream) => stream.write(buffer),
            Stream::Tcp(stream) => stream.write(buffer),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A row of a simple query: text, or NULL.
pub type Row = Vec<Option<String>>;

/// An open connection.
pub struct Connection {
    stream: Stream,
    inbox: BytesMut,
    outbox: BytesMut,
    endpoint: Endpoint,
    pid: u32,
    /// What a cancel request has to show.
    secret: i32,
    /// Cancels the statement in hand when set.
    stop: Option<Stop>,
    /// Whether the statement in hand was cancelled already.
    cancelled: bool,
    /// How long the server may stay silent.
    silence: Duration,
}

/// How long a host may take to answer at all.
const LONGEST_CONNECT: Duration = Duration::from_secs(10);
/// How long logging in may take: what doesn't answer by then speaks another protocol.
const LONGEST_LOGIN: Duration = Duration::from_secs(20);
/// How often a connection that waits for the server looks at its stop token.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How long the server may stay silent: longer than any statement here takes, so that a dead server ends the run.
const SILENCE: Duration = Duration::from_secs(600);

impl Connection {
    /// Connects and logs in. `options` are run-time parameters, `application_name` among them.
    pub fn open(address: &Address, options: &[(&str, &str)]) -> Result<Connection, WireError> {
        let stream = Stream::connect(&address.endpoint)
            .map_err(|reason| WireError::Connect { address: address.to_string(), reason })?;
        stream.set_timeout(Some(LOOK_EVERY))?;
        let mut connection = Connection {
            stream,
            inbox: BytesMut::new(),
            outbox: BytesMut::new(),
            endpoint: address.endpoint.clone(),
            pid: 0,
            secret: 0,
            stop: None,
            cancelled: false,
            silence: LONGEST_LOGIN,
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

    /// Whether the server closed this connection, or can't be reached through it any more.
    pub fn is_broken(&mut self) -> bool {
        self.execute("SELECT 1").is_err_and(|error| matches!(error, WireError::Io(_)))
    }

    fn authenticate(&mut self, address: &Address) -> Result<(), WireError> {
        let password =
            || address.password.as_ref().map(|secret| secret.reveal()).ok_or(WireError::Password);
        loop {
            match self.next()? {
                Message::AuthenticationOk => return Ok(()),
                Message::AuthenticationCleartextPassword if !address.is_local() => {
                    return Err(WireError::ClearText);
                }
                Message::AuthenticationCleartextPassword => {
                    frontend::password_message(password()?.as_bytes(), &mut self.outbox)?;
                }
                Message::AuthenticationMd5Password(body) => {
                    let hash =
                        md5_hash(address.user.as_bytes(), password()?.as_bytes(), body.salt());
                    frontend::password_message(hash.as_bytes(), &mut self.outbox)?;
                }
                Message::AuthenticationSasl(body) => {
                    let offered: Vec<String> =
                        body.mechanisms().map(|m| Ok(m.to_string())).collect()?;
                    if !offered.iter().any(|m| m == sasl::SCRAM_SHA_256) {
                        return Err(WireError::Authentication(
                            "a SASL method other than SCRAM-SHA-256",
                        ));
                    }
                    self.scram(password()?)?;
                    continue;
                }
                Message::AuthenticationGss | Message::AuthenticationKerberosV5 => {
                    return Err(WireError::Authentication("Kerberos"));
                }
                Message::AuthenticationSspi => return Err(WireError::Authentication("SSPI")),
                _ => return Err(WireError::Unexpected("a message during authentication")),
            }
            self.send()?;
        }
    }

    fn scram(&mut self, password: &str) -> Result<(), WireError> {
        let mut exchange =
            sasl::ScramSha256::new(password.as_bytes(), sasl::ChannelBinding::unsupported());
        frontend::sasl_initial_response(sasl::SCRAM_SHA_256, exchange.message(), &mut self.outbox)?;
        self.send()?;
        let Message::AuthenticationSaslContinue(body) = self.next()? else {
            return Err(WireError::Unexpected("no continuation of SCRAM"));
        };
        exchange.update(body.data())?;
        frontend::sasl_response(exchange.message(), &mut self.outbox)?;
        self.send()?;
        let Message::AuthenticationSaslFinal(body) = self.next()? else {
            return Err(WireError::Unexpected("no end of SCRAM"));
        };
        Ok(exchange.finish(body.data())?)
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
        let mut failure = None;
        loop {
            // An error doesn't end the answer: the server still says when it is ready.
            match self.next_or_error()? {
                Ok(Message::DataRow(body)) => {
                    let buffer = body.buffer();
                    let row = body
                        .ranges()
                        .map(|range| {
                            Ok(range.map(|r| String::from_utf8_lossy(&buffer[r]).into_owned()))
                        })
                        .collect()?;
                    rows.push(row);
                }
                Ok(Message::ReadyForQuery(_)) => return failure.map_or(Ok(rows), Err),
                Ok(_) => {}
                Err(error) => failure = Some(error),
            }
        }
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
        let mut failure = None;
        loop {
            match self.next_or_error().map_err(E::from)? {
                Ok(Message::ReadyForQuery(_)) => break,
                Ok(_) => {}
                Err(error) => failure = Some(error),
            }
        }
        outcome?;
        failure.map_or(Ok(()), |error| Err(E::from(error)))
    }

    /// Prepares a named statement and gives up the stream for the load.
    pub(crate) fn into_prepared(
        mut self,
        name: &str,
        sql: &str,
    ) -> Result<(Stream, u32), WireError> {
        frontend::parse(name, sql, std::iter::empty(), &mut self.outbox)?;
        frontend::sync(&mut self.outbox);
        self.send()?;
        let mut failure = None;
        loop {
            match self.next_or_error()? {
                Ok(Message::ReadyForQuery(_)) => break,
                Ok(_) => {}
                Err(error) => failure = Some(error),
            }
        }
        if let Some(error) = failure {
            return Err(error);
        }
        self.stream.set_timeout(Some(SILENCE))?;
        Ok((self.stream, self.pid))
    }

    fn send(&mut self) -> io::Result<()> {
        self.cancelled = false;
        self.stream.write_all(&self.outbox)?;
        self.outbox.clear();
        Ok(())
    }

    /// The next message; notices and parameter changes are passed over, errors are errors.
    fn next(&mut self) -> Result<Message, WireError> {
        self.next_or_error()?
    }

    fn next_or_error(&mut self) -> Result<Result<Message, WireError>, WireError> {
        loop {
            match Message::parse(&mut self.inbox)? {
                Some(Message::NoticeResponse(_) | Message::ParameterStatus(_)) => {}
                Some(Message::ErrorResponse(body)) => {
                    let mut fields = body.fields();
                    let mut found = std::collections::BTreeMap::new();
                    while let Some(field) = fields.next()? {
                        found.insert(
                            field.type_(),
                            String::from_utf8_lossy(field.value_bytes()).into_owned(),
                        );
                    }
                    return Ok(Err(server_error(found)));
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
    fn wait_for(&mut self, chunk: &mut [u8]) -> io::Result<usize> {
        let since = Instant::now();
        loop {
            match self.stream.read(chunk) {
                // Which of the two a time limit gives differs between systems.
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
                    ) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => return read,
            }
            if since.elapsed() > self.silence {
                let what = format!("the server was silent for {} s", self.silence.as_secs());
                return Err(io::Error::new(io::ErrorKind::TimedOut, what));
            }
            if !self.cancelled && self.stop.as_ref().is_some_and(Stop::is_set) {
                self.cancelled = true;
                // Where it can't be delivered the statement runs to its end.
                let _ = self.cancel();
            }
        }
    }

    fn cancel(&self) -> io::Result<()> {
        let mut request = BytesMut::new();
        frontend::cancel_request(self.pid as i32, self.secret, &mut request);
        let mut stream = Stream::connect(&self.endpoint)?;
        stream.write_all(&request)?;
        // The server closes the connection once it has passed the request on.
        stream.set_timeout(Some(Duration::from_secs(1)))?;
        stream.read(&mut [0; 1]).map(|_| ())
    }
}

fn server_error(mut fields: std::collections::BTreeMap<u8, String>) -> WireError {
    let mut take = |key: u8| fields.remove(&key).unwrap_or_default();
    let mut detail = String::new();
    for (key, label) in [(b'D', "detail"), (b'H', "server's hint")] {
        let text = take(key);
        if !text.is_empty() {
            detail.push_str(&format!("\n{label}: {text}"));
        }
    }
    WireError::Server { severity: take(b'S'), code: take(b'C'), message: take(b'M'), detail }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;

    use super::*;

    /// What a server that asks for the password in clear text at that host got to read after its question.
    fn asked_in_clear_text(host: &str) -> (WireError, Vec<u8>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut start = [0; 4];
            stream.read_exact(&mut start).unwrap();
            let mut rest = vec![0; u32::from_be_bytes(start) as usize - 4];
            stream.read_exact(&mut rest).unwrap();
            stream.write_all(b"R\0\0\0\x08\0\0\0\x03").unwrap();
            let mut answer = vec![0; 256];
            let length = stream.read(&mut answer).unwrap();
            answer.truncate(length);
            answer
        });
        let address =
            Address::parse(&format!("postgres://bob:hunter2@{host}:{port}/shop")).unwrap();
        let Err(error) = Connection::open(&address, &[]) else { panic!("nobody let us in") };
        (error, server.join().unwrap())
    }

    #[test]
    fn a_password_crosses_no_network_in_clear_text() {
        // This address reaches this machine, and doesn't look like it.
        let (error, answer) = asked_in_clear_text("0.0.0.0");
        assert!(matches!(error, WireError::ClearText), "{error}");
        assert_eq!(answer, b"");
        let (error, answer) = asked_in_clear_text("127.0.0.1");
        assert!(matches!(error, WireError::Io(_)), "{error}");
        assert_eq!(answer, b"p\0\0\0\x0chunter2\0");
    }
}
