//! Servers of ours to commit on, in the folder of the section.

use std::path::Path;

use anyhow::{Context as _, Result};
use narrows_engine::Context;
use narrows_postgres::Connection;
use narrows_postgres::server::Cluster;

use crate::server::{Programs, Wanted, address};

/// Rows of the table that commits change.
pub(super) const ROWS: u64 = 100_000;

/// The durability of a production server, and nothing of its own in a window.
const SETTINGS: [(&str, &str); 7] = [
    ("shared_buffers", "128MB"),
    ("fsync", "on"),
    ("full_page_writes", "on"),
    ("synchronous_commit", "on"),
    ("checkpoint_timeout", "1h"),
    ("max_wal_size", "4GB"),
    ("autovacuum", "off"),
];

/// Starts one whose folders' names begin with `name`, with a table `peers` of [`ROWS`] rows, each page of which is in the log
/// since the last checkpoint. `wanted` has its processors and its plant.
pub(super) fn server(
    ctx: &Context<'_>,
    programs: &Programs,
    at: (&Path, &str),
    wanted: Wanted<'_>,
) -> Result<Cluster> {
    let cluster = programs.start(at, &Wanted { settings: &SETTINGS, ..wanted }, ctx.stop)?;
    Connection::open(&address(&cluster), &[])?.execute(&format!(
        "CREATE TABLE public.peers WITH (fillfactor = 50) AS SELECT k::bigint, 0::bigint AS v FROM generate_series(1, {ROWS}) k; \
         CREATE UNIQUE INDEX ON public.peers (k); CHECKPOINT; UPDATE public.peers SET v = v + 1"
    ))?;
    Ok(cluster)
}

/// The end of its log, bytes.
pub(super) fn log_end(cluster: &Cluster) -> Result<f64> {
    let text = Connection::open(&address(cluster), &[])?
        .one("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')")?
        .context("the server reported no WAL position")?;
    Ok(text.parse()?)
}
