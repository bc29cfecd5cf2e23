//! What came out of one plant, and whether that is right.

use std::fmt;

use anyhow::{Context as _, Result};
use narrows_model::{Bottleneck, Grade, Measurement, Run, Verdict, metric};
use serde::{Deserialize, Serialize};

use super::suite::Plant;

/// What a change has to gain to be one.
pub(super) const GAIN: f64 = 0.15;

/// What narrows said, and by what it can be judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct PlantLook {
    pub name: String,
    /// What was expected when it was measured.
    pub expectation: String,
    pub narrow: Bottleneck,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub or: Option<Bottleneck>,
    pub grade: Grade,
    pub phrase: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    pub rate_per_s: f64,
    /// Time in statements by the server's account, ns; of an observed server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account_ns: Option<f64>,
    /// The same summed from its parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summed_ns: Option<f64>,
    /// Predicted over measured rate of the verdict's sum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sum: Option<f64>,
    /// Processors that the look took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_cpus: Option<f64>,
    /// Questions about states, a second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub questions_per_s: Option<f64>,
    /// Rules that fired.
    pub findings: Vec<String>,
    /// What the deciding change gained.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gain: Option<f64>,
    /// Processor time of a transaction before it over that after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub less_cpu: Option<f64>,
    /// The state of the program, as git names it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub state: String,
}

/// How often a plant was named, or several plants were.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Rate {
    pub looks: u32,
    pub right: u32,
    pub open: u32,
    pub wrong: u32,
    pub sure_and_wrong: u32,
}

impl Rate {
    /// Of these looks at one plant.
    pub(super) fn of<'s>(plant: &Plant, looks: impl IntoIterator<Item = &'s PlantLook>) -> Rate {
        let mut rate = Rate::default();
        looks.into_iter().for_each(|seen| rate.add(seen.outcome(plant), seen.grade));
        rate
    }

    pub(super) fn add(&mut self, outcome: Outcome, grade: Grade) {
        self.looks += 1;
        match outcome {
            Outcome::Right => self.right += 1,
            Outcome::Open => self.open += 1,
            Outcome::Wrong => self.wrong += 1,
        }
        self.sure_and_wrong += u32::from(outcome == Outcome::Wrong && grade == Grade::Confirmed);
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rate { looks, right, open, wrong, sure_and_wrong } = self;
        write!(
            f,
            "of {looks} looks {right} right, {open} open, {wrong} wrong ({sure_and_wrong} of them CONFIRMED)"
        )
    }
}

/// Whether what was said is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Named, and that is it.
    Right,
    /// No name was given, or two.
    Open,
    /// Another was named.
    Wrong,
}

impl PlantLook {
    /// What the run says of that plant.
    pub(super) fn of(plant: &Plant, run: &Run) -> Result<PlantLook> {
        let workload = plant.workload.as_deref().unwrap_or("observed");
        let verdict = run
            .verdicts
            .iter()
            .find(|verdict| verdict.workload == workload)
            .with_context(|| format!("no verdict on {workload}: {:?}", run.findings))?;
        let mut seen = PlantLook::said(plant, verdict);
        seen.findings = run.findings.iter().map(|finding| finding.id.clone()).collect();
        seen.findings.sort();
        seen.findings.dedup();
        let observed = run.observations.iter().find(|o| o.measurement == verdict.measurement);
        if let Some(observed) = observed {
            seen.cost_cpus = observed.cost.processors;
            let s = observed.interval_ns / 1e9;
            seen.questions_per_s = (s > 0.0).then(|| observed.activity.samples as f64 / s);
        }
        let measured = run.measurement(&verdict.measurement);
        let rate = measured.and_then(|m: &Measurement| m.value(metric::THROUGHPUT));
        seen.rate_per_s = rate.unwrap_or(verdict.throughput_per_s);
        Ok(seen)
    }

    fn said(plant: &Plant, verdict: &Verdict) -> PlantLook {
        let time = verdict.standing.as_ref().and_then(|standing| standing.time.as_ref());
        PlantLook {
            name: plant.name.clone(),
            expectation: plant.expectation(),
            narrow: verdict.narrow,
            or: verdict.or,
            grade: verdict.grade,
            phrase: verdict.phrase.clone(),
            reasons: verdict.reasons.clone(),
            rate_per_s: verdict.throughput_per_s,
            account_ns: time.map(|time| time.account_ns),
            summed_ns: time.map(|time| time.summed_ns),
            sum: verdict.sum.as_ref().map(|sum| sum.predicted_per_s / sum.measured_per_s),
            cost_cpus: None,
            questions_per_s: None,
            findings: Vec::new(),
            gain: None,
            less_cpu: None,
            state: String::new(),
        }
    }

    /// What the change gained beyond what less processor time of a transaction gives by itself where processors are full.
    fn gain_without_cpu(&self) -> Option<f64> {
        Some((1.0 + self.gain?) / self.less_cpu.unwrap_or(1.0).max(1.0) - 1.0)
    }

