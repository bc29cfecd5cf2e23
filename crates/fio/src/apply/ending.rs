//! What begins and ends a job besides time and work: other jobs, a rate that is missed, a figure that is steady, a full device.

use super::Value;
use crate::draft::{Draft, SteadyDraft};
use crate::ending_rules::SteadyValue;
use crate::grammar::is_space;
use crate::job::Counted;
use crate::problem::{SettingTreatment, Wrong};
use crate::spelling::{decimal, percentiles};
use crate::written::{Counts, Size, size};

pub(super) fn apply(name: &str, value: &mut Value, draft: &mut Draft) -> Result<bool, Wrong> {
    match name {
        "threads" => {
            value.count(0, u64::from(u32::MAX))?;
            let sentence = "it belongs to fio's profile tiobench; in a job file fio takes it and does nothing with it: numjobs is how many, thread is that they are threads";
            value.remark(SettingTreatment::Warned, sentence);
        }
        "wait_for" => draft.waits_for = Some(value.text()?.to_string()),
        "fill_device" => draft.fills = value.flag()?,
        "rate_min" => minimum(value, Counted::Bytes, draft)?,
        "rate_iops_min" => minimum(value, Counted::Operations, draft)?,
        "rate_cycle" => draft.ending.rate_cycle_ms = value.count(0, u64::from(u32::MAX))?,
        "latency_target" => draft.ending.latency_target_us = value.time_us()?,
        "latency_window" => draft.ending.latency_window_us = value.time_us()?,
        "latency_percentile" => {
            draft.ending.latency_percent = match percentiles(value.text()?)?.as_slice() {
                [one] => *one,
                _ => return Err(Wrong::value("it is one share").hint("write 99.9")),
            }
        }
        "latency_run" => draft.ending.latency_goes_on = value.flag()?,
        "steadystate" => draft.ending.steady = Some(steady(value)?),
        "steadystate_duration" => draft.ending.steady_duration_us = value.time_us()?,
        "steadystate_ramp_time" => draft.ending.steady_ramp_us = value.time_us()?,
        "steadystate_check_interval" => draft.ending.steady_interval_us = value.time_us()?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn minimum(value: &mut Value, counted: Counted, draft: &mut Draft) -> Result<(), Wrong> {
    let mut asked = value.triplet()?;
    for part in [&mut asked.read, &mut asked.write, &mut asked.trim] {
        *part = part.filter(|rate| *rate > 0);
    }
    let some = asked.read.or(asked.write).or(asked.trim).is_some();
    match counted {
        Counted::Bytes => draft.ending.minimum_bytes = some.then_some(asked),
        Counted::Operations => draft.ending.minimum_operations = some.then_some(asked),
    }
    Ok(())
}

/// `iops:10%`, `bw_slope:2m`.
fn steady(value: &mut Value) -> Result<SteadyDraft, Wrong> {
    let text = value.text()?;
    let wrong = |why: String| Wrong::value(why).hint("write steadystate=iops:5% or bw_slope:0.3%");
    let Some((word, limit)) = text.split_once(':') else {
        return Err(wrong(format!("`{text}` has no limit")));
    };
    let (kind, slope) = match word.strip_suffix("_slope") {
        Some(kind) => (kind, true),
        None => (word, false),
    };
    let steady = match kind {
        "iops" => SteadyValue::Iops,
        "bw" => SteadyValue::Bandwidth,
        "lat" => SteadyValue::Latency,
        _ => {
            return Err(wrong(format!(
                "`{word}` is none of iops, bw and lat, with or without _slope"
            )));
        }
    };
    let (percent, limit) = match (limit.split_once('%'), steady) {
        (Some((number, "")), _) => (true, decimal(number.trim_end_matches(is_space))?),
        (Some(_), _) => return Err(wrong(format!("`{limit}` is no limit"))),
        (None, SteadyValue::Iops) => (false, decimal(limit)?),
        (None, SteadyValue::Bandwidth) => {
            let read = size(limit, value.base, Counts::Bytes)?;
            match value.value_with_remark(read) {
                Size::Count(bytes) => (false, bytes as f64),
                Size::Percent(percent) => (true, percent as f64),
            }
        }
        (None, SteadyValue::Latency) => {
            let why = "fio compares a time in µs with latencies in ns here";
            return Err(Wrong::misread(why).hint("write a share, as lat:5%"));
        }
    };
    Ok(SteadyDraft { value: steady, slope, percent, limit })
}
