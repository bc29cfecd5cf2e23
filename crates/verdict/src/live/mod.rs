//! What a commit costs on a live server, and what bounds it there.
//!
//! Nothing intervened: counters and wait events were looked at, so the verdict is LIKELY at best. By Little's law the mean
//! number of sessions in a state, over the rate of transactions that write, is the time each of them spends in it. The log
//! is a batch server: what a commit waits at the device follows from the flush time alone (one flush where it comes alone,
//! one and a half where flushes follow each other), and a wait of twice that is not the device's doing.
//!
//! Pure: from the run file alone, so that a newer version can judge again.

mod bound;
mod changes;
mod cpus;
mod doubt;
mod groups;
mod model;
mod sentences;
mod share;

use narrows_model::{Grade, LiveLog, LivePart, LiveVerdict, Run, Severity};

use groups::Groups;

/// Judges what was observed, in its run: where a finding makes its figures doubtful the verdict is UNDECIDED, and what that finding advises
/// stands in place of any change of the log.
pub fn live_in(run: &Run, log: &LiveLog) -> LiveVerdict {
    let mut verdict = live(log);
    let doubtful = run.findings.iter().filter(|finding| {
        finding.severity >= Severity::Suspect
            && finding.measurement.as_deref() == Some(log.measurement.as_str())
    });
    for (at, finding) in doubtful.enumerate() {
        verdict.grade = Grade::Undecided;
        let said = format!("{} ({}). {}.", finding.summary, finding.id, finding.advice);
        verdict.sentences.insert(at, said);
        // Until then nobody knows what a change of the log would do.
        verdict.changes.clear();
    }
    verdict
}

/// Judges what was observed.
pub fn live(log: &LiveLog) -> LiveVerdict {
    let groups = Groups::of(log);
    let model = model::model(log);
    let busy = model::busy(log);
    let (bound, grade) = bound::bound(log, &groups, busy);
    let parts = parts(log);
    let waits: Vec<f64> =
        parts.iter().filter(|p| p.kind.is_log()).map(|p| p.per_commit_ns).collect();
    let wait_ns = (!parts.is_empty()).then(|| waits.iter().sum());
    let mut verdict = LiveVerdict {
        bound,
        grade,
        or_cpus: bound::or_cpus(log, &groups, bound),
        parts,
        wait_ns,
        share: groups.share(),
        gain_at_most: share::gain_at_most(log, &groups, bound, busy),
        busy,
        model,
        sentences: Vec::new(),
        changes: Vec::new(),
    };
    verdict.sentences = sentences::sentences(log, &groups, &verdict);
    // Where it may be the CPUs nobody knows what a change of the log would do.
    if !verdict.or_cpus {
        verdict.changes = changes::changes(log, &groups, &verdict);
    }
    verdict
}

/// Each state's time per transaction that wrote, where there were any.
fn parts(log: &LiveLog) -> Vec<LivePart> {
    let Some(rate) = log.counted.per_s(log.counted.wrote()).filter(|rate| *rate > 0.0) else {
        return Vec::new();
    };
    let per_commit = |backends: f64| backends / rate * 1e9;
    log.waits
        .sessions
        .iter()
        .map(|wait| LivePart {
            kind: wait.kind,
            per_commit_ns: per_commit(wait.backends),
            interval_95: wait.interval_95.map(|interval| narrows_model::Interval {
                low: per_commit(interval.low),
                high: per_commit(interval.high),
                ..interval
            }),
        })
        .collect()
}

#[cfg(test)]
mod tests;
