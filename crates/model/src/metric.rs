//! The names of metrics. Layers write them, validity rules and verdicts read them; a name that is not here
//! is a spelling mistake.
//!
//! Totals (`issued_*`, `device_*`, `operations`) are sums over one repeat's window.

/// Completed operations per second in the common window.
pub const THROUGHPUT: &str = "throughput";
/// Payload bytes per second in the common window.
pub const BANDWIDTH: &str = "bandwidth";
/// Mean latency, ns.
pub const LATENCY_MEAN: &str = "latency_mean";
/// Median latency, ns.
pub const LATENCY_P50: &str = "latency_p50";
/// 99th percentile of latency, ns. Closed loop unless the workload says `loop = open`.
pub const LATENCY_P99: &str = "latency_p99";
/// 99.9th percentile of latency, ns.
pub const LATENCY_P999: &str = "latency_p999";
/// Longest latency, ns.
pub const LATENCY_MAX: &str = "latency_max";
/// Cost of one operation of a tight loop (clock reads, dependent loads), ns.
pub const COST: &str = "cost";

/// The same as the mean over all operations of a repeat, where `cost` is the median of shorter samples, ns.
pub const COST_MEAN: &str = "cost_mean";
/// Cost of a dependent load that finds its line in the first cache, ns; then in the second, third and fourth.
pub const COST_L1: &str = "cost_l1";
/// In the second.
pub const COST_L2: &str = "cost_l2";
/// In the third.
pub const COST_L3: &str = "cost_l3";
/// In the fourth.
pub const COST_L4: &str = "cost_l4";
/// Cost of a dependent load while others take all the bandwidth they can, ns.
pub const LOADED_COST: &str = "loaded_cost";

/// Of a pool's pages, the share on the node that holds most of them.
pub const FULLEST_NODE_SHARE: &str = "fullest_node_share";

/// What all CPUs of a core do together over what one of them does alone: 1 (nothing gained) to their number.
pub const SMT_YIELD: &str = "smt_yield";
/// Operations per second of one CPU of a core whose others are idle.
pub const THROUGHPUT_ALONE: &str = "throughput_alone";

/// Length of the window, ns.
pub const WINDOW: &str = "window";
/// Operations completed in the window.
pub const OPERATIONS: &str = "operations";
/// Operations that failed.
pub const ERRORS: &str = "errors";
/// Operations that moved fewer bytes than asked.
pub const SHORT_IOS: &str = "short_ios";
/// Requests in flight by Little's law, rate times mean latency.
pub const IN_FLIGHT: &str = "in_flight";
/// Requests (or sessions) that were to be in flight.
pub const DEPTH: &str = "depth";
/// Bytes asked to be read.
pub const ISSUED_READ_BYTES: &str = "issued_read_bytes";
/// Bytes asked to be written.
pub const ISSUED_WRITE_BYTES: &str = "issued_write_bytes";
/// Bytes the device reports read, all slaves at the bottom of the stack.
pub const DEVICE_READ_BYTES: &str = "device_read_bytes";
/// Bytes the device reports written.
pub const DEVICE_WRITE_BYTES: &str = "device_write_bytes";
/// Read requests the device completed.
pub const DEVICE_READS: &str = "device_reads";
/// Write requests the device completed.
pub const DEVICE_WRITES: &str = "device_writes";
/// Flush requests the device completed; absent where the kernel doesn't count them.
pub const DEVICE_FLUSHES: &str = "device_flushes";
/// Requests the block layer joined to others before the device saw them, reads and writes. From columns 2 and 6 of the
/// device's `stat`.
pub const DEVICE_MERGES: &str = "device_merges";
/// Rate of several writers on one file over the rate of as many on a file each, in pairs of windows.
pub const TOGETHER_SHARE: &str = "together_share";
/// Share of the window in which the device had at least one request.
pub const DEVICE_BUSY: &str = "device_busy";
/// Share of the file that was in the page cache just before the window.
pub const RESIDENT_BEFORE: &str = "resident_before";
/// Share of sampled blocks that held nothing but zeros. Of contents of others the lower end of its 95 % interval.
pub const ZERO_BLOCKS: &str = "zero_blocks";
/// Share of the file that is a hole or an unwritten extent.
pub const UNWRITTEN: &str = "unwritten";
/// Distinct bytes that the window's reads touched: counted where each block comes once, else expected from where the
/// operations were sent. Beside [`ISSUED_READ_BYTES`] it says how much was read more than once.
pub const UNIQUE_BYTES: &str = "unique_bytes";
/// Earlier windows of this measurement that went through the same blocks in the same order: same seed, same start.
pub const SEQUENCE_REPEATED: &str = "sequence_repeated";

