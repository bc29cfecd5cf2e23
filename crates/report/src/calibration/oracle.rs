//! Oracle's three numbers as the documented call of `DBMS_RESOURCE_MANAGER.CALIBRATE_IO` prints them.

use narrows_model::{Calibration, OracleNumbers};
use narrows_units::significant;

/// Oracle's form, and how it differs from the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OracleForm {
    /// `max_iops = 80812`, `latency  = 0`, `max_mbps = 2088`: name, number, what it is.
    pub lines: Vec<(String, String, String)>,
    /// Why they are not the answer.
    pub differs: String,
}

/// `numbers` in that form.
pub(super) fn form(c: &Calibration, numbers: &OracleNumbers) -> OracleForm {
    let line = |name: &str, number: u64, what: &str| {
        (name.to_string(), number.to_string(), what.to_string())
    };
    let process =
        numbers.max_pmbps.map_or(String::new(), |one| format!("; one process: max_pmbps = {one}"));
    let mut differs = "a mean in a closed loop hides its tail and its queue".to_string();
    if let Some(rate) = c.answer_per_s().filter(|rate| *rate > 0.0) {
        let factor = significant(numbers.max_iops as f64 / rate, 3);
        differs += &format!(", so max_iops is {factor} × the answer");
    }
    differs += "; compare it with another CALIBRATE_IO only";
    OracleForm {
        lines: vec![
            line("max_iops", numbers.max_iops, "reads per second of a closed loop"),
            line("latency", numbers.latency_ms, "their mean latency, whole ms, rounded down"),
            line("max_mbps", numbers.max_mbps, &format!("1 MiB reads, MB of 2^20 bytes{process}")),
        ],
        differs,
    }
}
