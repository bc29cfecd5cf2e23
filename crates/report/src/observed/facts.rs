//! Sessions, CPUs, checkpoints, temporary files: what is no part of one transaction.

use narrows_model::{ActivityState, Observation, ObservedProcesses};
use narrows_units::significant;

use super::demand::written_by;
use super::remarks::used_by;
use crate::document::Entry;
use crate::print::{Units, count, percent, time};

pub(super) fn facts(seen: &Observation, units: Units) -> Vec<Entry> {
    let all = [
        ("sessions", sessions(seen)),
        ("CPUs", seen.processes.as_ref().map(processors)),
        ("checkpoints", checkpoints(seen)),
        ("temp files", temporary(seen, units)),
        ("deadlocks", seen.counted.deadlocks.filter(|n| *n > 0.0).map(count)),
    ];
    let known = all.into_iter().filter_map(|(label, text)| Some(Entry::new(label, text?)));
    known.filter(|entry| !entry.text.is_empty()).collect()
}

fn few(value: f64) -> String {
    significant(value, 3)
}

/// `40.0 open (52 at most, 100 allowed), 12.0 did nothing, 3.10 at work (12 at most), 2.00 idle in transaction (12.0 s at most)`.
fn sessions(seen: &Observation) -> Option<String> {
    let sessions = &seen.sessions;
    let most = |parts: [Option<String>; 2]| {
        let known: Vec<String> = parts.into_iter().flatten().collect();
        if known.is_empty() { String::new() } else { format!(" ({})", known.join(", ")) }
    };
    let at_most = |n: Option<f64>| n.map(|n| format!("{} at most", count(n)));
    let allowed = sessions.allowed.map(|n| format!("{} allowed", count(n)));
    let open = sessions
        .open
        .map(|n| format!("{} open{}", few(n), most([at_most(sessions.most_open), allowed])));
    // A report counts their time itself, and waits as events are counted.
    let counted = seen.report.as_ref().and_then(|_| seen.per_s(seen.counted.active_ns));
    let at_work = counted
        .map(|ns_per_s| ns_per_s * 1e-9)
        .or(seen.activity.sessions_at_work())
        .map(|n| format!("{} active{}", few(n), most([at_most(sessions.most_at_work), None])));
    let longest = sessions.longest_idle_in_transaction_ns.filter(|ns| *ns > 0.0);
    let idle = seen.activity.of(ActivityState::IdleInTransaction).filter(|n| *n > 0.0).map(|n| {
        let longest = longest.map(|ns| format!("longest {}", time(ns)));
        format!("{} idle in transaction{}", few(n), most([longest, None]))
    });
    let oldest = sessions.oldest_transaction_ns.filter(|ns| *ns > 0.0);
    let oldest = oldest.map(|ns| format!("oldest transaction {}", time(ns)));
    let prepared = sessions.oldest_prepared_ns.filter(|ns| *ns > 0.0);
    let prepared = prepared.map(|ns| format!("oldest prepared transaction {}", time(ns)));
    let behind = sessions.most_behind_one.filter(|n| *n > 0.0);
    let holder = sessions.holder.as_ref().filter(|holder| holder.keeps());
    let holder = holder.map_or(String::new(), |holder| format!(" ({})", holder.words()));
    let behind = behind.map(|n| format!("at most {} blocked by one session{holder}", count(n)));
    let unused = sessions.unused.filter(|n| *n >= 0.5);
    let unused = unused.map(|n| format!("{} did nothing", few(n)));
    let all = [open, unused, at_work, duties(seen), idle, oldest, prepared, behind];
    let known: Vec<String> = all.into_iter().flatten().collect();
    (!known.is_empty()).then(|| known.join(", "))
}

/// `8.00 sessions active 97 % of the time, 20.0 sessions 4.1 %`; `None` where all are active for a similar part of their time.
fn duties(seen: &Observation) -> Option<String> {
    let groups = seen.sessions.duties.iter().filter(|group| group.sessions >= 0.5);
    let words: Vec<String> = groups
        .enumerate()
        .map(|(at, group)| {
            let (active, time) = if at == 0 { ("active ", " of the time") } else { ("", "") };
            let (sessions, share) = (few(group.sessions), percent(group.share()));
            format!("{sessions} sessions {active}{share}{time}")
        })
        .collect();
    (words.len() > 1).then(|| words.join(", "))
}

/// `2.45 in use on the machine, 8 for the server: sessions 1.20, …; busiest process (sessions): 98 % of one`.
fn processors(processes: &ObservedProcesses) -> String {
    let users = used_by(processes);
    let users: Vec<String> = users.iter().map(|(who, cpus)| format!("{who} {cpus:.2}")).collect();
    let users = if users.is_empty() { String::new() } else { format!(": {}", users.join(", ")) };
    let mut text = format!(
        "{:.2} in use on the machine, {} for the server{users}",
        processes.in_use(),
        count(processes.allowed_cpus)
    );
    let others = processes.others_by_name();
    if !others.is_empty() {
        text += &format!("; programs beside it: {others}");
    }
    if let Some(quota) = processes.quota_cpus {
        text += &format!("; quota {}", count(quota));
        if let Some(share) = processes.throttled_share.filter(|share| *share > 0.0) {
            text += &format!(", stopped in {} of its periods", percent(share));
        }
    }
    let waiting: Vec<f64> = processes.classes.iter().filter_map(|class| class.run_queue).collect();
    let queue: f64 = waiting.iter().sum();
    if queue >= 0.005 {
        text += &format!("; {queue:.2} processes waiting for a CPU");
    }
    if let Some(hot) = &processes.hot {
        text += &format!("; busiest process ({}): {} of one", hot.class.words(), percent(hot.cpus));
    }
    text
}

/// `1 timed, 2 requested; blocks written: checkpointer 5.00 k (80 %), …`.
fn checkpoints(seen: &Observation) -> Option<String> {
    let counted = &seen.counted;
    let begun =
        [(counted.checkpoints_timed, "timed"), (counted.checkpoints_requested, "requested")];
    let begun: Vec<String> =
        begun.into_iter().filter_map(|(n, how)| Some(format!("{} {how}", count(n?)))).collect();
    let by: Vec<String> = written_by(seen)
        .iter()
        .map(|part| format!("{} {} ({})", part.name, count(part.value), percent(part.share)))
        .collect();
    let by = (!by.is_empty()).then(|| format!("blocks written: {}", by.join(", ")));
    let known: Vec<String> =
        (!begun.is_empty()).then(|| begun.join(", ")).into_iter().chain(by).collect();
    (!known.is_empty()).then(|| known.join("; "))
}

fn temporary(seen: &Observation, units: Units) -> Option<String> {
    let files = seen.counted.temp_files.filter(|n| *n > 0.0)?;
    let bytes = seen.counted.temp_bytes.map_or(String::new(), |bytes| {
        let per_s = seen.per_s(Some(bytes)).map(|per_s| format!(" ({})", units.bytes_per_s(per_s)));
        format!(", {}{}", units.bytes(bytes), per_s.unwrap_or_default())
    });
    Some(format!("{}{bytes}", count(files)))
}
