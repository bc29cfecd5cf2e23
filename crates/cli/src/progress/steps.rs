//! The plan's steps, in their order, and how far a run is.
//!
//! What is told of a run says where it is: a phase's layer, the workload that a detail begins with and its repeat, and the parts of a
//! workload's step. A plan changes on the way: what turns out to take longer, or not to be needed, is told before it would have begun,
//! and what never began leaves the plan with its step. So what is left is of the plan as it is known by then, and the pace is that of what
//! was done.

use std::time::Duration;

use narrows_model::{Layer, PlannedStep, Workload};
use narrows_runner::ui::share_done;

use super::{LayerPace, Pace, PartPace};

/// The plan's steps, and how far a run is.
#[derive(Debug, Clone, Default)]
pub struct Steps {
    steps: Vec<Step>,
    /// Layers that were begun.
    begun: Vec<Layer>,
    /// The step that runs: those before it have ended.
    at: usize,
    /// What was planned for all that has ended, and what it took.
    done: Duration,
    took: Duration,
    /// The layer that runs, with what was planned for all before it, and what that took.
    layer_start: Option<(Layer, Duration, Duration)>,
    /// When the part that runs began.
    part_began: Duration,
    /// Of that part, by its repeats that have ended.
    part: PartPace,
}

#[derive(Debug, Clone)]
struct Step {
    layer: Layer,
    what: String,
    /// What all of it should take.
    expected: Duration,
    /// Of that, the parts that have ended and the one that runs, as far as they were told.
    ended: Duration,
    running: Duration,
    /// As long as it is not known whether a part of it is done: how much less it may take, and how much more.
    undecided: (Duration, Duration),
}

impl Step {
    fn of(planned: &PlannedStep) -> Step {
        Step {
            layer: planned.layer,
            what: planned.what.clone(),
            expected: seconds(planned.expected_s),
            ended: Duration::ZERO,
            running: Duration::ZERO,
            undecided: (Duration::ZERO, Duration::ZERO),
        }
    }

    /// Whether parts of it were told.
    fn has_parts(&self) -> bool {
        !(self.ended + self.running).is_zero()
    }

    /// Whether it is that of a workload called so.
    fn is_of(&self, called: &str) -> bool {
        let rest = self.what.strip_prefix(called);
        let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        self.layer == Layer::Database && rest.is_some_and(ends)
    }
}

/// A length that a plan holds; nothing below zero.
fn seconds(s: f64) -> Duration {
    Duration::try_from_secs_f64(s).unwrap_or_default()
}

impl Steps {
    /// Of a plan.
    pub fn of(plan: &[PlannedStep]) -> Steps {
        Steps { steps: plan.iter().map(Step::of).collect(), ..Steps::default() }
    }

    /// A phase of that layer begins, or a window of it, of what `detail` begins with. Where it is the first one of its layer, or of a
    /// workload, all steps before have ended; a layer that comes again, or within another's step, tells nothing.
    pub fn begin(&mut self, layer: Layer, detail: &str, elapsed: Duration) {
        let first = !self.begun.contains(&layer);
        if first {
            self.begun.push(layer);
        }
        let within = self.steps.get(self.at).is_some_and(Step::has_parts);
        let at = match workload(detail) {
            Some(workload) => self.step_of(workload),
            None if first && !within => self.steps.iter().position(|step| step.layer == layer),
            None => None,
        };
        let Some(at) = at else { return };
        self.go_to(at);
        if at == self.at {
            let share = share_done(detail).unwrap_or(0.0);
            let done = self.steps[at].running.mul_f64(share);
            self.reached(done, elapsed);
            let planned = self.steps[at].running;
            let took = elapsed.saturating_sub(self.part_began);
            self.part = PartPace { planned, done, took };
        }
    }

