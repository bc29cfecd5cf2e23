//! In what company a measurement was made. Clean is what this project calls a machine that others left alone: the
//! hypervisor took less than 1 % of the processors' time, no more than 5 % of the window somebody waited for a
//! processor, and a fixed piece of work took as long after the window as before, each of them in every repeat.
//!
//! Says nothing about the figure itself: a clean window may have read zeros. It is what the claim "clean runs stay
//! silent" is counted over.

use narrows_model::{Measurement, Run, metric};

/// Share of processor time that the hypervisor may take.
const STEAL: f64 = 0.01;
/// Share of the window in which somebody may wait for a processor.
const PRESSURE: f64 = 0.05;
/// Change of the sentinel, either way; the bound of the rule `sentinel-drift`.
const SENTINEL: f64 = 0.10;

/// The worst of all repeats; what was not counted is absent.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Disturbance {
    /// Share of processor time that the hypervisor gave to others.
    pub steal: Option<f64>,
    /// Share of the window in which some task waited for a processor.
    pub cpu_pressure: Option<f64>,
    /// Change of the sentinel's time, without its sign.
    pub sentinel_drift: Option<f64>,
}

impl Disturbance {
    /// The company of a measurement.
    pub fn of(m: &Measurement) -> Disturbance {
        let worst = |name| {
            let metric = m.metric(name)?;
            let all = metric.samples.iter().chain(std::iter::once(&metric.value));
            all.map(|v| v.abs()).reduce(f64::max)
        };
        Disturbance {
            steal: worst(metric::STEAL),
            cpu_pressure: worst(metric::CPU_PRESSURE),
            sentinel_drift: worst(metric::SENTINEL_DRIFT),
        }
    }

    /// Whether it was clean. `None` where nothing speaks against it and something was not counted.
    pub fn clean(&self) -> Option<bool> {
        let within = [
            self.steal.map(|v| v < STEAL),
            self.cpu_pressure.map(|v| v < PRESSURE),
            self.sentinel_drift.map(|v| v <= SENTINEL),
        ];
        if within.contains(&Some(false)) {
            return Some(false);
        }
        within.iter().all(Option::is_some).then_some(true)
    }
}

/// Whether all measurements of a run were made in clean company. `None` where none was in bad company and of some it is
/// unknown, and for a run without measurements.
pub fn clean(run: &Run) -> Option<bool> {
    let all: Vec<Option<bool>> =
        run.measurements.iter().map(|m| Disturbance::of(m).clean()).collect();
    if all.contains(&Some(false)) {
        return Some(false);
    }
    (!all.is_empty() && all.iter().all(Option::is_some)).then_some(true)
}
