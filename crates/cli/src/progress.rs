//! The line of a run in progress: a bar, the share that is done, the time left, and what is done now.
//!
//! All of it is a function of times and of the plan, so that tests draw it without a clock. The time left begins as the plan's; once
//! steps of the plan have ended, what they took in place of what was planned for them is the pace of the rest. Most of a plan is windows of
//! a fixed length, which no machine makes shorter: so the pace counts as if a part of the plan had been kept to the second.
//!
//! Not here: when it is drawn, and that nothing in it steers a terminal.

use std::time::Duration;

use narrows_model::{Layer, PlannedStep, Workload};

/// Steps done say nothing of the pace before so much of the plan is behind.
const PACE_FROM: Duration = Duration::from_secs(5);
/// The part of the plan that counts as kept.
const KEPT_PART: f64 = 0.25;
/// A pace is no further than this from the plan's, either way.
const PACE_MOST: f64 = 2.0;
/// Cells of the widest bar.
const BAR_CELLS: usize = 20;
/// Narrower lines have no bar.
const BAR_FROM: usize = 60;

/// What is planned, how much of it is done, and since when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pace {
    /// What the whole plan takes.
    pub planned: Duration,
    /// What was planned for the steps that have ended.
    pub done: Duration,
    /// What they took.
    pub took: Duration,
}

impl Pace {
    /// The time left after `elapsed`; `None` where the plan's is used up.
    pub fn left(self, elapsed: Duration) -> Option<Duration> {
        let pace = if self.done >= PACE_FROM {
            let kept = self.planned.as_secs_f64() * KEPT_PART;
            let pace = (self.took.as_secs_f64() + kept) / (self.done.as_secs_f64() + kept);
            pace.clamp(1.0 / PACE_MOST, PACE_MOST)
        } else {
            1.0
        };
        let rest = self.planned.saturating_sub(self.done).mul_f64(pace);
        let left = rest.checked_sub(elapsed.saturating_sub(self.took))?;
        (left >= Duration::from_secs(1)).then_some(left)
    }

    /// The share that is done, 0 to 0.99.
    pub fn share(self, elapsed: Duration) -> f64 {
        let left = self.left(elapsed).unwrap_or_default().as_secs_f64();
        let all = elapsed.as_secs_f64() + left;
        if all > 0.0 { (elapsed.as_secs_f64() / all).min(0.99) } else { 0.0 }
    }
}

/// The plan's steps, in their order, and how far a run is.
#[derive(Debug, Clone, Default)]
pub struct Steps {
    steps: Vec<Step>,
    /// Layers that were begun.
    begun: Vec<Layer>,
    pace: Pace,
}

#[derive(Debug, Clone)]
struct Step {
    layer: Layer,
    what: String,
    expected: Duration,
}

impl Step {
    /// Whether it is that of a workload.
    fn measures(&self, workload: Workload) -> bool {
        let name = self.what.strip_prefix(workload.name());
        let word = self.what.strip_prefix(workload.word()).filter(|_| !workload.is_scan());
        self.layer == Layer::Database
            && (name == Some("") || word.is_some_and(|rest| rest.starts_with(',')))
    }
}

impl Steps {
    /// Of a plan.
    pub fn of(plan: &[PlannedStep]) -> Steps {
        let steps = plan.iter().map(|step| Step {
            layer: step.layer,
            what: step.what.clone(),
            expected: Duration::try_from_secs_f64(step.expected_s).unwrap_or_default(),
        });
        let steps: Vec<_> = steps.collect();
        let planned = steps.iter().map(|step| step.expected).sum();
        Steps { steps, begun: Vec::new(), pace: Pace { planned, ..Pace::default() } }
    }

    /// A phase of that layer begins, of the measurement that `detail` begins with. Where it is the first one of its layer, or of a
    /// workload, all steps before have ended; a layer that comes again within another's steps tells nothing.
    pub fn begin(&mut self, layer: Layer, detail: &str, elapsed: Duration) {
        let first = !self.begun.contains(&layer);
        if first {
            self.begun.push(layer);
        }
        let at = match workload(detail) {
            Some(workload) => self.steps.iter().position(|step| step.measures(workload)),
            None if first => self.steps.iter().position(|step| step.layer == layer),
            None => None,
        };
        let Some(at) = at else { return };
        let done: Duration = self.steps[..at].iter().map(|step| step.expected).sum();
        if done > self.pace.done {
            self.pace = Pace { done, took: elapsed, ..self.pace };
        }
    }

    /// How far it is.
    pub fn pace(&self) -> Pace {
        self.pace
    }
}

/// `database.scan_1.test.workers_x2 1/6` is of the scan with one worker.
fn workload(detail: &str) -> Option<Workload> {
    Workload::ALL.into_iter().find(|workload| {
        let rest = detail.strip_prefix(workload.measurement_id());
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    })
}

