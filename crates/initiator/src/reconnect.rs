//! How long and how often a lost connection is made again: options and arithmetic of Linux's host (`nvme-connect(1)`,
//! `drivers/nvme/host/fabrics.c`).

use std::time::Duration;

/// Keep-alive timeout where none is said, seconds.
pub(crate) const KEEP_ALIVE_S: u32 = 15;
/// I/O timeout where none is said, seconds (`nvme_core.io_timeout` of Linux).
pub(crate) const IO_TIMEOUT_S: u32 = 30;
/// As Linux has them where one is said without the other, seconds.
const DELAY_S: u32 = 10;
const LOSS_S: u32 = 600;

/// What is done about a lost connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reconnect {
    /// From the loss to the first attempt, and from one attempt to the next, seconds (`reconnect-delay`).
    pub delay_s: u32,
    /// After this time no further attempt is made, seconds (`ctrl-loss-tmo`). It stands for a number of attempts; what each of them
    /// takes comes on top.
    pub loss_s: u32,
}

impl Reconnect {
    /// What was asked for; nothing where neither was said, or the controller is lost at once.
    pub(crate) fn asked(delay_s: Option<u32>, loss_s: Option<u32>) -> Option<Reconnect> {
        if delay_s.is_none() && loss_s.is_none() {
            return None;
        }
        let reconnect =
            Reconnect { delay_s: delay_s.unwrap_or(DELAY_S), loss_s: loss_s.unwrap_or(LOSS_S) };
        (reconnect.loss_s > 0).then_some(reconnect)
    }

    /// How often it is tried.
    pub fn attempts(self) -> u32 {
        self.loss_s.div_ceil(self.delay_s.max(1))
    }

    pub(crate) fn delay(self) -> Duration {
        Duration::from_secs(self.delay_s.into())
    }
}

/// What a host heard of its connections since they were first made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Outages {
    /// How often they were lost and made again.
    pub reconnects: u32,
    /// Time without them, ns; that which still lasts is part of it.
    pub disconnected_ns: u64,
    /// They are lost now.
    pub disconnected: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_a_number_of_attempts_as_in_linux() {
        let attempts = |delay_s, loss_s| Reconnect { delay_s, loss_s }.attempts();
        assert_eq!(attempts(10, 600), 60);
        assert_eq!(attempts(2, 5), 3);
        assert_eq!(attempts(10, 1), 1);
    }
}
