//! PCIe links under load: speed and width of the drives' links as the kernel reads them from the hardware at that moment
//! (Linux `Documentation/ABI/testing/sysfs-bus-pci`, `current_link_speed`, `current_link_width`).
//!
//! Discovery sees them at rest, when a link may be slow to save power. What a link could do is known from both of its ends;
//! where one doesn't say, it isn't watched. In a virtual machine links are the hypervisor's description: none is watched.

use std::collections::BTreeSet;

use narrows_model::{LoadedLink, PcieLink, Platform};

use crate::counters::Counters;

const DEVICES: &str = "/sys/bus/pci/devices";

/// Open files of the links of some drives.
#[derive(Debug, Default)]
pub(crate) struct LinkWatch(Vec<Watched>);

#[derive(Debug)]
struct Watched {
    /// As at discovery, with nothing read yet.
    link: LoadedLink,
    speed: Option<Counters>,
    width: Option<Counters>,
}

impl LinkWatch {
    /// `drives` are kernel names; `open` gives the counters at a path.
    pub(crate) fn open(
        platform: &Platform,
        drives: &[&String],
        open: impl Fn(&str) -> Option<Counters>,
    ) -> Self {
        if platform.hypervisor.is_some() {
            return LinkWatch::default();
        }
        let devices = &platform.devices;
        let named = devices.drives.iter().filter(|drive| drives.contains(&&drive.name));
        let functions = named.flat_map(|drive| &drive.pci);
        let ways: BTreeSet<&str> = functions
            .flat_map(|address| devices.way_up(address))
            .map(|function| function.address.as_str())
            .collect();
        let links = devices.links().filter(|(end, _)| ways.contains(end.address.as_str()));
        let watched = links.filter_map(|(end, port)| {
            let (own, port) = (end.link.as_ref()?, port?);
            let at = |file: &str| open(&format!("{DEVICES}/{}/{file}", end.address));
            Some(Watched {
                link: at_rest(own, &port.address, port.link.as_ref()?)?,
                speed: at("current_link_speed"),
                width: at("current_link_width"),
            })
        });
        LinkWatch(watched.collect())
    }

    /// The links now, those left out that are as they were and at their best.
    pub(crate) fn read(&self) -> Vec<LoadedLink> {
        let text = |file: &Option<Counters>| file.as_ref().and_then(Counters::text);
        let now = self.0.iter().map(|watched| LoadedLink {
            gts: text(&watched.speed).and_then(|text| PcieLink::parse_gts(&text)),
            width: text(&watched.width).and_then(|text| PcieLink::parse_width(&text)),
            ..watched.link.clone()
        });
        now.filter(|link| !link.is_plain()).collect()
    }
}

/// `None` where an end doesn't say what it could do.
fn at_rest(own: &PcieLink, port: &str, ports: &PcieLink) -> Option<LoadedLink> {
    ports.max_gts.or(ports.max_width.map(f64::from))?;
    let (most_gts, most_width) = own.most_with(Some(ports));
    Some(LoadedLink {
        address: own.address.clone(),
        port: port.to_string(),
        gts: None,
        width: None,
        idle_gts: own.current_gts,
        idle_width: own.current_width,
        most_gts,
        most_width,
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use narrows_model::{Devices, Drive, PciDevice, PciKind};

    use super::*;

    const DRIVE: &str = "0000:41:00.0";
    const PORT: &str = "0000:40:01.0";

    fn put(root: &Path, speed: &str, width: &str) {
        let folder = root.join(format!("{}/{DRIVE}", &DEVICES[1..]));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("current_link_speed"), speed).unwrap();
        fs::write(folder.join("current_link_width"), width).unwrap();
    }

    /// A drive whose link was seen at 2.5 GT/s x4; both ends could do 16.
    fn machine() -> Platform {
        let function = |address: &str, above: Option<&str>, kind| {
            let link = PcieLink {
                address: address.to_string(),
                current_gts: Some(2.5),
                current_width: Some(4),
                max_gts: Some(16.0),
                max_width: Some(4),
                flit_mode: None,
            };
            PciDevice {
                address: address.to_string(),
                above: above.map(str::to_string),
                link: Some(link),
                ..PciDevice::new(kind)
            }
        };
        let pci =
            vec![function(PORT, None, PciKind::Bridge), function(DRIVE, Some(PORT), PciKind::Nvme)];
        let (name, at) = ("nvme0n1".to_string(), vec![DRIVE.to_string()]);
        let drives = vec![Drive { name, pci: at, ..Drive::default() }];
        let devices = Devices { pci, drives, ..Devices::default() };
        Platform { devices, ..Platform::default() }
    }

    fn watch(root: &Path, platform: &Platform, drive: &str) -> LinkWatch {
        let real = |path: &str| Counters::open(root.join(&path[1..]).to_str().unwrap());
        LinkWatch::open(platform, &[&drive.to_string()], real)
    }

    #[test]
    fn a_link_is_read_anew_each_time() {
        let dir = tempfile::tempdir().unwrap();
        put(dir.path(), "2.5 GT/s PCIe\n", "4\n");
        let watch = watch(dir.path(), &machine(), "nvme0n1");
        let read = || watch.read().pop().unwrap();
        assert!(read().is_below() && !read().came_up());
        put(dir.path(), "16.0 GT/s PCIe\n", "4\n");
        assert!(!read().is_below() && read().came_up());
        assert_eq!((read().address.as_str(), read().port.as_str()), (DRIVE, PORT));
        put(dir.path(), "8.0 GT/s PCIe\n", "2\n");
        assert_eq!((read().gts, read().width, read().most_width), (Some(8.0), Some(2), Some(4)));
        put(dir.path(), "Unknown\n", "0\n");
        assert_eq!(watch.read(), [], "what can't be read tells nothing");
    }

    #[test]
    fn links_of_other_drives_and_of_virtual_machines_are_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        put(dir.path(), "2.5 GT/s\n", "1\n");
        assert_eq!(watch(dir.path(), &machine(), "nvme1n1").read(), []);
        let guest = Platform { hypervisor: Some("KVM".into()), ..machine() };
        assert_eq!(watch(dir.path(), &guest, "nvme0n1").read(), []);
        let mut one_end = machine();
        let port = one_end.devices.pci[0].link.as_mut().unwrap();
        (port.max_gts, port.max_width) = (None, None);
        assert_eq!(watch(dir.path(), &one_end, "nvme0n1").read(), []);
        assert_eq!(watch(dir.path(), &machine(), "nvme0n1").read().len(), 1);
    }
}
