//! What a program said in one experiment, as far as the page tells it.

use std::collections::BTreeMap;
use std::process::Output;

use narrows_model::OtherProgram;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::experiments::CLEAN;
use super::trial::Trial;

/// Lines of a text that are kept.
const LINES: usize = 60;
/// Findings that are true of any short run on a machine with neighbours, and take nothing from a figure that is not marked besides.
const OF_SHORT_RUNS: [&str; 3] = ["burst-write", "few-repeats", "short-stroked"];

/// The worst that was said of a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub(super) enum Worst {
    /// Nothing was measured.
    #[default]
    Nothing,
    Valid,
    Suspect,
    Invalid,
}

/// A measurement's rate, and whether it is valid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Figure {
    pub per_s: f64,
    pub validity: Worst,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Answer {
    pub experiment: u32,
    pub variant: String,
    /// Of the program's sources, as git names them.
    pub state: String,
    /// In words.
    pub machine: String,
    /// Whether it is the program that was attacked.
    pub before: bool,
    pub honest: bool,
    /// Its exit code; -1 where a signal ended it.
    pub exit: i32,
    pub worst: Worst,
    /// Ids of what was found, by severity.
    pub findings: BTreeMap<String, Vec<String>>,
    /// What marks a figure, with the measurement and the evidence: of clean runs alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<String>,
    /// Who else used the CPUs meanwhile, by the account of processes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<OtherProgram>,
    /// Measurements with a rate, by validity.
    pub rates: BTreeMap<Worst, u32>,
    /// Of jobs and calibrations.
    pub figures: BTreeMap<String, Figure>,
    /// Sentences of calibrations and comparisons, and what was told where there is no run.
    pub says: Vec<String>,
    /// Windows of calibrations that were not used, because something held up the machine or narrows itself.
    #[serde(default)]
    pub dropped: u64,
    /// Its rate over that of fio.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over_fio: Option<f64>,
}

impl Answer {
    pub(super) fn of(trial: &Trial, output: &Output) -> Answer {
        let mut answer = Answer {
            experiment: trial.experiment,
            variant: trial.variant.clone(),
            exit: output.status.code().unwrap_or(-1),
            ..Answer::default()
        };
        let text = String::from_utf8_lossy(&output.stdout);
        match serde_json::from_str::<Value>(&text) {
            Ok(run) if run["measurements"].is_array() => answer.read(&run),
            Ok(other) => answer.says = vec![other.to_string()],
            Err(_) => {
                let told = String::from_utf8_lossy(&output.stderr);
                let lines = text.lines().chain(told.lines()).filter(|line| !line.trim().is_empty());
                answer.says = lines.take(LINES).map(|line| line.trim().to_string()).collect();
            }
        }
        answer
    }

    fn read(&mut self, run: &Value) {
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        for m in list(&run["measurements"]) {
            let validity = match m["validity"].as_str() {
                Some("invalid") => Worst::Invalid,
                Some("suspect") => Worst::Suspect,
                _ => Worst::Valid,
            };
            self.worst = self.worst.max(validity);
            let metrics = list(&m["metrics"]);
            let rate = metrics.iter().find(|metric| metric["name"] == "throughput");
            if let (Some(per_s), Some(id)) =
                (rate.and_then(|rate| rate["value"].as_f64()), m["id"].as_str())
            {
                *self.rates.entry(validity).or_default() += 1;
                if id.starts_with("block.job.") {
                    self.figures.insert(id.to_string(), Figure { per_s, validity });
                }
            }
        }
        for finding in list(&run["findings"]) {
            let (Some(id), Some(severity)) = (finding["id"].as_str(), finding["severity"].as_str())
            else {
                continue;
            };
            let ids = self.findings.entry(severity.to_string()).or_default();
            if !ids.iter().any(|other| other == id) {
                ids.push(id.to_string());
            }
            if self.experiment == CLEAN && severity != "note" && !OF_SHORT_RUNS.contains(&id) {
                let of = finding["measurement"].as_str().unwrap_or("the run");
                let evidence = finding["evidence"].as_str().unwrap_or_default();
                self.marks.push(format!("{id} of {of}: {evidence}"));
            }
        }
        let calibrations = list(&run["calibrations"]);
        let sentences = calibrations.iter().filter_map(|one| one["sentence"].as_str());
        self.says = sentences.map(str::to_string).collect();
        let dropped = calibrations.iter().filter_map(|one| one["unusable_windows"].as_u64());
        self.dropped = dropped.sum();
        let unknown = list(&run["hosts"][0]["platform"]["unknown"]);
        let unknown = unknown.iter().filter_map(|one| one["what"].as_str());
        let limits = unknown.filter(|what| what.starts_with("limits of"));
        self.says.extend(limits.map(|what| format!("not known: {what}")));
        for rate in calibrations.iter().filter_map(|one| one["rate_per_s"].as_f64()) {
            let figure = Figure { per_s: rate, validity: self.worst };
            self.figures.insert("calibration".to_string(), figure);
        }
        for m in list(&run["measurements"]) {
            for key in ["state", "sustained", "sentence"] {
                if let Some(said) = m["conditions"][key].as_str() {
                    self.says.push(said.to_string());
                }
            }
        }
    }

    fn all(&self) -> impl Iterator<Item = &str> {
        self.findings.values().flatten().map(String::as_str)
    }

    /// Whether one of these is found.
    pub(super) fn names(&self, ids: &[&str]) -> bool {
        self.all().any(|id| ids.contains(&id))
    }

    pub(super) fn says_any(&self, words: &[&str]) -> bool {
        let said = self.says.iter().map(|line| line.to_lowercase());
        said.into_iter().any(|line| words.iter().any(|word| line.contains(&word.to_lowercase())))
    }

    /// Whether no rate is given as valid.
    pub(super) fn nothing_valid(&self) -> bool {
        !self.rates.contains_key(&Worst::Valid)
    }

    /// Whether a calibration answers with more than that.
    pub(super) fn figure_above(&self, per_s: f64) -> bool {
        self.figures.get("calibration").is_some_and(|figure| figure.per_s > per_s)
    }

    pub(super) fn valid_above(&self, per_s: f64) -> bool {
        let valid = self.figures.values().filter(|figure| figure.validity == Worst::Valid);
        valid.into_iter().any(|figure| figure.per_s > per_s)
    }

    pub(super) fn figure_within(&self, least: f64, most: f64) -> bool {
        self.figures.values().any(|figure| (least..=most).contains(&figure.per_s))
    }

    /// Nothing is marked, but for what is true of every short run.
    pub(super) fn is_silent(&self) -> bool {
        self.marked().next().is_none() && self.exit == 0
    }

    /// What was found that marks a figure.
    pub(super) fn marked(&self) -> impl Iterator<Item = &str> {
        let marks = self.findings.iter().filter(|(severity, _)| *severity != "note");
        let marks = marks.flat_map(|(_, ids)| ids.iter().map(String::as_str));
        marks.filter(|id| !OF_SHORT_RUNS.contains(id))
    }

    pub(super) fn key(&self) -> (u32, &str, bool) {
        (self.experiment, &self.variant, self.before)
    }
}
