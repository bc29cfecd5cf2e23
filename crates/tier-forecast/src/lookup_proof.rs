//! A read cache's forecast and its proof from one run: PostgreSQL with its data on storage without the tier and on storage with it, in turns.
//!
//! The run has `database.lookup_tier.off` and `.on`: lookups of single rows by a law of the keys, with a small pool. Beside them `.hit`, one session's
//! lookups of a few rows that the tier serves, and `.off_alone`, one session's without the tier. Times of a read are the server's own
//! (`track_io_timing`). How many lookups become reads was counted without the tier; which share of these reads the tier serves follows from the
//! law, that count and the size of the tier ([`crate::PooledLookups`]), and is stored with the windows. Nothing of `.on` is in the forecast.
//!
//! It is a proof only if the reads reached storage: what the kernel's page cache answers says nothing of a tier behind it. So the bytes that the
//! server read are held against those that storage was asked for.

use narrows_cost::{Basis, Given, Range};
use narrows_model::{Measurement, Metric, Run, Validity, condition, family, metric};
use narrows_units::Ratio;

use crate::answer::{Forecast, OffOn, Unit};
use crate::given::{ReadNow, ReadTier, Refused};
use crate::proof::{HitShare, MeasuredRange, Proof, ReachedStorage, proof};
use crate::read_proof::{
    READS_ALONE, READS_HIT, READS_OFF, READS_ON, US_NS, believed, measured, not_warm, windows,
};
use crate::read_tier::read_tier;

/// What measures a side.
const HINT: &str = "narrows tier prove reads --database postgres OFF ON measures it";
/// The rate of lookups.
const TRANSACTIONS: &str = "transactions/s";
/// The wait of a session for one read, as Oracle's reports call it.
const SEQUENTIAL_READ: &str = "db file sequential read";
/// Of the server's reads storage answered at least so many, or nothing is proven.
const REACHED: f64 = 0.9;
/// Halvings in which a share of hits is found.
const HALVINGS: u32 = 30;

/// Whether a run has one.
pub fn has_lookup_proof(run: &Run) -> bool {
    [READS_OFF, READS_ON].iter().all(|side| of_side(run, side).is_some())
}

fn of_side<'a>(run: &'a Run, side: &str) -> Option<&'a Measurement> {
    run.measurement(&family::DATABASE_LOOKUP_TIER.id(side))
}

/// A side with the reads of one lookup.
struct Side<'a> {
    run: &'a Run,
    m: &'a Measurement,
    /// Of the table and its index.
    reads: f64,
    /// With what sessions read of the catalogs when they are opened, which the server times among the others.
    timed: f64,
}

impl<'a> Side<'a> {
    fn of(run: &'a Run, m: &'a Measurement) -> Result<Side<'a>, Refused> {
        let all = m.value(metric::BLOCK_READS_PER_OP);
        let reads = m.value(metric::TABLE_READS_PER_OP).or(all).filter(|reads| *reads > 0.0);
        let (reads, timed) = reads.zip(all).ok_or_else(|| {
            Refused::new(
                format!("{} of run {} read nothing: shared_buffers had every block", m.id, run.id),
                "give a smaller --pool, or a larger --working-set",
            )
        })?;
        Ok(Side { run, m, reads, timed })
    }

    fn known(&self, metric: Metric, factor: f64) -> Given {
        measured(self.run, self.m, metric, factor)
    }

    /// Reads per second.
    fn rate(&self) -> Given {
        self.known(metric::THROUGHPUT, self.reads)
    }

    /// One read, by the server's own account.
    fn read_us(&self) -> Given {
        self.known(metric::SERVER_READ_TIME_PER_OP, US_NS / self.timed)
    }
}

