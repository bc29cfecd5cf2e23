//! What a log tier's forecast says, taken out of its lines: the table, where the time goes, what is unknown.

use narrows_cost::CostLine;
use narrows_verdict::threshold::SLOWER_INSIDE;

use crate::answer::{Better, GainLimit, OffOn, Share, Unit, Unknown};
use crate::given::{LogNow, LogTier};
use crate::lines::{high, low, of, value};

/// Of the time of one, waiting for locks from which on the rate depends on what they are held for. Judgement.
pub(crate) const LOCKS_DECIDE: f64 = 0.1;

/// Of the time of one, waiting for locks.
pub(crate) fn locks_share(given: &LogNow) -> Option<f64> {
    let round_us = of(&given.sessions)? / of(&given.rate_per_s)? * 1e6;
    Some(of(given.locks_us.as_ref()?)? / round_us)
}

/// Whether the forecast would be of locks more than of the log: nobody knows whether they are held through the commit.
pub(crate) fn locks_decide(given: &LogNow) -> bool {
    // Clients that choose the rate don't ask for more of it.
    !given.asked
        && given.locks_through_commit.is_none()
        && locks_share(given).is_some_and(|share| share >= LOCKS_DECIDE)
}

pub(crate) fn no_next(now: &LogNow) -> GainLimit {
    let sentence = match now.no_law {
        Some(_) => "unknown: the law does not describe this server".to_string(),
        None => "unknown: it takes the number of sessions".to_string(),
    };
    GainLimit { limit: None, per_s: None, times_at_most: None, reached: false, sentence }
}

pub(crate) fn rows(lines: &[CostLine], now: &LogNow) -> Vec<OffOn> {
    let (least, most) = (low(lines, "rate.then.least"), high(lines, "rate.then.most"));
    let open = value(lines, "rate.then").is_some() && lacks_a_limit(now);
    let forecast = value(lines, "rate.then").filter(|_| !locks_decide(now));
    let rate = OffOn {
        name: format!("{}/s", now.unit),
        unit: Unit::PerS,
        better: Better::More,
        off: of(&now.rate_per_s),
        on: if now.asked { forecast.and(of(&now.rate_per_s)) } else { forecast },
        on_low: if now.asked { forecast.and(of(&now.rate_per_s)) } else { least },
        on_high: most,
        condition: match (now.asked, open) {
            (true, _) => Some("clients choose the rate".to_string()),
            (_, true) => Some("if nothing else binds".to_string()),
            _ => None,
        },
    };
    let time = |name: &str, off: Option<f64>, keys: [&str; 3]| OffOn {
        name: name.to_string(),
        unit: Unit::Us,
        better: Better::Less,
        off,
        on: value(lines, keys[0]),
        on_low: low(lines, keys[1]),
        on_high: high(lines, keys[2]),
        condition: None,
    };
    let flush = flush_keys(lines);
    let mut rows = vec![
        rate,
        time(
            "log file sync",
            of(&now.commit_wait_us),
            ["then.wait", "then.wait.least", "then.wait.most"],
        ),
        time("log file parallel write", of(&now.flush_us), flush),
    ];
    rows.extend(time_at_this_rate(lines, now));
    rows
}

/// What one takes, where clients choose the rate: that is what gets shorter then.
fn time_at_this_rate(lines: &[CostLine], now: &LogNow) -> Option<OffOn> {
    let round = of(&now.sessions).filter(|_| now.asked)? / of(&now.rate_per_s)? * 1e6;
    let elsewhere = value(lines, "now.elsewhere")?;
    let less = |us: Option<f64>| us.map(|us| (round - elsewhere + us).max(0.0));
    Some(OffOn {
        name: "time of one, at this rate".to_string(),
        unit: Unit::Us,
        better: Better::Less,
        off: Some(round),
        on: less(value(lines, "then.elsewhere")),
        on_low: low(lines, "then.round.least"),
        on_high: less(high(lines, "then.elsewhere.most")),
        condition: None,
    })
}

