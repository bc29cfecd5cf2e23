//! The one bit of a PCI function's configuration space that no file of `/sys` tells: whether its link is in flit mode.
//!
//! Layout: Linux `include/uapi/linux/pci_regs.h` (`PCI_CAPABILITY_LIST`, `PCI_CAP_ID_EXP`, `PCI_EXP_FLAGS_VERS`, `PCI_EXP_LNKSTA2`,
//! `PCI_EXP_LNKSTA2_FLIT`), after the PCI Express Base Specification 6.0, Link Status 2. The kernel shows 64 bytes to everybody and what
//! follows to root, because some devices do not stand it that undefined registers are read. So nothing is read but the chain of
//! capabilities and the registers meant.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

const STATUS: u64 = 0x06;
const HAS_CAPABILITIES: u16 = 1 << 4;
const FIRST_CAPABILITY: u64 = 0x34;
/// Below it stands the header.
const HEADER_BYTES: u64 = 0x40;
const PCI_EXPRESS: u8 = 0x10;
/// A capability takes four bytes or more of the 192 after the header: a longer chain goes round in a circle.
const MAX_CAPABILITIES: usize = 48;
/// From the capability's start.
const FLAGS: u64 = 0x02;
const LINK_STATUS_2: u64 = 0x32;
/// Since this version of the capability there is a second link status.
const SECOND_VERSION: u16 = 2;
const FLIT_MODE: u16 = 1 << 10;

/// Whether the link of the function at `address` is in flit mode now. A function that sleeps is left asleep.
///
/// # Errors
/// `EPERM` for who isn't root; `InvalidData` where there is no such capability or the function doesn't answer.
pub(crate) fn flit_mode(address: &str) -> io::Result<bool> {
    let folder = format!("/sys/bus/pci/devices/{address}");
    let power = std::fs::read_to_string(format!("{folder}/power/runtime_status"));
    if power.is_ok_and(|status| status.trim() == "suspended") {
        return Err(bad("the function sleeps"));
    }
    in_flits(&File::open(format!("{folder}/config"))?)
}

fn in_flits(space: &File) -> io::Result<bool> {
    let word = |at: u64| Ok::<u16, io::Error>(u16::from_le_bytes(read(space, at)?));
    let byte = |at: u64| Ok::<u64, io::Error>(u64::from(read::<1>(space, at)?[0]) & !3);
    if word(STATUS)? & HAS_CAPABILITIES == 0 {
        return Err(bad("no capabilities"));
    }
    let mut at = byte(FIRST_CAPABILITY)?;
    for _ in 0..MAX_CAPABILITIES {
        if at < HEADER_BYTES {
            break;
        }
        let [id, _] = read::<2>(space, at)?;
        if id != PCI_EXPRESS {
            at = byte(at + 1)?;
            continue;
        }
        if word(at + FLAGS)? & 0xf < SECOND_VERSION {
            return Ok(false);
        }
        let status = word(at + LINK_STATUS_2)?;
        return if status == u16::MAX {
            Err(bad("no answer"))
        } else {
            Ok(status & FLIT_MODE != 0)
        };
    }
    Err(bad("no PCI Express capability"))
}

fn read<const N: usize>(space: &File, at: u64) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    match space.read_exact_at(&mut bytes, at) {
        // The file ends after the header for who isn't root.
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof && at >= HEADER_BYTES => {
            Err(io::Error::from_raw_os_error(libc::EPERM))
        }
        read => read.map(|()| bytes),
    }
}

fn bad(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("configuration space: {why}"))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// A function with power management at 0x40 and PCI Express at 0x70.
    fn space(version: u8, link_status_2: u16) -> Vec<u8> {
        let mut bytes = vec![0; 256];
        bytes[STATUS as usize] = 0x10;
        bytes[FIRST_CAPABILITY as usize] = 0x40;
        bytes[0x40..0x42].copy_from_slice(&[0x01, 0x70]);
        bytes[0x70..0x73].copy_from_slice(&[PCI_EXPRESS, 0x00, version]);
        bytes[0xa2..0xa4].copy_from_slice(&link_status_2.to_le_bytes());
        bytes
    }

    fn of(bytes: &[u8]) -> Result<bool, io::Error> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        in_flits(&file)
    }

    #[test]
    fn the_bit_is_found_behind_other_capabilities() {
        assert!(of(&space(0x02, 0x0400)).unwrap());
        assert!(!of(&space(0x02, 0xfbff)).unwrap(), "every other bit");
        assert!(!of(&space(0x41, 0x0400)).unwrap(), "version 1 has no second status");
    }

    #[test]
    fn what_is_hidden_is_refused_as_the_kernel_refuses() {
        let error = of(&space(0x02, 0x0400)[..64]).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::EPERM));
    }

    #[test]
    fn a_function_that_has_no_answer_is_no_link_without_flits() {
        let mut circle = space(0x02, 0x0400);
        circle[0x41] = 0x40;
        let mut none = space(0x02, 0x0400);
        none[STATUS as usize] = 0;
        for bytes in [circle, none, vec![0xff; 256], space(0x02, 0xffff)] {
            assert_eq!(of(&bytes).unwrap_err().kind(), io::ErrorKind::InvalidData);
        }
    }
}
