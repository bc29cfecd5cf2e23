//! One workload on one layer: what was asked, what came out, how often it was repeated.

#[cfg(feature = "schema")]
use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
#[cfg(feature = "schema")]
use serde_json::Value;

use crate::condition::{Conditions, Key, Shape};
use crate::metric::Metric;
use crate::{LoadedLink, MeasurementId};

/// A layer of the channel, from the clock that times everything to the database that uses everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// The cost of reading the time.
    Clock,
    /// Latency and bandwidth of memory.
    Memory,
    /// Block storage through a file system or a device.
    Block,
    /// Durable writes and group commit.
    Log,
    /// Storage reached through a network.
    Fabric,
    /// Transactions and scans.
    Database,
}

impl Layer {
    /// Every layer, in the order in which they are measured.
    pub const ALL: [Layer; 6] =
        [Layer::Clock, Layer::Memory, Layer::Block, Layer::Log, Layer::Fabric, Layer::Database];

    /// The word used in ids, on the screen and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Layer::Clock => "clock",
            Layer::Memory => "memory",
            Layer::Block => "block",
            Layer::Log => "log",
            Layer::Fabric => "fabric",
            Layer::Database => "database",
        }
    }
}

/// Whether a measurement may be used. Derived from its findings: the worst severity decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Validity {
    /// No finding worse than a note.
    #[default]
    Valid,
    /// Shown with a mark everywhere it appears; a verdict that would rest on it is withheld.
    Suspect,
    /// Shown as invalid; enters no verdict and no comparison.
    Invalid,
}

/// What was fresh in each repeat; the spread over repeats covers only what was fresh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Replication {
    /// A new window of the same process.
    PerWindow,
    /// A new server start.
    PerServerStart,
    /// A new boot.
    PerBoot,
}

/// The unit of a metric, spelled as it appears in the run file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Nanoseconds.
    Ns,
    /// Nanoseconds per operation.
    NsPerOp,
    /// Operations per second.
    OpsPerS,
    /// Bytes.
    Bytes,
    /// Bytes per second.
    BytesPerS,
    /// Bytes per operation.
    BytesPerOp,
    /// A plain count.
    Count,
    /// A count per operation.
    CountPerOp,
    /// A share; 1 is the whole.
    Ratio,
    /// CPUs, as seconds of CPU time per second.
    Cpus,
}

/// Which direction of a metric is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// A larger value is better.
    More,
    /// A smaller value is better.
    Less,
    /// Neither; the metric describes.
    Neither,
}

/// How an interval was obtained; each method states the number of runs from which it exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum IntervalMethod {
    /// Order statistics of the median; no assumption on the distribution, six runs or more.
    OrderStatistic,
    /// Student's t on the logarithms of the runs: assumes log-normal runs, three runs or more.
    LogT,
    /// Student's t on the logarithms of ratios of interleaved pairs, three pairs or more.
    PairedLogT,
    /// Student's t on the runs themselves, for their mean: six or more that are about alike and independent.
    MeanT,
    /// Studentized bootstrap of the runs' logarithms: no law of their scatter, eight runs of a side or more.
    Bootstrap,
    /// Carried through from intervals of the parts.
    Propagated,
    /// Binomial order statistics of a quantile inside the runs, widened by the effective sample size.
    QuantileBinomial,
}

/// A 95 % interval and the method that gave it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Where it comes from.
    pub method: IntervalMethod,
}

impl Interval {
    /// Half the width relative to the middle: the `±` of a table.
    pub fn relative_half_width(&self) -> f64 {
        let middle = (self.low + self.high) / 2.0;
        if middle == 0.0 { f64::INFINITY } else { (self.high - self.low) / 2.0 / middle.abs() }
    }
}

/// What was measured of one [`Metric`], with a sample per repeat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Metric"))]
pub struct MetricValue {
    /// A name from [`crate::metric`].
    pub name: String,
    /// Unit of value, interval and samples.
    pub unit: Unit,
    /// Which direction is good.
    pub better: Better,
    /// The median of the samples; of counters of a server that was only observed, what they changed over the whole observation.
    pub value: f64,
    /// 95 % interval over repeats, where a method gives one for this number of repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_95: Option<Interval>,
    /// One value per repeat, in the order of measurement.
    pub samples: Vec<f64>,
}

