//! The phrase for the screen, where an observed server needs one of its own.

use narrows_model::Bottleneck;
use narrows_units::{Ratio, significant};

use super::headroom::nearest;
use super::how_many;
use crate::analysis::Analysis;
use crate::choice::Choice;
use crate::session::TimeComponent;

/// `waits for its clients: 3.1 of 8.00 sessions at work; 100 of 108 sessions did nothing; CPU 31 % busy`; `None` where the phrase is that of any workload.
pub(crate) fn phrase(analysis: &Analysis, choice: &Choice) -> Option<String> {
    let observed = analysis.demand.observed.as_ref()?;
    if choice.or.is_some() {
        return None;
    }
    if let (Bottleneck::CommitInsideServer, Some(slower)) = (choice.winner.narrow, analysis.inside)
    {
        return Some(format!(
            "{}: its flush takes {}{} times that of the log layer on that drive",
            Bottleneck::CommitInsideServer.words(),
            if slower.at_least { "at least " } else { "" },
            significant(slower.times, 2)
        ));
    }
    if choice.winner.narrow == Bottleneck::CommitWait && observed.waits_for_standby() {
        let share = Ratio(observed.behind_standby());
        return Some(format!(
            "{} for a standby: {share} of the wait is for its answer, and not for WAL here",
            Bottleneck::CommitWait.words()
        ));
    }
    if choice.winner.narrow == Bottleneck::CommitWait && choice.part == Some(TimeComponent::Lock) {
        let holders = observed.holders()?;
        return Some(format!(
            "{}, with locks held through the flush: their holder was in one in {} of {} samples",
            Bottleneck::CommitWait.words(),
            holders.in_flush,
            holders.answers
        ));
    }
    if choice.part != Some(TimeComponent::Between) {
        return None;
    }
    let active = observed.active(&analysis.demand.throughput)?;
    let at_work = significant(active.value, 2);
    let sessions = significant(observed.sessions()?, 3);
    let mut text = format!("waits for its clients: {at_work} of {sessions} sessions active");
    if let Some(unused) = observed.unused() {
        let (unused, open) = (how_many(unused), how_many(observed.open?));
        text += &format!("; {unused} of {open} sessions did nothing");
    }
    if let Some(bound) = nearest(analysis) {
        let used = Ratio(bound.utilisation(analysis.demand.rate()));
        text += &format!("; {} {used} used", bound.label);
    }
    Some(text)
}
