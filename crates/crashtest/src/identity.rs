//! Which test, and which machine in which boot.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A crash test's random id; it stands in every sector that the test writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RunId(pub u128);

impl RunId {
    /// A new one.
    ///
    /// # Errors
    /// Where `/dev/urandom` can't be read.
    pub fn random() -> io::Result<RunId> {
        let mut bytes = [0; 16];
        File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        Ok(RunId(u128::from_le_bytes(bytes)))
    }

    /// Its first twelve digits: enough for names.
    pub fn short(self) -> String {
        self.to_string()[..12].to_string()
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl FromStr for RunId {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<RunId, Self::Err> {
        u128::from_str_radix(text, 16).map(RunId)
    }
}

impl TryFrom<String> for RunId {
    type Error = std::num::ParseIntError;

    fn try_from(text: String) -> Result<RunId, Self::Error> {
        text.parse()
    }
}

impl From<RunId> for String {
    fn from(id: RunId) -> String {
        id.to_string()
    }
}

/// A machine in one of its boots.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Host name.
    pub host: String,
    /// The kernel's random id of this boot; containers share their host's.
    pub boot_id: String,
    /// A digest of `/etc/machine-id`, which itself is not to be shown (machine-id(5)).
    pub machine: Option<String>,
}

impl Machine {
    /// This one.
    pub fn this() -> Machine {
        let text = |path: &str| {
            let text = fs::read_to_string(path).ok()?;
            Some(text.trim().to_string()).filter(|text| !text.is_empty())
        };
        Machine {
            host: text("/proc/sys/kernel/hostname").unwrap_or_else(|| "unknown".to_string()),
            boot_id: text("/proc/sys/kernel/random/boot_id").unwrap_or_default(),
            machine: text("/etc/machine-id").map(|id| digest(&id)),
        }
    }

    /// Whether both run on one kernel: no cut of one's power spares the other.
    pub fn shares_kernel(&self, other: &Machine) -> bool {
        !self.boot_id.is_empty() && self.boot_id == other.boot_id
    }

    /// Whether `later` is this machine after a boot; `None` where it may be another machine.
    pub fn booted_since(&self, later: &Machine) -> Option<bool> {
        if self.shares_kernel(later) {
            return Some(false);
        }
        let known = self.machine.is_some() && !self.boot_id.is_empty() && !later.boot_id.is_empty();
        (known && self.machine == later.machine).then_some(true)
    }
}

/// FNV-1a, 64 bits: tells machines apart and doesn't show the id.
fn digest(text: &str) -> String {
    let hash = text.bytes().fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    });
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(boot: &str, id: Option<&str>) -> Machine {
        Machine { host: "h".into(), boot_id: boot.into(), machine: id.map(String::from) }
    }

    #[test]
    fn a_boot_is_seen_only_on_the_same_machine() {
        let before = machine("a", Some("m"));
        assert_eq!(before.booted_since(&before), Some(false));
        assert_eq!(before.booted_since(&machine("b", Some("m"))), Some(true));
        assert_eq!(before.booted_since(&machine("b", Some("n"))), None);
        assert_eq!(before.booted_since(&machine("b", None)), None);
        assert_eq!(before.booted_since(&machine("", Some("m"))), None);
        assert!(!machine("", None).shares_kernel(&machine("", None)));
    }

    #[test]
    fn an_id_is_read_as_it_is_printed() {
        let id = RunId(0x00ab_cdef);
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!(id.to_string().len(), 32);
        assert_ne!(RunId::random().unwrap(), RunId::random().unwrap());
    }
}
