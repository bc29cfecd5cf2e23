//! How long, how often, how fast, and what waits for what.

use super::Value;
use crate::draft::Draft;
use crate::job::{Counted, Exit};
use crate::options::limits;
use crate::problem::Wrong;
use crate::spelling::word;

/// Clones beyond this are a slip; fio's own limit on jobs.
const CLONES_MAX: u32 = 4096;

pub(super) fn apply(name: &str, value: &mut Value, draft: &mut Draft) -> Result<bool, Wrong> {
    match name {
        "name" => draft.name = Some(value.text()?.to_string()),
        "description" => draft.description = Some(value.text()?.to_string()),
        "numjobs" => draft.clones = value.small(1, CLONES_MAX)?,
        "thread" | "rate_ignore_thinktime" => value.checked()?,
        "runtime" => draft.runtime_us = value.time_us()?,
        "time_based" => draft.time_based = value.flag()?,
        "ramp_time" => draft.ramp_us = value.time_us()?,
        "startdelay" => {
            if value.text()?.contains('-') {
                return Err(Wrong::limit(&limits::RANDOM_DELAY));
            }
            draft.start_delay_us = value.time_us()?;
        }
        "loops" => draft.loops = value.count(1, u64::from(u32::MAX))?,
        "number_ios" => draft.operations = value.count(0, u64::MAX)?,
        "stonewall" => draft.stonewall = value.flag()?,
        "new_group" => draft.new_group = value.flag()?,
        "group_reporting" => draft.group_reporting = value.flag()?,
        "exitall" => draft.exit_with = value.flag()?,
        "exit_what" => {
            draft.exit = match word(value.text()?, &["group", "stonewall", "all"])?.0 {
                "stonewall" => Exit::Stonewall,
                "all" => Exit::All,
                _ => Exit::Group,
            }
        }
        "thinktime" => draft.think_us = value.time_us()?,
        "thinktime_spin" => draft.think_spin_us = value.time_us()?,
        "thinktime_blocks" => draft.think_blocks = Some(value.small(1, u32::MAX)?),
        "thinktime_blocks_type" => {
            draft.think_by_issue = word(value.text()?, &["complete", "issue"])?.0 == "issue";
        }
        "thinktime_iotime" => draft.think_iotime_us = value.time_us()?,
        "rate" => rate(value, Counted::Bytes, draft)?,
        "rate_iops" => rate(value, Counted::Operations, draft)?,
        "rate_process" => {
            draft.poisson = word(value.text()?, &["linear", "poisson"])?.0 == "poisson"
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn rate(value: &mut Value, counted: Counted, draft: &mut Draft) -> Result<(), Wrong> {
    let mut asked = value.triplet()?;
    for part in [&mut asked.read, &mut asked.write, &mut asked.trim] {
        *part = part.filter(|rate| *rate > 0);
    }
    let some = asked.read.or(asked.write).or(asked.trim).is_some();
    if draft.rate.is_some_and(|(other, _)| other != counted) && some {
        draft.both_rates = true;
    }
    if some {
        draft.rate = Some((counted, asked));
    } else if draft.rate.is_some_and(|(other, _)| other == counted) {
        draft.rate = None;
    }
    Ok(())
}
