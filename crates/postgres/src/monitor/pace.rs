//! How often a server is asked what costs it more than a look at the states.

use std::time::Duration;

use narrows_engine::now_ns;
use narrows_model::LivePace;

/// Between two questions at least, where nothing else is said.
const USUALLY: Duration = Duration::from_secs(1);
/// The server works for these a half of a hundredth of the time at most.
const AT_MOST_OF_TIME: u64 = 200;
/// Of the lines that all questions may add to the server's log, those of these: the states come first.
const SHARE_OF_LINES: f64 = 0.25;

/// When to ask again: about once per second, less often where an answer took the server long or filled its log.
#[derive(Debug)]
pub(crate) struct Pace {
    next_ns: u64,
    at_least: Duration,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace::every(USUALLY)
    }
}

impl Pace {
    /// With so long between two questions at least.
    pub(crate) fn every(at_least: Duration) -> Pace {
        Pace { next_ns: 0, at_least }
    }

    /// Whether it is time to.
    pub(crate) fn is_due(&self) -> bool {
        now_ns() >= self.next_ns
    }

    /// An answer came, for which the server worked that long and wrote so many lines into its log.
    pub(crate) fn asked(&mut self, worked_ns: u64, lines: f64) {
        let of_lines_ns = (lines * 60e9 / (LivePace::LOG_LINES_PER_MIN * SHARE_OF_LINES)) as u64;
        let pause_ns = (worked_ns * AT_MOST_OF_TIME).max(of_lines_ns);
        self.next_ns = now_ns() + (self.at_least.as_nanos() as u64).max(pause_ns);
    }
}
