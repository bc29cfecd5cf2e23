//! An encrypted stream over TCP that can be waited for like a plain one, with one care: see [`TlsStream::holds_more`].

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsRawFd, RawFd};
use std::time::Instant;

use rustls::{ClientConnection, ProtocolVersion};

use crate::{TlsError, certificate};

/// Reads of the socket for one read of the stream: a record of the longest kind comes in fewer.
const MOST_READS: u32 = 16;

/// An encrypted stream over TCP, blocking or not as its socket is.
#[derive(Debug)]
pub struct TlsStream {
    tcp: TcpStream,
    session: ClientConnection,
    /// What was verified of the server.
    verified: &'static str,
    /// Bytes that are decrypted and were not read yet.
    held: usize,
}

impl TlsStream {
    /// Agrees on a session over a connected socket.
    pub(crate) fn agree(
        session: ClientConnection,
        tcp: TcpStream,
        verified: &'static str,
        until: Instant,
        stopped: &dyn Fn() -> bool,
    ) -> Result<TlsStream, TlsError> {
        let mut stream = TlsStream { tcp, session, verified, held: 0 };
        while stream.session.is_handshaking() {
            // Also where something came: a byte now and then would hold us for as long as somebody sends them.
            match stream.handshake() {
                Ok(0) => {
                    let closed = "the server closed the connection";
                    return Err(io::Error::new(io::ErrorKind::UnexpectedEof, closed).into());
                }
                Ok(_) => {}
                Err(error) if waits(&error) => {}
                Err(error) => return Err(error.into()),
            }
            if stopped() {
                return Err(io::Error::new(io::ErrorKind::Interrupted, "stopped on request").into());
            }
            if stream.session.is_handshaking() && Instant::now() >= until {
                let late = "the server took longer than it may";
                return Err(io::Error::new(io::ErrorKind::TimedOut, late).into());
            }
        }
        // The rest goes with what is said first.
        match stream.write_out() {
            Err(error) if !waits(&error) => Err(error.into()),
            _ => Ok(stream),
        }
    }

    /// The socket below, to set its time limits.
    pub fn socket(&self) -> &TcpStream {
        &self.tcp
    }

    /// Whether bytes are decrypted that no `read` has given yet. Nobody who waits for the socket is woken for them.
    #[inline]
    pub fn holds_more(&self) -> bool {
        self.held > 0
    }

    /// Protocol, ciphers and what was verified, as "TLS 1.3 AES_256_GCM_SHA384, server not verified".
    pub fn description(&self) -> String {
        let version = match self.session.protocol_version() {
            Some(ProtocolVersion::TLSv1_3) => "TLS 1.3",
            _ => "TLS 1.2",
        };
        let suite = self.session.negotiated_cipher_suite();
        let suite = suite.map(|suite| format!("{:?}", suite.suite())).unwrap_or_default();
        let suite = suite.trim_start_matches("TLS13_").trim_start_matches("TLS_");
        format!("{version} {suite}, {}", self.verified)
    }

    /// What ties a password to the server's certificate (RFC 5929, `tls-server-end-point`); `None` where that is not defined for it.
    pub fn end_point(&self) -> Option<Vec<u8>> {
        certificate::end_point(self.session.peer_certificates()?.first()?)
    }

    /// Takes what the socket has, and decrypts it. Bytes taken; 0 at the end.
    fn read_in(&mut self) -> io::Result<usize> {
        let taken = self.session.read_tls(&mut self.tcp)?;
        match self.session.process_new_packets() {
            Ok(state) => self.held = state.plaintext_bytes_to_read(),
            Err(error) => {
                // So that the server's log can say why.
                let _ = self.write_out();
                let error = TlsError::from(error);
                return Err(io::Error::new(io::ErrorKind::InvalidData, error));
            }
        }
        Ok(taken)
    }

    /// One step of the handshake; bytes taken, 0 at the end.
    fn handshake(&mut self) -> io::Result<usize> {
        self.write_out()?;
        if self.session.wants_read() { self.read_in() } else { Ok(1) }
    }

    /// Sends all that is encrypted.
    ///
    /// # Errors
    /// Among others that the socket has no room by now: what is left stays for the next time.
    #[inline]
    fn write_out(&mut self) -> io::Result<()> {
        while self.session.wants_write() {
            match self.session.write_tls(&mut self.tcp) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Which of the two a time limit gives differs between systems.
fn waits(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), WouldBlock | TimedOut | Interrupted)
}

impl Read for TlsStream {
    /// "Would block" also where records came that hold nothing to read: whoever sends only such is not read for ever.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        for _ in 0..MOST_READS {
            if self.held > 0 {
                let read = self.session.reader().read(buffer)?;
                self.held -= read;
                return Ok(read);
            }
            // A server that hangs up without a word is one that hung up: PostgreSQL's messages know their own length.
            if self.read_in()? == 0 {
                return Ok(0);
            }
            // What the session answers by itself (a change of keys) is sent by now or with the next write.
            match self.write_out() {
                Err(error) if !waits(&error) => return Err(error),
                _ => {}
            }
        }
        Err(io::ErrorKind::WouldBlock.into())
    }
}

impl Write for TlsStream {
    /// Takes nothing more while what was taken before is not on its way, so that little is held back.
    #[inline]
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.write_out()?;
        let taken = self.session.writer().write(buffer)?;
        match self.write_out() {
            Err(error) if !waits(&error) => Err(error),
            _ => Ok(taken),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_out()
    }
}

impl AsRawFd for TlsStream {
    fn as_raw_fd(&self) -> RawFd {
        self.tcp.as_raw_fd()
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;
    use crate::{Mode, Settings, Tls};

    /// It sends a part of an answer, byte by byte, and hangs up: who doesn't look at the clock comes to the end.
    #[test]
    fn a_server_that_sends_a_byte_now_and_then_does_not_hold_us_longer_than_one_that_sends_none() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let ours = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let server = std::thread::spawn(move || {
            let (mut theirs, _) = listener.accept().unwrap();
            // A record of a handshake that announces 16 KiB. We may be gone by then.
            for byte in [0x16, 3, 3, 0x40, 0].into_iter().chain([2; 40]) {
                let _ = theirs.write_all(&[byte]);
            }
        });
        let tls = Tls::from(Settings { mode: Mode::Prefer, ..Settings::default() });
        let error = tls.agree(ours, "localhost", Instant::now(), &|| false).unwrap_err();
        server.join().unwrap();
        let late = matches!(&error, TlsError::Io(error) if error.kind() == io::ErrorKind::TimedOut);
        assert!(late, "{error}");
    }
}
