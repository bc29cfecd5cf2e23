//! A job file that is run to its end, with all that it gave.

use std::fs;

use narrows_model::Run;
use serde_json::Value;

use super::{job_file, narrows, text};
use crate::common::Fixture;

/// What a run gave.
pub(super) struct JobRun {
    pub run: Run,
    /// fio's layout.
    pub fio: Value,
    pub code: Option<i32>,
    /// On standard error.
    pub said: String,
}

impl JobRun {
    /// Runs jobs of that text; a run that does not end by itself fails the test.
    pub fn of(f: &Fixture, jobs: &str) -> JobRun {
        let job = job_file(f, "jobs.fio", jobs);
        let json = f.home().join("jobs.json");
        let args =
            ["run", &job, "--format", "json", "--load-here", "--fio-json", json.to_str().unwrap()];
        let output = narrows(f, &args);
        let said = text(&output.stderr);
        let run = Run::from_json(&text(&output.stdout)).unwrap_or_else(|e| panic!("{e}:\n{said}"));
        assert!(run.completed, "{said}");
        let fio = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
        JobRun { run, fio, code: output.status.code(), said }
    }

    /// fio's entry of a job.
    pub fn fio_job(&self, name: &str) -> &Value {
        let mut jobs = self.fio["jobs"].as_array().unwrap().iter();
        jobs.find(|job| job["jobname"] == name).unwrap_or_else(|| panic!("{name} in {}", self.fio))
    }
}
