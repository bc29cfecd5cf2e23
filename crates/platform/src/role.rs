//! The whole path under a role: folder, file system, block devices down to the drives.

use narrows_facts::{Mount, Source, mounts};
use narrows_model::{BlockDevice, FileSystem, Role, RolePath};

use crate::block;
use crate::mount::{
    file_system, from_this_machine, is_anonymous, is_overlay, locate, upper_folder,
};
use crate::unknown::Unknowns;

/// A role's path with what is needed to see who else uses it.
pub(crate) struct Path {
    pub(crate) role: RolePath,
    /// `major:minor` of the file system; anonymous numbers too identify it.
    pub(crate) number: Option<String>,
}

pub(crate) fn read(
    source: &dyn Source,
    role: Role,
    folder: &std::path::Path,
    unknown: &mut Unknowns,
) -> Path {
    let absolute = if source.is_live() { std::path::absolute(folder).ok() } else { None };
    let path = absolute.as_deref().unwrap_or(folder).to_string_lossy().into_owned();
    let mounts = mounts(source);
    let Some(place) = locate(source, &mounts, &path) else {
        unknown.add(format!("file system of {path}"), "/proc mounted, with mountinfo in it");
        let (file_system, devices) = (FileSystem::default(), Vec::new());
        return Path { role: RolePath { role, path, file_system, devices }, number: None };
    };
    let mut file_system = file_system(source, &place);
    let devices = devices(source, &mounts, place.mount, &mut file_system, unknown);
    block::note_unknown(&devices, unknown);
    // Of a target of this machine; others tell that to who connects, if at all.
    if devices.iter().any(|device| block::nvmet::caches(source, &device.number)) {
        file_system.behind = Some("page cache".to_string());
    }
    let number = Some(place.mount.number.clone());
    Path { role: RolePath { role, path, file_system, devices }, number }
}

fn devices(
    source: &dyn Source,
    mounts: &[Mount],
    mount: &Mount,
    file_system: &mut FileSystem,
    unknown: &mut Unknowns,
) -> Vec<BlockDevice> {
    let what = format!("drives under {}", mount.mount_point);
    if is_overlay(&mount.kind) {
        let upper = upper_folder(mount).filter(|folder| source.exists(folder));
        let Some(place) = upper.and_then(|folder| locate(source, mounts, folder)) else {
            unknown
                .add(what, "the host's view: the overlay's upper folder is outside this container");
            return Vec::new();
        };
        if is_overlay(&place.mount.kind) {
            unknown.add(what, "the host's view: one overlay lies on another");
            return Vec::new();
        }
        // What is written to the overlay lands there.
        file_system.volatile |= narrows_facts::file::volatile_kind(&place.mount.kind);
        file_system.network |= narrows_facts::file::network_kind(&place.mount.kind);
        file_system.this_machine |= from_this_machine(place.mount);
        return of_number(source, place.mount, what, unknown);
    }
    of_number(source, mount, what, unknown)
}

fn of_number(
    source: &dyn Source,
    mount: &Mount,
    what: String,
    unknown: &mut Unknowns,
) -> Vec<BlockDevice> {
    let kind = mount.kind.as_str();
    let devices = block::stack_of(source, mount);
    if devices.is_empty() && is_anonymous(&mount.number) {
        if narrows_facts::file::volatile_kind(kind) {
            return Vec::new();
        }
        let needs = if narrows_facts::file::network_kind(kind) {
            format!("the machine that serves this {kind}")
        } else {
            format!("{kind}'s own tools: it gives its file systems numbers of no block device")
        };
        unknown.add(what, needs);
        return Vec::new();
    }
    if devices.is_empty() {
        unknown.add(what, format!("/sys with block device {} in it", mount.number));
    }
    devices
}
