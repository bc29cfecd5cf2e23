//! How operations reach the kernel, and where the job runs.

use super::Value;
use crate::calls::{CallEngine, StatCall};
use crate::draft::{Draft, EngineName};
use crate::job::IoPriority;
use crate::options::limits;
use crate::problem::{SettingTreatment, Wrong};
use crate::spelling::{memory_policy, nodes, processors, word};

/// Engines that fio has and narrows doesn't run.
const OTHER_ENGINES: &[&str] = &[
    "splice",
    "sg",
    "net",
    "netsplice",
    "rdma",
    "rados",
    "rbd",
    "http",
    "gfapi",
    "gfapi_async",
    "libhdfs",
    "ime_psync",
    "ime_psyncv",
    "ime_aio",
    "pmemblk",
    "dev-dax",
    "libpmem",
    "mtd",
    "nbd",
    "dfs",
    "nfs",
    "xnvme",
    "libblkio",
    "external",
    "e4defrag",
    "libcufile",
    "exec",
    "libiscsi",
    "page_fault",
    "guasi",
    "solarisaio",
    "windowsaio",
    "nvme",
];

pub(super) fn apply(name: &str, value: &mut Value, draft: &mut Draft) -> Result<bool, Wrong> {
    match name {
        "ioengine" => draft.engine = engine(value)?,
        "iodepth" => draft.depth = value.small(1, 1 << 20)?,
        "iodepth_batch"
        | "iodepth_batch_complete_min"
        | "iodepth_batch_complete_max"
        | "iodepth_low"
        | "nonvectored"
        | "sqthread_poll"
        | "sqthread_poll_cpu"
        | "userspace_reap"
        | "clocksource"
        | "gtod_reduce"
        | "gtod_cpu" => value.checked()?,
        "io_submit_mode" => {
            draft.offload = word(value.text()?, &["inline", "offload"])?.0 == "offload";
        }
        "cmd_type" => {
            if word(value.text()?, &["nvme", "bsg"])?.0 == "bsg" {
                return Err(Wrong::limit(&limits::SCSI_COMMANDS));
            }
        }
        "registerfiles" => draft.registered_files = value.flag()?,
        "fixedbufs" => draft.registered_buffers = value.flag()?,
        "hipri" => {
            draft.polled = value.flag()?;
            if draft.polled && draft.engine == EngineName::Pvsync2 {
                return Err(Wrong::limit(&limits::POLLED_THREADS));
            }
        }
        "mem" => {
            let words = ["malloc", "shm", "mmap", "mmapshared", "shmhuge", "mmaphuge"];
            let (kind, file) = word(value.text()?, &words)?;
            if kind.ends_with("huge") || file.is_some() {
                return Err(Wrong::limit(&limits::HUGE_BUFFERS));
            }
        }
        "iomem_align" => {
            let align_bytes = value.count(0, 1 << 30)?;
            if align_bytes > 0 && !align_bytes.is_power_of_two() {
                return Err(Wrong::value("an alignment is a power of two"));
            }
            draft.placement.buffer_align_bytes = Some(align_bytes).filter(|bytes| *bytes > 0);
        }
        "stat_type" => {
            draft.stat_call = match word(value.text()?, &["stat", "lstat", "statx"])?.0 {
                "lstat" => StatCall::Lstat,
                "statx" => StatCall::Statx,
                _ => StatCall::Stat,
            }
        }
        "cpus_allowed" => draft.placement.cpus = Some(processors(value.text()?)?),
        "cpus_allowed_policy" => {
            draft.placement.one_each = word(value.text()?, &["shared", "split"])?.0 == "split";
        }
        "numa_cpu_nodes" => draft.placement.cpu_nodes = Some(nodes(value.text()?)?),
        "numa_mem_policy" => draft.placement.memory = memory_policy(value.text()?)?,
        "prio" => priority(draft).level = value.small(0, 7)? as u8,
        "prioclass" => priority(draft).class = value.small(0, 3)? as u8,
        "priohint" => priority(draft).hint = value.small(0, 1023)? as u16,
        _ => return Ok(false),
    }
    Ok(true)
}

fn priority(draft: &mut Draft) -> &mut IoPriority {
    draft.placement.priority.get_or_insert_default()
}

fn engine(value: &mut Value) -> Result<EngineName, Wrong> {
    let name = value.text()?;
    if let Some(calls) = CallEngine::named(name) {
        value.remark(SettingTreatment::Approximated, calls.how());
        return Ok(EngineName::Calls(calls));
    }
    let engine = match name {
        "psync" => EngineName::Psync,
        "sync" | "vsync" | "pvsync" => {
            let how = match name {
                "sync" => "pread and pwrite, without the seek before each",
                "vsync" => "pread and pwrite; neighbouring operations are not gathered",
                _ => "pread and pwrite, which do the same with one buffer",
            };
            value.remark(SettingTreatment::Approximated, how);
            EngineName::Psync
        }
        "pvsync2" => {
            value.remark(
                SettingTreatment::Approximated,
                "pread and pwrite, which do the same with one buffer and no flags",
            );
            EngineName::Pvsync2
        }
        "io_uring" => EngineName::IoUring,
        "io_uring_cmd" => EngineName::IoUringCmd,
        "libaio" => EngineName::Libaio,
        "posixaio" => {
            value.remark(
                SettingTreatment::Approximated,
                "pread and pwrite, one at a time: so the C library's aio threads take the operations of one file",
            );
            EngineName::Posixaio
        }
        "mmap" => {
            value.remark(
                SettingTreatment::Approximated,
                "pread and pwrite through the page cache, never direct: without the page faults, and with a system call for each operation",
            );
            EngineName::Mmap
        }
        "null" => EngineName::Null,
        "cpuio" => EngineName::Cpuio,
        "cpp_null" => {
            value.remark(
                SettingTreatment::Approximated,
                "the engine null, which does as much as this one in C++",
            );
            EngineName::Null
        }
        other if OTHER_ENGINES.contains(&other.split(':').next().unwrap_or_default()) => {
            return Err(Wrong::refused(format!("the engine {other} is not done"))
                .hint("psync, io_uring, libaio and null are done, mmap and posixaio nearly"));
        }
        other => {
            return Err(Wrong::value(format!("`{other}` is no engine"))
                .hint("psync, io_uring, libaio and null are done, mmap and posixaio nearly"));
        }
    };
    Ok(engine)
}
