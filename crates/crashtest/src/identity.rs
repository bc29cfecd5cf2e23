//! Which test, and which machine in which boot.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::str::FromStr;

use narrows_facts::{Live, Source};
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
        let source: &dyn Source = &Live;
        Machine {
            host: source.text("/proc/sys/kernel/hostname").unwrap_or_else(|| "unknown".to_string()),
            boot_id: narrows_platform::boot_id(source).unwrap_or_default(),
            machine: narrows_platform::machine_digest(source),
        }
    }

    /// Whether both run on one kernel, in one boot; `None` where a boot id is unknown.
    pub fn shares_kernel(&self, other: &Machine) -> Option<bool> {
        let known = !self.boot_id.is_empty() && !other.boot_id.is_empty();
        known.then_some(self.boot_id == other.boot_id)
    }

    /// Whether one cut of the power takes both at the same time. Where no boot tells, a name or an id in common is enough for
    /// the doubt.
    pub fn is_beside(&self, other: &Machine) -> bool {
        let alike = self.machine.is_some() && self.machine == other.machine;
        self.shares_kernel(other).unwrap_or(alike || self.host == other.host)
    }

    /// Whether `later` is this machine after a boot; `None` where it may be another machine. Name and id must both be
    /// the same: names repeat, and copied machines have one id.
    pub fn booted_since(&self, later: &Machine) -> Option<bool> {
        if self.shares_kernel(later)? {
            return Some(false);
        }
        let same = self.machine.is_some() && self.machine == later.machine;
        (same && self.host == later.host).then_some(true)
    }
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
        // A copy of the machine's image has its id.
        let copy = Machine { host: "h2".into(), ..machine("b", Some("m")) };
        assert_eq!(before.booted_since(&copy), None);
    }

    #[test]
    fn one_boot_is_one_machine_whatever_it_is_called() {
        let here = machine("a", Some("m"));
        let renamed = Machine { host: "h2".into(), machine: None, ..here.clone() };
        assert!(here.is_beside(&renamed));
        // Two machines of one name, made from one image, run at the same time.
        assert!(!here.is_beside(&machine("b", Some("m"))));
        // Nothing but a name or an id is known.
        assert!(machine("", None).is_beside(&machine("b", Some("m"))));
        let other = Machine { host: "h2".into(), ..machine("", Some("m")) };
        assert!(here.is_beside(&other));
        assert!(!here.is_beside(&Machine { machine: Some("n".into()), ..other }));
    }

    #[test]
    fn an_id_is_read_as_it_is_printed() {
        let id = RunId(0x00ab_cdef);
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!(id.to_string().len(), 32);
        assert_ne!(RunId::random().unwrap(), RunId::random().unwrap());
    }
}
