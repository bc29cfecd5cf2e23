//! Where each counter stands, by version.
//!
//! Of several sources of one counter the first whose columns this server has counts. Sums are over all rows of a view, which
//! for `pg_stat_database` are all databases and what belongs to none.
//!
//! Source: PostgreSQL documentation 13 to 18, "The Cumulative Statistics System". Traps: `pg_stat_io` counts blocks before 18 and
//! joined requests from 18 on, so that bytes are taken there; the log's rows stand in it from 18 on, when `pg_stat_wal` lost
//! them; the checkpointer has a view of its own from 17 on; what sessions wrote themselves was a column of the background
//! writer's view up to 16, which counted extensions too.

/// A counter that only grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Count {
    Commits,
    Rollbacks,
    Writers,
    BlockHits,
    BlockReads,
    ReadMs,
    WriteMs,
    SessionWrites,
    CheckpointWrites,
    BackgroundWrites,
    RowsRead,
    RowsChanged,
    TempFiles,
    TempBytes,
    Deadlocks,
    ReplayConflicts,
    ActiveMs,
    IdleInTransactionMs,
    Connections,
    LogBytes,
    LogRecords,
    FullPages,
    LogBuffersFull,
    LogWrites,
    LogWrittenBytes,
    LogWriteMs,
    Flushes,
    SessionFlushes,
    FlushMs,
    CheckpointsDone,
    CheckpointsTimed,
    CheckpointsRequested,
}

impl Count {
    /// Whether it is about the log that this server writes: a standby only passes another's on.
    pub(crate) fn is_of_the_log(self) -> bool {
        use Count::*;
        let written = matches!(self, Writers | LogBytes | LogRecords | FullPages | LogBuffersFull);
        let wrote = matches!(self, LogWrites | LogWrittenBytes | LogWriteMs);
        written || wrote || matches!(self, Flushes | SessionFlushes | FlushMs)
    }

    /// Whether it is zero, and not measured, unless this setting is on.
    pub(crate) fn timed_by(self) -> Option<&'static str> {
        match self {
            Count::ReadMs | Count::WriteMs => Some("track_io_timing"),
            Count::LogWriteMs | Count::FlushMs => Some("track_wal_io_timing"),
            _ => None,
        }
    }
}

/// A place where a counter stands in some versions.
pub(crate) struct Source {
    pub(crate) count: Count,
    pub(crate) view: &'static str,
    pub(crate) columns: &'static [&'static str],
    /// An aggregate over the view's rows.
    pub(crate) sql: &'static str,
}

const fn source(
    count: Count,
    view: &'static str,
    columns: &'static [&'static str],
    sql: &'static str,
) -> Source {
    Source { count, view, columns, sql }
}

const DATABASE: &str = "pg_stat_database";
const WAL: &str = "pg_stat_wal";
const IO: &str = "pg_stat_io";
const BGWRITER: &str = "pg_stat_bgwriter";
const CHECKPOINTER: &str = "pg_stat_checkpointer";

