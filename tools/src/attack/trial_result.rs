//! What a program said in one trial, as far as the page tells it.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use narrows_model::{Bottleneck, Grade, Interval, Metric, Run, metric};
use serde::{Deserialize, Serialize};

use super::trial::Trial;
use crate::experiment_arguments::Program;

/// Metrics of the workload's measurement that are kept, those that are there.
const KEPT: [Metric; 12] = [
    metric::THROUGHPUT,
    metric::SERVER_CPU_PER_OP,
    metric::SERVER_CPUS,
    metric::SERVER_CPUS_AVAILABLE,
    metric::CLIENT_CPU_PER_OP,
    metric::WAIT_READ_PER_OP,
    metric::WAIT_CLIENT_PER_OP,
    metric::SERVER_READ_TIME_PER_OP,
    metric::BLOCK_READS_PER_OP,
    metric::SERVER_FLUSH_TIME,
    metric::WAL_BYTES_PER_OP,
    metric::FLUSHES_PER_OP,
];

/// Metrics whose repeats are kept: what was planted and what was found are of the same ones.
const BY_REPEAT: [Metric; 3] =
    [metric::WAIT_READ_PER_OP, metric::SERVER_READ_TIME_PER_OP, metric::BLOCK_READS_PER_OP];

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct TrialResult {
    pub experiment: u32,
    pub variant: String,
    pub program: Program,
    /// The state of the program, as git names it.
    pub state: String,
    /// The machine and its PostgreSQL, in words.
    pub machine: String,
    pub narrow: Bottleneck,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub or: Option<Bottleneck>,
    pub grade: Grade,
    pub phrase: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    pub rate_per_s: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_95: Option<Interval>,
    /// Predicted over measured rate of the verdict's sum, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sum: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<Tested>,
    /// What was planted, as it came about: what a sleep of the library took, without the wait for a CPU after it, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slept_ns: Option<f64>,
    pub values: BTreeMap<String, f64>,
    /// The same of each repeat, of those metrics that are held against each other.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub repeats: BTreeMap<String, Vec<f64>>,
    pub findings: Vec<String>,
}

/// The change that a program made to test its verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Tested {
    pub intervention: String,
    /// Relative change of the rate.
    pub effect: f64,
    /// What the verdict predicted.
    pub expected: [f64; 2],
    pub confirms: bool,
    /// Processor time of an operation in the test, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_cpu_per_op: Option<f64>,
}

impl TrialResult {
    pub(super) fn of(trial: &Trial, run: &Run) -> Result<TrialResult> {
        let verdict = run
            .verdicts
            .iter()
            .find(|verdict| verdict.workload == trial.workload)
            .with_context(|| format!("no verdict on {}: {:?}", trial.workload, run.findings))?;
        let measured = run.measurement(&verdict.measurement);
        let value = |metric| measured.and_then(|measured| measured.value(metric));
        let repeats = |metric| {
            let samples = measured.and_then(|measured| measured.metric(metric))?.samples.clone();
            (samples.len() > 1).then_some(samples)
        };
        let test = verdict.test.as_ref().map(|test| Tested {
            intervention: test.intervention.clone(),
            effect: test.effect,
            expected: [test.expected_low, test.expected_high],
            confirms: test.confirms,
            server_cpu_per_op: run
                .measurement(&test.measurement)
                .and_then(|measured| measured.value(metric::SERVER_CPU_PER_OP)),
        });
        let mut findings: Vec<String> =
            run.findings.iter().map(|finding| finding.id.clone()).collect();
        findings.sort();
        findings.dedup();
        Ok(TrialResult {
            experiment: trial.experiment,
            variant: trial.variant.clone(),
            program: Program::Now,
            state: String::new(),
            machine: String::new(),
            narrow: verdict.narrow,
            or: verdict.or,
            grade: verdict.grade,
            phrase: verdict.phrase.clone(),
            reasons: verdict.reasons.clone(),
            rate_per_s: verdict.throughput_per_s,
            interval_95: verdict.throughput_interval_95,
            sum: verdict.sum.as_ref().map(|sum| sum.predicted_per_s / sum.measured_per_s),
            test,
            slept_ns: None,
            values: KEPT.iter().filter_map(|m| Some((m.name.to_string(), value(*m)?))).collect(),
            repeats: BY_REPEAT
                .iter()
                .filter_map(|m| Some((m.name.to_string(), repeats(*m)?)))
                .collect(),
            findings,
        })
    }

    pub(super) fn key(&self) -> (u32, &str, Program) {
        (self.experiment, &self.variant, self.program)
    }

    /// Each repeat of two metrics, or their medians where the repeats were not kept.
    pub(super) fn pairs(&self, a: Metric, b: Metric) -> Vec<(f64, f64)> {
        let repeats = |metric: Metric| self.repeats.get(metric.name);
        match repeats(a).zip(repeats(b)) {
            Some((a, b)) => a.iter().copied().zip(b.iter().copied()).collect(),
            None => self.value(a).zip(self.value(b)).into_iter().collect(),
        }
    }

    pub(super) fn value(&self, metric: Metric) -> Option<f64> {
        self.values.get(metric.name).copied()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn said(experiment: u32, variant: &str) -> TrialResult {
        TrialResult {
            experiment,
            variant: variant.to_string(),
            program: Program::Now,
            state: "1a".to_string(),
            machine: "M".to_string(),
            narrow: Bottleneck::Cpu,
            or: None,
            grade: Grade::Likely,
            phrase: "CPU, 97 % busy".to_string(),
            reasons: Vec::new(),
            rate_per_s: 1000.0,
            interval_95: None,
            sum: None,
            test: None,
            slept_ns: None,
            values: BTreeMap::new(),
            repeats: BTreeMap::new(),
            findings: Vec::new(),
        }
    }
}
