//! Header and data digests: CRC-32C (NVMe/TCP Transport Specification, "Data Digest"; polynomial of RFC 3720, appendix B.4).

use crc_fast::CrcAlgorithm;

/// Size of a digest, bytes.
pub const DIGEST_BYTES: usize = 4;

/// All bits: what the register begins with and what is turned at the end.
const ONES: u64 = 0xFFFF_FFFF;

/// The digest of `bytes`.
pub fn digest(bytes: &[u8]) -> u32 {
    crc_fast::checksum(CrcAlgorithm::Crc32Iscsi, bytes) as u32
}

/// The digest of what had digest `digest` so far, followed by `bytes`.
pub fn digest_more(digest: u32, bytes: &[u8]) -> u32 {
    let state = u64::from(digest) ^ ONES;
    let mut digest = crc_fast::Digest::new_with_init_state(CrcAlgorithm::Crc32Iscsi, state);
    digest.update(bytes);
    digest.finalize() as u32
}

/// The processor's instructions that compute it here, as `x86_64-avx512-vpclmulqdq`. Without any a digest of 4 KiB costs
/// about a hundred times as much, which a measurement must say.
pub fn instructions() -> String {
    crc_fast::get_calculator_target(CrcAlgorithm::Crc32Iscsi)
}

/// Which digests a connection carries, as both sides agreed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Digests {
    /// Of each header (HDGST).
    pub header: bool,
    /// Of the data of each PDU (DDGST).
    pub data: bool,
}

impl Digests {
    /// None.
    pub const NONE: Digests = Digests { header: false, data: false };

    pub(crate) fn to_bits(self) -> u8 {
        u8::from(self.header) | u8::from(self.data) << 1
    }

    pub(crate) fn from_bits(bits: u8) -> Digests {
        Digests { header: bits & 1 != 0, data: bits & 2 != 0 }
    }

    /// What is in both.
    #[must_use]
    pub fn both(self, other: Digests) -> Digests {
        Digests { header: self.header && other.header, data: self.data && other.data }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_rfc_3720() {
        assert_eq!(digest(&[0; 32]), 0x8A91_36AA);
        assert_eq!(digest(&[0xFF; 32]), 0x62A8_AB43);
        let ascending: Vec<u8> = (0..32).collect();
        assert_eq!(digest(&ascending), 0x46DD_794E);
        assert_eq!(digest_more(digest(&ascending[..5]), &ascending[5..]), 0x46DD_794E);
    }
}