    /// A part of the step of that workload begins, which should take so long: what came before it has ended.
    pub fn begin_part(&mut self, workload: Workload, expected_s: f64, elapsed: Duration) {
        let Some(at) = self.step_of(workload) else { return };
        self.go_to(at);
        if at != self.at {
            return;
        }
        let step = &mut self.steps[at];
        step.ended += step.running;
        step.running = seconds(expected_s);
        // What the plan didn't know of.
        step.expected = step.expected.max(step.ended + step.running);
        self.part_began = elapsed;
        self.part = PartPace::default();
        self.reached(Duration::ZERO, elapsed);
    }

    /// The step of that workload will take so many seconds more, or less, than is planned; no less than its parts so far.
    pub fn amend(&mut self, workload: Workload, by_s: f64) {
        let Some(at) = self.step_of(workload).filter(|at| *at >= self.at) else { return };
        let step = &mut self.steps[at];
        let expected = seconds(step.expected.as_secs_f64() + by_s);
        step.expected = expected.max(step.ended + step.running);
    }

    /// The step of that workload may take so many seconds less than is planned, or so many more.
    pub fn undecided(&mut self, workload: Workload, less_s: f64, more_s: f64) {
        let Some(at) = self.step_of(workload).filter(|at| *at >= self.at) else { return };
        self.steps[at].undecided = (seconds(less_s), seconds(more_s));
    }

    /// What is undecided of the steps to come and of the one that runs: all of it may go either way together.
    fn undecided_of_all(&self) -> (Duration, Duration) {
        let rest = self.steps.get(self.at..).unwrap_or_default();
        let together = |of: fn(&Step) -> Duration| rest.iter().map(of).sum();
        (together(|step| step.undecided.0), together(|step| step.undecided.1))
    }

    /// How far it is.
    pub fn pace(&self) -> Pace {
        let planned = self.steps.iter().map(|step| step.expected).sum();
        let layer =
            self.layer_start.map_or(LayerPace::default(), |(layer, done, took)| LayerPace {
                planned: self.steps.iter().filter(|s| s.layer == layer).map(|s| s.expected).sum(),
                done: self.done.saturating_sub(done),
                took: self.took.saturating_sub(took),
            });
        let undecided = self.undecided_of_all();
        Pace { planned, done: self.done, took: self.took, layer, part: self.part, undecided }
    }

    /// The step of a workload: `lookup, cached` and `update, with the log ladder …` of a run's plan, `lookup, from the pool, …` of a load's
    /// own. Both kinds of scans share one.
    fn step_of(&self, workload: Workload) -> Option<usize> {
        let word = workload.word();
        let first = word.split('_').next().unwrap_or(word);
        let called = [workload.name(), word, first];
        called.iter().find_map(|called| self.steps.iter().position(|step| step.is_of(called)))
    }

    /// All steps before that one have ended; what was not begun of them leaves the plan.
    fn go_to(&mut self, at: usize) {
        if self.at < at {
            self.part = PartPace::default();
        }
        while self.at < at {
            let step = &mut self.steps[self.at];
            if step.has_parts() {
                step.expected = step.ended + step.running;
            }
            self.at += 1;
        }
    }

    /// So much of the running part was planned for what is done of it.
    fn reached(&mut self, within: Duration, elapsed: Duration) {
        let before: Duration = self.steps[..self.at].iter().map(|step| step.expected).sum();
        let done = before + self.steps[self.at].ended + within;
        if done > self.done {
            (self.done, self.took) = (done, elapsed);
        }
        let layer = self.steps[self.at].layer;
        if self.layer_start.is_none_or(|(running, ..)| running != layer) {
            self.layer_start = Some((layer, self.done, self.took));
        }
    }
}

/// `database.scan_1.test.workers_x2, repeat 1 of 6` is of the scan with one worker.
fn workload(detail: &str) -> Option<Workload> {
    Workload::ALL.into_iter().find(|workload| {
        let rest = detail.strip_prefix(workload.measurement_id());
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    })
}

#[cfg(test)]
#[path = "steps_test.rs"]
mod tests;
