//! What a drive itself says of its write cache. The kernel's own setting (`queue/write_cache`) begins as what the drive
//! said when it was attached, and anybody with the right can change it afterwards; then no flush is sent any more.
//!
//! - SCSI and SATA: mode page 8, as the disk driver shows it (Linux `drivers/scsi/sd.c`, `cache_type`). Only `write back` is the
//!   drive's word: `write through` is also what the driver assumes of a drive that doesn't tell, and what an order of
//!   `temporary write through` leaves there.
//! - virtio: the device's configuration (Linux `Documentation/ABI/testing/sysfs-block`, `cache_type`).
//! - NVMe: Identify Controller and feature 06h, where the controller may be opened.

use narrows_facts::Source;
use narrows_model::DriveCache;

use super::transport::nvme_controller;

/// The drive's word, from the folder in `/sys/devices` of a whole drive; `hardware` as
/// [`super::transport::hardware_paths`] gives them.
pub(crate) fn read(source: &dyn Source, folder: &str, hardware: &[String]) -> Option<DriveCache> {
    scsi(source, folder).or_else(|| virtio(source, folder)).or_else(|| {
        let controllers = hardware.iter().filter_map(|path| nvme_controller(path));
        // Whichever controller of a drive answers: they share the cache.
        controllers.filter_map(|name| of_controller(source, name)).next()
    })
}

fn scsi(source: &dyn Source, folder: &str) -> Option<DriveCache> {
    let list = format!("{folder}/device/scsi_disk");
    let names = source.list(&list).ok()?;
    names.iter().find_map(|name| {
        let says = source.text(&format!("{list}/{name}/cache_type"))?;
        drive_cache("scsi_disk cache_type", &says).filter(|cache| cache.volatile)
    })
}

fn virtio(source: &dyn Source, folder: &str) -> Option<DriveCache> {
    drive_cache("cache_type", &source.text(&format!("{folder}/cache_type"))?)
}

/// `write back`, `write back, no read (daft)`, `write through`, `none`.
fn drive_cache(file: &str, says: &str) -> Option<DriveCache> {
    let volatile = says.starts_with("write back");
    let known = volatile || says == "write through" || says == "none";
    known.then(|| DriveCache { volatile, says: format!("{file} \"{says}\"") })
}

fn of_controller(source: &dyn Source, name: &str) -> Option<DriveCache> {
    let cache = source.nvme_write_cache(name)?;
    let enabled = match cache.enabled {
        Some(true) => ", feature 06h on",
        Some(false) => ", feature 06h off",
        None => "",
    };
    let says = format!("{name} Identify VWC {}{enabled}", u8::from(cache.present));
    Some(DriveCache { volatile: cache.is_volatile(), says })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_the_kernel_uses_and_others() {
        for (text, volatile) in [
            ("write back", Some(true)),
            ("write back, no read (daft)", Some(true)),
            ("write through", Some(false)),
            ("none", Some(false)),
            ("temporary", None),
        ] {
            assert_eq!(drive_cache("f", text).map(|cache| cache.volatile), volatile, "{text}");
        }
    }
}
