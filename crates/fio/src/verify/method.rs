//! The methods: what stands behind a unit's header, and how long it is.

use super::sums;

/// What `verify` computes of the data of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// MD5.
    Md5,
    /// CRC-64 of fio's own.
    Crc64,
    /// CRC-32 of fio's own.
    Crc32,
    /// CRC-32C without its last inversion.
    Crc32c,
    /// CRC-16 of fio's own.
    Crc16,
    /// CRC-7 of fio's own.
    Crc7,
    /// SHA-1, its words turned around.
    Sha1,
    /// What fio calls sha256.
    Sha256,
    /// SHA-512, and the end of its last block.
    Sha512,
    /// XXH32.
    Xxhash,
    /// The header alone; with a pattern, that too.
    Meta,
    /// The pattern alone, without headers.
    Pattern,
    /// The header, and the pattern behind it.
    PatternHdr,
    /// Nothing.
    Null,
}

/// The longest sum, bytes.
pub(super) const MOST_TRAILER: usize = 128;

/// fio's words for them.
pub const METHODS: &[(&str, Method)] = &[
    ("md5", Method::Md5),
    ("crc64", Method::Crc64),
    ("crc32", Method::Crc32),
    ("crc32c", Method::Crc32c),
    ("crc32c-intel", Method::Crc32c),
    ("crc16", Method::Crc16),
    ("crc7", Method::Crc7),
    ("sha1", Method::Sha1),
    ("sha256", Method::Sha256),
    ("sha512", Method::Sha512),
    ("xxhash", Method::Xxhash),
    ("meta", Method::Meta),
    ("pattern", Method::Pattern),
    ("pattern_hdr", Method::PatternHdr),
    ("null", Method::Null),
];

impl Method {
    /// fio's word.
    pub fn name(self) -> &'static str {
        METHODS.iter().find(|(_, method)| *method == self).map_or("", |(name, _)| name)
    }

    /// fio's number of it, which headers name.
    pub(super) fn number(self) -> u8 {
        match self {
            Method::Meta => 1,
            Method::Md5 => 2,
            Method::Crc64 => 3,
            Method::Crc32 => 4,
            Method::Crc32c => 5,
            Method::Crc16 => 7,
            Method::Crc7 => 8,
            Method::Sha256 => 9,
            Method::Sha512 => 10,
            Method::Xxhash => 15,
            Method::Sha1 => 16,
            Method::PatternHdr => 17,
            Method::Pattern => 18,
            Method::Null => 19,
        }
    }

    /// Bytes of the sum behind the header.
    pub fn trailer_bytes(self) -> usize {
        match self {
            Method::Md5 => 16,
            Method::Crc64 => 8,
            Method::Crc32 | Method::Crc32c | Method::Xxhash => 4,
            Method::Crc16 => 2,
            Method::Crc7 => 1,
            Method::Sha1 => 20,
            Method::Sha256 => 64,
            Method::Sha512 => MOST_TRAILER,
            Method::Meta | Method::Pattern | Method::PatternHdr | Method::Null => 0,
        }
    }

    /// Whether units have headers.
    pub fn has_header(self) -> bool {
        !matches!(self, Method::Pattern | Method::Null)
    }

    /// Whether the data is compared with the pattern, byte by byte; else the sum stands for it.
    pub fn compares_pattern(self) -> bool {
        matches!(self, Method::Meta | Method::Pattern | Method::PatternHdr)
    }

    /// Computes the sum of `data`, which is as long as [`Method::trailer_bytes`].
    pub(super) fn sum(self, data: &[u8], out: &mut [u8]) {
        match self {
            Method::Md5 => out.copy_from_slice(&sums::md5(data)),
            Method::Crc64 => out.copy_from_slice(&sums::crc64(data).to_le_bytes()),
            Method::Crc32 => out.copy_from_slice(&sums::crc32(data).to_le_bytes()),
            Method::Crc32c => out.copy_from_slice(&sums::crc32c(data).to_le_bytes()),
            Method::Crc16 => out.copy_from_slice(&sums::crc16(data).to_le_bytes()),
            Method::Crc7 => out.copy_from_slice(&[sums::crc7(data)]),
            Method::Sha1 => out.copy_from_slice(&sums::sha1(data)),
            Method::Sha256 => out.copy_from_slice(&sums::sha256(data)),
            Method::Sha512 => out.copy_from_slice(&sums::sha512(data)),
            Method::Xxhash => out.copy_from_slice(&sums::xxhash(data).to_le_bytes()),
            Method::Meta | Method::Pattern | Method::PatternHdr | Method::Null => {}
        }
    }
}
