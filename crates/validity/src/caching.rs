//! Does a device that caches another one stand between file and drives?
//!
//! bcache by its name; of the device mapper by the kind of its stretches, where they could be asked (root), and by the marks that LVM
//! leaves on the volumes a cached volume is made of (`lvmcache(7)`).

use narrows_model::{BlockDevice, DeviceKind, MapperDevice, Platform};

use crate::evaluate::Case;
use crate::path;

/// Kinds of stretches that cache, or gather writes (Linux `Documentation/admin-guide/device-mapper`).
const KINDS: [&str; 3] = ["cache", "writecache", "vdo"];
/// LVM's marks of parts of a cached volume, and of VDO's pool.
const MARKS: [&str; 6] = ["cdata", "cmeta", "cpool", "cvol", "vpool", "vdata"];

/// The devices of the path that cache, in a sentence.
pub(crate) fn evidence(case: &Case<'_>) -> Option<String> {
    let platform = case.platform()?;
    let path = path::of(case)?;
    let found: Vec<String> =
        path.devices.iter().filter_map(|device| caches(device, platform)).collect();
    (!found.is_empty()).then(|| format!("{} under {}", found.join(", "), path.path))
}

fn caches(device: &BlockDevice, platform: &Platform) -> Option<String> {
    let number = device.name.strip_prefix("bcache");
    if number.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit())) {
        return Some(format!("{} (bcache)", device.name));
    }
    if device.kind != DeviceKind::Mapper {
        return None;
    }
    let known = platform.devices.mapped.iter().find(|mapped| mapped.name == device.name)?;
    kind(known).map(|kind| format!("{} ({kind})", device.name))
}

fn kind(device: &MapperDevice) -> Option<&str> {
    let target = device.targets.iter().find(|target| KINDS.contains(&target.kind.as_str()));
    let mark = device.layer.as_deref().filter(|mark| MARKS.contains(mark));
    target.map(|target| target.kind.as_str()).or(mark)
}
