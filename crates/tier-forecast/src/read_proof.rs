//! A read cache's forecast and its proof from one run: sessions that read storage without the tier and storage with it, in turns.
//!
//! The run has `block.tier.off` and `block.tier.on`, and windows of one session: `block.tier.hit_between` reads a few blocks that the tier serves
//! between reads without it, `block.tier.hit` the same blocks back to back, and `block.tier.off_alone` without the tier alone. The share of hits was
//! computed before anything was read, from the law of the reads and the size of the tier ([`crate::Popularity`]); it is stored with the
//! windows. The forecast is made from the windows without the tier, that share, the time of a hit between other reads, and the time of a read alone.

use narrows_cost::{Basis, Given, Range};
use narrows_model::{Measurement, MeasurementId, Metric, Run, Validity, condition, family, metric};
use narrows_units::{Nanos, Ratio};

use crate::answer::Unit;
use crate::given::{ReadNow, ReadTier, Refused};
use crate::proof::{MeasuredRange, Proof, proof};
use crate::read_tier::read_tier;

/// Reads without the tier.
pub const READS_OFF: &str = "off";
/// The same reads with it.
pub const READS_ON: &str = "on";
/// One session's reads that it serves, back to back.
pub const READS_HIT: &str = "hit";
/// The same between reads without the tier, as many as it will miss.
pub const READS_BETWEEN: &str = "hit_between";
/// One session's reads without the tier; measured where the load has more.
pub const READS_ALONE: &str = "off_alone";

/// What measures a side.
const HINT: &str = "narrows tier prove reads OFF ON measures it";
/// Microseconds of a nanosecond.
pub(crate) const US_NS: f64 = 1e-3;
/// Between the two halves of the windows a warm cache's rate differs by less.
const STILL_RISES: f64 = 0.05;
/// Reads that the tier serves are faster among others than alone from here on.
const FASTER_TOGETHER: f64 = 0.7;

/// Whether a run has one.
pub fn has_read_proof(run: &Run) -> bool {
    [READS_OFF, READS_ON].iter().all(|side| of_side(run, side).is_some())
}

fn of_side<'a>(run: &'a Run, side: &str) -> Option<&'a Measurement> {
    run.measurement(&family::BLOCK_TIER.id(side))
}

/// The forecast from the side without the tier and the time of a hit, and the side with the tier beside it.
///
/// # Errors
/// A run without one of the sides, or without hits, or with invalid ones.
pub fn read_proof(run: &Run) -> Result<Proof, Refused> {
    let [off, on] = [READS_OFF, READS_ON].map(|side| believed_side(run, side));
    let (off, on) = (off?, on?);
    let timed = |side: &str| {
        let id = family::BLOCK_TIER.id(side);
        run.measurement(&id)
            .filter(|m| m.validity != Validity::Invalid && m.value(metric::LATENCY_MEAN).is_some())
    };
    // Runs of before had hits back to back alone.
    let hit = timed(READS_BETWEEN).map_or_else(|| believed_side(run, READS_HIT), Ok)?;
    let known = |m: &Measurement, metric: Metric, factor: f64| measured(run, m, metric, factor);
    let bytes = off.number(condition::BLOCK_BYTES);
    let exact = |value: Option<f64>, source: &str| {
        Given::of(value.map(Range::exact), Basis::Described, source)
    };
    let now = ReadNow {
        from: format!("{} of run {}", off.id, run.id),
        rate_per_s: known(off, metric::THROUGHPUT, 1.0),
        sessions: exact(off.number(condition::DEPTH), "--sessions"),
        read_us: known(off, metric::LATENCY_MEAN, US_NS),
        alone_us: timed(READS_ALONE).map(|alone| known(alone, metric::LATENCY_MEAN, US_NS)),
        cpu_us: known(off, metric::CPU_PER_OP, US_NS),
        cpus: exact(Some(run.plan.server_cpus.len() as f64), "CPUs of these sessions"),
        locks_us: None,
        flushes_us: None,
        besides_us: None,
        block_bytes: exact(bytes, "--size"),
        limits: Vec::new(),
        asked: false,
        no_law: None,
        law_off: 0.0,
        doubts: Vec::new(),
    };
    let hits = off.number(condition::TIER_HITS_LEAST).zip(off.number(condition::TIER_HITS_MOST));
    let hits = hits.map(|(least, most)| Range::between(least, most));
    let tier = ReadTier {
        hit_us: known(hit, metric::LATENCY_MEAN, US_NS),
        miss_added_us: None,
        size_bytes: exact(off.number(condition::TIER_BYTES), "--tier-size"),
        curve: None,
        hits: Some(Given::of(
            hits,
            Basis::Described,
            "the law of the reads: LRU to the best there is",
        )),
        counted: None,
        pool: None,
    };
    let forecast = read_tier(&now, &tier)?;
    let rate = known(on, metric::THROUGHPUT, 1.0);
    let figures: Vec<Option<MeasuredRange>> = forecast
        .rows
        .iter()
        .map(|row| match row.unit {
            Unit::PerS => MeasuredRange::of(&rate),
            Unit::Us => MeasuredRange::of(&known(on, metric::LATENCY_MEAN, US_NS)),
            Unit::BytesPerS => MeasuredRange::of(&rate).zip(bytes).map(|(rate, n)| rate.times(n)),
        })
        .collect();
    let [without, with] = [off, on].map(windows);
    Ok(proof(forecast, &figures, (without, with), doubts([off, on, hit])))
}

