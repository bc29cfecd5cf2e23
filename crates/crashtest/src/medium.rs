//! Whether the machine's own boot says anything about what is written to.
//!
//! A boot is a cut of the medium only where the medium is in the machine. A file system of the network, a drive on a fabric, a
//! database elsewhere, and all that a hypervisor lends keep their power when this machine boots.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use narrows_facts::{Live, Source};
use narrows_model::{Medium as RecordLocation, Platform, Role};

use crate::Target;
use crate::server::number;

/// Where records go, as it looks from here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Medium {
    /// Why it doesn't lose its power with this machine, or why that can't be told; `None` where it does.
    pub(crate) elsewhere: Option<String>,
    /// The file system's mount point; absent for devices and databases.
    pub(crate) mount_point: Option<String>,
    /// The drives beneath, by the kernel's names, each once.
    pub(crate) drives: Vec<String>,
}

impl Medium {
    pub(crate) fn of_target(target: &Target) -> Medium {
        match target {
            Target::Device { path, .. } => of_device(path),
            // It isn't there yet: its folder is.
            Target::NewFile(path) => {
                of_platform(&narrows_platform::discover(&Live, &[(Role::Wal, path)]))
            }
        }
    }

    /// Of a server's data folder; `None` where it is on another machine or doesn't say.
    pub(crate) fn of_database(folder: Option<&Path>) -> Medium {
        let Some(folder) = folder else {
            let text =
                "the server is on another machine, or where its files are can't be seen from here";
            let elsewhere = Some(text.to_string());
            return Medium { elsewhere, mount_point: None, drives: Vec::new() };
        };
        let log = folder.join("pg_wal");
        let roles = [(Role::Data, folder), (Role::Wal, log.as_path())];
        Medium { mount_point: None, ..of_platform(&narrows_platform::discover(&Live, &roles)) }
    }
}

fn of_device(path: &Path) -> Medium {
    let platform = narrows_platform::discover(&Live, &[]);
    let (place, drives) = beneath(&Live, path);
    Medium { elsewhere: reason(&platform, [place]), mount_point: None, drives }
}

/// Where the drives of the block device at `path` are, which `source` knows by its number, and their names.
fn beneath(source: &dyn Source, path: &Path) -> (RecordLocation, Vec<String>) {
    // Other files have a number too, which may be that of some block device.
    let metadata = fs::metadata(path).ok().filter(|found| found.file_type().is_block_device());
    let stack = metadata
        .map(|metadata| narrows_platform::block_stack(source, &number(metadata.rdev())))
        .unwrap_or_default();
    let drives = stack.iter().filter(|device| device.slaves.is_empty());
    let drives = drives.map(|device| device.name.clone()).collect();
    let place = match stack.as_slice() {
        [] => {
            RecordLocation::Unseen(format!("the drives beneath {} can't be seen", path.display()))
        }
        devices => RecordLocation::of(devices),
    };
    (place, drives)
}

fn of_platform(platform: &Platform) -> Medium {
    let mount_point = platform.roles.first().map(|path| path.file_system.mount_point.clone());
    Medium {
        elsewhere: reason(platform, platform.roles.iter().map(|path| path.medium())),
        mount_point: mount_point.filter(|place| !place.is_empty()),
        drives: {
            let all = platform.roles.iter().flat_map(|path| path.drives());
            let mut names: Vec<String> = all.map(|drive| drive.name.clone()).collect();
            names.sort_unstable();
            names.dedup();
            names
        },
    }
}

fn reason(platform: &Platform, places: impl IntoIterator<Item = RecordLocation>) -> Option<String> {
    let mut unseen = None;
    for place in places {
        match place {
            RecordLocation::Elsewhere(why) => return Some(why),
            RecordLocation::Unseen(why) => unseen = Some(why),
            RecordLocation::Here => {}
        }
    }
    let guest = platform.hypervisor.as_ref().map(|name| {
        format!(
            "this is a virtual machine ({name}): to kill or reset it cuts no drive, its host's power has to be cut"
        )
    });
    guest.or(unseen)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use narrows_facts::Tree;
    use narrows_model::{BlockDevice, DeviceKind};

    fn platform(transport: &str) -> Platform {
        let mut platform = narrows_platform::discover(&Live, &[(Role::Wal, Path::new("/"))]);
        platform.hypervisor = None;
        let path = &mut platform.roles[0];
        (path.file_system.network, path.file_system.volatile) = (false, false);
        path.devices = vec![BlockDevice {
            name: "sda".to_string(),
            number: "8:0".to_string(),
            kind: DeviceKind::Disk,
            level: None,
            model: None,
            transport: Some(transport.to_string()),
            size_bytes: None,
            slaves: Vec::new(),
            queue: None,
            numa_node: None,
            pcie: Vec::new(),
        }];
        platform
    }

    #[test]
    fn only_what_is_in_the_machine_boots_with_it() {
        let here = of_platform(&platform("sata"));
        let (mount_point, drives) = (Some("/".to_string()), vec!["sda".to_string()]);
        assert_eq!(here, Medium { elsewhere: None, mount_point, drives });
        let why = |platform: &Platform| of_platform(platform).elsewhere.unwrap();
        assert!(why(&platform("iscsi")).contains("its own power"));
        let mut guest = platform("sata");
        guest.hypervisor = Some("KVM".to_string());
        assert!(why(&guest).contains("to kill or reset it cuts no drive"));
        let mut mounted = platform("sata");
        mounted.roles[0].file_system.network = true;
        assert!(why(&mounted).contains("over a network"));
        let mut blind = platform("sata");
        blind.roles[0].devices.clear();
        assert!(why(&blind).contains("can't be seen"));
    }

    #[test]
    fn a_database_that_hides_its_files_is_not_taken_for_local() {
        assert!(Medium::of_database(None).elsewhere.is_some());
    }

    #[test]
    fn what_is_no_block_device_has_no_drives_whatever_its_number_is_elsewhere() {
        assert!(of_device(Path::new("/dev/null")).elsewhere.is_some());
        // The fourth disk in memory has the number of /dev/null.
        let machine = tempfile::tempdir().unwrap();
        let folder = machine.path().join("sys/devices/virtual/block/ram3");
        let numbers = machine.path().join("sys/dev/block");
        fs::create_dir_all(&folder).unwrap();
        fs::create_dir_all(&numbers).unwrap();
        fs::write(folder.join("dev"), "1:3\n").unwrap();
        symlink("/sys/devices/virtual/block/ram3", numbers.join("1:3")).unwrap();
        let tree = Tree::new(machine.path());
        assert_eq!(narrows_platform::block_stack(&tree, "1:3")[0].name, "ram3");
        let (RecordLocation::Unseen(why), _) = beneath(&tree, Path::new("/dev/null")) else {
            panic!("a drive")
        };
        assert!(why.contains("beneath /dev/null"), "{why}");
    }
}
