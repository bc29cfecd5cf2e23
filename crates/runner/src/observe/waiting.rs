//! Whoever waits for a look: told what is known so far, and asked whether that is the answer.

use std::time::Duration;

use narrows_model::{Bottleneck, Cgroup, Grade, LoadChange, Run, Urgency, Workload};
use narrows_postgres::observe::{Around, Observed, Observer};
use narrows_units::OpsPerSecond;

use super::ServerMachine;
use super::room::ServerFolders;
use crate::prepared;
use crate::ui::Ui;

/// What is seen in less time is no answer yet, ns.
const FIRST_ANSWER_NS: f64 = 4.9e9;

/// What an answer says in short: the name and whether it is given, and the first cause.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answer {
    narrow: Option<(Bottleneck, Option<Bottleneck>)>,
    undecided: bool,
    cause: Option<String>,
    /// Sessions stand still until somebody acts, and nothing ends.
    standstill: bool,
}

impl Answer {
    /// Of a judged run.
    pub(super) fn of(run: &Run) -> Answer {
        let verdict = run.verdicts.first();
        let first = run.causes.first();
        let nothing_ends =
            verdict.and_then(|v| v.standing.as_ref()).is_some_and(|of| of.step.is_some());
        Answer {
            narrow: verdict.map(|verdict| (verdict.narrow, verdict.or)),
            undecided: verdict.is_none_or(|verdict| verdict.grade == Grade::Undecided),
            cause: first.map(|cause| cause.id.clone()),
            standstill: nothing_ends && first.is_some_and(|cause| cause.urgency == Urgency::Now),
        }
    }
}

/// Answers one after the other.
#[derive(Debug, Default)]
pub(super) struct Answers(Option<Answer>);

impl Answers {
    /// Whether it is another answer than before, and whether a look that has come to it need not go on.
    pub(super) fn take(&mut self, answer: Answer) -> (bool, bool) {
        let same = self.0.as_ref() == Some(&answer);
        let ends = same && answer.standstill;
        self.0 = Some(answer);
        (!same, ends)
    }
}

/// Tells an answer when it is another one than before, and ends a look at a server that stands still for a reason that was seen twice.
pub(super) struct Waiting<'a> {
    ui: &'a dyn Ui,
    machine: &'a ServerMachine,
    /// The run without what is seen.
    before: Run,
    answers: Answers,
    folders: ServerFolders,
    /// The control groups of the server since its load changed.
    pub(super) groups: Option<Cgroup>,
}

impl<'a> Waiting<'a> {
    pub(super) fn new(
        ui: &'a dyn Ui,
        machine: &'a ServerMachine,
        folders: ServerFolders,
        before: &Run,
    ) -> Waiting<'a> {
        let answers = Answers::default();
        Waiting { ui, machine, before: before.clone(), answers, folders, groups: None }
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
        self.answers = Answers::default();
        // What limits the server may have begun with the change.
        self.groups = self.machine.groups();
        self.machine.around(self.groups.as_ref().and_then(|groups| groups.cpu_quota_cpus))
    }

    fn so_far(&mut self, mut seen: Observed) -> bool {
        if seen.observation.interval_ns < FIRST_ANSWER_NS {
            return false;
        }
        self.folders.tell(&mut seen.observation);
        let mut run = self.before.clone();
        run.observations.push(seen.observation);
        run.measurements.push(seen.measurement);
        let unjudged = run.clone();
        narrows_judge::judge(&mut run);
        let (new, ends) = self.answers.take(Answer::of(&run));
        if new {
            self.ui.so_far(&unjudged);
        }
        ends
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(cause: &str, standstill: bool) -> Answer {
        let narrow = Some((Bottleneck::Lock, None));
        Answer { narrow, undecided: true, cause: Some(cause.to_string()), standstill }
    }

    #[test]
    fn an_answer_is_told_once_and_a_standstill_seen_twice_is_the_end() {
        let mut answers = Answers::default();
        assert_eq!(answers.take(answer("hot-row", false)), (true, false));
        assert_eq!(answers.take(answer("hot-row", false)), (false, false), "it goes on");
        assert_eq!(answers.take(answer("lock-queue", true)), (true, false), "once is chance");
        assert_eq!(answers.take(answer("ddl-queue", true)), (true, false), "another one");
        assert_eq!(answers.take(answer("ddl-queue", true)), (false, true));
    }
}
