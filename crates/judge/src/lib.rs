//! What follows from a run, in the order in which one follows from the other: limits beside what was measured, findings on how it was
//! measured, verdicts, their causes, sweeps, starts, durability, the comparison of places.
//!
//! The one composition of all rules. The command judges by it when a run is stored and when it is judged again, the simulator judges
//! planted servers by it, and the fuzzer judges run files of nobody's. Nothing is read but the run, nothing is kept but in the run, and
//! judging twice gives what judging once gave.

#![forbid(unsafe_code)]

pub mod explain;

use narrows_model::Run;

/// What is said of a machine that nothing was measured on.
pub use narrows_validity::check_machine;

/// Puts all that follows from the measurements into the run, in place of what followed from them before.
pub fn judge(run: &mut Run) {
    narrows_limits::attach(run);
    // What was found while running (a layer that could not run) is evidence and stays.
    run.findings.retain(|finding| finding.not_measured().is_some());
    run.findings.extend(narrows_validity::check(run));
    run.apply_findings();
    run.verdicts = narrows_verdict::judge(run);
    run.causes = narrows_causes::causes(run);
    run.scalings = narrows_verdict::scalings(run);
    run.starts = narrows_verdict::starts(run);
    run.file_sharing = narrows_verdict::file_sharing(run);
    run.durability = narrows_validity::durability::of_run(run);
    let live: Vec<_> = run.live_logs.iter().map(|log| narrows_verdict::live_in(run, log)).collect();
    for (log, verdict) in run.live_logs.iter_mut().zip(live) {
        log.verdict = Some(verdict);
    }
    run.comparison = narrows_verdict::placement::compare(run, &run.durability);
}
