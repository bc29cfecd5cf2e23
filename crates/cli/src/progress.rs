//! The line of a run in progress: a bar, the share that is done, the time left, and what is done now.
//!
//! All of it is a function of times and of the plan, so that tests draw it without a clock. The time left begins as the plan's. What the
//! steps of a layer took in place of what was planned for them is the pace of the rest of that layer; of another layer's steps it says
//! nothing, because a drive that is filled sooner makes no window of a database shorter. Most of a layer is windows of a fixed length too: so
//! the pace counts as if as much again had been kept to the second. Repeats of one window take what those before them took.
//!
//! Not here: when it is drawn, and that nothing in it steers a terminal.

mod steps;

use std::time::Duration;

use narrows_model::Layer;
use narrows_runner::ui::{Phase, share_done};

pub use self::steps::Steps;

/// Steps done say nothing of the pace before so much of the plan is behind.
const PACE_FROM: Duration = Duration::from_secs(5);
/// How much of a layer's plan counts as kept, besides what is done of it.
const KEPT_PART: f64 = 1.0;
/// A pace is no further than this from the plan's, either way.
const PACE_MOST: f64 = 2.0;
/// The time left is to be right within a fifth. Half of that is the pace's; where what is undecided is more, two times are said.
const UNDECIDED_MOST: f64 = 0.1;
/// Cells of the bar of a line, and of one that is short.
const BAR_CELLS: usize = 20;
const SHORT_BAR_CELLS: usize = 5;
/// Narrower lines are short, and narrower ones have no bar.
const SHORT_BELOW: usize = 100;
const BAR_FROM: usize = 60;
/// With less room a text is cut at its end.
const CUT_INSIDE_FROM: usize = 16;

/// What is planned, how much of it is done, and since when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pace {
    /// What the whole plan takes.
    pub planned: Duration,
    /// What was planned for the steps that have ended.
    pub done: Duration,
    /// What they took.
    pub took: Duration,
    /// Of all that, what is of the layer that runs.
    pub layer: LayerPace,
    /// Of that, what is of the windows that are repeated now.
    pub part: PartPace,
    /// As long as it is not known what of the plan will be done: how much less it may be, and how much more.
    pub undecided: (Duration, Duration),
}

/// The layer that runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LayerPace {
    /// What is planned for all of its steps.
    pub planned: Duration,
    /// What was planned for those that have ended.
    pub done: Duration,
    /// What they took.
    pub took: Duration,
}

/// The windows that are repeated now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PartPace {
    /// What is planned for all of their repeats.
    pub planned: Duration,
    /// What was planned for those that have ended.
    pub done: Duration,
    /// What they took.
    pub took: Duration,
}

impl PartPace {
    /// What is planned for the rest of them, and what that will take: as long as those before, once these are enough to tell.
    fn rest(self) -> Option<(Duration, Duration)> {
        (self.done >= PACE_FROM).then(|| {
            let pace = self.took.as_secs_f64() / self.done.as_secs_f64();
            let rest = self.planned.saturating_sub(self.done);
            (rest, rest.mul_f64(pace.clamp(1.0 / PACE_MOST, PACE_MOST)))
        })
    }
}

impl LayerPace {
    /// Time taken over time planned.
    fn pace(self) -> f64 {
        if self.done < PACE_FROM {
            return 1.0;
        }
        let kept = self.planned.as_secs_f64() * KEPT_PART;
        let pace = (self.took.as_secs_f64() + kept) / (self.done.as_secs_f64() + kept);
        pace.clamp(1.0 / PACE_MOST, PACE_MOST)
    }
}

impl Pace {
    /// The time left after `elapsed`; `None` where the plan's is used up.
    pub fn left(self, elapsed: Duration) -> Option<Duration> {
        let of_layer = self.layer.planned.saturating_sub(self.layer.done);
        let of_others = self.planned.saturating_sub(self.done).saturating_sub(of_layer);
        let (planned, repeated) = self.part.rest().unwrap_or_default();
        let rest =
            repeated + of_layer.saturating_sub(planned).mul_f64(self.layer.pace()) + of_others;
        let left = rest.checked_sub(elapsed.saturating_sub(self.took))?;
        (left >= Duration::from_secs(1)).then_some(left)
    }

