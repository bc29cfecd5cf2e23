//! One invocation's whole result, as stored in a `*.narrows.json` file.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Calibration, Cause, Cgroup, Comparison, CrashTest, Durability, FileSharing, Finding, FlushTest,
    HighestRate, LiveLog, Measurement, Observation, OtherProgram, Plan, Platform, Scaling,
    Severity, Starts, Validity, Verdict,
};

/// The schema this version writes. Readers of old versions stay.
pub const SCHEMA: &str = "narrows.run/1";

/// Which program wrote the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Tool {
    /// `narrows`.
    pub name: String,
    /// Version.
    pub version: String,
}

/// What a host did in the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum HostRole {
    /// Server and load on one machine.
    ServerAndClient,
    /// The server.
    Server,
    /// The load.
    Client,
}

/// A machine that took part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Host {
    /// What it did.
    pub role: HostRole,
    /// Its inventory.
    pub platform: Platform,
    /// Its clock against the first host's, ns; zero for the first.
    pub clock_offset_ns: i64,
}

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Run {
    /// [`SCHEMA`].
    pub schema: String,
    /// Short random id.
    pub id: String,
    /// Who wrote it.
    pub tool: Tool,
    /// The command line, without secrets.
    pub command: Vec<String>,
    /// RFC 3339, UTC.
    pub started_at: String,
    /// RFC 3339, UTC; absent while running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
    /// Whether names of machines, people, places and parts were left out (`--anonymous`).
    #[serde(default, skip_serializing_if = "is_false")]
    pub anonymous: bool,
    /// Whether every planned step ran; a stopped run is readable and says so here.
    pub completed: bool,
    /// The plan as resolved.
    pub plan: Plan,
    /// The machines; the first one is the server.
    pub hosts: Vec<Host>,
    /// What was measured.
    pub measurements: Vec<Measurement>,
    /// What bears on the numbers.
    pub findings: Vec<Finding>,
    /// Where it is narrow.
    pub verdicts: Vec<Verdict>,
    /// Of observed servers: who or what takes the resource, and what would change that, the first to act on first. Derived.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<Cause>,
    /// Highest rates within a limit of latency, where they were searched for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calibrations: Vec<Calibration>,
    /// Whether what WAL acknowledges survives a power cut, for each role that was asked about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub durability: Vec<Durability>,
    /// Crash tests whose results were brought in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub crash_tests: Vec<CrashTest>,
    /// WAL locations beside each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Comparison>,
    /// Logs of servers that were observed and not loaded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub live_logs: Vec<LiveLog>,
    /// Servers that were observed and not loaded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observations: Vec<Observation>,
    /// How rates go with sessions. Derived.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scalings: Vec<Scaling>,
    /// How rates differ between starts of the server. Derived.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub starts: Vec<Starts>,
    /// Whether writers to one file wait for each other, where that was asked. Derived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_sharing: Option<FileSharing>,
    /// The highest rates that keep a percentile of latency.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub highest_rates: Vec<HighestRate>,
    /// Outputs of `pg_test_fsync` that were brought in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flush_tests: Vec<FlushTest>,
    /// The programs of others that used most of the machine meanwhile: a few by CPU time, then a few by bytes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_programs: Vec<OtherProgram>,
}

fn is_false(switch: &bool) -> bool {
    !switch
}

/// Why a run file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadRunError {
    /// Not JSON, or not of the shape.
    #[error("not a run file: {0}")]
    Malformed(#[from] serde_json::Error),
    /// What a page holds of a run can't be unpacked.
    #[error("the run in this page is damaged: {0}")]
    Packed(String),
    /// A schema of another version or program.
    #[error("its schema is `{found}`; this version reads `{SCHEMA}`")]
    Schema {
        /// What the file says.
        found: String,
    },
}

