//! Kernel services that serve a device to others without claiming it: loop devices on it, NVMe and SCSI targets.
//!
//! The NVMe target exports a mounted device without a word, and a loop device on a block device leaves no holder. Both
//! can be read: `loop/backing_file` in `/sys/block`, `device_path` and `udev_path` in configfs.

use narrows_facts::Source;

use crate::family::Member;
use crate::node;
use crate::usage::Use;

pub(crate) fn exports(source: &dyn Source, members: &[Member]) -> Vec<Use> {
    let mut uses = Vec::new();
    for name in source.list("/sys/block").unwrap_or_default() {
        let file = source.text(&format!("/sys/block/{name}/loop/backing_file"));
        if let Some(device) = file.and_then(|file| member(source, &file, members)) {
            uses.push(Use::Exported { device, by: format!("loop device {name}") });
        }
    }
    let nvmet = "/sys/kernel/config/nvmet/subsystems";
    for subsystem in source.list(nvmet).unwrap_or_default() {
        let folder = format!("{nvmet}/{subsystem}/namespaces");
        for id in source.list(&folder).unwrap_or_default() {
            let path = source.text(&format!("{folder}/{id}/device_path"));
            if let Some(device) = path.and_then(|path| member(source, &path, members)) {
                uses.push(Use::Exported { device, by: format!("NVMe target {subsystem}") });
            }
        }
    }
    let scsi = "/sys/kernel/config/target/core";
    for group in source.list(scsi).unwrap_or_default() {
        for object in source.list(&format!("{scsi}/{group}")).unwrap_or_default() {
            let path = source.text(&format!("{scsi}/{group}/{object}/udev_path"));
            if let Some(device) = path.and_then(|path| member(source, &path, members)) {
                uses.push(Use::Exported { device, by: format!("SCSI target {group}/{object}") });
            }
        }
    }
    uses
}

/// Name of the member at a path, if it is one.
pub(crate) fn member(source: &dyn Source, path: &str, members: &[Member]) -> Option<String> {
    let real = source.real_path(path).ok()?;
    let (_, number) = node::kind(source, &real).ok()?;
    let number = number?;
    members.iter().find(|member| member.number == number).map(|member| member.name.clone())
}