fn believed_side<'a>(run: &'a Run, side: &str) -> Result<&'a Measurement, Refused> {
    believed(run, &family::BLOCK_TIER.id(side), HINT)
}

/// The measurement of that id, unless it is invalid.
pub(crate) fn believed<'a>(
    run: &'a Run,
    id: &MeasurementId,
    hint: &str,
) -> Result<&'a Measurement, Refused> {
    let found = run.measurement(id);
    let found = found
        .ok_or_else(|| Refused::new(format!("run {} has no {id}", run.id), hint.to_string()))?;
    match found.validity {
        Validity::Invalid => Err(Refused::new(
            format!("{id} of run {} is invalid: {}", run.id, found.findings.join(", ")),
            "narrows report shows why",
        )),
        _ => Ok(found),
    }
}

pub(crate) fn measured(run: &Run, m: &Measurement, metric: Metric, factor: f64) -> Given {
    let range = m.metric(metric).map(|figure| {
        let (low, high) = figure
            .interval_95
            .as_ref()
            .map_or((figure.value, figure.value), |interval| (interval.low, interval.high));
        Range { value: figure.value, low: low.max(0.0), high }.times(factor)
    });
    Given::of(range, Basis::Measured, format!("run {}, {}", run.id, m.id))
}

/// The rates of its windows.
pub(crate) fn windows(m: &Measurement) -> &[f64] {
    m.metric(metric::THROUGHPUT).map_or(&[], |rates| &rates.samples)
}

/// What bears on the measured side.
fn doubts(measured: [&Measurement; 3]) -> Vec<String> {
    let mut doubts = Vec::new();
    for m in measured.iter().filter(|m| m.validity != Validity::Valid) {
        doubts.push(format!("{} is suspect: {}", m.id, m.findings.join(", ")));
    }
    doubts.extend(not_warm(measured[1]));
    doubts.extend(slower_alone(measured));
    if measured.iter().any(|m| m.get(condition::SAME_MACHINE) == Some(true)) {
        doubts.push(
            "the target is on this machine: what it takes of these CPUs for a read is not counted, and a hit takes another part of it than a miss"
                .to_string(),
        );
    }
    doubts
}

/// Where the rate of its windows still rises.
pub(crate) fn not_warm(on: &Measurement) -> Option<String> {
    let with = windows(on);
    let (first, last) = with.split_at(with.len() / 2);
    let mean = |rates: &[f64]| rates.iter().sum::<f64>() / rates.len().max(1) as f64;
    let rises = !first.is_empty() && mean(last) > mean(first) * (1.0 + STILL_RISES);
    rises.then(|| {
        format!(
            "the rate with the tier still rose, by {} from the first half of its windows to the second: the cache was not warm (--warm-up)",
            Ratio(mean(last) / mean(first) - 1.0)
        )
    })
}

/// Where most reads with the tier are faster than what was taken for one that it serves, as in runs that measured these back to back alone.
fn slower_alone([_, on, hit]: [&Measurement; 3]) -> Option<String> {
    let (most, alone) = (on.value(metric::LATENCY_P50)?, hit.value(metric::LATENCY_MEAN)?);
    let served = on.number(condition::TIER_HITS_LEAST)? > 0.5;
    (served && most < alone * FASTER_TOGETHER).then(|| {
        format!(
            "half of the reads with the tier took {} or less, and one session's that it serves {}: back to back host and target wake each other's idle CPU for each, so the forecast is too slow",
            Nanos(most as u64),
            Nanos(alone as u64)
        )
    })
}