impl MetricValue {
    /// What was measured of `metric`: its median, an interval where there is one, and a sample per repeat.
    pub fn new(
        metric: Metric,
        value: f64,
        interval_95: Option<Interval>,
        samples: Vec<f64>,
    ) -> MetricValue {
        let Metric { name, unit, better, about: _ } = metric;
        MetricValue { name: name.to_string(), unit, better, value, interval_95, samples }
    }
}

/// A distribution of one repeat in the HdrHistogram V2 encoding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Histogram {
    /// `latency`, `latency_intended`, `lateness`.
    pub name: String,
    /// Unit of the recorded values.
    pub unit: Unit,
    /// Which repeat, from zero.
    pub repeat: u32,
    /// Base64 of the uncompressed HdrHistogram V2 bytes.
    pub hdr_v2: String,
}

/// A quantity over time inside one repeat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Series {
    /// A name from [`crate::metric`], or `curve.*` for a sweep, whose steps are then in `x`.
    pub name: String,
    /// Unit of the values.
    pub unit: Unit,
    /// Which repeat, from zero.
    pub repeat: u32,
    /// Start of the first slice after the start of the window, ns.
    pub t0_ns: u64,
    /// Length of a slice, ns; zero for a sweep.
    pub interval_ns: u64,
    /// The abscissa of a sweep (depth, sessions, bytes); empty for a time series.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub x: Vec<f64>,
    /// One value per slice or step.
    pub values: Vec<f64>,
}

/// What kind of ceiling a limit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LimitBasis {
    /// The signal rate.
    Raw,
    /// After encoding and headers.
    Protocol,
    /// What good systems reach.
    Expected,
    /// A limit an administrator set (a cgroup, a quota).
    Configured,
}

/// A limit beside a measurement and how much of it was reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LimitShare {
    /// For example `dram:node0` or `pcie:nvme0`.
    pub id: String,
    /// What kind of ceiling.
    pub basis: LimitBasis,
    /// The ceiling.
    pub value: f64,
    /// Its unit.
    pub unit: Unit,
    /// Measured over ceiling.
    pub share: f64,
    /// Where the figure comes from.
    pub source: String,
}

/// What others measured on the same class of part: "is this normal?".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct NormalFigure {
    /// What was measured, for people: `memory latency, own`.
    pub what: String,
    /// The class it was measured on: `epyc-9004`.
    pub of: String,
    /// The smallest that was published.
    pub low: f64,
    /// The largest.
    pub high: f64,
    /// The same here.
    pub measured: f64,
    /// Unit of all three.
    pub unit: Unit,
    /// Where it was published.
    pub source: String,
    /// What that is worth: `specification`, `vendor`, `measured_by_others`, `inferred`.
    pub grade: String,
}

/// One workload on one layer, with everything that was learned about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Measurement {
    /// Stable id: `block.read.random.8k.knee.uring`, `database.update`, `database.update.test.sync_off`.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub id: MeasurementId,
    /// Index into the run's hosts.
    pub host: u32,
    /// The layer it belongs to.
    pub layer: Layer,
    /// The workload as resolved: sizes, depths, threads, methods, seeds.
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, Value>"))]
    pub workload: Conditions,
    /// From the findings; see [`Validity`].
    pub validity: Validity,
    /// What was fresh in each repeat.
    pub replication: Replication,
    /// How many repeats.
    pub repeats: u32,
    /// The quantities.
    pub metrics: Vec<MetricValue>,
    /// The distributions, one per repeat and name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub histograms: Vec<Histogram>,
    /// Time series and sweeps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub series: Vec<Series>,
    /// Ceilings beside the measurement.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<LimitShare>,
    /// What others measured on the same class of CPU, link or drive, where that is known for sure.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub normals: Vec<NormalFigure>,
    /// What was obtained, as opposed to requested, and whatever else could explain a difference, by the
    /// keys of [`crate::condition`].
    #[serde(default, skip_serializing_if = "Conditions::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, Value>"))]
    pub conditions: Conditions,
    /// Ids of the findings that concern this measurement.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "crate::finding::read_ids"
    )]
    pub findings: Vec<String>,
}

impl Measurement {
    /// An empty measurement to which metrics are added.
    pub fn new(id: impl Into<MeasurementId>, layer: Layer) -> Self {
        Measurement {
            id: id.into(),
            host: 0,
            layer,
            workload: Conditions::default(),
            validity: Validity::Valid,
            replication: Replication::PerWindow,
            repeats: 0,
            metrics: Vec::new(),
            histograms: Vec::new(),
            series: Vec::new(),
            limits: Vec::new(),
            normals: Vec::new(),
            conditions: Conditions::default(),
            findings: Vec::new(),
        }
    }

