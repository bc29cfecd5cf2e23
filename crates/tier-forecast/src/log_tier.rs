//! A log tier: commits that wait for a faster medium.
//!
//! What a commit waits is taken apart by what a flush explains of it. A commit waits for its own flush, and for the rest of the one under
//! way: for two at most. So much of the wait changes as the flush does; what it waits beyond that (posts, wake-ups, queues for CPUs) stays.
//! That is the forecast. At the least a commit waits for its own flush alone; at the most everything but its own flush stays. What the
//! server adds to a flush of its device is taken to change with it, or to stay, in the same way.

use narrows_cost::{Expr, Range};
use narrows_units::{Ratio, significant};
use narrows_verdict::threshold::{NOT_WORTH_A_WORD, SLOWER_INSIDE};

use crate::answer::{Forecast, GainLimit, Tier};
use crate::destage;
use crate::given::{LogNow, LogTier, Refused};
use crate::lines::{Lines, of};
use crate::log_answer::{locks_share, no_next, rows, time, unknown};
use crate::loops::{Limits, Loop, contradiction, law};

/// A commit waits for so many flushes at most: the rest of one, and its own.
const FLUSHES: f64 = 2.0;

/// Lines of what is known now.
struct Now {
    rate: Expr,
    sessions: Expr,
    commits: Expr,
    wait: Expr,
    flush: Expr,
    device: Option<Expr>,
    cpu: Option<(Expr, Expr)>,
    /// CPU time of one that it takes less where no commit waits for a flush.
    spared: Option<Expr>,
    locks: Option<Expr>,
}

/// A figure in three cases.
struct LeastToMost {
    is: Expr,
    least: Expr,
    most: Expr,
}

/// A flush with the tier, and how much longer the device's own is now, as (now, then).
struct Flush {
    three: LeastToMost,
    device: (Expr, Expr),
}

/// Forecasts it.
///
/// # Errors
/// Figures of now that contradict each other.
pub fn log_tier(now: &LogNow, tier: &LogTier) -> Result<Forecast, Refused> {
    let wait_us = now.commit_wait_us.value.zip(now.commits.value).map(|(wait, n)| Range {
        value: wait.value * n.value,
        low: wait.low * n.low,
        high: wait.high * n.high,
    });
    contradiction(&now.rate_per_s, &now.sessions, wait_us, (&now.cpu_us, &now.cpus), &now.unit)?;
    let mut lines = Lines::new();
    let known = known(&mut lines, now);
    let flush = flushes(&mut lines, &known, tier);
    let wait = waits(&mut lines, &known, &flush.three);
    let mut doubts = now.doubts.clone();
    doubts.extend(said(now, tier, &lines, &known));
    let rates = rates(&mut lines, (&known, now), (&flush, &wait), &mut doubts);
    let destaged = destage::add(&mut lines, &rates.carried(&known), now, tier);
    let next = rates.next.clone().unwrap_or_else(|| no_next(now));
    let lines = lines.finished();
    Ok(Forecast {
        tier: Tier::Log,
        from: now.from.clone(),
        rows: rows(&lines, now),
        next,
        time: time(&lines, now),
        destaging: destage::sentences(&lines, destaged),
        pool: None,
        unknown: unknown(now, tier),
        doubts,
        lines,
    })
}