/// The line after `elapsed`, no wider than `width` characters: `[####....]  42 %  1:10 left  block    measure      …`.
pub fn line(elapsed: Duration, pace: Pace, what: &str, width: usize) -> String {
    let share = pace.share(elapsed);
    let left = match pace.left(elapsed) {
        Some(left) => format!("{} left", clock(left)),
        None if pace.planned.is_zero() => clock(elapsed),
        None => "soon done".to_string(),
    };
    let mut line = String::new();
    if width >= BAR_FROM {
        let cells = (width / 5).min(BAR_CELLS);
        let full = (share * cells as f64) as usize;
        line = format!("[{}{}] ", "#".repeat(full), ".".repeat(cells - full));
    }
    line += &format!("{:3.0} %  {left:>10}  {what}", (share * 100.0).floor());
    line.chars().take(width).collect::<String>().trim_end().to_string()
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
            line(s(30), planned(120), "block    measure      block.read", 80),
            "[####............]  25 %   1:30 left  block    measure      block.read"
        );
        assert_eq!(
            line(Duration::ZERO, planned(120), "clock", 80),
            "[................]   0 %   2:00 left  clock"
        );
        assert_eq!(
            line(s(119), planned(120), "x", 80),
            "[###############.]  99 %   0:01 left  x",
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
    fn what_takes_longer_than_planned_is_soon_done_and_never_done() {
        let late = line(s(500), planned(120), "x", 80);
        assert!(late.contains(" 99 %   soon done  x"), "{late}");
        let unplanned = line(s(65), Pace::default(), "x", 80);
        assert!(unplanned.contains("1:05  x"), "{unplanned}");
    }

    #[test]
    fn steps_that_are_done_correct_the_rest() {
        // A quarter of the plan took twice as long: with the quarter that counts as kept, half as long again.
        let slow = Pace { planned: s(400), done: s(100), took: s(200) };
        assert_eq!(slow.left(s(200)), Some(s(450)));
        assert_eq!(slow.left(s(260)), Some(s(390)));
        let fast = Pace { planned: s(400), done: s(100), took: s(80) };
        assert_eq!(fast.left(s(80)), Some(s(270)));
        // Not beyond twice, and not from a step of no weight.
        let odd = Pace { planned: s(400), done: s(100), took: s(900) };
        assert_eq!(odd.left(s(900)), Some(s(600)));
        let light = Pace { planned: s(400), done: s(1), took: s(4) };
        assert_eq!(light.left(s(4)), Some(s(399)));
    }

    #[test]
    fn a_layer_that_begins_ends_the_steps_before_it_once() {
        let step = |layer, expected_s| PlannedStep {
            layer,
            what: String::new(),
            expected_s,
            writes_bytes: 0,
        };
        let plan = [
            step(Layer::Clock, 1.0),
            step(Layer::Memory, 20.0),
            step(Layer::Log, 10.0),
            step(Layer::Database, 40.0),
            step(Layer::Log, 3.0),
            step(Layer::Database, 26.0),
        ];
        let mut steps = Steps::of(&plan);
        assert_eq!(steps.pace(), planned(100));
        steps.begin(Layer::Clock, "", s(0));
        steps.begin(Layer::Memory, "", s(2));
        steps.begin(Layer::Log, "", s(30));
        assert_eq!(steps.pace(), Pace { planned: s(100), done: s(21), took: s(30) });
        steps.begin(Layer::Database, "", s(45));
        let by_database = Pace { planned: s(100), done: s(31), took: s(45) };
        assert_eq!(steps.pace(), by_database);
        steps.begin(Layer::Log, "", s(70));
        steps.begin(Layer::Database, "", s(80));
        assert_eq!(steps.pace(), by_database, "a log within the database's steps");
    }

    #[test]
    fn a_workload_that_begins_ends_those_before_it() {
        let step = |what: &str, expected_s| PlannedStep {
            layer: Layer::Database,
            what: what.to_string(),
            expected_s,
            writes_bytes: 0,
        };
        let mut steps = Steps::of(&[
            step("a private PostgreSQL instance", 10.0),
            step("lookup, cached", 20.0),
            step("update, with the log ladder at its flush size", 30.0),
            step("scan, 1 worker", 20.0),
            step("scan, workers", 20.0),
        ]);
        let done = |steps: &Steps| (steps.pace().done, steps.pace().took);
        steps.begin(Layer::Database, "a server", s(0));
        steps.begin(Layer::Database, "database.lookup_cached, repeat 1 of 6", s(12));
        assert_eq!(done(&steps), (s(10), s(12)));
        // Each of its windows and tests is of the same step.
        steps.begin(Layer::Database, "database.lookup_cached.test.more_cpus 1/6", s(20));
        steps.begin(Layer::Database, "database.update 1/6", s(30));
        steps.begin(Layer::Database, "database.scan_1", s(55));
        assert_eq!(done(&steps), (s(60), s(55)));
        steps.begin(Layer::Database, "database.scan_n.test.workers_x2.base 2/6", s(70));
        assert_eq!(done(&steps), (s(80), s(70)));
        // 80 s of 100 took 70; with the 25 that count as kept the last 20 take 18.1, and 5 are over.
        let left = steps.pace().left(s(75)).unwrap().as_secs_f64();
        assert!((left - (20.0 * 95.0 / 105.0 - 5.0)).abs() < 1e-6, "{left}");
    }
}
