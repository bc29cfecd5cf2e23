//! Devices made of others.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A Linux software RAID.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MdArray {
    /// `md0`.
    pub name: String,
    /// `raid0`, `raid1`, `raid5`, `raid6`, `raid10`, `linear`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// Size, bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<u64>,
    /// Chunk, bytes; `None` where the level has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk_bytes: Option<u64>,
    /// `clean`, `active`, `readonly`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// `idle`, `resync`, `recover`, `check`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// Members that are missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<u32>,
    /// Members that are there.
    pub members: Vec<ArrayMember>,
}

/// A device of an array.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ArrayMember {
    /// Kernel name.
    pub name: String,
    /// `in_sync`, `spare`, `faulty`, with further words of the kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
}

/// A device-mapper device.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MapperDevice {
    /// `dm-0`.
    pub name: String,
    /// Who made it: `lvm`, `crypt`, `multipath`; the kernel's table of targets is root's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made_by: Option<String>,
    /// Size, bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<u64>,
    /// Devices directly beneath.
    pub members: Vec<String>,
}
