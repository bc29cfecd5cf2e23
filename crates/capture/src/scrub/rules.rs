//! What a file holds, by its path: which of it may be in a capture.

use super::tokens::TokenKind;

/// What is done with a file's contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// All of it is one secret.
    Secret(TokenKind),
    /// The machine's or the boot's own id, which becomes a salted digest.
    OwnId,
    /// Lines `KEY=VALUE`, some of them secret.
    Pairs,
    /// A table of mounts, whose sources may be other hosts and whose options may be credentials.
    Mounts,
    /// Lines of which those stay that begin so.
    Lines(&'static [&'static str]),
    /// A process's command line.
    Arguments,
    /// The kernel's command line.
    KernelArguments,
    /// The firmware's tables, or one entry of them.
    Smbios,
    /// A text; four numbers with dots in it are a version.
    Version,
    /// A text.
    Text,
    /// Nothing of it may be kept, for this reason.
    Never(&'static str),
}

/// Last parts of paths whose whole contents are secret.
const SECRET: &[(TokenKind, &[&str])] = &[
    (
        TokenKind::Serial,
        &[
            "serial",
            "serial_number",
            "serial-number",
            "system-id",
            "product_serial",
            "board_serial",
            "chassis_serial",
            "board_asset_tag",
            "chassis_asset_tag",
        ],
    ),
    (
        TokenKind::Id,
        &[
            "wwid",
            "wwn",
            "nguid",
            "eui",
            "unique_id",
            "subsysnqn",
            "hostnqn",
            "hostid",
            "node_guid",
            "port_guid",
            "sys_image_guid",
            "sas_address",
            "enclosure_identifier",
            "node_name",
            "port_name",
            "fabric_name",
            "permanent_port_name",
            "phys_port_id",
            "phys_switch_id",
            "initiatorname",
            "targetname",
        ],
    ),
    (TokenKind::Uuid, &["product_uuid"]),
    (TokenKind::Host, &["hostname", "domainname", "nodename", "node_desc"]),
];

/// Files of `/proc/PID` that may be kept in some form.
const OF_PROCESSES: &[&str] =
    &["comm", "stat", "status", "cmdline", "mountinfo", "mounts", "cgroup", "cpuset", "schedstat"];

/// The rule for the file at `path`.
pub(super) fn of(path: &str) -> Rule {
    let name = path.rsplit('/').next().unwrap_or_default();
    match path {
        "/etc/machine-id" | "/var/lib/dbus/machine-id" | "/proc/sys/kernel/random/boot_id" => {
            return Rule::OwnId;
        }
        "/etc/os-release" | "/usr/lib/os-release" | "/run/systemd/container" => {
            return Rule::Version;
        }
        "/run/.containerenv" => return Rule::Lines(&["engine="]),
        "/proc/cmdline" => return Rule::KernelArguments,
        "/proc/sysinfo" => return Rule::Lines(&["VM00 Control Program:", "Type:", "Model:"]),
        "/proc/version" => return Rule::Version,
        _ => {}
    }
    if name == "environ" || name.contains("password") || name.contains("secret") {
        return Rule::Never("environments and passwords");
    }
    if let Some(kind) = secret(path, name) {
        return Rule::Secret(kind);
    }
    if path.starts_with("/sys/firmware/dmi/") && (name == "DMI" || name == "raw") {
        return Rule::Smbios;
    }
    if path.starts_with("/run/udev/data/") || name == "uevent" {
        return Rule::Pairs;
    }
    if let Some(rule) = of_process(path, name) {
        return rule;
    }
    let version = ["osrelease", "version", "firmware_rev", "fw_ver", "driver_version", "rev"];
    if version.contains(&name) || name.ends_with("_version") {
        return Rule::Version;
    }
    if ["/sys/", "/proc/"].iter().any(|folder| path.starts_with(folder)) || is_control(path, name) {
        return Rule::Text;
    }
    Rule::Never("files of users")
}

/// Files of control groups, which may be mounted anywhere; without a prefix in the oldest place of cpusets.
fn is_control(path: &str, name: &str) -> bool {
    let controllers = ["cpu.", "cpuset.", "memory.", "io.", "blkio."];
    let prefixed = controllers.iter().any(|controller| name.starts_with(controller));
    prefixed || (path.starts_with("/dev/cpuset/") && ["cpus", "mems"].contains(&name))
}

fn secret(path: &str, name: &str) -> Option<TokenKind> {
    let network = path.contains("/net/") || path.contains("/bluetooth/");
    if network && ["address", "perm_address", "broadcast"].contains(&name) {
        return Some(TokenKind::Mac);
    }
    // Of an array or a mapped device it begins with who made it.
    if name == "uuid" {
        return Some(TokenKind::Id);
    }
    let listed = |(kind, names): &(TokenKind, &[&str])| names.contains(&name).then_some(*kind);
    SECRET.iter().find_map(listed)
}

fn of_process(path: &str, name: &str) -> Option<Rule> {
    let rest = path.strip_prefix("/proc/")?;
    if rest.starts_with("net/") || rest.contains("/net/") {
        return Some(Rule::Never("tables of the network"));
    }
    if name == "mounts" || name == "mountinfo" {
        return Some(Rule::Mounts);
    }
    let first = rest.split('/').next()?;
    if !(is_process(first) || first == "self" || first == "thread-self") {
        return None;
    }
    Some(match name {
        "cmdline" => Rule::Arguments,
        "status" => Rule::Lines(&["Cpus_allowed", "Mems_allowed", "State:"]),
        _ if OF_PROCESSES.contains(&name) => Rule::Text,
        _ => Rule::Never("what else is known of processes"),
    })
}

/// Whether a name in `/proc` is a process.
pub(super) fn is_process(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_by_their_paths() {
        for (path, rule) in [
            ("/sys/class/dmi/id/product_serial", Rule::Secret(TokenKind::Serial)),
            ("/sys/devices/pci0000:00/nvme/nvme0/nvme0n1/wwid", Rule::Secret(TokenKind::Id)),
            ("/sys/class/net/eth0/address", Rule::Secret(TokenKind::Mac)),
            ("/sys/bus/pci/slots/7/address", Rule::Text),
            ("/sys/class/dmi/id/product_name", Rule::Text),
            ("/proc/12/environ", Rule::Never("environments and passwords")),
            ("/proc/12/maps", Rule::Never("what else is known of processes")),
            ("/proc/12/mountinfo", Rule::Mounts),
            ("/proc/12/cmdline", Rule::Arguments),
            ("/proc/cmdline", Rule::KernelArguments),
            ("/proc/meminfo", Rule::Text),
            ("/etc/passwd", Rule::Never("files of users")),
            ("/dev/cpuset/batch/cpus", Rule::Text),
            ("/cgroup/batch/memory.limit_in_bytes", Rule::Text),
            ("/srv/pg/postmaster.pid", Rule::Never("files of users")),
            ("/etc/machine-id", Rule::OwnId),
        ] {
            assert_eq!(of(path), rule, "{path}");
        }
    }
}