impl Run {
    /// A whole run of `narrows` on one machine, server and load, in which nothing was measured. It has no id, no command and no
    /// time.
    pub fn blank(plan: Plan, platform: Platform) -> Run {
        Run {
            schema: SCHEMA.to_string(),
            id: String::new(),
            tool: Tool {
                name: "narrows".to_string(),
                version: env!("CARGO_PKG_VERSION").to_string(),
            },
            command: Vec::new(),
            started_at: String::new(),
            finished_at: None,
            anonymous: false,
            completed: true,
            plan,
            hosts: vec![Host { role: HostRole::ServerAndClient, platform, clock_offset_ns: 0 }],
            measurements: Vec::new(),
            findings: Vec::new(),
            verdicts: Vec::new(),
            causes: Vec::new(),
            calibrations: Vec::new(),
            durability: Vec::new(),
            crash_tests: Vec::new(),
            comparison: None,
            live_logs: Vec::new(),
            observations: Vec::new(),
            scalings: Vec::new(),
            starts: Vec::new(),
            file_sharing: None,
            highest_rates: Vec::new(),
            flush_tests: Vec::new(),
            other_programs: Vec::new(),
        }
    }

    /// Reads a run file's text; the schema is checked before the shape, so that a newer file gets the
    /// right message.
    pub fn from_json(text: &str) -> Result<Run, ReadRunError> {
        let value: serde_json::Value = serde_json::from_str(text)?;
        let schema = value.get("schema").and_then(serde_json::Value::as_str).unwrap_or("none");
        if schema != SCHEMA {
            return Err(ReadRunError::Schema { found: schema.to_string() });
        }
        Ok(serde_json::from_value(value)?)
    }

