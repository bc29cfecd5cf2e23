//! What tells a device from every other: its serial, or the next best.

use std::fmt;

use narrows_facts::Source;

use crate::family::{Family, folder, world_wide_name};

/// A device's identity, and what the user has to say to consent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identity {
    /// The drive's serial number.
    Serial(String),
    /// It tells no serial, but a world-wide name.
    WorldWideName(String),
    /// A device of the device mapper, by its uuid.
    Uuid(String),
    /// It has neither; its size in bytes stands in.
    NoSerial {
        /// Bytes.
        size_bytes: u64,
    },
}

impl Identity {
    /// What has to be said: the serial, the name, or `size=` and the bytes.
    pub fn phrase(&self) -> String {
        match self {
            Identity::Serial(text) | Identity::WorldWideName(text) | Identity::Uuid(text) => {
                text.clone()
            }
            Identity::NoSerial { size_bytes } => format!("size={size_bytes}"),
        }
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Identity::Serial(text) => write!(f, "serial {text}"),
            Identity::WorldWideName(text) => write!(f, "no serial, world-wide name {text}"),
            Identity::Uuid(text) => write!(f, "no serial, uuid {text}"),
            Identity::NoSerial { size_bytes } => write!(f, "no serial, {size_bytes} bytes"),
        }
    }
}

/// The identity of a whole device; for a partition the caller names its disk.
pub(crate) fn identity(source: &dyn Source, disk: &str, size_bytes: u64) -> Identity {
    let folder = folder(disk);
    let number = source.text(&format!("{folder}/dev")).unwrap_or_default();
    serial(source, &folder, &number)
        .map(Identity::Serial)
        .or_else(|| world_wide_name(source, disk).map(Identity::WorldWideName))
        .or_else(|| source.text(&format!("{folder}/dm/uuid")).map(Identity::Uuid))
        .unwrap_or(Identity::NoSerial { size_bytes })
}

/// Other whole devices with the same identity: of the same size and without a serial each, or with one serial. Other paths to the same
/// drive, namespaces of one NVMe controller (which share its serial) and devices whose name was chosen by hand (loop devices, those in
/// memory) are none.
pub(crate) fn alike(
    source: &dyn Source,
    disk: &str,
    size_bytes: u64,
    family: &Family,
) -> Vec<String> {
    let by_hand = |name: &str| {
        ["loop", "ram", "zram", "nvme", "dm-", "md", "sr", "fd"]
            .iter()
            .any(|kind| name.starts_with(kind))
    };
    if by_hand(disk) {
        return Vec::new();
    }
    let own = identity(source, disk, size_bytes);
    let names = source.list("/sys/block").unwrap_or_default();
    let others = names.into_iter().filter(|name| {
        name != disk && !by_hand(name) && !family.members.iter().any(|m| m.name == *name)
    });
    others
        .filter(|name| {
            let sectors = source.number::<u64>(&format!("{}/size", folder(name)));
            let size = sectors.and_then(|sectors| sectors.checked_mul(512)).unwrap_or(0);
            size == size_bytes && identity(source, name, size) == own
        })
        .collect()
}

/// virtio keeps it at the device, NVMe at the controller, SCSI and SATA in a page of vital product data, USB adapters
/// somewhere above; udev's database is what an old kernel leaves.
fn serial(source: &dyn Source, folder: &str, number: &str) -> Option<String> {
    let meaningful = |text: &String| !text.bytes().all(|byte| matches!(byte, b'0' | b' '));
    let own = ["serial", "device/serial"]
        .into_iter()
        .find_map(|file| source.text(&format!("{folder}/{file}")).filter(meaningful));
    own.or_else(|| {
        vital(&source.read(&format!("{folder}/device/vpd_pg80")).ok()?).filter(meaningful)
    })
    .or_else(|| usb(source, folder).filter(meaningful))
    .or_else(|| {
        let record = source.text(&format!("/run/udev/data/b{number}"))?;
        let line = record.lines().find_map(|line| line.strip_prefix("E:ID_SERIAL_SHORT="))?;
        Some(line.trim().to_string()).filter(meaningful)
    })
}

/// The page `80h`: four bytes of header, the last two of them the length (SPC-5, 7.7.21).
fn vital(page: &[u8]) -> Option<String> {
    let length = usize::from(u16::from_be_bytes([*page.get(2)?, *page.get(3)?]));
    let text = page.get(4..4 + length).or_else(|| page.get(4..))?;
    let text = String::from_utf8_lossy(text);
    let text = text.trim_matches(|c: char| c == '\0' || c.is_whitespace());
    (page.get(1) == Some(&0x80) && !text.is_empty()).then(|| text.to_string())
}

/// The nearest USB device above.
fn usb(source: &dyn Source, folder: &str) -> Option<String> {
    let mut path = source.real_path(&format!("{folder}/device")).ok()?;
    while path.len() > "/sys/devices".len() {
        if source.exists(&format!("{path}/idVendor")) {
            return source.text(&format!("{path}/serial"));
        }
        path.truncate(path.rfind('/')?);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vital_product_data() {
        assert_eq!(vital(b"\0\x80\0\x08  S3X12 ").as_deref(), Some("S3X12"));
        assert_eq!(vital(b"\0\x80\0\x40S3X12").as_deref(), Some("S3X12"), "cut off");
        assert_eq!(vital(b"\0\x83\0\x05S3X12"), None, "another page");
        assert_eq!(vital(b"\0\x80\0\x04    "), None);
        assert_eq!(vital(b"\0\x80"), None);
    }

    #[test]
    fn what_has_to_be_said() {
        assert_eq!(Identity::Serial("S3X".into()).phrase(), "S3X");
        assert_eq!(Identity::NoSerial { size_bytes: 42 }.phrase(), "size=42");
    }
}
