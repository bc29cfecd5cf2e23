//! How worn a drive is, in its own words: the SMART log of NVMe (NVM Express Base Specification 2.0, 5.16.1.3).
//!
//! Asking takes a right (CAP_SYS_ADMIN) and a drive that is really there; a virtual drive, SATA and SAS drives tell
//! nothing here.

use std::fs::File;

use narrows_facts::nvme;

/// What the drive says about itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wear {
    /// Share of its rated life that is used, percent; may pass 100.
    pub life_used_percent: u8,
    /// Spare blocks left, percent.
    pub spare_percent: u8,
    /// Written by hosts so far, bytes.
    pub written_bytes: u128,
    /// Critical warnings, bit by bit; 0 is none.
    pub warnings: u8,
}

const LOG_BYTES: usize = 512;

/// The fields of a SMART log page.
pub(crate) fn parse(page: &[u8; LOG_BYTES]) -> Option<Wear> {
    // No drive returns an empty page; some adapters do.
    page.iter().any(|byte| *byte != 0).then(|| {
        let units: [u8; 16] = page[48..64].try_into().expect("16 bytes");
        Wear {
            warnings: page[0],
            spare_percent: page[3],
            life_used_percent: page[5],
            // Thousands of 512 bytes.
            written_bytes: u128::from_le_bytes(units).saturating_mul(512_000),
        }
    })
}

const GET_LOG_PAGE: u8 = 0x02;
const SMART_LOG: u32 = 0x02;
const ALL_NAMESPACES: u32 = 0xFFFF_FFFF;

/// Asks the drive. `None` if it isn't NVMe, or refuses.
pub(crate) fn ask(file: &File, name: &str) -> Option<Wear> {
    if !name.starts_with("nvme") {
        return None;
    }
    let mut page = [0u8; LOG_BYTES];
    // Number of dwords, less one, above the log's number.
    let dword_10 = ((LOG_BYTES as u32 / 4 - 1) << 16) | SMART_LOG;
    nvme::admin(file, GET_LOG_PAGE, ALL_NAMESPACES, [dword_10, 0], &mut page).ok()?;
    parse(&page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_the_log() {
        let mut page = [0; LOG_BYTES];
        page[0] = 1;
        page[3] = 100;
        page[5] = 7;
        page[48..52].copy_from_slice(&2_000_000u32.to_le_bytes());
        let wear = parse(&page).unwrap();
        assert_eq!((wear.life_used_percent, wear.spare_percent, wear.warnings), (7, 100, 1));
        assert_eq!(wear.written_bytes, 1_024_000_000_000);
        assert_eq!(parse(&[0; LOG_BYTES]), None);
    }

    #[test]
    fn what_is_no_drive_refuses() {
        let file = File::open("/dev/null").unwrap();
        assert_eq!(ask(&file, "nvme0n1"), None);
        assert_eq!(ask(&file, "sda"), None);
    }
}
