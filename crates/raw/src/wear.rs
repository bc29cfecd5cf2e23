//! How worn a drive is, in its own words: the SMART log of NVMe (NVM Express Base Specification 2.0, 5.16.1.3).
//!
//! Asking takes a right (CAP_SYS_ADMIN) and a drive that is really there; a virtual drive, SATA and SAS drives tell
//! nothing here.

use std::fs::File;
use std::os::fd::AsRawFd;

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

/// The command as `NVME_IOCTL_ADMIN_CMD` takes it (Linux include/uapi/linux/nvme_ioctl.h).
#[repr(C)]
#[derive(Default)]
struct AdminCommand {
    opcode: u8,
    flags: u8,
    reserved: u16,
    namespace: u32,
    dwords_2_3: [u32; 2],
    metadata: u64,
    address: u64,
    metadata_bytes: u32,
    data_bytes: u32,
    dwords_10_15: [u32; 6],
    timeout_ms: u32,
    result: u32,
}

/// `_IOWR('N', 0x41, struct nvme_passthru_cmd)`.
const NVME_IOCTL_ADMIN_CMD: u32 = 0xC048_4E41;
const GET_LOG_PAGE: u8 = 0x02;
const SMART_LOG: u32 = 0x02;
const ALL_NAMESPACES: u32 = 0xFFFF_FFFF;

/// Asks the drive. `None` if it isn't NVMe, or refuses.
pub(crate) fn ask(file: &File, name: &str) -> Option<Wear> {
    if !name.starts_with("nvme") {
        return None;
    }
    let mut page = [0u8; LOG_BYTES];
    let mut command = AdminCommand {
        opcode: GET_LOG_PAGE,
        namespace: ALL_NAMESPACES,
        address: page.as_mut_ptr() as u64,
        data_bytes: LOG_BYTES as u32,
        // Number of dwords, less one, above the log's number.
        dwords_10_15: [((LOG_BYTES as u32 / 4 - 1) << 16) | SMART_LOG, 0, 0, 0, 0, 0],
        timeout_ms: 1000,
        ..AdminCommand::default()
    };
    // SAFETY: the kernel reads and writes one command of this layout and writes at most `data_bytes` to `page`, which
    // lives and isn't touched until the call returns.
    let result = unsafe {
        libc::ioctl(file.as_raw_fd(), NVME_IOCTL_ADMIN_CMD as _, std::ptr::from_mut(&mut command))
    };
    if result != 0 {
        return None;
    }
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
    fn the_command_is_as_long_as_its_number_says() {
        let bytes = (NVME_IOCTL_ADMIN_CMD >> 16) & 0x3FFF;
        assert_eq!(std::mem::size_of::<AdminCommand>(), bytes as usize);
    }

    #[test]
    fn what_is_no_drive_refuses() {
        let file = File::open("/dev/null").unwrap();
        assert_eq!(ask(&file, "nvme0n1"), None);
        assert_eq!(ask(&file, "sda"), None);
    }
}
