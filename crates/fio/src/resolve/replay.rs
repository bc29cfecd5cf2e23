//! What a log of operations can't go with, and what of a job it makes superfluous.

use super::Remarks;
use crate::draft::{Draft, EngineName};
use crate::job::{Amount, Replay};
use crate::problem::SettingTreatment;

pub(super) fn replay(draft: &Draft, remarks: &mut Remarks) -> Option<Replay> {
    let asked = &draft.replay;
    if asked.logs.is_empty() {
        let said = asked.no_stall
            || asked.redirect.is_some()
            || asked.scale.is_some()
            || asked.align_bytes.is_some()
            || asked.time_percent.is_some();
        if said {
            let sentence = "without read_iolog it changes nothing";
            remarks.note("replay_no_stall", SettingTreatment::AsFio, sentence);
        }
        return None;
    }
    let beside = [
        (draft.rate.is_some(), "rate", "operations have the log's times"),
        (draft.think_us > 0, "thinktime", "operations have the log's times"),
        (draft.verify.method.is_some(), "verify", "what a log wrote is not compared"),
        (draft.operations > 0, "number_ios", "a log is done whole"),
        (draft.io_size.is_some(), "io_size", "a log is done whole"),
        (draft.offset != Amount::Bytes(0), "offset", "a log has its places"),
        (draft.flow_weight > 0, "flow", "operations have the log's times"),
        (draft.flushes.fsync_every > 0, "fsync", "a log has its syncs"),
        (draft.flushes.fdatasync_every > 0, "fdatasync", "a log has its syncs"),
    ];
    for (_, option, why) in beside.into_iter().filter(|(given, ..)| *given) {
        let reason = format!("{option} beside read_iolog is not done: {why}");
        remarks.conflict(option, reason, "leave one of them out");
    }
    let threads = [EngineName::Psync, EngineName::Pvsync2, EngineName::Posixaio, EngineName::Mmap];
    if draft.offload && threads.contains(&draft.engine) {
        let reason = "threads that submit would change the order of a log";
        remarks.conflict("io_submit_mode", reason, "leave it out, or write ioengine=io_uring");
    }
    if draft.time_based || draft.loops > 1 {
        let sentence = "a log is done once, as in fio";
        remarks.note("read_iolog", SettingTreatment::AsFio, sentence);
    }
    Some(Replay {
        logs: asked.logs.clone(),
        no_stall: asked.no_stall,
        redirect: asked.redirect.clone(),
        scale: asked.scale.unwrap_or(1),
        align_bytes: asked.align_bytes.unwrap_or(1),
        time_percent: asked.time_percent.unwrap_or(100),
        skip: asked.skip,
    })
}
