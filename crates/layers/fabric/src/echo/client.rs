//! This side of an echo.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use narrows_engine::Context;
use narrows_initiator::stamps;
use narrows_initiator::stamps::realtime_ns;

use super::{EchoShape, Hello, READY};
use crate::FabricError;
use crate::typical::{OperationTimes, typical};
use crate::window::{FEWEST, MOST};

const CONNECT_WITHIN: Duration = Duration::from_secs(5);
const ANSWER_WITHIN: Duration = Duration::from_secs(5);
/// Exchanges before the window.
const WARM_UP: u32 = 50;

/// What a window of an echo gave, ns: means over the middle half.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct EchoTimes {
    /// From when the question was handed to this host's driver until the answer's last packet came from it.
    pub(crate) network_ns: f64,
}

/// Whether an echo answers at that address.
///
/// # Errors
/// [`FabricError::Echo`] with why it doesn't.
pub fn check_echo(address: &str) -> Result<(), FabricError> {
    let shape = EchoShape { question_bytes: 1, answer_bytes: 1 };
    ask(address, shape, false).map(drop)
}

/// What stands in the way of an echo.
fn failed(action: &'static str, address: &str) -> impl FnOnce(io::Error) -> FabricError {
    let address = address.to_string();
    move |source| FabricError::Echo { action, address, source }
}

/// A connection to an echo of those messages.
fn ask(address: &str, shape: EchoShape, polled: bool) -> Result<TcpStream, FabricError> {
    let mut stream = connect(address).map_err(failed("reach", address))?;
    let hello = Hello { shape, polled }.to_bytes();
    let mut ready = [0];
    stream
        .write_all(&hello)
        .and_then(|()| stream.read_exact(&mut ready))
        .map_err(failed("ask", address))?;
    if ready[0] != READY {
        return Err(failed("ask", address)(io::Error::other("another program answers there")));
    }
    Ok(stream)
}

/// A window of exchanges with the echo at that address; this host polls.
pub(crate) fn echo_window(
    ctx: &Context<'_>,
    address: &str,
    shape: EchoShape,
    polled: bool,
) -> Result<Option<EchoTimes>, FabricError> {
    let stream = ask(address, shape, polled)?;
    stamps::enable(&stream).map_err(failed("stamp the packets of", address))?;
    let question = vec![0; shape.question_bytes as usize];
    let mut answer = vec![0; shape.answer_bytes as usize];
    let mut exchanged = || {
        ctx.stop.check()?;
        exchange(ctx, &stream, &question, &mut answer).map_err(failed("use", address))
    };
    for _ in 0..WARM_UP {
        exchanged()?;
    }
    let mut times = Vec::with_capacity(MOST);
    let begun = Instant::now();
    while (begun.elapsed() < ctx.window || times.len() < FEWEST) && times.len() < MOST {
        times.push(exchanged()?);
    }
    let sections = typical(times).and_then(|found| found.sections);
    Ok(sections.map(|sections| EchoTimes { network_ns: sections.between_ns }))
}

fn connect(address: &str) -> io::Result<TcpStream> {
    let mut failed = None;
    for one in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&one, CONNECT_WITHIN) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(ANSWER_WITHIN))?;
                stream.set_write_timeout(Some(ANSWER_WITHIN))?;
                return Ok(stream);
            }
            Err(error) => failed = Some(error),
        }
    }
    Err(failed.unwrap_or_else(|| io::ErrorKind::NotFound.into()))
}

fn exchange(
    ctx: &Context<'_>,
    mut stream: &TcpStream,
    question: &[u8],
    answer: &mut [u8],
) -> io::Result<OperationTimes> {
    stamps::take_sent(stream);
    let asked = realtime_ns();
    stream.write_all(question)?;
    let patience = Instant::now();
    let (mut have, mut received_ns) = (0, None);
    while have < answer.len() {
        match stamps::receive(stream, &mut answer[have..], libc::MSG_DONTWAIT) {
            Ok((0, _)) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok((came, stamp)) => {
                have += came;
                received_ns = stamp.or(received_ns);
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if ctx.stop.is_set() || patience.elapsed() > ANSWER_WITHIN {
                    return Err(io::ErrorKind::TimedOut.into());
                }
            }
            Err(error) => return Err(error),
        }
    }
    let ended = realtime_ns();
    let after = |stamp: Option<u64>| stamp?.checked_sub(asked);
    Ok(OperationTimes {
        whole_ns: ended.saturating_sub(asked),
        sent_ns: after(stamps::take_sent(stream)),
        received_ns: after(received_ns),
        ..OperationTimes::default()
    })
}
