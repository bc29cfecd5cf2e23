//! The transport: a Unix socket or TCP, with or without TLS.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use narrows_tls::TlsStream;

use super::WireError;
use super::dial::Dialing;
use super::wait::LOOK_EVERY;
use crate::address::{Address, Endpoint};

/// How long a host may take to answer at all.
const LONGEST_CONNECT: Duration = Duration::from_secs(10);

/// The transport.
#[derive(Debug)]
pub enum Stream {
    /// A Unix socket.
    Unix(UnixStream),
    /// TCP as it is.
    Tcp(TcpStream),
    /// TCP with TLS.
    Tls(Box<TlsStream>),
}

impl Stream {
    /// Connects, without TLS yet. A name server that doesn't answer, a host that drops packets and a full queue of a socket can't be
    /// called off from here: a thread waits for them, and is left behind where that takes too long.
    pub(super) fn connect(address: &Address, dialing: &Dialing) -> Result<Stream, WireError> {
        let unreached = |reason| WireError::Connect { address: address.to_string(), reason };
        let endpoint = address.endpoint.clone();
        let (tell, told) = sync_channel(1);
        let connector = std::thread::Builder::new().name("connect".into());
        connector.spawn(move || tell.send(Stream::reach(&endpoint))).map_err(unreached)?;
        loop {
            match told.recv_timeout(LOOK_EVERY) {
                Ok(outcome) => return outcome.map_err(unreached),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(unreached(io::Error::other("the connecting thread ended")));
                }
            }
            dialing.look().map_err(|error| match error {
                WireError::Late(_) => unreached(io::ErrorKind::TimedOut.into()),
                other => other,
            })?;
        }
    }

    fn reach(endpoint: &Endpoint) -> io::Result<Stream> {
        match endpoint {
            Endpoint::Unix { folder, port } => {
                UnixStream::connect(folder.join(format!(".s.PGSQL.{port}"))).map(Stream::Unix)
            }
            Endpoint::Tcp { host, port, .. } => {
                let stream = connect_tcp(host, *port)?;
                // One small request at a time: Nagle's algorithm would hold it back.
                stream.set_nodelay(true)?;
                Ok(Stream::Tcp(stream))
            }
        }
    }

    /// Whether reads and writes come back at once where they would wait.
    pub fn set_nonblocking(&self, on: bool) -> io::Result<()> {
        match self {
            Stream::Unix(stream) => stream.set_nonblocking(on),
            Stream::Tcp(stream) => stream.set_nonblocking(on),
            Stream::Tls(stream) => stream.socket().set_nonblocking(on),
        }
    }

    /// Whether bytes were taken from the socket that no `read` has given yet: nobody who waits for the socket is woken for them,
    /// so who reads reads on until this is false.
    #[inline]
    pub fn holds_more(&self) -> bool {
        match self {
            Stream::Unix(_) | Stream::Tcp(_) => false,
            Stream::Tls(stream) => stream.holds_more(),
        }
    }

    /// Sends on what TLS has taken, as far as the socket has room; whether all of it is on its way.
    #[inline]
    pub fn flushed(&mut self) -> io::Result<bool> {
        match self.flush() {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Ends it in both directions; whoever waits on the other side wakes up.
    pub(super) fn shut_down(&self) {
        // It may be gone already.
        let _ = match self {
            Stream::Unix(stream) => stream.shutdown(Shutdown::Both),
            Stream::Tcp(stream) => stream.shutdown(Shutdown::Both),
            Stream::Tls(stream) => stream.socket().shutdown(Shutdown::Both),
        };
    }

    /// The session of TLS, if it has one.
    pub(super) fn tls(&self) -> Option<&TlsStream> {
        match self {
            Stream::Unix(_) | Stream::Tcp(_) => None,
            Stream::Tls(stream) => Some(stream),
        }
    }

    pub(super) fn set_timeout(&self, limit: Option<Duration>) -> io::Result<()> {
        match self {
            Stream::Unix(stream) => {
                stream.set_read_timeout(limit).and(stream.set_write_timeout(limit))
            }
            Stream::Tcp(stream) => {
                stream.set_read_timeout(limit).and(stream.set_write_timeout(limit))
            }
            Stream::Tls(stream) => {
                let socket = stream.socket();
                socket.set_read_timeout(limit).and(socket.set_write_timeout(limit))
            }
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
            Stream::Tls(stream) => stream.as_raw_fd(),
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Unix(stream) => stream.read(buffer),
            Stream::Tcp(stream) => stream.read(buffer),
            Stream::Tls(stream) => stream.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Unix(stream) => stream.write(buffer),
            Stream::Tcp(stream) => stream.write(buffer),
            Stream::Tls(stream) => stream.write(buffer),
        }
    }

    /// Only TLS holds anything back.
    fn flush(&mut self) -> io::Result<()> {
        match self {
            Stream::Unix(_) | Stream::Tcp(_) => Ok(()),
            Stream::Tls(stream) => stream.flush(),
        }
    }
}
