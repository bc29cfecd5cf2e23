//! How operations reach the kernel, and where the job runs.

use super::{FioOption, near, refused, same};
use crate::kind::OptionType::{Bool, Choice, Number, Set, Text};

const URING: &[&str] = &["io_uring"];
const BATCHES: &str = "narrows submits and reaps in batches that follow what is due";
const OWN_PRIORITIES: &str = "operations have the priority of their job";
const TWO_JOBS: &str = "make a job for each priority, with prio and prioclass";

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
    refused("serialize_overlap", Bool, "operations in flight may overlap").unless(&["0"]),
    same("registerfiles", Set).only_in(URING),
    same("fixedbufs", Set).only_in(URING),
    same("hipri", Set).only_in(&["io_uring", "pvsync2"]),
    refused("hipri_percentage", Number, "either all operations are polled or none")
        .only_in(&["pvsync2"]),
    near("nonvectored", Number, "operations are never vectored").only_in(URING),
    refused(
        "sqthread_poll",
        Set,
        "the kernel's polling thread uses a CPU that no figure here shows",
    )
    .only_in(URING)
    .unless(&["0"]),
    refused("sqthread_poll_cpu", Number, "it belongs to sqthread_poll").only_in(URING),
    refused("force_async", Number, "operations are issued as the kernel sees fit")
        .only_in(URING)
        .unless(&["0"]),
    refused("uncached", Number, "RWF_DONTCACHE is not done")
        .only_in(&["io_uring", "pvsync2"])
        .unless(&["0"]),
    refused("nowait", Bool, "RWF_NOWAIT is not done")
        .only_in(&["io_uring", "pvsync2", "libaio"])
        .unless(&["0"]),
    refused("readfua", Bool, "passthrough is not done from job files")
        .only_in(URING)
        .unless(&["0"]),
    refused("writefua", Bool, "passthrough is not done from job files")
        .only_in(URING)
        .unless(&["0"]),
    refused("cmd_type", Choice, "passthrough is not done from job files").only_in(URING),
    refused("cmdprio_percentage", Number, OWN_PRIORITIES)
        .only_in(&["io_uring", "libaio"])
        .hint(TWO_JOBS)
        .unless(&["0"]),
    refused("cmdprio_class", Number, OWN_PRIORITIES)
        .only_in(&["io_uring", "libaio"])
        .hint(TWO_JOBS),
    refused("cmdprio", Number, OWN_PRIORITIES).only_in(&["io_uring", "libaio"]).hint(TWO_JOBS),
    refused("cmdprio_bssplit", Choice, OWN_PRIORITIES)
        .only_in(&["io_uring", "libaio"])
        .hint(TWO_JOBS),
    near("userspace_reap", Set, "completions are always fetched through the kernel")
        .only_in(&["libaio"]),
    refused("libaio_vectored", Bool, "operations are never vectored")
        .only_in(&["libaio"])
        .unless(&["0"]),
    near("mem", Choice, "buffers are anonymous memory, aligned and touched before the window")
        .alias(&["iomem"]),
    near("iomem_align", Number, "buffers are aligned to what the device needs, at least to pages")
        .alias(&["mem_align"]),
    refused("hugepage-size", Number, "buffers in huge pages are not done"),
    refused("lockmem", Number, "memory is not taken away from others").unless(&["0"]),
    same("cpus_allowed", Choice),
    same("cpus_allowed_policy", Choice),
    refused("cpumask", Number, "it reaches 32 CPUs only").hint("write cpus_allowed"),
    refused("numa_cpu_nodes", Choice, "job files choose CPUs, not nodes")
        .hint("write cpus_allowed with the node's CPUs"),
    refused("numa_mem_policy", Choice, "memory is where the job runs")
        .hint("start narrows under numactl"),
    refused("nice", Number, "scheduling priorities are not changed").unless(&["0"]),
    same("prio", Number),
    same("prioclass", Number),
    same("priohint", Number),
    near("clocksource", Choice, "narrows calibrates its own clock and says which it is"),
    near("gtod_reduce", Bool, "latencies stay; a stamp serves a whole batch anyway"),
    near("gtod_cpu", Number, "every thread reads the clock itself"),
];
