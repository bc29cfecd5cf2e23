//! The one table all workloads use: one row per block, keys scattered over the blocks, contents that don't
//! compress.
//!
//! A row fills almost half a block and the fill factor is 50, so that a block holds one row and room for its next
//! version: an update stays in its block (a HOT update) and a lookup by key touches exactly one block of the table.
//! Keys come in the order of a permutation, so neighbouring keys lie far apart on disk. `pad` is stored plain:
//! neither compressed nor moved out of line.

use narrows_engine::{Context, Permutation, Phase, Rng, Stopped};
use narrows_model::Layer;

use crate::wire::{Connection, WireError};

/// Share of a block that `pad` takes.
const PAD_SHARE: f64 = 0.44;
/// Rows per COPY message.
const BATCH: u64 = 128;

/// What the table is filled with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contents {
    /// Of a hundred bytes of the padding those that are random; the rest are zeros.
    pub entropy_percent: u32,
}

impl Default for Contents {
    fn default() -> Self {
        Contents { entropy_percent: 100 }
    }
}

/// Random and zero bytes take turns in pieces of this length, so that a compressor finds the same in every part of a row.
const PIECE: usize = 100;

/// Fills a row's padding.
fn fill(pad: &mut [u8], contents: Contents, rng: &mut Rng) {
    for piece in pad.chunks_mut(PIECE) {
        let random = piece.len() * contents.entropy_percent.min(100) as usize / 100;
        rng.fill(&mut piece[..random]);
        piece[random..].fill(0);
    }
}

/// A table that exists.
#[derive(Debug, Clone)]
pub struct Table {
    /// Its schema.
    pub schema: String,
    /// Its name in the schema.
    pub own_name: String,
    /// Rows, and blocks.
    pub rows: u64,
    /// Bytes of a block.
    pub block_bytes: u64,
    /// Size of the table, bytes.
    pub bytes: u64,
}

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

impl Table {
    /// The table's qualified name.
    pub fn name(&self) -> String {
        format!("{}.{}", self.schema, self.own_name)
    }

    /// Creates the table in a schema that is there, loads `rows` rows and leaves them frozen and analysed; a
    /// checkpoint is to bring them to the drive.
    pub fn create(
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
        let table = Table { schema, own_name, rows, block_bytes, bytes: 0 };
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
        table.copy(control, ctx, contents)?;
        control.execute("COMMIT")?;
        ctx.stop.check()?;
        tell(Phase::Fill, "its index");
        control.execute(&format!("CREATE UNIQUE INDEX ON {name} (k)"))?;
        control.execute(&format!("VACUUM (ANALYZE) {name}"))?;
        table.verified(control)
    }

    fn copy(
        &self,
        control: &mut Connection,
        ctx: &Context<'_>,
        contents: Contents,
    ) -> Result<(), TableError> {
        let order = Permutation::new(self.rows, ctx.seed);
        let mut rng = Rng::new(ctx.seed ^ 0x7ab1e);
        let mut pad = vec![0u8; (self.block_bytes as f64 * PAD_SHARE) as usize];
        let (mut next, mut begun, mut ended) = (0, false, false);
        let sql =
            format!("COPY {} (k, v, pad) FROM STDIN (FORMAT binary, FREEZE true)", self.name());
        control.copy_in(&sql, |out: &mut Vec<u8>| -> Result<(), TableError> {
            ctx.stop.check()?;
            if !begun {
                // Signature, flags and length of the extension area (documentation of COPY, "Binary Format").
                out.extend_from_slice(b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0");
                begun = true;
            }
            let last = (next + BATCH).min(self.rows);
            for row in next..last {
                fill(&mut pad, contents, &mut rng);
                out.extend_from_slice(&3u16.to_be_bytes());
                for number in [order.at(row) as i64 + 1, 0] {
                    out.extend_from_slice(&8u32.to_be_bytes());
                    out.extend_from_slice(&number.to_be_bytes());
                }
                out.extend_from_slice(&(pad.len() as u32).to_be_bytes());
                out.extend_from_slice(&pad);
            }
            next = last;
            if next == self.rows && !ended {
                out.extend_from_slice(&(-1i16).to_be_bytes());
                ended = true;
            }
            Ok(())
        })
    }

    fn verified(mut self, control: &mut Connection) -> Result<Table, TableError> {
        let bytes: u64 = control
            .one(&format!("SELECT pg_relation_size('{}')", self.name()))?
            .and_then(|text| text.parse().ok())
            .ok_or(WireError::Unexpected("no size of the table"))?;
        let blocks = bytes / self.block_bytes;
        if blocks != self.rows {
            return Err(TableError::Shape { rows: self.rows, blocks });
        }
        self.bytes = bytes;
        Ok(self)
    }

    /// Brings the blocks of keys `1..=rows` into the buffer pool, by the index, so that they don't pass through
    /// the small ring that big sequential scans use.
    pub fn warm(&self, control: &mut Connection, rows: u64) -> Result<(), WireError> {
        control.execute(&format!(
            "SET enable_seqscan = off; SET enable_bitmapscan = off; SET max_parallel_workers_per_gather = 0; \
             SELECT sum(v) FROM {} WHERE k BETWEEN 1 AND {rows}; \
             RESET enable_seqscan; RESET enable_bitmapscan; RESET max_parallel_workers_per_gather",
            self.name()
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_padding_has_the_share_of_random_bytes_that_was_asked_for() {
        for percent in [0, 30, 100] {
            let mut pad = vec![7; 3600];
            fill(&mut pad, Contents { entropy_percent: percent }, &mut Rng::new(1));
            let zeros = pad.iter().filter(|&&byte| byte == 0).count() as f64 / pad.len() as f64;
            // One random byte in 256 is a zero too.
            let expected = 1.0 - f64::from(percent) / 100.0 * 255.0 / 256.0;
            assert!((zeros - expected).abs() < 0.01, "{percent}: {zeros} instead of {expected}");
        }
    }
}
