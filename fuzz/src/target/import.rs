//! A result of another tool, or a server's own report.

use narrows_import::import;
use narrows_judge::judge;
use narrows_model::{Plan, Platform, Run};

use super::text;

/// Reads it, and judges what came out as a run.
pub fn check(data: &[u8]) {
    match import(&text(data)) {
        Ok(found) => {
            assert!(!found.measurements.is_empty(), "a result without a measurement");
            let finite =
                |m: &narrows_model::Measurement| m.metrics.iter().all(|v| v.value.is_finite());
            assert!(found.measurements.iter().all(finite), "a value that is no number");
            let mut run =
                Run { completed: true, ..Run::blank(Plan::default(), Platform::default()) };
            run.observations.extend(found.observation);
            run.measurements.extend(found.measurements);
            judge(&mut run);
            assert!(Run::from_json(&run.to_json()).is_ok(), "a run that can't be read back");
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