fn known(lines: &mut Lines, now: &LogNow) -> Now {
    let unit = &now.unit;
    let rate = lines.given("now.rate", &format!("{unit} now"), "/s", &now.rate_per_s);
    let sessions = lines.given("now.sessions", "sessions", "", &now.sessions);
    let commits = lines.given("now.commits", "commits of one", "", &now.commits);
    let wait =
        lines.given("now.wait", "wait of a commit now (log file sync)", "µs", &now.commit_wait_us);
    let flush =
        lines.given("now.flush", "a flush now (log file parallel write)", "µs", &now.flush_us);
    let device = now
        .device_us
        .as_ref()
        .map(|device| lines.given("now.device", "the same now by one writer alone", "µs", device));
    let cpu = of(&now.cpu_us).and(of(&now.cpus)).map(|_| {
        let cpu = lines.given("now.cpu", "CPU time of one", "µs", &now.cpu_us);
        (cpu, lines.given("now.cpus", "CPUs", "", &now.cpus))
    });
    let spared = cpu.as_ref().zip(now.cpu_unflushed_us.as_ref()).map(|((cpu, _), unflushed)| {
        let title = "CPU time of one where no commit waits for a flush";
        let unflushed = lines.given("now.cpu.unflushed", title, "µs", unflushed);
        let spared = (cpu.clone() - unflushed).at_least(0.0);
        lines.computed("now.cpu.spared", "of its CPU time, at most that is spared", "µs", spared)
    });
    let locks = now.locks_us.as_ref().filter(|locks| of(locks).is_some_and(|us| us > 0.0));
    let locks =
        locks.map(|locks| lines.given("now.locks", "wait of one for locks now", "µs", locks));
    Now { rate, sessions, commits, wait, flush, device, cpu, spared, locks }
}

/// A flush with the tier.
fn flushes(lines: &mut Lines, now: &Now, tier: &LogTier) -> Flush {
    let medium =
        lines.given("tier.medium", "one durable write on the medium", "µs", &tier.medium_us);
    let alone = match &tier.added_us {
        Some(added) => {
            let added = lines.given("tier.added", "what the way to it adds", "µs", added);
            lines.computed("tier.alone", "a flush of the tier alone", "µs", medium + added)
        }
        None => medium,
    };
    let Some(device) = &now.device else {
        let three = LeastToMost { is: alone.clone(), least: alone.clone(), most: alone.clone() };
        return Flush { three, device: (now.flush.clone(), alone) };
    };
    let scaled = now.flush.clone() * alone.clone() / device.clone();
    let title = "a flush with the tier, as much longer than alone as now";
    let scaled = lines.computed("tier.flush.scaled", title, "µs", scaled);
    let stays = (now.flush.clone() - device.clone()).at_least(0.0) + alone.clone();
    let title = "the same if what the server adds to it stays";
    let stays = lines.computed("tier.flush.stays", title, "µs", stays);
    let inside = lines
        .value(&now.flush)
        .zip(lines.value(device))
        .is_some_and(|(flush, device)| flush >= device * SLOWER_INSIDE);
    let ordered = lines.value(&scaled) <= lines.value(&stays);
    let (least, most) = if ordered { (scaled, stays) } else { (stays, scaled) };
    // A flush that is slow inside the server is not made faster there.
    let is = if inside == ordered { most.clone() } else { least.clone() };
    Flush { three: LeastToMost { is, least, most }, device: (device.clone(), alone) }
}

/// The wait of a commit with the tier.
fn waits(lines: &mut Lines, now: &Now, flush: &LeastToMost) -> LeastToMost {
    let (wait, before) = (&now.wait, &now.flush);
    let two = wait.clone().at_most(before.clone() * FLUSHES);
    let two = lines.computed("wait.flushes", "of the wait, flushes: two at most", "µs", two);
    let rest =
        lines.computed("wait.rest", "the rest of the wait", "µs", wait.clone() - two.clone());
    let is = two * flush.is.clone() / before.clone() + rest;
    let is = lines.computed("then.wait", "wait of a commit then", "µs", is);
    let own = wait.clone().at_most(before.clone());
    let own = lines.computed("wait.own", "of the wait, its own flush", "µs", own);
    let alone = |flush: &Expr| own.clone() * flush.clone() / before.clone();
    let beside = wait.clone() - own.clone();
    let faster = lines.value(&flush.most) <= lines.value(before);
    let stays = beside + alone(&flush.most);
    let (least, most) = match faster {
        true => (alone(&flush.least), stays),
        // With a slower medium, what is waited for behind another's flush grows too.
        false => (
            own.clone().at_most(alone(&flush.least)),
            wait.clone() * flush.most.clone() / before.clone(),
        ),
    };
    let least =
        lines.computed("then.wait.least", "at least: its own flush and nothing else", "µs", least);
    let most = lines.computed("then.wait.most", "at most", "µs", most);
    LeastToMost { is, least, most }
}

