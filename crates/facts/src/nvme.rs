//! Questions to an NVMe controller that change nothing (NVM Express Base Specification 2.0), asked through the kernel's
//! own door for them (Linux `include/uapi/linux/nvme_ioctl.h`).
//!
//! They take a right (CAP_SYS_ADMIN; since Linux 6.2 Identify only the right to open the controller) and a drive that is
//! really there.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The command as `NVME_IOCTL_ADMIN_CMD` takes it.
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
const IDENTIFY: u8 = 0x06;
const IDENTIFY_CONTROLLER: u32 = 0x01;
const GET_FEATURES: u8 = 0x0A;
const VOLATILE_WRITE_CACHE: u32 = 0x06;
const IDENTIFY_BYTES: usize = 4096;
/// Where Identify Controller says whether there is a volatile write cache (figure 275, VWC).
const VWC_BYTE: usize = 525;

/// Sends one admin command that reads, with dwords 10 and 11, and gives its result (dword 0 of the completion). What it
/// returns goes into `data`.
///
/// # Errors
/// What `ioctl(2)` gave; `Other` with the status where the drive itself refused.
pub fn admin(
    file: &File,
    opcode: u8,
    namespace: u32,
    dwords_10_11: [u32; 2],
    data: &mut [u8],
) -> io::Result<u32> {
    let mut command = AdminCommand {
        opcode,
        namespace,
        address: if data.is_empty() { 0 } else { data.as_mut_ptr() as u64 },
        data_bytes: data.len() as u32,
        dwords_10_15: [dwords_10_11[0], dwords_10_11[1], 0, 0, 0, 0],
        // The kernel's own, a minute: it resets a controller whose administrative command takes longer than this.
        timeout_ms: 0,
        ..AdminCommand::default()
    };
    // SAFETY: the kernel reads and writes one command of this layout and writes at most `data_bytes` to `data`, which
    // lives and isn't touched until the call returns.
    let result = unsafe {
        libc::ioctl(file.as_raw_fd(), NVME_IOCTL_ADMIN_CMD as _, std::ptr::from_mut(&mut command))
    };
    match result {
        0 => Ok(command.result),
        status if status > 0 => Err(io::Error::other(format!("the drive refused: {status:#x}"))),
        _ => Err(io::Error::last_os_error()),
    }
}

/// A controller's volatile write cache, in its own words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteCache {
    /// It has one (Identify Controller, VWC bit 0).
    pub present: bool,
    /// And uses it (feature 06h, bit 0); `None` where it doesn't say, and there is none to use.
    pub enabled: Option<bool>,
}

impl WriteCache {
    /// Whether what was written and not flushed is lost with the power. A cache that doesn't say that it is off is on.
    pub fn is_volatile(self) -> bool {
        self.present && self.enabled != Some(false)
    }
}

/// Asks the controller at that node, such as `/dev/nvme0`.
///
/// # Errors
/// What opening it or the command gave; `InvalidData` for an empty answer, which some adapters give.
pub fn write_cache(controller: &Path) -> io::Result<WriteCache> {
    let flags = libc::O_CLOEXEC | libc::O_NONBLOCK;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(controller)?;
    let mut page = vec![0; IDENTIFY_BYTES];
    admin(&file, IDENTIFY, 0, [IDENTIFY_CONTROLLER, 0], &mut page)?;
    let present = has_volatile_cache(&page)?;
    let feature =
        || admin(&file, GET_FEATURES, 0, [VOLATILE_WRITE_CACHE, 0], &mut []).map(|r| r & 1 != 0);
    Ok(WriteCache { present, enabled: if present { feature().ok() } else { None } })
}

fn has_volatile_cache(page: &[u8]) -> io::Result<bool> {
    if page.iter().all(|byte| *byte == 0) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the controller said nothing"));
    }
    Ok(page[VWC_BYTE] & 1 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_as_long_as_its_number_says() {
        let bytes = (NVME_IOCTL_ADMIN_CMD >> 16) & 0x3FFF;
        assert_eq!(std::mem::size_of::<AdminCommand>(), bytes as usize);
    }

    #[test]
    fn one_bit_of_identify_says_whether_there_is_a_cache() {
        let mut page = vec![0; IDENTIFY_BYTES];
        assert!(has_volatile_cache(&page).is_err(), "an empty page says nothing");
        page[0] = 0x4D;
        assert!(!has_volatile_cache(&page).unwrap());
        // Bits 2:1 say how Flush treats all namespaces.
        page[525] = 0b110;
        assert!(!has_volatile_cache(&page).unwrap());
        page[525] = 0b111;
        assert!(has_volatile_cache(&page).unwrap());
    }

    #[test]
    fn a_cache_that_is_off_or_absent_is_not_volatile() {
        for (present, enabled, volatile) in [
            (true, Some(true), true),
            (true, None, true),
            (true, Some(false), false),
            (false, None, false),
        ] {
            assert_eq!(WriteCache { present, enabled }.is_volatile(), volatile);
        }
    }

    #[test]
    fn what_is_no_controller_refuses() {
        assert!(write_cache(Path::new("/dev/null")).is_err());
        assert!(write_cache(Path::new("/dev/no-such-controller")).is_err());
    }
}
