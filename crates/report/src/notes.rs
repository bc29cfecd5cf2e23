//! Footnotes: which finding gets which number, and what is listed as not known.
//!
//! A finding gets a number where the row it concerns is shown. Suspect and invalid ones always do; notes share
//! a small budget, because a screen of notes is not read. The others are counted and stand in the HTML.

use std::collections::BTreeSet;

use narrows_model::{Finding, Run, Severity, Unknown};

use crate::document::{Inline, NotKnown, Style};
use crate::observed::lacks_right;

/// Notes (not suspects, not invalids) that get a number on the screen.
const NOTE_BUDGET: usize = 5;

/// The number of a footnote, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoteMark(pub usize);

/// The footnotes of a report.
#[derive(Debug, Clone, Default)]
pub struct Notes {
    /// Numbered findings; the first is `[1]`.
    pub numbered: Vec<Finding>,
    /// Findings about the run or the host as a whole, without those that explain what is absent and those below.
    pub run_level: Vec<Finding>,
    /// Notes on how the machine is built and set up, for one line together.
    pub machine: Vec<Finding>,
    /// Findings about measurements that have no row, or beyond the budget.
    pub not_shown: usize,
    /// What could not be learned, grouped by what would show it.
    pub not_known: Vec<NotKnown>,
    notes_used: usize,
}

impl Notes {
    /// `governor-not-performance, queues-fewer-than-cpus` and how to learn what they mean; `None` without any.
    pub(crate) fn machine_line(&self) -> Option<Inline> {
        let mut ids: Vec<&str> = self.machine.iter().map(|finding| finding.id.as_str()).collect();
        ids.dedup();
        let ids = ids.join(", ");
        (!ids.is_empty()).then(|| {
            Inline::from(format!("Machine setup: {ids} ("))
                .put(Style::Code, "narrows explain ID")
                .put(Style::Plain, ")")
        })
    }

    /// The run-level findings and unknowns; numbers are given by [`Notes::marks`].
    pub(crate) fn new(run: &Run) -> Self {
        let (machine, run_level) = run
            .findings
            .iter()
            .filter(|f| f.measurement.is_none() && f.not_measured().is_none())
            .cloned()
            .partition(|f| !f.places.is_empty() && f.severity == Severity::Note);
        Notes { run_level, machine, not_known: not_known(run), ..Notes::default() }
    }

    /// The numbers of the findings about these measurements, worst first, given on first sight.
    pub(crate) fn marks(&mut self, run: &Run, measurements: &[&str]) -> Vec<NoteMark> {
        let mut findings: Vec<&Finding> = run
            .findings
            .iter()
            .filter(|f| f.measurement.as_deref().is_some_and(|id| measurements.contains(&id)))
            .collect();
        findings.sort_by_key(|f| std::cmp::Reverse(f.severity));
        let mut marks = Vec::new();
        for finding in findings {
            if let Some(mark) = self.mark(finding)
                && !marks.contains(&mark)
            {
                marks.push(mark);
            }
        }
        marks.sort_by_key(|mark| mark.0);
        marks
    }

    fn mark(&mut self, finding: &Finding) -> Option<NoteMark> {
        // The same sentence about several measurements is one footnote.
        let same = |seen: &Finding| seen.id == finding.id && seen.summary == finding.summary;
        if let Some(at) = self.numbered.iter().position(same) {
            return Some(NoteMark(at + 1));
        }
        if finding.severity == Severity::Note {
            if self.notes_used == NOTE_BUDGET {
                return None;
            }
            self.notes_used += 1;
        }
        self.numbered.push(finding.clone());
        Some(NoteMark(self.numbered.len()))
    }

    /// Counts what has no number, once all rows have asked for theirs.
    pub(crate) fn close(&mut self, run: &Run) {
        let hidden = run
            .findings
            .iter()
            .filter(|f| f.measurement.is_some())
            .filter(|f| !self.numbered.iter().any(|n| n.id == f.id && n.summary == f.summary));
        // The same about many measurements is one more thing to know, and not many.
        let sentences: BTreeSet<_> = hidden.map(|f| (&f.id, &f.summary)).collect();
        self.not_shown = sentences.len();
    }
}

/// Why the workload or measurement is absent, if the run says so.
pub(crate) fn absent<'a>(run: &'a Run, what: &str) -> Option<&'a Finding> {
    run.findings.iter().find(|f| f.not_measured() == Some(what))
}

/// Every absence the run explains, as (what, finding).
pub(crate) fn absences(run: &Run) -> impl Iterator<Item = (&str, &Finding)> {
    run.findings.iter().filter_map(|f| f.not_measured().map(|what| (what, f)))
}

/// What was asked for and could not be measured, first of all: a line for each reason.
fn said_of_not_made(unknowns: &[&Unknown]) -> Option<NotKnown> {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for (id, why) in unknowns.iter().filter_map(|unknown| unknown.as_not_made()) {
        match reasons.iter_mut().find(|(known, _)| *known == why) {
            Some((_, ids)) => ids.push(id),
            None => reasons.push((why, vec![id])),
        }
    }
    let whats = reasons.into_iter().map(|(why, ids)| match ids.as_slice() {
        [only] => format!("{only}: {why}"),
        [first, rest @ ..] => format!("{first} and {} more: {why}", rest.len()),
        [] => String::new(),
    });
    let whats: Vec<String> = whats.collect();
    let needs = unknowns.first()?.needs.clone();
    Some(NotKnown { whats, needs, first: false })
}

/// One entry per thing that would help; what somebody can grant comes first.
fn not_known(run: &Run) -> Vec<NotKnown> {
    let mut groups: Vec<NotKnown> = Vec::new();
    let of_hosts = run.hosts.iter().flat_map(|host| &host.platform.unknown);
    let of_looks = run.live_logs.iter().flat_map(|log| &log.unknown);
    let of_servers = run.observations.iter().flat_map(|seen| &seen.unknown);
    let (not_made, others): (Vec<&Unknown>, Vec<&Unknown>) =
        of_hosts.chain(of_looks).chain(of_servers).partition(|u| u.as_not_made().is_some());
    groups.extend(said_of_not_made(&not_made));
    for unknown in others {
        match groups.iter_mut().find(|group| group.needs == unknown.needs) {
            Some(group) if group.whats.contains(&unknown.what) => {}
            Some(group) => group.whats.push(unknown.what.clone()),
            None => groups.push(NotKnown {
                whats: vec![unknown.what.clone()],
                needs: unknown.needs.clone(),
                first: lacks_right(unknown),
            }),
        }
    }
    groups.sort_by_key(|group| !group.first);
    groups
}
