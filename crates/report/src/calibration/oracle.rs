//! Oracle's three numbers as the documented call of `DBMS_RESOURCE_MANAGER.CALIBRATE_IO` prints them.

use narrows_model::{Calibration, OracleNumbers};
use narrows_units::significant;

use crate::document::{Entry, Inline, Style};

/// `max_iops = 80812`, `latency  = 0`, `max_mbps = 2088`, each with what it is, and why they are not the answer.
pub(super) fn form(c: &Calibration, reads: &str, numbers: &OracleNumbers) -> Vec<Entry> {
    let process =
        numbers.max_pmbps.map_or(String::new(), |one| format!("; one process: max_pmbps = {one}"));
    let mut differs = "the mean of a closed loop hides its tail and its queue".to_string();
    if let Some(rate) = c.answer_per_s().filter(|rate| *rate > 0.0) {
        let factor = significant(numbers.max_iops as f64 / rate, 3);
        differs += &format!(", so max_iops is {factor} × the answer");
    }
    differs += "; comparable only with another CALIBRATE_IO";
    let mbps = format!("{reads} reads, MB of 2^20 bytes{process}");
    let lines = [
        ("max_iops", numbers.max_iops, "reads per second of a closed loop"),
        ("latency", numbers.latency_ms, "their mean latency, whole ms, rounded down"),
        ("max_mbps", numbers.max_mbps, &mbps),
    ];
    let wide = lines.iter().map(|line| line.1.to_string().len()).max().unwrap_or(0);
    let entry = |(at, (word, figure, what)): (usize, &(&str, u64, &str))| {
        let text = Inline::from(format!("{word:<8} = {figure:<wide$}   ")).put(Style::Faint, *what);
        Entry::new(if at == 0 { "oracle" } else { "" }, text)
    };
    lines.iter().enumerate().map(entry).chain([Entry::new("", differs)]).collect()
}
