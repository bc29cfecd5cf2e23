//! SCSI hosts (`/sys/class/scsi_host`, `fc_host`; Linux `Documentation/scsi/scsi_fc_transport.rst`). Names of ports in a
//! storage network are not read.

use narrows_facts::Source;
use narrows_model::ScsiHost;

use super::{by_number, names};
use crate::block::transport::is_numbered;
use crate::pcie;

const HOSTS: &str = "/sys/class/scsi_host";

pub(super) fn hosts(source: &dyn Source) -> Vec<ScsiHost> {
    let mut names = names(source, HOSTS);
    names.sort_by(|a, b| by_number(a).cmp(&by_number(b)));
    names.into_iter().map(|name| host(source, name)).collect()
}

fn host(source: &dyn Source, name: String) -> ScsiHost {
    let folder = format!("{HOSTS}/{name}");
    let number = |file: &str| source.number::<u32>(&format!("{folder}/{file}"));
    let path = source.real_path(&folder).unwrap_or_default();
    ScsiHost {
        driver: source.text(&format!("{folder}/proc_name")).filter(|name| name != "<NULL>"),
        transport: transport(source, &name, &path),
        speed: source.text(&format!("/sys/class/fc_host/{name}/speed")),
        depth: number("can_queue"),
        queues: number("nr_hw_queues"),
        pci: pcie::nearest(&path),
        name,
    }
}

fn transport(source: &dyn Source, host: &str, path: &str) -> Option<String> {
    let classes = [
        ("fc_host", "fibre channel"),
        ("sas_host", "sas"),
        ("iscsi_host", "iscsi"),
        ("srp_host", "srp"),
    ];
    let class =
        classes.iter().find(|(class, _)| source.exists(&format!("/sys/class/{class}/{host}")));
    let part = |prefix: &str| path.split('/').any(|part| is_numbered(part, prefix));
    let word = match class {
        Some((_, word)) => word,
        None if part("ata") => "sata",
        None if part("virtio") => "virtio-scsi",
        None if part("usb") => "usb",
        None => return None,
    };
    Some(word.to_string())
}
