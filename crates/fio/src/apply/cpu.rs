//! The engine that does no operations and keeps processors busy.

use super::Value;
use crate::draft::Draft;
use crate::problem::Wrong;
use crate::spelling::word;

pub(super) fn apply(name: &str, value: &mut Value, draft: &mut Draft) -> Result<bool, Wrong> {
    let cpu = &mut draft.cpu;
    match name {
        "cpuload" => cpu.load_percent = value.small(0, i32::MAX as u32)?,
        "cpuchunks" => cpu.chunk_us = value.count(1, i32::MAX as u64)?,
        "cpumode" => cpu.sorts = word(value.text()?, &["noop", "qsort"])?.0 == "qsort",
        "exit_on_io_done" => cpu.ends_with_others = value.flag()?,
        _ => return Ok(false),
    }
    Ok(true)
}
