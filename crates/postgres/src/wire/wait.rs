//! How long a server is waited for, and who may end the wait: every read and every write of a [`Connection`](super::Connection)
//! goes through one [`Clock`].
//!
//! Silence alone is no limit: a server that says a byte now and then, or notices without end, is never silent. So a login and a
//! question have a limit as a whole too; only statements that are known to take long (COPY, the build of an index, VACUUM,
//! CHECKPOINT) have none but silence, and a stop. What an answer may hold is bounded as well, by what came and by what is kept.

use std::io;
use std::os::fd::RawFd;
use std::time::{Duration, Instant};

use narrows_engine::Stop;

use super::WireError;

/// How often who waits looks at the clock and at the stop.
pub(super) const LOOK_EVERY: Duration = Duration::from_millis(50);
/// After a stop a server has this long to end its statement; then the connection is closed.
pub(super) const GRACE: Duration = Duration::from_secs(2);
/// The longest answer that is taken, bytes: the longest to what is asked here have some hundred thousand.
pub(super) const LONGEST_ANSWER: usize = 64 << 20;

/// How long a server may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// Without a word.
    pub silence: Duration,
    /// In all.
    pub whole: Option<Duration>,
}

impl Patience {
    /// With a login: what isn't done by then speaks another protocol.
    pub const LOGIN: Patience = Patience::within(Duration::from_secs(20));
    /// With a question about itself.
    pub const QUESTION: Patience = Patience::within(Duration::from_secs(30));
    /// With a statement that works: longer than any here takes, so that a dead server ends the run.
    pub const WORK: Patience = Patience::silent(Duration::from_secs(600));

    /// As a whole.
    pub const fn within(limit: Duration) -> Patience {
        Patience { silence: limit, whole: Some(limit) }
    }

    /// For as long as it says something.
    pub const fn silent(limit: Duration) -> Patience {
        Patience { silence: limit, whole: None }
    }
}

/// What one connection is patient with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Statements whose rows are wanted.
    pub question: Patience,
    /// Statements that work, and COPY.
    pub work: Patience,
    /// How long after a stop a statement may still end by itself before it is cancelled.
    pub cancel_after: Duration,
}

impl Limits {
    /// Of most connections.
    pub const USUAL: Limits =
        Limits { question: Patience::QUESTION, work: Patience::WORK, cancel_after: LOOK_EVERY };

    /// Where every statement may take that long.
    pub const fn hours(silence: Duration) -> Limits {
        let patience = Patience::silent(silence);
        Limits { question: patience, work: patience, cancel_after: LOOK_EVERY }
    }
}

/// What is to be done beside waiting on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Due {
    Nothing,
    /// A stop was asked for: the statement in hand is to be cancelled.
    Cancel,
}

/// The time of one statement, or of a login.
#[derive(Debug)]
pub(super) struct Clock {
    patience: Patience,
    cancel_after: Duration,
    began: Instant,
    /// When the server last said or took something.
    heard: Instant,
    received: usize,
    stopped: Option<Instant>,
    cancelled: bool,
}

impl Clock {
    pub(super) fn new(patience: Patience, cancel_after: Duration) -> Clock {
        Clock::since(Instant::now(), patience, cancel_after)
    }

    /// The same, begun before.
    pub(super) fn since(began: Instant, patience: Patience, cancel_after: Duration) -> Clock {
        Clock {
            patience,
            cancel_after,
            began,
            heard: began,
            received: 0,
            stopped: None,
            cancelled: false,
        }
    }

    /// So many bytes came; a message of them is told nobody.
    pub(super) fn received(&mut self, bytes: usize) -> Result<(), WireError> {
        self.heard = Instant::now();
        self.received += bytes;
        if self.received > LONGEST_ANSWER { Err(WireError::TooMuch) } else { Ok(()) }
    }

    /// The server took something of what is sent to it.
    pub(super) fn sent(&mut self) {
        self.heard = Instant::now();
    }

    /// Whether to wait on.
    ///
    /// # Errors
    /// The time is over.
    pub(super) fn look(&mut self, stops: &[Stop]) -> Result<Due, WireError> {
        let now = Instant::now();
        if stops.iter().any(Stop::is_set) {
            let since = now - *self.stopped.get_or_insert(now);
            if since >= GRACE {
                return Err(WireError::GivenUp);
            }
            if !self.cancelled && since >= self.cancel_after {
                self.cancelled = true;
                return Ok(Due::Cancel);
            }
        }
        let Patience { silence, whole } = self.patience;
        match whole {
            Some(limit) if now - self.began > limit => Err(WireError::Late(limit)),
            _ if now - self.heard > silence => Err(WireError::Late(silence)),
            _ => Ok(Due::Nothing),
        }
    }
}

/// Waits a moment for something to read (`POLLIN`) or for room to write (`POLLOUT`).
pub(super) fn poll(fd: RawFd, events: i16) {
    let mut poll = libc::pollfd { fd, events, revents: 0 };
    // SAFETY: `poll` is one valid pollfd for the duration of the call. A signal ends it early, which does no harm.
    unsafe { libc::poll(&mut poll, 1, LOOK_EVERY.as_millis() as i32) };
}

/// Whether it is only that nothing came, or nothing was taken, by now.
pub(super) fn waits(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), Interrupted | TimedOut | WouldBlock)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn ago(length: Duration) -> Instant {
        Instant::now().checked_sub(length).expect("the machine is up for longer")
    }

    #[test]
    fn who_says_something_now_and_then_is_late_all_the_same() {
        let mut clock = Clock::since(ago(GRACE), Patience::within(GRACE / 2), LOOK_EVERY);
        clock.received(1).unwrap();
        assert!(matches!(clock.look(&[]), Err(WireError::Late(limit)) if limit == GRACE / 2));
        let mut clock = Clock::since(ago(GRACE), Patience::silent(GRACE / 2), LOOK_EVERY);
        assert!(matches!(clock.look(&[]), Err(WireError::Late(_))));
        clock.received(1).unwrap();
        assert_eq!(clock.look(&[]).unwrap(), Due::Nothing);
    }

    #[test]
    fn a_stop_cancels_once_and_then_ends_the_wait_whatever_comes() {
        let (stop, never) = (Stop::new(), Stop::new());
        stop.set();
        let stops = [never, stop];
        let mut clock = Clock::new(Patience::silent(HOUR), Duration::ZERO);
        assert_eq!(clock.look(&stops).unwrap(), Due::Cancel);
        clock.received(1).unwrap();
        assert_eq!(clock.look(&stops).unwrap(), Due::Nothing);
        clock.stopped = Some(ago(GRACE));
        clock.received(1).unwrap();
        assert!(matches!(clock.look(&stops), Err(WireError::GivenUp)));
        let mut gentle = Clock::new(Patience::silent(HOUR), HOUR);
        assert_eq!(gentle.look(&stops).unwrap(), Due::Nothing);
    }

    #[test]
    fn what_comes_without_end_has_one() {
        let mut clock = Clock::new(Patience::silent(HOUR), LOOK_EVERY);
        clock.received(LONGEST_ANSWER).unwrap();
        assert!(matches!(clock.received(1), Err(WireError::TooMuch)));
    }
}
