//! Several subsystems: a file in TOML.
//!
//! ```toml
//! [[subsystem]]
//! nqn = "nqn.2026-11.org.example:disk"
//! hosts = ["nqn.2014-08.org.nvmexpress:uuid:2cd2c43b-a90a-45c1-a8cd-86b33ab273b5"]
//! namespaces = ["/srv/disk.img", "ram:4GiB,block=4096"]
//! ```

use std::path::Path;

use narrows_nvme::{InvalidNqn, Nqn};
use serde::Deserialize;

use crate::serve::SubsystemSpec;
use crate::spec::namespace_of;
use crate::subsystem::AllowedHosts;

/// Longest file, bytes.
const MOST: u64 = 1 << 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    subsystem: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Entry {
    nqn: String,
    #[serde(default)]
    hosts: Vec<String>,
    #[serde(default)]
    any_host: bool,
    namespaces: Vec<String>,
}

/// Why a file can't be used: what of it, and what is wrong.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {reason}")]
pub struct ConfigError {
    path: String,
    reason: String,
}

/// The subsystems of a file.
///
/// # Errors
/// What can't be read or understood.
pub fn subsystems_of_file(path: &Path) -> Result<Vec<SubsystemSpec>, ConfigError> {
    let text = narrows_files::read_text(path, MOST).map_err(|error| error.to_string());
    text.and_then(|text| subsystems_of_text(&text))
        .map_err(|reason| ConfigError { path: path.display().to_string(), reason })
}

fn subsystems_of_text(text: &str) -> Result<Vec<SubsystemSpec>, String> {
    let document: Document = toml::from_str(text).map_err(|error| error.to_string())?;
    if document.subsystem.is_empty() {
        return Err("it has no [[subsystem]]".to_string());
    }
    document.subsystem.into_iter().map(Entry::into_spec).collect()
}

impl Entry {
    fn into_spec(self) -> Result<SubsystemSpec, String> {
        let name = self.nqn.clone();
        let wrong = |what: &str, why: String| format!("subsystem {name}: {what}: {why}");
        let nqn = self.nqn.parse();
        let nqn: Nqn = nqn.map_err(|why: InvalidNqn| wrong("nqn", why.to_string()))?;
        let hosts = match (self.any_host, self.hosts.is_empty()) {
            (true, true) => AllowedHosts::Any,
            (true, false) => {
                let why = "some are named, and any may connect".to_string();
                return Err(wrong("hosts", why));
            }
            (false, true) => {
                let why = "no host may connect; name some, or say any-host = true".to_string();
                return Err(wrong("hosts", why));
            }
            (false, false) => {
                let parsed = self.hosts.iter().map(|host| {
                    let parsed: Result<Nqn, InvalidNqn> = host.parse();
                    parsed.map_err(|why| wrong("hosts", format!("`{host}`: {why}")))
                });
                AllowedHosts::These(parsed.collect::<Result<_, _>>()?)
            }
        };
        if self.namespaces.is_empty() {
            return Err(wrong("namespaces", "there is none".to_string()));
        }
        let namespaces = self
            .namespaces
            .iter()
            .map(|text| namespace_of(text).map_err(|why| wrong("namespaces", why.to_string())));
        Ok(SubsystemSpec { nqn, hosts, namespaces: namespaces.collect::<Result<_, _>>()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_subsystems_are_read() {
        let text = r#"
            [[subsystem]]
            nqn = "nqn.2026-11.org.example:a"
            hosts = ["nqn.2026-11.org.example:h1", "nqn.2026-11.org.example:h2"]
            namespaces = ["ram:1MiB", "null,nsid=9"]
            [[subsystem]]
            nqn = "nqn.2026-11.org.example:b"
            any-host = true
            namespaces = ["/srv/b"]
        "#;
        let [a, b] = &subsystems_of_text(text).unwrap()[..] else { panic!("two") };
        let AllowedHosts::These(hosts) = &a.hosts else { panic!("named hosts") };
        assert_eq!((hosts.len(), a.namespaces.len()), (2, 2));
        assert_eq!((&b.hosts, b.namespaces.len()), (&AllowedHosts::Any, 1));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_subsystem_or_line() {
        let entry = |rest: &str| format!("[[subsystem]]\nnqn = \"nqn.x:a\"\n{rest}");
        let why = |text: &str| subsystems_of_text(text).unwrap_err();
        assert!(why("").contains("subsystem"));
        assert!(why("subsystem = []").contains("no [[subsystem]]"));
        assert!(why(&entry("namespaces = [\"null\"]")).contains("any-host = true"));
        assert!(why(&entry("any-host = true\nnamespaces = []")).contains("there is none"));
        assert!(why(&entry("any-host = true\nnamespaces = [\"ram\"]")).contains("nqn.x:a"));
        assert!(why(&entry("any_host = true\nnamespaces = [\"null\"]")).contains("line 3"));
        let both = entry("any-host = true\nhosts = [\"nqn.x:h\"]\nnamespaces = [\"null\"]");
        assert!(why(&both).contains("any may connect"));
        let host = entry("hosts = [\"iqn.x\"]\nnamespaces = [\"null\"]");
        assert!(why(&host).contains("`iqn.x`"));
    }
}
