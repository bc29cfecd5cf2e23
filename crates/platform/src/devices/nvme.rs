//! NVMe controllers, subsystems and the ways to each namespace (`/sys/class/nvme`, `/sys/class/nvme-subsystem`; Linux
//! `drivers/nvme/host/sysfs.c`).

use narrows_facts::Source;
use narrows_model::{NvmeController, NvmeFabric, NvmeNamespace, NvmePath, NvmeSubsystem};

use super::{by_number, names};
use crate::block::transport::is_numbered;
use crate::pcie;

const CONTROLLERS: &str = "/sys/class/nvme";
const SUBSYSTEMS: &str = "/sys/class/nvme-subsystem";

pub(super) fn controllers(source: &dyn Source) -> Vec<NvmeController> {
    let mut names = names(source, CONTROLLERS);
    names.retain(|name| is_numbered(name, "nvme"));
    names.sort_by(|a, b| by_number(a).cmp(&by_number(b)));
    names.into_iter().map(|name| controller(source, name)).collect()
}

fn controller(source: &dyn Source, name: String) -> NvmeController {
    let folder = format!("{CONTROLLERS}/{name}");
    let text = |file: &str| source.text(&format!("{folder}/{file}"));
    let number = |file: &str| source.number::<u32>(&format!("{folder}/{file}"));
    let path = source.real_path(&folder).unwrap_or_default();
    NvmeController {
        transport: text("transport"),
        model: text("model"),
        firmware: text("firmware_rev"),
        state: text("state"),
        numa_node: number("numa_node").or_else(|| pcie::numa_node(source, &path)),
        // The first is for administration.
        queues: number("queue_count")
            .and_then(|count| count.checked_sub(1))
            .filter(|count| *count > 0),
        // NVMe counts from 0.
        queue_depth: number("sqsize").and_then(|last| last.checked_add(1)),
        pci: pcie::nearest(&path),
        fabric: fabric(source, &folder),
        name,
    }
}

/// Only controllers over a network have these; addresses are not read.
fn fabric(source: &dyn Source, folder: &str) -> Option<NvmeFabric> {
    // `off` where it is for ever.
    let seconds = |file: &str| source.number::<u32>(&format!("{folder}/{file}"));
    let found = NvmeFabric {
        reconnect_delay_s: seconds("reconnect_delay"),
        loss_timeout_s: seconds("ctrl_loss_tmo"),
        fast_io_fail_s: seconds("fast_io_fail_tmo"),
        keep_alive_s: seconds("kato"),
    };
    // PCIe drives have a keep-alive timeout, too: none.
    found.reconnect_delay_s.map(|_| found)
}

pub(super) fn subsystems(source: &dyn Source) -> Vec<NvmeSubsystem> {
    let mut names = names(source, SUBSYSTEMS);
    names.sort_by(|a, b| by_number(a).cmp(&by_number(b)));
    names.into_iter().map(|name| subsystem(source, name)).collect()
}

fn subsystem(source: &dyn Source, name: String) -> NvmeSubsystem {
    let folder = format!("{SUBSYSTEMS}/{name}");
    let inside = names(source, &folder);
    let controllers: Vec<String> =
        inside.iter().filter(|entry| is_numbered(entry, "nvme")).cloned().collect();
    let mut spaces: Vec<NvmeNamespace> = Vec::new();
    let mut paths = Vec::new();
    // With one way the namespace hangs on its controller, with several on the subsystem and the ways on controllers.
    let beneath = controllers.iter().map(|controller| format!("{folder}/{controller}"));
    for place in std::iter::once(folder.clone()).chain(beneath) {
        for entry in names(source, &place) {
            match Entry::of(&entry) {
                Some(Entry::Namespace) if spaces.iter().all(|space| space.name != entry) => {
                    let sectors = source.number::<u64>(&format!("{place}/{entry}/size"));
                    let size_bytes = sectors.and_then(|sectors| sectors.checked_mul(512));
                    spaces.push(NvmeNamespace { name: entry, size_bytes, paths: Vec::new() });
                }
                Some(Entry::Path { of }) => {
                    let state = source.text(&format!("{place}/{entry}/ana_state"));
                    let controller = place.strip_prefix(&format!("{folder}/")).map(str::to_string);
                    paths.push((of, NvmePath { name: entry, controller, state }));
                }
                _ => {}
            }
        }
    }
    for (of, path) in paths {
        if let Some(space) = spaces.iter_mut().find(|space| space.name == of) {
            space.paths.push(path);
        }
    }
    spaces.sort_by(|a, b| by_number(&a.name).cmp(&by_number(&b.name)));
    NvmeSubsystem {
        io_policy: source.text(&format!("{folder}/iopolicy")),
        controllers,
        namespaces: spaces,
        name,
    }
}

/// What an entry's name says that it is.
#[derive(Debug, PartialEq)]
enum Entry {
    /// `nvme0n1`.
    Namespace,
    /// `nvme0c1n1`, one way to `nvme0n1`.
    Path { of: String },
}

impl Entry {
    fn of(name: &str) -> Option<Entry> {
        let rest = name.strip_prefix("nvme")?;
        let (head, space) = rest.split_once('n')?;
        let number =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match head.split_once('c') {
            _ if !number(space) => None,
            None if number(head) => Some(Entry::Namespace),
            Some((subsystem, controller)) if number(subsystem) && number(controller) => {
                Some(Entry::Path { of: format!("nvme{subsystem}n{space}") })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_namespaces_ways_and_others() {
        assert_eq!(Entry::of("nvme0n1"), Some(Entry::Namespace));
        assert_eq!(Entry::of("nvme12c3n4"), Some(Entry::Path { of: "nvme12n4".into() }));
        for other in ["nvme0", "nvme-subsys0", "nvme0n1p1", "nvmen1", "ng0n1", "nvme0cn1"] {
            assert_eq!(Entry::of(other), None, "{other}");
        }
    }
}
