//! Whether a target of storage is this machine itself: it is reached by the loopback address, or by the address that the connection
//! has on this side.
//!
//! Addresses are compared and kept nowhere, and those of this machine's ports are not read. NVMe's controllers tell the target's and, on newer kernels, their own
//! (`/sys/class/nvme/nvmeN/address`: `traddr=…,trsvcid=…,src_addr=…`), iSCSI's connections theirs
//! (`/sys/class/iscsi_connection/connectionN:M/address`).

use std::net::IpAddr;

use narrows_facts::Source;
use narrows_model::THIS_MACHINE;

/// A transport's name, marked where the target is this machine.
pub(crate) fn marked(name: String, own: bool) -> String {
    if own { format!("{name} {THIS_MACHINE}") } else { name }
}

/// Whether an NVMe controller is reached over this machine's own addresses.
pub(crate) fn nvme(source: &dyn Source, controller: &str) -> bool {
    let Some(text) = source.text(&format!("/sys/class/nvme/{controller}/address")) else {
        return false;
    };
    let field = |name: &str| text.split(',').find_map(|part| part.trim().strip_prefix(name));
    let Some(target) = field("traddr=") else { return false };
    address(target).is_some_and(|target| target.to_canonical().is_loopback())
        || field("src_addr=") == Some(target)
}

/// Whether an iSCSI session is one with this machine. `session` is `session3`.
pub(crate) fn iscsi(source: &dyn Source, session: &str) -> bool {
    const CONNECTIONS: &str = "/sys/class/iscsi_connection";
    let number = session.trim_start_matches("session");
    let of_session = |name: &&String| name.starts_with(&format!("connection{number}:"));
    let names = source.list(CONNECTIONS).unwrap_or_default();
    names.iter().filter(of_session).any(|name| {
        let text = source.text(&format!("{CONNECTIONS}/{name}/address"));
        text.and_then(|text| address(&text))
            .is_some_and(|target| target.to_canonical().is_loopback())
    })
}

fn address(text: &str) -> Option<IpAddr> {
    text.trim().trim_start_matches('[').trim_end_matches(']').parse().ok()
}
