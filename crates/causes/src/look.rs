//! One observed server as the rules read it.

use narrows_model::{
    ActivityState, Consumers, Measurement, Observation, Run, Validity, Verdict, metric,
};

/// An observation with its measurement, its verdict and its consumers.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    /// What was seen.
    pub seen: &'a Observation,
    /// Its measurement.
    pub measured: &'a Measurement,
    /// The verdict on it; absent where none is given.
    pub verdict: Option<&'a Verdict>,
    /// Who took what.
    pub consumers: &'a Consumers,
}

impl<'a> Look<'a> {
    /// `None` where nobody asked who takes what, and where the observation is invalid.
    pub fn of(run: &'a Run, seen: &'a Observation) -> Option<Look<'a>> {
        let measured = run.measurement(&seen.measurement)?;
        if measured.validity == Validity::Invalid {
            return None;
        }
        let verdict = run.verdicts.iter().find(|v| v.measurement == seen.measurement);
        Some(Look { seen, measured, verdict, consumers: seen.consumers.as_ref()? })
    }

    /// Length of the look, s.
    pub fn seconds(&self) -> f64 {
        self.seen.interval_ns / 1e9
    }

    /// Mean number of sessions and parallel workers in a statement, by the samples; `None` where that may not be seen.
    pub fn active(&self) -> Option<f64> {
        let sampled = self.consumers.sampled.as_ref().map(|sampled| sampled.active);
        let states = ActivityState::ALL.into_iter().filter(|state| state.is_at_work());
        let by_state =
            || states.filter_map(|state| self.seen.activity.of(state)).reduce(|a, b| a + b);
        sampled.or_else(by_state)
    }

    /// Share of the time of sessions and their workers in statements that they were found in that state; `None` where that may not be
    /// seen, or hardly anybody was active.
    pub fn share_of(&self, state: ActivityState) -> Option<f64> {
        let all: f64 = ActivityState::ALL
            .into_iter()
            .filter(|state| state.is_at_work())
            .filter_map(|state| self.seen.activity.of(state))
            .sum();
        (all >= 0.01).then(|| self.seen.activity.of(state).unwrap_or(0.0) / all)
    }

    /// Transactions that ended per second.
    pub fn rate(&self) -> Option<f64> {
        self.measured.value(metric::THROUGHPUT)
    }

    /// A setting's value, as `pg_settings` has it in its own unit.
    pub fn setting(&self, name: &str) -> Option<&'a str> {
        self.seen.setting(name).map(|setting| setting.value.as_str())
    }
}