/// Rates with the tier, where the law gives them.
#[derive(Default)]
struct Rates {
    is: Option<Expr>,
    most: Option<Expr>,
    next: Option<GainLimit>,
}

impl Rates {
    /// What WAL is written at: at most, and expected.
    fn carried(&self, now: &Now) -> destage::Carried {
        let expected = self.is.clone().unwrap_or(now.rate.clone());
        destage::Carried { most: self.most.clone().unwrap_or(expected.clone()), expected }
    }
}

fn rates(
    lines: &mut Lines,
    (now, given): (&Now, &LogNow),
    (flush, wait): (&Flush, &LeastToMost),
    doubts: &mut Vec<String>,
) -> Rates {
    if let Some(why) = &given.no_law {
        doubts.push(format!("no rate is forecast: {why}"));
        return Rates::default();
    }
    if of(&given.sessions).is_none() {
        return of_commits_alone(lines, now, wait);
    }
    let all = Loop { sessions: now.sessions.clone(), cpu: now.cpu.clone(), rate: now.rate.clone() };
    let elsewhere = all.elsewhere(lines);
    let in_commits = now.commits.clone() * now.wait.clone();
    let waiting = in_commits.clone().at_most(elsewhere.clone());
    let waiting = lines.computed("now.waiting", "of it, waits of its commits", "µs", waiting);
    let slower = |lines: &Lines, then: &Expr| lines.value(then) > lines.value(&now.wait);
    let then = |lines: &Lines, wait_then: &Expr| {
        // What waits longer adds all of it, whatever was counted twice before.
        let waiting = if slower(lines, wait_then) { &in_commits } else { &waiting };
        let waits = waiting.clone() * wait_then.clone() / now.wait.clone();
        elsewhere.clone() - waiting.clone() + waits
    };
    let title = "time of one then, without CPU time and waits for CPUs";
    let [is, most] = [&wait.is, &wait.most].map(|wait| then(lines, wait));
    let is = lines.computed("then.elsewhere", title, "µs", is);
    let least = lines.computed("then.elsewhere.most", "at most", "µs", most);
    let most = without_queues(lines, now, (given, &all, &elsewhere), &in_commits, wait);
    let three = &flush.three;
    let free = [
        (("rate.sessions", "what the sessions get through"), &is, &three.is),
        (("rate.sessions.least", "at least"), &least, &three.most),
    ];
    let [is, least] = free.map(|(named, elsewhere, flush)| {
        let rate = all.rate(lines, named, elsewhere);
        no_loss(lines, now, named.0, rate, flush)
    });
    let is = match given.locks_through_commit {
        Some(true) => one_lock(lines, now, &in_commits, wait),
        _ => is,
    };
    let free = [is, least, no_loss(lines, now, "rate.sessions.most", most, &three.is)];
    capped(lines, (now, given), (&all, flush), &free, doubts)
}

/// One after the other, where they wait for a lock that is held until the commit has been flushed: each holds it for less then.
fn one_lock(lines: &mut Lines, now: &Now, in_commits: &Expr, wait: &LeastToMost) -> Expr {
    let held = Expr::Number(1e6) / now.rate.clone();
    let title = "time that the lock is held for one, if it always is";
    let held = lines.computed("now.held", title, "µs", held);
    let commit = in_commits.clone().at_most(held.clone());
    let commit = lines.computed("now.held.commit", "of it, the commit", "µs", commit);
    let then = held - commit.clone() + commit * wait.is.clone() / now.wait.clone();
    let then = lines.computed("then.held", "the same then", "µs", then);
    lines.computed("rate.lock", "one after the other", "/s", Expr::Number(1e6) / then)
}

