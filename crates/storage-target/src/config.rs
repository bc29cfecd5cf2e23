//! Several subsystems: a file in TOML.
//!
//! ```toml
//! [[subsystem]]
//! nqn = "nqn.2026-11.org.example:disk"
//! hosts = ["nqn.2014-08.org.nvmexpress:uuid:2cd2c43b-a90a-45c1-a8cd-86b33ab273b5"]
//! namespaces = ["/srv/disk.img", "ram:4GiB,block=4096"]
//! dhchap-key-file = "/etc/narrows/hosts.key"
//!
//! [[subsystem.host]]
//! nqn = "nqn.2026-11.org.example:db-2"
//! dhchap-key-file = "/etc/narrows/db-2.key"
//! dhchap-ctrl-key-file = "/etc/narrows/target.key"
//! ```
//!
//! Who may connect stands in `hosts` and in `[[subsystem.host]]`. What is said of a secret at the subsystem holds for all who have no
//! `[[subsystem.host]]` of their own.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use narrows_nvme::{InvalidNqn, Nqn};
use serde::Deserialize;

use crate::credentials::{Authentication, CredentialFiles};
use crate::serve::SubsystemSpec;
use crate::spec::{HOW_TLS, namespace_of};
use crate::subsystem::AllowedHosts;
use crate::tls_keys::{TlsKeys, tls_key_of};

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
    dhchap_key_file: Option<PathBuf>,
    dhchap_ctrl_key_file: Option<PathBuf>,
    dhchap_hash: Option<String>,
    dhchap_group: Option<String>,
    #[serde(alias = "tls-key")]
    tls_key_file: Option<PathBuf>,
    /// By whatever other name somebody asks for TLS. It may say what is so anyway.
    #[serde(alias = "psk-file", alias = "keyring")]
    tls: Option<toml::Value>,
    #[serde(default)]
    host: Vec<HostEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct HostEntry {
    nqn: String,
    dhchap_key_file: Option<PathBuf>,
    dhchap_ctrl_key_file: Option<PathBuf>,
    dhchap_hash: Option<String>,
    dhchap_group: Option<String>,
    #[serde(alias = "tls-key")]
    tls_key_file: Option<PathBuf>,
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

/// What is wrong in a subsystem: of what, and why.
type Wrong<'a> = &'a dyn Fn(&str, String) -> String;

impl Entry {
    fn into_spec(self) -> Result<SubsystemSpec, String> {
        let name = self.nqn.clone();
        let wrong = |what: &str, why: String| format!("subsystem {name}: {what}: {why}");
        let nqn = nqn_of("nqn", &self.nqn, &wrong)?;
        let hosts = self.hosts(&wrong)?;
        let authentication = self.authentication(&wrong)?;
        let tls = self.tls_keys(&wrong)?;
        if self.namespaces.is_empty() {
            return Err(wrong("namespaces", "there is none".to_string()));
        }
        let namespaces = self
            .namespaces
            .iter()
            .map(|text| namespace_of(text).map_err(|why| wrong("namespaces", why.to_string())));
        let namespaces = namespaces.collect::<Result<_, _>>()?;
        Ok(SubsystemSpec { nqn, hosts, authentication, tls, namespaces })
    }

    fn hosts(&self, wrong: Wrong<'_>) -> Result<AllowedHosts, String> {
        let nobody = self.hosts.is_empty() && self.host.is_empty();
        match (self.any_host, self.hosts.is_empty()) {
            // Those with a secret of their own are among them.
            (true, true) => return Ok(AllowedHosts::Any),
            (true, false) => {
                let why = "some are named, and any may connect".to_string();
                return Err(wrong("hosts", why));
            }
            (false, _) if nobody => {
                let why = "no host may connect; name some, or say any-host = true".to_string();
                return Err(wrong("hosts", why));
            }
            (false, _) => {}
        }
        let own = self.host.iter().map(|host| &host.nqn);
        let names = self.hosts.iter().chain(own);
        let parsed = names.map(|host| nqn_of("hosts", host, wrong));
        Ok(AllowedHosts::These(parsed.collect::<Result<BTreeSet<_>, _>>()?))
    }

    fn authentication(&self, wrong: Wrong<'_>) -> Result<Authentication, String> {
        let files = CredentialFiles {
            key: self.dhchap_key_file.clone(),
            controller_key: self.dhchap_ctrl_key_file.clone(),
            hash: named("dhchap-hash", self.dhchap_hash.as_deref(), wrong)?,
            group: named("dhchap-group", self.dhchap_group.as_deref(), wrong)?,
        };
        if files.key.is_none() && files.controller_key.is_some() {
            let why =
                "the target proves itself only to hosts that do, so dhchap-key-file is needed";
            return Err(wrong("dhchap-ctrl-key-file", why.to_string()));
        }
        // Nobody would have to authenticate by what stands there.
        if files.key.is_none() && self.host.iter().all(|host| host.dhchap_key_file.is_none()) {
            let said = [("dhchap-hash", &self.dhchap_hash), ("dhchap-group", &self.dhchap_group)];
            if let Some((what, _)) = said.into_iter().find(|(_, value)| value.is_some()) {
                let why = "no host has a secret: dhchap-key-file is missing, here or in a [[subsystem.host]]";
                return Err(wrong(what, why.to_string()));
            }
        }
        let read = |files: &CredentialFiles| {
            files.read().map_err(|error| wrong("dhchap-key-file", error.to_string()))
        };
        let mut authentication = Authentication { all: read(&files)?, ..Authentication::default() };
        let mut names = BTreeSet::new();
        for host in &self.host {
            if !names.insert(&host.nqn) {
                return Err(wrong("host", format!("`{}` stands there twice", host.nqn)));
            }
            if host.dhchap_key_file.is_none() {
                host.check_without_secret(wrong)?;
                continue;
            }
            let own = CredentialFiles {
                key: host.dhchap_key_file.clone(),
                controller_key: host.dhchap_ctrl_key_file.clone(),
                hash: named("dhchap-hash", host.dhchap_hash.as_deref(), wrong)?.or(files.hash),
                group: named("dhchap-group", host.dhchap_group.as_deref(), wrong)?.or(files.group),
            };
            let nqn = nqn_of("host", &host.nqn, wrong)?;
            if let Some(own) = read(&own)? {
                authentication.hosts.insert(nqn, own);
            }
        }
        Ok(authentication)
    }

    fn tls_keys(&self, wrong: Wrong<'_>) -> Result<TlsKeys, String> {
        let read =
            |path: &PathBuf| tls_key_of(path).map_err(|why| wrong("tls-key-file", why.to_string()));
        let mut keys = TlsKeys {
            all: self.tls_key_file.as_ref().map(read).transpose()?,
            ..TlsKeys::default()
        };
        for host in &self.host {
            if let Some(path) = &host.tls_key_file {
                keys.hosts.insert(nqn_of("host", &host.nqn, wrong)?, read(path)?);
            }
        }
        let so = match &self.tls {
            None => true,
            Some(toml::Value::Boolean(wanted)) => *wanted != keys.is_none(),
            Some(said) => said.as_str() == Some("required") && !keys.is_none(),
        };
        if so { Ok(keys) } else { Err(wrong("tls", HOW_TLS.to_string())) }
    }
}

impl HostEntry {
    /// A host that has nothing to prove by DH-HMAC-CHAP of its own.
    fn check_without_secret(&self, wrong: Wrong<'_>) -> Result<(), String> {
        let of_dhchap = self.dhchap_ctrl_key_file.is_some()
            || self.dhchap_hash.is_some()
            || self.dhchap_group.is_some();
        if of_dhchap || self.tls_key_file.is_none() {
            let why = format!("`{}` has no dhchap-key-file", self.nqn);
            return Err(wrong("host", why));
        }
        Ok(())
    }
}

fn nqn_of(what: &str, text: &str, wrong: Wrong<'_>) -> Result<Nqn, String> {
    text.parse().map_err(|why: InvalidNqn| wrong(what, format!("`{text}`: {why}")))
}

/// A hash or a group by its name.
fn named<T: FromStr<Err = String>>(
    what: &str,
    name: Option<&str>,
    wrong: Wrong<'_>,
) -> Result<Option<T>, String> {
    name.map(|name| name.parse().map_err(|why| wrong(what, why))).transpose()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use narrows_nvme::authentication::{Group, Hash, Secret};

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

    fn key_file(folder: &Path, name: &str, byte: u8) -> String {
        let path = folder.join(name);
        let secret = Secret::new(Some(Hash::Sha256), &[byte; 32]).unwrap();
        std::fs::write(&path, secret.to_text() + "\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        path.display().to_string()
    }

    fn entry_with(option: &str, file: &str) -> String {
        format!(
            "[[subsystem]]\nnqn = \"nqn.x:a\"\nany-host = true\nnamespaces = [\"null\"]\n{option} = \"{file}\""
        )
    }

    #[test]
    fn secrets_are_of_a_host_or_of_all() {
        let folder = tempfile::tempdir().unwrap();
        let (all, own) = (key_file(folder.path(), "all", 1), key_file(folder.path(), "own", 2));
        let text = format!(
            r#"
            [[subsystem]]
            nqn = "nqn.x:a"
            hosts = ["nqn.x:h1"]
            namespaces = ["null"]
            dhchap-key-file = "{all}"
            dhchap-hash = "sha384"
            [[subsystem.host]]
            nqn = "nqn.x:h2"
            dhchap-key-file = "{own}"
            dhchap-ctrl-key-file = "{all}"
            dhchap-group = "null"
        "#
        );
        let [spec] = &subsystems_of_text(&text).unwrap()[..] else { panic!("one") };
        let of = |host: &str| spec.authentication.of(&host.parse().unwrap()).unwrap();
        let (first, second) = (of("nqn.x:h1"), of("nqn.x:h2"));
        assert_eq!((first.hash, first.group), (Hash::Sha384, Group::Ffdhe3072));
        assert_eq!((second.hash, second.group), (Hash::Sha384, Group::Null));
        assert_eq!((&first.controller, second.controller.as_ref()), (&None, Some(&first.host)));
        assert_ne!(first.host, second.host);
        let AllowedHosts::These(hosts) = &spec.hosts else { panic!("named hosts") };
        assert_eq!(hosts.len(), 2);
        let why = |from: &str, to: &str| {
            let changed = text.replace(from, to);
            assert_ne!(changed, text);
            subsystems_of_text(&changed).unwrap_err()
        };
        assert!(why("sha384", "md5").contains("dhchap-hash: `md5` is none of sha256"));
        assert!(why("h2", "h1\"\ndhchap-x = \"").contains("dhchap-x"));
        let alone = entry_with("dhchap-ctrl-key-file", &all);
        assert!(subsystems_of_text(&alone).unwrap_err().contains("dhchap-key-file is needed"));
        std::fs::set_permissions(&all, std::fs::Permissions::from_mode(0o640)).unwrap();
        let open = subsystems_of_text(&text).unwrap_err();
        assert!(open.contains(&all) && open.contains("mode 0640"), "{open}");
        std::fs::write(&own, "DHHC-1:00:AAAA:").unwrap();
        std::fs::set_permissions(&all, std::fs::Permissions::from_mode(0o600)).unwrap();
        let broken = subsystems_of_text(&text).unwrap_err();
        assert!(broken.contains(&own) && !broken.contains("AAAA"), "{broken}");
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
        for option in ["dhchap-hash = \"sha384\"", "dhchap-group = \"ffdhe2048\""] {
            let alone = entry(&format!("any-host = true\nnamespaces = [\"null\"]\n{option}"));
            assert!(why(&alone).contains("dhchap-key-file is missing"), "{option}");
        }
        assert!(why(&entry("any_host = true\nnamespaces = [\"null\"]")).contains("line 3"));
        for tls in ["tls = true", "tls = \"required\"", "psk-file = \"/x\"", "keyring = \".nvme\""]
        {
            let asked = entry(&format!("any-host = true\nnamespaces = [\"null\"]\n{tls}"));
            assert!(why(&asked).contains("nqn.x:a: tls: hosts have to come by TLS where"), "{tls}");
        }
        let without = entry("any-host = true\nnamespaces = [\"null\"]\ntls = false");
        assert!(subsystems_of_text(&without).is_ok());
        let both = entry("any-host = true\nhosts = [\"nqn.x:h\"]\nnamespaces = [\"null\"]");
        assert!(why(&both).contains("any may connect"));
        let host = entry("hosts = [\"iqn.x\"]\nnamespaces = [\"null\"]");
        assert!(why(&host).contains("`iqn.x`"));
    }
}
