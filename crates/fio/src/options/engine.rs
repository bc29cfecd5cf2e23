//! How operations reach the kernel, and where the job runs.

use super::{FioOption, near, refused, same};
use crate::kind::OptionType::{Bool, Choice, Number, PerDirection, Set, Text};

const URING: &[&str] = &["io_uring", "io_uring_cmd"];
const COMMANDS: &[&str] = &["io_uring_cmd"];
const NO_POLLING_THREAD: &str = "the job's own thread submits, and no thread of the kernel polls for it: more system calls, and a CPU less";
const CPU: &[&str] = &["cpuio"];
const BATCHES: &str = "narrows submits and reaps in batches that follow what is due";
const OWN_PRIORITIES: &str = "which operations get theirs is drawn by narrows' generator; latencies by priority are on the screen and in fio's JSON, and in no run file";

pub(super) const OPTIONS: &[FioOption] = &[
    same("ioengine", Text),
    same("iodepth", Number),
    near("iodepth_batch", Number, BATCHES).alias(&["iodepth_batch_submit"]),
    near("iodepth_batch_complete_min", Number, BATCHES).alias(&["iodepth_batch_complete"]),
    near("iodepth_batch_complete_max", Number, BATCHES),
    near("iodepth_low", Number, BATCHES),
    near(
        "io_submit_mode",
        Choice,
        "offload: an engine that waits has iodepth threads, as in fio; the others submit and reap in one thread. With a rate all operations are sent when they are due",
    ),
    near(
        "serialize_overlap",
        Bool,
        "waiting for an operation that overlaps is no latency of a closed loop",
    ),
    same("registerfiles", Set).only_in(URING),
    same("fixedbufs", Set).only_in(URING),
    same("hipri", Set).only_in(&["io_uring", "io_uring_cmd", "pvsync2"]),
    refused("hipri_percentage", Number, "either all operations are polled or none")
        .only_in(&["pvsync2"]),
    near("nonvectored", Number, "operations are never vectored").only_in(URING),
    near("sqthread_poll", Set, NO_POLLING_THREAD).only_in(URING),
    near("sqthread_poll_cpu", Number, NO_POLLING_THREAD).only_in(URING),
    refused("force_async", Number, "operations are issued as the kernel sees fit")
        .only_in(URING)
        .unless(&["0"]),
    refused("uncached", Number, "RWF_DONTCACHE is not done")
        .only_in(&["io_uring", "pvsync2"])
        .unless(&["0"]),
    refused("nowait", Bool, "RWF_NOWAIT is not done")
        .only_in(&["io_uring", "pvsync2", "libaio"])
        .unless(&["0"]),
    refused("readfua", Bool, "forced access to the medium is not done")
        .only_in(URING)
        .unless(&["0"]),
    refused("writefua", Bool, "forced access to the medium is not done")
        .only_in(URING)
        .hint("write fsync=1")
        .unless(&["0"]),
    near(
        "cmd_type",
        Choice,
        "reads, writes, trims and flushes of a namespace's /dev/ngXnY; writing takes the consent for its block device, which is claimed meanwhile",
    )
    .only_in(COMMANDS),
    near("cmdprio_percentage", PerDirection, OWN_PRIORITIES).only_in(&["io_uring", "libaio"]),
    same("cmdprio_class", PerDirection).only_in(&["io_uring", "libaio"]),
    same("cmdprio", PerDirection).only_in(&["io_uring", "libaio"]),
    same("cmdprio_hint", PerDirection).only_in(&["io_uring", "libaio"]),
    near("cmdprio_bssplit", Choice, OWN_PRIORITIES).only_in(&["io_uring", "libaio"]),
    near("userspace_reap", Set, "completions are always fetched through the kernel")
        .only_in(&["libaio"]),
    refused("libaio_vectored", Bool, "operations are never vectored")
        .only_in(&["libaio"])
        .unless(&["0"]),
    near("stat_type", Choice, "statx without the whole path that fio looks up before each")
        .only_in(&["filestat", "dirstat"]),
    same("cpuload", Number).only_in(CPU),
    near("cpuchunks", Number, "at least 1 µs").only_in(CPU),
    near(
        "cpumode",
        Choice,
        "qsort sorts 4096 numbers at a time by Rust's sort, whose power is another than that of fio's",
    )
    .only_in(CPU),
    near("exit_on_io_done", Bool, "those beside it count, and none behind a stonewall").only_in(CPU),
    near("mem", Choice, "buffers are anonymous memory, aligned and touched before the window")
        .alias(&["iomem"]),
    near("iomem_align", Number, "buffers are aligned to what the device needs, at least to pages")
        .alias(&["mem_align"]),
    refused("hugepage-size", Number, "buffers in huge pages are not done"),
    refused("lockmem", Number, "memory is not taken away from others").unless(&["0"]),
    same("cpus_allowed", Choice),
    same("cpus_allowed_policy", Choice),
    refused("cpumask", Number, "it reaches 32 CPUs only").hint("write cpus_allowed"),
    same("numa_cpu_nodes", Choice),
    same("numa_mem_policy", Choice),
    refused("nice", Number, "scheduling priorities are not changed").unless(&["0"]),
    same("prio", Number),
    same("prioclass", Number),
    same("priohint", Number),
    near("clocksource", Choice, "narrows calibrates its own clock and says which it is"),
    near("gtod_reduce", Bool, "latencies stay; a stamp serves a whole batch anyway"),
    near("gtod_cpu", Number, "every thread reads the clock itself"),
];
