//! The one table all workloads use, and what its rows are filled with: contents that don't compress. How a row lies in a block is the
//! kind's, which says it ([`Table::rows_per_block`]).

use narrows_engine::Rng;

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

impl Contents {
    /// Fills a row's padding.
    pub fn fill(self, pad: &mut [u8], rng: &mut Rng) {
        for piece in pad.chunks_mut(PIECE) {
            let random = piece.len() * self.entropy_percent.min(100) as usize / 100;
            rng.fill(&mut piece[..random]);
            piece[random..].fill(0);
        }
    }
}

/// A table that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Its schema.
    pub schema: String,
    /// Its name in the schema.
    pub own_name: String,
    /// Rows.
    pub rows: u64,
    /// Rows of a block.
    pub rows_per_block: u64,
    /// Bytes of a block.
    pub block_bytes: u64,
    /// Size of the table, bytes.
    pub bytes: u64,
}

impl Table {
    /// The table's qualified name.
    pub fn name(&self) -> String {
        format!("{}.{}", self.schema, self.own_name)
    }

    /// Rows that so many bytes of blocks hold.
    pub fn rows_in(&self, bytes: u64) -> u64 {
        bytes / self.block_bytes * self.rows_per_block
    }

    /// Bytes of the blocks that so many rows lie in.
    pub fn bytes_of(&self, rows: u64) -> u64 {
        rows.div_ceil(self.rows_per_block.max(1)) * self.block_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_padding_has_the_share_of_random_bytes_that_was_asked_for() {
        for percent in [0, 30, 100] {
            let mut pad = vec![7; 3600];
            Contents { entropy_percent: percent }.fill(&mut pad, &mut Rng::new(1));
            let zeros = pad.iter().filter(|&&byte| byte == 0).count() as f64 / pad.len() as f64;
            // One random byte in 256 is a zero too.
            let expected = 1.0 - f64::from(percent) / 100.0 * 255.0 / 256.0;
            assert!((zeros - expected).abs() < 0.01, "{percent}: {zeros} instead of {expected}");
        }
    }

    #[test]
    fn rows_and_blocks_agree_where_a_block_holds_several() {
        let (schema, own_name) = ("s".to_string(), "rows".to_string());
        let table = Table {
            schema,
            own_name,
            rows: 7,
            rows_per_block: 2,
            block_bytes: 16384,
            bytes: 4 * 16384,
        };
        assert_eq!((table.rows_in(3 * 16384), table.bytes_of(7)), (6, 4 * 16384));
        assert_eq!(table.name(), "s.rows");
    }
}
