//! Verification, and jobs that wait for each other's operations.

use super::Value;
use crate::draft::Draft;
use crate::options::limits;
use crate::problem::Wrong;
use crate::spelling::word;
use crate::verify::{HEADER_BYTES, METHODS, PatternPart, parse_pattern};

/// fio's least `verify_interval`, bytes.
const LEAST_UNIT: u32 = 2 * HEADER_BYTES as u32;
/// fio's largest weight.
const MOST_WEIGHT: u32 = 1000;

pub(super) fn apply(name: &str, value: &mut Value, draft: &mut Draft) -> Result<bool, Wrong> {
    Ok(settings(name, value, draft)? || flow(name, value, draft)?)
}

fn settings(name: &str, value: &mut Value, draft: &mut Draft) -> Result<bool, Wrong> {
    let verify = &mut draft.verify;
    match name {
        "verify" => {
            let mut words: Vec<&str> = METHODS.iter().map(|(name, _)| *name).collect();
            words.push("0");
            let text = value.text()?;
            if text.starts_with("sha3-") {
                return Err(Wrong::limit(&limits::SHA3));
            }
            let chosen = word(text, &words)?.0;
            verify.method =
                METHODS.iter().find(|(name, _)| *name == chosen).map(|(_, method)| *method);
            verify.method_given = true;
        }
        "do_verify" => verify.read_back = value.flag()?,
        "verify_policy" => {
            if word(value.text()?, &["completed", "fsynced"])?.0 == "fsynced" {
                return Err(Wrong::limit(&limits::ONLY_WHAT_WAS_SYNCED));
            }
        }
        "verify_only" => verify.only = value.flag()?,
        "verify_interval" => verify.unit_bytes = Some(value.small(LEAST_UNIT, i32::MAX as u32)?),
        "verify_offset" => {
            verify.header_at = Some(value.small(HEADER_BYTES as u32, i32::MAX as u32)?);
        }
        "verify_pattern" => verify.pattern = pattern(value, true)?,
        "verify_pattern_interval" => {
            verify.pattern_interval_bytes = value.small(0, i32::MAX as u32)?;
        }
        "verify_fatal" => verify.fatal = value.flag()?,
        "verify_backlog" => verify.backlog = value.count(0, u64::MAX)?,
        "verify_backlog_batch" => verify.batch = value.small(0, i32::MAX as u32)?,
        "verify_write_sequence" => verify.compares_number = Some(value.flag()?),
        "verify_header_seed" => verify.compares_seed = Some(value.flag()?),
        "verifysort"
        | "verifysort_nr"
        | "verify_dump"
        | "verify_async"
        | "verify_async_cpus"
        | "experimental_verify" => value.checked()?,
        "verify_state_save" => verify.saves_state = value.flag()?,
        "verify_state_load" => verify.loads_state = value.flag()?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn flow(name: &str, value: &mut Value, draft: &mut Draft) -> Result<bool, Wrong> {
    match name {
        "flow" => draft.flow_weight = value.small(0, MOST_WEIGHT)?,
        "flow_id" => draft.flow_group = value.small(0, i32::MAX as u32)?,
        "flow_sleep" => draft.flow_sleep_us = u64::from(value.small(0, i32::MAX as u32)?),
        // fio has withdrawn it, and goes on.
        "flow_watermark" => value.checked()?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// A pattern, taken apart.
pub(super) fn pattern(value: &mut Value, with_offset: bool) -> Result<Vec<PatternPart>, Wrong> {
    parse_pattern(value.text()?, with_offset).map_err(|reason| {
        Wrong::value(reason)
            .hint("write \"text\", 'file', 0xdeadface or a number, or several of them")
    })
}
