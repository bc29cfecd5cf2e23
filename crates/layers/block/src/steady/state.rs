//! What a write figure of other windows than rounds is worth.

use narrows_engine::SteadyState;
use narrows_engine::steady_state::{Ending, Medium, Round, WriteState};
use narrows_model::{Measurement, condition, metric};
use serde_json::json;

/// The word for a measurement that writes, with its windows taken for rounds. `before_bytes` were written before (its file), and
/// `range_bytes` are the addresses that it writes to, of the `capacity_bytes` that the medium holds.
///
/// An open loop shows the rate of its schedule whatever the medium does, so that its word is `burst`, as that of fewer
/// than five windows.
pub fn write_state(
    measurement: &Measurement,
    before_bytes: u64,
    range_bytes: Option<u64>,
    capacity_bytes: Option<u64>,
) -> WriteState {
    let rates = measurement.metric(metric::THROUGHPUT).map_or(&[][..], |m| &m.samples);
    if rates.is_empty() || measurement.text(condition::LOOP) == Some("open") {
        return WriteState::Burst;
    }
    let written = measurement.number(condition::WRITTEN_BYTES).map(|bytes| bytes as u64);
    let each = written.map(|bytes| bytes / rates.len() as u64);
    let medium = Medium {
        capacity_bytes,
        range_bytes,
        written_before_bytes: before_bytes,
        budget_bytes: None,
    };
    let mut state = SteadyState::new(medium, Ending::After(rates.len()));
    for (value, repeat) in rates.iter().zip(0..) {
        let fine = measurement.series.iter().find(|series| {
            series.repeat == repeat && series.name == metric::THROUGHPUT && series.x.is_empty()
        });
        let series = fine.map(|series| series.values.clone()).unwrap_or_default();
        state.saw(Round { value: *value, written_bytes: each, series });
    }
    state.verdict().state
}

/// Says whose place it is, and of writes what their rate is worth.
pub(crate) fn with_role_and_state(mut measurement: Measurement, writes: bool) -> Measurement {
    measurement.conditions.insert(condition::ROLE, json!("data"));
    if writes {
        // Capacity unknown: at best it is not known to fall.
        let state = write_state(&measurement, 0, None, None);
        measurement.conditions.insert(condition::WRITE_STATE, json!(state.word()));
    }
    measurement
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_model::{Layer, MetricValue};

    const GIB: u64 = 1 << 30;

    fn measurement(rates: &[f64]) -> Measurement {
        let mut measurement = Measurement::new("block.write.random.8k.knee", Layer::Block);
        measurement.workload.insert(condition::LOOP, json!("closed"));
        measurement.conditions.insert(narrows_model::condition::WRITTEN_BYTES, json!(10 * GIB));
        measurement.metrics.push(MetricValue::new(metric::THROUGHPUT, 0.0, None, rates.to_vec()));
        measurement
    }

    #[test]
    fn the_word_follows_from_windows_capacity_range_and_what_was_written() {
        let steady = measurement(&[1000.0; 10]);
        // Ten windows of 1 GiB each: five of them before the last five.
        let of = |m: &Measurement, before, range, capacity| {
            write_state(m, before * GIB, Some(range), capacity)
        };
        assert_eq!(of(&steady, 1, 3 * GIB, Some(3 * GIB)), WriteState::Sustained);
        assert_eq!(of(&steady, 1, 3 * GIB + 1, Some(3 * GIB)), WriteState::Burst);
        assert_eq!(of(&steady, 99, GIB, Some(3 * GIB)), WriteState::Burst, "a third of it");
        assert_eq!(of(&steady, 1, GIB, None), WriteState::Unknown);
        assert_eq!(write_state(&steady, 99 * GIB, None, Some(GIB)), WriteState::Unknown);
        let falling: Vec<f64> = (0..10).map(|i| 1000.0 - 60.0 * f64::from(i)).collect();
        assert_eq!(of(&measurement(&falling), 9, GIB, Some(GIB)), WriteState::Burst);
        assert_eq!(of(&measurement(&[1000.0; 4]), 1, 1, Some(1)), WriteState::Burst);
        let mut open = steady;
        open.workload.insert(condition::LOOP, json!("open"));
        assert_eq!(of(&open, 9, GIB, Some(GIB)), WriteState::Burst);
    }
}
