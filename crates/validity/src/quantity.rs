//! Figures that conditions are made of, and how they are looked up and printed.

use narrows_model::{Key, Metric, Observation, Unit, metric};
use narrows_units::{Bytes, BytesPerSecond, Nanos, OpsPerSecond, Ratio, significant};

use crate::evaluate::Case;
use crate::path;

/// A figure of a measurement, or made from several.
#[derive(Debug, Clone, Copy)]
pub enum Quantity {
    /// A metric of the measurement, one value per repeat.
    Metric(Metric),
    /// A metric, or this where it is absent: runs from before it was counted had one value of it.
    MetricOr(Metric, f64),
    /// A metric of another measurement (id, name).
    Of(&'static str, Metric),
    /// A number among workload or conditions.
    Number(Key<f64>),
    /// A fixed number.
    Constant(f64),
    /// All of these multiplied, repeat by repeat.
    Product(&'static [Quantity]),
    /// The first, or the second where that is less, repeat by repeat.
    AtMost(&'static Quantity, &'static Quantity),
    /// The first, or the second where that is more, repeat by repeat.
    AtLeast(&'static Quantity, &'static Quantity),
    /// A metric summed over all repeats.
    Total(Metric),
    /// A metric's largest repeat: what the median would hide of something that happened once.
    Largest(Metric),
    /// Bytes of a window per second of it.
    PerSecond(Metric),
    /// Hardware threads that are online.
    OnlineCpus,
    /// Memory that the page cache can have: the control group's limit, or else the machine's total, bytes.
    MemoryBytes,
    /// Capacity of the drives under the measurement's role, bytes.
    DriveBytes,
    /// A quarter of [`Quantity::MemoryBytes`].
    QuarterOfMemory,
    /// How many repeats there were.
    Repeats,
    /// Of what was observed beside the measurement: its name, its unit, where it stands.
    Seen(&'static str, Option<Unit>, fn(&Observation) -> Option<f64>),
}

/// A figure found: one value, or one per repeat.
#[derive(Debug, Clone)]
pub(crate) struct Figure {
    pub label: String,
    pub unit: Option<Unit>,
    pub values: Vec<f64>,
}

impl Quantity {
    /// The figure, or `None` where any part of it is unknown.
    pub(crate) fn resolve(&self, case: &Case<'_>) -> Option<Figure> {
        let label = self.label();
        let one = |unit, value| Some(Figure { label: label.clone(), unit, values: vec![value] });
        match *self {
            Quantity::Metric(name) => Some(from_metric(label, case.measurement.metric(name)?)),
            Quantity::MetricOr(name, otherwise) => match case.measurement.metric(name) {
                Some(metric) => Some(from_metric(label, metric)),
                None => one(None, otherwise),
            },
            Quantity::Of(id, name) => {
                Some(from_metric(label, case.run.measurement(id)?.metric(name)?))
            }
            Quantity::Number(key) => one(number_unit(key), case.measurement.number(key)?),
            Quantity::Constant(value) => one(None, value),
            Quantity::Product(parts) => {
                let parts: Option<Vec<Figure>> = parts.iter().map(|p| p.resolve(case)).collect();
                let times = |a, b| by_repeat(a, b, |x, y| x * y);
                let values = parts?.into_iter().map(|p| p.values).reduce(times)?;
                Some(Figure { label, unit: None, values })
            }
            Quantity::AtMost(of, bound) | Quantity::AtLeast(of, bound) => {
                let (of, bound) = (of.resolve(case)?, bound.resolve(case)?);
                let one_of = if matches!(self, Quantity::AtMost(..)) { f64::min } else { f64::max };
                let values = by_repeat(of.values, bound.values, one_of);
                Some(Figure { label, unit: of.unit, values })
            }
            Quantity::Total(name) => {
                let metric = case.measurement.metric(name)?;
                one(Some(metric.unit), from_metric(String::new(), metric).values.iter().sum())
            }
            Quantity::Largest(name) => {
                let metric = case.measurement.metric(name)?;
                let values = from_metric(String::new(), metric).values;
                one(Some(metric.unit), values.into_iter().reduce(f64::max)?)
            }
            Quantity::PerSecond(name) => {
                let bytes = from_metric(String::new(), case.measurement.metric(name)?).values;
                let window = from_metric(String::new(), case.measurement.metric(metric::WINDOW)?);
                let per_s = |bytes: f64, ns: f64| bytes * 1e9 / ns;
                let values = by_repeat(bytes, window.values, per_s);
                Some(Figure { label, unit: Some(Unit::BytesPerS), values })
            }
            Quantity::MemoryBytes => {
                let platform = case.platform()?;
                let total = Some(platform.memory.total_bytes).filter(|total| *total > 0);
                let limit = platform.cgroup.memory_limit_bytes;
                one(Some(Unit::Bytes), total.into_iter().chain(limit).min()? as f64)
            }
            Quantity::QuarterOfMemory => {
                let memory = Quantity::MemoryBytes.resolve(case)?;
                one(Some(Unit::Bytes), memory.median() / 4.0)
            }
            Quantity::OnlineCpus => {
                let threads = case.platform()?.cpu.threads;
                one(Some(Unit::Cpus), (threads > 0).then_some(f64::from(threads))?)
            }
            Quantity::DriveBytes => {
                let path = path::of(case)?;
                let sizes: Option<Vec<u64>> = path.drives().map(|d| d.size_bytes).collect();
                let total: u64 = sizes?.iter().sum();
                one(Some(Unit::Bytes), (total > 0).then_some(total as f64)?)
            }
            Quantity::Repeats => one(Some(Unit::Count), f64::from(case.measurement.repeats)),
            Quantity::Seen(_, unit, of) => {
                let mut all = case.run.observations.iter();
                let seen = all.find(|seen| seen.measurement == case.measurement.id)?;
                one(unit, of(seen)?)
            }
        }
    }

    /// The unit in which a bound on it is given; none for what has none, or several.
    pub(crate) fn unit(&self) -> Option<Unit> {
        match *self {
            Quantity::Metric(metric)
            | Quantity::MetricOr(metric, _)
            | Quantity::Of(_, metric)
            | Quantity::Total(metric)
            | Quantity::Largest(metric) => Some(metric.unit),
            Quantity::Number(key) => number_unit(key),
            Quantity::Product(parts) => product_unit(parts),
            Quantity::AtMost(of, _) | Quantity::AtLeast(of, _) => of.unit(),
            Quantity::MemoryBytes | Quantity::QuarterOfMemory | Quantity::DriveBytes => {
                Some(Unit::Bytes)
            }
            Quantity::Seen(_, unit, _) => unit,
            Quantity::PerSecond(_) => Some(Unit::BytesPerS),
            Quantity::Constant(_) | Quantity::OnlineCpus | Quantity::Repeats => None,
        }
    }

    /// Its name in evidence and in the book.
    pub fn label(&self) -> String {
        match *self {
            Quantity::Metric(metric) | Quantity::MetricOr(metric, _) => words(metric),
            Quantity::Of(id, metric) => format!("{} of {id}", words(metric)),
            Quantity::Number(key) => key.words(),
            Quantity::Constant(value) => value.to_string(),
            Quantity::Product(parts) => product_label(parts),
            Quantity::AtMost(of, bound) => {
                format!("{}, no more than {}", of.label(), bound.label())
            }
            Quantity::AtLeast(of, other) => {
                format!("{}, or {} if more", of.label(), other.label())
            }
            Quantity::Total(metric) => format!("{} over all repeats", words(metric)),
            // Its name says that it is the longest or the most.
            Quantity::Largest(metric) => words(metric),
            Quantity::PerSecond(metric) => format!("{} per second", words(metric)),
            Quantity::OnlineCpus => "CPUs online".to_string(),
            Quantity::MemoryBytes => "memory".to_string(),
            Quantity::QuarterOfMemory => "a quarter of the memory".to_string(),
            Quantity::DriveBytes => "drive capacity".to_string(),
            Quantity::Repeats => "repeats".to_string(),
            Quantity::Seen(name, ..) => name.to_string(),
        }
    }
}

/// A metric's name in evidence. What run files call looking is sampling.
pub(crate) fn words(metric: Metric) -> String {
    metric.name.replace('_', " ").replace("looking", "sampling")
}

/// The unit that the name of a condition ends with.
fn number_unit(key: Key<f64>) -> Option<Unit> {
    key.name().ends_with("_bytes").then_some(Unit::Bytes)
}

/// Bytes, where bytes per operation are multiplied by operations.
fn product_unit(parts: &[Quantity]) -> Option<Unit> {
    let units: Vec<_> = parts.iter().map(Quantity::unit).collect();
    (units == [Some(Unit::BytesPerOp), Some(Unit::Count)]).then_some(Unit::Bytes)
}

/// Conversions between units (powers of ten) are left out: the reader wants `window`, not `window × 1e-9`.
fn product_label(parts: &[Quantity]) -> String {
    let conversion =
        |q: &&Quantity| !matches!(q, Quantity::Constant(c) if c.log10().fract() == 0.0);
    parts.iter().filter(conversion).map(Quantity::label).collect::<Vec<_>>().join(" × ")
}

fn from_metric(label: String, metric: &narrows_model::MetricValue) -> Figure {
    let values =
        if metric.samples.is_empty() { vec![metric.value] } else { metric.samples.clone() };
    Figure { label, unit: Some(metric.unit), values }
}

/// Repeat by repeat; a single value goes with every repeat. Lists that don't match have no common repeats, so
/// their medians stand for them.
fn by_repeat(a: Vec<f64>, b: Vec<f64>, of: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    match (a.len(), b.len()) {
        (n, m) if n == m => a.iter().zip(&b).map(|(x, y)| of(*x, *y)).collect(),
        (_, 1) => a.iter().map(|x| of(*x, b[0])).collect(),
        (1, _) => b.iter().map(|y| of(a[0], *y)).collect(),
        _ => vec![of(median(&a), median(&b))],
    }
}

fn median(values: &[f64]) -> f64 {
    narrows_stats::median(values).unwrap_or(f64::NAN)
}

impl Figure {
    pub fn median(&self) -> f64 {
        median(&self.values)
    }

    /// Name and value as evidence shows them.
    pub fn show(&self, value: f64) -> String {
        format!("{} {}", self.label, with_unit(value, self.unit))
    }
}

/// A value in its unit, three figures.
pub(crate) fn with_unit(value: f64, unit: Option<Unit>) -> String {
    let plain = |value: f64| {
        if value.fract() == 0.0 && value.abs() < 1e6 {
            format!("{value:.0}")
        } else {
            significant(value, 3)
        }
    };
    match unit {
        Some(Unit::Ns | Unit::NsPerOp) if value >= 100.0 => Nanos(value as u64).to_string(),
        Some(Unit::Ns | Unit::NsPerOp) => format!("{} ns", significant(value, 3)),
        Some(Unit::OpsPerS) => OpsPerSecond(value).to_string(),
        Some(Unit::Bytes) => Bytes(value as u64).to_string(),
        Some(Unit::BytesPerOp) => format!("{} per operation", Bytes(value as u64)),
        Some(Unit::BytesPerS) => BytesPerSecond(value).to_string(),
        Some(Unit::Ratio) => Ratio(value).to_string(),
        Some(Unit::CountPerOp) => format!("{} per operation", significant(value, 3)),
        Some(Unit::Cpus) => plain(value),
        Some(Unit::Count) | None => plain(value),
    }
}

/// The figure a measurement is known by: its rate where it has one, else what one operation takes.
pub(crate) fn headline(m: &narrows_model::Measurement) -> Option<&narrows_model::MetricValue> {
    [metric::THROUGHPUT, metric::BANDWIDTH, metric::LATENCY_P50, metric::COST]
        .into_iter()
        .find_map(|metric| m.metric(metric))
}
