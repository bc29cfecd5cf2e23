//! Gates: what a difference must not be, for scripts. `block.read.random.8k.knee.throughput < -5%`.

use std::str::FromStr;

use serde::Serialize;

use crate::{Against, MetricPair};

/// A bound on the growth of one metric. It fails where the growth crosses the bound.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gate {
    /// As it was typed.
    pub text: String,
    /// The measurement's id, and the metric's name.
    pub measurement: String,
    /// See there.
    pub metric: String,
    /// Whether the growth fails below the bound; else above it.
    pub below: bool,
    /// The bound, as a share.
    pub bound: f64,
}

/// How a gate came out.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "outcome", content = "why")]
pub enum GateOutcome {
    /// The interval of the growth is on the good side of the bound.
    Passed,
    /// It is on the bad side.
    Failed,
    /// The bound lies within it, or there is none: too few runs, or nothing to compare.
    Unresolved(String),
}

/// Why a text is no gate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no gate: {why}")]
pub struct ParseGateError {
    text: String,
    why: &'static str,
}

impl FromStr for Gate {
    type Err = ParseGateError;

    fn from_str(text: &str) -> Result<Gate, ParseGateError> {
        let wrong = |why| ParseGateError { text: text.to_string(), why };
        let (name, below, bound) = match (text.split_once('<'), text.split_once('>')) {
            (Some((name, bound)), None) => (name, true, bound),
            (None, Some((name, bound))) => (name, false, bound),
            _ => {
                return Err(wrong("it has one < or one >, as in database.update.throughput < -5%"));
            }
        };
        let (measurement, metric) = name
            .trim()
            .rsplit_once('.')
            .filter(|(measurement, metric)| !measurement.is_empty() && !metric.is_empty())
            .ok_or_else(|| wrong("a measurement and its metric stand before the sign, as in database.update.throughput"))?;
        let share = bound
            .trim()
            .strip_suffix('%')
            .ok_or_else(|| wrong("the bound is a growth in per cent, as in -5%"))?;
        let share: f64 = share
            .trim()
            .parse()
            .map_err(|_| wrong("the bound is a growth in per cent, as in -5%"))?;
        if !share.is_finite() || share <= -100.0 {
            return Err(wrong("no growth is that small or that large"));
        }
        Ok(Gate {
            text: text.to_string(),
            measurement: measurement.to_string(),
            metric: metric.to_string(),
            below,
            bound: share / 100.0,
        })
    }
}

impl Gate {
    /// How it comes out for one side.
    pub fn outcome(&self, against: &Against) -> GateOutcome {
        let Some(row) = against.rows.iter().find(|row| row.measurement == self.measurement) else {
            let why = against.unpaired.iter().find(|u| u.measurement == self.measurement);
            let why =
                why.map_or("no such measurement".to_string(), |unpaired| unpaired.why.clone());
            return GateOutcome::Unresolved(why);
        };
        if let Some(suspect) = &row.suspect {
            return GateOutcome::Unresolved(suspect.clone());
        }
        let mut pairs = std::iter::once(&row.leading).chain(&row.others);
        let Some(pair) = pairs.find(|pair| pair.metric == self.metric) else {
            let known: Vec<&str> = std::iter::once(&row.leading)
                .chain(&row.others)
                .map(|pair| pair.metric.as_str())
                .collect();
            return GateOutcome::Unresolved(format!(
                "{} has no such metric here; it has {}",
                self.measurement,
                known.join(", ")
            ));
        };
        self.decided(pair)
    }

    fn decided(&self, pair: &MetricPair) -> GateOutcome {
        let Some(interval) = &pair.interval_95 else {
            return GateOutcome::Unresolved("fewer than three runs of a side".to_string());
        };
        let (bad, good) = match self.below {
            true => (interval.high < self.bound, interval.low >= self.bound),
            false => (interval.low > self.bound, interval.high <= self.bound),
        };
        match (bad, good) {
            (true, _) => GateOutcome::Failed,
            (_, true) => GateOutcome::Passed,
            _ => GateOutcome::Unresolved(
                "the bound lies within the interval of the growth".to_string(),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_are_read_and_what_is_none_says_why() {
        let gate: Gate = "database.update.throughput < -5%".parse().unwrap();
        assert_eq!(
            (gate.measurement.as_str(), gate.metric.as_str()),
            ("database.update", "throughput")
        );
        assert!(gate.below && (gate.bound + 0.05).abs() < 1e-12);
        let gate: Gate = "log.append.fdatasync.idle.latency_p99>10 %".parse().unwrap();
        assert!(!gate.below && gate.metric == "latency_p99");
        for (text, part) in [
            ("throughput < -5%", "a measurement and its metric"),
            ("a.b = 5%", "one < or one >"),
            ("a.b < 5", "per cent"),
            ("a.b < x%", "per cent"),
            ("a.b < -100%", "no growth"),
            ("a.b < 1% > 2%", "one < or one >"),
        ] {
            let error = text.parse::<Gate>().unwrap_err().to_string();
            assert!(error.contains(part) && error.contains(text), "{error}");
        }
    }
}
