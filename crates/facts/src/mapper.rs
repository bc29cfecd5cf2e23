//! What device-mapper devices are made of (Linux `include/uapi/linux/dm-ioctl.h`, version 4), asked without changing anything. It takes
//! root (CAP_SYS_ADMIN).
//!
//! The kernel's table of an encrypted device has its key in it: of every target only the words named here are kept.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

const CONTROL: &str = "/dev/mapper/control";
/// `_IOWR(0xfd, 12, struct dm_ioctl)`.
const DM_TABLE_STATUS: u32 = 0xC138_FD0C;
/// The table that the device was made with, instead of its state.
const STATUS_TABLE_FLAG: u32 = 1 << 4;
/// Without waiting for what is on its way.
const NOFLUSH_FLAG: u32 = 1 << 11;
/// The answer didn't fit.
const BUFFER_FULL_FLAG: u32 = 1 << 8;
/// `struct dm_ioctl`.
const HEAD_BYTES: usize = 312;
/// `struct dm_target_spec`.
const TARGET_BYTES: usize = 40;
/// Much more than a table of a thousand stretches.
const BUFFER_BYTES: usize = 256 << 10;
/// Where fields of the head are.
const DATA_SIZE: usize = 12;
const DATA_START: usize = 16;
const TARGET_COUNT: usize = 20;
const FLAGS: usize = 28;
const DEVICE: usize = 40;

/// The targets of the device with this number (`253:0`): `striped 2097152 stripes=2 chunk=128; linear 8192`, sizes in sectors of 512
/// bytes.
///
/// # Errors
/// What opening or `ioctl(2)` gave; `InvalidInput` for what is no number of a device, `InvalidData` for an answer that isn't understood.
pub fn targets(number: &str) -> io::Result<String> {
    let device = encoded(number).ok_or(io::ErrorKind::InvalidInput)?;
    let control = File::options().read(true).write(true).open(CONTROL)?;
    let mut buffer = vec![0u8; BUFFER_BYTES];
    let mut put = |at: usize, value: u32| buffer[at..at + 4].copy_from_slice(&value.to_ne_bytes());
    put(0, 4);
    put(DATA_SIZE, BUFFER_BYTES as u32);
    put(DATA_START, HEAD_BYTES as u32);
    put(FLAGS, STATUS_TABLE_FLAG | NOFLUSH_FLAG);
    buffer[DEVICE..DEVICE + 8].copy_from_slice(&device.to_ne_bytes());
    // SAFETY: the kernel reads and writes at most the number of bytes that stands in the head, which is the buffer's length.
    let result =
        unsafe { libc::ioctl(control.as_raw_fd(), DM_TABLE_STATUS as _, buffer.as_mut_ptr()) };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    table_of_targets(&buffer)
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "no table of targets"))
}

/// As the kernel packs major and minor (`huge_encode_dev`).
fn encoded(number: &str) -> Option<u64> {
    let (major, minor) = number.split_once(':')?;
    let (major, minor): (u32, u32) = (major.parse().ok()?, minor.parse().ok()?);
    let packed = (minor & 0xff) | (major << 8) | ((minor & !0xff) << 12);
    (major < 1 << 12 && minor < 1 << 20).then_some(u64::from(packed))
}

/// The answer in the kernel's buffer; `None` where it isn't whole.
fn table_of_targets(buffer: &[u8]) -> Option<String> {
    let number = |at: usize| {
        let bytes = buffer.get(at..at.checked_add(4)?)?;
        Some(u32::from_ne_bytes(bytes.try_into().ok()?))
    };
    if number(FLAGS)? & BUFFER_FULL_FLAG != 0 {
        return None;
    }
    let data = buffer.get(number(DATA_START)? as usize..)?;
    let mut at = 0usize;
    let mut targets = Vec::new();
    for _ in 0..number(TARGET_COUNT)? {
        let target = data.get(at..)?;
        let length = u64::from_ne_bytes(target.get(8..16)?.try_into().ok()?);
        let next = u32::from_ne_bytes(target.get(20..24)?.try_into().ok()?) as usize;
        let kind = text(target.get(24..TARGET_BYTES)?);
        targets.push(words(&kind, length, &text(target.get(TARGET_BYTES..)?)));
        // Counted from the start of the data; a ring would never end.
        if next <= at && targets.len() < number(TARGET_COUNT)? as usize {
            return None;
        }
        at = next;
    }
    Some(targets.join("; "))
}

fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// What of one target's parameters says how it works; devices, offsets and keys are left out.
fn words(kind: &str, sectors: u64, parameters: &str) -> String {
    let parameters: Vec<&str> = parameters.split_whitespace().collect();
    let at = |index: usize| parameters.get(index).copied();
    let known = match kind {
        "striped" => vec![("stripes", at(0)), ("chunk", at(1))],
        "crypt" => vec![("cipher", at(0))],
        "raid" => vec![("mode", at(0))],
        "thin-pool" => vec![("chunk", at(2))],
        "cache" => {
            let features = at(4).and_then(|count| count.parse().ok()).unwrap_or(0);
            let features = parameters.iter().skip(5).take(features);
            let modes = ["writeback", "writethrough", "passthrough"];
            vec![("chunk", at(3)), ("mode", features.copied().find(|word| modes.contains(word)))]
        }
        _ => Vec::new(),
    };
    let plain = |value: &&str| {
        value.len() <= 64 && value.bytes().all(|b| b.is_ascii_graphic() && b != b';' && b != b'=')
    };
    let mut out = format!("{kind} {sectors}");
    for (name, value) in known {
        if let Some(value) = value.filter(plain) {
            out += &format!(" {name}={value}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the kernel lays it out.
    fn buffer(targets: &[(u64, &str, &str)]) -> Vec<u8> {
        let mut out = vec![0u8; HEAD_BYTES];
        out[DATA_START..DATA_START + 4].copy_from_slice(&(HEAD_BYTES as u32).to_ne_bytes());
        let count = targets.len() as u32;
        out[TARGET_COUNT..TARGET_COUNT + 4].copy_from_slice(&count.to_ne_bytes());
        for (sectors, kind, parameters) in targets {
            let mut target = vec![0u8; TARGET_BYTES];
            target[8..16].copy_from_slice(&sectors.to_ne_bytes());
            target[24..24 + kind.len()].copy_from_slice(kind.as_bytes());
            target.extend(parameters.as_bytes());
            target.push(0);
            target.resize(target.len().next_multiple_of(8), 0);
            let next = (out.len() + target.len() - HEAD_BYTES) as u32;
            target[20..24].copy_from_slice(&next.to_ne_bytes());
            out.extend(target);
        }
        out
    }

    #[test]
    fn targets_of_each_kind_without_devices_and_keys() {
        let key = "0123456789abcdef".repeat(4);
        let said = table_of_targets(&buffer(&[
            (2048, "linear", "8:2 384"),
            (4096, "striped", "2 128 8:16 0 8:32 0"),
            (64, "crypt", &format!("aes-xts-plain64 {key} 0 8:3 4096")),
            (8, "cache", "253:1 253:2 253:3 512 2 metadata2 writeback smq 0"),
            (8, "cache", "253:1 253:2 253:3 512 0 smq 0"),
            (8, "thin-pool", "253:4 253:5 256 0 1 skip_block_zeroing"),
            (8, "raid", "raid5_ls 3 64 region_size 1024 3 253:6 253:7"),
            (8, "multipath", "0 0 1 1 service-time 0 2 2 8:16 1 1 8:32 1 1"),
        ]))
        .unwrap();
        assert_eq!(
            said,
            "linear 2048; striped 4096 stripes=2 chunk=128; crypt 64 cipher=aes-xts-plain64; \
             cache 8 chunk=512 mode=writeback; cache 8 chunk=512; thin-pool 8 chunk=256; \
             raid 8 mode=raid5_ls; multipath 8"
        );
        assert_eq!(table_of_targets(&buffer(&[])).as_deref(), Some(""));
    }

    #[test]
    fn an_answer_that_is_cut_off_or_goes_round_is_none() {
        let whole = buffer(&[(1, "linear", "8:2 0"), (2, "linear", "8:2 1")]);
        for length in 0..HEAD_BYTES + TARGET_BYTES {
            assert_eq!(table_of_targets(&whole[..length]), None, "{length}");
        }
        let mut round = whole.clone();
        round[HEAD_BYTES + 20..HEAD_BYTES + 24].copy_from_slice(&0u32.to_ne_bytes());
        assert_eq!(table_of_targets(&round), None);
        let mut full = whole;
        full[FLAGS..FLAGS + 4].copy_from_slice(&BUFFER_FULL_FLAG.to_ne_bytes());
        assert_eq!(table_of_targets(&full), None);
    }

    #[test]
    fn numbers_of_devices() {
        assert_eq!(encoded("253:0"), Some(0xfd00));
        assert_eq!(encoded("253:300"), Some(0x10_0000 | 0xfd00 | 0x2c));
        for wrong in ["", "253", "a:b", "253:-1", "5000:0"] {
            assert_eq!(encoded(wrong), None, "{wrong}");
        }
        assert!(targets("nonsense").is_err());
    }
}