/// Whether the control group's I/O limits on the drives' devices were others after the window than before (1), or not (0).
pub const IO_LIMIT_CHANGED: &str = "io_limit_changed";
/// What the window's drives did over the control group's limit on it; of several limits the one that was nearest. Absent
/// where there is no limit.
pub const IO_LIMIT_SHARE: &str = "io_limit_share";

/// Processor time of the generator and the kernel on its behalf, per operation, ns.
pub const CPU_PER_OP: &str = "cpu_per_op";
/// Processor time of the generator's busiest thread over the window.
pub const GENERATOR_BUSY: &str = "generator_busy";
/// Share of processor time the hypervisor gave to others.
pub const STEAL: &str = "steal";
/// Processors that others on this machine used on average.
pub const OTHER_CPUS: &str = "other_cpus";
/// Share of the window in which some task waited for a processor (PSI `some`).
pub const CPU_PRESSURE: &str = "cpu_pressure";
/// Share of the window in which some task waited for I/O (PSI `some`).
pub const IO_PRESSURE: &str = "io_pressure";
/// Relative difference of the sentinel (a fixed piece of work) after against before.
pub const SENTINEL_DRIFT: &str = "sentinel_drift";
/// Pages that went to swap or came from it during the window, the whole machine's.
pub const SWAPPED_PAGES: &str = "swapped_pages";
/// Pages that automatic NUMA balancing moved to another node during the window, the whole machine's.
pub const BALANCED_PAGES: &str = "balanced_pages";
/// Times the cgroup was throttled in the window.
pub const THROTTLED: &str = "throttled";
/// Of the periods of the cgroup's quota, the share in which it was throttled.
pub const THROTTLED_SHARE: &str = "throttled_share";
/// Times a processor slowed itself down in the window because it was hot; all processors and packages together.
pub const HEAT_STOPS: &str = "heat_stops";
/// Temperature of the hottest drive at the end of the window over the limit from which on it warns, both in °C.
pub const DRIVE_HEAT: &str = "drive_heat";

/// Offered rate of an open loop, operations per second.
pub const OFFERED: &str = "offered";
/// 99th percentile of the generator's own lateness in an open loop, ns.
pub const LATENESS_P99: &str = "lateness_p99";
/// Rate that an open loop was asked for, operations per second; [`OFFERED`] is what its schedule made of it.
pub const ASKED_RATE: &str = "asked_rate";
/// Operations that an open loop sent in the window, per second.
pub const SENT_RATE: &str = "sent_rate";
/// Operations of an open loop that had to wait because as many were in flight as may be.
pub const HELD: &str = "held";
/// How many more operations were due and not completed in the last quarter of an open loop's window than in its first
/// (medians of the slices).
pub const BACKLOG_GROWTH: &str = "backlog_growth";
/// Operations that were due and never sent.
pub const SKIPPED: &str = "skipped";

/// Operations of an open loop that were due and not completed when the window ended.
pub const BACKLOG: &str = "backlog";

/// Time inside system calls that only hand operations over, per operation, ns; where it is long, they block. Absent
/// where submitting and waiting are one call.
pub const SUBMIT_PER_OP: &str = "submit_per_op";

