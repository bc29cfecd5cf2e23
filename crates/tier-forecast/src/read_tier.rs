//! A read cache tier: reads that find their block in a faster medium.
//!
//! A read takes what the tier takes where it has the block, and what it takes now where it has not. What a session waits less for reads it
//! spends on everything else sooner. How long a commit waits does not follow from any of it.

use narrows_cost::{Basis, CostLine, Expr, Given, Range};
use narrows_units::{Bytes, Ratio, significant};
use narrows_verdict::threshold::NOT_WORTH_A_WORD;

use crate::answer::{Better, Forecast, GainLimit, OffOn, Share, Tier, Unit, Unknown};
use crate::given::{ReadNow, ReadTier, Refused};
use crate::lines::{Lines, US, high, low, of, value};
use crate::log_answer::LOCKS_DECIDE;
use crate::loops::{HALF_BUSY, Limits, Loop, contradiction, law};
use crate::miss_queue::{ReadsNow, ReadsThen, mean_read};
use crate::pool_reads::{PoolReads, pool_reads};

/// A part of a read that is no smaller than what arithmetic adds.
const ROUNDING: f64 = 1e-3;

/// Lines of what is known now.
struct Now {
    rate: Expr,
    sessions: Expr,
    read: Expr,
    /// One session's, where it says how the others queue.
    alone: Option<Expr>,
    cpu: Option<(Expr, Expr)>,
}

/// The mean read with the tier: where its share of hits is known, and if it served all.
struct Read {
    is: Option<Expr>,
    least: Expr,
}

/// Forecasts it.
///
/// # Errors
/// Figures of now that contradict each other; a curve that does not reach down to the size.
pub fn read_tier(now: &ReadNow, tier: &ReadTier) -> Result<Forecast, Refused> {
    let cpu = (&now.cpu_us, &now.cpus);
    contradiction(&now.rate_per_s, &now.sessions, now.read_us.value, cpu, "reads")?;
    let pool = pool(tier)?;
    let missed = match &pool {
        Some(pool) => Some(by_pool(pool)),
        None => missed(tier)?,
    };
    let mut lines = Lines::new();
    let known = known(&mut lines, now);
    let read = reads(&mut lines, &known, tier, missed);
    let mut doubts = now.doubts.clone();
    doubts.extend(pool.iter().flat_map(of_pool));
    doubts.extend(said(now, tier, read.is.is_some()));
    let next = rates(&mut lines, (&known, now), &read, &mut doubts);
    bytes(&mut lines, now);
    let lines = lines.finished();
    Ok(Forecast {
        tier: Tier::ReadCache,
        from: now.from.clone(),
        rows: rows(&lines, now),
        next,
        time: time(&lines, now),
        destaging: Vec::new(),
        unknown: unknown(now, tier, pool.is_some()),
        pool,
        doubts,
        lines,
    })
}

/// The reads by relation, where the server's pool was looked at.
fn pool(tier: &ReadTier) -> Result<Option<PoolReads>, Refused> {
    let both = tier.pool.as_ref().zip(of(&tier.size_bytes)).filter(|_| tier.hits.is_none());
    both.map(|(pool, size)| pool_reads(pool, size)).transpose()
}

fn by_pool(pool: &PoolReads) -> Given {
    let source = format!("{}: LRU, reads spread evenly in each relation", pool.from);
    Given::of(Some(pool.missed()), Basis::Described, source)
}

/// What a share of hits by the pool rests on.
fn of_pool(pool: &PoolReads) -> Vec<String> {
    let mut all = vec![
        "grade C: the share of hits rests on an assumption, that each relation's reads are spread evenly over those of its blocks that the pool does not keep: a hot part within a relation gives more, scans of more than fits give less; least and most hold without it, where the tier takes over what is written".to_string(),
        "reads are the server's: what of them the kernel's page cache served never reaches storage; sizes are those of the last VACUUM or ANALYZE, or what the pool shows to be larger".to_string(),
    ];
    if pool.elsewhere > 0.0 {
        all.push(format!(
            "{} of the reads are of other databases or of relations that are gone, and count as missed",
            Ratio(pool.elsewhere / pool.reads)
        ));
    }
    all
}