/// What the sessions get through if nothing queues, and a commit waits for nothing but its own flush.
///
/// Of a run the parts of the time are known without queues, and locks may be held through the commit. Of given figures the time of one is all
/// that is known, with the queues of now in it.
fn without_queues(
    lines: &mut Lines,
    now: &Now,
    (given, all, elsewhere): (&LogNow, &Loop, &Expr),
    in_commits: &Expr,
    wait: &LeastToMost,
) -> Expr {
    let round = match &given.unqueued_us {
        Some(us) => lines.given("now.unqueued", "time of one now without queues", "µs", us),
        None if all.cpu.is_none() => elsewhere.clone(),
        None => {
            let round = all.sessions.clone() * 1e6 / all.rate.clone();
            lines.computed("now.round", "time of one now, with its queues", "µs", round)
        }
    };
    let shrinks = match &now.locks {
        Some(locks) => in_commits.clone() + locks.clone(),
        None => in_commits.clone(),
    };
    let shrinks = shrinks.at_most(round.clone());
    let title = "of it, what may shrink with the commit's wait";
    let shrinks = lines.computed("now.shrinks", title, "µs", shrinks);
    let rest = round - shrinks.clone();
    let rest = match &now.spared {
        Some(spared) => (rest - spared.clone()).at_least(0.0),
        None => rest,
    };
    let least = rest + shrinks * wait.least.clone() / now.wait.clone();
    let title = "time of one then, at least: without queues";
    let least = lines.computed("then.round.least", title, "µs", least);
    let rate = all.sessions.clone() * 1e6 / least;
    lines.computed("rate.sessions.most", "what the sessions get through at most", "/s", rate)
}

/// No rate is lower with a faster flush, also where the law gives a little less than was measured.
fn no_loss(lines: &mut Lines, now: &Now, key: &str, rate: Expr, flush: &Expr) -> Expr {
    let faster = lines.value(flush) <= lines.value(&now.flush);
    let lower = lines.value(&rate) < lines.value(&now.rate);
    if !(faster && lower) {
        return rate;
    }
    let title = "that, and no less than was measured";
    lines.computed(&format!("{key}.measured"), title, "/s", rate.at_least(now.rate.clone()))
}

/// Under the limits, and no gain promised where it may be eaten.
fn capped(
    lines: &mut Lines,
    (now, given): (&Now, &LogNow),
    (all, flush): (&Loop, &Flush),
    free: &[Expr; 3],
    doubts: &mut Vec<String>,
) -> Rates {
    let mut limits = Limits::of(lines, all, &given.limits);
    if let Some(ladder) = &given.ladder_per_s {
        let line = lines.given("now.ladder", "the WAL alone commits now", "/s", ladder);
        let (before, then) = flush.device.clone();
        let line = line / now.commits.clone() * before / then;
        let line = lines.computed("limit.wal", "the WAL alone allows then", "/s", line);
        limits.add(lines, ("WAL alone", "limit.wal"), line, &now.rate);
    }
    let law = law(lines, given.law_off);
    let is = limits.under(lines, ("rate.then", "forecast"), &free[0], &law);
    let most = match (&now.cpu, &now.spared) {
        (Some((cpu, cpus)), Some(spared)) => {
            let line = cpus.clone() * 1e6 / (cpu.clone() - spared.clone());
            let title = "CPUs allow if all of that is spared";
            let line = lines.computed("limit.cpu.spared", title, "/s", line);
            limits.with("CPUs", &line).under(lines, ("rate.then.most", "at most"), &free[2], &law)
        }
        _ => limits.under(lines, ("rate.then.most", "at most"), &free[2], &law),
    };
    let (Some(before), Some(after)) = (lines.value(&now.rate), lines.value(&is)) else {
        return Rates::default();
    };
    let eaten = eaten(lines, given, &limits, (before, after));
    match eaten.is_empty() {
        true => limits.under(lines, ("rate.then.least", "at least"), &free[1], &law),
        false => {
            let floor = now.rate.clone().at_most(free[1].clone()) * law;
            lines.computed("rate.then.least", "at least: no gain", "/s", floor)
        }
    };
    if given.limits.is_empty() && all.cpu.is_some() {
        doubts.push(
            "of limits other than CPUs (reads, locks, one process) nothing is given".to_string(),
        );
    }
    doubts.extend(eaten);
    let mut next = limits.next(lines, before, after, &given.unit);
    if given.asked {
        next.sentence = format!("what clients ask for: they choose the rate. {}", next.sentence);
    }
    // What clients ask for is what is written.
    let is = if given.asked { now.rate.clone() } else { is };
    Rates { is: Some(is), most: Some(most), next: Some(next) }
}

