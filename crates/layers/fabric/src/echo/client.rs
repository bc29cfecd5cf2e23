//! This side of an echo.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use narrows_engine::Context;
use narrows_initiator::stamps;
use narrows_initiator::stamps::realtime_ns;

use super::{EchoShape, HELLO_BYTES, Hello, READY};
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

/// A window of exchanges with the echo at that address; this host polls.
pub(crate) fn echo_window(
    ctx: &Context<'_>,
    address: &str,
    shape: EchoShape,
    polled: bool,
) -> Result<Option<EchoTimes>, FabricError> {
    let failed =
        |action| move |source| FabricError::Echo { action, address: address.to_string(), source };
    let mut stream = connect(address).map_err(failed("reach"))?;
    let hello = Hello { shape, polled }.to_bytes();
    debug_assert_eq!(hello.len(), HELLO_BYTES);
    stream.write_all(&hello).map_err(failed("ask"))?;
    let mut ready = [0];
    stream.read_exact(&mut ready).map_err(failed("ask"))?;
    if ready[0] != READY {
        return Err(failed("ask")(io::Error::other("another program answers there")));
    }
    stamps::enable(&stream).map_err(failed("stamp the packets of"))?;
    let question = vec![0; shape.question_bytes as usize];
    let mut answer = vec![0; shape.answer_bytes as usize];
    let mut exchanged = || exchange(&stream, &question, &mut answer).map_err(failed("use"));
    for _ in 0..WARM_UP {
        ctx.stop.check()?;
        exchanged()?;
    }
    let mut times = Vec::with_capacity(MOST);
    let begun = Instant::now();
    while (begun.elapsed() < ctx.window || times.len() < FEWEST) && times.len() < MOST {
        ctx.stop.check()?;
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
                if patience.elapsed() > ANSWER_WITHIN {
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
