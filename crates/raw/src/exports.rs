//! Kernel services that serve a device, or a file that holds its bytes, to others without claiming it: loop devices, NVMe,
//! SCSI and USB targets, compressed memory that writes back.
//!
//! The NVMe target exports a mounted device without a word, and a loop device leaves no holder. All can be read:
//! `loop/backing_file` and `backing_dev` in `/sys/block`, `device_path`, `udev_path` and `file` in configfs.

use narrows_facts::Source;

use crate::family::{Family, Sharer};
use crate::storage::{self, Storage};
use crate::usage::Use;

pub(crate) fn exports(source: &dyn Source, family: &Family) -> Vec<Use> {
    let mut uses: Vec<Use> = family.sharers.iter().map(shared).collect();
    let mut served = |path: Option<String>, by: String| {
        let device = path.and_then(|path| named(source, &path, family));
        uses.extend(device.map(|device| Use::Exported { device, by }));
    };
    for name in source.list("/sys/block").unwrap_or_default() {
        let path = source.text(&format!("/sys/block/{name}/backing_dev"));
        served(path, format!("compressed memory {name}"));
    }
    let nvmet = "/sys/kernel/config/nvmet/subsystems";
    for subsystem in source.list(nvmet).unwrap_or_default() {
        let folder = format!("{nvmet}/{subsystem}/namespaces");
        for id in source.list(&folder).unwrap_or_default() {
            let path = source.text(&format!("{folder}/{id}/device_path"));
            served(path, format!("NVMe target {subsystem}"));
        }
    }
    let scsi = "/sys/kernel/config/target/core";
    for group in source.list(scsi).unwrap_or_default() {
        for object in source.list(&format!("{scsi}/{group}")).unwrap_or_default() {
            let path = source.text(&format!("{scsi}/{group}/{object}/udev_path"));
            served(path, format!("SCSI target {group}/{object}"));
        }
    }
    let usb = "/sys/kernel/config/usb_gadget";
    for gadget in source.list(usb).unwrap_or_default() {
        let functions = format!("{usb}/{gadget}/functions");
        for function in source.list(&functions).unwrap_or_default() {
            for lun in source.list(&format!("{functions}/{function}")).unwrap_or_default() {
                let path = source.text(&format!("{functions}/{function}/{lun}/file"));
                served(path, format!("USB target {gadget}/{function}"));
            }
        }
    }
    uses
}

fn shared(sharer: &Sharer) -> Use {
    match &sharer.serves.storage {
        Storage::Device(_) => Use::Exported {
            device: sharer.ours.shown.clone(),
            by: format!("loop device {}", sharer.name),
        },
        storage => Use::SameBytes {
            device: sharer.name.clone(),
            file: sharer.serves.shown.clone(),
            sure: *storage != Storage::Unknown,
        },
    }
}

/// Name of the member, or of the file under it, at a path, if there is one.
pub(crate) fn named(source: &dyn Source, path: &str, family: &Family) -> Option<String> {
    match storage::at(source, path)? {
        Storage::Device(number) => {
            let member = family.members.iter().find(|member| member.number == number)?;
            Some(member.name.clone())
        }
        Storage::File(id) => {
            let file = family.files.iter().find(|file| file.id == id)?;
            Some(file.shown.clone())
        }
        Storage::Unknown => None,
    }
}
