//! The metrics: name, unit and orientation of each, said once. Layers measure them, validity rules and verdicts read them; one that is
//! not here is a spelling mistake.
//!
//! A [`Metric`] says what is measured, a [`crate::MetricValue`] what came out. A run file repeats unit and orientation beside each
//! value, so that a reader needs no table; files of earlier versions may have another orientation there, and it stays as it was written.
//!
//! Totals (`issued_*`, `device_*`, `operations`) are sums over one repeat's window.

use std::fmt;

use crate::{Better, Unit};

/// A quantity that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Metric {
    /// Its name in run files; unique.
    pub name: &'static str,
    /// Unit of its values.
    pub unit: Unit,
    /// Which direction is good.
    pub better: Better,
    /// What it is, in a sentence.
    pub about: &'static str,
}

impl Metric {
    /// A metric of that name. All there are stand in this module and in [`crate::orders`].
    pub(crate) const fn new(
        name: &'static str,
        unit: Unit,
        better: Better,
        about: &'static str,
    ) -> Metric {
        Metric { name, unit, better, about }
    }

    /// Whether it is one of the device's own counts: of a whole device, whoever used it.
    pub fn is_of_device(self) -> bool {
        self.name.starts_with("device_")
    }

    /// The metric of that name.
    pub fn named(name: &str) -> Option<Metric> {
        all().find(|metric| metric.name == name)
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

impl From<Metric> for String {
    fn from(metric: Metric) -> String {
        metric.name.to_string()
    }
}

impl PartialEq<Metric> for String {
    fn eq(&self, other: &Metric) -> bool {
        self == other.name
    }
}

/// Every metric.
pub fn all() -> impl Iterator<Item = Metric> {
    GENERAL.iter().copied().chain(crate::orders::metrics())
}

/// Metrics with what each is, and the list of them.
macro_rules! metrics {
    ($all:ident: $($(#[doc = $doc:literal])* $constant:ident: $name:literal, $unit:ident, $better:ident;)*) => {
        $(
            $(#[doc = $doc])*
            pub const $constant: Metric =
                Metric::new($name, Unit::$unit, Better::$better, concat!($($doc),*));
        )*
        /// All of this table.
        const $all: &[Metric] = &[$($constant),*];
    };
}
pub(crate) use metrics;

metrics! { GENERAL:
    /// Completed operations per second in the common window.
    THROUGHPUT: "throughput", OpsPerS, More;
    /// Payload bytes per second in the common window.
    BANDWIDTH: "bandwidth", BytesPerS, More;
    /// Mean latency, ns.
    LATENCY_MEAN: "latency_mean", Ns, Less;
    /// Median latency, ns.
    LATENCY_P50: "latency_p50", Ns, Less;
    /// 99th percentile of latency, ns. Of a closed loop unless the workload says `loop = open`.
    LATENCY_P99: "latency_p99", Ns, Less;
    /// 99.9th percentile of latency, ns.
    LATENCY_P999: "latency_p999", Ns, Less;
    /// Longest latency, ns.
    LATENCY_MAX: "latency_max", Ns, Less;
    /// Cost of one operation of a tight loop (clock reads, dependent loads), ns.
    COST: "cost", NsPerOp, Less;

    /// Mean cost of an operation over all operations of a repeat, where `cost` is the median of shorter samples, ns.
    COST_MEAN: "cost_mean", NsPerOp, Less;
    /// Cost of a dependent load that hits the L1 cache, ns.
    COST_L1: "cost_l1", NsPerOp, Less;
    /// Cost of a dependent load that hits the L2 cache, ns.
    COST_L2: "cost_l2", NsPerOp, Less;
    /// Cost of a dependent load that hits the L3 cache, ns.
    COST_L3: "cost_l3", NsPerOp, Less;
    /// Cost of a dependent load that hits the L4 cache, ns.
    COST_L4: "cost_l4", NsPerOp, Less;
    /// Cost of a dependent load while other threads use as much bandwidth as they can, ns.
    LOADED_COST: "loaded_cost", NsPerOp, Less;

    /// Of a pool's pages, the share on the node that holds most of them.
    FULLEST_NODE_SHARE: "fullest_node_share", Ratio, Neither;

    /// Rate of all CPUs of a core together over the rate of one of them alone: 1 (nothing gained) to their number.
    SMT_YIELD: "smt_yield", Ratio, More;
    /// What a dependent load takes more in the largest pool that was walked than over one large page: address translation, ns.
    TRANSLATION_COST: "translation_cost", NsPerOp, Less;
    /// Operations per second of one CPU of a core whose others are idle.
    THROUGHPUT_ALONE: "throughput_alone", OpsPerS, More;

    /// Length of the window, ns.
    WINDOW: "window", Ns, Neither;
    /// Operations completed in the window.
    OPERATIONS: "operations", Count, Neither;
    /// Operations that failed.
    ERRORS: "errors", Count, Less;
    /// Operations that moved fewer bytes than requested.
    SHORT_IOS: "short_ios", Count, Less;
    /// Requests in flight by Little's law, rate times mean latency.
    IN_FLIGHT: "in_flight", Count, Neither;
    /// Queue depth (or sessions) requested.
    DEPTH: "depth", Count, Neither;
    /// Bytes of the reads that were requested.
    ISSUED_READ_BYTES: "issued_read_bytes", Bytes, Neither;
    /// Bytes of the writes that were requested.
    ISSUED_WRITE_BYTES: "issued_write_bytes", Bytes, Neither;
    /// Bytes that the kernel read from storage on behalf of this process (`read_bytes` of `/proc/self/io`).
    PROCESS_READ_BYTES: "process_read_bytes", Bytes, Neither;
    /// Bytes read by the drives at the bottom of the stack, by their own counters.
    DEVICE_READ_BYTES: "device_read_bytes", Bytes, Neither;
    /// Bytes written by the drives, by their own counters.
    DEVICE_WRITE_BYTES: "device_write_bytes", Bytes, Neither;
    /// Read requests the device completed.
    DEVICE_READS: "device_reads", Count, Neither;
    /// Write requests the device completed.
    DEVICE_WRITES: "device_writes", Count, Neither;
    /// Flush requests the device completed; absent where the kernel doesn't count them.
    DEVICE_FLUSHES: "device_flushes", Count, Neither;
    /// Of the drives that received writes, the flush requests that the one with the fewest completed.
    DEVICE_FLUSHES_LEAST: "device_flushes_least", Count, Neither;
    /// Reads and writes that the drives had on average, counted by the kernel from the start of each in the drive's queue (`aqu-sz` of
    /// iostat). Less than `in_flight` where requests waited above the drives.
    DEVICE_IN_FLIGHT: "device_in_flight", Count, Neither;
    /// Requests that the drives' hardware queues hold together (`nr_tags`).
    DEVICE_TAGS: "device_tags", Count, Neither;
    /// Reads and writes that the kernel merged with adjacent ones before the device saw them (columns 2 and 6 of the device's
    /// `stat`).
    DEVICE_MERGES: "device_merges", Count, Neither;
    /// Rate of several writers on one file over the rate of as many on a file each, in pairs of windows.
    TOGETHER_SHARE: "together_share", Ratio, More;
    /// Share of the window in which the device had at least one request.
    DEVICE_BUSY: "device_busy", Ratio, Neither;
    /// Share of the file that was in the page cache just before the window.
    RESIDENT_BEFORE: "resident_before", Ratio, Less;
    /// Share of sampled blocks that held only zeros. Where the contents were there before, the lower end of its 95 % interval.
    ZERO_BLOCKS: "zero_blocks", Ratio, Less;
    /// Share of sampled blocks of others' contents that held one value all over, not zero: the lower end of its 95 % interval.
    CONSTANT_BLOCKS: "constant_blocks", Ratio, Less;
    /// Share of sampled blocks of others' contents that are copies of one at another place: the lower end of its 95 % interval.
    REPEATED_BLOCKS: "repeated_blocks", Ratio, Less;
    /// Share of sampled blocks of others' contents in which more than half of the words stand twice: the lower end of its 95 %
    /// interval.
    COMPRESSIBLE_BLOCKS: "compressible_blocks", Ratio, Less;
    /// Share of a sample of the window's writes that was not there when it was read back after the window.
    WRITTEN_LOST: "written_lost", Ratio, Less;
    /// Share of the file that is a hole or an unwritten extent.
    UNWRITTEN: "unwritten", Ratio, Less;
    /// Distinct bytes that the window's reads touched: counted where each block comes once, else expected from where the
    /// operations were sent. Less than `issued_read_bytes` where blocks were read more than once.
    UNIQUE_BYTES: "unique_bytes", Bytes, Neither;
    /// Earlier windows of this measurement that went through the same blocks in the same order: same seed, same start.
    SEQUENCE_REPEATED: "sequence_repeated", Count, Less;

    /// 1 where the control group's I/O limits on the drives changed during the window, 0 where they did not.
    IO_LIMIT_CHANGED: "io_limit_changed", Count, Neither;
    /// I/O of the drives in the window over the control group's limit on it; of several limits the closest. Absent where there is
    /// no limit.
    IO_LIMIT_SHARE: "io_limit_share", Ratio, Neither;

    /// CPU time of the load generator, kernel included, per operation, ns.
    CPU_PER_OP: "cpu_per_op", NsPerOp, Less;
    /// CPU time of threads of the kernel per operation, ns, beside that of the load generator: encryption, journals and loop devices
    /// work there. That of others' I/O is in it too.
    KERNEL_CPU_PER_OP: "kernel_cpu_per_op", NsPerOp, Less;
    /// Of the CPUs that a thread of the load generator stayed on and used for at least 40 % of the window, the busiest: share of the window
    /// in which it was not idle. Interrupts and steal are in it, which the thread's own CPU time leaves out on many kernels.
    GENERATOR_CPU_BUSY: "generator_cpu_busy", Ratio, Less;
    /// CPU time of the load generator's busiest thread over the window.
    GENERATOR_BUSY: "generator_busy", Ratio, Less;
    /// Share of the window in which a thread of the load generator was ready to run and waited for a CPU; of several threads the largest.
    /// Absent where there are as many threads as CPUs: they then wait for one another.
    GENERATOR_WAIT: "generator_wait", Ratio, Less;
    /// Share of the window that the hypervisor took from a CPU on which a thread of the load generator ran; of several the largest.
    GENERATOR_STEAL: "generator_steal", Ratio, Less;
    /// Share of the window in which the thread that only watches was due to run and did not, in stretches of 100 ms and more: the whole
    /// program stood still, or the machine.
    STOOD_STILL: "stood_still", Ratio, Less;
    /// Times that this program was stopped and continued within the window (SIGCONT): SIGSTOP, Ctrl-Z, a debugger.
    CONTINUED: "continued", Count, Less;
    /// Share of the window in which the program's control group was frozen (`frozen_usec` of `cgroup.stat.local`).
    FROZEN: "frozen", Ratio, Less;
    /// Share of the window that is in no counter of a CPU, the largest of the CPUs: it did not run, as in a guest that was paused. About a
    /// tenth may be missing of a CPU whose programs run between two timer ticks.
    CPU_TIME_MISSING: "cpu_time_missing", Ratio, Less;
    /// Share of CPU time that the hypervisor gave to other guests.
    STEAL: "steal", Ratio, Less;
    /// CPUs that other programs on this machine used, mean.
    OTHER_CPUS: "other_cpus", Cpus, Less;
    /// CPUs that threads of the kernel used (kworker, kcryptd, loop, jbd2), mean, whoever made them work.
    KERNEL_CPUS: "kernel_cpus", Cpus, Less;
    /// Share of all CPUs' time in which they worked, as another tool counted it. Waiting for I/O is idle.
    CPU_BUSY: "cpu_busy", Ratio, Neither;
    /// Processes that ran or could have run, mean, as another tool counted them.
    READY_PROCESSES: "ready_processes", Count, Neither;
    /// Switches from one process to another per second, as another tool counted them.
    CONTEXT_SWITCHES: "context_switches", OpsPerS, Neither;
    /// Share of the window in which some task waited for a CPU (PSI `some`).
    CPU_PRESSURE: "cpu_pressure", Ratio, Less;
    /// Share of the window in which some task waited for I/O (PSI `some`).
    IO_PRESSURE: "io_pressure", Ratio, Less;
    /// Relative change of the sentinel's time (a fixed piece of work) from before the window to after it. It has a sign and is best at
    /// zero: a machine that became faster disturbs a window as one that became slower does.
    SENTINEL_DRIFT: "sentinel_drift", Ratio, Neither;
    /// Pages swapped in or out during the window, of the whole machine.
    SWAPPED_PAGES: "swapped_pages", Count, Less;
    /// Pages that automatic NUMA balancing moved to another node during the window, of the whole machine.
    BALANCED_PAGES: "balanced_pages", Count, Less;
    /// Times that the control group was throttled in the window.
    THROTTLED: "throttled", Count, Less;
    /// Share of the quota's periods in which the control group was throttled.
    THROTTLED_SHARE: "throttled_share", Ratio, Less;
    /// CPUs, mean over the window, that had work of the control group and were kept from it by its CPU quota (`throttled_usec` of
    /// `cpu.stat` over the window).
    THROTTLED_CPUS: "throttled_cpus", Cpus, Less;
    /// Times that a CPU throttled itself in the window because it was hot, of all CPUs and packages.
    HEAT_STOPS: "heat_stops", Count, Less;
    /// Temperature of the hottest drive at the end of the window over its warning temperature, both in °C.
    DRIVE_HEAT: "drive_heat", Ratio, Less;

    /// Offered rate of an open loop, operations per second.
    OFFERED: "offered", OpsPerS, Neither;
    /// 99th percentile of the load generator's own lateness in an open loop, ns.
    LATENESS_P99: "lateness_p99", Ns, Less;
    /// 99th percentile of latency in an open loop, the load generator's own lateness taken out of each operation, ns.
    ON_TIME_LATENCY_P99: "on_time_latency_p99", Ns, Less;
    /// Rate requested of an open loop, operations per second; `offered` is the rate of the schedule made from it.
    ASKED_RATE: "asked_rate", OpsPerS, Neither;
    /// Operations that an open loop sent in the window, per second.
    SENT_RATE: "sent_rate", OpsPerS, Neither;
    /// Operations of an open loop that waited because the most allowed were in flight.
    HELD: "held", Count, Less;
    /// Growth of the queue (due and not completed) from the first to the last quarter of an open loop's window, operations (medians of
    /// the slices).
    BACKLOG_GROWTH: "backlog_growth", Count, Less;
    /// Operations that were due and never sent.
    SKIPPED: "skipped", Count, Less;

    /// Operations of an open loop that were due and not completed when the window ended.
    BACKLOG: "backlog", Count, Less;

    /// Time inside system calls that only submit operations, per operation, ns; where it is long, they block. Absent
    /// where submitting and waiting are one call.
    SUBMIT_PER_OP: "submit_per_op", NsPerOp, Less;

    /// Reads per second of a mix.
    READ_THROUGHPUT: "read_throughput", OpsPerS, More;
    /// Mean latency of the reads of a mix, ns.
    READ_LATENCY_MEAN: "read_latency_mean", Ns, Less;
    /// Median latency of the reads of a mix, ns.
    READ_LATENCY_P50: "read_latency_p50", Ns, Less;
    /// 99th percentile of latency of the reads of a mix, ns.
    READ_LATENCY_P99: "read_latency_p99", Ns, Less;
    /// 99.9th percentile of latency of the reads of a mix, ns.
    READ_LATENCY_P999: "read_latency_p999", Ns, Less;
    /// Writes per second of a mix.
    WRITE_THROUGHPUT: "write_throughput", OpsPerS, More;
    /// Mean latency of the writes of a mix, ns.
    WRITE_LATENCY_MEAN: "write_latency_mean", Ns, Less;
    /// Median latency of the writes of a mix, ns.
    WRITE_LATENCY_P50: "write_latency_p50", Ns, Less;
    /// 99th percentile of latency of the writes of a mix, ns.
    WRITE_LATENCY_P99: "write_latency_p99", Ns, Less;
    /// 99.9th percentile of latency of the writes of a mix, ns.
    WRITE_LATENCY_P999: "write_latency_p999", Ns, Less;
    /// Syncs (`fdatasync`) per second of a stream that syncs between its writes; they are not in its throughput.
    SYNC_THROUGHPUT: "sync_throughput", OpsPerS, More;
    /// Mean latency of a sync, ns.
    SYNC_LATENCY_MEAN: "sync_latency_mean", Ns, Less;
    /// Median latency of a sync, ns.
    SYNC_LATENCY_P50: "sync_latency_p50", Ns, Less;
    /// 99th percentile of the latency of a sync, ns.
    SYNC_LATENCY_P99: "sync_latency_p99", Ns, Less;
    /// 99.9th percentile of the latency of a sync, ns.
    SYNC_LATENCY_P999: "sync_latency_p999", Ns, Less;

    /// Commits that shared one flush, mean.
    COMMITS_PER_FLUSH: "commits_per_flush", Count, Neither;
    /// Mean size of one flush, bytes.
    FLUSH_BYTES: "flush_bytes", Bytes, Neither;
    /// Mean wait of a commit from when it was queued until its session ran again, ns: Oracle's "log file sync".
    LOG_FILE_SYNC_MEAN: "log_file_sync_mean", Ns, Less;
    /// Mean time of a WAL flush alone, without the write before it, ns.
    FLUSH_TIME_MEAN: "flush_time_mean", Ns, Less;
    /// Mean time of a WAL write and its flush, ns: Oracle's "log file parallel write".
    PARALLEL_WRITE_MEAN: "parallel_write_mean", Ns, Less;
    /// Median time of a WAL write and its flush, ns.
    PARALLEL_WRITE_P50: "parallel_write_p50", Ns, Less;
    /// 99th percentile of the time of a WAL write and its flush, ns.
    PARALLEL_WRITE_P99: "parallel_write_p99", Ns, Less;
    /// Mean time from when a commit was queued until the flush that covered it began, ns.
    QUEUED_MEAN: "queued_mean", Ns, Less;
    /// Mean time from when a commit's flush returned until its session ran again, ns.
    WAKE_UP_MEAN: "wake_up_mean", Ns, Less;
    /// Share of a commit's wait that passes after its flush has returned.
    WAKE_UP_SHARE: "wake_up_share", Ratio, Less;
    /// Mean wait of a commit that the law of group commit predicts from flush times and load, ns.
    MODEL_LATENCY_MEAN: "model_latency_mean", Ns, Less;
    /// Commits per flush that the law of group commit predicts.
    MODEL_COMMITS_PER_FLUSH: "model_commits_per_flush", Count, Neither;
    /// Time that a step of the commit ladder adds to the step below it: difference of the two medians of a repeat, ns.
    ADDED_P50: "added_p50", Ns, Less;
    /// Time that a step of the commit ladder adds to the step below it: difference of the two 99th percentiles of a repeat, ns.
    ADDED_P99: "added_p99", Ns, Less;
    /// Time that a step of the commit ladder adds to the step below it: difference of the two 99.9th percentiles, each over all
    /// repeats together, ns.
    ADDED_P999: "added_p999", Ns, Less;
    /// Median latency of a durable write without the log tier over that of the same write with it, in the same repeat.
    TIER_SPEEDUP_P50: "tier_speedup_p50", Ratio, More;
    /// Mean latency of a durable write without the log tier over that of the same write with it, in the same repeat.
    TIER_SPEEDUP_MEAN: "tier_speedup_mean", Ratio, More;
    /// Mean latency of a WAL stream beside others over that of a stream alone, in the same repeat.
    INTERFERENCE: "interference", Ratio, Less;
    /// 99th percentile of the latencies of all repeats together, ns: for windows that are too short for their own.
    LATENCY_P99_ALL: "latency_p99_all", Ns, Less;
    /// 99.9th percentile of the latencies of all repeats together, ns: single windows are too short for it.
    LATENCY_P999_ALL: "latency_p999_all", Ns, Less;

    /// Sessions that were open.
    SESSIONS: "sessions", Count, Neither;
    /// CPUs that the server could use in the window: its set, less quota, steal and other programs.
    SERVER_CPUS_AVAILABLE: "server_cpus_available", Cpus, More;
    /// CPUs in the server's set.
    SERVER_CPUS: "server_cpus", Cpus, Neither;
    /// CPUs of the server's set that other programs used, steal included.
    SERVER_CPUS_TAKEN: "server_cpus_taken", Cpus, Less;
    /// CPUs of the server's set that sampling used: narrows' sampler, and the server's processes that answer it.
    SERVER_CPUS_LOOKING: "server_cpus_looking", Cpus, Less;
    /// CPU time of all server processes per operation, ns.
    SERVER_CPU_PER_OP: "server_cpu_per_op", NsPerOp, Less;
    /// CPU time of the backends per operation, ns.
    BACKEND_CPU_PER_OP: "backend_cpu_per_op", NsPerOp, Less;
    /// CPU time of the load generator per operation, ns.
    CLIENT_CPU_PER_OP: "client_cpu_per_op", NsPerOp, Less;
    /// CPU time per operation, ns, of a loop that only sends and receives the same bytes as the load generator.
    CLIENT_FLOOR_CPU_PER_OP: "client_floor_cpu_per_op", NsPerOp, Less;
    /// CPU time of the load generator over the CPUs that it may use. Less is better in every measurement, also where the load generator
    /// is driven to its limit on purpose.
    CLIENT_BUSY: "client_busy", Ratio, Less;
    /// Time in the run queue per operation, ns: backends that were runnable and not running (/proc/PID/schedstat).
    RUN_QUEUE_PER_OP: "run_queue_per_op", NsPerOp, Less;
    /// Sampled time per operation without a wait event, ns: on a CPU or waiting for one.
    SAMPLED_ON_CPU_PER_OP: "sampled_on_cpu_per_op", NsPerOp, Less;
    /// Width of the interval that samples of the backends' states give for their blocked time, over all of the sessions' time: an error of
    /// the parts that is smaller does not show. Absent where the kernel does not let the states be read without waiting.
    SAMPLED_WIDTH: "sampled_width", Ratio, Less;
    /// Sampled wait for data-file reads per operation, ns.
    WAIT_READ_PER_OP: "wait_read_per_op", NsPerOp, Less;
    /// Sampled wait for WAL (own flush, or another session's) per operation, ns.
    WAIT_FLUSH_PER_OP: "wait_flush_per_op", NsPerOp, Less;
    /// Sampled wait for locks and latches other than the WAL flush per operation, ns.
    WAIT_LOCK_PER_OP: "wait_lock_per_op", NsPerOp, Less;
    /// Sampled wait for the client (idle, or reading from it) per operation, ns.
    WAIT_CLIENT_PER_OP: "wait_client_per_op", NsPerOp, Less;
    /// All other sampled waits per operation, ns.
    WAIT_OTHER_PER_OP: "wait_other_per_op", NsPerOp, Less;
    /// Part of `wait_read_per_op` that was no wait, at most: the process was runnable by the kernel's account. Per operation, ns.
    RUNNABLE_READ_PER_OP: "runnable_read_per_op", NsPerOp, Less;
    /// Part of `wait_flush_per_op` that was no wait, at most: the process was runnable by the kernel's account. Per operation, ns.
    RUNNABLE_FLUSH_PER_OP: "runnable_flush_per_op", NsPerOp, Less;
    /// Part of `wait_other_per_op` that was no wait, at most: writes, extensions and flushes of data files during which the process was
    /// runnable by the kernel's account. Per operation, ns.
    RUNNABLE_WRITE_PER_OP: "runnable_write_per_op", NsPerOp, Less;
    /// Wait samples taken in the window, over all sessions.
    WAIT_SAMPLES: "wait_samples", Count, Neither;
    /// Time in reads by the server's own account, per operation, ns (`track_io_timing`).
    SERVER_READ_TIME_PER_OP: "server_read_time_per_op", NsPerOp, Less;
    /// Blocks read into shared_buffers per operation (`blks_read`).
    BLOCK_READS_PER_OP: "block_reads_per_op", CountPerOp, Less;
    /// Blocks of the load's own tables and indexes read into shared_buffers per operation: without what sessions read of the catalogs when they
    /// are opened.
    TABLE_READS_PER_OP: "table_reads_per_op", CountPerOp, Less;
    /// Buffer hits per operation (`blks_hit`).
    BLOCK_HITS_PER_OP: "block_hits_per_op", CountPerOp, Less;
    /// Bytes read into shared_buffers in the window, from page cache or drives.
    SERVER_READ_BYTES: "server_read_bytes", Bytes, Neither;
    /// WAL bytes per operation.
    WAL_BYTES_PER_OP: "wal_bytes_per_op", BytesPerOp, Less;
    /// Full-page images in WAL per operation: the first change of each page after a checkpoint.
    FULL_PAGES_PER_OP: "full_pages_per_op", CountPerOp, Less;
    /// Series: sessions and their parallel workers on a CPU or in the run queue, mean of each slice.
    SESSIONS_RUNNING: "sessions_running", Count, Neither;
    /// Series: sessions that wait for a read of a data file.
    SESSIONS_READING: "sessions_reading", Count, Neither;
    /// Series: sessions that wait for the WAL.
    SESSIONS_FLUSHING: "sessions_flushing", Count, Neither;
    /// Series: sessions that wait for a lock or latch.
    SESSIONS_LOCKED: "sessions_locked", Count, Neither;
    /// Series: sessions that wait for their client.
    SESSIONS_FOR_CLIENT: "sessions_for_client", Count, Neither;
    /// Series: sessions that wait for anything else.
    SESSIONS_OTHER: "sessions_other", Count, Neither;
    /// WAL flushes per operation. Fewer are a sign of group commit as well as of commits that wait for it.
    FLUSHES_PER_OP: "flushes_per_op", CountPerOp, Neither;
    /// Blocks of the table that one operation asks for.
    BLOCKS_PER_OP: "blocks_per_op", CountPerOp, Less;
    /// Durable commits per operation, as the load generator drew them.
    COMMITS_PER_OP: "commits_per_op", CountPerOp, Less;
    /// Mean time of a WAL flush by the server's own account, ns (`track_wal_io_timing`).
    SERVER_FLUSH_TIME: "server_flush_time", Ns, Less;
    /// Transactions that the server counted over the load; where an operation takes several, divided by their number.
    SERVER_TRANSACTIONS: "server_transactions", Count, Neither;
    /// Checkpoints that the server counted over the load, mostly when they end.
    CHECKPOINTS: "checkpoints", Count, Neither;
    /// Pages that the server's checkpoints wrote over the load; spread checkpoints are counted while they write.
    CHECKPOINT_PAGES: "checkpoint_pages", Count, Neither;
    /// 1 where a checkpoint was in progress when the load began or ended, 0 where there was none at both ends.
    CHECKPOINTING: "checkpointing", Count, Neither;
    /// CPU time of the busiest server process over the window.
    HOT_THREAD: "hot_thread", Ratio, Less;
    /// Parallel workers that a scan obtained.
    WORKERS: "workers", Count, Neither;
    /// Operations of a database load from its first to its last one, warm-up included: what the server's and the
    /// device's counters cover, because a server reports its statistics only when a session ends.
    SPAN_OPERATIONS: "span_operations", Count, Neither;

    /// Connections to storage over a network that were made again in the window: by the kernel, as many as it has controllers; by narrows'
    /// own host (nvme-tcp://), warm-up and the wait after the window included.
    RECONNECTS: "reconnects", Count, Less;
    /// Time without a connection to the storage, ns; warm-up and the wait after the window included.
    DISCONNECTED: "disconnected", Ns, Less;
    /// The longest that an operation waited which was in flight when the connection was lost, or began while it was, ns.
    LONGEST_STALL: "longest_stall", Ns, Less;
    /// Packets that the network ports which are up dropped or received damaged in the window, all traffic.
    PORT_DROPS: "port_drops", Count, Less;

    // One operation in flight over a fabric; means over the middle half of the operations by latency.

    /// Latency of an operation with one in flight, ns; its host sleeps while it waits.
    SPLIT_LATENCY: "split_latency", Ns, Less;
    /// The same with a host that polls, ns.
    SPLIT_LATENCY_POLLED: "split_latency_polled", Ns, Less;
    /// From its submission until its command, with the data that go with it, had been handed to the host's network driver, ns; of a host
    /// that polls.
    SPLIT_SEND: "split_send", Ns, Less;
    /// From there until the last packet of the answer came from the driver, less the time in the target, ns: the network, the target's
    /// network stack and its wake-up.
    SPLIT_NETWORK: "split_network", Ns, Less;
    /// Of that, what an echo on the target's machine takes with messages of the same sizes, when it polls, ns.
    SPLIT_WIRE: "split_wire", Ns, Less;
    /// Of that, what the target takes longer than the echo, where it sleeps while it waits, ns.
    SPLIT_TARGET_WAKE_UP: "split_target_wake_up", Ns, Less;
    /// How much longer the echo takes when it sleeps, ns: what a wake-up takes on the target's machine.
    SPLIT_ECHO_WAKE_UP: "split_echo_wake_up", Ns, Less;
    /// In the target without its storage, ns.
    SPLIT_TARGET: "split_target", Ns, Less;
    /// In the storage behind the target, ns.
    SPLIT_STORAGE: "split_storage", Ns, Less;
    /// What the drive behind the target takes by itself, with one operation in flight on the target's own machine, ns; the median of
    /// another run.
    SPLIT_DEVICE: "split_device", Ns, Less;
    /// From when the answer's last packet came from the driver to the end, where the host polls, ns.
    SPLIT_RECEIVE: "split_receive", Ns, Less;
    /// How much longer an operation takes outside the target where the host sleeps, ns.
    SPLIT_HOST_WAKE_UP: "split_host_wake_up", Ns, Less;
    /// From driver to driver, the target's time included, where the target doesn't tell it, ns.
    SPLIT_BEYOND_HOST: "split_beyond_host", Ns, Less;
    /// The same of an echo that sleeps, ns.
    SPLIT_ECHO: "split_echo", Ns, Less;
    /// Rounds that ended, over those that were planned: what a stop or a lost connection left.
    SPLIT_ROUNDS_DONE: "split_rounds_done", Ratio, More;
    /// The latency less all its parts, ns.
    SPLIT_UNEXPLAINED: "split_unexplained", Ns, Neither;
    /// The latency less all its parts, over the latency.
    SPLIT_UNEXPLAINED_SHARE: "split_unexplained_share", Ratio, Neither;
    /// The latency less the storage's part, or less the drive's own where the target tells no part: what the fabric adds, ns.
    FABRIC_ADDED: "fabric_added", Ns, Less;
    /// CPU time of the target's threads per command of any host, ns.
    TARGET_CPU_PER_OP: "target_cpu_per_op", NsPerOp, Less;
    /// TCP segments that this host sent again: of a connection, or of the whole machine where storage is reached over a network.
    RETRANSMITS: "retransmits", Count, Less;
    /// Shortest round trip that TCP saw, ns; how long the other side takes to acknowledge is in it.
    MIN_RTT: "min_rtt", Ns, Less;

    // WAL of a live server, over windows in which it was only observed.

    /// Transactions that wrote, per second: transaction ids assigned, those of savepoints included.
    WRITING_TRANSACTIONS: "writing_transactions", OpsPerS, Neither;
    /// Transactions that ended in a commit, per second, read-only ones included.
    COMMITTED_TRANSACTIONS: "committed_transactions", OpsPerS, Neither;
    /// WAL bytes per second, by its position (`pg_current_wal_lsn`).
    LOG_RATE: "log_rate", BytesPerS, Neither;
    /// WAL flushes per second.
    FLUSH_RATE: "flush_rate", OpsPerS, Neither;
    /// Mean time of a WAL write by the server's own account, ns (`track_wal_io_timing`).
    SERVER_WRITE_TIME: "server_write_time", Ns, Less;
    /// Share of the window in which WAL was being written or flushed.
    FLUSH_BUSY: "flush_busy", Ratio, Less;
    /// Processes sampled while they wrote or flushed WAL, mean: equal to `flush_busy` where the samples are right.
    FLUSH_SEEN: "flush_seen", Count, Neither;
    /// Full-page images times the page size, over WAL bytes: at most this share of WAL is full-page images. They may be compressed or
    /// have holes, so that it can exceed 1.
    FULL_PAGE_SHARE: "full_page_share", Ratio, Less;
    /// Times that wal_buffers was full, per WAL write.
    BUFFERS_FULL_PER_WRITE: "buffers_full_per_write", Ratio, Less;
    /// Time that the server worked for the samples, over the window.
    LOOKING_SHARE: "looking_share", Ratio, Less;

    // A server that was only observed. An operation is a transaction that ended. Times that were
    // sampled are of sessions and their parallel workers together, by Little's law; so are CPU time and run queue. So
    // BACKEND_CPU_PER_OP + RUN_QUEUE_PER_OP + all WAIT_*_PER_OP - BETWEEN_STATEMENTS_PER_OP has to come to
    // ACTIVE_TIME_PER_OP + WORKER_TIME_PER_OP, of which the first is the server's own account of statement time.

    /// Time that sessions spent in statements, per operation, ns, by the server's own account (PostgreSQL 14 and later).
    ACTIVE_TIME_PER_OP: "active_time_per_op", NsPerOp, Less;
    /// Time that sessions spent in a transaction without a statement, per operation, ns, by the same account.
    IDLE_IN_TRANSACTION_PER_OP: "idle_in_transaction_per_op", NsPerOp, Less;
    /// CPU time and run queue of sessions and workers outside of statements: receiving requests, sending answers, connecting, and the
    /// run queue after a wake-up, which inside of a statement is part of the wait. Per operation, ns.
    BETWEEN_STATEMENTS_PER_OP: "between_statements_per_op", NsPerOp, Less;
    /// Part of `between_statements_per_op` that is run queue; the rest is CPU time. Per operation, ns.
    QUEUE_BETWEEN_STATEMENTS_PER_OP: "queue_between_statements_per_op", NsPerOp, Less;
    /// Time of active parallel workers in any state, per operation, ns (sampled).
    WORKER_TIME_PER_OP: "worker_time_per_op", NsPerOp, Less;
    /// Sessions that were open, mean; the active ones are `sessions`.
    OPEN_SESSIONS: "open_sessions", Count, Neither;
    /// Open sessions that were active at some time while observed, mean.
    PARTICIPATING_SESSIONS: "participating_sessions", Count, Neither;
    /// Open sessions that were never active while observed, mean.
    UNUSED_SESSIONS: "unused_sessions", Count, Neither;
    /// Sessions that were active for more than nine tenths of their time, mean.
    BUSY_SESSIONS: "busy_sessions", Count, Neither;
    /// Active sessions among `busy_sessions`, mean.
    BUSY_SESSIONS_AT_WORK: "busy_sessions_at_work", Count, Neither;
    /// Sessions in statements and their workers, mean: the sum of CPU time, run queue and waits. There cannot be more than are open.
    SUMMED_SESSIONS: "summed_sessions", Count, Neither;
    /// Connections made per operation.
    CONNECTIONS_PER_OP: "connections_per_op", CountPerOp, Less;
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_metrics_have_one_name() {
        let mut names = BTreeSet::new();
        for metric in all() {
            assert!(names.insert(metric.name), "{metric} twice");
            assert_eq!(Metric::named(metric.name), Some(metric));
        }
        assert!(names.len() > 150, "{}", names.len());
    }

    #[test]
    fn a_share_per_operation_or_a_rate_has_a_unit_that_says_so() {
        for metric in all() {
            let per_op = matches!(metric.unit, Unit::NsPerOp | Unit::BytesPerOp | Unit::CountPerOp);
            if metric.name.ends_with("_per_op") {
                assert!(per_op, "{metric}: {:?}", metric.unit);
            }
            if metric.name.contains("latency_") {
                assert_eq!((metric.unit, metric.better), (Unit::Ns, Better::Less), "{metric}");
            }
            if metric.name.ends_with("throughput") {
                assert_eq!((metric.unit, metric.better), (Unit::OpsPerS, Better::More), "{metric}");
            }
        }
    }
}
