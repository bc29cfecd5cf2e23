//! Keys of measurements of the log.

use super::keys;

keys! { ALL:

/// How arrivals are spaced, for example `constant`.
pub const ARRIVALS: Key<str> = Key::new("arrivals");
/// Size of the file beside the log that is kept busy, bytes.
pub const BUSY_FILE_BYTES: Key<f64> = Key::new("busy_file_bytes");
/// Flushes of the file beside the log.
pub const BUSY_FSYNCS: Key<f64> = Key::new("busy_fsyncs");
/// Reads beside the log, per second.
pub const BUSY_READS_PER_S: Key<f64> = Key::new("busy_reads_per_s");
/// Reads beside the log that were wanted, per second.
pub const BUSY_READS_PER_S_WANTED: Key<f64> = Key::new("busy_reads_per_s_wanted");
/// Whether the file kept busy is on the log's device.
pub const BUSY_SAME_DEVICE: Key<bool> = Key::new("busy_same_device");
/// Bytes of a write beside the log.
pub const BUSY_WRITE_BYTES: Key<f64> = Key::new("busy_write_bytes");
/// Writes beside the log, per second.
pub const BUSY_WRITES_PER_S: Key<f64> = Key::new("busy_writes_per_s");
/// Writes beside the log that were wanted, per second.
pub const BUSY_WRITES_PER_S_WANTED: Key<f64> = Key::new("busy_writes_per_s_wanted");
/// Log bytes of one commit.
pub const BYTES_PER_COMMIT: Key<f64> = Key::new("bytes_per_commit");
/// Log bytes of one flush of the workload that this one is to be like.
pub const BYTES_PER_FLUSH_WANTED: Key<f64> = Key::new("bytes_per_flush_wanted");
/// Size of the cache that the log's streams pass, bytes.
pub const CACHE_BYTES: Key<f64> = Key::new("cache_bytes");
/// Seconds in which the log's streams fill the cache that they pass once.
pub const CACHE_TURNOVER_S: Key<f64> = Key::new("cache_turnover_s");
/// Delay of a commit that waits for others, ns.
pub const COMMIT_DELAY_NS: Key<f64> = Key::new("commit_delay_ns");
/// Commits at work from which one waits for others.
pub const COMMIT_SIBLINGS: Key<f64> = Key::new("commit_siblings");
/// Commits that fit into one page of the log.
pub const COMMITS_PER_PAGE: Key<f64> = Key::new("commits_per_page");
/// Flushes that the device did per operation.
pub const DEVICE_FLUSHES_PER_OP: Key<f64> = Key::new("device_flushes_per_op");
/// Writes that the device did per operation.
pub const DEVICE_WRITES_PER_OP: Key<f64> = Key::new("device_writes_per_op");
/// What makes a write durable.
pub const DURABLE_BY: Key<str> = Key::new("durable_by");
/// Layout of the log file.
pub const LAYOUT: Key<str> = Key::new("layout");
/// How often the log was recycled.
pub const LOG_RECYCLED_TIMES: Key<f64> = Key::new("log_recycled_times");
/// Share of operations that took longer than the target.
pub const OVER_TARGET_SHARE: Key<f64> = Key::new("over_target_share");
/// Pages or records that were read back.
pub const PAGES_READ_BACK: Key<f64> = Key::new("pages_read_back");
/// Rate asked for, bytes per second.
pub const RATE_BYTES_PER_S: Key<f64> = Key::new("rate_bytes_per_s");
/// Rate asked for, per second.
pub const RATE_PER_S: Key<f64> = Key::new("rate_per_s");
/// Size of a log segment, bytes.
pub const SEGMENT_BYTES: Key<f64> = Key::new("segment_bytes");
/// What came out, as a sentence.
pub const SENTENCE: Key<str> = Key::new("sentence");
/// Where the sizes of commits come from.
pub const SIZES_FROM: Key<str> = Key::new("sizes_from");
/// The drives under the folder of a log tier where they are those under WAL too, by their kernel names.
pub const SAME_DRIVES: Key<str> = Key::new("same_drives");
/// The step of the ladder that this one is compared with.
pub const STANDS_ON: Key<str> = Key::new("stands_on");
/// Number of log streams.
pub const STREAMS: Key<f64> = Key::new("streams");
/// How the log is written: as which server writes it.
pub const STYLE: Key<str> = Key::new("style");
/// The server's setting `synchronous_commit`.
pub const SYNCHRONOUS_COMMIT: Key<str> = Key::new("synchronous_commit");
/// Target of a latency, ns.
pub const TARGET_NS: Key<f64> = Key::new("target_ns");
/// Quantile that the target is for.
pub const TARGET_QUANTILE: Key<f64> = Key::new("target_quantile");
/// Statements between two timed ones that are not timed.
pub const UNTIMED_STATEMENTS_BETWEEN: Key<f64> = Key::new("untimed_statements_between");
/// The measurement of the same step in the folder without the log tier.
pub const WITHOUT_TIER: Key<str> = Key::new("without_tier");
/// Time of an operation in the client, ns.
pub const WORK_CLIENT_NS: Key<f64> = Key::new("work_client_ns");
/// CPU time of an operation, ns.
pub const WORK_CPU_NS: Key<f64> = Key::new("work_cpu_ns");
/// Waits of an operation, ns.
pub const WORK_WAITS_NS: Key<f64> = Key::new("work_waits_ns");

}
