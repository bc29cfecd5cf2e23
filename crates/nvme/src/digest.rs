//! Header and data digests: CRC-32C (NVMe/TCP Transport Specification, "Data Digest"; polynomial of RFC 3720, appendix B.4).

/// Size of a digest, bytes.
pub const DIGEST_BYTES: usize = 4;

/// The digest of `bytes`.
pub fn digest(bytes: &[u8]) -> u32 {
    crc32c::crc32c(bytes)
}

/// The digest of what had digest `digest` so far, followed by `bytes`.
pub fn digest_more(digest: u32, bytes: &[u8]) -> u32 {
    crc32c::crc32c_append(digest, bytes)
}

/// Whether the processor has an instruction for it. Without one a digest of 4 KiB costs about twenty times as much,
/// which a measurement must say.
pub fn by_hardware() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        std::arch::is_x86_feature_detected!("sse4.2")
    }
    #[cfg(target_arch = "aarch64")]
    {
        std::arch::is_aarch64_feature_detected!("crc")
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        false
    }
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
