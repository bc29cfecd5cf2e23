//! Atomic writes: what else a job needs for them.

use super::Remarks;
use crate::draft::{Draft, EngineName};
use crate::job::{Blocks, PerDirection};
use crate::options::limits;
use crate::problem::SettingTreatment;

/// Whether writes are to be atomic.
pub(super) fn atomic_writes(
    draft: &Draft,
    blocks: &PerDirection<Blocks>,
    remarks: &mut Remarks,
) -> bool {
    if !draft.atomic {
        return false;
    }
    if !draft.replay.logs.is_empty() {
        remarks.limit(&limits::ATOMIC_SIZES);
        return false;
    }
    if !draft.work.write {
        let sentence = "the job writes nothing, and reads are as without it";
        remarks.note("atomic", SettingTreatment::AsFio, sentence);
        return false;
    }
    if !matches!(draft.engine, EngineName::Libaio | EngineName::IoUring) {
        remarks.limit(&limits::ATOMIC_ENGINES);
    }
    if !draft.files.direct {
        // fio starts such a job, and the kernel refuses its first write.
        let reason = "the kernel takes atomic writes past the page cache alone";
        remarks.conflict("atomic", reason, "write direct=1");
    }
    match blocks.write {
        Blocks::Fixed(bytes) if bytes.is_power_of_two() => {}
        Blocks::Fixed(bytes) => {
            let reason = format!("an atomic write has a power of two of bytes, and bs is {bytes}");
            remarks.conflict("atomic", reason, "write such a bs");
        }
        Blocks::Range { .. } | Blocks::Split(_) => remarks.limit(&limits::ATOMIC_SIZES),
    }
    true
}
