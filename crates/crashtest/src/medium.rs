//! Whether the machine's own boot says anything about what is written to.
//!
//! A boot is a cut of the medium only where the medium is in the machine. A file system of the network, a database elsewhere,
//! and all that a hypervisor lends keep their power when this machine boots.

use narrows_facts::Live;
use narrows_layer_database::{Address, Endpoint};
use narrows_model::{Platform, Role};

use crate::Target;

/// Where records go, as it looks from here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Medium {
    /// It loses its power with this machine.
    pub(crate) local: bool,
    /// The file system's mount point; absent for devices and databases.
    pub(crate) mount_point: Option<String>,
}

impl Medium {
    pub(crate) fn of_target(target: &Target) -> Medium {
        let Target::NewFile(path) = target else {
            return of_platform(&narrows_platform::discover(&Live, &[]));
        };
        // It isn't there yet: its folder is.
        of_platform(&narrows_platform::discover(&Live, &[(Role::Wal, path)]))
    }

    pub(crate) fn of_database(address: &Address) -> Medium {
        let local = on_this_machine(&address.endpoint);
        let here = of_platform(&narrows_platform::discover(&Live, &[]));
        Medium { local: local && here.local, mount_point: None }
    }
}

fn of_platform(platform: &Platform) -> Medium {
    let path = platform.roles.first();
    let network = path.is_some_and(|path| path.file_system.network);
    let mount_point = path.map(|path| path.file_system.mount_point.clone());
    Medium {
        local: platform.hypervisor.is_none() && !network,
        mount_point: mount_point.filter(|place| !place.is_empty()),
    }
}

/// Whether a server answers on this machine itself.
fn on_this_machine(endpoint: &Endpoint) -> bool {
    match endpoint {
        Endpoint::Unix { .. } => true,
        Endpoint::Tcp { host, .. } => {
            let address = host.trim_start_matches('[').trim_end_matches(']');
            host == "localhost"
                || address.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn only_what_is_in_the_machine_boots_with_it() {
        let mut platform = narrows_platform::discover(&Live, &[(Role::Wal, Path::new("/"))]);
        for (hypervisor, network, local) in
            [(None, false, true), (Some("KVM"), false, false), (None, true, false)]
        {
            platform.hypervisor = hypervisor.map(String::from);
            platform.roles[0].file_system.network = network;
            let medium = of_platform(&platform);
            assert_eq!(medium, Medium { local, mount_point: Some("/".to_string()) });
        }
    }

    #[test]
    fn a_server_is_here_by_its_socket_or_loopback() {
        for (url, here) in [
            ("postgres:///db?host=/run/postgresql", true),
            ("postgres://me@localhost/db", true),
            ("postgres://me@127.0.0.1/db", true),
            ("postgres://me@[::1]:5433/db", true),
            ("postgres://me@db1/db", false),
            ("postgres://me@10.0.0.7/db", false),
        ] {
            assert_eq!(on_this_machine(&Address::parse(url).unwrap().endpoint), here, "{url}");
        }
    }
}