    /// Judged by what is expected now.
    pub(super) fn outcome(&self, plant: &Plant) -> Outcome {
        if self.grade == Grade::Undecided || self.or.is_some() {
            return Outcome::Open;
        }
        let right: Vec<Bottleneck> = match (&plant.decided, self.gain_without_cpu()) {
            (Some(decided), Some(gain)) if gain >= GAIN => decided.gains.clone(),
            (Some(decided), Some(_)) => decided.otherwise.clone(),
            (Some(_), None) => return Outcome::Open,
            (None, _) => plant.right.clone(),
        };
        if !right.contains(&self.narrow) || !self.phrase.contains(&plant.sentence) {
            return Outcome::Wrong;
        }
        match &plant.finding {
            // The name alone is half of the answer.
            Some(rule) if !self.findings.contains(rule) => Outcome::Open,
            _ => Outcome::Right,
        }
    }
}

impl Outcome {
    pub(super) fn word(self) -> &'static str {
        match self {
            Outcome::Right => "right",
            Outcome::Open => "open",
            Outcome::Wrong => "**wrong**",
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::plants::suite;

    pub(in crate::plants) fn seen(
        plant: &Plant,
        narrow: Bottleneck,
        grade: Grade,
        phrase: &str,
    ) -> PlantLook {
        PlantLook {
            name: plant.name.clone(),
            expectation: plant.expectation(),
            narrow,
            or: None,
            grade,
            phrase: phrase.to_string(),
            reasons: Vec::new(),
            rate_per_s: 1234.5,
            account_ns: Some(2e5),
            summed_ns: Some(1.9e5),
            sum: Some(1.01),
            cost_cpus: Some(0.0087),
            questions_per_s: Some(14.2),
            findings: Vec::new(),
            gain: None,
            less_cpu: None,
            state: String::new(),
        }
    }

    fn named(name: &str) -> Plant {
        suite::read().unwrap().into_iter().find(|plant| plant.name == name).unwrap()
    }

    #[test]
    fn only_the_expected_name_with_its_sentence_is_right() {
        let plant = named("quota-half");
        let of = |narrow, grade, phrase: &str| seen(&plant, narrow, grade, phrase).outcome(&plant);
        let phrase = "CPU quota of 0.50 CPUs, 97 % used";
        assert_eq!(of(Bottleneck::CpuQuota, Grade::Likely, phrase), Outcome::Right);
        assert_eq!(of(Bottleneck::CpuQuota, Grade::Undecided, phrase), Outcome::Open);
        assert_eq!(of(Bottleneck::CpuQuota, Grade::Likely, "CPU, 97 % busy"), Outcome::Wrong);
        assert_eq!(of(Bottleneck::Cpu, Grade::Confirmed, phrase), Outcome::Wrong);
        let two = PlantLook {
            or: Some(Bottleneck::Cpu),
            ..seen(&plant, Bottleneck::CpuQuota, Grade::Likely, phrase)
        };
        assert_eq!(two.outcome(&plant), Outcome::Open);
        let nameless = named("frozen-half");
        assert_eq!(
            seen(&nameless, Bottleneck::Client, Grade::Likely, "x").outcome(&nameless),
            Outcome::Wrong
        );
        assert_eq!(
            seen(&nameless, Bottleneck::Client, Grade::Undecided, "x").outcome(&nameless),
            Outcome::Open
        );
    }

    #[test]
    fn a_change_decides_and_a_finding_is_asked_for() {
        let plant = named("checkpoints-64");
        let rule = plant.finding.clone().unwrap();
        let with = |narrow, gain, findings: &[String]| {
            let base = seen(&plant, narrow, Grade::Likely, "commit wait; CPU 40 % busy");
            PlantLook { gain, findings: findings.to_vec(), ..base }.outcome(&plant)
        };
        let all = [rule];
        assert_eq!(with(Bottleneck::CommitWait, Some(0.6), &all), Outcome::Right);
        assert_eq!(with(Bottleneck::CommitWait, Some(0.6), &[]), Outcome::Open);
        assert_eq!(with(Bottleneck::CommitWait, Some(0.1), &all), Outcome::Wrong);
        assert_eq!(with(Bottleneck::Cpu, Some(0.1), &all), Outcome::Right);
        assert_eq!(with(Bottleneck::CommitWait, None, &all), Outcome::Open);
        // Where a transaction takes less processor time, full processors do more of them.
        let base = seen(&plant, Bottleneck::Cpu, Grade::Likely, "CPU");
        let cheaper = PlantLook { gain: Some(0.48), less_cpu: Some(1.45), ..base };
        assert_eq!(PlantLook { findings: all.to_vec(), ..cheaper }.outcome(&plant), Outcome::Right);
    }
}