/// The forecast from the side without the tier and the time of a hit, and the side with the tier beside it.
///
/// # Errors
/// A run without one of the sides, or without hits, or with invalid ones whose reads did reach storage.
pub fn lookup_proof(run: &Run) -> Result<Proof, Refused> {
    let storage = reached(run);
    let unproven = storage.and_then(unproven);
    let side = |side: &str| {
        let id = family::DATABASE_LOOKUP_TIER.id(side);
        // Where the page cache answered, that is what is told.
        let found = match run.measurement(&id).filter(|_| unproven.is_some()) {
            Some(m) => Ok(m),
            None => believed(run, &id, HINT),
        };
        found.and_then(|m| Side::of(run, m))
    };
    let (off, on, hit) = (side(READS_OFF)?, side(READS_ON)?, side(READS_HIT)?);
    let alone = of_side(run, READS_ALONE).filter(|m| m.validity != Validity::Invalid);
    let alone = alone.and_then(|m| Side::of(run, m).ok());
    let now = now(&off, alone.as_ref());
    let tier = tier(&off, &hit);
    let forecast = read_tier(&now, &tier)?;
    let by_read_time = by_read_time((&now, &tier), on.read_us().value);
    let forecast = renamed(forecast, off.reads);
    let bytes = off.m.number(condition::BLOCK_BYTES);
    let figures: Vec<Option<MeasuredRange>> = forecast
        .rows
        .iter()
        .map(|row| match (row.unit, row.name.as_str()) {
            (Unit::PerS, TRANSACTIONS) => MeasuredRange::of(&on.known(metric::THROUGHPUT, 1.0)),
            (Unit::PerS, _) => MeasuredRange::of(&on.rate()),
            (Unit::Us, _) => MeasuredRange::of(&on.read_us()),
            (Unit::BytesPerS, _) => {
                MeasuredRange::of(&on.rate()).zip(bytes).map(|(rate, bytes)| rate.times(bytes))
            }
        })
        .collect();
    let sides = [&off, &on, &hit].map(|side| side.m);
    let proof = proof(forecast, &figures, (windows(off.m), windows(on.m)), doubts(sides, storage));
    let hits = tier.hits.and_then(|hits| hits.value).map(|range| HitShare {
        least: range.low,
        most: range.high,
        by_read_time,
        reads_per_lookup: off.reads,
        pool_bytes: pool_bytes(off.m),
    });
    let proof = Proof { storage, hits, ..proof };
    Ok(match unproven {
        Some(why) => proof.proves_nothing(why),
        None => proof,
    })
}

fn now(off: &Side<'_>, alone: Option<&Side<'_>>) -> ReadNow {
    let exact = |value: Option<f64>, source: &str| {
        Given::of(value.map(Range::exact), Basis::Described, source)
    };
    let cpus = off.m.value(metric::SERVER_CPUS_AVAILABLE);
    let planned = || off.run.plan.server_cpus.len() as f64;
    ReadNow {
        from: format!("{} of run {}", off.m.id, off.run.id),
        rate_per_s: off.rate(),
        sessions: exact(off.m.number(condition::SESSIONS), "--sessions"),
        read_us: off.read_us(),
        alone_us: alone.map(Side::read_us),
        cpu_us: off.known(metric::SERVER_CPU_PER_OP, US_NS / off.reads),
        cpus: exact(Some(cpus.unwrap_or_else(planned)), "CPUs that the server had"),
        locks_us: None,
        flushes_us: None,
        besides_us: None,
        block_bytes: exact(off.m.number(condition::BLOCK_BYTES), "block_size"),
        limits: Vec::new(),
        asked: false,
        no_law: None,
        law_off: 0.0,
        doubts: Vec::new(),
    }
}

fn tier(off: &Side<'_>, hit: &Side<'_>) -> ReadTier {
    let number = |key| off.m.number(key);
    let hits = number(condition::TIER_HITS_LEAST).zip(number(condition::TIER_HITS_MOST));
    let size = number(condition::TIER_BYTES).map(Range::exact);
    ReadTier {
        hit_us: hit.read_us(),
        miss_added_us: None,
        size_bytes: Given::of(size, Basis::Described, "--tier-size"),
        curve: None,
        hits: Some(Given::of(
            hits.map(|(least, most)| Range::between(least, most)),
            Basis::Described,
            "the law of the keys behind the pool: LRU to the best there is",
        )),
        counted: None,
        pool: None,
    }
}

