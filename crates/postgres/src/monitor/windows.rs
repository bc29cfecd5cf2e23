//! How an interval is cut into windows, and how often the server is asked in them.

use std::time::Duration;

use narrows_engine::Rng;
use narrows_model::LivePace;

/// Between two questions, half to one and a half of it: a fixed interval could beat with the load.
const ASK_EVERY: Duration = Duration::from_millis((1e3 / LivePace::USUAL_PER_S) as u64);
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

/// What a question took, with everything that was asked along with it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Took {
    /// Time of a processor.
    pub(crate) work: Duration,
    /// Lines in the server's log.
    pub(crate) lines: f64,
}

impl Took {
    /// How long to wait for the next one, and for the sake of what.
    fn pause(self) -> (Duration, Option<LivePace>) {
        let work = self.work.div_f64(LivePace::PROCESSOR_SHARE);
        let lines = Duration::from_secs_f64(self.lines * 60.0 / LivePace::LOG_LINES_PER_MIN);
        match work.max(lines) {
            longest if longest <= ASK_EVERY => (ASK_EVERY, None),
            longest if lines > work => (longest, Some(LivePace::LogLines)),
            longest => (longest, Some(LivePace::Processor)),
        }
    }
}

/// The time between questions.
#[derive(Debug)]
pub(crate) struct Pace {
    rng: Rng,
    every: Duration,
    /// Of the window in hand, or the one before where none was asked yet: a server that stood still for a moment did not work.
    cheapest: Option<Took>,
    window_began: bool,
    held: Held,
}

/// How many questions were followed by a longer wait than usual.
#[derive(Debug, Default)]
struct Held {
    questions: u64,
    processor: u64,
    log_lines: u64,
}

impl Pace {
    /// As often as may be; `seed` is that of the times in between.
    pub(crate) fn new(seed: u64) -> Pace {
        let held = Held::default();
        Pace { rng: Rng::new(seed), every: ASK_EVERY, cheapest: None, window_began: true, held }
    }

    /// A window of that length begins: as often as the cheapest question of the last one allows, and so that one falls into it.
    pub(crate) fn begin_window(&mut self, length: Duration) {
        let pause = self.cheapest.map_or(ASK_EVERY, |took| took.pause().0);
        self.every = pause.min(length / 2);
        self.window_began = true;
    }

    /// How long to wait before the next question.
    pub(crate) fn pause(&mut self) -> Duration {
        self.every.mul_f64(0.5 + self.rng.unit_f64())
    }

    /// The last one took that.
    pub(crate) fn took(&mut self, took: Took) {
        let (every, held) = took.pause();
        self.every = every;
        let before = self.cheapest.filter(|_| !self.window_began);
        self.window_began = false;
        if before.is_none_or(|before| took.pause().0 < before.pause().0) {
            self.cheapest = Some(took);
        }
        self.held.questions += 1;
        match held {
            Some(LivePace::Processor) => self.held.processor += 1,
            Some(LivePace::LogLines) => self.held.log_lines += 1,
            None => {}
        }
    }

    /// What kept most questions from coming as often as usual; `None` where most did.
    pub(crate) fn held_by(&self) -> Option<LivePace> {
        let Held { questions, processor, log_lines } = self.held;
        let by = if log_lines > processor { LivePace::LogLines } else { LivePace::Processor };
        (2 * (processor + log_lines) > questions).then_some(by)
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
        let took = |ms, lines| Took { work: Duration::from_millis(ms), lines };
        pace.took(took(40, 2.0));
        let seldom = mean(&mut pace);
        assert!((3.0..5.0).contains(&seldom), "{seldom}");
        assert_eq!(pace.held_by(), Some(LivePace::Processor));
        // A stall among cheap questions is over with its window; what each of them takes is not.
        pace.took(took(0, 0.0));
        pace.took(took(40, 0.0));
        pace.begin_window(Duration::from_secs(10));
        assert!(mean(&mut pace) < 0.07);
        pace.took(took(40, 0.0));
        pace.begin_window(Duration::from_secs(10));
        assert!((3.0..5.0).contains(&mean(&mut pace)));
        // One falls into each window whatever it takes.
        pace.begin_window(Duration::from_secs(1));
        assert!((0..200).all(|_| pace.pause() < Duration::from_secs(1)));
    }

    #[test]
    fn a_server_that_logs_our_questions_is_asked_for_no_more_than_so_many_lines() {
        let mut pace = Pace::new(7);
        let (mut lines, mut time) = (0.0, Duration::ZERO);
        while time < Duration::from_secs(600) {
            lines += 2.0;
            pace.took(Took { work: Duration::from_micros(100), lines: 2.0 });
            time += pace.pause();
        }
        assert!(
            (lines / 10.0 - LivePace::LOG_LINES_PER_MIN).abs() < 0.1 * LivePace::LOG_LINES_PER_MIN,
            "{lines} in 10 min"
        );
        assert_eq!(pace.held_by(), Some(LivePace::LogLines));
    }
}
