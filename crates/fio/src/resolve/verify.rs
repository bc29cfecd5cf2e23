//! What a job's settings of verification come to, as fio settles them.

use super::Remarks;
use crate::draft::Draft;
use crate::job::{Backlog, Blocks, Ending, PerDirection, Verify};
use crate::options::limits;
use crate::problem::SettingTreatment;
use crate::verify::{HEADER_BYTES, Method};

pub(super) fn verify(
    draft: &Draft,
    blocks: &PerDirection<Blocks>,
    ending: &Ending,
    remarks: &mut Remarks,
) -> Option<Verify> {
    let asked = &draft.verify;
    // A pattern alone is a method.
    let by_pattern = !asked.method_given && !asked.pattern.is_empty();
    let method = if by_pattern { Some(Method::PatternHdr) } else { asked.method }?;
    let work = draft.work;
    if !(work.read || work.write) {
        return None;
    }
    if matches!(method, Method::Pattern | Method::PatternHdr) && asked.pattern.is_empty() {
        let reason = format!("verify={} needs a pattern", method.name());
        remarks.conflict("verify", reason, "write verify_pattern");
        return None;
    }
    if !work.write && asked.compares_seed == Some(true) {
        remarks.limit(&limits::SEED_OF_OTHERS);
    }
    if asked.only && draft.time_based && work.write {
        remarks.conflict(
            "verify_only",
            "verify_only has an end, and time_based none",
            "leave one of them out",
        );
    }
    state(draft, ending, remarks);
    let unit_bytes = unit(draft, blocks, method, remarks);
    let endless = ending.time_based && work.write && !asked.only;
    if endless && asked.read_back {
        let sentence = "with time_based the time is over before anything is read back; \
                        verify_backlog reads back meanwhile";
        remarks.note("verify", SettingTreatment::Warned, sentence);
    }
    Some(Verify {
        method,
        unit_bytes,
        header_at: asked.header_at.filter(|_| method.has_header()),
        pattern: asked.pattern.clone(),
        pattern_interval_bytes: asked.pattern_interval_bytes,
        reads_back: asked.read_back && work.write && !endless,
        only: asked.only && work.write,
        backlog: (asked.read_back && work.write && asked.backlog > 0).then(|| Backlog {
            every: asked.backlog,
            batch: if asked.batch == 0 { asked.backlog } else { u64::from(asked.batch) },
        }),
        fatal: asked.fatal,
        compares_number: asked.compares_number.unwrap_or(true),
        // Whose write is there is as open as which of them.
        compares_seed: asked
            .compares_seed
            .unwrap_or(!(draft.atomic && asked.compares_number == Some(false))),
        saves_state: asked.saves_state && work.write && !asked.only,
        loads_state: asked.loads_state && !work.write,
    })
}

/// What a saved state can't go with.
fn state(draft: &Draft, ending: &Ending, remarks: &mut Remarks) {
    if !draft.verify.loads_state {
        return;
    }
    if draft.work.write {
        let reason = "a state says what to read, and the job writes";
        let hint = "load it in a job of rw=read or rw=randread";
        remarks.conflict("verify_state_load", reason, hint);
    }
    if ending.time_based {
        let reason = "a state has an end, and time_based none";
        remarks.conflict("verify_state_load", reason, "leave one of them out");
    }
}

/// Bytes of a unit: what is asked for, as far as it divides the blocks; else the largest that does, as in fio.
fn unit(
    draft: &Draft,
    blocks: &PerDirection<Blocks>,
    method: Method,
    remarks: &mut Remarks,
) -> u32 {
    let asked = draft.verify.unit_bytes.map(u64::from);
    let (smallest, largest) = (blocks.write.smallest_bytes(), blocks.write.largest_bytes());
    let mut unit = asked.unwrap_or(if smallest == largest { 0 } else { smallest });
    let smallest_read = blocks.read.smallest_bytes();
    if unit > smallest {
        unit = smallest;
    } else if draft.work.read && unit > smallest_read {
        unit = smallest_read;
    }
    if unit == 0 || !smallest.is_multiple_of(unit) || !largest.is_multiple_of(unit) {
        unit = common_divisor(smallest, largest);
    }
    if let Some(asked) = asked.filter(|asked| *asked != unit) {
        let sentence = format!("fio takes {unit} instead of {asked}: it has to divide every block");
        remarks.note("verify_interval", SettingTreatment::AsFio, sentence);
    }
    let sizes = [(draft.work.read, &blocks.read), (draft.work.write, &blocks.write)];
    let used = sizes.into_iter().filter(|(used, _)| *used).flat_map(|(_, blocks)| match blocks {
        Blocks::Fixed(bytes) => vec![*bytes],
        Blocks::Range { smallest_bytes, .. } => vec![*smallest_bytes],
        Blocks::Split(shares) => shares.iter().map(|share| share.bytes).collect(),
    });
    let odd = used.into_iter().find(|bytes| *bytes > unit && !bytes.is_multiple_of(unit));
    if let Some(odd) = odd {
        let reason = format!("blocks of {odd} bytes are no multiples of {unit}, which a unit has");
        remarks.conflict(
            "verify_interval",
            reason,
            "write a verify_interval that divides every block",
        );
    }
    check_room(draft, method, unit, remarks);
    unit as u32
}

/// Whether header and sum have room in a unit, where they are asked to stand.
fn check_room(draft: &Draft, method: Method, unit: u64, remarks: &mut Remarks) {
    if !method.has_header() {
        return;
    }
    let taken = (HEADER_BYTES + method.trailer_bytes()) as u64;
    if unit <= taken {
        let reason = format!("a unit has {unit} bytes, and header and sum take {taken}");
        remarks.conflict("verify_interval", reason, "write larger blocks or a shorter sum");
    }
    let Some(at) = draft.verify.header_at.map(u64::from) else { return };
    if at < taken || at + taken > unit {
        let reason =
            format!("at byte {at} of {unit} the {taken} bytes of header and sum have no room");
        let hint = format!("write a number from {taken} to {}", unit.saturating_sub(taken));
        remarks.conflict("verify_offset", reason, &hint);
    }
}

fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}