/// The share of reads that it misses, by the curve or by what is given.
fn missed(tier: &ReadTier) -> Result<Option<Given>, Refused> {
    if let Some(hits) = &tier.hits {
        let miss = hits.value.map(|range| Range {
            value: 1.0 - range.value,
            low: 1.0 - range.high,
            high: 1.0 - range.low,
        });
        return Ok(Some(Given { value: miss, ..hits.clone() }));
    }
    let (Some(curve), Some(size)) = (&tier.curve, of(&tier.size_bytes)) else { return Ok(None) };
    match curve.miss(size) {
        Some(miss) => Ok(Some(Given::of(Some(miss), Basis::Measured, curve.from.clone()))),
        None => Err(Refused::new(
            format!(
                "{}: its smallest cache is {}, and the tier has {}",
                curve.from,
                curve.smallest(),
                Bytes(size as u64).iec()
            ),
            "measure the curve at smaller sizes, or give --hits",
        )),
    }
}

fn known(lines: &mut Lines, now: &ReadNow) -> Now {
    let rate = lines.given("now.rate", "reads now", "/s", &now.rate_per_s);
    let sessions = lines.given("now.sessions", "sessions", "", &now.sessions);
    let read = lines.given("now.read", "a single-block read now", "µs", &now.read_us);
    let alone = queues(now)
        .map(|alone| lines.given("now.alone", "the same by one session alone", "µs", alone));
    let cpu = of(&now.cpu_us).and(of(&now.cpus)).map(|_| {
        let cpu = lines.given("now.cpu", "CPU time for each read", "µs", &now.cpu_us);
        (cpu, lines.given("now.cpus", "CPUs", "", &now.cpus))
    });
    Now { rate, sessions, read, alone, cpu }
}

/// A read of one session alone, where the sessions' queue at storage follows from it: where they are known, and choose their rate themselves.
fn queues(now: &ReadNow) -> Option<&Given> {
    let alone = now.alone_us.as_ref().filter(|alone| of(alone).is_some())?;
    let known = of(&now.sessions).and(of(&now.rate_per_s)).and(of(&now.read_us)).is_some();
    (known && !now.asked && now.no_law.is_none()).then_some(alone)
}

fn reads(lines: &mut Lines, now: &Now, tier: &ReadTier, missed: Option<Given>) -> Read {
    if of(&tier.size_bytes).is_some() {
        lines.given("tier.size", "size of the tier", "B", &tier.size_bytes);
    }
    if let Some([hits, reads]) = tier.counted {
        let of_now = |value: f64| {
            Given::of(Some(Range::exact(value)), Basis::Measured, "counters of the server")
        };
        let hits = lines.given("counted.hits", "buffer hits that were counted", "", &of_now(hits));
        let reads = lines.given("counted.reads", "reads that were counted", "", &of_now(reads));
        let share = reads.clone() / (hits + reads);
        lines.computed("counted.share", "of the accesses, those that become reads", "", share);
    }
    let hit = lines.given("tier.hit", "a read that it serves", "µs", &tier.hit_us);
    let all = lines.computed(
        "then.read.least",
        "a read then, at least: all are served",
        "µs",
        hit.clone(),
    );
    let Some(missed) = missed else { return Read { is: None, least: all } };
    let miss = lines.given("tier.missed", "of the reads, those that it misses", "", &missed);
    let added = tier.miss_added_us.as_ref().map(|added| {
        let title = "what a miss takes longer than a read now";
        lines.given("tier.miss_added", title, "µs", added)
    });
    if let Some(alone) = &now.alone {
        let Now { sessions, rate, read, .. } = now;
        let then = ReadsThen { missed: &miss, hit: &hit, added: added.as_ref() };
        let is = mean_read(lines, &ReadsNow { sessions, rate, read, alone }, &then);
        return Read { is: Some(is), least: all };
    }
    let miss_us = match added {
        Some(added) => {
            let longer = now.read.clone() + added;
            lines.computed("then.miss", "a read that it does not serve", "µs", longer)
        }
        None => now.read.clone(),
    };
    let served = Expr::Number(1.0) - miss.clone();
    let mean = served * hit + miss * miss_us;
    let is = lines.computed("then.read", "a single-block read then, mean", "µs", mean);
    Read { is: Some(is), least: all }
}

