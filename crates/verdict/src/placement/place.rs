//! One place: what was measured there, what is predicted, and whether the two agree.

use narrows_model::{
    CommitFigure, Durability, DurabilityWord, Interval, IntervalMethod, Measurement,
    PlacedDatabase, PlacedEmulation, PlacedStep, Placement, RolePath, Run, Validity, metric,
};

use super::proof::{Proof, rates};
use super::{database_id, place_name, reason, sessions, working_id};

/// Where the emulation gives so much more or less than the database on the first place, it is no model of it.
const NO_MODEL: f64 = 0.5;

/// The first place: the database's rate and the emulation's.
pub struct Base<'a> {
    pub database: &'a Measurement,
    pub emulation: &'a Measurement,
    /// What the emulation misses of the database, relative.
    pub missed: f64,
    /// What it may miss: the farther end of the repeats' interval; as `missed` where they give none.
    pub doubt: f64,
}

impl<'a> Base<'a> {
    /// `None` where one of the two is absent or invalid.
    pub fn of(run: &'a Run) -> Option<Base<'a>> {
        let name = place_name(0);
        let database = believed(run, &database_id(&name))?;
        let emulation = believed(run, &working_id(&name))?;
        // Repeat by repeat, so that what drifts falls out; by the medians where repeats are missing.
        let paired = narrows_stats::paired_ratio(rates(emulation), rates(database));
        let (own, emulated) = (rate(database)?, rate(emulation)?);
        let ratio = paired.map_or(emulated.rate_per_s / own.rate_per_s, |ratio| ratio.value);
        let missed = (ratio - 1.0).abs();
        let interval = paired.and_then(|ratio| ratio.interval_95);
        let doubt = interval
            .map_or(missed, |interval| (interval.high - 1.0).abs().max((1.0 - interval.low).abs()));
        Some(Base { database, emulation, missed, doubt })
    }
}

/// A measurement that is there and not invalid.
pub fn believed<'a>(run: &'a Run, id: &str) -> Option<&'a Measurement> {
    run.measurement(id).filter(|m| m.validity != Validity::Invalid)
}

/// Everything about one place.
pub fn placement(
    run: &Run,
    index: usize,
    path: &RolePath,
    durability: Option<&Durability>,
    base: Option<&Base<'_>>,
) -> Placement {
    let name = place_name(index);
    let emulation = believed(run, &working_id(&name));
    let database = believed(run, &database_id(&name));
    let emulated = emulation.and_then(emulation_of);
    let measured = database.and_then(database_of);
    let (predicted, mut why) = match (index, base, emulation) {
        (0, _, Some(m)) => (rate(m), None),
        (_, Some(base), Some(m)) => predict(base, m),
        (_, None, _) => {
            (None, Some("the database was not measured with its WAL on the first location".into()))
        }
        (_, _, None) => (None, Some("the emulation gave no valid figure".into())),
    };
    let proof = match (base, emulation, database, predicted) {
        (Some(base), _, Some(_), _) if index == 0 => Proof::first(base),
        (Some(base), Some(m), Some(there), Some(predicted)) => {
            Proof::there(base, m, there, &predicted)
        }
        _ => Proof::default(),
    };
    if proof.agrees == Some(false)
        && let (Some(base), Some(m), Some(there)) = (base, emulation, database)
        && let (Some(measured), Some(predicted)) = (rate(there), predicted)
    {
        let sessions = sessions(run);
        let gap_ns = reason::gap_ns(sessions, measured.rate_per_s, predicted.rate_per_s);
        why = Some(reason::of(base, there, m, (sessions, gap_ns)));
    }
    let validity = worst(run, &name);
    Placement {
        name: name.clone(),
        folder: path.path.clone(),
        file_system: format!("{} on {}", path.file_system.kind, path.file_system.source),
        in_memory: path.in_memory().is_some(),
        unseen: path.served_here(),
        durability: durability.map_or(DurabilityWord::NotShown, |known| known.word),
        durability_sentence: durability.map(|known| known.sentence.clone()).unwrap_or_default(),
        ladder: ladder(run, &name),
        emulated,
        predicted,
        measured,
        measured_over_predicted: proof.ratio,
        measured_over_predicted_95: proof.interval_95,
        agrees: proof.agrees,
        confirms: proof.confirms,
        reason: why,
        validity,
    }
}

