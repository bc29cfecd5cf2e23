//! The machine as a whole: kernel, distribution, maker, container, and whether its counters can be read.

use narrows_facts::{Source, cgroup::Hierarchies};

use crate::unknown::Unknowns;

/// Kernel release.
pub(crate) fn kernel(source: &dyn Source) -> Option<String> {
    source.text("/proc/sys/kernel/osrelease").or_else(|| {
        // "Linux version 6.1.0-9-amd64 (...)"
        source.text("/proc/version")?.split_whitespace().nth(2).map(str::to_string)
    })
}

/// `PRETTY_NAME` of os-release(5).
pub(crate) fn os(source: &dyn Source) -> Option<String> {
    let text = source.text("/etc/os-release").or_else(|| source.text("/usr/lib/os-release"))?;
    let value = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(value.trim().trim_matches(['"', '\'']).to_string())
}

/// Processor architecture; for a copied machine only if its kernel wrote it down (Linux 6.1).
pub(crate) fn architecture(source: &dyn Source) -> Option<String> {
    source.text("/proc/sys/kernel/arch").or_else(|| source.architecture())
}

/// A field of `/sys/class/dmi/id`, unless the maker left its placeholder in it.
pub(crate) fn dmi(source: &dyn Source, field: &str) -> Option<String> {
    const PLACEHOLDERS: [&str; 5] = [
        "To Be Filled By O.E.M.",
        "System Product Name",
        "System manufacturer",
        "Default string",
        "Not Specified",
    ];
    source
        .text(&format!("/sys/class/dmi/id/{field}"))
        .or_else(|| source.text(&format!("/sys/devices/virtual/dmi/id/{field}")))
        .filter(|text| !PLACEHOLDERS.contains(&text.as_str()))
}

/// Maker and model.
pub(crate) fn product(source: &dyn Source) -> Option<String> {
    match (dmi(source, "sys_vendor"), dmi(source, "product_name")) {
        (Some(vendor), Some(name)) if !name.starts_with(&vendor) => {
            Some(format!("{vendor} {name}"))
        }
        (_, Some(name)) => Some(name),
        (Some(vendor), None) => Some(vendor),
        // Machines without SMBIOS describe themselves in a device tree.
        (None, None) => source.text("/proc/device-tree/model"),
    }
}

/// Container runtime, if the usual traces of one are there.
pub(crate) fn container(source: &dyn Source) -> Option<String> {
    if let Some(text) = source.text("/run/.containerenv") {
        let engine = text.lines().find_map(|line| line.strip_prefix("engine=\""));
        let name = engine.and_then(|engine| engine.split(['-', '"']).next()).unwrap_or("podman");
        return Some(name.to_string());
    }
    if source.exists("/run/.containerenv") {
        return Some("podman".to_string());
    }
    if source.exists("/var/run/secrets/kubernetes.io") {
        return Some("kubernetes".to_string());
    }
    if source.exists("/.dockerenv") && !is_outermost(source) {
        return Some("docker".to_string());
    }
    // systemd writes down what it was started in: `docker`, `lxc`, `systemd-nspawn`.
    if let Some(name) = source.text("/run/systemd/container") {
        return Some(name);
    }
    let hierarchies = Hierarchies::read(source);
    hierarchies.paths().find_map(runtime_in_path).map(str::to_string)
}

/// Whether this is the kernel's first process namespace on a root of its own: an image that once was a container and
/// now boots as a virtual machine still has the container's mark.
fn is_outermost(source: &dyn Source) -> bool {
    // PROC_PID_INIT_INO, a constant of the kernel.
    let first = source.link("/proc/self/ns/pid").is_ok_and(|link| link == "pid:[4026531836]");
    let mounts = narrows_facts::mounts(source);
    let root = narrows_facts::mount_of(&mounts, "/");
    first && root.is_some_and(|root| !crate::mount::is_overlay(&root.kind))
}

/// A runtime's name in a control group's path; `docker.service` is the daemon itself, not a container.
fn runtime_in_path(path: &str) -> Option<&'static str> {
    const TRACES: [(&str, &str); 8] = [
        ("/kubepods", "kubernetes"),
        ("/docker/", "docker"),
        ("/docker-", "docker"),
        ("/libpod-", "podman"),
        ("/lxc/", "lxc"),
        ("/lxc.payload", "lxc"),
        ("/crio-", "cri-o"),
        ("/garden/", "garden"),
    ];
    TRACES.iter().find(|(trace, _)| path.contains(trace)).map(|(_, name)| *name)
}

/// Notes why hardware counters can't be read, where that can be told without opening one.
pub(crate) fn note_counters(source: &dyn Source, virtual_machine: bool, unknown: &mut Unknowns) {
    const WHAT: &str = "hardware counters: cycles, memory traffic per operation";
    let paranoid: Option<i32> = source.number("/proc/sys/kernel/perf_event_paranoid");
    let root = source.is_root();
    // x86 calls it `cpu` (hybrids `cpu_core`), Arm `armv8_pmuv3_0`.
    let counters = source
        .list("/sys/bus/event_source/devices")
        .unwrap_or_default()
        .iter()
        .any(|name| name == "cpu" || name == "cpu_core" || name.starts_with("armv8_"));
    match paranoid {
        None => unknown.add(WHAT, "a kernel with performance events"),
        Some(_) if !counters && virtual_machine => {
            unknown.add(WHAT, "a hypervisor that passes the CPU's counters to its guests");
        }
        Some(_) if !counters => unknown.add(WHAT, "a kernel that knows this CPU's counters"),
        Some(level) if level > 0 && !root => unknown.add(
            WHAT,
            format!("CAP_PERFMON, or kernel.perf_event_paranoid at 0 or below (it is {level})"),
        ),
        Some(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_container_by_its_group() {
        assert_eq!(runtime_in_path("/docker/0123abc"), Some("docker"));
        assert_eq!(runtime_in_path("/system.slice/docker-0123.scope"), Some("docker"));
        assert_eq!(runtime_in_path("/kubepods.slice/kubepods-pod1.slice/x"), Some("kubernetes"));
        assert_eq!(runtime_in_path("/system.slice/docker.service"), None);
        assert_eq!(runtime_in_path("/user.slice"), None);
    }
}
