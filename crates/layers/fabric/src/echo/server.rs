//! The other side of an echo: few connections, bounded messages, and nobody keeps a place or a stop waiting.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use narrows_engine::Stop;

use super::{HELLO_BYTES, Hello, READY};

/// Connections at once; what comes beyond is closed.
const MOST_CONNECTIONS: usize = 4;
/// A message, from its first wait to its last byte, may take so long; else its connection is closed.
const MESSAGE_WITHIN: Duration = Duration::from_secs(10);
/// What a connection asks for has to come so soon.
const HELLO_WITHIN: Duration = Duration::from_secs(2);
/// One that polls goes to sleep after so long without a byte.
const POLL_FOR: Duration = Duration::from_secs(1);
/// How often it is looked whether to stop, and who wants to connect.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Refusals are told no more often.
const TELL_EVERY: Duration = Duration::from_secs(1);

/// What happened at an echo.
#[derive(Debug)]
pub enum EchoEvent {
    /// Somebody connected.
    Connected(SocketAddr),
    /// A connection ended, with what it was closed for where it did not end by itself.
    Ended(SocketAddr, Option<io::Error>),
    /// There were too many already; told once a second at most.
    Refused(SocketAddr),
    /// Nobody could be accepted for a moment.
    NotAccepted(io::Error),
}

/// Answers until it is stopped.
///
/// # Errors
/// The listener can't be used.
pub fn serve(
    listener: &TcpListener,
    stop: &Stop,
    tell: &(dyn Fn(EchoEvent) + Sync),
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let open = Arc::new(AtomicUsize::new(0));
    let mut told: Option<Instant> = None;
    let mut seldom = |event| {
        if told.is_none_or(|at| at.elapsed() >= TELL_EVERY) {
            told = Some(Instant::now());
            tell(event);
        }
    };
    std::thread::scope(|threads| {
        while !stop.is_set() {
            match listener.accept() {
                Ok((_, from)) if open.load(Ordering::Acquire) >= MOST_CONNECTIONS => {
                    seldom(EchoEvent::Refused(from));
                }
                Ok((stream, from)) => {
                    open.fetch_add(1, Ordering::AcqRel);
                    tell(EchoEvent::Connected(from));
                    let open = Arc::clone(&open);
                    threads.spawn(move || {
                        let ended = answer(&stream, stop);
                        tell(EchoEvent::Ended(from, ended.err()));
                        open.fetch_sub(1, Ordering::AcqRel);
                    });
                }
                Err(error) => {
                    let quiet = [ErrorKind::WouldBlock, ErrorKind::Interrupted];
                    if !quiet.contains(&error.kind()) {
                        seldom(EchoEvent::NotAccepted(error));
                    }
                    std::thread::sleep(LOOK_EVERY);
                }
            }
        }
    });
    Ok(())
}

fn answer(stream: &TcpStream, stop: &Stop) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    // Waits end early enough to see a stop.
    stream.set_read_timeout(Some(LOOK_EVERY))?;
    stream.set_write_timeout(Some(LOOK_EVERY))?;
    let mut connection = EchoConnection { stream, stop, polled: false, within: HELLO_WITHIN };
    let mut hello = [0; HELLO_BYTES];
    if !connection.receive(&mut hello)? {
        return Ok(());
    }
    let hello = Hello::from_bytes(hello)
        .ok_or_else(|| io::Error::new(ErrorKind::InvalidData, "it asks for no echo"))?;
    connection.polled = hello.polled;
    connection.within = MESSAGE_WITHIN;
    let mut question = vec![0; hello.shape.question_bytes as usize];
    let answer = vec![0; hello.shape.answer_bytes as usize];
    connection.send(&[READY])?;
    while connection.receive(&mut question)? && connection.send(&answer)? {}
    Ok(())
}

/// A connection whose messages are whole or don't come.
struct EchoConnection<'a> {
    stream: &'a TcpStream,
    stop: &'a Stop,
    polled: bool,
    /// A message may take so long.
    within: Duration,
}

impl EchoConnection<'_> {
    /// Receives a whole message; `false` where there is none any more.
    fn receive(&self, bytes: &mut [u8]) -> io::Result<bool> {
        let begun = Instant::now();
        let mut have = 0;
        while have < bytes.len() {
            let polls = self.polled && begun.elapsed() < POLL_FOR;
            let flags = if polls { libc::MSG_DONTWAIT } else { 0 };
            let rest = &mut bytes[have..];
            let fd = self.stream.as_raw_fd();
            // SAFETY: memory of this function's caller, as long as is said.
            let came = unsafe { libc::recv(fd, rest.as_mut_ptr().cast(), rest.len(), flags) };
            match self.moved(came, begun)? {
                Some(0) => return Ok(false),
                Some(came) => have += came,
                None => {}
            }
            if self.stop.is_set() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Sends a whole message; `false` where it is to stop.
    fn send(&self, bytes: &[u8]) -> io::Result<bool> {
        let begun = Instant::now();
        let mut sent = 0;
        while sent < bytes.len() {
            let rest = &bytes[sent..];
            let fd = self.stream.as_raw_fd();
            // SAFETY: memory of this function's caller, as long as is said.
            let went =
                unsafe { libc::send(fd, rest.as_ptr().cast(), rest.len(), libc::MSG_NOSIGNAL) };
            sent += self.moved(went, begun)?.unwrap_or(0);
            if self.stop.is_set() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What a call moved; `None` where it has to be tried again.
    fn moved(&self, result: isize, begun: Instant) -> io::Result<Option<usize>> {
        if let Ok(moved) = usize::try_from(result) {
            return Ok(Some(moved));
        }
        let error = io::Error::last_os_error();
        match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::Interrupted if begun.elapsed() < self.within => {
                Ok(None)
            }
            ErrorKind::WouldBlock | ErrorKind::Interrupted => Err(ErrorKind::TimedOut.into()),
            _ => Err(error),
        }
    }
}
