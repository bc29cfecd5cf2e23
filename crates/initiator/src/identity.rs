//! Who this host is: what `/etc/nvme` says, as for the kernel's host, else a name made of the machine's identifier.

use std::path::Path;

use narrows_nvme::{HostId, Nqn};

/// Longest file that is read, bytes.
const MOST: u64 = 4096;

/// A host's two names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) nqn: Nqn,
    pub(crate) id: HostId,
}

fn line_of(path: &str) -> Option<String> {
    let text = narrows_files::read_text(Path::new(path), MOST).ok()?;
    Some(text.trim().to_string()).filter(|line| !line.is_empty())
}

fn uuid_of(text: &str) -> Option<HostId> {
    let digits: String = text.chars().filter(|c| *c != '-').collect();
    let number = u128::from_str_radix(&digits, 16).ok().filter(|_| digits.len() == 32)?;
    Some(HostId(number.to_be_bytes()))
}

impl Identity {
    /// This host's, under the name `said` if one is.
    pub(crate) fn of(said: Option<&Nqn>) -> Identity {
        let machine = line_of("/etc/machine-id").unwrap_or_else(|| "unknown".to_string());
        let hash = ring::digest::digest(
            &ring::digest::SHA256,
            format!("narrows host\n{machine}").as_bytes(),
        );
        // Version 8 of RFC 9562: of a hash that the maker chose.
        let mut made: [u8; 16] = std::array::from_fn(|index| hash.as_ref()[index]);
        made[6] = made[6] & 0x0F | 0x80;
        made[8] = made[8] & 0x3F | 0x80;
        let own = line_of("/etc/nvme/hostnqn").and_then(|line| line.parse().ok());
        let id = line_of("/etc/nvme/hostid").and_then(|line| uuid_of(&line));
        let id = id.unwrap_or(HostId(made));
        let nqn = said.cloned().or(own).unwrap_or_else(|| {
            let name = format!("nqn.2014-08.org.nvmexpress:uuid:{}", HostId(made));
            name.parse().expect("an NQN made of a UUID is one")
        });
        Identity { nqn, id }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identifier_is_read_as_the_kernel_reads_it() {
        let id = uuid_of("00010203-0405-0607-0809-0a0b0c0d0e0f").unwrap();
        assert_eq!(id.0[15], 15);
        assert_eq!(id.to_string(), "00010203-0405-0607-0809-0a0b0c0d0e0f");
        assert_eq!(uuid_of("0001"), None);
    }

    #[test]
    fn a_name_that_is_said_is_taken_and_the_identifier_stays() {
        let said: Nqn = "nqn.2026-11.org.example:h".parse().unwrap();
        let (named, own) = (Identity::of(Some(&said)), Identity::of(None));
        assert_eq!(named.nqn, said);
        assert_eq!(named.id, own.id);
    }
}
