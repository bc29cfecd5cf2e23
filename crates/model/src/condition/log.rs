//! Keys of measurements of the log.

/// How arrivals are spaced, for example `constant`.
pub const ARRIVALS: &str = "arrivals";
/// Size of the file beside the log that is kept busy, bytes.
pub const BUSY_FILE_BYTES: &str = "busy_file_bytes";
/// Flushes of the file beside the log.
pub const BUSY_FSYNCS: &str = "busy_fsyncs";
/// Reads beside the log, per second.
pub const BUSY_READS_PER_S: &str = "busy_reads_per_s";
/// Reads beside the log that were wanted, per second.
pub const BUSY_READS_PER_S_WANTED: &str = "busy_reads_per_s_wanted";
/// Whether the file kept busy is on the log's device.
pub const BUSY_SAME_DEVICE: &str = "busy_same_device";
/// Bytes of a write beside the log.
pub const BUSY_WRITE_BYTES: &str = "busy_write_bytes";
/// Writes beside the log, per second.
pub const BUSY_WRITES_PER_S: &str = "busy_writes_per_s";
/// Writes beside the log that were wanted, per second.
pub const BUSY_WRITES_PER_S_WANTED: &str = "busy_writes_per_s_wanted";
/// Log bytes of one commit.
pub const BYTES_PER_COMMIT: &str = "bytes_per_commit";
/// Size of the cache that the streams pass, bytes.
pub const CACHE_BYTES: &str = "cache_bytes";
/// Seconds in which the streams fill that cache once.
pub const CACHE_TURNOVER_S: &str = "cache_turnover_s";
/// Delay of a commit that waits for others, ns.
pub const COMMIT_DELAY_NS: &str = "commit_delay_ns";
/// Commits at work from which one waits for others.
pub const COMMIT_SIBLINGS: &str = "commit_siblings";
/// Commits that fit into one page of the log.
pub const COMMITS_PER_PAGE: &str = "commits_per_page";
/// Flushes that the device did per operation.
pub const DEVICE_FLUSHES_PER_OP: &str = "device_flushes_per_op";
/// Writes that the device did per operation.
pub const DEVICE_WRITES_PER_OP: &str = "device_writes_per_op";
/// What makes a write durable.
pub const DURABLE_BY: &str = "durable_by";
/// Layout of the log file.
pub const LAYOUT: &str = "layout";
/// How often the log was recycled.
pub const LOG_RECYCLED_TIMES: &str = "log_recycled_times";
/// Share of operations over the target.
pub const OVER_TARGET_SHARE: &str = "over_target_share";
/// Pages or records that were read back.
pub const PAGES_READ_BACK: &str = "pages_read_back";
/// Rate asked for, bytes per second.
pub const RATE_BYTES_PER_S: &str = "rate_bytes_per_s";
/// Rate asked for, per second.
pub const RATE_PER_S: &str = "rate_per_s";
/// Size of a log segment, bytes.
pub const SEGMENT_BYTES: &str = "segment_bytes";
/// What came out, as a sentence.
pub const SENTENCE: &str = "sentence";
/// Where the sizes of commits come from.
pub const SIZES_FROM: &str = "sizes_from";
/// The rung that this one is compared with.
pub const STANDS_ON: &str = "stands_on";
/// Number of log streams.
pub const STREAMS: &str = "streams";
/// How the log is written.
pub const STYLE: &str = "style";
/// The server's setting of that name.
pub const SYNCHRONOUS_COMMIT: &str = "synchronous_commit";
/// Target of a latency, ns.
pub const TARGET_NS: &str = "target_ns";
/// Quantile that the target is for.
pub const TARGET_QUANTILE: &str = "target_quantile";
/// Statements between two timed ones that are not timed.
pub const UNTIMED_STATEMENTS_BETWEEN: &str = "untimed_statements_between";
/// Time of an operation in the client, ns.
pub const WORK_CLIENT_NS: &str = "work_client_ns";
/// Processor time of an operation, ns.
pub const WORK_CPU_NS: &str = "work_cpu_ns";
/// Waits of an operation, ns.
pub const WORK_WAITS_NS: &str = "work_waits_ns";