/// Reads per second of a mix.
pub const READ_THROUGHPUT: &str = "read_throughput";
/// Mean latency of the reads of a mix, ns.
pub const READ_LATENCY_MEAN: &str = "read_latency_mean";
/// Their median latency, ns.
pub const READ_LATENCY_P50: &str = "read_latency_p50";
/// Their 99th percentile, ns.
pub const READ_LATENCY_P99: &str = "read_latency_p99";
/// Their 99.9th percentile, ns.
pub const READ_LATENCY_P999: &str = "read_latency_p999";
/// Writes per second of a mix.
pub const WRITE_THROUGHPUT: &str = "write_throughput";
/// Mean latency of the writes of a mix, ns.
pub const WRITE_LATENCY_MEAN: &str = "write_latency_mean";
/// Their median latency, ns.
pub const WRITE_LATENCY_P50: &str = "write_latency_p50";
/// Their 99th percentile, ns.
pub const WRITE_LATENCY_P99: &str = "write_latency_p99";
/// Their 99.9th percentile, ns.
pub const WRITE_LATENCY_P999: &str = "write_latency_p999";
/// Syncs (`fdatasync`) per second of a stream that syncs between its writes; they are not in its throughput.
pub const SYNC_THROUGHPUT: &str = "sync_throughput";
/// Mean latency of a sync, ns.
pub const SYNC_LATENCY_MEAN: &str = "sync_latency_mean";
/// Median latency of a sync, ns.
pub const SYNC_LATENCY_P50: &str = "sync_latency_p50";
/// 99th percentile of the latency of a sync, ns.
pub const SYNC_LATENCY_P99: &str = "sync_latency_p99";
/// 99.9th percentile of the latency of a sync, ns.
pub const SYNC_LATENCY_P999: &str = "sync_latency_p999";

/// Commits that shared one flush, mean.
pub const COMMITS_PER_FLUSH: &str = "commits_per_flush";
/// Mean size of one flush, bytes.
pub const FLUSH_BYTES: &str = "flush_bytes";
/// Mean wait of a commit from when it was queued until its session ran again, ns: Oracle's *log file sync*.
pub const LOG_FILE_SYNC_MEAN: &str = "log_file_sync_mean";
/// Mean time of the log's write and flush, ns: Oracle's *log file parallel write*.
pub const PARALLEL_WRITE_MEAN: &str = "parallel_write_mean";
/// Its median, ns.
pub const PARALLEL_WRITE_P50: &str = "parallel_write_p50";
/// Its 99th percentile, ns.
pub const PARALLEL_WRITE_P99: &str = "parallel_write_p99";
/// Mean time from when a commit was queued until the flush that covered it began, ns.
pub const QUEUED_MEAN: &str = "queued_mean";
/// Mean time from when that flush returned until the session ran again, ns.
pub const WAKE_UP_MEAN: &str = "wake_up_mean";
/// That time over the whole wait from the queue on.
pub const WAKE_UP_SHARE: &str = "wake_up_share";
/// Mean wait of a commit by the law of group commit, from the flush times and the load alone, ns.
pub const MODEL_LATENCY_MEAN: &str = "model_latency_mean";
/// Commits that share one flush by the same law.
pub const MODEL_COMMITS_PER_FLUSH: &str = "model_commits_per_flush";
/// What a rung of the log's ladder adds to the one below it: difference of the two medians of a repeat, ns.
pub const ADDED_P50: &str = "added_p50";
/// The same of the 99th percentiles, ns.
pub const ADDED_P99: &str = "added_p99";
/// The same of the 99.9th percentiles, each over all repeats together, ns.
pub const ADDED_P999: &str = "added_p999";
/// Mean latency of one of several logs together over that of one alone, in the same repeat.
pub const INTERFERENCE: &str = "interference";
/// 99th percentile of the latencies of all repeats together, ns: for windows that are too short for one of their own.
pub const LATENCY_P99_ALL: &str = "latency_p99_all";
/// 99.9th percentile of the latencies of all repeats together, ns: single windows are too short for it.
pub const LATENCY_P999_ALL: &str = "latency_p999_all";