/// The forecast in the server's words, with the lookups first.
fn renamed(mut forecast: Forecast, reads: f64) -> Forecast {
    if let Some(rate) = forecast.rows.iter().find(|row| row.unit == Unit::PerS).cloned() {
        let each = |per_s: Option<f64>| per_s.map(|per_s| per_s / reads);
        let lookups = OffOn {
            name: TRANSACTIONS.to_string(),
            off: each(rate.off),
            on: each(rate.on),
            on_low: each(rate.on_low),
            on_high: each(rate.on_high),
            ..rate
        };
        forecast.rows.insert(0, lookups);
    }
    for row in forecast.rows.iter_mut().filter(|row| row.unit == Unit::Us) {
        row.name = SEQUENTIAL_READ.to_string();
    }
    forecast
}

/// The share of hits with which the law gives the measured time of a read.
fn by_read_time((now, tier): (&ReadNow, &ReadTier), measured: Option<Range>) -> Option<f64> {
    let measured = measured?.value;
    let read = |share: f64| {
        let hits = Given::of(Some(Range::exact(share)), Basis::Described, "sought");
        let forecast = read_tier(now, &ReadTier { hits: Some(hits), ..tier.clone() });
        forecast.ok()?.value("then.read")
    };
    let (mut low, mut high) = (0.0, 1.0);
    if !(read(high)?..=read(low)?).contains(&measured) {
        return None;
    }
    for _ in 0..HALVINGS {
        let middle = (low + high) / 2.0;
        if read(middle)? > measured { low = middle } else { high = middle }
    }
    Some(high)
}

fn pool_bytes(m: &Measurement) -> Option<f64> {
    let share = m.number(condition::WORKING_SET_OF_POOL).filter(|share| *share > 0.0)?;
    Some(m.number(condition::WORKING_SET_BYTES)? / share)
}

/// Bytes of storage over bytes of the server, over all windows of each side.
fn reached(run: &Run) -> Option<ReachedStorage> {
    let (off, on) = (of_side(run, READS_OFF)?, of_side(run, READS_ON)?);
    let sum = |m: &Measurement, metric: Metric| {
        let figure = m.metric(metric)?;
        let all: f64 = figure.samples.iter().sum();
        // A run may have been stored without its windows.
        Some(if figure.samples.is_empty() { figure.value } else { all })
    };
    let share = |m: &Measurement| {
        let server = sum(m, metric::SERVER_READ_BYTES).filter(|bytes| *bytes > 0.0)?;
        Some(sum(m, metric::DEVICE_READ_BYTES)? / server)
    };
    let direct = |m: &Measurement| m.text(condition::METHOD) == Some("direct");
    Some(ReachedStorage { off: share(off), on: share(on), direct: direct(off) && direct(on) })
}

/// Why nothing is proven.
fn unproven(storage: ReachedStorage) -> Option<String> {
    let sides = [("without the tier", storage.off), ("with the tier", storage.on)];
    let few = sides.iter().find_map(|(side, share)| Some((side, share.filter(|n| *n < REACHED)?)));
    if let Some((side, share)) = few {
        return Some(format!(
            "{} of what the server read {side} reached storage, the rest came from the page cache; PostgreSQL 16 and later read around it",
            Ratio(share)
        ));
    }
    let uncounted = sides.iter().find(|(_, share)| share.is_none())?.0;
    (!storage.direct).then(|| {
        format!(
            "storage {uncounted} counts no reads here, and this server reads through the page cache: how many reached storage is unknown"
        )
    })
}

/// What bears on the measured side.
fn doubts(measured: [&Measurement; 3], storage: Option<ReachedStorage>) -> Vec<String> {
    let mut doubts = Vec::new();
    for m in measured.iter().filter(|m| m.validity != Validity::Valid) {
        let what = if m.validity == Validity::Invalid { "invalid" } else { "suspect" };
        doubts.push(format!("{} is {what}: {}", m.id, m.findings.join(", ")));
    }
    doubts.extend(not_warm(measured[1]));
    if storage.is_some_and(|of| of.direct && (of.off.is_none() || of.on.is_none())) {
        doubts.push(
            "storage counts no reads here; the server read around the page cache (debug_io_direct), so all of them reached it"
                .to_string(),
        );
    }
    doubts.push(
        "if the target is on this machine: what it takes of these CPUs for a read is not counted, and a hit takes another part of it than a miss"
            .to_string(),
    );
    doubts
}
