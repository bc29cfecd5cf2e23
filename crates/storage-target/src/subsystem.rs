//! A subsystem: namespaces under one name, and the hosts that may have them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use narrows_nvme::Nqn;

use crate::credentials::Authentication;
use crate::namespace::Namespace;
use crate::tls_keys::TlsKeys;

/// Who may connect. Nobody, where nothing is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllowedHosts {
    /// Only these.
    These(BTreeSet<Nqn>),
    /// Whoever reaches the port. For somebody who said so.
    Any,
}

impl AllowedHosts {
    /// Whether this host may.
    pub(crate) fn allow(&self, host: &Nqn) -> bool {
        match self {
            AllowedHosts::These(hosts) => hosts.contains(host),
            AllowedHosts::Any => true,
        }
    }
}

/// A subsystem.
#[derive(Debug)]
pub(crate) struct Subsystem {
    pub(crate) nqn: Nqn,
    pub(crate) hosts: AllowedHosts,
    pub(crate) authentication: Authentication,
    /// Who of the hosts has to come by TLS.
    pub(crate) tls: TlsKeys,
    /// SN: the same for the same name, 20 characters.
    pub(crate) serial: String,
    pub(crate) namespaces: BTreeMap<u32, Arc<Namespace>>,
}

impl Subsystem {
    pub(crate) fn new(
        nqn: Nqn,
        hosts: AllowedHosts,
        authentication: Authentication,
        namespaces: BTreeMap<u32, Arc<Namespace>>,
    ) -> Subsystem {
        let text = format!("narrows-target subsystem\n{nqn}");
        let hash = ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
        let serial = hash.as_ref()[..10].iter().map(|byte| format!("{byte:02X}")).collect();
        let tls = TlsKeys::default();
        Subsystem { nqn, hosts, authentication, tls, serial, namespaces }
    }

    /// The same, to which hosts come by TLS.
    pub(crate) fn with_tls(self, tls: TlsKeys) -> Subsystem {
        Subsystem { tls, ..self }
    }

    /// Whether every completed write of every namespace is durable without a flush.
    pub(crate) fn keeps_each_write(&self) -> bool {
        self.namespaces.values().all(|namespace| namespace.backing.keeps_each_write())
    }
}