    /// The least and the most time left, where what is undecided makes either differ from [`Pace::left`] by more than a tenth; `None` where it doesn't.
    pub fn left_between(self, elapsed: Duration) -> Option<(Duration, Duration)> {
        let (less, more) = self.undecided;
        // What runs late has used up what is planned, and not what may follow.
        let left = match self.left(elapsed) {
            None if !more.is_zero() && !self.planned.is_zero() => Duration::ZERO,
            left => left?,
        };
        let matters = less.max(more) > left.mul_f64(UNDECIDED_MOST);
        matters.then(|| (left.saturating_sub(less), left + more))
    }

    /// The share that is done, 0 to 0.99.
    pub fn share(self, elapsed: Duration) -> f64 {
        let left = self.left(elapsed).unwrap_or_default().as_secs_f64();
        let all = elapsed.as_secs_f64() + left;
        if all > 0.0 { (elapsed.as_secs_f64() / all).min(0.99) } else { 0.0 }
    }
}

/// What is done now, on a line that is drawn again: a name without the layer that stands before it, and `3/6` for a repeat.
pub fn now(layer: Layer, phase: Phase, detail: &str) -> String {
    let own = detail.strip_prefix(layer.word()).and_then(|rest| rest.strip_prefix('.'));
    let detail = own.unwrap_or(detail);
    let brief = match detail.split_once(", repeat ") {
        Some((name, rest)) if share_done(detail).is_some() => {
            format!("{name} {}", rest.replacen(" of ", "/", 1))
        }
        _ => detail.to_string(),
    };
    format!("{} {} {brief}", layer.word(), phase.word())
}

/// The line after `elapsed`, no wider than `width` characters: `[####....]  42 %  1:10 left  block measure …`.
pub fn line(elapsed: Duration, pace: Pace, what: &str, width: usize) -> String {
    let share = pace.share(elapsed);
    let left = match left_in_words(pace, elapsed) {
        Some(left) => left,
        None if pace.planned.is_zero() => clock(elapsed),
        None => "soon done".to_string(),
    };
    let mut line = String::new();
    if width >= BAR_FROM {
        let cells = if width < SHORT_BELOW { SHORT_BAR_CELLS } else { BAR_CELLS };
        let full = (share * cells as f64) as usize;
        line = format!("[{}{}] ", "#".repeat(full), ".".repeat(cells - full));
    }
    line += &format!("{:3.0} %  {left:>9}  ", (share * 100.0).floor());
    line += &shortened(what, width.saturating_sub(line.chars().count()));
    line.chars().take(width).collect::<String>().trim_end().to_string()
}

/// `1:10 left`, or `0:16-0:41 left` where it depends on what is not known yet; `None` where the plan is used up.
pub fn left_in_words(pace: Pace, elapsed: Duration) -> Option<String> {
    Some(match pace.left_between(elapsed) {
        Some((least, most)) => format!("{}-{} left", clock(least), clock(most)),
        None => format!("{} left", clock(pace.left(elapsed)?)),
    })
}

/// A text that fits in so many characters, where that can be: its end stays, which has the value as it forms.
fn shortened(what: &str, room: usize) -> String {
    let length = what.chars().count();
    if length <= room || room < CUT_INSIDE_FROM {
        return what.to_string();
    }
    let begin = room / 3;
    let end = room - begin - 1;
    let begin: String = what.chars().take(begin).collect();
    begin + "…" + &what.chars().skip(length - end).collect::<String>()
}

