//! Windows of one load, on their way to a measurement.

use narrows_model::{Measurement, Metric, condition, metric};
use serde_json::json;

use super::plan::CommitPlan;
use crate::collect::Collected;
use crate::medium::LogMedium;
use crate::writer::account::Account;
use crate::writer::drive::{Driven, Load};

/// The windows.
pub struct CalibrationWindows {
    load: Load,
    collected: Collected,
}

impl CalibrationWindows {
    pub fn new(load: Load) -> Self {
        CalibrationWindows { load, collected: Collected::default() }
    }

    /// Adds one and gives its figures.
    pub fn add(&mut self, driven: &Driven) -> Account {
        let account = driven.went.account();
        let collected = &mut self.collected;
        account.add_to(&mut collected.samples);
        match self.load {
            Load::Closed { sessions } | Load::Working { sessions, .. } => {
                collected.little(account.rate_per_s(), &account.wait, sessions);
            }
            Load::Open { .. } => {
                if let Some(mean_ns) = account.wait.mean() {
                    let in_flight = account.rate_per_s() * mean_ns / 1e9;
                    let samples = &mut collected.samples;
                    samples.add(metric::IN_FLIGHT, in_flight);
                }
            }
        }
        collected.seen(&driven.seen, driven.sentinels.0, driven.sentinels.1);
        collected.histogram(&account.wait);
        account
    }

    fn middle(&self, metric: Metric) -> Option<f64> {
        narrows_stats::median(self.collected.samples.get(metric))
    }

    pub fn rate_per_s(&self) -> Option<f64> {
        self.middle(metric::THROUGHPUT)
    }

    pub fn mean_ns(&self) -> Option<f64> {
        self.middle(metric::LATENCY_MEAN)
    }

    pub fn p99_ns(&self) -> Option<f64> {
        self.middle(metric::LATENCY_P99)
    }

    pub fn cpu_per_op_ns(&self) -> Option<f64> {
        self.middle(metric::CPU_PER_OP)
    }

    /// Processors that were used, from the time per commit.
    pub fn cpus_used(&self) -> Option<f64> {
        Some(self.rate_per_s()? * self.cpu_per_op_ns()? / 1e9)
    }

    /// The measurement; `verified` is what was read back.
    pub fn into_measurement(
        self,
        id: String,
        plan: &CommitPlan,
        segment: &dyn LogMedium,
        verified: (u64, u64),
    ) -> Measurement {
        let load = self.load;
        let mut measurement = self.collected.into_measurement(id, segment, verified);
        let workload = &mut measurement.workload;
        workload.insert(condition::SESSIONS, json!(load.sessions()));
        workload.insert(condition::SYNC_METHOD, json!("fdatasync"));
        workload.insert(condition::BYTES_PER_COMMIT, json!(plan.sizes.mean()));
        workload.insert(condition::SIZES_FROM, json!(plan.sizes_from));
        workload.insert(condition::STYLE, json!(plan.style.word()));
        workload.insert(condition::CPUS, json!(plan.cpus));
        if !plan.delay.time.is_zero() {
            workload.insert(condition::COMMIT_DELAY_NS, json!(plan.delay.time.as_nanos() as u64));
            workload.insert(condition::COMMIT_SIBLINGS, json!(plan.delay.siblings));
        }
        if let Load::Open { rate_per_s, arrivals, .. } = load {
            workload.insert(condition::LOOP, json!("open"));
            workload.insert(condition::RATE_PER_S, json!(rate_per_s));
            workload.insert(condition::ARRIVALS, json!(arrivals.word()));
        }
        measurement
    }
}
