//! What to do where the verdict on somebody's server is open: what stands still is told what to do about; a longer look is named only
//! where it would change something.

use narrows_model::{Bottleneck, Cause, Observation, RuleId, Run, Verdict};

use super::advice::{NEXT, find_owner};
use super::verdict::is_mariadb;
use crate::advice::{NextRow, between};

/// Findings that a longer look takes away.
const OF_A_SHORT_LOOK: [RuleId; 4] = [
    RuleId::OBSERVED_TOO_SHORT,
    RuleId::OBSERVED_FEW_SAMPLES,
    RuleId::OBSERVED_FEW_TRANSACTIONS,
    RuleId::OBSERVED_COUNTERS_RESET,
];

/// Letters of a reason that a row has room for.
const REASON: usize = 100;

/// The row under WHAT TO DO of an open verdict; `None` for narrows' own workloads.
pub(crate) fn unclear(run: &Run, verdict: &Verdict, workload: &str) -> Option<NextRow> {
    let seen = run.observations.iter().find(|seen| verdict.measurement == seen.measurement)?;
    let step = verdict.standing.as_ref().and_then(|standing| standing.step.clone());
    let (action, prove) = match step {
        Some(step) => (step.action, step.prove),
        None => open(run, verdict, seen),
    };
    let (expect, workloads) = ("-".to_string(), vec![workload.to_string()]);
    Some(NextRow { action, expect, prove, workloads, ..NextRow::default() })
}

/// Whether it is a MariaDB of which a cause is known: no bottleneck is named of it in any case, so that this is no open question.
pub(crate) fn is_told_by_causes(run: &Run, verdict: &Verdict) -> bool {
    let seen = run.observations.iter().find(|seen| verdict.measurement == seen.measurement);
    let is_of = |cause: &Cause| cause.measurement == verdict.measurement;
    seen.is_some_and(is_mariadb) && run.causes.iter().any(is_of)
}

fn open(run: &Run, verdict: &Verdict, seen: &Observation) -> (String, String) {
    let of = run.measurement(&verdict.measurement);
    let of_a_short_look = |id: &String| OF_A_SHORT_LOOK.iter().any(|rule| rule.is(id));
    let short = of.is_some_and(|m| m.findings.iter().any(of_a_short_look));
    let names = [Some(verdict.narrow), verdict.or];
    let owner = seen.processes.as_ref().and_then(find_owner);
    if let Some(owner) = owner.filter(|_| names.contains(&Some(Bottleneck::Cpu))) {
        return (format!("undecided: {owner}"), NEXT.to_string());
    }
    let by_report = seen.report.is_some();
    let prove = if by_report && seen.capacities_from.is_empty() {
        "narrows run --with FILE".to_string()
    } else if by_report {
        format!("narrows report {} --html", run.id)
    } else if short {
        seen.longer_look()
    } else if names.contains(&Some(Bottleneck::CommitWait)) {
        "narrows log postgres URL".to_string()
    } else {
        format!("narrows report {} --html", run.id)
    };
    let apart = between(run, verdict, "observe again").filter(|_| !short && !by_report);
    (apart.unwrap_or_else(|| format!("undecided: {}", reason(verdict))), prove)
}

/// The first reason, as much of it as there is room for.
fn reason(verdict: &Verdict) -> String {
    let Some(first) = verdict.reasons.first() else {
        return "nothing that was observed explains it".to_string();
    };
    let cut = first.char_indices().nth(REASON).and_then(|(at, _)| first[..at].rfind(' '));
    cut.map_or_else(|| first.clone(), |at| format!("{} …", &first[..at]))
}
