//! Names of subsystems and hosts (NQN: NVMe Base Specification, "NVMe Qualified Names"), and a host's identifier.

use std::fmt;
use std::str::FromStr;

/// Name of every discovery subsystem that has no unique one.
pub const DISCOVERY_NQN: &str = "nqn.2014-08.org.nvmexpress.discovery";

/// The longest name, bytes.
const LONGEST: usize = 223;
/// The field that a name stands in, bytes; what it doesn't fill is zero.
pub(crate) const NQN_FIELD: usize = 256;

/// The name of a subsystem or host: `nqn.`, then printable ASCII without blanks, 223 bytes at most.
///
/// Looser than the specification, which wants a date and a reversed domain, or a UUID: hosts and targets in use have others.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Nqn(String);

/// Why a text is no NQN.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidNqn {
    /// It begins otherwise.
    #[error("an NQN begins with `nqn.`")]
    Beginning,
    /// It is longer than 223 bytes, or its field has no zero after it.
    #[error("an NQN has at most {LONGEST} bytes")]
    TooLong,
    /// It has a blank, a control character or something outside of ASCII.
    #[error("an NQN has only printable ASCII characters and no blanks")]
    Character,
}

impl Nqn {
    /// The name of the discovery subsystem.
    pub fn discovery() -> Nqn {
        Nqn(DISCOVERY_NQN.to_string())
    }

    /// Reads a field of 256 bytes, as in Connect's data and in Identify.
    ///
    /// # Errors
    /// What makes it none.
    pub fn from_field(field: &[u8; NQN_FIELD]) -> Result<Nqn, InvalidNqn> {
        let end = field.iter().position(|byte| *byte == 0).ok_or(InvalidNqn::TooLong)?;
        let text = std::str::from_utf8(&field[..end]).map_err(|_| InvalidNqn::Character)?;
        text.parse()
    }

    /// The field of 256 bytes.
    pub fn to_field(&self) -> [u8; NQN_FIELD] {
        let mut field = [0; NQN_FIELD];
        field[..self.0.len()].copy_from_slice(self.0.as_bytes());
        field
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it names the discovery subsystem.
    pub fn is_discovery(&self) -> bool {
        self.0 == DISCOVERY_NQN
    }
}

impl FromStr for Nqn {
    type Err = InvalidNqn;

    fn from_str(text: &str) -> Result<Nqn, InvalidNqn> {
        if !text.starts_with("nqn.") {
            Err(InvalidNqn::Beginning)
        } else if text.len() > LONGEST {
            Err(InvalidNqn::TooLong)
        } else if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            Err(InvalidNqn::Character)
        } else {
            Ok(Nqn(text.to_string()))
        }
    }
}

impl fmt::Display for Nqn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A host's identifier (HOSTID), the same on all of its connections. By it reservations belong to a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HostId(pub [u8; 16]);

impl fmt::Display for HostId {
    /// As a UUID.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, byte) in self.0.iter().enumerate() {
            let dash = if matches!(index, 4 | 6 | 8 | 10) { "-" } else { "" };
            write!(f, "{dash}{byte:02x}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_real_hosts_are_read() {
        for name in [
            DISCOVERY_NQN,
            "nqn.2014-08.org.nvmexpress:uuid:2cd2c43b-a90a-45c1-a8cd-86b33ab273b5",
            "nqn.1992-08.com.netapp:sn.0123:subsystem.a",
        ] {
            let nqn: Nqn = name.parse().unwrap();
            assert_eq!(Nqn::from_field(&nqn.to_field()).unwrap(), nqn);
        }
    }

    #[test]
    fn what_is_no_name_is_told() {
        assert_eq!("iqn.2001-04.com:x".parse::<Nqn>(), Err(InvalidNqn::Beginning));
        assert_eq!("nqn.a b".parse::<Nqn>(), Err(InvalidNqn::Character));
        assert_eq!("nqn.\u{e9}".parse::<Nqn>(), Err(InvalidNqn::Character));
        assert_eq!(format!("nqn.{}", "a".repeat(220)).parse::<Nqn>(), Err(InvalidNqn::TooLong));
        assert_eq!(Nqn::from_field(&[b'n'; 256]), Err(InvalidNqn::TooLong));
    }

    #[test]
    fn a_host_s_identifier_is_shown_as_a_uuid() {
        let bytes = std::array::from_fn(|index| index as u8);
        assert_eq!(HostId(bytes).to_string(), "00010203-0405-0607-0809-0a0b0c0d0e0f");
    }
}
