//! How an observed server stands, in words. How near an end is, and what makes a transaction long, are two things.

use narrows_model::{ActivityState, ObservedSituation, Provenance, TimeAccount};
use narrows_units::{Nanos, Ratio, significant};

use super::{Observed, how_many};
use crate::analysis::Analysis;
use crate::lock_holders;
use crate::threshold::NOT_WORTH_A_WORD;

/// Names of waits in a sentence.
const NAMED: usize = 3;
/// So many sessions behind one holder are worth a word.
const BEHIND_ONE: f64 = 2.0;

pub(super) fn sentences(analysis: &Analysis, standing: &ObservedSituation) -> Vec<String> {
    let observed = analysis.demand.observed.as_ref();
    let all = [
        time(standing),
        sessions(analysis),
        waits(analysis),
        observed.and_then(Observed::holders).and_then(lock_holders::sentence),
        nearest(analysis, standing),
        unknown(analysis),
        processors(analysis, standing),
        writers(analysis),
        standing.gains.clone(),
    ];
    all.into_iter().flatten().collect()
}

/// `A transaction is 1.84 ms in the server: flush 1.10 ms (60 %), CPU 0.50 ms (27 %); its own account says 1.87 ms.`
fn time(standing: &ObservedSituation) -> Option<String> {
    let time = standing.time.as_ref()?;
    let worth = time.parts.iter().filter(|part| part.share >= NOT_WORTH_A_WORD);
    let parts: Vec<String> = worth
        .map(|part| format!("{} {} ({})", part.name, ns(part.ns_per_op), Ratio(part.share)))
        .collect();
    let account = match time.account {
        TimeAccount::Server => "the server's own account says",
        TimeAccount::Samples => "as often as sessions were seen active, it is",
    };
    Some(format!(
        "A transaction is {} in the server: {}; {account} {}.",
        ns(time.summed_ns),
        parts.join(", "),
        ns(time.account_ns)
    ))
}

/// `3.1 of 40 sessions are at work at a moment; 2.0 wait for their clients in an open transaction, 35 without one; 100 more did
/// nothing during the look.`
fn sessions(analysis: &Analysis) -> Option<String> {
    let observed = analysis.demand.observed.as_ref()?;
    let at_work = observed.active(&analysis.demand.throughput)?.value;
    let all = observed.participating.or(observed.open)?;
    let mut text = format!(
        "On average {} of {} sessions are active",
        significant(at_work, 2),
        significant(all, 3)
    );
    let idle = (all - at_work).max(0.0);
    if idle >= NOT_WORTH_A_WORD * all {
        let in_transaction = observed
            .seen
            .and_then(|seen| seen.activity.of(ActivityState::IdleInTransaction))
            .map(|n| n.min(idle));
        text += &match in_transaction {
            Some(n) => format!(
                "; {} wait for their clients in an open transaction, {} without one",
                significant(n, 2),
                significant(idle - n, 2)
            ),
            None => format!("; {} wait for their clients", significant(idle, 2)),
        };
    }
    if let Some(unused) = observed.unused() {
        text += &format!("; {} more did nothing while observed", how_many(unused));
    }
    if let Some(kinds) = observed.two_populations() {
        text += &format!("; {kinds}");
    }
    Some(format!("{text}."))
}

/// The server's own names for what is waited for most.
fn waits(analysis: &Analysis) -> Option<String> {
    let seen = analysis.demand.observed.as_ref()?.seen?;
    let mut events: Vec<(&str, f64)> = Vec::new();
    let found = seen.activity.found.iter().filter(|f| f.class.serves_transactions());
    for (event, n) in found.flat_map(|f| &f.events) {
        match events.iter_mut().find(|(name, _)| name == event) {
            Some((_, sum)) => *sum += n,
            None => events.push((event, *n)),
        }
    }
    events.sort_by(|a, b| b.1.total_cmp(&a.1));
    if events.is_empty() {
        return None;
    }
    let named = events.iter().take(NAMED);
    let named: Vec<String> =
        named.map(|(name, n)| format!("{name} {}", significant(*n, 2))).collect();
    let mut text = format!("Most waits, in sessions on average: {}", named.join(", "));
    if let Some(behind) = seen.sessions.most_behind_one.filter(|n| *n >= BEHIND_ONE) {
        text += &format!("; at most {behind:.0} sessions were blocked by one session");
        let who = seen.sessions.holder.as_ref().filter(|holder| holder.keeps());
        text += &who.map_or(String::new(), |who| format!(": {}", who.words()));
    }
    Some(format!("{text}."))
}

