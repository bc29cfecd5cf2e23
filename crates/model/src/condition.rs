//! Keys of a measurement's `workload` and `conditions` that crates write or read: the one place where they are spelled.

mod log;
mod memory;

pub use log::*;
pub use memory::*;

/// That files and windows were made too small for figures, on request of a test.
pub const LEAST_LOAD: &str = "least_load";
/// `closed` or `open`.
pub const LOOP: &str = "loop";
/// I/O method obtained: `io_uring`, `threads`, `buffered`, `direct`.
pub const METHOD: &str = "method";
/// Bytes per operation.
pub const BLOCK_BYTES: &str = "block_bytes";
/// `random` or `sequential`.
pub const PATTERN: &str = "pattern";
/// Where the operations go beyond that: `once_each`, `uniform`, `parts`, `same_offsets` and others.
pub const PLACE: &str = "place";
/// Whether operations went past the page cache, as obtained.
pub const DIRECT: &str = "direct";
/// What was measured on: `file`, `file in /dev`, `block device`.
pub const TARGET_KIND: &str = "target_kind";
/// What the blocks hold: `ours` (random data, each block told from every other) or `of others`.
pub const CONTENTS: &str = "contents";
/// `read`, `write`, `trim` or `mixed`.
pub const DIRECTION: &str = "direction";
/// Requests in flight asked for.
pub const DEPTH: &str = "depth";
/// Threads used.
pub const THREADS: &str = "threads";
/// Sessions, or committers.
pub const SESSIONS: &str = "sessions";
/// Where a block or log measurement ran: `data` or `wal`.
pub const ROLE: &str = "role";
/// The folder that was asked about, where several folders have one role.
pub const FOLDER: &str = "folder";
/// What a write figure is worth: `burst`, `sustained` or `unknown`.
pub const WRITE_STATE: &str = "write_state";
/// PCIe links of the drives that were read again in the windows and were below their best at some time: a list of
/// [`crate::LoadedLink`], as in the last window.
pub const LINKS_UNDER_LOAD: &str = "links_under_load";
/// Page size obtained, bytes.
pub const PAGE_BYTES: &str = "page_bytes";
/// Memory node measured.
pub const NODE: &str = "node";
/// Name of the busiest server process.
pub const HOT_THREAD_NAME: &str = "hot_thread_name";
/// What an intervention changed, for example `sessions_x2`.
pub const INTERVENTION: &str = "intervention";
/// Id of the measurement an intervention is compared with.
pub const BASELINE: &str = "baseline";
/// Where the blocks of a workload by key are to come from: `pool` or `drive`.
pub const FROM: &str = "from";
/// How many tables there are where each session has one of its own.
pub const PRIVATE_TABLES: &str = "private_tables";
/// Whether there were more sessions than such tables, so that several shared one.
pub const PRIVATE_TABLES_SHARED: &str = "private_tables_shared";
/// How the server was kept from its cache: `debug_io_direct`, `eviction`.
pub const UNCACHED_BY: &str = "uncached_by";
/// Processors given to the server.
pub const SERVER_CPUS: &str = "server_cpus";
/// Quota of the control group that somebody's server on this machine is in, processors; null where it has none.
pub const SERVER_QUOTA_CPUS: &str = "server_quota_cpus";
/// Processors given to the client.
pub const CLIENT_CPUS: &str = "client_cpus";
/// Whether client and server share processors.
pub const CPUS_SHARED: &str = "cpus_shared";
/// Durable-write method: `fdatasync`, `open_dsync`.
pub const SYNC_METHOD: &str = "sync_method";
/// How the server was built, where its role may ask: `CC`, `CFLAGS`, `CONFIGURE` to their values.
pub const SERVER_BUILD: &str = "server_build";
/// CPUs in use by sessions and by each of the server's own processes, means over the repeats; object of names to CPUs.
pub const CPUS_BY_CLASS: &str = "cpus_by_class";
/// `other` where a statement was planned otherwise after the load than before it.
pub const PLAN_AFTER: &str = "plan_after";
/// `index` where the index alone answered, so that the table was not read.
pub const ANSWERED_FROM: &str = "answered_from";
/// Blocks of the table that one operation asks for.
pub const BLOCKS_PER_OP: &str = "blocks_per_op";
/// Mean time between an answer and the session's next operation, ns.
pub const THINK_NS: &str = "think_ns";
/// Parallel workers asked for.
pub const WORKERS: &str = "workers";
/// How our sessions to the server are encrypted: `none`, or protocol, ciphers and what was verified of the server.
pub const ENCRYPTION: &str = "encryption";
/// Server version text.
pub const SERVER_VERSION: &str = "server_version";
/// The run that the measurement was taken over from, and its age then: a sentence without a verb.
pub const TAKEN_FROM: &str = "taken_from";
/// What ran beside it.
pub const BESIDE: &str = "beside";
/// Size, bytes.
pub const BYTES: &str = "bytes";
/// The kernel's clock source.
pub const CLOCK_SOURCE: &str = "clock_source";
/// Clock source after the measurement, where it changed.
pub const CLOCK_SOURCE_AFTER: &str = "clock_source_after";
/// Clock sources that the kernel has.
pub const CLOCK_SOURCES_AVAILABLE: &str = "clock_sources_available";
/// Kind of load that ran beside it.
pub const COMPANY: &str = "company";
/// Conditions that a state on disk violates.
pub const CONDITIONS_VIOLATED: &str = "conditions_violated";
/// Processor measured on.
pub const CPU: &str = "cpu";
/// Processors used.
pub const CPUS: &str = "cpus";
/// Processors whose clocks were compared.
pub const CPUS_COMPARED: &str = "cpus_compared";
/// Why clocks of processors were not compared.
pub const CPUS_NOT_COMPARED: &str = "cpus_not_compared";
/// Whether the server's data has checksums.
pub const DATA_CHECKSUMS: &str = "data_checksums";
/// How a figure was derived from others.
pub const DERIVED: &str = "derived";
/// Device measured on.
pub const DEVICE: &str = "device";
/// File worked on.
pub const FILE: &str = "file";
/// Size of the files, bytes.
pub const FILE_BYTES: &str = "file_bytes";
/// Number of files.
pub const FILES: &str = "files";
/// First error of an operation.
pub const FIRST_ERROR: &str = "first_error";
/// The server's setting of that name.
pub const FSYNC: &str = "fsync";
/// Cost of an operation in the generator, ns.
pub const GENERATOR_NS_PER_OP: &str = "generator_ns_per_op";
/// Length of what was observed, s.
pub const INTERVAL_S: &str = "interval_s";
/// Name of the job.
pub const JOB: &str = "job";
/// The kernel's worker threads.
pub const KERNEL_WORKERS: &str = "kernel_workers";
/// Clones of the job.
pub const NUMJOBS: &str = "numjobs";
/// What was observed.
pub const OF: &str = "of";
/// The server's plan of the statement.
pub const PLAN: &str = "plan";
/// Bytes written to precondition the drive.
pub const PRECONDITION_BYTES: &str = "precondition_bytes";
/// Readings of the clock in a batch.
pub const READS_PER_BATCH: &str = "reads_per_batch";
/// How much log the changes write, `heavy` for instance.
pub const REDO: &str = "redo";
/// Whether buffers were registered with the ring.
pub const REGISTERED_BUFFERS: &str = "registered_buffers";
/// Shares of samples in which sessions were blocked.
pub const SAMPLED_BLOCKED_SHARES: &str = "sampled_blocked_shares";
/// Section of the target that the job goes over.
pub const SECTION: &str = "section";
/// Seed of the random numbers.
pub const SEED: &str = "seed";
/// Options that the server was built with.
pub const SERVER_BUILD_OPTIONS: &str = "server_build_options";
/// Settings of the server.
pub const SERVER_SETTINGS: &str = "server_settings";
/// Where the server's programs come from.
pub const SERVER_SOURCE: &str = "server_source";
/// Statement that was measured.
pub const STATEMENT: &str = "statement";
/// How writes of the job are made durable.
pub const SYNC: &str = "sync";
/// Operations after which the job pauses.
pub const THINK_AFTER: &str = "think_after";
/// Length of that pause, ns.
pub const THINK_PAUSE_NS: &str = "think_pause_ns";
/// Frequency of the processor's counter, Hz.
pub const TICKS_HZ: &str = "ticks_hz";
/// Share of updates in the mix, percent.
pub const UPDATES_PERCENT: &str = "updates_percent";
/// Samples by wait event.
pub const WAIT_EVENTS: &str = "wait_events";
/// Number of the window.
pub const WINDOW: &str = "window";
/// Workers that were asked for.
pub const WORKERS_ASKED: &str = "workers_asked";
/// Number of writers.
pub const WRITERS: &str = "writers";
/// Bytes written.
pub const WRITTEN_BYTES: &str = "written_bytes";
/// Bytes written over the drive's capacity.
pub const WRITTEN_OVER_CAPACITY: &str = "written_over_capacity";
