//! The verdict in sentences, each with its figures.

use narrows_model::{Grade, LiveBound, LiveLog, LiveModel, LiveVerdict, LiveWaitKind};
use narrows_units::{Nanos, Ratio, significant};

use super::bound::STATES_AGREE;
use super::groups::{Groups, Place};
use super::model;

/// Beyond this factor of the law the device doesn't explain the wait.
const APART: f64 = 2.0;
/// Parts below this share of the wait are not worth a word.
const WORTH_A_WORD: f64 = 0.02;

pub(super) fn sentences(log: &LiveLog, groups: &Groups, verdict: &LiveVerdict) -> Vec<String> {
    if verdict.bound == LiveBound::Idle {
        let writers =
            log.counted.writers.map_or("An unknown number of".to_string(), |n| significant(n, 3));
        let seconds = significant(log.counted.interval_ns / 1e9, 3);
        return vec![format!(
            "{writers} transactions wrote in {seconds} s: too few to say what a commit costs."
        )];
    }
    let mut said = Vec::new();
    said.extend(settings(log));
    said.extend(wait(groups, verdict));
    said.extend(flushes(log, verdict));
    if let Some(model) = &verdict.model {
        said.extend(law(groups, log, model));
    }
    said.extend(share(log, groups, verdict));
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
    } else if log.is_set("synchronous_commit", "off") {
        said.push(
            "synchronous_commit is off: commits return before they are durable, and a crash loses the last of them."
                .to_string(),
        );
    }
    if !log.synchronous_commit_of.is_empty() {
        said.push(format!(
            "synchronous_commit differs for {}.",
            log.synchronous_commit_of.join(", ")
        ));
    }
    said
}

/// `A transaction that writes waits 1.21 ms for the log: 0.80 ms behind another's flush, 0.41 ms in its own flush.`
fn wait(groups: &Groups, verdict: &LiveVerdict) -> Option<String> {
    let wait_ns = verdict.wait_ns.filter(|_| groups.known)?;
    if wait_ns <= 0.0 {
        return Some("No session was ever found waiting for the log.".to_string());
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
        "A transaction that writes waits {} for the log: {}.",
        time(wait_ns),
        parts.join(", ")
    ))
}

/// `2.1 commits share a flush, which takes 1.05 ms (counted); one is under way 85 % of the time.`
fn flushes(log: &LiveLog, verdict: &LiveVerdict) -> Option<String> {
    let durable = log.counted.durable(log.sync_method()).filter(|durable| *durable > 0.0);
    let shared = durable.zip(log.counted.writers).map(|(durable, writers)| {
        let shared = writers / durable;
        if shared < 1.0 {
            format!("{} flushes for each commit", significant(1.0 / shared, 2))
        } else {
            format!("{} commits share a flush", significant(shared, 2))
        }
    });
    let takes = verdict.model.as_ref().map(|model| {
        format!("a flush with its write takes {} ({})", time(model.flush_ns), model.from)
    });
    let busy = verdict.busy.map(|busy| format!("one is under way {} of the time", Ratio(busy)));
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

/// The law beside what was found.
fn law(groups: &Groups, log: &LiveLog, model: &LiveModel) -> Option<String> {
    let rate = log.counted.per_s(log.counted.writers).filter(|rate| *rate > 0.0)?;
    let wait_ns = groups.known.then(|| groups.mean(Place::Device) / rate * 1e9)?;
    let range = format!("{} to {}", time(model.low_ns), time(model.high_ns));
    let against = format!("flush times alone make it 1 to 1.5 flushes, {range}");
    Some(if wait_ns > APART * model.high_ns {
        format!(
            "At the device it waits {}, and {against}: the rest passes on processors and in wake-ups, which no faster \
             device shortens.",
            time(wait_ns)
        )
    } else if wait_ns * APART < model.low_ns {
        format!(
            "At the device it waits {}, and {against}: many don't wait, because synchronous_commit is off for them or \
             the log writer was there first.",
            time(wait_ns)
        )
    } else {
        format!("At the device it waits {}; {against}.", time(wait_ns))
    })
}

/// What that is of the time at work, and what takes the rest.
fn share(log: &LiveLog, groups: &Groups, verdict: &LiveVerdict) -> Option<String> {
    let share = verdict.share?;
    let gain = match verdict.gain_at_most {
        Some(gain) if gain < 1.0 => {
            format!("without it they could do at most {} more", Ratio(gain))
        }
        Some(gain) => format!(
            "without it something else would bound them, at × {} at the latest",
            significant(1.0 + gain, 2)
        ),
        None => "without it something else would bound them".to_string(),
    };
    let mut text = format!(
        "That is {} of the time of {} sessions at work; {gain}",
        Ratio(share),
        significant(groups.active(), 2)
    );
    if verdict.bound == LiveBound::NotTheLog {
        let running = log.waits.of(LiveWaitKind::Running).unwrap_or(0.0);
        text += &format!(". {} of them run or are ready to", significant(running, 2));
        let others: Vec<String> = log
            .waits
            .elsewhere
            .iter()
            .map(|(name, n)| format!("{} wait for {name}", significant(*n, 2)))
            .collect();
        if !others.is_empty() {
            text += &format!(", {}", others.join(", "));
        }
    }
    Some(format!("{text}."))
}

/// Why it is OPEN.
fn doubt(log: &LiveLog, groups: &Groups, verdict: &LiveVerdict) -> Option<String> {
    if verdict.grade != Grade::Open {
        return None;
    }
    if !groups.known {
        return Some(
            "What sessions wait for could not be seen, so what bounds them is open.".into(),
        );
    }
    if let Some(ratio) = model::seen_over_counted(log)
        && !(1.0 / STATES_AGREE..=STATES_AGREE).contains(&ratio)
    {
        return Some(format!(
            "Sessions were found at the log × {} as often as the server's own times say, so that what they were found \
             waiting for can't be trusted.",
            significant(ratio, 2)
        ));
    }
    if verdict.share.is_none() {
        return Some("No session was found at work, so what bounds them is open.".into());
    }
    let Some(interval) = groups.share_interval() else {
        return Some("Too few windows tell how much of it is chance; look for longer.".into());
    };
    let [first, second, _] = groups.ranked();
    Some(if verdict.share >= Some(0.1) && !groups.told_apart(first, second) {
        format!("{} and {} are not told apart by these windows.", first.words(), second.words())
    } else {
        format!(
            "The log's share is {} to {} in these windows, which leaves it open.",
            Ratio(interval.low),
            Ratio(interval.high)
        )
    })
}
