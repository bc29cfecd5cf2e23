//! A log tier's forecast and its proof from one run: a database with its WAL on storage without the tier and on storage with it, in turns.
//!
//! The run is that of `narrows log placement --prove` or `narrows tier prove log`: locations `wal_1` (off) and `wal_2` (on). It is taken
//! apart into two runs of one location each, as if only that one had been measured, and both are judged apart. The forecast is made from
//! the first, and from the flush of one writer on each; the database's windows with the tier are what it is held against.

use narrows_cost::{Basis, Given, Range};
use narrows_model::{
    Measurement, MeasurementId, Role, Run, Validity, Workload, condition, family, metric,
};

use crate::answer::Unit;
use crate::from_run::{FSYNC_OFF, device_flush, log_now};
use crate::given::{LogNow, LogTier, Refused};
use crate::log_tier::log_tier;
use crate::proof::{MeasuredRange, Proof, proof};

/// A location's number in ids, from 1.
const OFF: usize = 1;
const ON: usize = 2;

/// The run apart: as if the WAL had been on the first location only, and on the second only. Not judged yet.
///
/// # Errors
/// The database did not run on two locations.
pub fn sides(run: &Run) -> Result<[Run; 2], Refused> {
    let measured = |location: usize| {
        let id = family::DATABASE_UPDATE_WAL.id(location).to_string();
        run.measurement(&id).is_some()
    };
    if !(measured(OFF) && measured(ON)) {
        return Err(Refused::new(
            format!("run {} has no database with its WAL on two locations, in turns", run.id),
            "narrows tier prove log OFF ON measures one, and so does narrows log placement --prove",
        ));
    }
    Ok([side(run, OFF), side(run, ON)])
}

/// Everything of that location, under the ids of a run that has no other.
fn side(run: &Run, location: usize) -> Run {
    let database = family::DATABASE_UPDATE_WAL.id(location);
    let steps = format!("log.rung.wal_{location}.");
    let renamed = |id: &MeasurementId| -> Option<MeasurementId> {
        if *id == database {
            return Some(Workload::Update.measurement_id().into());
        }
        // It is of the windows without the tier alone.
        if location == OFF && id.strip_prefix(&*database) == Some(FSYNC_OFF) {
            let id = format!("{}{FSYNC_OFF}", Workload::Update.measurement_id());
            return Some(id.into());
        }
        let step = id.strip_prefix(&steps)?;
        Some(family::LOG_LADDER.id(format!("{step}.alone")))
    };
    let mut side = run.clone();
    side.measurements = run
        .measurements
        .iter()
        .filter_map(|m| {
            let id = renamed(&m.id)?;
            let mut m = m.clone();
            m.id = id;
            m.findings.clear();
            Some(m)
        })
        .collect();
    for host in &mut side.hosts {
        let mut wal = 0;
        host.platform.roles.retain(|path| {
            wal += usize::from(path.role == Role::Wal);
            path.role != Role::Wal || wal == location
        });
    }
    side
}

/// The forecast from the side without the tier and the medium's flush, and the other side beside it. Both sides are judged.
///
/// # Errors
/// A side without what the law takes: a database whose commits wait, a flush by one writer.
pub fn log_proof(off: &Run, on: &Run) -> Result<Proof, Refused> {
    let now = log_now(off, None)?;
    let then = log_now(on, None)?;
    let (medium, own) = device_flush(on, Some(off), None)?;
    let now = match own {
        Some(own) => now.compared_by(own.flush_us),
        None => now,
    };
    let through = Given::of(
        Some(Range::exact(0.0)),
        Basis::Measured,
        "nothing: the medium was measured through it",
    );
    let nothing = || Given::of(None, Basis::Measured, "not asked");
    let tier = LogTier {
        medium_us: medium.flush_us,
        added_us: Some(through),
        growth: None,
        backing_bytes_per_s: nothing(),
        size_bytes: nothing(),
        held_bytes: None,
    };
    let forecast = log_tier(&named(now, off), &tier)?;
    let measured: Vec<Option<MeasuredRange>> = forecast
        .rows
        .iter()
        .map(|row| match (row.unit, row.name.as_str()) {
            (Unit::PerS, _) => MeasuredRange::of(&then.rate_per_s),
            (_, "log file sync") => MeasuredRange::of(&then.commit_wait_us),
            (_, "log file parallel write") => MeasuredRange::of(&then.flush_us),
            _ => None,
        })
        .collect();
    Ok(proof(forecast, &measured, (&windows(off), &windows(on)), doubts(on)))
}

fn update(run: &Run) -> Option<&Measurement> {
    run.measurement(Workload::Update.measurement_id())
}

/// Rates of its windows.
fn windows(run: &Run) -> Vec<f64> {
    let rates = update(run).and_then(|m| m.metric(metric::THROUGHPUT));
    rates.map(|rates| rates.samples.clone()).unwrap_or_default()
}

fn named(now: LogNow, run: &Run) -> LogNow {
    let folder = update(run).and_then(|m| m.text(condition::FOLDER));
    let place = folder.map(|folder| format!(" with WAL in {folder}")).unwrap_or_default();
    LogNow { from: format!("{}{place}", now.from), ..now }
}

/// What bears on the windows with the tier.
fn doubts(on: &Run) -> Vec<String> {
    let mut doubts = Vec::new();
    let doubtful = update(on).filter(|m| m.validity != Validity::Valid);
    if let Some(m) = doubtful {
        doubts.push(format!("of the windows with the tier: {}", m.findings.join(", ")));
    }
    doubts.push(
        "whether the log was full in these windows is not seen from here; narrows-target tier list shows it"
            .to_string(),
    );
    doubts
}
