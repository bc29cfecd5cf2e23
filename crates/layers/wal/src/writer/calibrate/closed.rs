//! Sessions that commit again at once, by their number: the wait of one alone, the most that all together get, and how many that
//! takes.

use std::collections::BTreeMap;

use narrows_engine::{KneeSearch, LiveValue};
use narrows_model::{DepthPoint, Measurement};

use super::bench::{Bench, WARM_UP};
use super::windows::CalibrationWindows;
use crate::LogError;
use crate::writer::Flusher;
use crate::writer::drive::Load;

/// Windows of each number of sessions.
const REPEATS: u32 = 3;

/// What the closed loops gave.
pub struct Closed {
    by_sessions: BTreeMap<u32, CalibrationWindows>,
    /// The number with the most.
    pub sessions: u32,
    /// Whether more than could be tried might give more.
    pub still_grew: bool,
    /// Processors that this process used there, of all that it may use.
    pub busy: (f64, usize),
}

/// Finds the ceiling.
pub fn closed<F: Flusher + Send>(bench: &mut Bench<'_, F>) -> Result<Closed, LogError> {
    let most = bench.plan.most_sessions.max(1);
    let mut search = KneeSearch::new(most);
    let mut by_sessions: BTreeMap<u32, CalibrationWindows> = BTreeMap::new();
    while let Some(sessions) = search.next_depth() {
        let rate_per_s = one(bench, sessions, &mut by_sessions)?;
        search.saw(sessions, rate_per_s);
    }
    let sessions = search.chosen().unwrap_or(1);
    // What lies beyond the most tells nothing.
    by_sessions.retain(|n, _| *n <= sessions);
    let tried: Vec<u32> = by_sessions.keys().copied().collect();
    for _ in 1..REPEATS {
        for n in &tried {
            one(bench, *n, &mut by_sessions)?;
        }
    }
    let cpus = bench.plan.cpus.len().max(1);
    let used = by_sessions.get(&sessions).and_then(CalibrationWindows::cpus_used).unwrap_or(0.0);
    let still_grew = sessions == most && most > 1;
    Ok(Closed { by_sessions, sessions, still_grew, busy: (used, cpus) })
}

fn one<F: Flusher + Send>(
    bench: &mut Bench<'_, F>,
    sessions: u32,
    by_sessions: &mut BTreeMap<u32, CalibrationWindows>,
) -> Result<f64, LogError> {
    bench.tell(&format!("{sessions} sessions in a closed loop"));
    let length = bench.plan.probe();
    let driven = bench.run(Load::Closed { sessions }, (length.mul_f64(WARM_UP), length))?;
    let kept = by_sessions
        .entry(sessions)
        .or_insert_with(|| CalibrationWindows::new(Load::Closed { sessions }));
    let rate_per_s = kept.add(&driven).rate_per_s();
    bench.last = Some(LiveValue::Commits(rate_per_s));
    Ok(rate_per_s)
}

impl Closed {
    /// Mean wait of one session alone, ns.
    pub fn alone_ns(&self) -> Option<f64> {
        self.by_sessions.get(&1)?.mean_ns()
    }

    /// The most, commits per second.
    pub fn ceiling_per_s(&self) -> f64 {
        self.by_sessions.get(&self.sessions).and_then(CalibrationWindows::rate_per_s).unwrap_or(0.0)
    }

    /// Processor time per commit there, ns.
    pub fn cpu_per_op_ns(&self) -> Option<f64> {
        self.by_sessions.get(&self.sessions)?.cpu_per_op_ns()
    }

    /// By number of sessions.
    pub fn points(&self) -> Vec<DepthPoint> {
        self.by_sessions
            .iter()
            .map(|(sessions, kept)| DepthPoint {
                depth: *sessions,
                rate_per_s: kept.rate_per_s().unwrap_or(0.0),
                latency_mean_ns: kept.mean_ns(),
                latency_p99_ns: kept.p99_ns(),
            })
            .collect()
    }

    /// `ID.sessions.N`.
    pub fn into_measurements(
        self,
        id: &str,
        finish: &impl Fn(CalibrationWindows, String) -> Measurement,
    ) -> Vec<Measurement> {
        self.by_sessions
            .into_iter()
            .map(|(sessions, kept)| finish(kept, format!("{id}.sessions.{sessions}")))
            .collect()
    }
}
