//! What keeping processors busy comes to.

use super::Remarks;
use crate::draft::Draft;
use crate::job::CpuBurn;
use crate::options::limits;
use crate::problem::SettingTreatment;

pub(super) fn burn(draft: &Draft, remarks: &mut Remarks) -> CpuBurn {
    let cpu = &draft.cpu;
    if cpu.load_percent == 0 {
        let reason = "ioengine=cpuio needs a cpuload";
        remarks.conflict("cpuload", reason, "write cpuload=50 for half of a CPU");
    }
    if cpu.load_percent > 100 {
        remarks.note("cpuload", SettingTreatment::AsFio, "more than 100 is 100: one CPU a thread");
    }
    if draft.runtime_us == 0 && !cpu.ends_with_others {
        remarks.limit(&limits::ENDLESS_LOAD);
    }
    let load = u64::from(cpu.load_percent.clamp(1, 100));
    CpuBurn {
        busy_us: cpu.chunk_us,
        // As fio computes it.
        idle_us: cpu.chunk_us * (100 - load) / load,
        sorts: cpu.sorts,
        ends_with_others: cpu.ends_with_others,
    }
}
