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
    /// 99th percentile of latency, ns. Closed loop unless the workload says `loop = open`.
    LATENCY_P99: "latency_p99", Ns, Less;
    /// 99.9th percentile of latency, ns.
    LATENCY_P999: "latency_p999", Ns, Less;
    /// Longest latency, ns.
    LATENCY_MAX: "latency_max", Ns, Less;
    /// Cost of one operation of a tight loop (clock reads, dependent loads), ns.
    COST: "cost", NsPerOp, Less;

    /// Mean cost of an operation over all operations of a repeat, where `cost` is the median of shorter samples, ns.
    COST_MEAN: "cost_mean", NsPerOp, Less;
    /// Cost of a dependent load that finds its line in the first cache, ns.
    COST_L1: "cost_l1", NsPerOp, Less;
    /// Cost of a dependent load that finds its line in the second cache, ns.
    COST_L2: "cost_l2", NsPerOp, Less;
    /// Cost of a dependent load that finds its line in the third cache, ns.
    COST_L3: "cost_l3", NsPerOp, Less;
    /// Cost of a dependent load that finds its line in the fourth cache, ns.
    COST_L4: "cost_l4", NsPerOp, Less;
    /// Cost of a dependent load while others take all the bandwidth they can, ns.
    LOADED_COST: "loaded_cost", NsPerOp, Less;

    /// Of a pool's pages, the share on the node that holds most of them.
    FULLEST_NODE_SHARE: "fullest_node_share", Ratio, Neither;

    /// What all CPUs of a core do together over what one of them does alone: 1 (nothing gained) to their number.
    SMT_YIELD: "smt_yield", Ratio, More;
    /// Operations per second of one CPU of a core whose others are idle.
    THROUGHPUT_ALONE: "throughput_alone", OpsPerS, More;

    /// Length of the window, ns.
    WINDOW: "window", Ns, Neither;
    /// Operations completed in the window.
    OPERATIONS: "operations", Count, Neither;
    /// Operations that failed.
    ERRORS: "errors", Count, Less;
    /// Operations that moved fewer bytes than asked.
    SHORT_IOS: "short_ios", Count, Less;
    /// Requests in flight by Little's law, rate times mean latency.
    IN_FLIGHT: "in_flight", Count, Neither;
    /// Requests (or sessions) that were to be in flight.
    DEPTH: "depth", Count, Neither;
    /// Bytes asked to be read.
    ISSUED_READ_BYTES: "issued_read_bytes", Bytes, Neither;
    /// Bytes asked to be written.
    ISSUED_WRITE_BYTES: "issued_write_bytes", Bytes, Neither;
    /// Bytes the device reports read, all slaves at the bottom of the stack.
    DEVICE_READ_BYTES: "device_read_bytes", Bytes, Neither;
    /// Bytes the device reports written.
    DEVICE_WRITE_BYTES: "device_write_bytes", Bytes, Neither;
    /// Read requests the device completed.
    DEVICE_READS: "device_reads", Count, Neither;
    /// Write requests the device completed.
    DEVICE_WRITES: "device_writes", Count, Neither;
    /// Flush requests the device completed; absent where the kernel doesn't count them.
    DEVICE_FLUSHES: "device_flushes", Count, Neither;
    /// Requests the block layer joined to others before the device saw them, reads and writes. From columns 2 and 6 of the
    /// device's `stat`.
    DEVICE_MERGES: "device_merges", Count, Neither;
    /// Rate of several writers on one file over the rate of as many on a file each, in pairs of windows.
    TOGETHER_SHARE: "together_share", Ratio, More;
    /// Share of the window in which the device had at least one request.
    DEVICE_BUSY: "device_busy", Ratio, Neither;
    /// Share of the file that was in the page cache just before the window.
    RESIDENT_BEFORE: "resident_before", Ratio, Less;
    /// Share of sampled blocks that held nothing but zeros. Of contents of others the lower end of its 95 % interval.
    ZERO_BLOCKS: "zero_blocks", Ratio, Less;
    /// Share of the file that is a hole or an unwritten extent.
    UNWRITTEN: "unwritten", Ratio, Less;
    /// Distinct bytes that the window's reads touched: counted where each block comes once, else expected from where the
    /// operations were sent. Beside [`ISSUED_READ_BYTES`] it says how much was read more than once.
    UNIQUE_BYTES: "unique_bytes", Bytes, Neither;
    /// Earlier windows of this measurement that went through the same blocks in the same order: same seed, same start.
    SEQUENCE_REPEATED: "sequence_repeated", Count, Less;

    /// Whether the control group's I/O limits on the drives' devices were others after the window than before (1), or not (0).
    IO_LIMIT_CHANGED: "io_limit_changed", Count, Neither;
    /// What the window's drives did over the control group's limit on it; of several limits the one that was nearest. Absent
    /// where there is no limit.
    IO_LIMIT_SHARE: "io_limit_share", Ratio, Neither;

    /// Processor time of the generator and the kernel on its behalf, per operation, ns.
    CPU_PER_OP: "cpu_per_op", NsPerOp, Less;
    /// Processor time of the generator's busiest thread over the window.
    GENERATOR_BUSY: "generator_busy", Ratio, Less;
    /// Share of processor time the hypervisor gave to others.
    STEAL: "steal", Ratio, Less;
    /// Processors that others on this machine used on average.
    OTHER_CPUS: "other_cpus", Cpus, Less;
    /// Share of the window in which some task waited for a processor (PSI `some`).
    CPU_PRESSURE: "cpu_pressure", Ratio, Less;
    /// Share of the window in which some task waited for I/O (PSI `some`).
    IO_PRESSURE: "io_pressure", Ratio, Less;
    /// Relative difference of the sentinel (a fixed piece of work) after against before. It has a sign and is best at zero: a machine that
    /// became faster disturbs a window as one that became slower does, so that neither direction is good.
    SENTINEL_DRIFT: "sentinel_drift", Ratio, Neither;
    /// Pages that went to swap or came from it during the window, the whole machine's.
    SWAPPED_PAGES: "swapped_pages", Count, Less;
    /// Pages that automatic NUMA balancing moved to another node during the window, the whole machine's.
    BALANCED_PAGES: "balanced_pages", Count, Less;
    /// Times the cgroup was throttled in the window.
    THROTTLED: "throttled", Count, Less;
    /// Of the periods of the cgroup's quota, the share in which it was throttled.
    THROTTLED_SHARE: "throttled_share", Ratio, Less;
    /// Times a processor slowed itself down in the window because it was hot; all processors and packages together.
    HEAT_STOPS: "heat_stops", Count, Less;
    /// Temperature of the hottest drive at the end of the window over the limit from which on it warns, both in °C.
    DRIVE_HEAT: "drive_heat", Ratio, Less;

    /// Offered rate of an open loop, operations per second.
    OFFERED: "offered", OpsPerS, Neither;
    /// 99th percentile of the generator's own lateness in an open loop, ns.
    LATENESS_P99: "lateness_p99", Ns, Less;
    /// Rate that an open loop was asked for, operations per second; [`OFFERED`] is what its schedule made of it.
    ASKED_RATE: "asked_rate", OpsPerS, Neither;
    /// Operations that an open loop sent in the window, per second.
    SENT_RATE: "sent_rate", OpsPerS, Neither;
    /// Operations of an open loop that had to wait because as many were in flight as may be.
    HELD: "held", Count, Less;
    /// How many more operations were due and not completed in the last quarter of an open loop's window than in its first
    /// (medians of the slices).
    BACKLOG_GROWTH: "backlog_growth", Count, Less;
    /// Operations that were due and never sent.
    SKIPPED: "skipped", Count, Less;

    /// Operations of an open loop that were due and not completed when the window ended.
    BACKLOG: "backlog", Count, Less;

    /// Time inside system calls that only hand operations over, per operation, ns; where it is long, they block. Absent
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
    /// Mean wait of a commit from when it was queued until its session ran again, ns: Oracle's *log file sync*.
    LOG_FILE_SYNC_MEAN: "log_file_sync_mean", Ns, Less;
    /// Mean time of the log's flush alone, without the write before it, ns.
    FLUSH_TIME_MEAN: "flush_time_mean", Ns, Less;
    /// Mean time of the log's write and flush, ns: Oracle's *log file parallel write*.
    PARALLEL_WRITE_MEAN: "parallel_write_mean", Ns, Less;
    /// Median time of the log's write and flush, ns.
    PARALLEL_WRITE_P50: "parallel_write_p50", Ns, Less;
    /// 99th percentile of the time of the log's write and flush, ns.
    PARALLEL_WRITE_P99: "parallel_write_p99", Ns, Less;
    /// Mean time from when a commit was queued until the flush that covered it began, ns.
    QUEUED_MEAN: "queued_mean", Ns, Less;
    /// Mean time from when that flush returned until the session ran again, ns.
    WAKE_UP_MEAN: "wake_up_mean", Ns, Less;
    /// That time over the whole wait from the queue on.
    WAKE_UP_SHARE: "wake_up_share", Ratio, Less;
    /// Mean wait of a commit by the law of group commit, from the flush times and the load alone, ns.
    MODEL_LATENCY_MEAN: "model_latency_mean", Ns, Less;
    /// Commits that share one flush by the same law.
    MODEL_COMMITS_PER_FLUSH: "model_commits_per_flush", Count, Neither;
    /// What a rung of the log's ladder adds to the one below it: difference of the two medians of a repeat, ns.
    ADDED_P50: "added_p50", Ns, Less;
    /// What a rung of the log's ladder adds to the one below it: difference of the two 99th percentiles of a repeat, ns.
    ADDED_P99: "added_p99", Ns, Less;
    /// What a rung of the log's ladder adds to the one below it: difference of the two 99.9th percentiles, each over all repeats
    /// together, ns.
    ADDED_P999: "added_p999", Ns, Less;
    /// Mean latency of one of several logs together over that of one alone, in the same repeat.
    INTERFERENCE: "interference", Ratio, Less;
    /// 99th percentile of the latencies of all repeats together, ns: for windows that are too short for one of their own.
    LATENCY_P99_ALL: "latency_p99_all", Ns, Less;
    /// 99.9th percentile of the latencies of all repeats together, ns: single windows are too short for it.
    LATENCY_P999_ALL: "latency_p999_all", Ns, Less;

    /// Sessions that were open.
    SESSIONS: "sessions", Count, Neither;
    /// Processors the server could use in the window: its set, less quota, steal and others.
    SERVER_CPUS_AVAILABLE: "server_cpus_available", Cpus, More;
    /// Processors in the server's set.
    SERVER_CPUS: "server_cpus", Cpus, Neither;
    /// Processors used by others on the server's set, steal included.
    SERVER_CPUS_TAKEN: "server_cpus_taken", Cpus, Less;
    /// Processors of the server's set that narrows' own looking used: its sampler, and the server's processes that answer it.
    SERVER_CPUS_LOOKING: "server_cpus_looking", Cpus, Less;
    /// Server processor time per operation, ns (all of its processes).
    SERVER_CPU_PER_OP: "server_cpu_per_op", NsPerOp, Less;
    /// Processor time of the sessions' own processes per operation, ns.
    BACKEND_CPU_PER_OP: "backend_cpu_per_op", NsPerOp, Less;
    /// Client processor time per operation, ns.
    CLIENT_CPU_PER_OP: "client_cpu_per_op", NsPerOp, Less;
    /// Processor time per operation, ns, of a loop that only sends and receives the same bytes as the client.
    CLIENT_FLOOR_CPU_PER_OP: "client_floor_cpu_per_op", NsPerOp, Less;
    /// Client processor time over the processors the client may use. Less is better in every measurement, also where the client is driven
    /// to its end on purpose: what is left is what keeps the client out of the figure.
    CLIENT_BUSY: "client_busy", Ratio, Less;
    /// Time the sessions' processes were runnable and not running, per operation, ns (scheduler).
    RUN_QUEUE_PER_OP: "run_queue_per_op", NsPerOp, Less;
    /// Sampled time per operation without a wait event, ns: on a processor or waiting for one.
    SAMPLED_ON_CPU_PER_OP: "sampled_on_cpu_per_op", NsPerOp, Less;
    /// How far apart the two ends are between which looks at the sessions' processes leave their time blocked, with the looks' own doubt, over
    /// all of the sessions' time: an error of the parts smaller than this is not seen. Absent where the kernel grants no impatient look.
    SAMPLED_WIDTH: "sampled_width", Ratio, Less;
    /// Sampled wait for data-file reads per operation, ns.
    WAIT_READ_PER_OP: "wait_read_per_op", NsPerOp, Less;
    /// Sampled wait for the commit log (own flush, or another's) per operation, ns.
    WAIT_FLUSH_PER_OP: "wait_flush_per_op", NsPerOp, Less;
    /// Sampled wait for locks and latches other than the log's flush per operation, ns.
    WAIT_LOCK_PER_OP: "wait_lock_per_op", NsPerOp, Less;
    /// Sampled wait for the client (idle, or reading from it) per operation, ns.
    WAIT_CLIENT_PER_OP: "wait_client_per_op", NsPerOp, Less;
    /// All other sampled waits per operation, ns.
    WAIT_OTHER_PER_OP: "wait_other_per_op", NsPerOp, Less;
    /// Of [`WAIT_READ_PER_OP`], at most so much was no wait: the kernel said that the process could run. Per operation, ns.
    RUNNABLE_READ_PER_OP: "runnable_read_per_op", NsPerOp, Less;
    /// Of [`WAIT_FLUSH_PER_OP`], the same.
    RUNNABLE_FLUSH_PER_OP: "runnable_flush_per_op", NsPerOp, Less;
    /// Of [`WAIT_OTHER_PER_OP`], the same: of writes, extensions and flushes of data files.
    RUNNABLE_WRITE_PER_OP: "runnable_write_per_op", NsPerOp, Less;
    /// Wait samples taken in the window, over all sessions.
    WAIT_SAMPLES: "wait_samples", Count, Neither;
    /// Time the server itself measured in reads, per operation, ns (`track_io_timing`).
    SERVER_READ_TIME_PER_OP: "server_read_time_per_op", NsPerOp, Less;
    /// Blocks not found in the buffer pool per operation.
    BLOCK_READS_PER_OP: "block_reads_per_op", CountPerOp, Less;
    /// Blocks found in the buffer pool per operation.
    BLOCK_HITS_PER_OP: "block_hits_per_op", CountPerOp, Less;
    /// Bytes the buffer pool asked of the system in the window.
    SERVER_READ_BYTES: "server_read_bytes", Bytes, Neither;
    /// Log bytes per operation.
    WAL_BYTES_PER_OP: "wal_bytes_per_op", BytesPerOp, Less;
    /// Full pages in the log per operation: the first change of each page after a checkpoint.
    FULL_PAGES_PER_OP: "full_pages_per_op", CountPerOp, Less;
    /// Series: sessions and their parallel workers that run or could, on average of each slice.
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
    /// Log flushes per operation. Neither: fewer are a sign of group commit as well as of commits that wait for it.
    FLUSHES_PER_OP: "flushes_per_op", CountPerOp, Neither;
    /// Blocks of the table that one operation asks for.
    BLOCKS_PER_OP: "blocks_per_op", CountPerOp, Less;
    /// Operations that commit durably, of all operations, as the client drew them.
    COMMITS_PER_OP: "commits_per_op", CountPerOp, Less;
    /// Mean time of one log flush as the server itself measured it, ns (`track_wal_io_timing`).
    SERVER_FLUSH_TIME: "server_flush_time", Ns, Less;
    /// Transactions the server counted over the load, over those of one operation where it takes several.
    SERVER_TRANSACTIONS: "server_transactions", Count, Neither;
    /// Checkpoints that the server reported over the load: mostly when they end.
    CHECKPOINTS: "checkpoints", Count, Neither;
    /// Pages that the server reported its checkpoints to have written over the load: spread ones report while they write.
    CHECKPOINT_PAGES: "checkpoint_pages", Count, Neither;
    /// One where the server's checkpointer was at work when the load began or ended, zero where it was idle at both ends.
    CHECKPOINTING: "checkpointing", Count, Neither;
    /// The busiest single server process or thread, processor time over the window.
    HOT_THREAD: "hot_thread", Ratio, Less;
    /// Parallel workers that a scan obtained.
    WORKERS: "workers", Count, Neither;
    /// Operations of a database load from its first to its last one, warm-up included: what the server's and the
    /// device's counters cover, because a server reports its statistics only when a session ends.
    SPAN_OPERATIONS: "span_operations", Count, Neither;

    // A live server's log, over windows in which it was only looked at.

    /// Transactions that wrote, per second: ids given out, savepoints that wrote among them.
    WRITING_TRANSACTIONS: "writing_transactions", OpsPerS, Neither;
    /// Transactions that ended in a commit, per second, those that only read too.
    COMMITTED_TRANSACTIONS: "committed_transactions", OpsPerS, Neither;
    /// Bytes by which the log's position moved, per second.
    LOG_RATE: "log_rate", BytesPerS, Neither;
    /// Flushes of the log per second.
    FLUSH_RATE: "flush_rate", OpsPerS, Neither;
    /// Mean time of one write to the log as the server itself measured it, ns (`track_wal_io_timing`).
    SERVER_WRITE_TIME: "server_write_time", Ns, Less;
    /// Share of the window in which the log was being written or flushed.
    FLUSH_BUSY: "flush_busy", Ratio, Less;
    /// Processes found writing or flushing the log at a moment, mean: by [`FLUSH_BUSY`] if what was found is what was.
    FLUSH_SEEN: "flush_seen", Count, Neither;
    /// Whole pages in the log times the page size, over the log's bytes: at most this share is whole pages. They may be
    /// compressed or have holes, so that it can exceed 1.
    FULL_PAGE_SHARE: "full_page_share", Ratio, Less;
    /// Times that the log's buffers were full, for each of its writes.
    BUFFERS_FULL_PER_WRITE: "buffers_full_per_write", Ratio, Less;
    /// Time that the server worked for whoever looked, over the window.
    LOOKING_SHARE: "looking_share", Ratio, Less;

    // Somebody's server, over windows in which it was only looked at. An operation is a transaction that ended. Times that were
    // sampled are of sessions and their parallel workers together, by Little's law; so are processor time and run queue. So
    // BACKEND_CPU_PER_OP + RUN_QUEUE_PER_OP + all WAIT_*_PER_OP - BETWEEN_STATEMENTS_PER_OP has to come to
    // ACTIVE_TIME_PER_OP + WORKER_TIME_PER_OP, of which the first is the server's own account of statement time.

    /// Time that sessions spent in statements, per operation, ns, by the server's own account (PostgreSQL 14 and later).
    ACTIVE_TIME_PER_OP: "active_time_per_op", NsPerOp, Less;
    /// Time that sessions spent in a transaction without a statement, per operation, ns, by the same account.
    IDLE_IN_TRANSACTION_PER_OP: "idle_in_transaction_per_op", NsPerOp, Less;
    /// Of processor time and run queue of sessions and workers, what adds nothing to the time in statements: taking requests in,
    /// sending answers off, connecting, and the run queue after a wake-up, which inside of a statement is in the wait already. Per
    /// operation, ns.
    BETWEEN_STATEMENTS_PER_OP: "between_statements_per_op", NsPerOp, Less;
    /// Of [`BETWEEN_STATEMENTS_PER_OP`], what is run queue; the rest is processor time. Per operation, ns.
    QUEUE_BETWEEN_STATEMENTS_PER_OP: "queue_between_statements_per_op", NsPerOp, Less;
    /// Time of parallel workers, at work in any state, per operation, ns (sampled).
    WORKER_TIME_PER_OP: "worker_time_per_op", NsPerOp, Less;
    /// Sessions that were open, mean; those at work are [`SESSIONS`].
    OPEN_SESSIONS: "open_sessions", Count, Neither;
    /// Of [`OPEN_SESSIONS`], those that did something during the look, mean: they go round between their clients and the server.
    PARTICIPATING_SESSIONS: "participating_sessions", Count, Neither;
    /// Of [`OPEN_SESSIONS`], those that did nothing during the look, mean.
    UNUSED_SESSIONS: "unused_sessions", Count, Neither;
    /// Of [`PARTICIPATING_SESSIONS`], those that were at work for more than nine tenths of their time, mean.
    BUSY_SESSIONS: "busy_sessions", Count, Neither;
    /// Of [`BUSY_SESSIONS`], those at work at a moment, mean.
    BUSY_SESSIONS_AT_WORK: "busy_sessions_at_work", Count, Neither;
    /// Sessions in statements and their workers, mean, as processor time, run queue and waits add up; there can't be more than are
    /// open.
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
