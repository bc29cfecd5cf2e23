//! What the journal says before a host is let in: what is served and by what, who may connect, and what they have to prove.

use std::collections::BTreeMap;
use std::net::TcpListener;

use narrows_nvme::Nqn;
use narrows_nvme::tls::ConfiguredKey;

use crate::backing::logged::{power_of_copies, state_word};
use crate::backing::{Backing, LoggedDisk, Shards};
use crate::credentials::{Authentication, Credentials};
use crate::journal;
use crate::namespace::Namespace;
use crate::restart::announce_index;
use crate::subsystem::{AllowedHosts, Subsystem};
use crate::target::Target;

/// What is served, to whom and how, as the journal has it before a host is let in.
pub(crate) fn announce(target: &Target, listeners: &[TcpListener]) {
    for subsystem in target.subsystems.values() {
        if subsystem.hosts == AllowedHosts::Any {
            journal::line("any-host-allowed", &[("subsystem", &subsystem.nqn)]);
        }
        announce_authentication(subsystem);
        announce_tls(subsystem);
        for namespace in subsystem.namespaces.values() {
            let path = match namespace.backing.file() {
                Some(disk) => disk.path().display().to_string(),
                None => namespace.backing.word().to_string(),
            };
            let cached = match namespace.backing.file() {
                Some(disk) if !disk.is_direct() => "page-cache",
                _ => "direct",
            };
            journal::line(
                "serves",
                &[
                    ("subsystem", &subsystem.nqn),
                    ("nsid", &namespace.number),
                    ("path", &path),
                    ("kind", &namespace.backing.word()),
                    ("blocks", &namespace.blocks()),
                    ("block-bytes", &namespace.block_bytes()),
                    ("access", &cached),
                    ("readonly", &namespace.read_only),
                ],
            );
            announce_cache(namespace, &path);
            announce_index(namespace, &path);
            if let Backing::Logged(disk) = &namespace.backing {
                announce_log(disk);
            }
        }
    }
    for listener in listeners {
        if let Ok(address) = listener.local_addr() {
            journal::line("listens", &[("address", &address)]);
        }
    }
}

fn announce_cache(namespace: &Namespace, path: &str) {
    let Some(pages) = namespace.cache_shards().map(Shards::pages) else { return };
    let Some(cache) = &namespace.device_cache else {
        return journal::line("caches", &[("path", &path), ("kind", &"ram"), ("pages", &pages)]);
    };
    let disk = cache.disk();
    journal::line(
        "caches",
        &[
            ("path", &path),
            ("kind", &if disk.is_device() { "block device" } else { "file" }),
            ("cache", &disk.path().display()),
            ("access", &if disk.is_direct() { "direct" } else { "page-cache" }),
            ("pages", &pages),
        ],
    );
}

fn announce_log(disk: &LoggedDisk) {
    if let Some((copies, media)) = disk.copies() {
        let power = power_of_copies(copies, media);
        journal::line(
            "copies",
            &[("path", &disk.backing.path().display()), ("copies", &copies), ("power", &power)],
        );
    }
    for medium in disk.media().values() {
        journal::line(
            "logs",
            &[
                ("path", &disk.backing.path().display()),
                ("log", &medium.name()),
                ("medium", &medium.word()),
                ("power", &medium.power().as_deref().unwrap_or("-")),
                ("capacity-bytes", &disk.geometry().capacity),
                ("state", &state_word(disk.status().state)),
            ],
        );
    }
}

fn announce_authentication(subsystem: &Subsystem) {
    let told = |host: &str, credentials: &Credentials| {
        let both = if credentials.controller.is_some() { "yes" } else { "no" };
        journal::line(
            "authenticates",
            &[
                ("subsystem", &subsystem.nqn),
                ("host", &host),
                ("hash", &credentials.hash),
                ("group", &credentials.group),
                ("mutual", &both),
            ],
        );
    };
    if let Some(credentials) = &subsystem.authentication.all {
        told("every-other", credentials);
    }
    for (host, credentials) in &subsystem.authentication.hosts {
        told(host.as_str(), credentials);
    }
    let Authentication { all, hosts } = &subsystem.authentication;
    for host in without_key(&subsystem.hosts, all.is_some(), hosts) {
        journal::line("connects-without-secret", &[("subsystem", &subsystem.nqn), ("host", &host)]);
    }
}

/// Hosts that need TLS, and the key's cipher suite; then those that connect without.
fn announce_tls(subsystem: &Subsystem) {
    let tls = &subsystem.tls;
    let told = |host: &str, key: &ConfiguredKey| {
        let suite = journal::suite_of(key.hash());
        // What is encrypted is copied first.
        let fields: [(&str, &dyn std::fmt::Display); 4] = [
            ("subsystem", &subsystem.nqn),
            ("host", &host),
            ("suite", &suite),
            ("zero-copy", &"off"),
        ];
        journal::line("requires-tls", &fields);
    };
    if let Some(key) = &tls.all {
        told("every-other", key);
    }
    for (host, key) in &tls.hosts {
        told(host.as_str(), key);
    }
    for host in without_key(&subsystem.hosts, tls.all.is_some(), &tls.hosts) {
        journal::line("connects-without-tls", &[("subsystem", &subsystem.nqn), ("host", &host)]);
    }
}

/// Hosts that may connect without a secret or key where others have to have one: whoever has none can claim to be one of them.
fn without_key<'a, T>(
    hosts: &'a AllowedHosts,
    for_all: bool,
    own: &BTreeMap<Nqn, T>,
) -> Vec<&'a str> {
    match hosts {
        _ if for_all || own.is_empty() => Vec::new(),
        AllowedHosts::Any => vec!["every-other"],
        AllowedHosts::These(hosts) => {
            hosts.iter().filter(|host| !own.contains_key(host)).map(Nqn::as_str).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use narrows_nvme::authentication::{Group, Hash, Secret};

    use super::*;

    #[test]
    fn hosts_without_a_secret_beside_others_with_one_are_told() {
        let (first, second): (Nqn, Nqn) = ("nqn.x:a".parse().unwrap(), "nqn.x:b".parse().unwrap());
        let credentials = Arc::new(Credentials {
            host: Secret::new(None, &[1; 32]).unwrap(),
            controller: None,
            hash: Hash::Sha256,
            group: Group::Null,
        });
        let own = BTreeMap::from([(first.clone(), Arc::clone(&credentials))]);
        let some = Authentication { all: None, hosts: own.clone() };
        let all = Authentication { all: Some(credentials), hosts: own };
        let both = AllowedHosts::These([first, second].into());
        let without_secret = |hosts, authentication: &Authentication| -> Vec<String> {
            let Authentication { all, hosts: own } = authentication;
            without_key(hosts, all.is_some(), own).into_iter().map(str::to_string).collect()
        };
        assert_eq!(without_secret(&both, &some), ["nqn.x:b"]);
        assert_eq!(without_secret(&AllowedHosts::Any, &some), ["every-other"]);
        assert!(without_secret(&both, &all).is_empty());
        assert!(without_secret(&both, &Authentication::default()).is_empty());
    }
}
