//! Flushes that the kernel no longer sends, although a cache beneath says that it is volatile.
//!
//! `queue/write_cache` begins as what the drive said, and takes orders (Linux `Documentation/block/writeback_cache_control.rst`,
//! `Documentation/ABI/stable/sysfs-block`): `write through` there ends all flushes at that device, whatever is beneath.

use narrows_model::{BlockDevice, DeviceKind};

/// A device at which flushes end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SwitchedOff {
    /// Its name.
    device: String,
    /// The device whose cache is volatile: itself, or one beneath.
    volatile: String,
    /// How that says so.
    says: String,
}

impl SwitchedOff {
    /// Why that is wrong, as a sentence about the device.
    pub(super) fn reason(&self) -> String {
        let whose = if self.device == self.volatile {
            "the drive reports".to_string()
        } else {
            format!("{} reports", self.volatile)
        };
        format!(
            "is treated as `write through`, so flushes end here; but {whose} ({}) that its cache is volatile",
            self.says
        )
    }

    /// The same with the cure.
    pub(crate) fn evidence(&self) -> String {
        let device = &self.device;
        let reason = self.reason();
        format!("{device} {reason}: echo \"write back\" > /sys/block/{device}/queue/write_cache")
    }
}

/// Every device of a path at which flushes end, through all slaves.
pub(crate) fn switched_off(devices: &[BlockDevice]) -> Vec<SwitchedOff> {
    devices.iter().filter_map(|device| switched_off_at(device, devices)).collect()
}

/// Whether flushes end at that device.
pub(super) fn switched_off_at(device: &BlockDevice, all: &[BlockDevice]) -> Option<SwitchedOff> {
    if !gets_no_flush(device) {
        return None;
    }
    let lower = beneath(device, all).into_iter();
    std::iter::once(device).chain(lower).find_map(|lower| {
        // A device in memory keeps nothing, flushed or not.
        let says = volatile(lower).filter(|_| lower.kind != DeviceKind::Memory)?;
        Some(SwitchedOff { device: device.name.clone(), volatile: lower.name.clone(), says })
    })
}

/// Whether the kernel sends a device no flushes.
pub(super) fn gets_no_flush(device: &BlockDevice) -> bool {
    cache_of(device) == Some("write through")
}

/// How a device says that its cache is volatile, if it does. Its own word outweighs the kernel's setting.
fn volatile(device: &BlockDevice) -> Option<String> {
    let queue = device.queue.as_ref()?;
    match &queue.drive_cache {
        Some(drive) => drive.volatile.then(|| drive.says.clone()),
        None => {
            let back = queue.write_cache.as_deref() == Some("write back");
            back.then(|| "queue/write_cache \"write back\"".to_string())
        }
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
