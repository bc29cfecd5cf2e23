//! The one table all workloads use: one row per block, keys scattered over the blocks, contents that don't
//! compress.
//!
//! A row fills almost half a block and the fill factor is 50, so that a block holds one row and room for its next
//! version: an update stays in its block (a HOT update) and a lookup by key touches exactly one block of the table.
//! Keys come in the order of a permutation, so neighbouring keys lie far apart on disk. `pad` is stored plain:
//! neither compressed nor moved out of line.

use narrows_engine::{Context, Permutation, Phase, Rng, Stopped};
use narrows_layer_database::{Contents, Table};
use narrows_model::Layer;

use crate::wire::{Connection, WireError};

/// Share of a block that `pad` takes.
const PAD_SHARE: f64 = 0.44;
/// Rows per COPY message.
const BATCH: u64 = 128;

/// Why the table could not be made.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The server refused or broke.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// On request.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// Not one row per block, so that no figure per row would be a figure per block.
    #[error("the table has {blocks} blocks for {rows} rows instead of one for each")]
    Shape {
        /// Rows loaded.
        rows: u64,
        /// Blocks found.
        blocks: u64,
    },
    /// A statement would not run as intended.
    #[error(
        "the server plans `{statement}` as:\n{plan}\ninstead of with {wanted}\nhint: look for enable_* settings of the \
         user or the database, and for extensions that change plans; what is measured would be another access"
    )]
    Plan {
        /// The statement.
        statement: String,
        /// What EXPLAIN says.
        plan: String,
        /// The nodes that were to read.
        wanted: String,
    },
}

/// Creates the table in a schema that is there, loads `rows` rows and leaves them frozen and analysed; a
/// checkpoint is to bring them to the drive.
pub(crate) fn create(
    control: &mut Connection,
    ctx: &Context<'_>,
    (schema, own_name): (&str, &str),
    rows: u64,
    contents: Contents,
) -> Result<Table, TableError> {
    let tell = |phase, detail: &str| ctx.progress.phase(Layer::Database, phase, detail);
    let block_bytes: u64 = control
        .one("SHOW block_size")?
        .and_then(|text| text.parse().ok())
        .ok_or(WireError::Unexpected("no block size"))?;
    let (schema, own_name) = (schema.to_string(), own_name.to_string());
    let rows_per_block = 1;
    let table = Table { schema, own_name, rows, rows_per_block, block_bytes, bytes: 0 };
    let name = table.name();
    tell(Phase::Fill, &format!("a table of {rows} rows, one per block"));
    // Creating and loading in one transaction lets a server at wal_level=minimal skip the log, and FREEZE needs
    // it. The table's own autovacuum is off: in one window of six it would be a disturbance. By its number of
    // parallel workers the table never gets fewer than a session allows.
    control.execute(&format!(
        "BEGIN; CREATE TABLE {name} (k bigint NOT NULL, v bigint NOT NULL, pad bytea NOT NULL) \
         WITH (fillfactor = 50, autovacuum_enabled = off, parallel_workers = 512); \
         ALTER TABLE {name} ALTER COLUMN pad SET STORAGE PLAIN"
    ))?;
    copy(&table, control, ctx, contents)?;
    control.execute("COMMIT")?;
    ctx.stop.check()?;
    tell(Phase::Fill, "its index");
    control.execute(&format!("CREATE UNIQUE INDEX ON {name} (k)"))?;
    control.execute(&format!("VACUUM (ANALYZE) {name}"))?;
    verified(table, control)
}

fn copy(
    table: &Table,
    control: &mut Connection,
    ctx: &Context<'_>,
    contents: Contents,
) -> Result<(), TableError> {
    let order = Permutation::new(table.rows, ctx.seed);
    let mut rng = Rng::new(ctx.seed ^ 0x7ab1e);
    let mut pad = vec![0u8; (table.block_bytes as f64 * PAD_SHARE) as usize];
    let (mut next, mut begun, mut ended) = (0, false, false);
    let sql = format!("COPY {} (k, v, pad) FROM STDIN (FORMAT binary, FREEZE true)", table.name());
    control.copy_in(&sql, |out: &mut Vec<u8>| -> Result<(), TableError> {
        ctx.stop.check()?;
        if !begun {
            // Signature, flags and length of the extension area (documentation of COPY, "Binary Format").
            out.extend_from_slice(b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0");
            begun = true;
        }
        let last = (next + BATCH).min(table.rows);
        for row in next..last {
            contents.fill(&mut pad, &mut rng);
            out.extend_from_slice(&3u16.to_be_bytes());
            for number in [order.at(row) as i64 + 1, 0] {
                out.extend_from_slice(&8u32.to_be_bytes());
                out.extend_from_slice(&number.to_be_bytes());
            }
            out.extend_from_slice(&(pad.len() as u32).to_be_bytes());
            out.extend_from_slice(&pad);
        }
        next = last;
        if next == table.rows && !ended {
            out.extend_from_slice(&(-1i16).to_be_bytes());
            ended = true;
        }
        Ok(())
    })
}

fn verified(mut table: Table, control: &mut Connection) -> Result<Table, TableError> {
    let bytes: u64 = control
        .one(&format!("SELECT pg_relation_size('{}')", table.name()))?
        .and_then(|text| text.parse().ok())
        .ok_or(WireError::Unexpected("no size of the table"))?;
    let blocks = bytes / table.block_bytes;
    if blocks != table.rows {
        return Err(TableError::Shape { rows: table.rows, blocks });
    }
    table.bytes = bytes;
    Ok(table)
}

/// Brings the blocks of keys `1..=rows` into the buffer pool, by the index, so that they don't pass through
/// the small ring that big sequential scans use.
pub(crate) fn warm(table: &Table, control: &mut Connection, rows: u64) -> Result<(), WireError> {
    control.execute(&format!(
        "SET enable_seqscan = off; SET enable_bitmapscan = off; SET max_parallel_workers_per_gather = 0; \
         SELECT sum(v) FROM {} WHERE k BETWEEN 1 AND {rows}; \
         RESET enable_seqscan; RESET enable_bitmapscan; RESET max_parallel_workers_per_gather",
        table.name()
    ))
}
