//! From the narrow resource to its cause: who takes it, and what would change that.
//!
//! [`rules()`] is the table, like that of validity: each [`CauseRule`] reads one observed server beside the verdict on it and says
//! nothing, or one cause or several with their figures, what speaks against them, what to do, how to take that back, and what
//! it would give at most by the verdict's own law. [`causes`] walks the table. What can't be seen fires nothing.
//!
//! Data in, data out: no statement is ever run, and every text of others is shown as the model holds it.

#![forbid(unsafe_code)]

mod draft;
mod figures;
mod law;
mod queue;
mod queue_words;
mod rule;
mod rules;
mod server;
mod sql;
mod statement_text;
mod statements;
mod words;

pub use draft::CauseDraft;
pub use rule::CauseRule;
pub use rules::rules;
pub use server::ObservedServer;

use narrows_model::{Cause, Run, Urgency};

/// Causes of one rule that are kept: those behind them are smaller.
const KEPT_OF_A_RULE: usize = 3;

/// A consumer or a wait without a reason counts for so much: whatever takes a third as much and has one comes first.
const BEHIND_REASONS: f64 = 0.3;

/// Every cause of every observed server of the run: what stands still first, then the largest share, risks last.
pub fn causes(run: &Run) -> Vec<Cause> {
    let seen = run.observations.iter().filter(|seen| seen.report.is_none());
    let mut found: Vec<(f64, Cause)> = seen
        .filter_map(|seen| ObservedServer::of(run, seen))
        .flat_map(|server| of(&server))
        .collect();
    found.sort_by(|(rank_a, a), (rank_b, b)| {
        a.urgency.cmp(&b.urgency).then(rank_b.total_cmp(rank_a))
    });
    found.into_iter().map(|(_, cause)| cause).collect()
}

/// Those of one server with what they are ordered by, effects of others left out.
fn of(server: &ObservedServer) -> Vec<(f64, Cause)> {
    let mut found: Vec<(&CauseRule, CauseDraft)> = Vec::new();
    for rule in rules().iter().filter(|rule| server.is_asked(rule)) {
        let mut drafts = (rule.find)(server);
        drafts.sort_by(|a, b| rank(server, rule, b).total_cmp(&rank(server, rule, a)));
        drafts.truncate(KEPT_OF_A_RULE);
        found.extend(drafts.into_iter().map(|draft| (rule, draft)));
    }
    let explained = |(rule, draft): &(&CauseRule, CauseDraft)| {
        found.iter().any(|(other, by)| {
            other.supersedes.contains(&rule.id)
                && !by.tells_effects
                && about_the_same(&draft.subjects, &by.subjects)
        })
    };
    let kept = found.iter().filter(|each| !explained(each));
    kept.map(|(rule, draft)| (rank(server, rule, draft), cause(server, rule, draft))).collect()
}

/// By what causes of one urgency are ordered: who waits, or what goes of the sessions' time.
fn rank(server: &ObservedServer, rule: &CauseRule, draft: &CauseDraft) -> f64 {
    match urgency(rule, draft) {
        Urgency::Now => draft.behind,
        Urgency::Performance | Urgency::Risk => {
            let part = if rule.has_reason { 1.0 } else { BEHIND_REASONS };
            draft.share.map_or(0.0, |(of, share)| share * server.weight(of) * part)
        }
    }
}

fn urgency(rule: &CauseRule, draft: &CauseDraft) -> Urgency {
    draft.urgency.unwrap_or(rule.urgency)
}

fn about_the_same(a: &[String], b: &[String]) -> bool {
    a.is_empty() || b.is_empty() || a.iter().any(|subject| b.contains(subject))
}

fn cause(server: &ObservedServer, rule: &CauseRule, draft: &CauseDraft) -> Cause {
    let draft = draft.clone();
    Cause {
        id: rule.id.to_string(),
        measurement: server.seen.measurement.clone(),
        urgency: urgency(rule, &draft),
        has_reason: rule.has_reason,
        summary: draft.summary,
        evidence: draft.evidence,
        against: draft.against,
        action: draft.action,
        statement: draft.statement,
        undo: draft.undo,
        verify: draft.verify,
        share: draft.share,
        gain_at_most: draft.gain_at_most,
        statement_id: draft.statement_id,
        sessions_behind: Some(draft.behind).filter(|n| *n > 0.0),
    }
}
