//! How bits are written on a wire: the share that is left for data.

use serde::{Deserialize, Serialize};

/// A line code, with forward error correction where the code is never used without it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
pub enum Encoding {
    /// The signal rate is the data rate.
    #[serde(rename = "none")]
    None,
    /// Eight bits in ten: PCIe 1 and 2, SATA, SAS to 12 Gb/s, Fibre Channel to 8, InfiniBand to QDR.
    #[serde(rename = "8b/10b")]
    B8b10,
    /// 64 in 66: Ethernet from 10 Gb/s, Fibre Channel 16 and 32, InfiniBand FDR and EDR. Where RS(528,514) is added,
    /// the 256b/257b transcoding before it makes room, and the share stays the same.
    #[serde(rename = "64b/66b")]
    B64b66,
    /// 128 in 130: PCIe 3 to 5.
    #[serde(rename = "128b/130b")]
    B128b130,
    /// 128 in 150, correction included: SAS-4.
    #[serde(rename = "128b/150b")]
    B128b150,
    /// 256 in 257, then 514 symbols in 544: four-level signals of Ethernet, Fibre Channel and InfiniBand.
    #[serde(rename = "256b/257b+RS(544,514)")]
    Rs544,
    /// 236 bytes for packets in a flit of 256: PCIe 6.
    #[serde(rename = "flit 236/256")]
    Flit256,
    /// Not published: only the signal rate is known.
    #[serde(rename = "unknown")]
    Unknown,
    /// Eight parts in nine, the ninth for check bits: AMD's links between sockets.
    #[serde(rename = "crc 8/9")]
    Crc9,
}

impl Encoding {
    /// Every code, for messages.
    pub const ALL: [Encoding; 9] = [
        Encoding::None,
        Encoding::B8b10,
        Encoding::B64b66,
        Encoding::B128b130,
        Encoding::B128b150,
        Encoding::Rs544,
        Encoding::Flit256,
        Encoding::Unknown,
        Encoding::Crc9,
    ];

    /// Its name in the data.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::None => "none",
            Encoding::B8b10 => "8b/10b",
            Encoding::B64b66 => "64b/66b",
            Encoding::B128b130 => "128b/130b",
            Encoding::B128b150 => "128b/150b",
            Encoding::Rs544 => "256b/257b+RS(544,514)",
            Encoding::Flit256 => "flit 236/256",
            Encoding::Unknown => "unknown",
            Encoding::Crc9 => "crc 8/9",
        }
    }

    /// Data bits over bits on the wire, where that is known.
    pub fn share(self) -> Option<f64> {
        let share = match self {
            Encoding::Unknown => return None,
            Encoding::None => 1.0,
            Encoding::B8b10 => 8.0 / 10.0,
            Encoding::B64b66 => 64.0 / 66.0,
            Encoding::B128b130 => 128.0 / 130.0,
            Encoding::B128b150 => 128.0 / 150.0,
            Encoding::Rs544 => 256.0 / 257.0 * 514.0 / 544.0,
            Encoding::Flit256 => 236.0 / 256.0,
            Encoding::Crc9 => 8.0 / 9.0,
        };
        Some(share)
    }
}