/// `Nearest to an end: CPU, 62 % in use, so at most × 1.6 of today's rate.`
fn nearest(analysis: &Analysis, standing: &ObservedSituation) -> Option<String> {
    let Some(nearest) = &standing.nearest else {
        return Some(format!(
            "How close to saturation the server is is unknown without capacities. {}",
            measured_by(analysis)
        ));
    };
    let whose = match nearest.provenance {
        Provenance::Limit => " by its specification, which no drive need reach",
        Provenance::Configured => " as configured",
        Provenance::Measured | Provenance::Counted => "",
    };
    Some(format!(
        "Closest to saturation: {}, {}{whose}, {} in use; at most {}x the rate of now.",
        nearest.resource.words(),
        nearest.label,
        Ratio(nearest.utilisation),
        significant(nearest.factor_at_most, 2)
    ))
}

/// How to learn capacities.
fn measured_by(analysis: &Analysis) -> &'static str {
    match analysis.demand.observed.as_ref().and_then(Observed::report) {
        Some(_) => {
            "narrows import FILE --capacities RUN uses those of a run of the server's machine, narrows run --with FILE measures them."
        }
        None => "--capacities RUN uses those measured on this machine, --load-here measures them.",
    }
}

/// Resources that are used and of which nobody knows how much they have.
fn unknown(analysis: &Analysis) -> Option<String> {
    if analysis.capacities.candidates.is_empty() {
        return None;
    }
    let mut labels: Vec<&str> =
        analysis.capacities.unknown.iter().map(|(_, label)| label.as_str()).collect();
    labels.dedup();
    let labels = labels.join(", ");
    (!labels.is_empty()).then(|| format!("Capacity unknown: {labels}. {}", measured_by(analysis)))
}

/// `CPUs in use: sessions 2.4, autovacuum 0.5, kernel threads and interrupts 0.3.`
fn processors(analysis: &Analysis, standing: &ObservedSituation) -> Option<String> {
    let processes = analysis.demand.observed.as_ref().and_then(|observed| observed.processes());
    let others = processes.map(|processes| processes.others_by_name()).unwrap_or_default();
    let others = if others.is_empty() { others } else { format!("; programs beside it: {others}") };
    let users = standing.users.iter();
    let users: Vec<String> =
        users.map(|user| format!("{} {}", user.who, significant(user.cpus, 2))).collect();
    (!users.is_empty()).then(|| format!("CPUs in use: {}{others}.", users.join(", ")))
}

/// Who wrote the data files' blocks.
fn writers(analysis: &Analysis) -> Option<String> {
    let counted = &analysis.demand.observed.as_ref()?.seen?.counted;
    let by = [
        ("the checkpointer", counted.checkpoint_writes),
        ("the background writer", counted.background_writes),
        ("backends themselves", counted.session_writes),
    ];
    let by: Vec<(&str, f64)> = by.into_iter().filter_map(|(who, n)| Some((who, n?))).collect();
    let all: f64 = by.iter().map(|(_, n)| n).sum();
    (all > 0.0).then(|| {
        let by: Vec<String> =
            by.iter().map(|(who, n)| format!("{who} {}", Ratio(n / all))).collect();
        format!("Blocks of data files were written by {}.", by.join(", "))
    })
}

fn ns(ns: f64) -> String {
    Nanos(ns.max(0.0) as u64).to_string()
}