fn rates(
    lines: &mut Lines,
    (now, given): (&Now, &ReadNow),
    read: &Read,
    doubts: &mut Vec<String>,
) -> GainLimit {
    if let Some(why) = &given.no_law {
        doubts.push(format!("no rate is forecast: {why}"));
        return no_next("the law does not describe this server");
    }
    if of(&given.sessions).is_none() {
        return of_reads_alone(lines, now, read);
    }
    let all = Loop { sessions: now.sessions.clone(), cpu: now.cpu.clone(), rate: now.rate.clone() };
    let elsewhere = all.elsewhere(lines);
    let waiting = now.read.clone().at_most(elsewhere.clone());
    let waiting = lines.computed("now.waiting", "of it, the read", "µs", waiting);
    let inside = inside(lines, now, &waiting);
    let then = |read_then: &Expr| {
        let part = |read: &Expr| match &inside {
            Some(inside) => (read.clone() - inside.clone()).at_least(0.0),
            None => read.clone(),
        };
        let waits = waiting.clone() * part(read_then) / part(&now.read);
        elsewhere.clone() - waiting.clone() + waits
    };
    let limits = Limits::of(lines, &all, &given.limits);
    let free = |lines: &mut Lines, suffix: &str, title: &str, read_then: &Expr| {
        let title = format!("time of one{title}, without CPU time and waits for CPUs");
        let elsewhere =
            lines.computed(&format!("then.elsewhere{suffix}"), &title, "µs", then(read_then));
        let named = format!("rate.sessions{suffix}");
        let rate = all.rate(lines, (&named, "what the sessions get through"), &elsewhere);
        no_loss(lines, now, &named, rate, read_then)
    };
    let most = match &given.besides_us {
        Some(besides) => {
            let title = "time for each read now, without queues and the read";
            let besides = lines.given("now.besides", title, "µs", besides);
            let round = besides + read.least.clone();
            let title = "the same then, with a read that is served";
            let round = lines.computed("then.round.least", title, "µs", round);
            let rate = all.sessions.clone() * 1e6 / round;
            let title = "what the sessions get through at most";
            let rate = lines.computed("rate.sessions.most", title, "/s", rate);
            no_loss(lines, now, "rate.sessions.most", rate, &read.least)
        }
        None => free(lines, ".most", " then if all are served", &read.least),
    };
    let law = law(lines, given.law_off);
    let most = limits.under(lines, ("rate.then.most", "at most"), &most, &law);
    let Some(is) = &read.is else {
        lines.computed("rate.then.least", "at least: no gain", "/s", now.rate.clone());
        let (Some(before), Some(after)) = (lines.value(&now.rate), lines.value(&most)) else {
            return no_next("figures are missing");
        };
        return limits.next(lines, before, after, "reads");
    };
    let mean = is;
    let is = free(lines, "", " then", mean);
    if !given.asked {
        longest(lines, now, (&elsewhere, &then(mean)), &is, mean);
    }
    let is = limits.under(lines, ("rate.then", "forecast"), &is, &law);
    let (Some(before), Some(after)) = (lines.value(&now.rate), lines.value(&is)) else {
        return no_next("figures are missing");
    };
    let why = eaten(lines, given, &limits, (now.cpu.is_some(), after));
    if after > before && !why.is_empty() {
        let floor = now.rate.clone() * law;
        lines.computed("rate.then.least", "at least: no gain", "/s", floor);
        doubts.extend(why);
    }
    limits.next(lines, before, after, "reads")
}

