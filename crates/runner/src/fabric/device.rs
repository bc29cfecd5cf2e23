//! The drive behind a target, as a run on the target's own machine measured it: the storage's part where the target tells none.

use anyhow::{Context, Result};
use narrows_layer_fabric::{DeviceTime, SplitOperation};
use narrows_model::{Layer, Measurement, Run, Validity, condition, metric};

use crate::failure::Failure;
use crate::store;

/// Reads a saved run, and takes from it the operations that are divided.
///
/// # Errors
/// It can't be read, or has none of them.
pub(super) fn device_times(
    name: &str,
    operations: &[SplitOperation],
) -> Result<(String, Vec<DeviceTime>)> {
    let read = || store::load(&store::find(name)?);
    let run = read().with_context(|| format!("--device-run {name}"))?;
    let times = of_run(&run, operations);
    if times.is_empty() {
        let wanted: Vec<String> = operations.iter().map(|operation| operation.words()).collect();
        return Err(Failure::hinted(
            format!("--device-run {name}: run {} has none of: {}", run.id, wanted.join(", ")),
            "jobs of `narrows block run` on the target's machine: iodepth=1, direct=1, rw=randread, and rw=randwrite with sync=dsync; the book's page on NVMe/TCP has the file",
        ));
    }
    Ok((run.id.clone(), times))
}

/// Medians of jobs with one operation in flight; of several the first.
fn of_run(run: &Run, operations: &[SplitOperation]) -> Vec<DeviceTime> {
    let of = |operation: &SplitOperation| {
        let m = run.measurements.iter().find(|m| is(m, *operation))?;
        Some(DeviceTime { operation: *operation, median_ns: m.value(metric::LATENCY_P50)? })
    };
    operations.iter().filter_map(of).collect()
}

/// Whether a measurement is of this operation alone, past the page cache, and a write durable when it is answered.
fn is(m: &Measurement, operation: SplitOperation) -> bool {
    let direction = if operation.writes { "write" } else { "read" };
    m.layer == Layer::Block
        && m.validity != Validity::Invalid
        && m.text(condition::DIRECTION) == Some(direction)
        && m.number(condition::BLOCK_BYTES) == Some(f64::from(operation.bytes))
        && m.number(condition::DEPTH) == Some(1.0)
        && m.text(condition::LOOP) == Some("closed")
        && m.get(condition::DIRECT) == Some(true)
        && m.number(condition::NUMJOBS).is_none_or(|jobs| jobs == 1.0)
        && (!operation.writes || m.text(condition::SYNC).is_some())
}

#[cfg(test)]
mod tests {
    use narrows_model::{MetricValue, Plan, Platform};
    use serde_json::json;

    use super::*;

    const READ: SplitOperation = SplitOperation { writes: false, bytes: 8192 };
    const WRITE: SplitOperation = SplitOperation { writes: true, bytes: 8192 };

    fn job(direction: &str, change: impl Fn(&mut Measurement)) -> Measurement {
        let mut m = Measurement::new("block.job.a", Layer::Block);
        m.workload.insert(condition::DIRECTION, json!(direction));
        m.workload.insert(condition::BLOCK_BYTES, json!(8192));
        m.workload.insert(condition::DEPTH, json!(1));
        m.workload.insert(condition::LOOP, json!("closed"));
        m.conditions.insert(condition::DIRECT, json!(true));
        if direction == "write" {
            m.workload.insert(condition::SYNC, json!("dsync"));
        }
        m.metrics = vec![MetricValue::new(metric::LATENCY_P50, 90e3, None, vec![90e3])];
        change(&mut m);
        m
    }

    fn times(measurements: Vec<Measurement>) -> usize {
        let run = Run { measurements, ..Run::blank(Plan::default(), Platform::default()) };
        of_run(&run, &[READ, WRITE]).len()
    }

    #[test]
    fn jobs_with_one_operation_in_flight_are_the_drives_times() {
        let all = times(vec![job("read", |_| {}), job("write", |_| {})]);
        assert_eq!(all, 2);
        type Change = fn(&mut Measurement);
        let others: [Change; 5] = [
            |m| m.workload.insert(condition::DEPTH, json!(4)),
            |m| m.workload.insert(condition::BLOCK_BYTES, json!(4096)),
            |m| m.workload.insert(condition::LOOP, json!("open")),
            |m| m.conditions.insert(condition::DIRECT, json!(false)),
            |m| m.validity = Validity::Invalid,
        ];
        for other in others {
            assert_eq!(times(vec![job("read", other), job("write", other)]), 0);
        }
        // A write that a cache answers is no durable one.
        let cached = job("write", |m| m.workload.remove(condition::SYNC));
        assert_eq!(times(vec![cached]), 0);
    }
}
