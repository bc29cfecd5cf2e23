//! The other side of an echo: few connections, bounded messages, and nobody keeps it busy who sends nothing.

use std::io::{self, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use narrows_engine::Stop;

use super::{HELLO_BYTES, Hello, READY};

/// Connections at once; what comes beyond is closed.
const MOST_CONNECTIONS: usize = 4;
/// A connection that is silent for so long is closed.
const SILENT_FOR: Duration = Duration::from_secs(10);
/// One that polls goes to sleep after so long without a byte.
const POLL_FOR: Duration = Duration::from_secs(1);
/// How often it is looked whether to stop, and who wants to connect.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// What happened at an echo.
#[derive(Debug)]
pub enum EchoEvent {
    /// Somebody connected.
    Connected(SocketAddr),
    /// A connection ended, with what it was closed for where it did not end by itself.
    Ended(SocketAddr, Option<io::Error>),
    /// There were too many already.
    Refused(SocketAddr),
}

/// Answers until it is stopped.
///
/// # Errors
/// Where nobody can be accepted any more.
pub fn serve(
    listener: &TcpListener,
    stop: &Stop,
    tell: &(dyn Fn(EchoEvent) + Sync),
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let open = Arc::new(AtomicUsize::new(0));
    std::thread::scope(|threads| {
        while !stop.is_set() {
            match listener.accept() {
                Ok((_, from)) if open.load(Ordering::Acquire) >= MOST_CONNECTIONS => {
                    tell(EchoEvent::Refused(from));
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
                Err(error) => match error.kind() {
                    io::ErrorKind::WouldBlock
                    | io::ErrorKind::Interrupted
                    | io::ErrorKind::ConnectionAborted => std::thread::sleep(LOOK_EVERY),
                    _ => return Err(error),
                },
            }
        }
        Ok(())
    })
}

fn answer(mut stream: &TcpStream, stop: &Stop) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    // Sleeps end early enough to see a stop.
    stream.set_read_timeout(Some(LOOK_EVERY))?;
    stream.set_write_timeout(Some(SILENT_FOR))?;
    let mut hello = [0; HELLO_BYTES];
    if !receive(stream, &mut hello, false, stop)? {
        return Ok(());
    }
    let hello = Hello::from_bytes(hello)
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "it asks for no echo"))?;
    stream.write_all(&[READY])?;
    let mut question = vec![0; hello.shape.question_bytes as usize];
    let answer = vec![0; hello.shape.answer_bytes as usize];
    while receive(stream, &mut question, hello.polled, stop)? {
        stream.write_all(&answer)?;
    }
    Ok(())
}

/// Receives a whole message; `false` where there is none any more.
fn receive(stream: &TcpStream, bytes: &mut [u8], polled: bool, stop: &Stop) -> io::Result<bool> {
    let mut have = 0;
    let mut silent_since = Instant::now();
    while have < bytes.len() {
        let polls = polled && silent_since.elapsed() < POLL_FOR;
        let flags = if polls { libc::MSG_DONTWAIT } else { 0 };
        let rest = &mut bytes[have..];
        // SAFETY: memory of this function's caller, as long as is said.
        let came =
            unsafe { libc::recv(stream.as_raw_fd(), rest.as_mut_ptr().cast(), rest.len(), flags) };
        match usize::try_from(came) {
            Ok(0) => return Ok(false),
            Ok(came) => {
                have += came;
                silent_since = Instant::now();
            }
            Err(_) => {
                let error = io::Error::last_os_error();
                match error.kind() {
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => {}
                    _ => return Err(error),
                }
                if stop.is_set() {
                    return Ok(false);
                }
                if silent_since.elapsed() > SILENT_FOR {
                    return Err(io::ErrorKind::TimedOut.into());
                }
            }
        }
    }
    Ok(true)
}