/// A read that waits for a CPU when its block is there: whoever times reads has that wait in them, and it is longer where sessions come back sooner.
/// The law has it in the queue at the CPUs, which doesn't tell whose wait it is: of reads, or of what else a session does.
fn longest(
    lines: &mut Lines,
    now: &Now,
    (elsewhere_now, elsewhere_then): (&Expr, &Expr),
    rate_then: &Expr,
    read: &Expr,
) {
    let Some((cpu, _)) = now.cpu.clone() else { return };
    let waits = |rate: &Expr, elsewhere: &Expr| {
        let all = now.sessions.clone() * US / rate.clone();
        (all - elsewhere.clone() - cpu.clone()).at_least(0.0)
    };
    let before = waits(&now.rate, elsewhere_now);
    let before = lines.computed("now.cpu_wait", "wait of one for CPUs now", "µs", before);
    let after = waits(rate_then, elsewhere_then);
    let after = lines.computed("then.cpu_wait", "wait of one for CPUs then", "µs", after);
    // The rate is no lower than now, so no session waits longer by more than its read is shorter.
    let shorter = (now.read.clone() - read.clone()).at_least(0.0);
    let longer = (after - before).at_least(0.0).at_most(shorter);
    let title = "a single-block read then, if all of the longer wait is at its end";
    lines.computed("then.read.most", title, "µs", read.clone() + longer);
}

/// The session's own CPU time that is part of a read's time: of a read that the tier serves it is too, so that only the rest changes.
fn inside(lines: &mut Lines, now: &Now, waiting: &Expr) -> Option<Expr> {
    let (cpu, _) = now.cpu.as_ref()?;
    let inside = (now.read.clone() - waiting.clone()).at_most(cpu.clone());
    let (us, read) = (lines.value(&inside)?, lines.value(&now.read)?);
    // Less is rounding; where it is most of the read, that is no read of storage.
    (us > read * ROUNDING && us < read * HALF_BUSY)
        .then(|| lines.computed("now.inside", "of the read, CPU time of its session", "µs", inside))
}

