//! How a drive is attached, told from where the kernel hangs it in `/sys/devices`.

use narrows_facts::Source;

use super::last;

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
        return Some(transport.map_or("nvme".to_string(), |name| format!("nvme ({name})")));
    }
    let network = ["nbd", "rbd", "drbd"].iter().find(|prefix| is_numbered(device, prefix));
    if let Some(network) = network {
        return Some(format!("network ({network})"));
    }
    let scsi = numbered("host").is_some();
    let name = if numbered("virtio").is_some() {
        if scsi { "virtio-scsi" } else { "virtio" }
    } else if numbered("ata").is_some() {
        "sata"
    } else if numbered("usb").is_some() {
        "usb"
    } else if begins("rport-") {
        "fibre channel"
    } else if numbered("session").is_some() {
        "iscsi"
    } else if begins("end_device-") {
        "sas"
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
fn is_numbered(name: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix)
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
}
