//! What a drive counts of its own power: how often it was switched on, and how often it lost its power unannounced.
//!
//! NVMe: SMART / Health Information (NVM Express Base Specification 2.0, log page 02h: Power Cycles, Unsafe Shutdowns). ATA: SMART READ
//! DATA, attribute 12 (power cycles) and, where there is one, 174 (unexpected losses of power); attributes are the vendors' own, and
//! these two are in use by all. Both take the right to open the drive (root), and a drive that is really there.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::{Source, nvme};

/// What a drive counts, since it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PowerCounts {
    /// Times it was switched on.
    pub cycles: u64,
    /// Times it lost its power without being told before; absent where it doesn't count that.
    pub unannounced: Option<u64>,
}

const GET_LOG_PAGE: u8 = 0x02;
const ALL_NAMESPACES: u32 = 0xFFFF_FFFF;
const HEALTH: u32 = 0x02;
const HEALTH_BYTES: usize = 512;
const POWER_CYCLES_AT: usize = 112;
const UNSAFE_SHUTDOWNS_AT: usize = 144;

/// `SG_IO` (Linux `include/scsi/sg.h`).
const SG_IO: u32 = 0x2285;
const SG_DXFER_FROM_DEV: i32 = -3;
const ATA_PASS_THROUGH_16: u8 = 0x85;
const ATA_SMART: u8 = 0xB0;
const SMART_READ_DATA: u8 = 0xD0;
const PAGE_BYTES: usize = 512;
const POWER_CYCLES: u8 = 12;
const UNEXPECTED_LOSSES: u8 = 174;

/// Of the drive that the kernel calls `name` (`nvme0n1`, `sda`).
///
/// # Errors
/// No right to ask, a drive of another kind, or one that doesn't say.
pub fn counts(name: &str) -> io::Result<PowerCounts> {
    let open = |node: PathBuf| {
        let flags = libc::O_CLOEXEC | libc::O_NONBLOCK;
        OpenOptions::new().read(true).custom_flags(flags).open(node)
    };
    if let Some(controller) = controller_of(name) {
        of_nvme(&open(Path::new("/dev").join(controller))?)
    } else if name.starts_with("sd") {
        of_ata(&open(Path::new("/dev").join(name))?)
    } else {
        Err(io::Error::new(io::ErrorKind::Unsupported, "neither an NVMe nor a SATA drive"))
    }
}

/// What tells a drive from others whatever the kernel calls it, not to be shown: its serial number or world wide name.
pub fn identity(source: &dyn Source, name: &str) -> Option<String> {
    let files = ["device/serial", "wwid", "device/wwid"];
    let texts = files.iter().filter_map(|file| source.text(&format!("/sys/block/{name}/{file}")));
    texts.map(|text| text.trim().to_string()).find(|text| !text.is_empty())
}

/// `nvme0` of `nvme0n1`; a path of several to one namespace has no controller of its own here.
fn controller_of(name: &str) -> Option<&str> {
    let (controller, namespace) = name.strip_prefix("nvme")?.split_once('n')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    (digits(controller) && digits(namespace)).then(|| &name[..4 + controller.len()])
}

fn of_nvme(controller: &File) -> io::Result<PowerCounts> {
    let mut page = vec![0; HEALTH_BYTES];
    // Number of dwords less one in the upper half.
    let dwords = ((HEALTH_BYTES as u32 / 4 - 1) << 16) | HEALTH;
    nvme::admin(controller, GET_LOG_PAGE, ALL_NAMESPACES, [dwords, 0], &mut page)?;
    health(&page)
}

fn health(page: &[u8]) -> io::Result<PowerCounts> {
    let counter = |at: usize| {
        let bytes = page.get(at..at + 16).and_then(|bytes| bytes.try_into().ok());
        let count = u128::from_le_bytes(bytes.unwrap_or([0; 16]));
        u64::try_from(count).unwrap_or(u64::MAX)
    };
    let cycles = counter(POWER_CYCLES_AT);
    // A drive that answers was switched on once.
    if cycles == 0 {
        return Err(silent());
    }
    Ok(PowerCounts { cycles, unannounced: Some(counter(UNSAFE_SHUTDOWNS_AT)) })
}

fn silent() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the drive doesn't count its power cycles")
}

/// `sg_io_hdr`.
#[repr(C)]
struct ScsiRequest {
    interface: i32,
    direction: i32,
    command_bytes: u8,
    sense_bytes: u8,
    pieces: u16,
    data_bytes: u32,
    data: *mut u8,
    command: *mut u8,
    sense: *mut u8,
    timeout_ms: u32,
    flags: u32,
    pack_id: i32,
    user: *mut u8,
    status: u8,
    masked_status: u8,
    message_status: u8,
    sense_written: u8,
    host_status: u16,
    driver_status: u16,
    missing_bytes: i32,
    duration_ms: u32,
    info: u32,
}

