//! A MariaDB that was observed: no bottleneck is named. Transactions that commit by themselves are counted nowhere, so that there is no
//! rate, and a session's stage is the same on a CPU and in a read. What its sessions do is said instead.

use narrows_model::{
    ActivityState, Bottleneck, Grade, Observation, ObservedSituation, Run, Step, Verdict,
};
use narrows_units::significant;

use super::how_many;

/// Fewer active sessions, mean, are none.
const AT_WORK: f64 = 0.1;

/// The verdict, or in its place what can be said of a MariaDB.
pub(crate) fn of_mariadb(run: &Run, verdict: Verdict) -> Verdict {
    let seen = run.observations.iter().find(|seen| verdict.measurement == seen.measurement);
    let is_one =
        |seen: &&Observation| seen.consumers.as_ref().is_some_and(|of| of.mariadb.is_some());
    let Some(seen) = seen.filter(is_one) else { return verdict };
    let at_work = seen.activity.sessions_at_work();
    let standing = ObservedSituation {
        sessions_open: seen.sessions.open,
        sessions_at_work: at_work,
        step: Some(step(seen)),
        ..ObservedSituation::default()
    };
    Verdict {
        narrow: Bottleneck::Unknown,
        or: None,
        grade: Grade::Undecided,
        sum: None,
        next: Vec::new(),
        gain_at_most: None,
        phrase: phrase(seen, at_work),
        reasons: vec![
            "no bottleneck is named: MariaDB counts no transactions that commit by themselves, and shows one stage for CPU and reads"
                .to_string(),
        ],
        standing: Some(standing),
        ..verdict
    }
}

fn phrase(seen: &Observation, at_work: Option<f64>) -> String {
    let open = seen.sessions.open.map_or("an unknown number of".to_string(), how_many);
    let Some(at_work) = at_work else { return format!("{open} sessions open") };
    if at_work < AT_WORK {
        return format!("nearly idle: {} of {open} sessions active", significant(at_work, 2));
    }
    let mut states: Vec<(ActivityState, f64)> = ActivityState::ALL
        .into_iter()
        .filter(|state| state.is_at_work())
        .map(|state| (state, seen.activity.of(state).unwrap_or(0.0)))
        .collect();
    states.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mostly = match states.first() {
        Some((ActivityState::Running, _)) => "computing or reading",
        Some((ActivityState::Log, _)) => "committing",
        Some((state, _)) => state.words(),
        None => "unknown",
    };
    let active = format!("{} of {open} sessions active, mostly {mostly}", significant(at_work, 2));
    match full_cpus(seen) {
        Some(full) => format!("{active}; {full}"),
        None => active,
    }
}

/// `its process uses 0.98 of its 1 CPU`, where it uses all it may.
fn full_cpus(seen: &Observation) -> Option<String> {
    let process = seen.consumers.as_ref()?.mariadb.as_ref()?.process.as_ref()?;
    process.fills_its_cpus().then(|| {
        let plural = if process.allowed_cpus == 1.0 { "CPU" } else { "CPUs" };
        let (used, of) = (significant(process.cpus, 2), how_many(process.allowed_cpus));
        format!("its process uses {used} of its {of} {plural}")
    })
}

fn step(seen: &Observation) -> Step {
    let right = seen.unknown.iter().find(|unknown| unknown.needs.starts_with("GRANT PROCESS"));
    let action = match right {
        None => "no cause was found; WHO TAKES IT names the statements".to_string(),
        Some(unknown) => format!("{}, then observe again", unknown.needs),
    };
    Step { action, prove: "observe it while it is slow: narrows observe mariadb://…".to_string() }
}