/// Why queues that nobody predicts may eat the gain.
fn eaten(
    lines: &Lines,
    given: &LogNow,
    limits: &Limits,
    (before, after): (f64, f64),
) -> Vec<String> {
    let mut why = Vec::new();
    if after <= before {
        return why;
    }
    if given.limits.is_empty() && of(&given.cpu_us).and(of(&given.cpus)).is_none() {
        why.push(
            "no limit is known, so that no gain is promised: what is full next may stop it anywhere"
                .to_string(),
        );
    }
    let busy = limits.half_busy(lines, after);
    if !busy.is_empty() {
        why.push(format!(
            "at that rate more than half of this is used, and its queue is not predicted: {}",
            busy.join(", ")
        ));
    }
    // A queue that is small beside slow commits is none beside fast ones.
    let grows = |share: &f64| share * after / before >= NOT_WORTH_A_WORD;
    if let Some(share) = locks_share(given).filter(grows) {
        let share = Ratio(share);
        why.push(match given.locks_through_commit {
            Some(true) => format!(
                "{share} of the time is waiting for locks that are held through the commit: one lock is taken, which somebody always holds"
            ),
            _ => format!(
                "{share} of the time is waiting for locks: where they are held through the commit the wait shrinks with it, and where they are not their queue grows"
            ),
        });
    }
    why
}

/// Without the number of sessions, what is known is what waits for commits alone: it gains all, anything else less.
fn of_commits_alone(lines: &mut Lines, now: &Now, wait: &LeastToMost) -> Rates {
    let waiting = now.rate.clone() * now.commits.clone() * now.wait.clone() / 1e6;
    lines.computed("now.in_commit", "sessions in a commit now (Little's law)", "", waiting);
    let most = now.rate.clone() * now.wait.clone() / wait.least.clone();
    let most =
        lines.computed("rate.then.most", "at most, if sessions did nothing but commit", "/s", most);
    // With a slower medium it is a loss.
    let slower = now.rate.clone() * now.wait.clone() / wait.most.clone();
    let least = now.rate.clone().at_most(slower);
    lines.computed("rate.then.least", "at least: no gain", "/s", least);
    Rates { is: None, most: Some(most), next: None }
}

/// What the forecast rests on.
fn said(now: &LogNow, tier: &LogTier, lines: &Lines, known: &Now) -> Vec<String> {
    let mut all = Vec::new();
    let value = |expr: &Expr| lines.value(expr);
    let waits = value(&known.wait).zip(value(&known.flush));
    match waits.map(|(wait, flush)| wait / flush) {
        Some(ratio) if ratio < 1.0 => all.push(
            "a commit waits less than a flush takes: some commits wait for no flush, so both figures may be of different commits"
                .to_string(),
        ),
        Some(ratio) if ratio > FLUSHES => all.push(format!(
            "a commit waits for {} flushes, and group commit explains {FLUSHES:.0} at most: the rest is CPU time, posts or a queue that a faster medium may not shorten",
            significant(ratio, 3)
        )),
        _ => {}
    }
    if tier.added_us.is_none() {
        all.push(
            "no way to the medium is counted: over a network it adds its own time (--added)"
                .to_string(),
        );
    }
    if now.device_us.is_none() {
        all.push("a flush of the server is taken to be its device's alone".to_string());
    }
    all.push(
        "it says nothing of what survives: what the tier acknowledges is as durable as its medium"
            .to_string(),
    );
    all
}
