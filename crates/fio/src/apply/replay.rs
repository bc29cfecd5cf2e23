//! Logs of operations that are done again.

use super::Value;
use crate::draft::Draft;
use crate::files::names;
use crate::problem::Wrong;

pub(super) fn apply(name: &str, value: &mut Value, draft: &mut Draft) -> Result<bool, Wrong> {
    let replay = &mut draft.replay;
    match name {
        "read_iolog" => replay.logs = names(value.text()?)?,
        "read_iolog_chunked" => value.checked()?,
        "replay_no_stall" => replay.no_stall = value.flag()?,
        "replay_redirect" => replay.redirect = Some(value.text()?.to_string()),
        // 0 is none, as in fio.
        "replay_scale" => replay.scale = Some(value.count(0, i32::MAX as u64)?.max(1)),
        "replay_align" => {
            let align_bytes = value.count(1, i32::MAX as u64)?;
            if !align_bytes.is_power_of_two() {
                return Err(Wrong::value("an alignment is a power of two"));
            }
            replay.align_bytes = Some(align_bytes);
        }
        "replay_time_scale" => replay.time_percent = Some(value.small(1, i32::MAX as u32)?),
        "replay_skip" => {
            for word in value.text()?.split(',') {
                match word {
                    "read" => replay.skip.read = true,
                    "write" => replay.skip.write = true,
                    "trim" => replay.skip.trim = true,
                    "sync" => replay.skip.sync = true,
                    other => {
                        return Err(Wrong::value(format!("`{other}` is no kind of operation"))
                            .hint("write read, write, trim or sync, with commas between them"));
                    }
                }
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}
