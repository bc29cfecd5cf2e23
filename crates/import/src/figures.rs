//! Figures that somebody published or noted, in a TOML file: a run of what is known, so that it can be compared as any other.
//!
//! `[figures]` says where they are from; each `[[figure]]` is a metric of a measurement in the run file's unit of that metric.

use std::collections::BTreeMap;

use narrows_model::{Layer, Measurement, Metric, MetricValue, condition};
use serde::Deserialize;

use crate::{ImportError, Imported, nothing};

const TOOL: &str = "figures";
/// Layers by the beginning of a measurement's id.
const LAYERS: [Layer; 5] = [Layer::Clock, Layer::Memory, Layer::Block, Layer::Log, Layer::Database];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    figures: About,
    #[serde(default)]
    figure: Vec<PublishedFigure>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct About {
    /// Where they are published, or by what they were made.
    source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PublishedFigure {
    /// Its id: `block.read`.
    measurement: String,
    /// A metric: `throughput`.
    metric: String,
    /// In the metric's unit.
    value: f64,
}

pub(crate) fn is(text: &str) -> bool {
    text.lines().any(|line| line.trim() == "[figures]")
}

pub(crate) fn read(text: &str) -> Result<Imported, ImportError> {
    let file: File = toml::from_str(text).map_err(|error| nothing(TOOL, error.to_string()))?;
    let mut found: BTreeMap<String, Measurement> = BTreeMap::new();
    for PublishedFigure { measurement, metric, value } in &file.figure {
        let known = Metric::named(metric).ok_or_else(|| {
            nothing(TOOL, format!("{measurement}: no metric `{metric}`; narrows explain lists all"))
        })?;
        let layer = LAYERS
            .into_iter()
            .find(|layer| measurement.split('.').next() == Some(layer.word()))
            .ok_or_else(|| {
                nothing(
                    TOOL,
                    format!("{measurement}: an id begins with memory, block, log or database"),
                )
            })?;
        if !value.is_finite() {
            return Err(nothing(TOOL, format!("{measurement}, {metric}: not a number")));
        }
        let m = found.entry(measurement.clone()).or_insert_with(|| {
            let mut m = Measurement::new(measurement.as_str(), layer);
            m.repeats = 1;
            m.conditions.insert(condition::OF, file.figures.source.as_str());
            m
        });
        m.metrics.push(MetricValue::new(known, *value, None, vec![*value]));
    }
    if found.is_empty() {
        return Err(nothing(TOOL, "no [[figure]] in it"));
    }
    Ok(Imported {
        tool: TOOL.to_string(),
        measurements: found.into_values().collect(),
        left_out: Vec::new(),
        ..Imported::default()
    })
}

#[cfg(test)]
mod tests {
    use narrows_model::metric;

    use super::*;

    #[test]
    fn figures_are_measurements_and_mistakes_are_named() {
        let text = "[figures]\nsource = \"a write-up\"\n[[figure]]\nmeasurement = \"block.read\"\nmetric = \"throughput\"\nvalue = 100\n\
                    [[figure]]\nmeasurement = \"block.read\"\nmetric = \"latency_mean\"\nvalue = 5e5\n";
        let found = read(text).unwrap();
        let [m] = found.measurements.as_slice() else { panic!("{:?}", found.measurements) };
        assert_eq!(
            (m.value(metric::THROUGHPUT), m.value(metric::LATENCY_MEAN)),
            (Some(100.0), Some(5e5))
        );
        for (wrong, why) in [
            (text.replace("\"throughput\"", "\"speed\""), "no metric `speed`"),
            (text.replace("block.read", "drive.read"), "begins with memory, block"),
            (text.replace("value = 100", "value = 100\nunit = \"x\""), "unit"),
            ("[figures]\nsource = \"x\"\n".to_string(), "no [[figure]]"),
            (text.replace("100", "nan"), "not a number"),
        ] {
            let error = read(&wrong).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
