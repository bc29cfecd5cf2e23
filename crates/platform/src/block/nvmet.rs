//! What Linux's own NVMe target (nvmet) serves, where it serves this machine itself: the file or device behind a namespace.
//!
//! From the target's configuration (`/sys/kernel/config/nvmet`, Linux `drivers/nvme/target/configfs.c`), which every user can read. Host
//! and target both tell the subsystem's name and the namespace's number. Two machines may have the same names, so the address has to
//! be this machine's, or the transport the one that has no network (loop).

use narrows_facts::{Mount, Source};

use super::transport::{hardware_paths, nvme_controller};
use super::{folders, members, mount_of_file, own};

/// A file or device that is served.
struct Served {
    path: String,
    /// Of a file: through the page cache.
    buffered: bool,
}

/// Folders in `/sys` of the devices behind a namespace, or under the file behind it; `None` where this machine doesn't serve it, or
/// another program does.
pub(crate) fn beneath(source: &dyn Source, folder: &str) -> Option<Vec<String>> {
    let served = served(source, folder)?;
    if let Some(name) = members::name_of(source, &served.path) {
        return Some(vec![format!("/sys/class/block/{name}")]);
    }
    Some(folders(source, &mount(source, &served)?))
}

/// Where the file behind a namespace is, if in memory: its file system's kind.
pub(crate) fn in_memory(source: &dyn Source, folder: &str) -> Option<String> {
    let served = served(source, folder)?;
    if members::name_of(source, &served.path).is_some() {
        return None;
    }
    let kind = mount(source, &served)?.kind;
    narrows_facts::file::volatile_kind(&kind).then_some(kind)
}

/// Whether what is behind the device of this number is a file that this machine's target reads and writes through its page cache.
pub(crate) fn caches(source: &dyn Source, number: &str) -> bool {
    let folder = source.real_path(&format!("/sys/dev/block/{number}"));
    let served = folder.ok().and_then(|folder| served(source, &folder));
    served.is_some_and(|served| served.buffered && members::name_of(source, &served.path).is_none())
}

fn mount(source: &dyn Source, served: &Served) -> Option<Mount> {
    mount_of_file(source, &served.path)
}

fn served(source: &dyn Source, folder: &str) -> Option<Served> {
    let hardware = hardware_paths(source, folder);
    let mut controllers = hardware.iter().filter_map(|path| nvme_controller(path));
    let own = controllers.find(|name| {
        let transport = source.text(&format!("/sys/class/nvme/{name}/transport"));
        transport.as_deref() == Some("loop") || own::nvme(source, name)
    })?;
    let subsystem = source.text(&format!("/sys/class/nvme/{own}/subsysnqn"))?;
    let number: u32 = source.number(&format!("{folder}/nsid"))?;
    // It stands in a path.
    if subsystem.contains('/') {
        return None;
    }
    let namespace = format!("/sys/kernel/config/nvmet/subsystems/{subsystem}/namespaces/{number}");
    let says = |file: &str| source.text(&format!("{namespace}/{file}"));
    let yes = |file: &str| says(file).as_deref() == Some("1");
    Some(Served { path: says("device_path")?, buffered: yes("buffered_io") })
        .filter(|_| yes("enable"))
}
