//! What hosts have to prove, and by what: secrets from files, the hash and the group of the exchange.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use narrows_nvme::Nqn;
use narrows_nvme::authentication::{Group, Hash, InvalidSecret, Secret};
use zeroize::Zeroizing;

/// Longest file of a secret, bytes.
const MOST: u64 = 4096;

/// What an exchange with a host goes by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    /// What the host has to have.
    pub host: Secret,
    /// What the target proves in turn, where the host asks for that.
    pub controller: Option<Secret>,
    /// The hash that the target picks.
    pub hash: Hash,
    /// The group that it picks.
    pub group: Group,
}

/// Who has to authenticate at a subsystem. Nobody, where nothing is said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Authentication {
    /// What holds for hosts that have nothing of their own.
    pub all: Option<Arc<Credentials>>,
    /// What holds for a host alone.
    pub hosts: BTreeMap<Nqn, Arc<Credentials>>,
}

impl Authentication {
    /// What a host has to prove; `None` where it connects without.
    pub(crate) fn of(&self, host: &Nqn) -> Option<&Arc<Credentials>> {
        self.hosts.get(host).or(self.all.as_ref())
    }

    /// Whether no host has to.
    pub(crate) fn is_none(&self) -> bool {
        self.all.is_none() && self.hosts.is_empty()
    }
}

/// Why a secret can't be used: its file and what is wrong, and nothing of what is in it.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {reason}")]
pub struct SecretError {
    path: String,
    reason: String,
}

impl SecretError {
    pub(crate) fn new(path: &str, reason: String) -> SecretError {
        SecretError { path: path.to_string(), reason }
    }
}

/// Files of secrets, and how they are used; as on the command line and in a configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CredentialFiles {
    /// Of what the host has to have.
    pub key: Option<PathBuf>,
    /// Of what the target proves.
    pub controller_key: Option<PathBuf>,
    /// The hash, where another than SHA-256 is wanted.
    pub hash: Option<Hash>,
    /// The group, where another than ffdhe3072 is wanted.
    pub group: Option<Group>,
}

impl CredentialFiles {
    /// Reads the files; `None` where no key is named.
    ///
    /// # Errors
    /// What can't be read, or is no secret.
    pub fn read(&self) -> Result<Option<Arc<Credentials>>, SecretError> {
        let Some(key) = &self.key else { return Ok(None) };
        Ok(Some(Arc::new(Credentials {
            host: secret_of(key)?,
            controller: self.controller_key.as_deref().map(secret_of).transpose()?,
            hash: self.hash.unwrap_or(Hash::Sha256),
            group: self.group.unwrap_or(Group::Ffdhe3072),
        })))
    }
}

fn secret_of(path: &Path) -> Result<Secret, SecretError> {
    let text = narrows_files::read_private_text(path, MOST).map(Zeroizing::new);
    let text = text.map_err(|error| error.to_string());
    let secret = text.and_then(|text| {
        text.trim()
            .parse()
            .map_err(|why: InvalidSecret| format!("{why}\nhint: `nvme gen-dhchap-key` prints one"))
    });
    secret.map_err(|reason| SecretError { path: path.display().to_string(), reason })
}
