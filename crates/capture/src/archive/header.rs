//! The first line of an archive.

use std::collections::BTreeMap;
use std::io;

use narrows_model::{Role, Tool};
use serde::{Deserialize, Serialize};

/// Name and version of the format.
pub const SCHEMA: &str = "narrows.capture/1";

/// Who captured the machine, when, and what isn't in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// [`SCHEMA`].
    pub schema: String,
    /// What captured it.
    pub tool: Tool,
    /// When, RFC 3339.
    pub captured_at: String,
    /// Whether it was captured by root on purpose.
    pub privileged: bool,
    /// Folders whose paths were followed.
    pub roles: Vec<RolePlace>,
    /// By what the machine itself can be recognised; `None` where it has no id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<MachineDigest>,
    /// How many values of each kind were replaced: `serial`, `host`, `address`.
    pub replaced: BTreeMap<String, u64>,
    /// What was asked and is not in the archive.
    pub left_out: Vec<LeftOut>,
}

/// A folder with what it is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RolePlace {
    /// What it is for.
    pub role: Role,
    /// Where; absolute.
    pub path: String,
}

/// SHA-256 of a salt and the machine's id (machine-id(5)), its first 128 bits: only who has the id can tell that it is this
/// machine, and two captures of one machine don't show that they are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineDigest {
    /// Random, hexadecimal.
    pub salt: String,
    /// Hexadecimal.
    pub digest: String,
}

impl MachineDigest {
    /// 128 random bits, hexadecimal.
    ///
    /// # Errors
    /// The kernel gave none.
    pub fn fresh_salt() -> io::Result<String> {
        let mut salt = [0; 16];
        ring::rand::SecureRandom::fill(&ring::rand::SystemRandom::new(), &mut salt)
            .map_err(|_| io::Error::other("the kernel gives no random numbers"))?;
        Ok(hexadecimal(&salt))
    }

    /// Of `id` under `salt`.
    pub fn of(salt: &str, id: &str) -> Self {
        let text = format!("{salt} {id}");
        let digest = ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
        MachineDigest { salt: salt.to_string(), digest: hexadecimal(&digest.as_ref()[..16]) }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Something that was read and left out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LeftOut {
    /// What, in words.
    pub what: String,
    /// How many.
    pub count: u64,
}
