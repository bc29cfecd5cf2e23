//! The verdict in sentences, each with its figures.

use narrows_model::{LiveBound, LiveLog, LiveModel, LiveVerdict};
use narrows_units::{Nanos, Ratio, significant};

use super::cpus::{self, BesideSessions};
use super::doubt::doubt;
use super::groups::{Groups, LogBottleneck};
use super::share::share;
use crate::lock_holders;

/// Beyond this factor of the law the device doesn't explain the wait.
const APART: f64 = 2.0;
/// Parts below this share of the wait are not worth a word.
const WORTH_A_WORD: f64 = 0.02;

pub(super) fn sentences(log: &LiveLog, groups: &Groups, verdict: &LiveVerdict) -> Vec<String> {
    if verdict.bound == LiveBound::Idle {
        let writers =
            log.counted.wrote().map_or("An unknown number of".to_string(), |n| significant(n, 3));
        let seconds = significant(log.counted.interval_ns / 1e9, 3);
        return vec![format!(
            "{writers} transactions wrote in {seconds} s: too few to say what a commit costs."
        )];
    }
    let mut said = Vec::new();
    said.extend(settings(log));
    said.extend(unanswered(log));
    said.extend(ids(log));
    said.extend(wait(groups, verdict));
    said.extend(flushes(log, verdict));
    if let Some(model) = &verdict.model {
        said.extend(law(groups, log, model));
    }
    said.extend(share(log, groups, verdict));
    said.extend(processors(log, groups));
    said.extend(log.waits.holders.and_then(lock_holders::sentence));
    said.extend(doubt(log, groups, verdict));
    said
}

fn time(ns: f64) -> String {
    Nanos(ns.max(0.0).round() as u64).to_string()
}

/// What the settings say before anything is looked at.
fn settings(log: &LiveLog) -> Vec<String> {
    let mut said = Vec::new();
    if log.is_set("fsync", "off") {
        said.push(
            "fsync is off: nothing is flushed, and a crash of the machine can destroy the whole database."
                .to_string(),
        );
    } else if log.is_set_for_all("synchronous_commit", "off") {
        said.push(
            "synchronous_commit is off: commits return before they are durable, and a crash loses the last of them."
                .to_string(),
        );
    }
    if let Some(ours) = log.setting("synchronous_commit").filter(|setting| setting.is_ours()) {
        said.push(format!(
            "synchronous_commit is {} for narrows' session (source: {}), which says nothing about others.",
            ours.value, ours.source
        ));
    }
    if !log.synchronous_commit_of.is_empty() {
        said.push(format!(
            "synchronous_commit differs for {}.",
            log.synchronous_commit_of.join(", ")
        ));
    }
    said
}

/// What was asked in vain.
fn unanswered(log: &LiveLog) -> Option<String> {
    let cost = &log.cost;
    let questions = match cost.unanswered {
        0 => return None,
        1 => "1 question was".to_string(),
        n => format!("{n} samples were"),
    };
    Some(format!(
        "{questions} not answered; for {} what sessions did was not seen.",
        time(cost.unanswered_ns)
    ))
}

/// Where ids given out are no measure of commits.
fn ids(log: &LiveLog) -> Option<String> {
    let ratio = log.counted.ids_per_commit()?;
    Some(format!(
        "{} transaction ids were used per commit: savepoints, exception blocks and rollbacks use some. Figures are per commit, read-only ones among them, so a commit that wrote waits at least that long.",
        significant(ratio, 3)
    ))
}

/// `A transaction that writes waits 1.21 ms for WAL: 0.80 ms behind another's flush, 0.41 ms in its own flush.`
fn wait(groups: &Groups, verdict: &LiveVerdict) -> Option<String> {
    let wait_ns = verdict.wait_ns.filter(|_| groups.known)?;
    if wait_ns <= 0.0 {
        return Some("No session was ever seen waiting for WAL.".to_string());
    }
    let mut parts: Vec<_> = verdict
        .parts
        .iter()
        .filter(|p| p.kind.is_log() && p.per_commit_ns > WORTH_A_WORD * wait_ns)
        .collect();
    parts.sort_by(|a, b| b.per_commit_ns.total_cmp(&a.per_commit_ns));
    let parts: Vec<String> =
        parts.iter().map(|p| format!("{} {}", time(p.per_commit_ns), p.kind.words())).collect();
    Some(format!(
        "A transaction that writes waits {} for WAL: {}.",
        time(wait_ns),
        parts.join(", ")
    ))
}

/// `2.1 commits share a flush, which takes 1.05 ms (counted); one is under way 85 % of the time.`
fn flushes(log: &LiveLog, verdict: &LiveVerdict) -> Option<String> {
    let durable = log.counted.durable(log.sync_method()).filter(|durable| *durable > 0.0);
    let shared = durable.zip(log.counted.wrote()).map(|(durable, wrote)| {
        let shared = wrote / durable;
        if shared < 1.0 {
            format!("{} flushes per commit", significant(1.0 / shared, 2))
        } else {
            format!("{} commits share a flush", significant(shared, 2))
        }
    });
    let takes = verdict.model.as_ref().map(|model| {
        format!("a flush with its write takes {} ({})", time(model.flush_ns), model.from)
    });
    let busy = verdict.busy.map(|busy| format!("one is running {} of the time", Ratio(busy)));
    let mut parts: Vec<String> = [shared, takes, busy].into_iter().flatten().collect();
    if verdict.bound == LiveBound::FlushBusy
        && let Some(model) = verdict.model.as_ref().filter(|model| model.flush_ns > 0.0)
    {
        let most = significant(1e9 / model.flush_ns, 3);
        parts.push(format!("no more than {most} of them fit into a second"));
    }
    let mut text = parts.join("; ");
    let first = text.chars().next()?;
    text.replace_range(..first.len_utf8(), &first.to_uppercase().to_string());
    Some(format!("{text}."))
}

/// `The server uses 1.2 of the 1.9 CPUs that it could use (64 %).`
fn processors(log: &LiveLog, groups: &Groups) -> Option<String> {
    let limit = cpus::limit(log, groups)?;
    let cpus = log.cpus.as_ref()?;
    let full = match limit.beside_sessions {
        BesideSessions::Lower => ": they are full, and their limit is the lowest",
        _ => "",
    };
    Some(format!(
        "The server uses {} of the {} CPUs that it could use ({}){full}.",
        significant(cpus.used, 2),
        significant(cpus.available, 2),
        Ratio(limit.busy)
    ))
}

/// The law beside what was found.
fn law(groups: &Groups, log: &LiveLog, model: &LiveModel) -> Option<String> {
    let rate = log.counted.per_s(log.counted.wrote()).filter(|rate| *rate > 0.0)?;
    let wait_ns = groups.known.then(|| groups.mean(LogBottleneck::Device) / rate * 1e9)?;
    let range = format!("{} to {}", time(model.low_ns), time(model.high_ns));
    let against = format!("expected are 1 to 1.5 flushes, {range}");
    Some(if wait_ns > APART * model.high_ns {
        format!(
            "Its writes and flushes and those ahead of it take {}; {against}: the rest is spent on CPUs and in wake-ups, which no faster device shortens.",
            time(wait_ns)
        )
    } else if wait_ns * APART < model.low_ns {
        format!(
            "Its writes and flushes and those ahead of it take {}; {against}: some may not wait, because synchronous_commit is off for them or the WAL writer was first, or ids were used by savepoints and rollbacks, which wait for nothing.",
            time(wait_ns)
        )
    } else {
        format!("Its writes and flushes and those ahead of it take {}; {against}.", time(wait_ns))
    })
}
