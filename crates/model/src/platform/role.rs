//! What a database keeps where: the path under each role.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::BlockDevice;

/// What the database keeps in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Data files.
    Data,
    /// WAL.
    Wal,
}

impl Role {
    /// The word used on the screen.
    pub fn word(self) -> &'static str {
        match self {
            Role::Data => "data",
            Role::Wal => "wal",
        }
    }
}

/// A role's whole path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RolePath {
    /// The role.
    pub role: Role,
    /// The folder.
    pub path: String,
    /// Its file system.
    pub file_system: FileSystem,
    /// Block devices from the mounted one down to the drives; empty where there is none or none can be seen.
    pub devices: Vec<BlockDevice>,
}

impl RolePath {
    /// The devices at the bottom of the stack, whose counters say what really happened.
    pub fn drives(&self) -> impl Iterator<Item = &BlockDevice> {
        self.devices.iter().filter(|device| device.slaves.is_empty())
    }

    /// Why what is written here is in this machine's memory, if so: its file system is, or one of the devices at the bottom of its
    /// stack. The one answer for figures, durability, recommendations and room.
    pub fn in_memory(&self) -> Option<String> {
        let fs = &self.file_system;
        if fs.volatile {
            return Some(format!("its file system ({}) is in memory", fs.kind));
        }
        self.drives().find_map(BlockDevice::in_memory)
    }

    /// That this machine serves a device of its stack to itself, or may. What is behind it is beneath it in the stack where it can be seen.
    pub fn served_here(&self) -> Option<String> {
        let fs = &self.file_system;
        if fs.this_machine {
            return Some(format!("{} is served by this machine to itself", fs.kind));
        }
        self.devices.iter().find_map(BlockDevice::served_here)
    }

    /// Which of its devices allocates space for a block only when it is first written, if one does: `dm-3 is a thin volume (dm-thin)`.
    pub fn thin(&self) -> Option<String> {
        self.devices.iter().find_map(|device| {
            let what = device.queue.as_ref()?.thin.as_deref()?;
            Some(format!("{} is {what}", device.name))
        })
    }
}

/// A mounted file system.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct FileSystem {
    /// `ext4`, `xfs`, `tmpfs`.
    pub kind: String,
    /// Where it is mounted.
    pub mount_point: String,
    /// What is mounted.
    pub source: String,
    /// Mount options.
    pub options: Vec<String>,
    /// Size, bytes.
    pub total_bytes: Option<u64>,
    /// Free for this user, bytes.
    pub free_bytes: Option<u64>,
    /// Mounted read-only.
    pub read_only: bool,
    /// Lives in memory: what is written is lost at power-off.
    pub volatile: bool,
    /// Reached over a network.
    pub network: bool,
    /// A layered file system of a container.
    pub overlay: bool,
    /// Reached over a network at an address of this machine itself, so that what answers runs here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub this_machine: bool,
    /// What answers reads behind a storage target, where the target tells: `memory`, `page cache`, `cache in front`, `direct`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behind: Option<String>,
}