/// Sessions that were open.
pub const SESSIONS: &str = "sessions";
/// Processors the server could use in the window: its set, less quota, steal and others.
pub const SERVER_CPUS_AVAILABLE: &str = "server_cpus_available";
/// Processors in the server's set.
pub const SERVER_CPUS: &str = "server_cpus";
/// Processors used by others on the server's set, steal included.
pub const SERVER_CPUS_TAKEN: &str = "server_cpus_taken";
/// Server processor time per operation, ns (all of its processes).
pub const SERVER_CPU_PER_OP: &str = "server_cpu_per_op";
/// Processor time of the sessions' own processes per operation, ns.
pub const BACKEND_CPU_PER_OP: &str = "backend_cpu_per_op";
/// Client processor time per operation, ns.
pub const CLIENT_CPU_PER_OP: &str = "client_cpu_per_op";
/// Processor time per operation, ns, of a loop that only sends and receives the same bytes as the client.
pub const CLIENT_FLOOR_CPU_PER_OP: &str = "client_floor_cpu_per_op";
/// Client processor time over the processors the client may use.
pub const CLIENT_BUSY: &str = "client_busy";
/// Time the sessions' processes were runnable and not running, per operation, ns (scheduler).
pub const RUN_QUEUE_PER_OP: &str = "run_queue_per_op";
/// Sampled time per operation without a wait event, ns: on a processor or waiting for one.
pub const SAMPLED_ON_CPU_PER_OP: &str = "sampled_on_cpu_per_op";
/// Sampled wait for data-file reads per operation, ns.
pub const WAIT_READ_PER_OP: &str = "wait_read_per_op";
/// Sampled wait for the commit log (own flush, or another's) per operation, ns.
pub const WAIT_FLUSH_PER_OP: &str = "wait_flush_per_op";
/// Sampled wait for locks and latches other than the log's flush per operation, ns.
pub const WAIT_LOCK_PER_OP: &str = "wait_lock_per_op";
/// Sampled wait for the client (idle, or reading from it) per operation, ns.
pub const WAIT_CLIENT_PER_OP: &str = "wait_client_per_op";
/// All other sampled waits per operation, ns.
pub const WAIT_OTHER_PER_OP: &str = "wait_other_per_op";
/// Wait samples taken in the window, over all sessions.
pub const WAIT_SAMPLES: &str = "wait_samples";
/// Time the server itself measured in reads, per operation, ns (`track_io_timing`).
pub const SERVER_READ_TIME_PER_OP: &str = "server_read_time_per_op";
/// Blocks not found in the buffer pool per operation.
pub const BLOCK_READS_PER_OP: &str = "block_reads_per_op";
/// Blocks found in the buffer pool per operation.
pub const BLOCK_HITS_PER_OP: &str = "block_hits_per_op";
/// Bytes the buffer pool asked of the system in the window.
pub const SERVER_READ_BYTES: &str = "server_read_bytes";
/// Log bytes per operation.
pub const WAL_BYTES_PER_OP: &str = "wal_bytes_per_op";
/// Full pages in the log per operation: the first change of each page after a checkpoint.
pub const FULL_PAGES_PER_OP: &str = "full_pages_per_op";
/// Series: sessions and their parallel workers that run or could, on average of each slice.
pub const SESSIONS_RUNNING: &str = "sessions_running";
/// Series: those that wait for a read of a data file.
pub const SESSIONS_READING: &str = "sessions_reading";
/// Series: those that wait for the commit log.
pub const SESSIONS_FLUSHING: &str = "sessions_flushing";
/// Series: those that wait for a lock or latch.
pub const SESSIONS_LOCKED: &str = "sessions_locked";
/// Series: those that wait for their client.
pub const SESSIONS_FOR_CLIENT: &str = "sessions_for_client";
/// Series: those that wait for anything else.
pub const SESSIONS_OTHER: &str = "sessions_other";
/// Log flushes per operation.
pub const FLUSHES_PER_OP: &str = "flushes_per_op";
/// Blocks of the table that one operation asks for.
pub const BLOCKS_PER_OP: &str = "blocks_per_op";
/// Operations that commit durably, of all operations, as the client drew them.
pub const COMMITS_PER_OP: &str = "commits_per_op";
/// Mean time of one log flush as the server itself measured it, ns (`track_wal_io_timing`).
pub const SERVER_FLUSH_TIME: &str = "server_flush_time";
/// Transactions the server counted over the load, over those of one operation where it takes several.
pub const SERVER_TRANSACTIONS: &str = "server_transactions";
/// Checkpoints that the server reported over the load: mostly when they end.
pub const CHECKPOINTS: &str = "checkpoints";
/// Pages that the server reported its checkpoints to have written over the load: spread ones report while they write.
pub const CHECKPOINT_PAGES: &str = "checkpoint_pages";
/// One where the server's checkpointer was at work when the load began or ended, zero where it was idle at both ends.
pub const CHECKPOINTING: &str = "checkpointing";
/// The busiest single server process or thread, processor time over the window.
pub const HOT_THREAD: &str = "hot_thread";
/// Parallel workers that a scan obtained.
pub const WORKERS: &str = "workers";
/// Operations of a database load from its first to its last one, warm-up included: what the server's and the
/// device's counters cover, because a server reports its statistics only when a session ends.
pub const SPAN_OPERATIONS: &str = "span_operations";

