//! The plan's time of a workload while it is measured: which part of it begins, and what is known by then of those to come.
//!
//! A plan is made before anything was measured, so it holds averages: a test for some verdicts, a usual rate of scans. Whoever waits is
//! told what became of them as soon as that is known.

use std::time::Duration;

use narrows_layer_database::{Source, Task, Variation};
use narrows_model::{Run, Workload, metric};

use super::{intervention, repeats_s, scan_time};
use crate::resolved::{PlannedSession, Resolved};

/// Share of the workloads by sessions whose verdict a test is made of: two of three, as full runs had it. With so much of each test in
/// it a plan is wrong by a part of one at a time.
const TESTED: f64 = 2.0 / 3.0;
/// The same of scans, whose verdict is known only when they have ended: with a half it is wrong by half of one, whichever it turns out.
const SCANS_TESTED: f64 = 0.5;
/// One backend gets through no more of a table than this, however fast the drives, bytes per second.
const SCANNED_BYTES_PER_S: f64 = 2e9;
/// What a server's scan asks of the drives: read-ahead has one large request under way.
const READ_AHEAD: &str = "block.read.sequential.1m.d1";

/// What a plan holds for a test that would take so long, s.
pub fn planned_test_s(resolved: &Resolved, takes_s: f64) -> f64 {
    share_tested(resolved, TESTED) * takes_s
}

/// Quick runs make no tests.
fn share_tested(resolved: &Resolved, share: f64) -> f64 {
    if resolved.plan.quick { 0.0 } else { share }
}

/// Windows of that length begin, one of each of so many variations per repeat. Scans from the drives take the time that they take.
pub fn begin_windows(
    session: &PlannedSession<'_, '_>,
    task: &Task,
    window: Duration,
    variations: usize,
) {
    let window = if from_drives(task) { scan_window(session) } else { window };
    let expected_s = repeats_s(session.resolved, window) * variations as f64;
    session.ui.begin_part(task.workload(), expected_s);
}

fn from_drives(task: &Task) -> bool {
    task.is_scan() && task.source == Source::Drive
}

/// Scans that the plan of a run holds for each: those of a test among them, as far as one is planned.
pub fn planned_scans(resolved: &Resolved, scans: usize) -> f64 {
    scans as f64 * (1.0 + share_tested(resolved, SCANS_TESTED))
}

/// Corrects what the plan holds for so many scans by what the drives were measured to deliver since.
pub fn amend_scans(session: &PlannedSession<'_, '_>, task: &Task, scans: f64) {
    if from_drives(task) {
        let resolved = session.resolved;
        let planned_s = repeats_s(resolved, scan_time(resolved.plan.table_bytes));
        let by_s = repeats_s(resolved, scan_window(session)) - planned_s;
        session.ui.amend_plan(task.workload(), by_s * scans);
    }
}

/// How long one scan takes, as far as is known by now.
fn scan_window(session: &PlannedSession<'_, '_>) -> Duration {
    let bytes = session.resolved.plan.table_bytes;
    match scanned_per_s(&session.run) {
        Some(per_s) => Duration::from_secs_f64(bytes as f64 / per_s),
        None => scan_time(bytes),
    }
}

/// Bytes per second of a scan, by what was measured of the drives.
fn scanned_per_s(run: &Run) -> Option<f64> {
    let measured = run.measurement(READ_AHEAD)?.value(metric::BANDWIDTH)?;
    (measured >= 1.0).then(|| measured.min(SCANNED_BYTES_PER_S))
}

/// Tells how far the plan of that workload may be wrong until its verdict is known: by a test of so many seconds, or of so many scans.
pub fn announce_test(session: &PlannedSession<'_, '_>, task: &Task, test_s: f64, scans: usize) {
    let workload = task.workload();
    if task.is_scan() {
        undecided(session, workload, scans_s(session, scans), SCANS_TESTED);
    } else {
        undecided(session, workload, test_s, TESTED);
    }
}

/// So many scans, each with its repeats, s.
fn scans_s(session: &PlannedSession<'_, '_>, scans: usize) -> f64 {
    repeats_s(session.resolved, scan_window(session)) * scans as f64
}

/// A test may take so long, or not be made; returns what of it the plan holds, s.
fn undecided(
    session: &PlannedSession<'_, '_>,
    workload: Workload,
    takes_s: f64,
    share: f64,
) -> f64 {
    let planned_s = share_tested(session.resolved, share) * takes_s;
    if !session.resolved.plan.quick {
        session.ui.undecided(workload, planned_s, takes_s - planned_s);
    }
    planned_s
}

/// The test of a verdict, for which the plan holds time until it is known whether one is made.
pub struct PlannedTest<'a> {
    base: &'a Variation,
    workload: Workload,
    takes_s: f64,
    planned_s: f64,
}

impl<'a> PlannedTest<'a> {
    /// Of the verdict on `base`, which would take so long.
    pub fn new(
        session: &PlannedSession<'_, '_>,
        workload: Workload,
        base: &'a Variation,
        takes_s: f64,
    ) -> PlannedTest<'a> {
        let planned_s = undecided(session, workload, takes_s, TESTED);
        PlannedTest { base, workload, takes_s, planned_s }
    }

    /// Of the verdict on so many kinds of scans, which would be made again.
    pub fn of_scans(
        session: &PlannedSession<'_, '_>,
        workload: Workload,
        base: &'a Variation,
        scans: usize,
    ) -> PlannedTest<'a> {
        let takes_s = scans_s(session, scans);
        let planned_s = undecided(session, workload, takes_s, SCANS_TESTED);
        PlannedTest { base, workload, takes_s, planned_s }
    }

    /// Looks whether the verdict, as it is by now, asks for one, and tells the plan.
    pub fn foresee(&mut self, session: &PlannedSession<'_, '_>) {
        let needed_s = if intervention(session, self.base).is_some() { self.takes_s } else { 0.0 };
        session.ui.amend_plan(self.workload, needed_s - self.planned_s);
        self.planned_s = needed_s;
        session.ui.undecided(self.workload, 0.0, 0.0);
    }
}

#[cfg(test)]
mod tests {
    use narrows_engine::Samples;
    use narrows_model::{Layer, Measurement};

    use super::*;
    use crate::new_run::testing::empty_run;

    fn run_with(bytes_per_s: f64) -> Run {
        let mut samples = Samples::new();
        samples.add(metric::BANDWIDTH, bytes_per_s);
        let mut measurement = Measurement::new(READ_AHEAD, Layer::Block);
        measurement.metrics = samples.into_metrics();
        let mut run = empty_run(&[]);
        run.add([measurement]);
        run
    }

    #[test]
    fn a_scan_is_as_fast_as_the_drives_up_to_what_a_backend_gets_through() {
        assert_eq!(scanned_per_s(&run_with(250e6)), Some(250e6), "a hard disk");
        assert_eq!(scanned_per_s(&run_with(7e9)), Some(SCANNED_BYTES_PER_S));
        assert_eq!(scanned_per_s(&run_with(0.0)), None, "nothing ended");
        assert_eq!(scanned_per_s(&empty_run(&[])), None, "the usual guess stays");
    }
}
