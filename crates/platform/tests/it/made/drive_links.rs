//! Links of SATA and SAS drives to their adapters.

use narrows_model::{DriveLink, DriveLinkKind};

use crate::made::machine::Machine;

const ADAPTER: &str = "/sys/devices/pci0000:00/0000:00:17.0";

/// The link of the only drive.
fn link(machine: &Machine) -> Option<DriveLink> {
    let platform = narrows_platform::discover(&machine.tree(), &[]);
    assert_eq!(platform.devices.drives.len(), 1);
    platform.devices.drives[0].link.clone()
}

/// A machine with a drive in that folder.
fn machine(folder: &str) -> Machine {
    let machine = Machine::new();
    machine.device(folder, "8:0", 100).link("/sys/class/block/sda", folder);
    machine
}

#[test]
fn a_sata_drive_has_its_ports_speed() {
    let made = machine(&format!("{ADAPTER}/ata3/host2/target2:0:0/2:0:0:0/block/sda"));
    assert_eq!(link(&made), None);
    made.file(&format!("{ADAPTER}/ata3/link3/ata_link/link3/sata_spd"), "6.0 Gbps\n");
    let kind = DriveLinkKind::Sata;
    assert_eq!(link(&made), Some(DriveLink { kind, bits_per_s: 6_000_000_000, lanes: 1 }));
}

#[test]
fn a_sas_drive_has_the_lanes_of_its_port() {
    let port = format!("{ADAPTER}/host0/port-0:1");
    let device = format!("{port}/end_device-0:1");
    let phys = |speeds: [&str; 2], speaks: &str| {
        let made = machine(&format!("{device}/target0:0:1/0:0:1:0/block/sda"));
        for (number, speed) in speeds.iter().enumerate() {
            let class = format!("/sys/class/sas_phy/phy-0:{number}");
            made.link(&format!("{port}/phy-0:{number}"), &format!("../phy-0:{number}"))
                .file(&format!("{class}/negotiated_linkrate"), format!("{speed}\n"));
        }
        let file = format!("{device}/sas_device/end_device-0:1/target_port_protocols");
        made.file(&file, format!("{speaks}\n"));
        link(&made)
    };
    let wanted = |kind, bits_per_s| Some(DriveLink { kind, bits_per_s, lanes: 2 });
    let sas = phys(["12.0 Gbit"; 2], "ssp");
    assert_eq!(sas, wanted(DriveLinkKind::Sas, 12_000_000_000));
    let behind = phys(["6.0 Gbit"; 2], "stp, sata");
    assert_eq!(behind, wanted(DriveLinkKind::Sata, 6_000_000_000));
    assert_eq!(phys(["12.0 Gbit", "Phy disabled"], "ssp"), None, "one lane of two is unknown");
    assert_eq!(phys(["12.0 Gbit"; 2], "smp"), None, "no drive's words");
}
