//! Rates that must be reached and figures that become steady, in the light of the other settings.

use super::{Remarks, nanos};
use crate::draft::{Draft, SteadyDraft};
use crate::ending_rules::{LatencyTarget, MinimumRate, Steady, SteadyValue};
use crate::job::{Counted, PerDirection};
use crate::problem::SettingTreatment;

const SECOND_US: u64 = 1_000_000;
/// fio's limit where none is given.
const USUAL: SteadyDraft =
    SteadyDraft { value: SteadyValue::Iops, slope: true, percent: true, limit: 0.01 };
/// What a slope is worth.
const PER_SAMPLE: &str = "the slope is from one interval to the next, as in fio: over the whole window the figure may drift by as many times the limit as it has intervals";

pub(super) fn minimum(draft: &Draft, remarks: &mut Remarks) -> Option<MinimumRate> {
    let (counted, per_second) = match (draft.ending.minimum_bytes, draft.ending.minimum_operations)
    {
        (Some(_), Some(_)) => {
            let reason = "rate_min and rate_iops_min exclude each other";
            remarks.conflict("rate_min", reason, "leave one of them out");
            return None;
        }
        (Some(bytes), None) => (Counted::Bytes, bytes),
        (None, Some(operations)) => (Counted::Operations, operations),
        (None, None) => return None,
    };
    if let Some((_, rate)) = draft.rate.filter(|(of, _)| *of == counted) {
        let each = |of: PerDirection<Option<u64>>| [of.read, of.write, of.trim];
        let above =
            |(least, rate): (Option<u64>, Option<u64>)| rate.is_some_and(|rate| least > Some(rate));
        if each(per_second).into_iter().zip(each(rate)).any(above) {
            let reason = "the least rate is above the rate itself";
            remarks.conflict("rate_min", reason, "make it less than rate");
        }
    }
    let cycle = nanos(draft.ending.rate_cycle_ms.max(1).saturating_mul(1000));
    Some(MinimumRate { per_second, counted, cycle })
}

pub(super) fn latency_target(draft: &Draft) -> Option<LatencyTarget> {
    let asked = &draft.ending;
    (asked.latency_target_us > 0).then(|| LatencyTarget {
        target: nanos(asked.latency_target_us),
        window: nanos(asked.latency_window_us),
        percent: asked.latency_percent,
        goes_on: asked.latency_goes_on,
    })
}

/// Looks of a window that are kept at most.
const MOST_INTERVALS: u64 = 1 << 20;

pub(super) fn steady(draft: &Draft, remarks: &mut Remarks) -> Option<Steady> {
    let (duration_us, interval_us) =
        (draft.ending.steady_duration_us, draft.ending.steady_interval_us);
    if duration_us == 0 {
        if draft.ending.steady.is_some() {
            let sentence = "without steadystate_duration fio ignores it";
            remarks.note("steadystate", SettingTreatment::Warned, sentence);
        }
        return None;
    }
    if interval_us < SECOND_US {
        let reason = "looks are at least a second apart";
        remarks.conflict("steadystate_check_interval", reason, "write 1s or more");
        return None;
    }
    if !duration_us.is_multiple_of(interval_us) || duration_us <= interval_us {
        let reason = "its window is no multiple of the time between two looks, or only one";
        let hint = "make steadystate_duration a multiple of steadystate_check_interval (1s where none is given)";
        remarks.conflict("steadystate_duration", reason, hint);
        return None;
    }
    if duration_us / interval_us > MOST_INTERVALS {
        let reason = "its window has more than a million looks, each of which is kept";
        remarks.conflict("steadystate_duration", reason, "write a shorter one");
        return None;
    }
    let asked = draft.ending.steady.unwrap_or(USUAL);
    if asked.slope {
        remarks.note("steadystate", SettingTreatment::Warned, PER_SAMPLE);
    }
    Some(Steady {
        value: asked.value,
        slope: asked.slope,
        percent: asked.percent,
        limit: asked.limit,
        duration: nanos(duration_us),
        interval: nanos(interval_us),
        lead_in: nanos(draft.ending.steady_ramp_us),
    })
}