/// `1:05`, `1:00:05`.
pub fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn planned(seconds: u64) -> Pace {
        Pace { planned: s(seconds), ..Pace::default() }
    }

    #[test]
    fn the_bar_has_share_time_left_and_what_is_done() {
        assert_eq!(
            line(s(30), planned(120), "block measure read", 80),
            "[#....]  25 %  1:30 left  block measure read"
        );
        assert_eq!(
            line(Duration::ZERO, planned(120), "clock", 100),
            "[....................]   0 %  2:00 left  clock"
        );
        assert_eq!(
            line(s(119), planned(120), "x", 100),
            "[###################.]  99 %  0:01 left  x",
            "never whole before it is"
        );
    }

    #[test]
    fn it_ticks_each_second_though_nothing_new_is_told() {
        let lines: Vec<String> =
            (0..60).map(|at| line(s(at), planned(90), "log measure", 80)).collect();
        assert!(lines.windows(2).all(|pair| pair[0] != pair[1]), "{lines:#?}");
    }

    #[test]
    fn a_line_is_never_wider_than_the_terminal() {
        let what =
            "database measure      database.lookup_uncached.open, repeat 2 of 6, sessions 256";
        for width in [1, 10, 20, 40, 59, 60, 80, 100, 200] {
            let line = line(s(30), planned(120), what, width);
            assert!(line.chars().count() <= width, "{width}: {line}");
            assert_eq!(line.starts_with('['), width >= BAR_FROM, "{width}: {line}");
        }
    }

    #[test]
    fn the_value_as_it_forms_is_on_the_line_and_stays_on_a_short_one() {
        let detail = "database.lookup_uncached.open, repeat 2 of 6, 12.1k tps so far";
        let what = now(Layer::Database, Phase::Measure, detail);
        assert_eq!(what, "database measure lookup_uncached.open 2/6, 12.1k tps so far");
        let short = line(s(30), planned(120), &what, 79);
        assert_eq!(short.chars().count(), 79);
        assert!(short.contains("  database measure"), "{short}");
        assert!(short.ends_with(".open 2/6, 12.1k tps so far"), "{short}");
        let other = now(Layer::Block, Phase::Fill, "215 MB of 4.29 GB");
        assert_eq!(other, "block fill 215 MB of 4.29 GB");
        assert_eq!(shortened("abc", 2), "abc", "too little room for both of its ends");
    }

    #[test]
    fn what_is_undecided_is_said_by_two_times_where_it_matters() {
        let pace = Pace { undecided: (s(10), s(20)), ..planned(240) };
        assert_eq!(left_in_words(pace, Duration::ZERO).as_deref(), Some("4:00 left"));
        assert_eq!(left_in_words(pace, s(210)).as_deref(), Some("0:20-0:50 left"));
        assert_eq!(left_in_words(pace, s(235)).as_deref(), Some("0:00-0:25 left"));
        assert_eq!(left_in_words(pace, s(241)).as_deref(), Some("0:00-0:20 left"));
        assert_eq!(left_in_words(planned(240), s(241)), None);
        assert!(line(s(210), pace, "x", 80).contains("%  0:20-0:50 left  x"));
    }

    #[test]
    fn what_takes_longer_than_planned_is_soon_done_and_never_done() {
        let late = line(s(500), planned(120), "x", 80);
        assert!(late.contains(" 99 %  soon done  x"), "{late}");
        let unplanned = line(s(65), Pace::default(), "x", 80);
        assert!(unplanned.contains("1:05  x"), "{unplanned}");
    }

    #[test]
    fn steps_that_are_done_correct_the_rest() {
        // A quarter of the plan took twice as long: with as much as the plan that counts as kept, a fifth longer.
        let pace = |done: u64, took: u64| {
            let layer = LayerPace { planned: s(400), done: s(done), took: s(took) };
            Pace { planned: s(400), done: s(done), took: s(took), layer, ..Pace::default() }
        };
        let slow = pace(100, 200);
        assert_eq!(slow.left(s(200)), Some(s(360)));
        assert_eq!(slow.left(s(260)), Some(s(300)));
        let fast = pace(100, 80);
        assert_eq!(fast.left(s(80)), Some(s(288)));
        // Not beyond twice, and not from a step of no weight.
        let odd = pace(100, 900);
        assert_eq!(odd.left(s(900)), Some(s(600)));
        let light = pace(1, 4);
        assert_eq!(light.left(s(4)), Some(s(399)));
    }
}
