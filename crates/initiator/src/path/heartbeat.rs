//! Sleeps that end after a heartbeat at the latest, without a time limit of each.
//!
//! With a limit of its own each sleep starts and ends a timer of the kernel, as SO_RCVTIMEO does; in a guest that made an operation of
//! 4 KiB with one in flight 8 µs longer. So one timer serves many sleeps, as in narrows-io's rings: it is set for a heartbeat ahead, and
//! set again by the first sleep after it ran out.

use std::os::fd::{AsFd, OwnedFd};

use narrows_io::HEARTBEAT_MS;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};

use crate::HostError;

/// One heartbeat ahead, once.
const AHEAD: Itimerspec = Itimerspec {
    it_interval: Timespec { tv_sec: 0, tv_nsec: 0 },
    it_value: Timespec { tv_sec: 0, tv_nsec: HEARTBEAT_MS as i64 * 1_000_000 },
};

/// The timer of one thread's sleeps.
#[derive(Debug)]
pub(super) struct Heartbeat {
    timer: OwnedFd,
    /// It was set, and wasn't seen to have run out.
    set: bool,
}

impl Heartbeat {
    /// A timer that isn't set.
    pub(super) fn new() -> Result<Heartbeat, HostError> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let timer = timerfd_create(TimerfdClockId::Monotonic, flags)
            .map_err(|error| HostError::system("make a timer")(error.into()))?;
        Ok(Heartbeat { timer, set: false })
    }

    /// Sleeps until the file is as `events` says, or the timer ran out: after a heartbeat at most. Interrupted or not, the caller looks.
    pub(super) fn sleep_until(
        &mut self,
        file: impl AsFd,
        events: PollFlags,
    ) -> Result<(), HostError> {
        if !self.set {
            timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &AHEAD)
                .map_err(|error| HostError::system("set a timer")(error.into()))?;
            self.set = true;
        }
        let mut fds = [PollFd::new(&file, events), PollFd::new(&self.timer, PollFlags::IN)];
        let _ = poll(&mut fds, None);
        // Setting it anew takes back that it ran out.
        self.set = fds[1].revents().is_empty();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn a_sleep_ends_when_something_comes_and_when_nothing_does() {
        let (mut here, there) = UnixStream::pair().unwrap();
        let mut heartbeat = Heartbeat::new().unwrap();
        // All but the first end only if the timer that ran out is set again.
        for _ in 0..3 {
            heartbeat.sleep_until(&there, PollFlags::IN).unwrap();
            assert!(!heartbeat.set, "nothing came, so it was the timer");
        }
        here.write_all(b"x").unwrap();
        let before_the_timer = (0..1000).any(|_| {
            heartbeat.sleep_until(&there, PollFlags::IN).unwrap();
            heartbeat.set
        });
        assert!(before_the_timer, "what is there ends a sleep");
    }
}
