//! The server's own counters over a load, by version (PostgreSQL documentation, "The Cumulative Statistics
//! System"; columns probed against 13 to 18).
//!
//! A session reports its statistics at most once a second and when it ends, so counters are read before the first
//! session opens and after the last one has ended, and cover the whole load, warm-up included. The log position is
//! exact at any time. The connection that reads them is in another database where that is ours to choose, so that its
//! own transactions are not among the load's; where it is in the same one, it makes the server count its own at once, and they
//! are taken off by its own count.

use std::time::{Duration, Instant};

use crate::session::APPLICATION_NAME;
use crate::wire::{Connection, WireError};

/// One reading; absent is what the version doesn't have.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Counters {
    /// Transactions ended in this database.
    pub transactions: f64,
    /// Blocks not found in the buffer pool.
    pub blocks_read: f64,
    /// Blocks found in the buffer pool.
    pub blocks_hit: f64,
    /// Time in reads, ns; zero unless `track_io_timing` is on.
    pub read_time_ns: f64,
    /// Log position, bytes.
    pub wal_bytes: f64,
    /// Log flushes.
    pub flushes: Option<f64>,
    /// Time in log flushes, ns; zero unless `track_wal_io_timing` is on.
    pub flush_time_ns: Option<f64>,
    /// Time in writes of the log, ns; likewise.
    pub write_time_ns: Option<f64>,
    /// Full pages in the log, the first change of each page after a checkpoint.
    pub full_pages: Option<f64>,
    /// Checkpoints begun (timed and requested), as far as the server has reported them: mostly when they end.
    pub checkpoints: f64,
    /// Pages that checkpoints have written, likewise; a spread one reports while it writes.
    pub checkpoint_pages: f64,
    /// One where the checkpointer is at work at this moment, zero where it waits for something to do. `None` where it can't be
    /// seen.
    pub checkpointing: Option<f64>,
    /// Transactions of the connection that reads, where it is in the same database and they are among the others.
    pub own: f64,
}

/// Reads those of `database`; `version` is `server_version_num`.
pub fn read(monitor: &mut Connection, database: &str, version: u32) -> Result<Counters, WireError> {
    let beside = monitor.database() == database;
    if beside && version >= 150_000 {
        // Who may not is off by what the connection asked in a second.
        let _ = monitor.query("SELECT pg_stat_force_next_flush()");
    }
    let own = if beside { monitor.asked() as f64 } else { 0.0 };
    let log = match version {
        ..140_000 => "NULL::float8, NULL::float8, NULL::float8",
        140_000..180_000 => {
            "(SELECT wal_sync::float8 FROM pg_stat_wal), (SELECT wal_sync_time FROM pg_stat_wal), \
             (SELECT wal_write_time FROM pg_stat_wal)"
        }
        _ => {
            "(SELECT sum(fsyncs)::float8 FROM pg_stat_io WHERE object = 'wal'), \
             (SELECT sum(fsync_time) FROM pg_stat_io WHERE object = 'wal'), \
             (SELECT sum(write_time) FROM pg_stat_io WHERE object = 'wal' AND context = 'normal')"
        }
    };
    let checkpoints = if version < 170_000 {
        "(SELECT checkpoints_timed + checkpoints_req FROM pg_stat_bgwriter), \
         (SELECT buffers_checkpoint FROM pg_stat_bgwriter)"
    } else {
        "(SELECT num_timed + num_requested FROM pg_stat_checkpointer), \
         (SELECT buffers_written FROM pg_stat_checkpointer)"
    };
    let full_pages = if version < 140_000 {
        "NULL::float8"
    } else {
        "(SELECT wal_fpi::float8 FROM pg_stat_wal)"
    };
    // Without the right to see it there is no such row.
    let checkpointing = "(SELECT max((wait_event IS DISTINCT FROM 'CheckpointerMain')::int) \
                         FROM pg_stat_activity WHERE backend_type = 'checkpointer')";
    let rows = monitor.query(&format!(
        "SELECT xact_commit + xact_rollback, blks_read, blks_hit, blk_read_time, \
         pg_current_wal_insert_lsn() - '0/0'::pg_lsn, {log}, {checkpoints}, {checkpointing}, \
         {full_pages} \
         FROM pg_stat_database WHERE datname = '{}'",
        database.replace('\'', "''")
    ))?;
    let row = rows.first().ok_or(WireError::Unexpected("no statistics of this database"))?;
    let number = |column: usize| -> Option<f64> { row.get(column)?.as_deref()?.parse().ok() };
    let need = |column| number(column).ok_or(WireError::Unexpected("a counter that is no number"));
    Ok(Counters {
        transactions: need(0)?,
        blocks_read: need(1)?,
        blocks_hit: need(2)?,
        read_time_ns: need(3)? * 1e6,
        wal_bytes: need(4)?,
        flushes: number(5),
        flush_time_ns: number(6).map(|ms| ms * 1e6),
        write_time_ns: number(7).map(|ms| ms * 1e6),
        checkpoints: need(8)?,
        checkpoint_pages: need(9)?,
        checkpointing: number(10),
        full_pages: number(11),
        own,
    })
}

/// Waits until the load's sessions have ended and reported. Before version 15 reports travel through a collector
/// process that may be half a second behind.
pub fn settle(monitor: &mut Connection, version: u32) -> Result<(), WireError> {
    let sql = format!(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = '{APPLICATION_NAME}'"
    );
    let deadline = Instant::now() + Duration::from_secs(10);
    while monitor.one(&sql)?.as_deref() != Some("0") && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
    if version < 150_000 {
        std::thread::sleep(Duration::from_millis(1000));
        // It reports what it did itself at the end of a transaction, twice a second at most.
        monitor.query("SELECT 1")?;
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

impl Counters {
    /// What changed since `earlier`.
    pub fn since(&self, earlier: &Counters) -> Counters {
        let both = |a: Option<f64>, b: Option<f64>| Some(a? - b?);
        Counters {
            transactions: self.transactions - earlier.transactions - (self.own - earlier.own),
            own: self.own - earlier.own,
            blocks_read: self.blocks_read - earlier.blocks_read,
            blocks_hit: self.blocks_hit - earlier.blocks_hit,
            read_time_ns: self.read_time_ns - earlier.read_time_ns,
            wal_bytes: self.wal_bytes - earlier.wal_bytes,
            flushes: both(self.flushes, earlier.flushes),
            flush_time_ns: both(self.flush_time_ns, earlier.flush_time_ns),
            write_time_ns: both(self.write_time_ns, earlier.write_time_ns),
            checkpoints: self.checkpoints - earlier.checkpoints,
            checkpoint_pages: self.checkpoint_pages - earlier.checkpoint_pages,
            full_pages: both(self.full_pages, earlier.full_pages),
            // A state, and no count: whether it was at work at either end.
            checkpointing: self.checkpointing.zip(earlier.checkpointing).map(|(a, b)| a.max(b)),
        }
    }
}

#[cfg(test)]
#[path = "counters_test.rs"]
mod tests;
