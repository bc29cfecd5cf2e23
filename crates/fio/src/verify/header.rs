//! The header of a unit, in the two layouts that fio has had, little-endian.
//!
//! | bytes | since 3.41 | before |
//! | --- | --- | --- |
//! | 0 | magic ca ac | magic ca ac |
//! | 2 | version 81, method | method, two bytes |
//! | 4 | bytes of the unit | the same |
//! | 8 | seed | the same |
//! | 16 | byte in the file | the same |
//! | 24 | time of the write, not compared | the same |
//! | 32 | number of the write, 8 bytes | job, number of the write modulo 65536 |
//! | 36 | | sum of bytes 0 to 35 |
//! | 40 | job, two bytes of anything | |
//! | 44 | sum of bytes 0 to 43 | |

use super::sums::crc32c;

/// Bytes of a header since fio 3.41.
pub const HEADER_BYTES: usize = 48;
/// Bytes of a header of fio before 3.41.
pub const OLD_HEADER_BYTES: usize = 40;

const MAGIC: u16 = 0xacca;
const VERSION: u8 = 0x81;
/// More methods than the older header could name.
const OLD_METHODS: u8 = 20;

/// What differs: which field, what it had to be, what it is.
pub(super) type Difference = (&'static str, String, String);

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// Since 3.41.
    New,
    /// Before.
    Old,
}

impl Layout {
    pub fn header_bytes(self) -> usize {
        match self {
            Layout::New => HEADER_BYTES,
            Layout::Old => OLD_HEADER_BYTES,
        }
    }
}

/// What a header says.
#[derive(Debug, Clone, Copy)]
pub(super) struct Header {
    pub method: u8,
    pub length: u32,
    pub seed: u64,
    pub offset: u64,
    pub number: u64,
    pub job: u16,
}

/// What is known of a header before it is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    pub length: u32,
    pub offset: u64,
    pub seed: Option<u64>,
    pub number: Option<u64>,
}

impl Header {
    /// Writes it at the beginning of a unit.
    pub fn write(&self, unit: &mut [u8]) {
        let mut header = [0; HEADER_BYTES];
        header[0..2].copy_from_slice(&MAGIC.to_le_bytes());
        header[2] = VERSION;
        header[3] = self.method;
        header[4..8].copy_from_slice(&self.length.to_le_bytes());
        header[8..16].copy_from_slice(&self.seed.to_le_bytes());
        header[16..24].copy_from_slice(&self.offset.to_le_bytes());
        // The time in between is nobody's: a crate without a clock writes none.
        header[32..40].copy_from_slice(&self.number.to_le_bytes());
        header[40..42].copy_from_slice(&self.job.to_le_bytes());
        let sum = crc32c(&header[..44]);
        header[44..48].copy_from_slice(&sum.to_le_bytes());
        unit[..HEADER_BYTES].copy_from_slice(&header);
    }
}

fn word<const N: usize>(unit: &[u8], at: usize) -> [u8; N] {
    let mut word = [0; N];
    let there = unit.get(at..).unwrap_or_default();
    for (into, from) in word.iter_mut().zip(there) {
        *into = *from;
    }
    word
}

/// Which layout the unit has; by magic and version.
pub(super) fn layout(unit: &[u8]) -> Result<Layout, Difference> {
    let magic = u16::from_le_bytes(word(unit, 0));
    if magic != MAGIC {
        return Err(("header's magic", format!("{MAGIC:04x}"), format!("{magic:04x}")));
    }
    match word::<2>(unit, 2) {
        [VERSION, _] => Ok(Layout::New),
        [method, 0] if method < OLD_METHODS => Ok(Layout::Old),
        [version, _] => Err((
            "header's version",
            format!("{VERSION:02x} (fio 3.41 and later) or that of fio before"),
            format!("{version:02x}"),
        )),
    }
}

/// Compares the fields in fio's order.
pub(super) fn check(unit: &[u8], layout: Layout, wanted: &Wanted) -> Result<(), Difference> {
    let length = u32::from_le_bytes(word(unit, 4));
    if length != wanted.length {
        return Err(("bytes of a unit", wanted.length.to_string(), length.to_string()));
    }
    let seed = u64::from_le_bytes(word(unit, 8));
    if let Some(wanted) = wanted.seed.filter(|wanted| *wanted != seed) {
        return Err(("header's seed", format!("{wanted:016x}"), format!("{seed:016x}")));
    }
    let offset = u64::from_le_bytes(word(unit, 16));
    if offset != wanted.offset {
        return Err(("header's offset", wanted.offset.to_string(), offset.to_string()));
    }
    let (number, most) = match layout {
        Layout::New => (u64::from_le_bytes(word(unit, 32)), u64::MAX),
        Layout::Old => (u64::from(u16::from_le_bytes(word(unit, 34))), u64::from(u16::MAX)),
    };
    if let Some(wanted) = wanted.number.filter(|wanted| wanted & most != number) {
        return Err(("number of the write", (wanted & most).to_string(), number.to_string()));
    }
    let summed = layout.header_bytes() - 4;
    let stored = u32::from_le_bytes(word(unit, summed));
    let sum = crc32c(&unit[..summed]);
    if stored != sum {
        return Err(("header's crc32c", format!("{stored:08x}"), format!("{sum:08x}")));
    }
    Ok(())
}
