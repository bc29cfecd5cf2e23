//! What `iostat -x` prints (sysstat 11 to 12): reads and writes of each device.
//!
//! The first report is of the time since the machine started, and is left out where others follow.

use std::collections::BTreeMap;

use narrows_model::{Layer, Measurement, Metric, MetricValue, condition, metric};

use crate::{ImportError, Imported, nothing, slug};

const TOOL: &str = "iostat";

pub(crate) fn is(text: &str) -> bool {
    text.lines().any(|line| heads(line).is_some())
}

/// The columns of a report's table.
fn heads(line: &str) -> Option<Vec<&str>> {
    let names: Vec<&str> = line.split_whitespace().collect();
    let of_devices = names.first().is_some_and(|name| name.starts_with("Device"));
    (of_devices && names.contains(&"r/s") && names.contains(&"w/s")).then_some(names)
}

/// What a device did in one direction in a report.
#[derive(Debug, Clone, Copy)]
struct DirectionRate {
    per_s: f64,
    bytes_per_s: Option<f64>,
    wait_ms: Option<f64>,
}

pub(crate) fn read(text: &str) -> Result<Imported, ImportError> {
    let mut reports: Vec<BTreeMap<(String, &'static str), DirectionRate>> = Vec::new();
    let mut columns: Option<Vec<&str>> = None;
    for line in text.lines() {
        if let Some(names) = heads(line) {
            columns = Some(names);
            reports.push(BTreeMap::new());
        } else if line.trim().is_empty() {
            columns = None;
        } else if let (Some(names), Some(report)) = (&columns, reports.last_mut()) {
            let cells: Vec<&str> = line.split_whitespace().collect();
            let of = |name: &str| {
                let at = names.iter().position(|known| *known == name)?;
                // Some locales have decimal commas; nothing here has thousands.
                cells.get(at)?.replace(',', ".").parse::<f64>().ok()
            };
            for (direction, rate, kb, mb, wait) in [
                ("read", "r/s", "rkB/s", "rMB/s", "r_await"),
                ("write", "w/s", "wkB/s", "wMB/s", "w_await"),
            ] {
                let Some(per_s) = of(rate) else { continue };
                let bytes =
                    of(kb).map(|kb| kb * 1024.0).or_else(|| of(mb).map(|mb| mb * 1_048_576.0));
                let device = cells[0].trim_end_matches(':').to_string();
                report.insert(
                    (device, direction),
                    DirectionRate { per_s, bytes_per_s: bytes, wait_ms: of(wait) },
                );
            }
        }
    }
    let mut left_out = Vec::new();
    if reports.len() > 1 {
        reports.remove(0);
        left_out
            .push("the first report, which is of the time since the machine started".to_string());
    }
    let mut rows: BTreeMap<(String, &'static str), Vec<DirectionRate>> = BTreeMap::new();
    for (key, row) in reports.into_iter().flatten() {
        rows.entry(key).or_default().push(row);
    }
    let measurements: Vec<Measurement> = rows
        .into_iter()
        .map(|((device, direction), rows)| of_device(&device, direction, &rows))
        .collect();
    if measurements.is_empty() {
        return Err(nothing(TOOL, "no device in it"));
    }
    Ok(Imported { tool: TOOL.to_string(), measurements, left_out, ..Imported::default() })
}

fn of_device(device: &str, direction: &'static str, rows: &[DirectionRate]) -> Measurement {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let id = format!("block.import.iostat.{}.{direction}", slug(device));
    let mut found = Measurement::new(id, Layer::Block);
    found.repeats = rows.len() as u32;
    let mut add = |metric: Metric, value: f64, values: Vec<f64>| {
        found.metrics.push(MetricValue::new(metric, value, None, values));
    };
    let rates: Vec<f64> = rows.iter().map(|row| row.per_s).collect();
    let all = rates.iter().sum::<f64>();
    add(metric::THROUGHPUT, mean(&rates), rates);
    let bytes: Option<Vec<f64>> = rows.iter().map(|row| row.bytes_per_s).collect();
    if let Some(bytes) = bytes {
        add(metric::BANDWIDTH, mean(&bytes), bytes);
    }
    // A mean over requests and not over reports.
    let waits: Option<Vec<f64>> = rows.iter().map(|row| row.wait_ms.map(|ms| ms * 1e6)).collect();
    if let Some(waits) = waits.filter(|_| all > 0.0) {
        let weighted = waits.iter().zip(rows).map(|(ns, row)| ns * row.per_s).sum::<f64>();
        add(metric::LATENCY_MEAN, weighted / all, waits);
    }
    found.workload.insert(condition::DIRECTION, direction);
    found.workload.insert(condition::OF, "whatever used the device");
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESULT: &str = "Linux 6.1.0 (db7) \t11/27/26 \t_x86_64_\t(2 CPU)

Device            r/s     rkB/s   r_await     w/s     wkB/s  w_await  %util
vda              1.00      8.00      9.00    1.00      8.00     9.00   1.00

avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           1.00    0.00    1.00    0.00    0.00   98.00

Device            r/s     rkB/s   r_await     w/s     wkB/s  w_await  %util
vda            100.00    800.00      1.00    0.00      0.00     0.00   9.00

Device            r/s     rkB/s   r_await     w/s     wkB/s  w_await  %util
vda            300,00   2400,00      2,00    0,00      0,00     0,00  20,00
";

    #[test]
    fn devices_are_measured_without_the_time_since_the_start() {
        let found = read(RESULT).unwrap();
        let reads = &found.measurements[0];
        assert_eq!(reads.id, "block.import.iostat.vda.read");
        assert_eq!(reads.value(metric::THROUGHPUT), Some(200.0));
        assert_eq!(reads.value(metric::BANDWIDTH), Some(1600.0 * 1024.0));
        assert_eq!(reads.value(metric::LATENCY_MEAN), Some(1.75e6), "by requests");
        assert_eq!(found.measurements[1].value(metric::LATENCY_MEAN), None, "nothing was written");
        assert_eq!(reads.repeats, 2);
        assert!(found.left_out[0].contains("since the machine started"));
    }
}
