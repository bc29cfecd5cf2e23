//! What comes over the network, by a thread of its own, so that whoever waits for it can give up at any time.
//!
//! A blocking client waits for as long as the other side wants: without a word, or with a byte every two seconds. Here the
//! reader looks at the request to stop twenty times per second, gives up on silence, on less than a useful rate, and after a
//! length of time for the whole. The thread left behind ends by the client's own limits, and has nothing that is ours.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How long one waits for what.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    /// Nothing at all came for this long.
    pub(crate) silence: Duration,
    /// In this long ...
    pub(crate) span: Duration,
    /// ... at least so many bytes come.
    pub(crate) least_bytes: u64,
    /// The whole.
    pub(crate) whole: Duration,
}

impl Patience {
    /// A modem is too slow, a telephone isn't: 4 KiB per second.
    pub(crate) const USUAL: Patience = Patience {
        silence: Duration::from_secs(30),
        span: Duration::from_secs(60),
        least_bytes: 240 << 10,
        whole: Duration::from_secs(30 * 60),
    };
}

/// What the thread sends.
pub(crate) enum Piece {
    /// The next bytes, never none.
    Bytes(Vec<u8>),
    /// It failed.
    Failed(Failure),
    /// That was all.
    End,
}

/// Why nothing, or no more, comes.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    pub(crate) why: String,
    /// Whether a second attempt can succeed.
    pub(crate) again: bool,
}

/// The bytes as they come.
pub(crate) struct Arriving<'a> {
    pieces: Receiver<Piece>,
    rest: Vec<u8>,
    patience: Patience,
    stop: &'a dyn Fn() -> bool,
    began: Instant,
    last: Instant,
    span_began: Instant,
    span_bytes: u64,
    ended: bool,
    /// Why reading failed; what the error of `read` can't say.
    pub(crate) failed: Option<Failure>,
}

const LOOK: Duration = Duration::from_millis(50);

impl<'a> Arriving<'a> {
    pub(crate) fn new(
        pieces: Receiver<Piece>,
        patience: Patience,
        stop: &'a dyn Fn() -> bool,
    ) -> Arriving<'a> {
        let now = Instant::now();
        Arriving {
            pieces,
            rest: Vec::new(),
            patience,
            stop,
            began: now,
            last: now,
            span_began: now,
            span_bytes: 0,
            ended: false,
            failed: None,
        }
    }

    fn fail(&mut self, why: String, again: bool) -> io::Error {
        self.failed = Some(Failure { why, again });
        io::ErrorKind::Other.into()
    }

    /// What no longer can be waited for.
    fn too_slow(&self, now: Instant) -> Option<(String, bool)> {
        let Patience { silence, span, least_bytes, whole } = self.patience;
        let since = |moment: Instant| now.saturating_duration_since(moment);
        if since(self.last) >= silence {
            return Some((format!("nothing came for {} s", silence.as_secs()), true));
        }
        if since(self.span_began) >= span && self.span_bytes < least_bytes {
            let (bytes, seconds) = (self.span_bytes, span.as_secs());
            return Some((format!("too slow: {bytes} bytes in {seconds} s"), false));
        }
        let over = since(self.began) >= whole;
        over.then(|| (format!("not done after {} minutes", whole.as_secs() / 60), false))
    }
}

impl Read for Arriving<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.rest.is_empty() && !self.ended {
            if (self.stop)() {
                return Err(self.fail("stopped on request".to_string(), false));
            }
            let now = Instant::now();
            if let Some((why, again)) = self.too_slow(now) {
                return Err(self.fail(why, again));
            }
            if now.saturating_duration_since(self.span_began) >= self.patience.span {
                (self.span_began, self.span_bytes) = (now, 0);
            }
            match self.pieces.recv_timeout(LOOK) {
                Ok(Piece::Bytes(bytes)) => {
                    self.last = Instant::now();
                    self.span_bytes += bytes.len() as u64;
                    self.rest = bytes;
                }
                Ok(Piece::End) => self.ended = true,
                Ok(Piece::Failed(Failure { why, again })) => return Err(self.fail(why, again)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(self.fail("the download ended without a word".to_string(), false));
                }
            }
        }
        let count = self.rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&self.rest[..count]);
        self.rest.drain(..count);
        Ok(count)
    }
}
