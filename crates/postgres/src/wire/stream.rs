//! The transport: a Unix socket or TCP, with or without TLS.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream, ToSocketAddrs};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use narrows_tls::TlsStream;

use super::WireError;
use super::dial::Dialing;
use super::wait::LOOK_EVERY;
use crate::address::{Address, Endpoint};
use crate::refusal;

/// How long a host may take to answer at all.
const LONGEST_CONNECT: Duration = Duration::from_secs(10);

/// Why there is no transport.
pub(super) enum Unreached {
    /// The name leads nowhere.
    Lookup(io::Error),
    /// What the system said.
    System(io::Error),
}

impl From<io::Error> for Unreached {
    fn from(error: io::Error) -> Unreached {
        Unreached::System(error)
    }
}

impl Unreached {
    /// As an error of that address.
    pub(super) fn of(self, address: &Address) -> WireError {
        match (self, &address.endpoint) {
            (Unreached::Lookup(error), Endpoint::Tcp { host, .. }) => {
                WireError::NoHost { host: host.clone(), beyond: refusal::beyond_unknown(&error) }
            }
            (Unreached::System(error), Endpoint::Unix { folder, port })
                if error.kind() == io::ErrorKind::NotFound =>
            {
                WireError::NoSocket { folder: folder.clone(), port: *port }
            }
            (Unreached::Lookup(reason) | Unreached::System(reason), endpoint) => {
                let advice = refusal::unreached(endpoint, &reason);
                WireError::Connect { address: address.masked(), reason, advice }
            }
        }
    }
}

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
        let unreached = |reason: io::Error| Unreached::System(reason).of(address);
        let endpoint = address.endpoint.clone();
        let (tell, told) = sync_channel(1);
        let connector = std::thread::Builder::new().name("connect".into());
        connector.spawn(move || tell.send(Stream::reach(&endpoint))).map_err(unreached)?;
        loop {
            match told.recv_timeout(LOOK_EVERY) {
                Ok(outcome) => return outcome.map_err(|reason| reason.of(address)),
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

    fn reach(endpoint: &Endpoint) -> Result<Stream, Unreached> {
        match endpoint {
            Endpoint::Unix { folder, port } => {
                Ok(Stream::Unix(UnixStream::connect(folder.join(format!(".s.PGSQL.{port}")))?))
            }
            Endpoint::Tcp { host, at, port, .. } => {
                let stream = match at {
                    Some(at) => connect_any([SocketAddr::new(*at, *port)])?,
                    None => {
                        let found = (host.as_str(), *port).to_socket_addrs();
                        connect_any(found.map_err(Unreached::Lookup)?)?
                    }
                };
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

/// The first of a host's addresses that answers.
fn connect_any(addresses: impl IntoIterator<Item = SocketAddr>) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in addresses {
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
