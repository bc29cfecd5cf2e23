//! The block devices, from the mounted one down to the drives: does each pass a flush on?

use narrows_model::{BlockDevice, DeviceKind, DurabilityEvidence, Medium};

use super::switched_off::{gets_no_flush, switched_off_at};
use super::{against, open, speaks_for};

pub(super) fn evidence(devices: &[BlockDevice]) -> Vec<DurabilityEvidence> {
    if devices.is_empty() {
        return vec![open("block devices", "none can be seen beneath the file system")];
    }
    // A partition has no queue of its own.
    let whole = devices.iter().filter(|device| device.kind != DeviceKind::Partition);
    whole
        .flat_map(|device| [Some(of_device(device, devices)), of_medium(device)])
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

fn of_device(device: &BlockDevice, all: &[BlockDevice]) -> DurabilityEvidence {
    let name = device.name.as_str();
    if device.kind == DeviceKind::Memory {
        return against(name, "is in memory: nothing on it survives the power");
    }
    if let Some(off) = switched_off_at(device, all) {
        return against(name, off.reason());
    }
    let Some(cache) = device.queue.as_ref().and_then(|queue| queue.write_cache.as_deref()) else {
        return open(name, "does not say whether it has a volatile cache");
    };
    let says = device.queue.as_ref().and_then(|queue| queue.drive_cache.as_ref());
    if gets_no_flush(device) {
        return match says {
            Some(says) => open(
                name,
                format!(
                    "says itself ({}) that it has no volatile cache, so the kernel sends it no flushes",
                    says.says
                ),
            ),
            None => open(
                name,
                "is sent no flushes: the kernel takes its cache for `write through`. Right for protected caches and drives \
                 without one; also what the kernel assumes of a drive that doesn't tell, or what somebody wrote into its settings",
            ),
        };
    }
    if cache != "write back" {
        return open(name, format!("says `{cache}` of its cache, which tells nothing here"));
    }
    let fua = match device.queue.as_ref().and_then(|queue| queue.fua) {
        Some(true) => ", or forces single writes through (FUA)",
        Some(false) => "; single writes can't be forced through (no FUA)",
        None => "",
    };
    speaks_for(name, format!("says that its cache is volatile, so the kernel flushes it{fua}"))
}