// A live server's log, over windows in which it was only looked at.

/// Transactions that wrote, per second: ids given out, savepoints that wrote among them.
pub const WRITING_TRANSACTIONS: &str = "writing_transactions";
/// Transactions that ended in a commit, per second, those that only read too.
pub const COMMITTED_TRANSACTIONS: &str = "committed_transactions";
/// Bytes by which the log's position moved, per second.
pub const LOG_RATE: &str = "log_rate";
/// Flushes of the log per second.
pub const FLUSH_RATE: &str = "flush_rate";
/// Mean time of one write to the log as the server itself measured it, ns (`track_wal_io_timing`).
pub const SERVER_WRITE_TIME: &str = "server_write_time";
/// Share of the window in which the log was being written or flushed.
pub const FLUSH_BUSY: &str = "flush_busy";
/// Processes found writing or flushing the log at a moment, mean: by [`FLUSH_BUSY`] if what was found is what was.
pub const FLUSH_SEEN: &str = "flush_seen";
/// Whole pages in the log times the page size, over the log's bytes: at most this share is whole pages. They may be
/// compressed or have holes, so that it can exceed 1.
pub const FULL_PAGE_SHARE: &str = "full_page_share";
/// Times that the log's buffers were full, for each of its writes.
pub const BUFFERS_FULL_PER_WRITE: &str = "buffers_full_per_write";
/// Time that the server worked for whoever looked, over the window.
pub const LOOKING_SHARE: &str = "looking_share";

// Somebody's server, over windows in which it was only looked at. An operation is a transaction that ended. Times that were
// sampled are of sessions and their parallel workers together, by Little's law; so are processor time and run queue. So
// BACKEND_CPU_PER_OP + RUN_QUEUE_PER_OP + all WAIT_*_PER_OP - BETWEEN_STATEMENTS_PER_OP has to come to
// ACTIVE_TIME_PER_OP + WORKER_TIME_PER_OP, of which the first is the server's own account of statement time.

/// Time that sessions spent in statements, per operation, ns, by the server's own account (PostgreSQL 14 and later).
pub const ACTIVE_TIME_PER_OP: &str = "active_time_per_op";
/// Time that sessions spent in a transaction without a statement, per operation, ns, by the same account.
pub const IDLE_IN_TRANSACTION_PER_OP: &str = "idle_in_transaction_per_op";
/// Of processor time and run queue of sessions and workers, what adds nothing to the time in statements: taking requests in,
/// sending answers off, connecting, and the run queue after a wake-up, which inside of a statement is in the wait already. Per
/// operation, ns.
pub const BETWEEN_STATEMENTS_PER_OP: &str = "between_statements_per_op";
/// Of [`BETWEEN_STATEMENTS_PER_OP`], what is run queue; the rest is processor time. Per operation, ns.
pub const QUEUE_BETWEEN_STATEMENTS_PER_OP: &str = "queue_between_statements_per_op";
/// Time of parallel workers, at work in any state, per operation, ns (sampled).
pub const WORKER_TIME_PER_OP: &str = "worker_time_per_op";
/// Sessions that were open, mean; those at work are [`SESSIONS`].
pub const OPEN_SESSIONS: &str = "open_sessions";
/// Connections made per operation.
pub const CONNECTIONS_PER_OP: &str = "connections_per_op";
