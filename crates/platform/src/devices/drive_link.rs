//! The link between a drive and its adapter, where it is SATA or SAS, as it was negotiated (Linux `drivers/ata/libata-transport.c`,
//! `drivers/scsi/scsi_transport_sas.c`). Names and addresses of ports are not read.

use narrows_facts::Source;
use narrows_model::{DriveLink, DriveLinkKind};

use super::names;
use crate::block::transport::is_numbered;

/// `None` where the drive hangs on another kind of link, or no speed is told.
pub(super) fn read(source: &dyn Source, path: &str) -> Option<DriveLink> {
    sas(source, path).or_else(|| sata(source, path))
}

/// `…/ata3/host2/…`: the port's folder has a link of its own number. Behind a port multiplier there are several, and this is
/// the one before it.
fn sata(source: &dyn Source, path: &str) -> Option<DriveLink> {
    let part = path.split('/').find(|part| is_numbered(part, "ata"))?;
    let port = &path[..path.find(&format!("/{part}/"))? + 1 + part.len()];
    let link = format!("link{}", &part[3..]);
    let text = source.text(&format!("{port}/{link}/ata_link/{link}/sata_spd"))?;
    let bits_per_s = bits_per_s(&text)?;
    Some(DriveLink { kind: DriveLinkKind::Sata, bits_per_s, lanes: 1 })
}

/// `…/port-0:0/end_device-0:0/…`: the port has a phy for each lane.
fn sas(source: &dyn Source, path: &str) -> Option<DriveLink> {
    let device = path.split('/').find(|part| part.starts_with("end_device-"))?;
    let end = path.find(&format!("/{device}/"))?;
    let port = &path[..end];
    let speeds: Option<Vec<u64>> = names(source, port)
        .iter()
        .filter(|name| name.starts_with("phy-"))
        .map(|phy| source.text(&format!("/sys/class/sas_phy/{phy}/negotiated_linkrate")))
        .map(|text| bits_per_s(&text?))
        .collect();
    let speeds = speeds.filter(|speeds| !speeds.is_empty())?;
    // Lanes of one port run alike.
    let first = speeds[0];
    let alike = speeds.iter().all(|speed| *speed == first);
    let speaks = format!("{port}/{device}/sas_device/{device}/target_port_protocols");
    let speaks = source.text(&speaks).unwrap_or_default();
    let kind = match speaks.split(',').any(|word| word.trim() == "ssp") {
        true => DriveLinkKind::Sas,
        // A SATA drive behind an adapter or expander for SAS.
        false if speaks.contains("sata") || speaks.contains("stp") => DriveLinkKind::Sata,
        false => return None,
    };
    alike.then_some(DriveLink { kind, bits_per_s: first, lanes: speeds.len() as u32 })
}

/// `6.0 Gbps`, `12.0 Gbit`; `Unknown`, `Phy disabled` and their like are unknown.
fn bits_per_s(text: &str) -> Option<u64> {
    let (number, unit) = text.trim().split_once(' ')?;
    let gigabits: f64 = number.parse().ok()?;
    let known = ["Gbps", "Gbit"].contains(&unit) && (0.1..1000.0).contains(&gigabits);
    known.then_some((gigabits * 1e9) as u64)
}

#[cfg(test)]
mod tests {
    use super::bits_per_s;

    #[test]
    fn rates_as_the_kernel_writes_them() {
        for (text, wanted) in [
            ("6.0 Gbps\n", Some(6_000_000_000)),
            ("1.5 Gbps", Some(1_500_000_000)),
            ("12.0 Gbit", Some(12_000_000_000)),
            ("22.5 Gbit", Some(22_500_000_000)),
            ("<unknown>", None),
            ("Phy disabled", None),
            ("Failed link rate", None),
            ("nan Gbit", None),
            ("-6.0 Gbps", None),
        ] {
            assert_eq!(bits_per_s(text), wanted, "{text}");
        }
    }
}
