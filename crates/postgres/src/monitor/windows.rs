//! How an interval is cut into windows, and how often the server is asked in them.

use std::time::Duration;

use narrows_engine::Rng;

/// Between two questions, half to one and a half of it: a fixed interval could beat with the load.
pub(crate) const ASK_EVERY: Duration = Duration::from_millis(50);
/// Longer where an answer takes the server long: it works for us for a hundredth of the time at most.
const AT_MOST_OF_TIME: u32 = 100;
/// From so many windows on there are intervals without assumptions.
pub(crate) const WINDOWS: u32 = 6;
/// Sessions report what they counted once a second, so that shorter windows tell nothing of their own.
pub(crate) const SHORTEST_WINDOW: Duration = Duration::from_secs(3);
/// States of shorter windows are neighbours that share a stall, and no repeats that give an interval.
pub(crate) const WINDOWS_APART: Duration = Duration::from_secs(1);
/// Longer intervals get more windows instead of longer ones.
const LONGEST_WINDOW: Duration = Duration::from_secs(10);
/// But no more than can be kept apart.
const MOST_WINDOWS: u32 = 60;

/// Windows of an interval of that length.
pub(crate) fn windows(length: Duration) -> u32 {
    let by_length = (length.as_secs_f64() / LONGEST_WINDOW.as_secs_f64()).ceil() as u32;
    by_length.clamp(WINDOWS, MOST_WINDOWS)
}

/// The time between questions.
#[derive(Debug)]
pub(crate) struct Pace {
    rng: Rng,
    every: Duration,
}

impl Pace {
    /// As often as may be; `seed` is that of the times in between.
    pub(crate) fn new(seed: u64) -> Pace {
        Pace { rng: Rng::new(seed), every: ASK_EVERY }
    }

    /// A window begins: as often as may be again.
    pub(crate) fn again(&mut self) {
        self.every = ASK_EVERY;
    }

    /// How long to wait before the next question.
    pub(crate) fn pause(&mut self) -> Duration {
        self.every.mul_f64(0.5 + self.rng.unit_f64())
    }

    /// The server worked that long for the last one.
    pub(crate) fn took(&mut self, worked: Duration) {
        self.every = ASK_EVERY.max(worked * AT_MOST_OF_TIME);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_cut_into_at_least_six_and_at_most_sixty_windows() {
        let windows = |s| windows(Duration::from_secs(s));
        assert_eq!([3, 30, 60, 90, 3600].map(windows), [6, 6, 6, 9, 60]);
    }

    #[test]
    fn a_server_that_works_long_for_an_answer_is_asked_more_seldom() {
        let mut pace = Pace::new(7);
        let mean =
            |pace: &mut Pace| (0..200).map(|_| pace.pause().as_secs_f64()).sum::<f64>() / 200.0;
        assert!((mean(&mut pace) - 0.05).abs() < 0.01);
        pace.took(Duration::from_millis(40));
        let seldom = mean(&mut pace);
        assert!((3.0..5.0).contains(&seldom), "{seldom}");
        pace.again();
        assert!(mean(&mut pace) < 0.07);
    }
}
