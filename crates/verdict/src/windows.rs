//! The law, applied to each window of a measurement by itself.
//!
//! Two bounds of one measurement scatter together: in a window with fewer transactions each of them takes more CPU time and waits
//! longer, and both bounds are lower. Whether one is lower than the other is asked window by window, so that what they share falls
//! out (a paired comparison; Box, Hunter & Hunter, *Statistics for Experimenters*, 2nd ed., 3.2).

use narrows_model::{Measurement, MetricValue, metric};
use narrows_stats::paired_ratio;

use crate::analysis::Analysis;
use crate::bound::{BoundLaw, Candidate};
use crate::demand::Demand;
use crate::estimate::Estimate;
use crate::session::TimeComponent;
use crate::threshold::WINDOWS_ALIKE;

/// What the law says of one window.
#[derive(Debug, Clone)]
pub(crate) struct WindowLaw {
    bounds: Vec<Candidate>,
    parts: Vec<(TimeComponent, f64)>,
}

/// What of the whole measurement's law its windows follow, so that the law does not change between them.
#[derive(Debug, Clone)]
pub(crate) struct WholeLaw {
    /// Resources that are saturated.
    pub saturated: Vec<BoundLaw>,
    /// Whether what others use of the CPUs counts as the server's.
    pub gives_back: bool,
}

/// The law on each window; none where there are not several, one of them lacks a rate or the parts of an operation's time, or they are
/// no repeats of each other: a load or a limit that changed between them is not chance.
pub(crate) fn laws(whole: &Analysis) -> Vec<WindowLaw> {
    let demand = &whole.demand;
    if demand.throughput.relative().is_none_or(|half| half > WINDOWS_ALIKE) {
        return Vec::new();
    }
    let saturated = whole.capacities.candidates.iter().filter(|c| c.is_saturated(demand.rate()));
    let law = WholeLaw {
        saturated: saturated.map(|candidate| candidate.place).collect(),
        gives_back: whole.leftovers.is_some(),
    };
    let windows = (0..number_of_windows(demand.measurement)).map(|index| {
        let window = window(demand.measurement, index);
        let of_window = Demand::read(&window, demand.workload).ok()?;
        let analysis = Analysis::before_choice(whole.run, of_window, Some(law.clone()));
        let parts = analysis.unqueued.as_ref()?.by_size();
        Some(WindowLaw {
            bounds: analysis.bounds().into_iter().cloned().collect(),
            parts: parts.into_iter().map(|(part, ns)| (part, ns.value)).collect(),
        })
    });
    windows.collect::<Option<_>>().unwrap_or_default()
}

impl Analysis<'_> {
    /// Whether two bounds differ by more than chance; window by window where both come from the measurement's own windows.
    pub(crate) fn bounds_differ(&self, a: &Candidate, b: &Candidate) -> bool {
        let rates = |bound: &Candidate| self.of_windows(|law| law.rate_of(bound));
        self.differ(a.rate, b.rate, rates(a).zip(rates(b)))
    }

    /// Whether two parts of an operation's time differ by more than chance, window by window.
    pub(crate) fn parts_differ(
        &self,
        a: (TimeComponent, Estimate),
        b: (TimeComponent, Estimate),
    ) -> bool {
        let times = |part: TimeComponent| self.of_windows(|law| law.ns_of(part));
        self.differ(a.1, b.1, times(a.0).zip(times(b.0)))
    }

    fn differ(&self, a: Estimate, b: Estimate, windows: Option<(Vec<f64>, Vec<f64>)>) -> bool {
        let ratio = windows.and_then(|(a, b)| paired_ratio(&a, &b)).and_then(|r| r.interval_95);
        match ratio {
            // Only their ratio is asked for, so that one of the two carries all of its doubt.
            Some(ratio) if a.value > 0.0 && b.value > 0.0 => {
                let relative = (ratio.high / ratio.low).sqrt() - 1.0;
                let doubted = Estimate { half: Some(a.value * relative), ..a };
                doubted.differs_from(&Estimate::exact(b.value))
            }
            _ => a.differs_from(&b),
        }
    }

    fn of_windows(&self, figure: impl Fn(&WindowLaw) -> Option<f64>) -> Option<Vec<f64>> {
        self.windows.iter().map(figure).collect()
    }
}

impl WindowLaw {
    /// The same bound's rate; `None` where its capacity was measured at another time, whose scatter no window holds.
    fn rate_of(&self, bound: &Candidate) -> Option<f64> {
        let one_of_its_kind = match bound.place {
            BoundLaw::Cpu | BoundLaw::Session | BoundLaw::Thread | BoundLaw::Client => true,
            BoundLaw::ReadLimit | BoundLaw::WriteLimit | BoundLaw::Link => false,
            _ => return None,
        };
        let same =
            |b: &&Candidate| b.place == bound.place && (one_of_its_kind || b.label == bound.label);
        self.bounds.iter().find(same).map(|bound| bound.rate.value)
    }

    fn ns_of(&self, part: TimeComponent) -> Option<f64> {
        self.parts.iter().find(|(of, _)| *of == part).map(|(_, ns)| *ns)
    }
}

/// Windows of which the rate is known.
fn number_of_windows(m: &Measurement) -> usize {
    m.metric(metric::THROUGHPUT).map_or(0, |rate| rate.samples.len())
}

/// A measurement of one window alone; what is not known by windows stays. Distributions and series are no part of the law.
fn window(whole: &Measurement, index: usize) -> Measurement {
    let windows = number_of_windows(whole);
    let of_window = |metric: &MetricValue| {
        let sample = metric.samples.get(index).filter(|_| metric.samples.len() == windows);
        MetricValue {
            value: sample.copied().unwrap_or(metric.value),
            interval_95: None,
            samples: Vec::new(),
            ..metric.clone()
        }
    };
    let mut window = Measurement::new(whole.id.clone(), whole.layer);
    window.workload = whole.workload.clone();
    window.conditions = whole.conditions.clone();
    window.limits = whole.limits.clone();
    window.metrics = whole.metrics.iter().map(of_window).collect();
    window
}
