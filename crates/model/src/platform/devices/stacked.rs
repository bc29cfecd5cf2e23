//! Devices made of others.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A Linux software RAID.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
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
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct ArrayMember {
    /// Kernel name.
    pub name: String,
    /// `in_sync`, `spare`, `faulty`, with further words of the kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
}

/// A device-mapper device.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct MapperDevice {
    /// `dm-0`.
    pub name: String,
    /// Who made it: `lvm`, `crypt`, `multipath`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made_by: Option<String>,
    /// What a logical volume is for others, as LVM marks it: `tpool`, `tdata`, `cdata`, `cpool`, `cow`, `real`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
    /// Size, bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<u64>,
    /// Whether it is held still at the moment, so that nothing moves.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub suspended: bool,
    /// Devices directly beneath.
    pub members: Vec<String>,
    /// What it is made of, in the order of its addresses; the kernel tells it to root only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<MapperTarget>,
    /// Of a multipath device, the ways that it chooses from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<DrivePath>,
}

/// One stretch of a device-mapper device (Linux `Documentation/admin-guide/device-mapper`).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct MapperTarget {
    /// `linear`, `striped`, `crypt`, `cache`, `thin`, `thin-pool`, `multipath`, `raid`.
    pub kind: String,
    /// Bytes of the stretch.
    pub size_bytes: u64,
    /// Of `striped`, over how many devices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stripes: Option<u32>,
    /// Of `striped` a stripe on one device, of `cache` and `thin-pool` a block, bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk_bytes: Option<u64>,
    /// Of `cache`, when writes reach the slow device: `writeback`, `writethrough`, `passthrough`. Of `raid` its level.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Of `crypt`, the cipher; its key is not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cipher: Option<String>,
}

/// One way of several to a SCSI drive.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct DrivePath {
    /// `sda`.
    pub name: String,
    /// The adapter that it goes through: `host3`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// What the kernel makes of it: `running`, `blocked`, `transport-offline`, `offline`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// What the array says of it (SPC-4, asymmetric access): `active/optimized`, `active/non-optimized`, `standby`, `unavailable`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<String>,
}

impl DrivePath {
    /// Whether nothing passes here now, as far as is known.
    pub fn is_down(&self) -> bool {
        let down = |state: &str| !matches!(state, "running" | "created");
        // One that stands by is as the array wants it.
        let closed = |access: &str| matches!(access, "unavailable" | "offline");
        self.state.as_deref().is_some_and(down) || self.access.as_deref().is_some_and(closed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_is_down_by_either_word() {
        let path = |state: Option<&str>, access: Option<&str>| DrivePath {
            state: state.map(str::to_string),
            access: access.map(str::to_string),
            ..DrivePath::default()
        };
        for (state, access, down) in [
            (None, None, false),
            (Some("running"), None, false),
            (Some("running"), Some("active/non-optimized"), false),
            (Some("running"), Some("standby"), false),
            (Some("running"), Some("unavailable"), true),
            (Some("transport-offline"), Some("active/optimized"), true),
            (Some("offline"), None, true),
        ] {
            assert_eq!(path(state, access).is_down(), down, "{state:?} {access:?}");
        }
    }
}