fn of_ata(drive: &File) -> io::Result<PowerCounts> {
    let mut page = vec![0u8; PAGE_BYTES];
    let mut sense = [0u8; 32];
    // Data in by PIO; the length is in the sector count, in blocks, from the device.
    let mut command = [0u8; 16];
    (command[0], command[1], command[2]) = (ATA_PASS_THROUGH_16, 4 << 1, 0x0E);
    (command[4], command[6]) = (SMART_READ_DATA, 1);
    (command[10], command[12], command[14]) = (0x4F, 0xC2, ATA_SMART);
    let mut request = ScsiRequest {
        interface: i32::from(b'S'),
        direction: SG_DXFER_FROM_DEV,
        command_bytes: command.len() as u8,
        sense_bytes: sense.len() as u8,
        pieces: 0,
        data_bytes: page.len() as u32,
        data: page.as_mut_ptr(),
        command: command.as_mut_ptr(),
        sense: sense.as_mut_ptr(),
        timeout_ms: 10_000,
        flags: 0,
        pack_id: 0,
        user: std::ptr::null_mut(),
        status: 0,
        masked_status: 0,
        message_status: 0,
        sense_written: 0,
        host_status: 0,
        driver_status: 0,
        missing_bytes: 0,
        duration_ms: 0,
        info: 0,
    };
    // SAFETY: the kernel reads and writes one request of this layout, reads the command and writes at most as many bytes to data
    // and sense as the request says; all of them live and aren't touched until the call returns.
    let result =
        unsafe { libc::ioctl(drive.as_raw_fd(), SG_IO as _, std::ptr::from_mut(&mut request)) };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    if request.status != 0 || request.host_status != 0 || request.driver_status & 0x0F != 0 {
        return Err(io::Error::other("the drive refused SMART READ DATA"));
    }
    smart(&page)
}

fn smart(page: &[u8]) -> io::Result<PowerCounts> {
    // 30 attributes of 12 bytes behind a revision number: id, flags 2, value, worst, raw 6, reserved.
    let attributes = page.get(2..362).unwrap_or_default().chunks_exact(12);
    let raw = |wanted: u8| {
        let found = attributes.clone().find(|attribute| attribute[0] == wanted)?;
        let mut bytes = [0; 8];
        // The upper two of the six bytes are some vendors' own.
        bytes[..4].copy_from_slice(&found[5..9]);
        Some(u64::from_le_bytes(bytes))
    };
    match raw(POWER_CYCLES) {
        Some(cycles @ 1..) => Ok(PowerCounts { cycles, unannounced: raw(UNEXPECTED_LOSSES) }),
        _ => Err(silent()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counters_of_a_health_page_are_read() {
        let mut page = vec![0; HEALTH_BYTES];
        assert!(health(&page).is_err(), "a page of zeros says nothing");
        page[112..114].copy_from_slice(&517u16.to_le_bytes());
        page[144] = 31;
        let counts = PowerCounts { cycles: 517, unannounced: Some(31) };
        assert_eq!(health(&page).unwrap(), counts);
    }

    #[test]
    fn the_attributes_of_a_sata_drive_are_read_wherever_they_stand() {
        let mut page = vec![0; PAGE_BYTES];
        assert!(smart(&page).is_err());
        let mut attribute = |place: usize, id: u8, raw: u32| {
            let at = 2 + place * 12;
            page[at] = id;
            page[at + 5..at + 9].copy_from_slice(&raw.to_le_bytes());
            // What is above is not the count's.
            page[at + 9] = 0xFF;
        };
        attribute(0, 9, 12_345);
        attribute(3, POWER_CYCLES, 70_000);
        let cycles = smart(&page).unwrap();
        assert_eq!(cycles, PowerCounts { cycles: 70_000, unannounced: None });
        let mut attribute = |place: usize, id: u8, raw: u32| {
            let at = 2 + place * 12;
            page[at] = id;
            page[at + 5..at + 9].copy_from_slice(&raw.to_le_bytes());
        };
        attribute(29, UNEXPECTED_LOSSES, 4);
        assert_eq!(smart(&page).unwrap().unannounced, Some(4));
    }

    #[test]
    fn a_namespace_leads_to_its_controller() {
        assert_eq!(controller_of("nvme0n1"), Some("nvme0"));
        assert_eq!(controller_of("nvme12n3"), Some("nvme12"));
        for other in ["nvme0c1n1", "nvme0", "sda", "nvmen1", "vda"] {
            assert_eq!(controller_of(other), None, "{other}");
        }
        assert!(counts("vda").is_err() && counts("nvme987n1").is_err());
    }

    #[test]
    fn what_is_no_drive_refuses() {
        let null = File::open("/dev/null").unwrap();
        assert!(of_nvme(&null).is_err() && of_ata(&null).is_err());
        // 64-bit Linux: as the kernel's headers lay it out.
        assert_eq!(std::mem::size_of::<ScsiRequest>(), 88);
    }
}
