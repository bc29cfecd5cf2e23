//! fio's verified blocks: what `verify` writes into every block, and how it finds a block that is not what was written.
//!
//! A block is cut into units of `verify_interval` bytes. Each begins with a header (which write it was, of which place), then the sum of
//! the method, then data. What is written here fio 3.41 and later verifies; what fio wrote is verified here, its older header too.
//!
//! Pure: it works on bytes in memory. Not here: which blocks are written, remembered and read again.
//!
//! The layout comes from fio's manual ("Verification") and from its definition of the header, as numbers; every method is tested against
//! blocks that fio wrote, both ways.

mod header;
mod method;
mod pattern;
mod sums;

use std::fmt;

pub use header::{HEADER_BYTES, OLD_HEADER_BYTES};
pub use method::{METHODS, Method};
pub use pattern::{Pattern, PatternPart, parse as parse_pattern};

use header::{Header, Layout};

/// What one job writes into its blocks, and how it checks them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifyBlocks {
    /// The sum of each unit.
    pub method: Method,
    /// Bytes of a unit; a shorter block is one unit.
    pub unit_bytes: u32,
    /// Where in the unit header and sum stand, bytes, if not at its beginning.
    pub header_at: Option<u32>,
    /// The data; `None`: drawn at random, by seed and number of the write.
    pub pattern: Option<Pattern>,
    /// Where random data starts, and what a header's seed is made of.
    pub seed: u64,
    /// Share of random data that compresses away, per cent.
    pub compress_percent: u8,
    /// Number of the job in headers, from 1.
    pub job: u16,
    /// Whether the number of the write is compared, where it is known.
    pub compares_number: bool,
    /// Whether the seed is compared, where the number of the write is known.
    pub compares_seed: bool,
}

/// A unit that is not what was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// Where in the file: of the unit, or of the first byte of a pattern that differs.
    pub offset: u64,
    /// What was compared: a field of the header, or the method.
    pub what: &'static str,
    /// What it had to be.
    pub expected: String,
    /// What was read.
    pub found: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mismatch { offset, what, expected, found } = self;
        write!(f, "at byte {offset}: {what}: expected {expected}, found {found}")
    }
}

/// Bytes that are drawn or left zero together, where a share is to compress away.
const GRAIN: usize = 512;

impl VerifyBlocks {
    /// Makes the block that is written at byte `offset` of the file, as the write of that number.
    pub fn make(&self, block: &mut [u8], offset: u64, number: u64) {
        let seed = self.seed_of(number);
        match &self.pattern {
            Some(pattern) => pattern.fill(block, offset),
            None => draw(block, seed, self.compress_percent),
        }
        if !self.method.has_header() {
            return;
        }
        let unit_bytes = self.unit(block.len());
        for (at, unit) in (offset..).step_by(unit_bytes).zip(block.chunks_mut(unit_bytes)) {
            let (taken, length) = (self.taken(Layout::New), unit.len());
            if length <= taken {
                continue;
            }
            let header = Header {
                method: self.method.number(),
                length: length as u32,
                seed,
                offset: at,
                number,
                job: self.job,
            };
            header.write(unit);
            let (head, data) = unit.split_at_mut(taken);
            self.method.sum(data, &mut head[HEADER_BYTES..]);
            if let Some(to) = self.header_at {
                exchange(unit, taken, to as usize);
            }
        }
    }

    /// Whether the block that was read from byte `offset` is what was written there: as the write of that `number`, where one is known.
    /// Header and sum are moved to the beginning of each unit.
    ///
    /// # Errors
    /// The first unit that is not.
    pub fn check(
        &self,
        block: &mut [u8],
        offset: u64,
        number: Option<u64>,
    ) -> Result<(), Mismatch> {
        if self.method == Method::Null {
            return Ok(());
        }
        if self.method == Method::Pattern {
            return self.compare_pattern(block, 0..block.len(), offset);
        }
        let unit_bytes = self.unit(block.len());
        let units = block.len() / unit_bytes;
        for index in 0..units {
            let from = index * unit_bytes;
            let unit = &mut block[from..from + unit_bytes];
            let taken = self.check_unit(unit, offset + from as u64, number)?;
            if self.method.compares_pattern() && self.pattern.is_some() {
                self.compare_pattern(block, from + taken..from + unit_bytes, offset)?;
            }
        }
        Ok(())
    }

