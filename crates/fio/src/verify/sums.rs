//! The sums, each as fio stores it, which is not always as others do.

use crc_fast::CrcAlgorithm;
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, SHA512, digest};

/// CRC-32C (Castagnoli, reflected, from all ones) without the inversion at the end.
pub(super) fn crc32c(data: &[u8]) -> u32 {
    !(crc_fast::checksum(CrcAlgorithm::Crc32Iscsi, data) as u32)
}

/// Remainders of all bytes: lowest bit first by a turned polynomial.
const fn reflected(polynomial: u64) -> [u64; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut rest = byte as u64;
        let mut bit = 0;
        while bit < 8 {
            rest = if rest & 1 == 1 { (rest >> 1) ^ polynomial } else { rest >> 1 };
            bit += 1;
        }
        table[byte] = rest;
        byte += 1;
    }
    table
}

/// The same, highest bit first, of a remainder of `width` bits that is kept at the upper end of a byte or more.
const fn straight(polynomial: u32) -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut rest = (byte as u32) << 24;
        let mut bit = 0;
        while bit < 8 {
            rest = if rest >> 31 == 1 { (rest << 1) ^ polynomial } else { rest << 1 };
            bit += 1;
        }
        table[byte] = rest;
        byte += 1;
    }
    table
}

/// x^64 + x^63 + x^61 + … of ISO's successor by Jones, turned.
const CRC64: [u64; 256] = reflected(0x95ac_9329_ac4b_c9b5);
/// x^16 + x^15 + x^2 + 1 (CRC-16/ARC), turned.
const CRC16: [u64; 256] = reflected(0xa001);
/// IEEE 802.3, highest bit first.
const CRC32: [u32; 256] = straight(0x04c1_1db7);
/// x^7 + x^3 + 1 (CRC-7/MMC) in the upper seven bits.
const CRC7: [u32; 256] = straight(0x09 << 25);

fn low_first(table: &[u64; 256], data: &[u8]) -> u64 {
    data.iter().fold(0, |rest, byte| table[usize::from(rest as u8 ^ byte)] ^ (rest >> 8))
}

fn high_first(table: &[u32; 256], data: &[u8]) -> u32 {
    data.iter().fold(0, |rest, byte| table[usize::from((rest >> 24) as u8 ^ byte)] ^ (rest << 8))
}

/// From zero, without a final inversion.
pub(super) fn crc64(data: &[u8]) -> u64 {
    low_first(&CRC64, data)
}

/// The remainder that cksum(1) has, without the length at the end and without inversion.
pub(super) fn crc32(data: &[u8]) -> u32 {
    high_first(&CRC32, data)
}

/// From zero.
pub(super) fn crc16(data: &[u8]) -> u16 {
    low_first(&CRC16, data) as u16
}

/// From zero.
pub(super) fn crc7(data: &[u8]) -> u8 {
    (high_first(&CRC7, data) >> 25) as u8
}

/// The usual digest.
pub(super) fn md5(data: &[u8]) -> [u8; 16] {
    use md5::Digest;
    md5::Md5::digest(data).into()
}

/// The digest's words in the machine's order, not in the digest's.
pub(super) fn sha1(data: &[u8]) -> [u8; 20] {
    let mut words = [0; 20];
    words.copy_from_slice(digest(&SHA1_FOR_LEGACY_USE_ONLY, data).as_ref());
    words.chunks_exact_mut(4).for_each(<[u8]>::reverse);
    words
}

/// The last block with its padding: what of `data` fills no block, a one, zeros, and the length as it is stored in the last bytes. The
/// blocks before it end where the second number says.
fn padded<const BLOCK: usize>(data: &[u8], length: &[u8]) -> (Vec<[u8; BLOCK]>, usize) {
    let whole = data.len() / BLOCK * BLOCK;
    let mut rest = data[whole..].to_vec();
    rest.push(0x80);
    while !(rest.len() + length.len()).is_multiple_of(BLOCK) {
        rest.push(0);
    }
    rest.extend_from_slice(length);
    let blocks = rest.chunks_exact(BLOCK).map(|block| block.try_into().expect("of that length"));
    (blocks.collect(), whole)
}

/// SHA-256's rounds over a length that is stored the other way around; of each word of the result the lowest byte, and then what the last
/// block leaves of 64 bytes.
pub(super) fn sha256(data: &[u8]) -> [u8; 64] {
    // FIPS 180-4, 5.3.3.
    let mut state: [u32; 8] = [
        0x6a09_e667,
        0xbb67_ae85,
        0x3c6e_f372,
        0xa54f_f53a,
        0x510e_527f,
        0x9b05_688c,
        0x1f83_d9ab,
        0x5be0_cd19,
    ];
    let length = (data.len() as u64) << 3;
    let (last, whole) = padded::<64>(data, &length.to_le_bytes());
    let (blocks, _) = data[..whole].as_chunks::<64>();
    sha2::block_api::compress256(&mut state, blocks);
    sha2::block_api::compress256(&mut state, &last);
    let mut sum = last.last().copied().unwrap_or([0; 64]);
    for (byte, word) in sum.iter_mut().zip(state) {
        *byte = word as u8;
    }
    sum
}

/// The usual digest, and then what the last block leaves of 128 bytes.
pub(super) fn sha512(data: &[u8]) -> [u8; 128] {
    let length = (data.len() as u128) << 3;
    let (last, _) = padded::<128>(data, &length.to_be_bytes());
    let mut sum = last.last().copied().unwrap_or([0; 128]);
    sum[..64].copy_from_slice(digest(&SHA512, data).as_ref());
    sum
}

/// XXH32 with seed 1.
pub(super) fn xxhash(data: &[u8]) -> u32 {
    twox_hash::XxHash32::oneshot(1, data)
}