    /// The run file's text. Names in it are those of others; a terminal that shows the file is not steered by them.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a run has only string keys");
        text.push('\n');
        narrows_units::shown_json(&text).into_owned()
    }

    /// Adds what was measured, without what is not a number ([`Measurement::drop_unknown`]).
    pub fn add(&mut self, measurements: impl IntoIterator<Item = Measurement>) {
        self.measurements.extend(measurements.into_iter().map(|mut measurement| {
            measurement.drop_unknown();
            measurement
        }));
    }

    /// The first host's inventory.
    pub fn platform(&self) -> Option<&Platform> {
        self.hosts.first().map(|host| &host.platform)
    }

    /// The control groups that limit what is measured, where these are other ones by now than when the inventory was made.
    pub fn set_groups(&mut self, groups: Cgroup) {
        if let Some(host) = self.hosts.first_mut() {
            host.platform.cgroup = groups;
        }
    }

    /// The measurement of that id.
    pub fn measurement(&self, id: &str) -> Option<&Measurement> {
        self.measurements.iter().find(|m| m.id == id)
    }

    /// Sets every measurement's validity and finding ids from the findings, and the validity of what rests on them.
    pub fn apply_findings(&mut self) {
        for measurement in &mut self.measurements {
            measurement.findings.clear();
            measurement.validity = Validity::Valid;
            for finding in &self.findings {
                if finding.measurement.as_deref() != Some(measurement.id.as_str()) {
                    continue;
                }
                measurement.findings.push(finding.id.clone());
                let validity = match finding.severity {
                    Severity::Note => Validity::Valid,
                    Severity::Suspect => Validity::Suspect,
                    Severity::Invalid => Validity::Invalid,
                };
                measurement.validity = measurement.validity.max(validity);
            }
        }
        let of = |id: &String| {
            let found = self.measurements.iter().find(|m| m.id == *id);
            // Whoever removed it from the file removed what speaks for the answer.
            found.map_or(Validity::Suspect, |m| m.validity)
        };
        let ids: Vec<String> = self.calibrations.iter().map(|c| c.id.clone()).collect();
        for calibration in &mut self.calibrations {
            calibration.validity = calibration.rests_on.iter().map(of).max().unwrap_or_default();
            // A search that found nothing rests on nothing; where none of its windows stands it has nothing to say either.
            let of_id = |m: &Measurement, id: &str| {
                m.id.as_str().strip_prefix(id).is_some_and(|rest| rest.starts_with('.'))
            };
            let own = |m: &&Measurement| {
                let nearer = |id: &String| id.len() > calibration.id.len() && of_id(m, id);
                of_id(m, &calibration.id) && !ids.iter().any(nearer)
            };
            let mut windows = self.measurements.iter().filter(own).peekable();
            if windows.peek().is_some() && windows.all(|m| m.validity == Validity::Invalid) {
                calibration.validity = Validity::Invalid;
            }
        }
        for highest in &mut self.highest_rates {
            highest.validity = highest.rests_on.iter().map(of).max().unwrap_or_default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CalibrationEnd, CalibrationGoal, Layer};

    fn calibration(rests_on: &[&str]) -> Calibration {
        Calibration {
            id: "block.calibrate.read.8k".to_string(),
            goal: CalibrationGoal {
                what: "8 KiB random reads".to_string(),
                block_bytes: 8192,
                read_share: 1.0,
                quantile: 0.99,
                limit_ns: 1_000_000,
                arrivals: "poisson".to_string(),
                beside: None,
            },
            end: CalibrationEnd::Found,
            sentence: String::new(),
            rate_per_s: Some(1000.0),
            interval_95: None,
            quantiles_ns: Vec::new(),
            repeats: (6, 6),
            latency_mean_ns: None,
            alone_ns: None,
            ceiling_per_s: None,
            ceiling_depth: None,
            knee_per_s: None,
            curve: Vec::new(),
            ramp: Vec::new(),
            cpu_per_op_ns: None,
            burst_per_s: None,
            thin: false,
            pooled: false,
            windows: 12,
            unusable_windows: 0,
            generator_per_s: None,
            bound: None,
            bandwidth_bytes_per_s: None,
            bandwidth_depth: None,
            process_bandwidth_bytes_per_s: None,
            oracle: None,
            rests_on: rests_on.iter().map(|id| (*id).to_string()).collect(),
            validity: Validity::Valid,
        }
    }

    fn run(findings: &[Severity], rests_on: &[&str]) -> Run {
        let finding = |severity: &Severity| Finding {
            id: "planted".to_string(),
            severity: *severity,
            summary: String::new(),
            evidence: String::new(),
            advice: String::new(),
            places: Vec::new(),
            measurement: Some("a".to_string()),
        };
        let plan = Plan { layers: vec![Layer::Block], ..Plan::default() };
        let mut run = Run {
            measurements: vec![
                Measurement::new("a", Layer::Block),
                Measurement::new("b", Layer::Block),
            ],
            findings: findings.iter().map(finding).collect(),
            calibrations: vec![calibration(rests_on)],
            ..Run::blank(plan, Platform::default())
        };
        run.apply_findings();
        run
    }

    #[test]
    fn an_answer_falls_with_what_it_rests_on() {
        let answer = |findings: &[Severity], rests_on: &[&str]| {
            let run = run(findings, rests_on);
            (run.calibrations[0].validity, run.calibrations[0].answer_per_s())
        };
        assert_eq!(answer(&[], &["a", "b"]), (Validity::Valid, Some(1000.0)));
        assert_eq!(answer(&[Severity::Invalid], &["b"]), (Validity::Valid, Some(1000.0)));
        assert_eq!(answer(&[Severity::Suspect], &["b", "a"]), (Validity::Suspect, Some(1000.0)));
        assert_eq!(answer(&[Severity::Invalid], &["b", "a"]), (Validity::Invalid, None));
        assert_eq!(answer(&[], &["a", "gone"]), (Validity::Suspect, Some(1000.0)));
    }

    #[test]
    fn a_search_that_found_nothing_is_invalid_where_all_of_its_windows_are() {
        let validity = |invalid: &[&str]| {
            let ids = ["block.calibrate.read.8k.alone", "block.calibrate.read.8k.ceiling"];
            let mut run = run(&[], &[]);
            run.calibrations.push(Calibration {
                id: "block.calibrate.read.8k.beside_log".to_string(),
                ..calibration(&[])
            });
            run.measurements = ids.map(|id| Measurement::new(id, Layer::Block)).to_vec();
            // Another search's, though its id begins like this one's.
            let other = "block.calibrate.read.8k.beside_log.alone";
            run.measurements.push(Measurement::new(other, Layer::Block));
            let finding = |id: &&str| Finding {
                id: "planted".to_string(),
                severity: Severity::Invalid,
                summary: String::new(),
                evidence: String::new(),
                advice: String::new(),
                places: Vec::new(),
                measurement: Some(format!("block.calibrate.read.8k.{id}")),
            };
            run.findings = invalid.iter().map(finding).collect();
            run.apply_findings();
            run.calibrations.iter().map(|c| c.validity).collect::<Vec<_>>()
        };
        use Validity::{Invalid, Valid};
        assert_eq!(validity(&["alone", "ceiling"]), [Invalid, Valid]);
        assert_eq!(validity(&["alone", "beside_log.alone"]), [Valid, Invalid]);
        assert_eq!(validity(&[]), [Valid, Valid]);
    }
}
