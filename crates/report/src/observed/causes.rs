//! Causes: what to do about them, first things first, and every one with all that is known of it.

use narrows_model::{Bottleneck, Cause, CauseShare, Run, Urgency, Verdict};

use crate::advice::{CauseStep, NextRow};
use crate::document::{Block, Entry, Facts, Inline, Style};
use crate::print::{change, count, percent};
use crate::words;

/// Actions on a screen.
const ACTIONS: usize = 3;
/// What takes so much of it stands out: hardware is no answer beside it.
const STANDS_OUT: f64 = 0.3;

/// The causes of one server, the first to act on first.
fn of<'a>(run: &'a Run, measurement: &str) -> impl Iterator<Item = &'a Cause> {
    run.causes.iter().filter(move |cause| cause.measurement == measurement)
}

/// Those that somebody waits for.
fn felt<'a>(run: &'a Run, measurement: &str) -> impl Iterator<Item = &'a Cause> {
    of(run, measurement).filter(|cause| cause.urgency != Urgency::Risk)
}

/// Whether something takes so much that more or faster hardware is not what to do about that server: with a reason, which who only says
/// what is waited for hasn't; and of WAL only where commits bind.
pub(crate) fn stands_out(run: &Run, verdict: &Verdict) -> bool {
    let commits = [Bottleneck::CommitWait, Bottleneck::CommitInsideServer];
    let commits_bind = [Some(verdict.narrow), verdict.or].into_iter().flatten();
    let commits_bind = commits_bind.into_iter().any(|narrow| commits.contains(&narrow));
    felt(run, &verdict.measurement).filter(|cause| cause.has_reason).any(|cause| {
        cause.urgency == Urgency::Now
            || cause.share.is_some_and(|(of, share)| {
                share >= STANDS_OUT && (of != CauseShare::Wal || commits_bind)
            })
    })
}

/// What to do about that verdict's server; risks where nothing else is to be done.
pub(crate) fn next_rows(run: &Run, verdict: &Verdict) -> Vec<NextRow> {
    let mut causes: Vec<&Cause> = felt(run, &verdict.measurement).collect();
    if causes.is_empty() {
        causes = of(run, &verdict.measurement).collect();
    }
    let workloads = vec![words::workload_plural(&verdict.workload, None)];
    let row = |cause: &&Cause| NextRow {
        action: cause.action.clone(),
        expect: expected(cause),
        prove: cause.verify.clone(),
        workloads: workloads.clone(),
        cause: Some(CauseStep {
            summary: cause.summary.clone(),
            statement: to_paste(cause),
            undo: cause.undo.clone(),
        }),
    };
    causes.iter().take(ACTIONS).map(row).collect()
}

/// With the end that psql and mariadb wait for.
fn to_paste(cause: &Cause) -> Option<String> {
    cause.statement.as_ref().map(|statement| format!("{};", statement.trim_end_matches(';')))
}

/// `+0 to +950 %`, the share that goes at most, or how many sessions go on.
fn expected(cause: &Cause) -> String {
    let stuck = cause.sessions_behind.filter(|_| cause.urgency == Urgency::Now);
    let stuck = stuck.map(|n| (n * 10.0).round() / 10.0);
    match (cause.gain_at_most, cause.share, stuck) {
        (Some(gain), ..) if gain > 0.0 && gain.is_finite() => format!("+0 to {}", change(gain)),
        (_, Some(_), _) => share_at_most(cause).unwrap_or_default(),
        (.., Some(1.0)) => "frees 1 session at most".to_string(),
        (.., Some(n)) => format!("frees {} sessions at most", count(n)),
        _ => "-".to_string(),
    }
}

/// `at most 31 % of session time`
fn share_at_most(cause: &Cause) -> Option<String> {
    cause.share.map(|(of, share)| format!("at most {} {}", percent(share), of.words()))
}

/// Whether so many sessions of that verdict's server stand still that no mean over all of them tells what one takes.
pub(crate) fn stands_still(run: &Run, verdict: &Verdict) -> bool {
    /// Of the active sessions.
    const MANY: f64 = 0.5;
    let seen = run.observations.iter().find(|seen| seen.measurement == verdict.measurement);
    let Some(active) = seen.and_then(|seen| seen.activity.sessions_at_work()) else { return false };
    let now = of(run, &verdict.measurement).filter(|cause| cause.urgency == Urgency::Now);
    let stuck = now.filter_map(|cause| cause.sessions_behind).reduce(f64::max);
    stuck.is_some_and(|stuck| stuck >= MANY * active)
}

/// Whether something has to be done at once about the server of a measurement: no more samples would say so more surely.
pub(crate) fn is_urgent(run: &Run, measurement: &str) -> bool {
    of(run, measurement).any(|cause| cause.urgency == Urgency::Now)
}

/// What is said of a server's causes: those for which sessions stand still, and the largest of the others.
pub(crate) fn sentences(run: &Run, verdict: &Verdict) -> (Vec<String>, Option<String>) {
    let now = felt(run, &verdict.measurement).filter(|cause| cause.urgency == Urgency::Now);
    let now = now.map(|cause| format!("{}: {}.", capital(&cause.summary), cause.action));
    let first = felt(run, &verdict.measurement).find(|cause| cause.urgency == Urgency::Performance);
    let first = first.map(|cause| {
        let told = |(of, share): (CauseShare, f64)| {
            cause.summary.contains(&format!("{} {}", percent(share), of.words()))
        };
        let share = share_at_most(cause).filter(|_| !cause.share.is_some_and(told));
        let share = share.map_or(String::new(), |share| format!(" ({share})"));
        format!("{}{share}.", capital(&cause.summary))
    });
    (now.collect(), first)
}

/// With a capital, unless it begins with a name: `public.orders` is not `Public.orders`.
fn capital(sentence: &str) -> String {
    let first = sentence.split(' ').next().unwrap_or_default();
    if first.contains(['.', '_', '"']) { sentence.to_string() } else { words::capital(sentence) }
}

/// Every cause with its figures.
pub(super) fn blocks(run: &Run, measurement: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    for cause in of(run, measurement) {
        let urgency = match cause.urgency {
            Urgency::Now => "now",
            Urgency::Performance => "performance",
            Urgency::Risk => "risk",
        };
        let lead = Inline::of(Style::Strong, capital(&cause.summary))
            .put(Style::Faint, format!("  {urgency}, {}", cause.id));
        blocks.push(Block::Heading(lead));
        let share =
            cause.share.map(|(of, share)| format!("{} {} at most", percent(share), of.words()));
        let gain = cause.gain_at_most.filter(|gain| gain.is_finite());
        let gain =
            gain.map(|gain| format!("{} throughput at most, by the verdict's law", change(gain)));
        let takes: Vec<String> = share.into_iter().chain(gain).collect();
        let plain = |label: &str, text: &str| (!text.is_empty()).then(|| Entry::new(label, text));
        let code = |label: &str, text: &Option<String>| {
            text.as_ref().map(|text| Entry::new(label, Inline::of(Style::Code, text.as_str())))
        };
        let entries = [
            plain("takes", &takes.join("; ")),
            plain("figures", &cause.evidence),
            plain("against", &cause.against),
            plain("to do", &cause.action),
            code("", &to_paste(cause)),
            plain("undo", &cause.undo),
            plain("check", &cause.verify),
        ];
        let entries = entries.into_iter().flatten().collect();
        blocks.push(Block::Facts(Facts { entries, labels: Style::Plain, at: (2, 12) }));
    }
    blocks
}