/// All of them.
pub(crate) const SOURCES: &[Source] = &[
    source(Count::Commits, DATABASE, &["xact_commit"], "sum(xact_commit)"),
    source(Count::Rollbacks, DATABASE, &["xact_rollback"], "sum(xact_rollback)"),
    source(Count::BlockHits, DATABASE, &["blks_hit"], "sum(blks_hit)"),
    source(Count::BlockReads, DATABASE, &["blks_read"], "sum(blks_read)"),
    source(Count::ReadMs, DATABASE, &["blk_read_time"], "sum(blk_read_time)"),
    source(Count::WriteMs, DATABASE, &["blk_write_time"], "sum(blk_write_time)"),
    source(Count::RowsRead, DATABASE, &["tup_returned"], "sum(tup_returned)"),
    source(
        Count::RowsChanged,
        DATABASE,
        &["tup_inserted", "tup_updated", "tup_deleted"],
        "sum(tup_inserted + tup_updated + tup_deleted)",
    ),
    source(Count::TempFiles, DATABASE, &["temp_files"], "sum(temp_files)"),
    source(Count::TempBytes, DATABASE, &["temp_bytes"], "sum(temp_bytes)"),
    source(Count::Deadlocks, DATABASE, &["deadlocks"], "sum(deadlocks)"),
    source(Count::ReplayConflicts, DATABASE, &["conflicts"], "sum(conflicts)"),
    source(Count::ActiveMs, DATABASE, &["active_time"], "sum(active_time)"),
    source(
        Count::IdleInTransactionMs,
        DATABASE,
        &["idle_in_transaction_time"],
        "sum(idle_in_transaction_time)",
    ),
    source(Count::Connections, DATABASE, &["sessions"], "sum(sessions)"),
    source(Count::LogRecords, WAL, &["wal_records"], "sum(wal_records)"),
    source(Count::FullPages, WAL, &["wal_fpi"], "sum(wal_fpi)"),
    source(Count::LogBuffersFull, WAL, &["wal_buffers_full"], "sum(wal_buffers_full)"),
    source(Count::LogWrites, WAL, &["wal_write"], "sum(wal_write)"),
    source(Count::LogWriteMs, WAL, &["wal_write_time"], "sum(wal_write_time)"),
    source(Count::Flushes, WAL, &["wal_sync"], "sum(wal_sync)"),
    source(Count::FlushMs, WAL, &["wal_sync_time"], "sum(wal_sync_time)"),
    // New segments are made ready in the context `init`, which is no commit's doing.
    source(
        Count::LogWrites,
        IO,
        &["object", "context", "write_bytes", "writes"],
        "sum(writes) FILTER (WHERE object = 'wal' AND context = 'normal')",
    ),
    source(
        Count::LogWrittenBytes,
        IO,
        &["object", "context", "write_bytes"],
        "sum(write_bytes) FILTER (WHERE object = 'wal' AND context = 'normal')",
    ),
    source(
        Count::LogWriteMs,
        IO,
        &["object", "context", "write_bytes", "write_time"],
        "sum(write_time) FILTER (WHERE object = 'wal' AND context = 'normal')",
    ),
    source(
        Count::Flushes,
        IO,
        &["object", "context", "write_bytes", "fsyncs"],
        "sum(fsyncs) FILTER (WHERE object = 'wal' AND context = 'normal')",
    ),
    source(
        Count::SessionFlushes,
        IO,
        &["backend_type", "object", "context", "write_bytes", "fsyncs"],
        "sum(fsyncs) FILTER (WHERE backend_type = 'client backend' AND object = 'wal' \
         AND context = 'normal')",
    ),
    source(
        Count::FlushMs,
        IO,
        &["object", "context", "write_bytes", "fsync_time"],
        "sum(fsync_time) FILTER (WHERE object = 'wal' AND context = 'normal')",
    ),
    // Rings of scans, loads and vacuum write their own blocks by design.
    source(
        Count::SessionWrites,
        IO,
        &["backend_type", "object", "context", "write_bytes"],
        "sum(write_bytes) FILTER (WHERE backend_type = 'client backend' AND object = 'relation' \
         AND context = 'normal') / current_setting('block_size')::numeric",
    ),
    source(
        Count::SessionWrites,
        IO,
        &["backend_type", "object", "context", "writes"],
        "sum(writes) FILTER (WHERE backend_type = 'client backend' AND object = 'relation' \
         AND context = 'normal')",
    ),
    source(Count::SessionWrites, BGWRITER, &["buffers_backend"], "sum(buffers_backend)"),
    source(Count::CheckpointWrites, CHECKPOINTER, &["buffers_written"], "sum(buffers_written)"),
    source(Count::CheckpointWrites, BGWRITER, &["buffers_checkpoint"], "sum(buffers_checkpoint)"),
    source(Count::BackgroundWrites, BGWRITER, &["buffers_clean"], "sum(buffers_clean)"),
    source(Count::CheckpointsDone, CHECKPOINTER, &["num_done"], "sum(num_done)"),
    source(Count::CheckpointsTimed, CHECKPOINTER, &["num_timed"], "sum(num_timed)"),
    source(Count::CheckpointsTimed, BGWRITER, &["checkpoints_timed"], "sum(checkpoints_timed)"),
    source(Count::CheckpointsRequested, CHECKPOINTER, &["num_requested"], "sum(num_requested)"),
    source(Count::CheckpointsRequested, BGWRITER, &["checkpoints_req"], "sum(checkpoints_req)"),
];

/// Not views, and never reset: a transaction that writes takes an id, and the position is exact at any time.
pub(crate) const FUNCTIONS: [(Count, &str); 2] = [
    (
        Count::Writers,
        "pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())::pg_catalog.text",
    ),
    (Count::LogBytes, "pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_insert_lsn(), '0/0')"),
];
