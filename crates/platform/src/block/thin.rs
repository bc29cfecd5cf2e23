//! Whether a device allocates space for a block only when it is first written: from a pool, which others may share and which may be full
//! before the device is, or from the file system that a loop device's file lies on.
//!
//! - Device mapper: stretches `thin`, `thin-pool` and `vdo`, and where only root may ask for them LVM's mark of a pool (Linux
//!   `Documentation/admin-guide/device-mapper/thin-provisioning.rst`, `lvmthin(7)`).
//! - SCSI: the provisioning type in the page of vital product data B2h (SBC-4), where the kernel shows it. Not `thin_provisioning`
//!   beside it: that is 1 for every SSD that takes TRIM.
//! - Loop devices: their file has holes.
//!
//! NVMe's namespaces tell only that they may be thin (NSFEAT), and drives that say so aren't, so that they are not asked.

use narrows_facts::Source;
use narrows_model::DeviceKind;

/// A file with less of its length allocated than that has holes: the rest is what file systems may inline or compress of a full one.
const WHOLE: f64 = 0.9;
/// Where the provisioning type is in page B2h, its bits, and what they are of thin storage.
const PROVISIONING: (usize, u8, u8) = (6, 0b111, 2);
/// The number of the page, in its second byte.
const PAGE: u8 = 0xb2;

/// What it is, if so, as the end of a sentence: `a thin volume (dm-thin)`. `folder` is the device's in `/sys/devices`.
pub(super) fn what(source: &dyn Source, folder: &str, kind: DeviceKind) -> Option<String> {
    match kind {
        DeviceKind::Mapper => mapped(source, folder).map(str::to_string),
        DeviceKind::Loop => holes(source, folder),
        DeviceKind::Disk => {
            let page = source.read(&format!("{folder}/device/vpd_pgb2")).ok()?;
            is_thin(&page).then(|| "a thin LUN (SCSI page B2h)".to_string())
        }
        DeviceKind::Partition | DeviceKind::Raid | DeviceKind::Memory => None,
    }
}

fn mapped(source: &dyn Source, folder: &str) -> Option<&'static str> {
    let uuid = source.text(&format!("{folder}/dm/uuid")).unwrap_or_default();
    let mark = uuid.strip_prefix("LVM-").and_then(|ids| ids.split_once('-')).map(|(_, mark)| mark);
    let number = source.text(&format!("{folder}/dev"));
    let targets = number.and_then(|number| source.mapper_targets(&number)).unwrap_or_default();
    let is = |kind: &str| targets.split("; ").any(|target| target.split(' ').next() == Some(kind));
    if is("thin") {
        Some("a thin volume (dm-thin)")
    } else if is("thin-pool") || mark == Some("tpool") {
        Some("a thin pool (dm-thin)")
    } else if is("vdo") || uuid.starts_with("VDO-") {
        Some("a VDO volume, which is thin")
    } else {
        None
    }
}

fn holes(source: &dyn Source, folder: &str) -> Option<String> {
    let file = source.text(&format!("{folder}/loop/backing_file"))?;
    let (length, allocated) = source.allocation(&file)?;
    let holes = (allocated as f64) < WHOLE * length as f64;
    holes.then(|| format!("over a file with holes ({allocated} of {length} bytes allocated)"))
}

fn is_thin(page: &[u8]) -> bool {
    let (at, bits, thin) = PROVISIONING;
    page.get(1) == Some(&PAGE) && page.get(at).is_some_and(|byte| byte & bits == thin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_provisioning_type_alone_tells_a_thin_lun_from_an_ssd_that_takes_trim() {
        // A LUN of an array that is thin, one that is not, an SSD behind libata, and other pages.
        assert!(is_thin(&[0, 0xb2, 0, 4, 0, 0xe4, 0x02, 0]));
        assert!(is_thin(&[0, 0xb2, 0, 4, 0, 0xe4, 0x1a, 0]));
        assert!(!is_thin(&[0, 0xb2, 0, 4, 0, 0xe4, 0x01, 0]));
        assert!(!is_thin(&[0, 0xb2, 0, 4, 0, 0x40, 0, 0]));
        assert!(!is_thin(&[0, 0xb1, 0, 4, 0, 0, 0x02, 0]));
        assert!(!is_thin(&[0, 0xb2, 0]));
    }
}
