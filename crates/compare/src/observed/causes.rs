//! Causes then and now: gone, stayed, new.

use narrows_model::{Cause, CauseShare, Run, Urgency};
use serde::Serialize;

use super::Observed;

/// What became of a cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CauseFate {
    /// Named before and not after.
    Gone,
    /// Named in both looks.
    Stayed,
    /// Named after and not before.
    New,
    /// Named before; the look after tells too little to say that it is gone.
    NotSeen,
}

/// A cause in both looks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CauseChange {
    /// The rule's id.
    pub id: String,
    /// What became of it.
    pub fate: CauseFate,
    /// How soon to act, as the later look that names it says.
    pub urgency: Urgency,
    /// Its place among the causes of the first look, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_place: Option<usize>,
    /// In the other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_place: Option<usize>,
    /// Its sentence in the first look, or in the other where the first doesn't name it.
    pub summary: String,
    /// What share it took, in the first look and in the other.
    pub shares: [Option<(CauseShare, f64)>; 2],
}

/// Causes of a look, first things first.
pub(super) fn of<'a>(run: &'a Run, measurement: &str) -> Vec<&'a Cause> {
    run.causes.iter().filter(|cause| cause.measurement == measurement).collect()
}

/// Those named before in their order, then what is new. `pairs`: ids of statements of the first look, and the same of the other.
pub(super) fn changes(
    base: &Observed<'_>,
    other: &Observed<'_>,
    pairs: &[(String, String)],
    after_tells: bool,
) -> Vec<CauseChange> {
    let ours = of(base.run, &base.of.measurement);
    let mut theirs: Vec<Option<&Cause>> =
        of(other.run, &other.of.measurement).into_iter().map(Some).collect();
    let mut found: Vec<Option<usize>> = vec![None; ours.len()];
    // The same words about the same names first, then the same rule about the same statement, or about none.
    for by_words in [true, false] {
        for (cause, found) in ours.iter().zip(&mut found).filter(|(_, found)| found.is_none()) {
            let same = |other: &Cause| {
                let words = !by_words || subject(&cause.summary) == subject(&other.summary);
                cause.id == other.id && words && statement(cause, other, pairs)
            };
            let at = theirs.iter().position(|other| other.is_some_and(same));
            if let Some(at) = at {
                theirs[at] = None;
                *found = Some(at);
            }
        }
    }
    let all = of(other.run, &other.of.measurement);
    let before = ours.iter().zip(&found).enumerate().map(|(place, (cause, found))| {
        let after = found.map(|at| all[at]);
        CauseChange {
            id: cause.id.clone(),
            fate: match (after, after_tells) {
                (Some(_), _) => CauseFate::Stayed,
                (None, true) => CauseFate::Gone,
                (None, false) => CauseFate::NotSeen,
            },
            urgency: after.map_or(cause.urgency, |after| after.urgency),
            base_place: Some(place + 1),
            other_place: found.map(|at| at + 1),
            summary: cause.summary.clone(),
            shares: [cause.share, after.and_then(|after| after.share)],
        }
    });
    let new = theirs.iter().enumerate().filter_map(|(place, cause)| {
        let cause = (*cause)?;
        Some(CauseChange {
            id: cause.id.clone(),
            fate: CauseFate::New,
            urgency: cause.urgency,
            base_place: None,
            other_place: Some(place + 1),
            summary: cause.summary.clone(),
            shares: [None, cause.share],
        })
    });
    before.chain(new).collect()
}

/// Whether both are about one statement, or about none.
fn statement(a: &Cause, b: &Cause, pairs: &[(String, String)]) -> bool {
    let (ours, theirs) = (&a.statement_id, &b.statement_id);
    ours == theirs || pairs.iter().any(|(first, other)| first == ours && other == theirs)
}

/// A sentence without its figures: numbers, their units and PIDs are another in every look.
fn subject(summary: &str) -> String {
    let words = summary.split_whitespace();
    let names = words.filter(|word| !word.chars().next().is_some_and(|c| c.is_ascii_digit()));
    let unit =
        |word: &str| ["%", "s", "ms", "µs", "min", "h"].contains(&word.trim_end_matches(','));
    let names = names.filter(|word| !unit(word));
    names.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_no_part_of_what_a_cause_is_about() {
        let a = subject("pid 4711, idle in transaction for 26 s, blocks 12 sessions");
        assert_eq!(a, subject("pid 99, idle in transaction for 310 ms, blocks 2 sessions"));
        assert_ne!(subject("table a has 40 % dead rows"), subject("table b has 40 % dead rows"));
    }
}
