//! Keys of a measurement's `workload` and `conditions` that crates write or read: the one place where they are spelled.

mod block;
mod database;
mod fabric;
mod key;
mod log;
mod machine;
mod memory;

pub use block::*;
pub use database::*;
pub use fabric::*;
pub(crate) use key::keys;
pub use key::{Conditions, CpuCount, Key, KeyDescription, Shape};
pub use log::*;
pub use machine::*;
pub use memory::*;

use serde_json::{Map, Value};

keys! { GENERAL:

/// That files and windows were made too small for figures, on request of a test.
pub const LEAST_LOAD: Key<bool> = Key::new("least_load");
/// Whether each session waits for its operation (`closed`) or operations start at a rate (`open`).
pub const LOOP: Key<str> = Key::new("loop");
/// I/O method obtained: `io_uring`, `threads`, `buffered`, `direct`.
pub const METHOD: Key<str> = Key::new("method");
/// Block size: bytes per operation.
pub const BLOCK_BYTES: Key<f64> = Key::new("block_bytes");
/// Whether offsets are `random` or `sequential`.
pub const PATTERN: Key<str> = Key::new("pattern");
/// How offsets are drawn, beyond random or sequential: `once_each`, `uniform`, `parts`, `same_offsets` and others.
pub const PLACE: Key<str> = Key::new("place");
/// Whether operations were direct I/O, as obtained.
pub const DIRECT: Key<bool> = Key::new("direct");
/// What was measured on: `file`, `file in /dev`, `block device`.
pub const TARGET_KIND: Key<str> = Key::new("target_kind");
/// What the blocks hold: `ours` (random data, each block told from every other) or `of others`.
pub const CONTENTS: Key<str> = Key::new("contents");
/// What the operations do: `read`, `write`, `trim` or `mixed`.
pub const DIRECTION: Key<str> = Key::new("direction");
/// Queue depth that was asked for: requests in flight.
pub const DEPTH: Key<f64> = Key::new("depth");
/// Threads that issued the operations.
pub const THREADS: Key<f64> = Key::new("threads");
/// Sessions of the server, or committers of the WAL layer.
pub const SESSIONS: Key<f64> = Key::new("sessions");
/// Where a block or log measurement ran: `data` or `wal`.
pub const ROLE: Key<str> = Key::new("role");
/// The folder that was asked about, where several folders have one role.
pub const FOLDER: Key<str> = Key::new("folder");
/// What a write figure is worth: `burst`, `sustained` or `unknown`.
pub const WRITE_STATE: Key<str> = Key::new("write_state");
/// PCIe links of the drives that were read again in the windows and were below their best at some time: a list of
/// [`crate::LoadedLink`], as in the last window.
pub const LINKS_UNDER_LOAD: Key<[Value]> = Key::new("links_under_load");
/// Page size obtained, bytes.
pub const PAGE_BYTES: Key<f64> = Key::new("page_bytes");
/// Memory node measured.
pub const NODE: Key<f64> = Key::new("node");
/// Name of the busiest server process.
pub const HOT_THREAD_NAME: Key<str> = Key::new("hot_thread_name");
/// What an intervention changed, for example `sessions_x2`.
pub const INTERVENTION: Key<str> = Key::new("intervention");
/// Id of the measurement an intervention is compared with.
pub const BASELINE: Key<str> = Key::new("baseline");
/// Where the blocks of a workload by key are to come from: `pool` or `drive`.
pub const FROM: Key<str> = Key::new("from");
/// How many tables there are where each session has one of its own.
pub const PRIVATE_TABLES: Key<f64> = Key::new("private_tables");
/// Whether there were more sessions than tables of their own, so that several shared one.
pub const PRIVATE_TABLES_SHARED: Key<bool> = Key::new("private_tables_shared");
/// How the server was kept from its cache: `debug_io_direct`, `eviction`.
pub const UNCACHED_BY: Key<str> = Key::new("uncached_by");
/// CPUs given to the server: a list, or their number.
pub const SERVER_CPUS: Key<CpuCount> = Key::new("server_cpus");
/// Quota of the control group that the observed server on this machine is in, CPUs; null where it has none.
pub const SERVER_QUOTA_CPUS: Key<f64> = Key::new("server_quota_cpus");
/// `hidden` where the observed server on this machine is in control groups that can't be seen from here.
pub const SERVER_LIMITS: Key<str> = Key::new("server_limits");
/// CPUs given to the client: a list, or their number.
pub const CLIENT_CPUS: Key<CpuCount> = Key::new("client_cpus");
/// What the client's share of the CPUs was sized by: a `from` of `measured` with the CPU time of an operation in client and server,
/// ns, or of `published` with their ratio.
pub const CLIENT_CPUS_SIZED_BY: Key<Map<String, Value>> = Key::new("client_cpus_sized_by");
/// Whether client and server share CPUs.
pub const CPUS_SHARED: Key<bool> = Key::new("cpus_shared");
/// Durable-write method: `fdatasync`, `open_dsync`.
pub const SYNC_METHOD: Key<str> = Key::new("sync_method");
/// How the server was built, where its role may ask: `CC`, `CFLAGS`, `CONFIGURE` to their values; else what its program says of itself.
pub const SERVER_BUILD: Key<Value> = Key::new("server_build");
/// CPUs in use by sessions and by each of the server's own processes, means over the repeats; object of names to CPUs.
pub const CPUS_BY_CLASS: Key<Map<String, Value>> = Key::new("cpus_by_class");
/// `other` where a statement was planned otherwise after the load than before it.
pub const PLAN_AFTER: Key<str> = Key::new("plan_after");
/// `index` where the index alone answered, so that the table was not read.
pub const ANSWERED_FROM: Key<str> = Key::new("answered_from");
/// Blocks of the table that one operation asks for.
pub const BLOCKS_PER_OP: Key<f64> = Key::new("blocks_per_op");
/// Mean time between an answer and the session's next operation, ns.
pub const THINK_NS: Key<f64> = Key::new("think_ns");
/// Parallel workers of the server that were asked for.
pub const WORKERS: Key<f64> = Key::new("workers");
/// How our sessions to the server are encrypted: `none`, or protocol, ciphers and what was verified of the server.
pub const ENCRYPTION: Key<str> = Key::new("encryption");
/// Server version text.
pub const SERVER_VERSION: Key<str> = Key::new("server_version");
/// The run that the measurement was taken over from, and its age then: a sentence without a verb.
pub const TAKEN_FROM: Key<str> = Key::new("taken_from");
/// The file and the tool whose result was imported.
pub const IMPORTED_FROM: Key<str> = Key::new("imported_from");
/// Of which latency the percentiles of an imported result are.
pub const PERCENTILES_OF: Key<str> = Key::new("percentiles_of");
/// What ran beside the measurement.
pub const BESIDE: Key<str> = Key::new("beside");
/// Size of what was measured, bytes.
pub const BYTES: Key<f64> = Key::new("bytes");
/// The kernel's clock source.
pub const CLOCK_SOURCE: Key<str> = Key::new("clock_source");
/// Clock source after the measurement, where it changed.
pub const CLOCK_SOURCE_AFTER: Key<str> = Key::new("clock_source_after");
/// Clock sources that the kernel has.
pub const CLOCK_SOURCES_AVAILABLE: Key<str> = Key::new("clock_sources_available");
/// Kind of load that ran beside the measurement.
pub const COMPANY: Key<str> = Key::new("company");
/// Conditions that a state on disk violates.
pub const CONDITIONS_VIOLATED: Key<[Value]> = Key::new("conditions_violated");
/// CPU that was measured on.
pub const CPU: Key<f64> = Key::new("cpu");
/// CPUs that were used.
pub const CPUS: Key<[Value]> = Key::new("cpus");
/// CPUs whose clocks were compared.
pub const CPUS_COMPARED: Key<f64> = Key::new("cpus_compared");
/// Why clocks of CPUs were not compared.
pub const CPUS_NOT_COMPARED: Key<str> = Key::new("cpus_not_compared");
/// Whether the server's data has checksums.
pub const DATA_CHECKSUMS: Key<bool> = Key::new("data_checksums");
/// How a figure was derived from others.
pub const DERIVED: Key<str> = Key::new("derived");
/// Device that was measured on.
pub const DEVICE: Key<str> = Key::new("device");
/// File that was measured on.
pub const FILE: Key<str> = Key::new("file");
/// Size of the files, bytes.
pub const FILE_BYTES: Key<f64> = Key::new("file_bytes");
/// Number of files.
pub const FILES: Key<f64> = Key::new("files");
/// First error of an operation.
pub const FIRST_ERROR: Key<str> = Key::new("first_error");
/// The server's setting `fsync`.
pub const FSYNC: Key<str> = Key::new("fsync");
/// Cost of an operation in the generator, ns.
pub const GENERATOR_NS_PER_OP: Key<f64> = Key::new("generator_ns_per_op");
/// Length of what was observed, s.
pub const INTERVAL_S: Key<f64> = Key::new("interval_s");
/// Name of the job in the job file.
pub const JOB: Key<str> = Key::new("job");
/// Threads of the kernel that did requests of io_uring on behalf of narrows.
pub const KERNEL_WORKERS: Key<f64> = Key::new("kernel_workers");
/// Clones of the job.
pub const NUMJOBS: Key<f64> = Key::new("numjobs");
/// What was observed.
pub const OF: Key<str> = Key::new("of");
/// The server's plan of the statement.
pub const PLAN: Key<str> = Key::new("plan");
/// Bytes written to precondition the drive.
pub const PRECONDITION_BYTES: Key<f64> = Key::new("precondition_bytes");
/// Bytes of the addresses that a load works on.
pub const RANGE_BYTES: Key<f64> = Key::new("range_bytes");
/// Bytes of the addresses that a load writes to over the drive's capacity (SNIA's ActiveRange).
pub const RANGE_OVER_CAPACITY: Key<f64> = Key::new("range_over_capacity");
/// Readings of the clock in a batch.
pub const READS_PER_BATCH: Key<f64> = Key::new("reads_per_batch");
/// How much log the changes write, `heavy` for instance.
pub const REDO: Key<str> = Key::new("redo");
/// Whether buffers were registered with the ring.
pub const REGISTERED_BUFFERS: Key<bool> = Key::new("registered_buffers");
/// Shares of samples in which sessions were blocked.
pub const SAMPLED_BLOCKED_SHARES: Key<[Value]> = Key::new("sampled_blocked_shares");
/// Section of the target that the job goes over.
pub const SECTION: Key<str> = Key::new("section");
/// Seed of the random numbers.
pub const SEED: Key<f64> = Key::new("seed");
/// Options that the server was built with.
pub const SERVER_BUILD_OPTIONS: Key<str> = Key::new("server_build_options");
/// Settings of the server.
pub const SERVER_SETTINGS: Key<Map<String, Value>> = Key::new("server_settings");
/// Where the server's programs come from.
pub const SERVER_SOURCE: Key<str> = Key::new("server_source");
/// Statement that was measured.
pub const STATEMENT: Key<str> = Key::new("statement");
/// How writes of the job are made durable.
pub const SYNC: Key<str> = Key::new("sync");
/// Operations after which the job pauses; 0 where it pauses by time alone.
pub const THINK_AFTER: Key<f64> = Key::new("think_after");
/// Length of a job's pause, ns.
pub const THINK_PAUSE_NS: Key<f64> = Key::new("think_pause_ns");
/// Frequency of the CPU's counter, Hz.
pub const TICKS_HZ: Key<f64> = Key::new("ticks_hz");
/// Share of updates in the mix, percent.
pub const UPDATES_PERCENT: Key<f64> = Key::new("updates_percent");
/// Samples by wait event.
pub const WAIT_EVENTS: Key<Map<String, Value>> = Key::new("wait_events");
/// Number of the window in its run.
pub const WINDOW: Key<f64> = Key::new("window");
/// Parallel workers of the server that a scan asked for.
pub const WORKERS_ASKED: Key<f64> = Key::new("workers_asked");
/// Number of writers.
pub const WRITERS: Key<f64> = Key::new("writers");
/// Bytes that were written.
pub const WRITTEN_BYTES: Key<f64> = Key::new("written_bytes");
/// Bytes written over the drive's capacity.
pub const WRITTEN_OVER_CAPACITY: Key<f64> = Key::new("written_over_capacity");

}

/// [`CLIENT_CPUS`] where it is their number.
pub const CLIENT_CPUS_COUNT: Key<f64> = Key::new("client_cpus");

/// Every key, those of the mix of orders among them.
pub fn all() -> impl Iterator<Item = KeyDescription> {
    let tables = [
        GENERAL,
        block::ALL,
        database::ALL,
        fabric::ALL,
        log::ALL,
        machine::ALL,
        memory::ALL,
        crate::orders::KEYS,
    ];
    tables.into_iter().flatten().copied()
}