/// The database's rate on the first place, times what the place changes about the emulation's, repeat by repeat.
fn predict(base: &Base<'_>, m: &Measurement) -> (Option<CommitFigure>, Option<String>) {
    if base.missed > NO_MODEL {
        let why = format!(
            "the emulation is {:.0} % off the database on the first location, so it is no model of it",
            base.missed * 100.0
        );
        return (None, Some(why));
    }
    let (own, first, there) = (rates(base.database), rates(base.emulation), rates(m));
    let paired = own.len() == there.len();
    let scaled: Vec<f64> = own.iter().zip(there).map(|(own, there)| own * there).collect();
    let Some(product) = narrows_stats::paired_ratio(&scaled, first).filter(|_| paired) else {
        return (None, Some("the windows on the two locations do not pair".to_string()));
    };
    let value = product.value;
    let interval_95 = relative(value, product.interval_95.as_ref()).map(|scatter| {
        let half = scatter.hypot(base.doubt) * value;
        Interval {
            low: (value - half).max(0.0),
            high: value + half,
            method: IntervalMethod::Propagated,
        }
    });
    (Some(CommitFigure { rate_per_s: value, interval_95 }), None)
}

/// Half an interval over its value; the farther end counts.
fn relative(value: f64, interval: Option<&Interval>) -> Option<f64> {
    interval.map(|interval| (interval.high - value).max(value - interval.low) / value)
}

/// Commits per second.
pub fn rate(m: &Measurement) -> Option<CommitFigure> {
    let metric = m.metric(metric::THROUGHPUT).filter(|metric| metric.value > 0.0)?;
    Some(CommitFigure { rate_per_s: metric.value, interval_95: metric.interval_95 })
}

fn emulation_of(m: &Measurement) -> Option<PlacedEmulation> {
    Some(PlacedEmulation {
        measurement: m.id.to_string(),
        commits: rate(m)?,
        log_file_sync_ns: m.value(metric::LOG_FILE_SYNC_MEAN),
        parallel_write_ns: m.value(metric::PARALLEL_WRITE_MEAN),
        commits_per_flush: m.value(metric::COMMITS_PER_FLUSH),
    })
}

fn database_of(m: &Measurement) -> Option<PlacedDatabase> {
    Some(PlacedDatabase {
        measurement: m.id.to_string(),
        commits: rate(m)?,
        latency_p50_ns: m.value(metric::LATENCY_P50),
        latency_p99_ns: m.value(metric::LATENCY_P99_ALL).or(m.value(metric::LATENCY_P99)),
        log_file_sync_ns: m.value(metric::WAIT_FLUSH_PER_OP),
        flush_ns: m.value(metric::SERVER_FLUSH_TIME),
    })
}

fn ladder(run: &Run, name: &str) -> Vec<PlacedStep> {
    let prefix = format!("log.rung.{name}.");
    let own = run.measurements.iter().filter(|m| m.validity != Validity::Invalid);
    own.filter_map(|m| {
        Some(PlacedStep {
            measurement: m.id.to_string(),
            step: m.id.strip_prefix(&prefix)?.to_string(),
            p50_ns: m.value(metric::LATENCY_P50),
            p99_ns: m.value(metric::LATENCY_P99).or(m.value(metric::LATENCY_P99_ALL)),
        })
    })
    .collect()
}

/// The worst of what a place's figures rest on: those of its own, and of a prediction the first place's too.
fn worst(run: &Run, name: &str) -> Validity {
    let first = place_name(0);
    let ids = [working_id(name), database_id(name), working_id(&first), database_id(&first)];
    let found = run.measurements.iter().filter(|m| ids.iter().any(|id| m.id == *id));
    found.map(|m| m.validity).max().unwrap_or_default()
}
