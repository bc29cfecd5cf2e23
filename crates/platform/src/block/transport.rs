//! How a drive is attached, told from where the kernel hangs it in `/sys/devices`.

use narrows_facts::Source;
use narrows_model::{MEMORY, THIS_MACHINE};

use super::{last, loop_in_memory, nvmet, own};

/// Block devices of the network by the names that their drivers give.
const NETWORK: [&str; 4] = ["nbd", "rbd", "drbd", "rnbd"];

/// Folders in `/sys/devices` of the hardware behind a drive: its own, or for an NVMe drive with several paths, which
/// hangs on no bus itself, those of its controllers.
pub(crate) fn hardware_paths(source: &dyn Source, folder: &str) -> Vec<String> {
    let Some(start) = folder.find("/nvme-subsystem/") else { return vec![folder.to_string()] };
    let Some(end) = folder[start + 16..].find('/') else { return vec![folder.to_string()] };
    let subsystem = last(&folder[..start + 16 + end]).to_string();
    let list = format!("/sys/class/nvme-subsystem/{subsystem}");
    let names = source.list(&list).unwrap_or_default();
    let controllers = names.iter().filter(|name| is_numbered(name, "nvme"));
    controllers.filter_map(|name| source.real_path(&format!("{list}/{name}")).ok()).collect()
}

/// The transport's name; `None` where the path tells nothing known here.
pub(crate) fn name(
    source: &dyn Source,
    device: &str,
    folder: &str,
    hardware: &[String],
) -> Option<String> {
    let path = hardware.first().map_or(folder, String::as_str);
    let parts: Vec<&str> = path.split('/').collect();
    let numbered = |prefix: &str| parts.iter().find(|part| is_numbered(part, prefix)).copied();
    let begins = |prefix: &str| parts.iter().any(|part| part.starts_with(prefix));
    if let Some(controller) = numbered("nvme").or_else(|| controller(device)) {
        let transport = source.text(&format!("/sys/class/nvme/{controller}/transport"));
        // Before Linux 4.9 there was no other.
        let transport = transport.or_else(|| begins("pci").then(|| "pcie".to_string()));
        let name = transport.map_or("nvme".to_string(), |name| format!("nvme ({name})"));
        if let Some(what) = nvmet::in_memory(source, folder) {
            return Some(format!("{MEMORY}{what}) {THIS_MACHINE}"));
        }
        return Some(own::marked(name, own::nvme(source, controller)));
    }
    if let Some(what) = pretended(source, device, &parts) {
        return Some(format!("{MEMORY}{what})"));
    }
    let network = NETWORK.iter().find(|prefix| is_numbered(device, prefix));
    if let Some(network) = network {
        return Some(format!("network ({network})"));
    }
    if device.starts_with("etherd!") {
        return Some("network (aoe)".to_string());
    }
    if is_numbered(device, "ublkb") {
        return Some("program (ublk)".to_string());
    }
    let host = numbered("host");
    let scsi = host.is_some();
    let speaks = |name: &str| host.is_some_and(|host| class(source, name, host));
    let name = if numbered("virtio").is_some() {
        if scsi { "virtio-scsi" } else { "virtio" }
    } else if numbered("ata").is_some() {
        "sata"
    } else if numbered("usb").is_some() {
        "usb"
    } else if begins("rport-") || speaks("fc_host") {
        "fibre channel"
    } else if begins("tcm_loop") {
        return Some(format!("scsi {THIS_MACHINE}"));
    } else if let Some(session) = numbered("session") {
        return Some(own::marked("iscsi".to_string(), own::iscsi(source, session, host)));
    } else if speaks("iscsi_host") {
        "iscsi"
    } else if speaks("srp_host") {
        "srp"
    } else if begins("end_device-") {
        // Which may be in a shelf with a power supply of its own.
        if begins("expander-") { "sas (expander)" } else { "sas" }
    } else if begins("VMBUS") || begins("vmbus") {
        "vmbus"
    } else if begins("vbd-") {
        "xen"
    } else if begins("mmc") {
        "mmc"
    } else if begins("ndbus") {
        "pmem"
    } else if begins("css") {
        "channel subsystem"
    } else if scsi {
        "scsi"
    } else {
        return None;
    };
    Some(name.to_string())
}

/// Whether a SCSI host is of that class: the protocol that it speaks to its drives.
fn class(source: &dyn Source, class: &str, host: &str) -> bool {
    source.exists(&format!("/sys/class/{class}/{host}"))
}

/// What a device without a medium is, if it is one: the kernel's test devices, and memory that the firmware or the kernel's command
/// line set aside as if it were persistent (`memmap=`, Linux `drivers/nvdimm/e820.c`).
fn pretended(source: &dyn Source, device: &str, parts: &[&str]) -> Option<&'static str> {
    let begins = |prefix: &str| parts.iter().any(|part| part.starts_with(prefix));
    let null = is_numbered(device, "nullb")
        || source.exists(&format!("/sys/kernel/config/nullb/{device}"));
    if null {
        Some("null_blk")
    } else if begins("pseudo_") && begins("adapter") {
        Some("scsi_debug")
    } else if begins("e820_pmem") {
        Some("e820 pmem")
    } else if begins("nfit_test") || begins("ndtest") {
        Some("nfit_test")
    } else {
        None
    }
}

/// Of a loop device: only where its file itself is in memory, or reached over a network or through a program.
pub(crate) fn of_loop(source: &dyn Source, folder: &str) -> Option<String> {
    if let Some(what) = loop_in_memory(source, folder) {
        return Some(format!("{MEMORY}{what})"));
    }
    let kind = super::mount_of_loop(source, folder)?.kind;
    narrows_facts::file::network_kind(&kind).then(|| format!("network ({kind})"))
}

/// `nvme0` in the folder of a drive or of its controller.
pub(crate) fn nvme_controller(path: &str) -> Option<&str> {
    path.split('/').find(|part| is_numbered(part, "nvme"))
}

/// The drive's own name for itself, with the maker where SCSI keeps it apart.
pub(crate) fn model(source: &dyn Source, folder: &str) -> Option<String> {
    let model = source
        .text(&format!("{folder}/device/model"))
        .or_else(|| source.text(&format!("{folder}/device/name")))?;
    // virtio keeps a number there, SATA the word "ATA".
    let vendor = source
        .text(&format!("{folder}/device/vendor"))
        .filter(|vendor| !vendor.starts_with("0x") && vendor != "ATA");
    Some(match vendor {
        Some(vendor) if !model.starts_with(&vendor) => format!("{vendor} {model}"),
        _ => model,
    })
}

/// `nvme0` of `nvme0n1`: old kernels hang the drive on its PCI function without a folder for the controller.
fn controller(device: &str) -> Option<&str> {
    let name = &device[..device.strip_prefix("nvme")?.find('n')? + 4];
    is_numbered(name, "nvme").then_some(name)
}

/// `nvme12` for `nvme`, but not `nvme0n1` or `nvme-subsys0`.
pub(crate) fn is_numbered(name: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix)
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
}
