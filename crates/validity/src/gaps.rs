//! Did the figure fall far below its level and come back? That is how it looks when a process is stopped, a limit is set for a
//! moment, or the storage stands still: the mean then is that of two states, and says nothing of either.
//!
//! A trend or step test misses it, because the level behind the gap is the one before it. What decides is how much of the window's
//! work is missing in slices below half of the usual slice, the median. Slow devices have no usual slice: where it holds fewer than
//! twenty operations, an empty one is chance. What comes again and again, in both halves of a window, is a property of the device
//! (collecting garbage, committing a journal), and the mean over it is its figure.

use narrows_model::{Measurement, condition, metric};
use narrows_units::{Ratio, significant};

use crate::quantity::headline;
use crate::stood_still;

/// Fewer slices have no usual one.
const FEWEST_SLICES: usize = 10;
/// Operations in the usual slice from which on half of them is not chance: more than two standard deviations of a Poisson count.
const FEWEST_OPERATIONS: f64 = 20.0;
/// A slice below this share of the usual one is in a gap.
const LOW: f64 = 0.5;
/// Gaps from which on, found in both halves of a window, they belong to the device.
const AGAIN_AND_AGAIN: usize = 4;

/// Gaps of a window.
#[derive(Debug, PartialEq)]
struct Gaps {
    /// Share of the window's work, at its usual rate, that is missing in them.
    missing: f64,
    count: usize,
    /// Slices of the longest, and the slice at which it begins.
    longest: usize,
    at: usize,
    usual: f64,
    /// The mean within them.
    within: f64,
}

/// Fires where in half of the windows or more at least the share `missing` of the work is missing in gaps.
pub(crate) fn evidence(m: &Measurement, missing: f64) -> Option<String> {
    let metric = headline(m)?;
    let name = metric.name.replace('_', " ");
    let windows: Vec<_> =
        m.series.iter().filter(|s| s.name == metric.name && s.interval_ns > 0).collect();
    let found: Vec<_> = windows
        .iter()
        .filter_map(|series| {
            let gaps = gaps(&series.values, series.interval_ns as f64 / 1e9)?;
            (gaps.missing > missing).then_some((series, gaps))
        })
        .collect();
    // The median of the windows is untouched by the gaps of a few.
    if 2 * found.len() < windows.len() {
        return None;
    }
    let (series, worst) = found.iter().max_by(|(_, a), (_, b)| a.missing.total_cmp(&b.missing))?;
    let seconds = |slices: usize| significant(slices as f64 * series.interval_ns as f64 / 1e9, 2);
    let times =
        if worst.count == 1 { "once".to_string() } else { format!("{} times", worst.count) };
    let place = if windows.len() > 1 {
        format!(" of window {} of {}", series.repeat + 1, windows.len())
    } else {
        String::new()
    };
    Some(format!(
        "{name} falls {times} from {} to {} per second on average, for {} s at most, {} s into it{place}; {} of the work is missing there{}",
        significant(worst.usual, 3),
        significant(worst.within, 3),
        seconds(worst.longest),
        seconds(worst.at),
        Ratio(worst.missing),
        whose(m, worst.missing),
    ))
}

/// Who stood still: this program, for the reason that counters tell; or else where the requests were, as far as the drives' own count of
/// them tells.
fn whose(m: &Measurement, missing: f64) -> String {
    if m.value(metric::STOOD_STILL).is_some_and(|share| share > missing / 2.0) {
        let why = stood_still::why(m).map(|why| format!(": {why}")).unwrap_or_default();
        return format!("; this program was not running for as long{why}");
    }
    let limits = m.metric(metric::IO_LIMIT_CHANGED);
    if limits.is_some_and(|changed| changed.samples.iter().any(|is| *is > 0.0)) {
        return "; the control group's I/O limit was another one meanwhile".to_string();
    }
    requests(m, missing).unwrap_or_default().to_string()
}

fn requests(m: &Measurement, missing: f64) -> Option<&'static str> {
    if m.text(condition::LOOP) == Some("open") {
        return None;
    }
    let share = m.value(metric::DEVICE_IN_FLIGHT)? / m.value(metric::DEPTH)?;
    Some(if share < 1.0 - missing / 2.0 {
        "; the drives had too few requests then: a limit, or something above them, held these back"
    } else {
        "; the drives had the requests then, and did not answer"
    })
}

