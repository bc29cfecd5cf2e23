//! How the device was told to make a write durable: by a flush behind it, by the write itself (FUA), or not at all.
//!
//! From the device's own counters, where the kernel keeps them: requests of a flush per operation (`/proc/diskstats`, Linux 5.5),
//! and what the queue says of itself. A flush that was counted was sent; that it did something nobody here can see.

use narrows_model::{Measurement, Metric, Queue, metric};
use serde_json::json;

/// Flushes per operation from which each operation had one.
const EACH: f64 = 0.5;
/// And below which none had.
const NONE: f64 = 0.1;

/// Writes counts per operation and `durable_by` into the conditions of a step that ran alone.
pub fn durable_by(measurement: &mut Measurement, queue: Option<&Queue>) {
    let total = |name: Metric| measurement.metric(name).map(|m| m.samples.iter().sum::<f64>());
    let operations = total(metric::OPERATIONS).filter(|n| *n > 0.0);
    let each = |name: Metric| Some(total(name)? / operations?);
    let (flushes, writes) = (each(metric::DEVICE_FLUSHES), each(metric::DEVICE_WRITES));
    let word = word(flushes, queue);
    let conditions = &mut measurement.conditions;
    conditions.insert(narrows_model::condition::DEVICE_FLUSHES_PER_OP, json!(flushes));
    conditions.insert(narrows_model::condition::DEVICE_WRITES_PER_OP, json!(writes));
    conditions.insert(narrows_model::condition::DURABLE_BY, json!(word));
}

fn word(flushes_per_op: Option<f64>, queue: Option<&Queue>) -> &'static str {
    let cache = queue.and_then(|queue| queue.write_cache.as_deref());
    let fua = queue.and_then(|queue| queue.fua);
    match (flushes_per_op, cache, fua) {
        (Some(flushes), _, _) if flushes >= EACH => "flush",
        (_, Some("write through"), _) => {
            "nothing: the kernel treats the device as one without a volatile cache"
        }
        (Some(flushes), Some("write back"), Some(true)) if flushes < NONE => "fua",
        (Some(flushes), Some("write back"), Some(false)) if flushes < NONE => {
            "no flush was counted"
        }
        _ => "unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(cache: &str, fua: bool) -> Queue {
        Queue { write_cache: Some(cache.to_string()), fua: Some(fua), ..Queue::default() }
    }

    #[test]
    fn what_was_counted_speaks_before_what_is_announced() {
        let back = |fua| queue("write back", fua);
        assert_eq!(word(Some(1.0), Some(&back(true))), "flush");
        assert_eq!(word(Some(2.0), None), "flush", "two mirrors, no attributes");
        assert_eq!(word(Some(0.0), Some(&back(true))), "fua");
        assert_eq!(word(Some(0.01), Some(&back(false))), "no flush was counted");
        assert!(word(Some(0.0), Some(&queue("write through", false))).starts_with("nothing"));
        assert_eq!(word(None, Some(&back(true))), "unknown");
        assert_eq!(word(Some(0.3), Some(&back(true))), "unknown");
    }
}
