//! Whoever waits for a look: told what is known so far, and asked whether that is the answer.

use std::time::Duration;

use narrows_model::{Bottleneck, Cgroup, Grade, LoadChange, Run, Urgency, Workload};
use narrows_postgres::observe::{Around, Observed, Observer};
use narrows_units::OpsPerSecond;

use super::ServerMachine;
use crate::prepared;
use crate::ui::Ui;

/// What an answer says in short: the name and how sure it is, and the first cause.
#[derive(Debug, Clone, PartialEq)]
struct Answer {
    narrow: Option<(Bottleneck, Option<Bottleneck>, Grade)>,
    cause: Option<String>,
    /// Sessions stand still until somebody acts, and nothing ends.
    standstill: bool,
}

impl Answer {
    /// Of a judged run.
    fn of(run: &Run) -> Answer {
        let verdict = run.verdicts.first();
        let first = run.causes.first();
        let nothing_ends =
            verdict.and_then(|v| v.standing.as_ref()).is_some_and(|of| of.step.is_some());
        Answer {
            narrow: verdict.map(|verdict| (verdict.narrow, verdict.or, verdict.grade)),
            cause: first.map(|cause| cause.id.clone()),
            standstill: nothing_ends && first.is_some_and(|cause| cause.urgency == Urgency::Now),
        }
    }
}

/// Tells an answer when it is another one than before, and ends a look at a server that stands still for a reason that was seen twice.
pub(super) struct Waiting<'a> {
    ui: &'a dyn Ui,
    machine: &'a ServerMachine,
    /// The run without what is seen.
    before: Run,
    last: Option<Answer>,
    /// The control groups of the server since its load changed.
    pub(super) groups: Option<Cgroup>,
}

impl<'a> Waiting<'a> {
    pub(super) fn new(ui: &'a dyn Ui, machine: &'a ServerMachine, before: &Run) -> Waiting<'a> {
        Waiting { ui, machine, before: before.clone(), last: None, groups: None }
    }

    /// Whether a look that has come to that answer need not go on.
    fn answered(&mut self, answer: Answer) -> (bool, bool) {
        let same = self.last.as_ref() == Some(&answer);
        let ends = same && answer.standstill;
        self.last = Some(answer);
        (!same, ends)
    }
}

impl Observer for Waiting<'_> {
    fn begins_again(&mut self, change: &LoadChange, least: Duration) -> Around {
        self.ui.say(&format!(
            "note: the load changed (transactions: {}, then {}): observing again, for {}",
            OpsPerSecond(change.rate_before),
            OpsPerSecond(change.rate_since),
            prepared::minutes(least.as_secs_f64())
        ));
        self.ui.begin_part(Workload::Observed, least.as_secs_f64());
        self.last = None;
        // What limits the server may have begun with the change.
        self.groups = self.machine.groups();
        self.machine.around(self.groups.as_ref().and_then(|groups| groups.cpu_quota_cpus))
    }

    fn so_far(&mut self, seen: Observed) -> bool {
        let mut run = self.before.clone();
        run.observations.push(seen.observation);
        run.measurements.push(seen.measurement);
        let unjudged = run.clone();
        narrows_judge::judge(&mut run);
        let (new, ends) = self.answered(Answer::of(&run));
        if new {
            self.ui.so_far(&unjudged);
        }
        ends
    }
}