/// The lines of a flush with the tier: as expected, at least, at most.
fn flush_keys(lines: &[CostLine]) -> [&'static str; 3] {
    let of = |key| value(lines, key);
    let alone = if of("tier.alone").is_some() { "tier.alone" } else { "tier.medium" };
    let (Some(scaled), Some(stays)) = (of("tier.flush.scaled"), of("tier.flush.stays")) else {
        return [alone; 3];
    };
    let inside = of("now.flush")
        .zip(of("now.device"))
        .is_some_and(|(flush, device)| flush >= device * SLOWER_INSIDE);
    let is = if inside { "tier.flush.stays" } else { "tier.flush.scaled" };
    match scaled <= stays {
        true => [is, "tier.flush.scaled", "tier.flush.stays"],
        false => [is, "tier.flush.stays", "tier.flush.scaled"],
    }
}

fn lacks_a_limit(now: &LogNow) -> bool {
    now.limits.is_empty() && of(&now.cpu_us).and(of(&now.cpus)).is_none()
}

/// Parts of an operation's time at the forecast rate.
pub(crate) fn time(lines: &[CostLine], now: &LogNow) -> Vec<Share> {
    let of_line = |key| value(lines, key);
    let all = of(&now.sessions).zip(of_line("rate.then")).map(|(n, rate)| n / rate * 1e6);
    let elsewhere = of_line("then.elsewhere");
    let (Some(all), Some(elsewhere), false) = (all, elsewhere, now.asked || locks_decide(now))
    else {
        return Vec::new();
    };
    let waiting = of_line("now.waiting").zip(of_line("then.wait")).zip(of_line("now.wait"));
    let Some(((waiting, then), before)) = waiting else { return Vec::new() };
    let commit = waiting * then / before;
    let cpu = of(&now.cpu_us).filter(|_| of(&now.cpus).is_some());
    let mut parts = vec![("commit wait", commit), ("elsewhere", elsewhere - commit)];
    if let Some(cpu) = cpu {
        parts.extend([("CPU", cpu), ("queues", (all - elsewhere - cpu).max(0.0))]);
    }
    let parts = parts.into_iter().filter(|(_, us)| *us > all * 0.005);
    parts.map(|(name, us)| Share { name: name.to_string(), us, share: us / all }).collect()
}

pub(crate) fn unknown(now: &LogNow, tier: &LogTier) -> Vec<Unknown> {
    let figures = [
        (&now.rate_per_s, "rate now", "a rate", "--rate"),
        (&now.commit_wait_us, "commit wait now", "commit wait and rate", "--commit-wait"),
        (&now.flush_us, "flush now", "commit wait and rate", "--flush"),
        (&tier.medium_us, "flush of the medium", "everything", "--medium-flush, or --medium RUN"),
        (&now.sessions, "sessions", "a rate", "--sessions"),
        (&now.cpu_us, "CPU time of one", "what binds next", "--cpu-per-transaction"),
        (&now.cpus, "CPUs", "what binds next", "--cpus"),
        (&now.wal_bytes, "WAL of one", "destaging", "--wal-per-transaction"),
        (
            &tier.backing_bytes_per_s,
            "backing's sequential writes",
            "whether destaging keeps up",
            "--backing",
        ),
        (
            &tier.size_bytes,
            "size of the log tier",
            "how long it absorbs more than the backing takes",
            "--log-size",
        ),
    ];
    // Who did not ask about destaging is told of it once.
    let destaging = of(&now.wal_bytes).is_some() || of(&tier.backing_bytes_per_s).is_some();
    let asked = |hint: &str| destaging || !["--backing", "--log-size"].contains(&hint);
    let absent =
        figures.into_iter().filter(|(given, .., hint)| given.value.is_none() && asked(hint));
    let locks = locks_decide(now).then(|| Unknown {
        what: "what locks are held for".to_string(),
        gives: "a rate".to_string(),
        hint: "narrows db and narrows run test it (synchronous_commit=off)".to_string(),
    });
    absent
        .map(|(_, what, gives, hint)| Unknown {
            what: what.to_string(),
            gives: gives.to_string(),
            hint: hint.to_string(),
        })
        .chain(locks)
        .collect()
}
