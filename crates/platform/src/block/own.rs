//! Whether a target of storage is this machine itself: it is reached by the loopback address, or by the address that the connection
//! has on this side.
//!
//! Addresses are compared and kept nowhere, and those of this machine's ports are not read. NVMe's controllers tell the target's and, on newer kernels, their own
//! (`/sys/class/nvme/nvmeN/address`: `traddr=…,trsvcid=…,src_addr=…`), iSCSI's connections the target's
//! (`/sys/class/iscsi_connection/connectionN:M/address`) and their hosts this side's (`/sys/class/iscsi_host/hostN/ipaddress`), network file
//! systems both in their mount options (`nfs(5)`: `addr=…,clientaddr=…`).

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
    field("traddr=").is_some_and(|target| is_own(target, field("src_addr=")))
}

/// Whether a network file system is mounted from this machine's own addresses, by its mount options.
pub(crate) fn mounted(options: &[String]) -> bool {
    let option = |name: &str| options.iter().find_map(|option| option.strip_prefix(name));
    option("addr=").is_some_and(|server| is_own(server, option("clientaddr=")))
}

/// Whether an iSCSI session is one with this machine. `session` is `session3`, `host` the adapter `host2`, where it is known.
pub(crate) fn iscsi(source: &dyn Source, session: &str, host: Option<&str>) -> bool {
    const CONNECTIONS: &str = "/sys/class/iscsi_connection";
    let number = session.trim_start_matches("session");
    let of_session = |name: &&String| name.starts_with(&format!("connection{number}:"));
    let names = source.list(CONNECTIONS).unwrap_or_default();
    let here =
        host.and_then(|host| source.text(&format!("/sys/class/iscsi_host/{host}/ipaddress")));
    names.iter().filter(of_session).any(|name| {
        let target = source.text(&format!("{CONNECTIONS}/{name}/address"));
        target.is_some_and(|target| is_own(&target, here.as_deref()))
    })
}

/// Whether a target's address is the loopback's, or this side's.
fn is_own(target: &str, here: Option<&str>) -> bool {
    let Some(target) = address(target) else { return false };
    target.is_loopback() || here.and_then(address) == Some(target)
}

fn address(text: &str) -> Option<IpAddr> {
    let text = text.trim().trim_start_matches('[').trim_end_matches(']');
    text.parse().ok().map(|address: IpAddr| address.to_canonical())
}