/// Why queues that nobody predicts may eat the gain.
fn eaten(
    lines: &Lines,
    given: &ReadNow,
    limits: &Limits,
    (cpus, after): (bool, f64),
) -> Vec<String> {
    let mut why = Vec::new();
    if !cpus && given.limits.is_empty() {
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
    let now = |part_us| share_of(given, part_us);
    // What is a small queue beside slow reads is none beside fast ones.
    let then = |share: f64| of(&given.rate_per_s).map_or(share, |rate| share * after / rate);
    if let Some(share) = now(&given.flushes_us).filter(|share| then(*share) >= HALF_BUSY) {
        why.push(format!(
            "{} of the time is waiting for flushes, which commits share otherwise at another rate",
            Ratio(share)
        ));
    }
    if let Some(share) = now(&given.locks_us).filter(|share| then(*share) >= NOT_WORTH_A_WORD) {
        why.push(format!(
            "{} of the time is waiting for locks, whose queue is not predicted",
            Ratio(share)
        ));
    }
    why
}

/// Of the time for each read now, a part.
fn share_of(given: &ReadNow, part_us: &Option<Given>) -> Option<f64> {
    let round_us = of(&given.sessions)? / of(&given.rate_per_s)? * 1e6;
    Some(of(part_us.as_ref()?)? / round_us)
}

/// Whether the forecast would be of locks more than of reads.
fn locks_decide(given: &ReadNow) -> bool {
    share_of(given, &given.locks_us).is_some_and(|share| share >= LOCKS_DECIDE)
}

/// No rate is lower where reads are faster, also where the law gives a little less than was measured.
fn no_loss(lines: &mut Lines, now: &Now, key: &str, rate: Expr, read: &Expr) -> Expr {
    let faster = lines.value(read) <= lines.value(&now.read);
    if !faster || lines.value(&rate) >= lines.value(&now.rate) {
        return rate;
    }
    let title = "that, and no less than was measured";
    lines.computed(&format!("{key}.measured"), title, "/s", rate.at_least(now.rate.clone()))
}

fn of_reads_alone(lines: &mut Lines, now: &Now, read: &Read) -> GainLimit {
    let flight = now.rate.clone() * now.read.clone() / 1e6;
    lines.computed("now.in_flight", "reads in flight now (Little's law)", "", flight);
    let most =
        now.rate.clone() * now.read.clone() / read.is.as_ref().unwrap_or(&read.least).clone();
    lines.computed("rate.then.most", "at most, if sessions did nothing but read", "/s", most);
    lines.computed("rate.then.least", "at least: no gain", "/s", now.rate.clone());
    no_next("it takes the number of sessions")
}

fn no_next(why: &str) -> GainLimit {
    let sentence = format!("unknown: {why}");
    GainLimit { limit: None, per_s: None, times_at_most: None, reached: false, sentence }
}

/// Bytes of one read; its rate of bytes follows in the rows.
fn bytes(lines: &mut Lines, now: &ReadNow) {
    if of(&now.block_bytes).is_some() {
        lines.given("now.block", "bytes of one read", "B", &now.block_bytes);
    }
}

fn rows(lines: &[CostLine], now: &ReadNow) -> Vec<OffOn> {
    let forecast = value(lines, "rate.then").filter(|_| !locks_decide(now));
    let least = low(lines, "rate.then.least").or(low(lines, "rate.then"));
    // Queues may vanish with those of the reads.
    let most = match now.besides_us {
        Some(_) => high(lines, "rate.then.most"),
        None => high(lines, "rate.then").or(high(lines, "rate.then.most")),
    };
    let off = of(&now.rate_per_s);
    let open = forecast.is_some() && value(lines, "limit.cpu").is_none() && now.limits.is_empty();
    let rate = OffOn {
        name: "read IOPS".to_string(),
        unit: Unit::PerS,
        better: Better::More,
        off,
        on: if now.asked { forecast.and(off) } else { forecast },
        on_low: if now.asked { forecast.and(off) } else { least },
        on_high: most,
        condition: match (now.asked, open) {
            (true, _) => Some("clients choose the rate".to_string()),
            (_, true) => Some("if nothing else binds".to_string()),
            _ => None,
        },
    };
    let read = OffOn {
        name: "single-block read".to_string(),
        unit: Unit::Us,
        better: Better::Less,
        off: of(&now.read_us),
        on: value(lines, "then.read"),
        on_low: low(lines, "then.read").or(low(lines, "then.read.least")),
        on_high: high(lines, "then.read.most").or(high(lines, "then.read")).or(of(&now.read_us)),
        condition: None,
    };
    let Some(bytes) = of(&now.block_bytes) else { return vec![rate, read] };
    let times = |per_s: Option<f64>| per_s.map(|per_s| per_s * bytes);
    let carried = OffOn {
        name: "bytes read".to_string(),
        unit: Unit::BytesPerS,
        off: times(rate.off),
        on: times(rate.on),
        on_low: times(rate.on_low),
        on_high: times(rate.on_high),
        ..rate.clone()
    };
    vec![rate, read, carried]
}

fn time(lines: &[CostLine], now: &ReadNow) -> Vec<Share> {
    let of_line = |key| value(lines, key);
    let all = of(&now.sessions).zip(of_line("rate.then")).map(|(n, rate)| n / rate * 1e6);
    let parts = of_line("then.elsewhere").zip(of_line("now.elsewhere"));
    let waiting = of_line("now.waiting");
    let (Some(all), Some((elsewhere, before)), Some(waiting), false) =
        (all, parts, waiting, now.asked || locks_decide(now))
    else {
        return Vec::new();
    };
    // What is no read stays.
    let read = (elsewhere - (before - waiting)).max(0.0);
    let mut parts = vec![("read", read), ("elsewhere", elsewhere - read)];
    if let Some(cpu) = of(&now.cpu_us).filter(|_| of(&now.cpus).is_some()) {
        parts.extend([("CPU", cpu), ("queues", (all - elsewhere - cpu).max(0.0))]);
    }
    let parts = parts.into_iter().filter(|(_, us)| *us > all * 0.005);
    parts.map(|(name, us)| Share { name: name.to_string(), us, share: us / all }).collect()
}

fn said(now: &ReadNow, tier: &ReadTier, known: bool) -> Vec<String> {
    let mut all = Vec::new();
    if !known {
        let counted = tier.counted.map(|[hits, reads]| reads / (hits + reads));
        let counted = counted
            .filter(|share| share.is_finite())
            .map(|share| format!(" ({} of the accesses become reads)", Ratio(share)));
        all.push(format!(
            "grade B: without a miss curve all that is known is that it serves no more than all reads{}; counters don't say which blocks are read again",
            counted.unwrap_or_default()
        ));
    }
    if known && queues(now).is_some() {
        all.push("a miss is taken to wait in the queue that the other misses are; what a read of now takes longer than one session's alone is taken for a queue at storage that does one thing at a time".to_string());
    } else if tier.miss_added_us.is_none() && known {
        all.push("a miss is taken to last as long as a read now; it looks into the tier first, and the backing has less to do then (--read-alone)".to_string());
    }
    if tier.curve.is_some() {
        all.push("the curve must be of the reads that reach storage, behind the server's own cache; it is of a warm tier: after a start it is filled first".to_string());
    }
    if now.limits.is_empty() && of(&now.cpus).is_some() {
        all.push("of limits other than CPUs nothing is given".to_string());
    }
    if let Some(bytes) = of(&now.block_bytes).filter(|bytes| *bytes < 512.0) {
        all.push(format!(
            "a read of {} B is less than a sector: bytes and reads are of different counters",
            significant(bytes, 3)
        ));
    }
    all.push("it says nothing of commits: how long a durable write waits does not follow from a read cache".to_string());
    all
}

fn unknown(now: &ReadNow, tier: &ReadTier, by_pool: bool) -> Vec<Unknown> {
    let mut figures = vec![
        (&now.rate_per_s, "reads now", "a rate", "--rate"),
        (&now.read_us, "a read now", "everything", "--read"),
        (&tier.hit_us, "a read that the tier serves", "everything", "--tier-read"),
        (&now.sessions, "sessions", "a rate", "--sessions"),
        (&now.cpu_us, "CPU time for each read", "what binds next", "--cpu-per-read"),
        (&now.cpus, "CPUs", "what binds next", "--cpus"),
        (&now.block_bytes, "bytes of one read", "bytes per second", "--block"),
    ];
    figures.retain(|(given, ..)| given.value.is_none());
    let mut all: Vec<Unknown> = figures
        .into_iter()
        .map(|(_, what, gives, hint)| Unknown {
            what: what.to_string(),
            gives: gives.to_string(),
            hint: hint.to_string(),
        })
        .collect();
    if !by_pool && tier.hits.is_none() && (tier.curve.is_none() || of(&tier.size_bytes).is_none()) {
        all.push(Unknown {
            what: "share of the reads that it serves".to_string(),
            gives: "a rate and the mean read".to_string(),
            hint: "--curve or --buffercache FILE with --tier-size, or --hits".to_string(),
        });
    }
    if locks_decide(now) {
        all.push(Unknown {
            what: "what locks are held for".to_string(),
            gives: "a rate".to_string(),
            hint: "they take more of the time than a cache can show".to_string(),
        });
    }
    all
}
