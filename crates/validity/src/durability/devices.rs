//! The block devices, from the mounted one down to the drives: does each pass a flush on?

use narrows_model::{BlockDevice, DeviceKind, DurabilityEvidence};

use super::{against, open, speaks_for};

pub(super) fn evidence(devices: &[BlockDevice]) -> Vec<DurabilityEvidence> {
    if devices.is_empty() {
        return vec![open("block devices", "none can be seen beneath the file system")];
    }
    // A partition has no queue of its own.
    let whole = devices.iter().filter(|device| device.kind != DeviceKind::Partition);
    whole.map(|device| of_device(device, devices)).collect()
}

fn of_device(device: &BlockDevice, all: &[BlockDevice]) -> DurabilityEvidence {
    let name = device.name.as_str();
    if device.kind == DeviceKind::Memory {
        return against(name, "is in memory: nothing on it survives the power");
    }
    let Some(cache) = cache_of(device) else {
        return open(name, "does not say whether it has a volatile cache");
    };
    if cache == "write back" {
        let fua = match device.queue.as_ref().and_then(|queue| queue.fua) {
            Some(true) => ", or forces single writes through (FUA)",
            Some(false) => "; single writes can't be forced through (no FUA)",
            None => "",
        };
        return speaks_for(
            name,
            format!("says that its cache is volatile, so the kernel flushes it{fua}"),
        );
    }
    // The kernel drops flushes for whoever says that nothing is volatile; beneath it somebody may disagree.
    let volatile = beneath(device, all)
        .into_iter()
        .find(|lower| lower.kind != DeviceKind::Partition && cache_of(lower) == Some("write back"));
    match volatile {
        Some(lower) => against(
            name,
            format!(
                "says that nothing beneath it is volatile, so flushes end here; but {} says that its cache is",
                lower.name
            ),
        ),
        None => open(
            name,
            "says that it has no volatile cache, so the kernel sends it no flushes: true of protected caches, and also \
             what it says if somebody wrote that into its settings",
        ),
    }
}

fn cache_of(device: &BlockDevice) -> Option<&str> {
    device.queue.as_ref()?.write_cache.as_deref()
}

/// All devices beneath one, through partitions too.
fn beneath<'a>(device: &BlockDevice, all: &'a [BlockDevice]) -> Vec<&'a BlockDevice> {
    let mut found: Vec<&BlockDevice> = Vec::new();
    let mut names: Vec<&str> = device.slaves.iter().map(String::as_str).collect();
    while let Some(name) = names.pop() {
        let Some(lower) = all.iter().find(|other| other.name == name) else { continue };
        if found.iter().all(|known| known.name != lower.name) {
            found.push(lower);
            names.extend(lower.slaves.iter().map(String::as_str));
        }
    }
    found
}
