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
