//! PCIe links.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One PCIe link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PcieLink {
    /// Address of the end nearer to the device.
    pub address: String,
    /// Speed now, GT/s.
    pub current_gts: Option<f64>,
    /// Lanes now.
    pub current_width: Option<u32>,
    /// Speed this end could do, GT/s.
    pub max_gts: Option<f64>,
    /// Lanes this end could do.
    pub max_width: Option<u32>,
}

impl PcieLink {
    /// Bytes that the link carries each way in a second now, after its encoding and before packet headers; `None` where
    /// speed or width aren't known.
    pub fn bytes_per_s(&self) -> Option<f64> {
        Some(lane_bytes_per_s(self.current_gts?) * f64::from(self.current_width?))
    }

    /// The same at the most that this end could do.
    pub fn max_bytes_per_s(&self) -> Option<f64> {
        Some(lane_bytes_per_s(self.max_gts?) * f64::from(self.max_width?))
    }

    /// The fastest and widest that both ends could do, this one and `port`; where one end doesn't say, the other's word.
    pub fn most_with(&self, port: Option<&PcieLink>) -> (Option<f64>, Option<u32>) {
        let gts = [self.max_gts, port.and_then(|port| port.max_gts)];
        let width = [self.max_width, port.and_then(|port| port.max_width)];
        (gts.into_iter().flatten().reduce(f64::min), width.into_iter().flatten().min())
    }
}

/// Of one lane (PCI Express Base Specification): 8b/10b up to 5 GT/s, 128b/130b up to 32 GT/s, then flits of 256 bytes, 236
/// of them for packets.
fn lane_bytes_per_s(gts: f64) -> f64 {
    let left = match gts {
        ..=5.0 => 8.0 / 10.0,
        ..=32.0 => 128.0 / 130.0,
        _ => 236.0 / 256.0,
    };
    gts * 1e9 / 8.0 * left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_each_encoding() {
        let link = |gts, width| PcieLink {
            address: String::new(),
            current_gts: Some(gts),
            current_width: Some(width),
            max_gts: None,
            max_width: Some(width),
        };
        let gigabytes =
            |gts, width| link(gts, width).bytes_per_s().map(|b| (b / 1e7).round() / 100.0);
        assert_eq!(gigabytes(2.5, 1), Some(0.25));
        assert_eq!(gigabytes(8.0, 4), Some(3.94));
        assert_eq!(gigabytes(16.0, 16), Some(31.51));
        assert_eq!(gigabytes(32.0, 4), Some(15.75));
        assert_eq!(gigabytes(64.0, 16), Some(118.0));
        assert_eq!(link(8.0, 4).max_bytes_per_s(), None);
    }
}
