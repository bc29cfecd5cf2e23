//! Keys of measurements of databases.

use serde_json::{Map, Value};

use super::keys;

keys! { ALL:

/// What a scan answers: `sum` or `count`.
pub const ANSWER: Key<str> = Key::new("answer");
/// Rate that the confirming windows of a search were driven at, per second.
pub const ASKED_RATE_PER_S: Key<f64> = Key::new("asked_rate_per_s");
/// Whether the server cleans the tables up by itself.
pub const AUTOVACUUM_ON_TABLE: Key<bool> = Key::new("autovacuum_on_table");
/// Who calls for the blocks of an operation.
pub const CALLED_BY: Key<str> = Key::new("called_by");
/// Numbers of the consistency conditions that were checked.
pub const CONDITIONS_CHECKED: Key<[Value]> = Key::new("conditions_checked");
/// The server's setting `debug_assertions`.
pub const DEBUG_ASSERTIONS: Key<str> = Key::new("debug_assertions");
/// Which flushes the counter of the server counts, where not those of the log alone.
pub const FLUSHES_COUNTED: Key<str> = Key::new("flushes_counted");
/// The server's setting `commit_delay`, µs.
pub const COMMIT_DELAY: Key<str> = Key::new("commit_delay");
/// The server's setting `full_page_writes`.
pub const FULL_PAGE_WRITES: Key<str> = Key::new("full_page_writes");
/// At which warehouses sessions enter transactions.
pub const HOMES: Key<str> = Key::new("homes");
/// Orders of which it is unknown whether they were acknowledged.
pub const IN_DOUBT: Key<f64> = Key::new("in_doubt");
/// Isolation level of the transactions.
pub const ISOLATION: Key<str> = Key::new("isolation");
/// Keys that operations are drawn from.
pub const KEYS: Key<f64> = Key::new("keys");
/// How keys are drawn, where not all alike.
pub const KEY_DISTRIBUTION: Key<Map<String, Value>> = Key::new("key_distribution");
/// Memory claimed before each scan, bytes.
pub const MEMORY_CLAIMED_BYTES: Key<f64> = Key::new("memory_claimed_bytes");
/// Constant of the non-uniform draw of customers.
pub const NURAND_C_CUSTOMER: Key<f64> = Key::new("nurand_c_customer");
/// Constant of the non-uniform draw of items.
pub const NURAND_C_ITEM: Key<f64> = Key::new("nurand_c_item");
/// Constant of the non-uniform draw of last names, as the tables were filled.
pub const NURAND_C_LAST_NAME_LOAD: Key<f64> = Key::new("nurand_c_last_name_load");
/// Constant of the non-uniform draw of last names, as the load draws them.
pub const NURAND_C_LAST_NAME_RUN: Key<f64> = Key::new("nurand_c_last_name_run");
/// What one operation is.
pub const OPERATION: Key<str> = Key::new("operation");
/// Where the server comes from: `given`, `packaged`, `bundle`, or `user` for one that was there.
pub const ORIGIN: Key<str> = Key::new("origin");
/// New orders per minute and warehouse that sessions with pauses can enter at most.
pub const PACED_LIMIT_PER_MIN_PER_WAREHOUSE: Key<f64> =
    Key::new("paced_limit_per_min_per_warehouse");
/// Whether sessions pause.
pub const PACING: Key<str> = Key::new("pacing");
/// Percent of a row's padding that can't be compressed.
pub const PAD_ENTROPY_PERCENT: Key<f64> = Key::new("pad_entropy_percent");
/// The server's plan of the statement after the load, where it is another.
pub const PLAN_AFTER_TEXT: Key<str> = Key::new("plan_after_text");
/// Seed of what the tables were filled with.
pub const POPULATION_SEED: Key<f64> = Key::new("population_seed");
/// How long the load ran before the server was killed, s.
pub const RAN_S: Key<f64> = Key::new("ran_s");
/// What the figures must not be taken for.
pub const SAYS: Key<str> = Key::new("says");
/// Settings of our sessions.
pub const SETTINGS: Key<[Value]> = Key::new("settings");
/// Size of the tables, bytes.
pub const TABLE_BYTES: Key<f64> = Key::new("table_bytes");
/// The server's setting `track_io_timing`.
pub const TRACK_IO_TIMING: Key<str> = Key::new("track_io_timing");
/// The server's setting `track_wal_io_timing`.
pub const TRACK_WAL_IO_TIMING: Key<str> = Key::new("track_wal_io_timing");
/// Number of warehouses.
pub const WAREHOUSES: Key<f64> = Key::new("warehouses");
/// Warehouses that the consistency conditions were checked on.
pub const WAREHOUSES_CHECKED: Key<f64> = Key::new("warehouses_checked");
/// Bytes that the operations go over.
pub const WORKING_SET_BYTES: Key<f64> = Key::new("working_set_bytes");
/// Bytes that the operations go over, over the last-level caches of the server's machine together: at 1 and below, a lookup from the pool
/// is one from caches.
pub const WORKING_SET_OF_CACHE: Key<f64> = Key::new("working_set_of_cache");
/// Bytes that the operations go over, over the memory of the server's machine.
pub const WORKING_SET_OF_MEMORY: Key<f64> = Key::new("working_set_of_memory");
/// Bytes that the operations go over, over the server's shared_buffers (MariaDB: `innodb_buffer_pool_size`).
pub const WORKING_SET_OF_POOL: Key<f64> = Key::new("working_set_of_pool");
/// The server's setting `wal_sync_method`.
pub const WAL_SYNC_METHOD: Key<str> = Key::new("wal_sync_method");
/// Name of the workload of the database layer.
pub const WORKLOAD: Key<str> = Key::new("workload");

}