    /// Header and sum of one unit; the bytes that these take.
    fn check_unit(&self, unit: &mut [u8], at: u64, number: Option<u64>) -> Result<usize, Mismatch> {
        let length = unit.len();
        if let Some(to) =
            self.header_at.filter(|to| *to as usize + self.taken(Layout::New) <= length)
        {
            exchange(unit, self.taken(Layout::New), to as usize);
        }
        let wrong =
            |what, expected: String, found: String| Mismatch { offset: at, what, expected, found };
        let layout =
            header::layout(unit).map_err(|(what, expected, found)| wrong(what, expected, found))?;
        let taken = self.taken(layout);
        if length <= taken {
            return Err(wrong("bytes of a unit", format!("more than {taken}"), length.to_string()));
        }
        let wanted = header::Wanted {
            length: length as u32,
            offset: at,
            seed: number.filter(|_| self.compares_seed).map(|number| self.seed_of(number)),
            number: number.filter(|_| self.compares_number),
        };
        header::check(unit, layout, &wanted)
            .map_err(|(what, expected, found)| wrong(what, expected, found))?;
        let (head, data) = unit.split_at(taken);
        let found = &head[layout.header_bytes()..];
        let mut expected = [0; method::MOST_TRAILER];
        let expected = &mut expected[..found.len()];
        self.method.sum(data, expected);
        if expected == found {
            return Ok(taken);
        }
        // What is stored was the sum of what was written; what the data has now is what is found.
        Err(wrong(self.method.name(), hexadecimal(found), hexadecimal(expected)))
    }

    fn compare_pattern(
        &self,
        block: &[u8],
        range: std::ops::Range<usize>,
        offset: u64,
    ) -> Result<(), Mismatch> {
        let Some(pattern) = &self.pattern else { return Ok(()) };
        let Some((at, expected)) = pattern.first_difference(block, range, offset) else {
            return Ok(());
        };
        Err(Mismatch {
            offset: offset + at as u64,
            what: "pattern",
            expected: format!("{expected:02x}"),
            found: format!("{:02x}", block[at]),
        })
    }

    /// Bytes of a unit in a block of `block_bytes`.
    fn unit(&self, block_bytes: usize) -> usize {
        let unit = self.unit_bytes as usize;
        let unit = if unit == 0 || unit > block_bytes { block_bytes } else { unit };
        unit.max(1)
    }

    /// Bytes that header and sum take.
    fn taken(&self, layout: Layout) -> usize {
        layout.header_bytes() + self.method.trailer_bytes()
    }

    /// Seed of the data of a write; never 0, so that zeros pass for none.
    fn seed_of(&self, number: u64) -> u64 {
        mix(self.seed ^ mix(number)) | 1
    }
}

/// Exchanges the first bytes of a unit with as many at `to`.
fn exchange(unit: &mut [u8], bytes: usize, to: usize) {
    if bytes <= to && to + bytes <= unit.len() {
        let (head, rest) = unit.split_at_mut(to);
        head[..bytes].swap_with_slice(&mut rest[..bytes]);
    }
}

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014): neighbours in, strangers out.
fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Random bytes from a seed, of which a share is zeros.
fn draw(block: &mut [u8], seed: u64, compress_percent: u8) {
    let percent = usize::from(compress_percent.min(100));
    let mut state = seed;
    for grain in block.chunks_mut(GRAIN) {
        let drawn = grain.len() - grain.len() * percent / 100;
        let (drawn, zeros) = grain.split_at_mut(drawn);
        for word in drawn.chunks_mut(8) {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z ^= z >> 29;
            word.copy_from_slice(&z.to_le_bytes()[..word.len()]);
        }
        zeros.fill(0);
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
