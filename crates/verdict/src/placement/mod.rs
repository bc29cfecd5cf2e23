//! Places for the commit log beside each other: what a measured workload would do on each.
//!
//! The law is a ratio. The emulated log writer ran on every place under sessions that spend between their commits what the
//! database's sessions and its client were measured to spend while nothing was flushed, on the same processors. Its rate on
//! a place over its rate on the first one is what the place changes; the database's own rate on the first place, times that, is the
//! prediction. All three are taken in the same repeat, so that what drifts falls out, and the scatter of the product over the repeats
//! is the prediction's interval. What the emulation may miss of the database on the first place (the farther end of their
//! ratio's interval) is unexplained, and counts in full as doubt beside it.
//!
//! Pure, as everything here: ids `log.working.wal_N`, `database.update.wal_N`, `database.update.wal_1.test.fsync_off`,
//! `log.rung.wal_N.*`, and the log's roles in their order.

mod place;
mod proof;
mod reason;
mod words;

use narrows_model::{
    CommitWork, Comparison, Durability, Measurement, Platform, Role, RolePath, Run, condition,
    family, metric,
};

use place::{Base, placement};

/// The id of the database on a place.
pub fn database_id(name: &str) -> String {
    format!("database.update.{name}")
}

/// The id of the database on the first place while nothing is flushed.
pub fn free_id() -> String {
    format!("{}.test.fsync_off", database_id(&place_name(0)))
}

/// The id of the emulated log writer on a place.
pub fn working_id(name: &str) -> String {
    format!("log.working.{name}")
}

/// The name of the place with that index.
pub fn place_name(index: usize) -> String {
    format!("wal_{}", index + 1)
}

/// The comparison that a run's measurements give; `None` where none was asked for. `durability` has what is known of the log's
/// roles, in their order.
pub fn compare(run: &Run, durability: &[Durability]) -> Option<Comparison> {
    let paths = places(run.platform()?);
    if paths.len() < 2 || !run.measurements.iter().any(own) {
        return None;
    }
    let base = Base::of(run);
    let placements: Vec<_> = paths
        .iter()
        .enumerate()
        .map(|(index, path)| placement(run, index, path, durability.get(index), base.as_ref()))
        .collect();
    let mut comparison = Comparison {
        workload: "update".to_string(),
        sessions: sessions(run) as u32,
        work: place::believed(run, &free_id()).and_then(work),
        ceiling: place::believed(run, &free_id()).and_then(place::rate),
        placements,
        sentences: Vec::new(),
    };
    comparison.sentences = words::sentences(&comparison);
    Some(comparison)
}

/// The log's places, in the order in which they were named.
fn places(platform: &Platform) -> Vec<&RolePath> {
    platform.roles.iter().filter(|path| path.role == Role::Wal).collect()
}

/// How many sessions committed.
fn sessions(run: &Run) -> f64 {
    let mut own = run.measurements.iter().filter(|m| own(m));
    own.find_map(|m| m.number(condition::SESSIONS)).unwrap_or(f64::from(run.plan.sessions))
}

fn own(m: &Measurement) -> bool {
    family::LOG_WORKING_WAL.has(&m.id) || family::DATABASE_UPDATE_WAL.has(&m.id)
}

/// What a commit takes besides its log, as the database was measured without flushes; `None` where its processes can't be
/// seen.
pub fn work(database: &Measurement) -> Option<CommitWork> {
    let waits = [metric::WAIT_READ_PER_OP, metric::WAIT_LOCK_PER_OP, metric::WAIT_OTHER_PER_OP];
    Some(CommitWork {
        cpu_ns: database.value(metric::BACKEND_CPU_PER_OP)?,
        client_cpu_ns: database.value(metric::CLIENT_CPU_PER_OP)?,
        waits_ns: waits.iter().filter_map(|wait| database.value(*wait)).sum(),
        wal_bytes: database.value(metric::WAL_BYTES_PER_OP)?,
    })
}