fn gaps(values: &[f64], slice_s: f64) -> Option<Gaps> {
    let usual = narrows_stats::median(values)?;
    if values.len() < FEWEST_SLICES || usual * slice_s < FEWEST_OPERATIONS {
        return None;
    }
    let low = |value: &f64| *value < LOW * usual;
    let mut gaps = Gaps { missing: 0.0, count: 0, longest: 0, at: 0, usual, within: 0.0 };
    let (mut length, mut slices, mut halves) = (0, 0, [false; 2]);
    for (at, value) in values.iter().enumerate() {
        if !low(value) {
            length = 0;
            continue;
        }
        gaps.count += usize::from(length == 0);
        length += 1;
        slices += 1;
        gaps.missing += (1.0 - value / usual) / values.len() as f64;
        gaps.within += value;
        halves[usize::from(2 * at >= values.len())] = true;
        if length > gaps.longest {
            (gaps.longest, gaps.at) = (length, at + 1 - length);
        }
    }
    gaps.within /= slices.max(1) as f64;
    let property = gaps.count >= AGAIN_AND_AGAIN && halves == [true; 2];
    (gaps.count > 0 && !property).then_some(gaps)
}

#[cfg(test)]
mod tests {
    use narrows_model::{Layer, Metric, MetricValue};

    use super::*;

    fn window(of: impl Fn(usize) -> f64) -> Option<Gaps> {
        let values: Vec<f64> = (0..60).map(of).collect();
        gaps(&values, 0.1)
    }

    #[test]
    fn who_stood_still_is_told_apart_by_what_was_counted() {
        let said = |of: &[(Metric, f64)]| {
            let mut m = Measurement::new("block.job.a", Layer::Block);
            let each = of.iter().map(|(name, at)| MetricValue::new(*name, *at, None, vec![*at]));
            m.metrics = each.collect();
            whose(&m, 0.3)
        };
        let (depth, in_flight) = (metric::DEPTH, metric::DEVICE_IN_FLIGHT);
        let stopped = said(&[(metric::STOOD_STILL, 0.3), (metric::CONTINUED, 1.0)]);
        assert!(stopped.contains("not running") && stopped.contains("SIGCONT"), "{stopped}");
        let pulse = said(&[(metric::STOOD_STILL, 0.0), (metric::IO_LIMIT_CHANGED, 1.0)]);
        assert!(pulse.contains("I/O limit was another one"), "{pulse}");
        let above = said(&[(depth, 32.0), (in_flight, 20.0), (metric::IO_LIMIT_CHANGED, 0.0)]);
        assert!(above.contains("too few requests"), "{above}");
        let storage = said(&[(depth, 32.0), (in_flight, 31.0)]);
        assert!(storage.contains("did not answer"), "{storage}");
        assert_eq!(said(&[]), "");
    }

    #[test]
    fn a_stop_is_one_gap_with_its_length_and_place() {
        let found = window(|at| if (20..40).contains(&at) { 0.0 } else { 33e3 }).unwrap();
        assert_eq!((found.count, found.longest, found.at), (1, 20, 20));
        assert!((found.missing - 1.0 / 3.0).abs() < 1e-9);
        assert_eq!((found.usual, found.within), (33e3, 0.0));
    }

    #[test]
    fn noise_slow_devices_and_what_comes_again_are_no_gaps() {
        assert_eq!(window(|at| 33e3 * [1.0, 0.6, 1.3][at % 3]), None);
        // A disk: ten operations in a slice, and none in some.
        assert_eq!(window(|at| if at % 20 == 7 { 0.0 } else { 100.0 }), None);
        // A drive that collects garbage ten times.
        assert_eq!(window(|at| if at % 6 == 5 { 1e3 } else { 33e3 }), None);
        // As often, and all of it in the first half.
        assert!(window(|at| if at < 30 && at % 6 == 5 { 1e3 } else { 33e3 }).is_some());
        assert_eq!(gaps(&[33e3; 5], 0.1), None);
    }
}