    /// What was measured of that metric.
    pub fn metric(&self, metric: Metric) -> Option<&MetricValue> {
        self.metrics.iter().find(|m| m.name == metric)
    }

    /// The value of that metric.
    pub fn value(&self, metric: Metric) -> Option<f64> {
        self.metric(metric).map(|m| m.value)
    }

    /// What stands under a key of the workload or else of the conditions.
    pub fn get<T: Shape + ?Sized>(&self, key: Key<T>) -> Option<T::Read<'_>> {
        if self.workload.contains(key) { self.workload.get(key) } else { self.conditions.get(key) }
    }

    /// A number from the workload or else from the conditions.
    pub fn number(&self, key: Key<f64>) -> Option<f64> {
        self.get(key)
    }

    /// A text from the workload or else from the conditions.
    pub fn text(&self, key: Key<str>) -> Option<&str> {
        self.get(key)
    }

    /// The drives' PCIe links as they were read again while it was measured; those that always ran at their best aren't among
    /// them.
    pub fn links_under_load(&self) -> Vec<LoadedLink> {
        let value = self.get(crate::condition::LINKS_UNDER_LOAD.any());
        value.and_then(|value| Vec::deserialize(value).ok()).unwrap_or_default()
    }

    /// Leaves out what is not a number, such as the time per load of a window in which a busy machine let nobody load: JSON has no word
    /// for it, and a run file that held it could not be read again. A step of a sweep goes with its abscissa, a series over time whole.
    pub fn drop_unknown(&mut self) {
        self.metrics.retain_mut(|metric| {
            metric.samples.retain(|sample| sample.is_finite());
            let known = |interval: &Interval| interval.low.is_finite() && interval.high.is_finite();
            metric.interval_95 = metric.interval_95.take().filter(known);
            metric.value.is_finite()
        });
        self.series.retain_mut(|series| {
            if series.x.len() == series.values.len() {
                let steps = series.x.iter().zip(&series.values);
                let known = steps.filter(|(x, value)| x.is_finite() && value.is_finite());
                (series.x, series.values) = known.map(|(x, value)| (*x, *value)).unzip();
            }
            !series.values.is_empty() && series.values.iter().all(|value| value.is_finite())
        });
    }

    /// Whether a verdict may rest on it.
    pub fn usable(&self) -> bool {
        self.validity == Validity::Valid
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Plan, Platform, Run};

    #[test]
    fn what_is_not_a_number_does_not_cost_the_run_file() {
        let mut measurement = Measurement::new("memory.x", Layer::Memory);
        let metric = |value: f64, samples: &[f64]| MetricValue {
            name: "cost".into(),
            unit: Unit::NsPerOp,
            better: Better::Less,
            value,
            interval_95: Some(Interval {
                low: 1.0,
                high: f64::INFINITY,
                method: IntervalMethod::MeanT,
            }),
            samples: samples.to_vec(),
        };
        measurement.metrics = vec![metric(2.0, &[1.0, f64::NAN, 3.0]), metric(f64::NAN, &[1.0])];
        let series = |x: &[f64], values: &[f64]| Series {
            name: "curve.latency".into(),
            unit: Unit::NsPerOp,
            repeat: 0,
            t0_ns: 0,
            interval_ns: 0,
            x: x.to_vec(),
            values: values.to_vec(),
        };
        measurement.series = vec![
            series(&[0.0, 0.5, 1.0], &[5.0, f64::NAN, 7.0]),
            series(&[], &[5.0, f64::INFINITY]),
            series(&[0.0], &[f64::NAN]),
            series(&[], &[1.0, 2.0]),
        ];
        let mut run = Run::blank(Plan::default(), Platform::default());
        run.add([measurement]);
        let kept = &run.measurements[0];
        assert_eq!(kept.metrics.len(), 1);
        assert_eq!(
            (&kept.metrics[0].samples[..], kept.metrics[0].interval_95.is_none()),
            (&[1.0, 3.0][..], true)
        );
        let series: Vec<_> = kept.series.iter().map(|s| (&s.x[..], &s.values[..])).collect();
        assert_eq!(series, [(&[0.0, 1.0][..], &[5.0, 7.0][..]), (&[], &[1.0, 2.0])]);
        assert_eq!(Run::from_json(&run.to_json()).unwrap(), run);
    }
}
