//! The closed loop of the beginning once more at the end: does the storage still give what it gave?
//!
//! A volume whose burst credits are used up, a drive whose cache of writes is full, and one that grew hot give less from some point on.
//! The search then finds the rate of one of two states, and no window says so. What the closed loop gives at the end is held against the
//! least that it gave at the beginning (rule `ceiling-fell`). Where between them it fell follows from the windows of the search, as far
//! as they show what could be had: a window shows at least what it got, and one that got less than was asked for shows no more.
//!
//! Large reads are done once more as well: volumes have credits of bytes besides those of operations.
//!
//! With a time without a load before it, the same is done once more after that time: a cache of drive, array or host that answered for a
//! file just written may have moved it by then (rule `slower-after-idle`).

use narrows_model::{Key, Measurement, condition};
use serde_json::json;

use super::bench::{Bench, WindowRate, WorkDone};
use super::large::{Large, once_more};
use super::ramp::Ramp;
use super::windows::CalibrationWindows;
use crate::BlockError;

/// Windows of each.
const REPEATS: u32 = 3;
/// As the rules have it: each window gave less than this share of the least before.
const FELL: f64 = 0.8;

/// What the windows at the end came to.
#[derive(Debug, Default)]
pub(super) struct ClosingWindows {
    /// The windows, and those after a time without a load.
    pub measurements: Vec<Measurement>,
    /// Ids of those that contradict what the answer rests on.
    pub contradict: Vec<String>,
}

/// Windows of the closed loop at the ceiling's depth, where there are time and bytes for them.
pub(super) fn again(
    bench: &mut Bench<'_>,
    (ramp, large): (&Ramp, Option<&Large>),
    id: &str,
) -> Result<ClosingWindows, BlockError> {
    let mut end = ClosingWindows::default();
    if !bench.has_time(REPEATS, bench.plan.probe(), 0.0) {
        return Ok(end);
    }
    let given = std::mem::take(&mut bench.given);
    let before = bench.done();
    let Some((windows, rates)) = closed(bench, ramp, "at the end")? else { return Ok(end) };
    let fell = fell(&rates, ramp.ceiling_least_per_s);
    let mut measurements = windows.into_measurements(&format!("{id}.again"));
    if let Some(first) = measurements.first_mut() {
        number(first, condition::EARLIER_LEAST_PER_S, ramp.ceiling_least_per_s);
        if let (true, Some(now)) = (fell, narrows_stats::median(&rates)) {
            let between = (ramp.ceiling_least_per_s * now).sqrt();
            let (from, to) = fell_between(&given, between, before);
            number(first, condition::OPERATIONS_BEFORE_FALL, from.operations as f64);
            number(first, condition::OPERATIONS_UNTIL_FALL_SEEN, to.operations as f64);
            number(first, condition::BEFORE_FALL_BYTES, from.bytes as f64);
            number(first, condition::UNTIL_FALL_SEEN_BYTES, to.bytes as f64);
            end.contradict.push(first.id.to_string());
        }
    }
    end.measurements = measurements;
    if let Some(large) = large.filter(|_| bench.has_time(REPEATS, bench.plan.probe(), 0.0)) {
        end.measurements.extend(once_more(bench, large, id)?);
    }
    after_idle(bench, ramp, id, &rates, &mut end)?;
    Ok(end)
}

/// The same after the time without a load, where one was asked for; it is no part of the time for all.
fn after_idle(
    bench: &mut Bench<'_>,
    ramp: &Ramp,
    id: &str,
    before: &[f64],
    end: &mut ClosingWindows,
) -> Result<(), BlockError> {
    let idle = bench.plan.idle;
    if idle.is_zero() {
        return Ok(());
    }
    bench.tell(&format!("nothing for {} s", idle.as_secs()));
    bench.ctx.stop.sleep(idle)?;
    let Some((windows, rates)) = closed(bench, ramp, "after the pause")? else { return Ok(()) };
    let least = before.iter().copied().reduce(f64::min).unwrap_or_default();
    let mut measurements = windows.into_measurements(&format!("{id}.idle"));
    if let Some(first) = measurements.first_mut() {
        number(first, condition::EARLIER_LEAST_PER_S, least);
        number(first, condition::IDLE_BEFORE_S, idle.as_secs_f64());
        if fell(&rates, least) {
            end.contradict.push(first.id.to_string());
        }
    }
    end.measurements.extend(measurements);
    Ok(())
}

/// The windows and their rates; `None` where nothing may be written any more.
fn closed(
    bench: &mut Bench<'_>,
    ramp: &Ramp,
    when: &str,
) -> Result<Option<(CalibrationWindows, Vec<f64>)>, BlockError> {
    let (mut windows, mut rates) = (CalibrationWindows::default(), Vec::new());
    for _ in 0..REPEATS {
        if !bench.has_bytes(ramp.ceiling_per_s, bench.plan.probe()) {
            return Ok(None);
        }
        bench.tell(&format!("closed loop, QD{}, {when}", ramp.depth));
        let shown = bench.closed(ramp.depth)?;
        rates.push(shown.load().throughput_per_s());
        windows.add(&shown);
    }
    Ok(Some((windows, rates)))
}

fn number(measurement: &mut Measurement, key: Key<f64>, value: f64) {
    measurement.conditions.insert(key, json!(value));
}

/// Whether all of these are far below that.
fn fell(rates: &[f64], least: f64) -> bool {
    !rates.is_empty() && rates.iter().all(|rate| *rate < FELL * least)
}

/// What had been done when the storage still gave more than `between`, and when it first gave less or `end` came.
fn fell_between(given: &[WindowRate], between: f64, end: WorkDone) -> (WorkDone, WorkDone) {
    let last = given.iter().rposition(|window| window.rate_per_s > between);
    let after = last.map_or(given, |at| &given[at + 1..]);
    let from = last.map_or(WorkDone::default(), |at| given[at].after());
    (from, after.iter().find(|window| window.limited).map_or(end, WindowRate::after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn windows(of: &[(f64, bool)]) -> (Vec<WindowRate>, WorkDone) {
        let own = WorkDone { operations: 1000, bytes: 8_192_000 };
        let mut done = WorkDone::default();
        let given = of.iter().map(|&(rate_per_s, limited)| {
            let before = done;
            done = before.and(own);
            WindowRate { before, own, rate_per_s, limited }
        });
        (given.collect(), done)
    }

    #[test]
    fn a_fall_lies_between_the_last_window_that_got_more_and_the_first_that_could_not() {
        // The ramp, the search up and down, two windows that asked for little, and the first that got less than it asked for.
        let (given, end) = windows(&[
            (10e3, false),
            (47e3, false),
            (40e3, false),
            (45e3, true),
            (9e3, false),
            (11e3, false),
            (12e3, true),
            (6e3, false),
        ]);
        let (from, to) = fell_between(&given, 24e3, end);
        assert_eq!((from.operations, to.operations), (4000, 7000));
        assert_eq!((from.bytes, to.bytes), (32_768_000, 57_344_000));
        // Nothing of the search shows it: then it was seen at the end.
        let (given, end) = windows(&[(47e3, false), (9e3, false)]);
        assert_eq!(fell_between(&given, 24e3, end), (given[0].after(), end));
        assert_eq!(fell_between(&[], 24e3, end), (WorkDone::default(), end));
    }

    #[test]
    fn every_window_has_to_be_lower() {
        assert!(fell(&[12e3, 11e3, 37.5e3], 47e3));
        assert!(!fell(&[12e3, 11e3, 37.7e3], 47e3));
        assert!(!fell(&[], 47e3));
    }
}
