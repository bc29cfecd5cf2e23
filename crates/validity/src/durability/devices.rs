//! The block devices, from the mounted one down to the drives: does each pass a flush on?

use narrows_model::{BlockDevice, DeviceKind, DurabilityEvidence, Medium};

use super::switched_off::{gets_no_flush, switched_off_at};
use super::{against, open, speaks_for};

pub(super) fn evidence(
    devices: &[BlockDevice],
    hypervisor: Option<&str>,
) -> Vec<DurabilityEvidence> {
    if devices.is_empty() {
        return vec![open("block devices", "none is visible below the file system")];
    }
    // A partition has no queue of its own.
    let whole = devices.iter().filter(|device| device.kind != DeviceKind::Partition);
    whole
        .flat_map(|device| [Some(of_device(device, devices, hypervisor)), of_medium(device)])
        .flatten()
        .collect()
}

/// Whose power has to be cut, where it isn't this machine's.
fn of_medium(device: &BlockDevice) -> Option<DurabilityEvidence> {
    match device.medium() {
        Medium::Here => None,
        Medium::Elsewhere(why) | Medium::Unseen(why) => {
            let name = format!("{} ", device.name);
            Some(open(&device.name, why.strip_prefix(&name).unwrap_or(&why)))
        }
    }
}

fn of_device(
    device: &BlockDevice,
    all: &[BlockDevice],
    hypervisor: Option<&str>,
) -> DurabilityEvidence {
    let name = device.name.as_str();
    if let Some(why) = device.in_memory() {
        let is = why.strip_prefix(&format!("{name} ")).unwrap_or(&why);
        return against(name, format!("{is}: nothing on it survives a power failure"));
    }
    if let Some(off) = switched_off_at(device, all) {
        return against(name, off.reason());
    }
    let Some(cache) = device.queue.as_ref().and_then(|queue| queue.write_cache.as_deref()) else {
        return open(name, "does not report whether it has a volatile cache");
    };
    let says = device.queue.as_ref().and_then(|queue| queue.drive_cache.as_ref());
    if gets_no_flush(device) {
        return match says {
            Some(says) => open(
                name,
                format!(
                    "reports ({}) that it has no volatile cache, so the kernel sends it no flushes",
                    says.says
                ),
            ),
            None => open(
                name,
                "receives no flushes: the kernel treats its cache as `write through`. Right for caches with power-loss protection and drives without one; also the kernel's assumption for a drive that does not report it, or a changed setting",
            ),
        };
    }
    if cache != "write back" {
        return open(name, format!("reports its cache as `{cache}`, which says nothing here"));
    }
    let fua = match device.queue.as_ref().and_then(|queue| queue.fua) {
        Some(true) => ", or sends single writes with FUA",
        Some(false) => "; no FUA for single writes",
        None => "",
    };
    // A hypervisor that drops flushes (QEMU's cache=unsafe) reports the same.
    if let Some(hypervisor) = hypervisor {
        return open(
            name,
            format!(
                "reports a volatile cache, so the kernel flushes it{fua}; whether {hypervisor} passes a flush on cannot be seen from here"
            ),
        );
    }
    speaks_for(name, format!("reports a volatile cache, so the kernel flushes it{fua}"))
}
