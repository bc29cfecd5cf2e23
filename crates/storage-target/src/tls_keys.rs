//! Keys of TLS: which hosts have to come by it, and by what key.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use narrows_nvme::Nqn;
use narrows_nvme::tls::{ConfiguredKey, InvalidKey, PskIdentity, TlsPsk};
use narrows_nvme_tls::KeyRing;
use zeroize::Zeroizing;

use crate::credentials::SecretError;
use crate::subsystem::Subsystem;
use crate::target::Target;

/// Longest file of a key, bytes.
const MOST: u64 = 4096;
/// What a key itself begins with.
const OF_KEYS: &str = "NVMeTLSkey-";

/// Who has to come by TLS to a subsystem. Nobody, where nothing is said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TlsKeys {
    /// The key of hosts that have none of their own.
    pub all: Option<Arc<ConfiguredKey>>,
    /// The key of a host alone.
    pub hosts: BTreeMap<Nqn, Arc<ConfiguredKey>>,
}

impl TlsKeys {
    /// The key by which a host comes; `None` where it connects without TLS.
    pub(crate) fn of(&self, host: &Nqn) -> Option<&Arc<ConfiguredKey>> {
        self.hosts.get(host).or(self.all.as_ref())
    }

    /// Whether no host has one.
    pub(crate) fn is_none(&self) -> bool {
        self.all.is_none() && self.hosts.is_empty()
    }
}

/// Reads the file of a key.
///
/// # Errors
/// It can't be read, others may read it, or it holds no key. Nothing of a key is told, where somebody names one in place of its file either.
pub fn tls_key_of(path: &Path) -> Result<Arc<ConfiguredKey>, SecretError> {
    if path.as_os_str().to_string_lossy().contains(OF_KEYS) {
        let why = "a key stands in a file of mode 0600, and the file's name is said";
        return Err(SecretError::new("the key of TLS", why.to_string()));
    }
    let text = narrows_files::read_private_text(path, MOST).map(Zeroizing::new);
    let key = text.map_err(|error| error.to_string()).and_then(|text| {
        text.trim()
            .parse()
            .map_err(|why: InvalidKey| format!("{why}\nhint: `nvme gen-tls-key` prints one"))
    });
    key.map(Arc::new).map_err(|reason| SecretError::new(&path.display().to_string(), reason))
}

impl Subsystem {
    /// The key that a host means by an identity, if it may connect.
    fn psk(&self, identity: &PskIdentity) -> Option<TlsPsk> {
        let allowed = self.hosts.allow(&identity.host);
        self.tls.of(&identity.host).filter(|_| allowed)?.psk_of(identity)
    }
}

impl KeyRing for Target {
    /// Who has a key for a subsystem may ask by it what there is, too.
    fn psk(&self, identity: &PskIdentity) -> Option<TlsPsk> {
        if identity.subsystem.is_discovery() {
            return self.subsystems.values().find_map(|subsystem| subsystem.psk(identity));
        }
        self.subsystems.get(&identity.subsystem)?.psk(identity)
    }
}
