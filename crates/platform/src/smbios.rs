//! Memory devices in SMBIOS tables (DMTF DSP0134, System Management BIOS Reference, section 7.18).

use narrows_model::Dimm;

/// One structure: its formatted part, which begins with type and length, and its strings.
pub(crate) struct Structure<'a> {
    formatted: &'a [u8],
    strings: Vec<&'a [u8]>,
}

/// Walks a table; stops where it is damaged.
pub(crate) fn structures(table: &[u8]) -> impl Iterator<Item = Structure<'_>> {
    let mut rest = table;
    std::iter::from_fn(move || {
        let length = usize::from(*rest.get(1)?);
        if length < 4 || length > rest.len() {
            return None;
        }
        let (formatted, after) = rest.split_at(length);
        // Strings end with NUL, the set of them with one more; a structure without strings has two NULs.
        let end = after.windows(2).position(|pair| pair == [0, 0])?;
        let strings = after[..end].split(|&byte| byte == 0).collect();
        rest = &after[end + 2..];
        Some(Structure { formatted, strings })
    })
}

/// The module of a type-17 structure; `None` for other types, and for flash chips that are not memory modules.
pub(crate) fn memory_device(structure: Structure<'_>) -> Option<Dimm> {
    const MEMORY_DEVICE: u8 = 17;
    if structure.byte(0)? != MEMORY_DEVICE {
        return None;
    }
    let kind = structure.byte(0x12).and_then(kind_name);
    let size_bytes = match structure.word(0x0C)? {
        0 | 0xFFFF => None,
        0x7FFF => structure.double(0x1C).map(|mib| u64::from(mib & 0x7FFF_FFFF) << 20),
        kib if kib & 0x8000 != 0 => Some(u64::from(kib & 0x7FFF) << 10),
        mib => Some(u64::from(mib) << 20),
    };
    let occupied = size_bytes.is_some();
    Some(Dimm {
        locator: structure.byte(0x10).and_then(|index| structure.string(index)),
        size_bytes,
        kind: kind.filter(|_| occupied).map(str::to_string),
        rated_mts: structure.speed(0x15, 0x54).filter(|_| occupied),
        configured_mts: structure.speed(0x20, 0x58).filter(|_| occupied),
    })
}

fn kind_name(code: u8) -> Option<&'static str> {
    const KINDS: [(u8, &str); 15] = [
        (0x0F, "SDRAM"),
        (0x12, "DDR"),
        (0x13, "DDR2"),
        (0x14, "DDR2 FB-DIMM"),
        (0x18, "DDR3"),
        (0x1A, "DDR4"),
        (0x1B, "LPDDR"),
        (0x1D, "LPDDR3"),
        (0x1E, "LPDDR4"),
        (0x1F, "Logical non-volatile device"),
        (0x20, "HBM"),
        (0x21, "HBM2"),
        (0x22, "DDR5"),
        (0x23, "LPDDR5"),
        (0x24, "HBM3"),
    ];
    KINDS.iter().find(|(number, _)| *number == code).map(|(_, name)| *name)
}

impl Structure<'_> {
    // Older versions of the standard have shorter structures; what is beyond the end is unknown.
    fn byte(&self, offset: usize) -> Option<u8> {
        self.formatted.get(offset).copied()
    }

    fn word(&self, offset: usize) -> Option<u16> {
        let bytes = self.formatted.get(offset..offset + 2)?;
        Some(u16::from_le_bytes(bytes.try_into().ok()?))
    }

    fn double(&self, offset: usize) -> Option<u32> {
        let bytes = self.formatted.get(offset..offset + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    }

    fn speed(&self, offset: usize, extended: usize) -> Option<u32> {
        match self.word(offset)? {
            0 => None,
            0xFFFF => self.double(extended).map(|mts| mts & 0x7FFF_FFFF).filter(|&mts| mts > 0),
            mts => Some(u32::from(mts)),
        }
    }

    /// Strings are numbered from 1; 0 is none.
    fn string(&self, index: u8) -> Option<String> {
        let bytes = self.strings.get(usize::from(index).checked_sub(1)?)?;
        let text = String::from_utf8_lossy(bytes).trim().to_string();
        (!text.is_empty()).then_some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(size: u16, extended_mib: u32, speed: u16, configured: u16) -> Vec<u8> {
        let mut bytes = vec![0u8; 0x28];
        bytes[0] = 17;
        bytes[1] = 0x28;
        bytes[0x0C..0x0E].copy_from_slice(&size.to_le_bytes());
        bytes[0x10] = 2;
        bytes[0x12] = 0x22;
        bytes[0x15..0x17].copy_from_slice(&speed.to_le_bytes());
        bytes[0x1C..0x20].copy_from_slice(&extended_mib.to_le_bytes());
        bytes[0x20..0x22].copy_from_slice(&configured.to_le_bytes());
        bytes.extend(b"BANK 0\0DIMM_A1\0\0");
        bytes
    }

    #[test]
    fn a_table_of_large_small_and_empty_slots() {
        let mut table = vec![1, 4, 0, 0, 0, 0];
        table.extend(device(0x7FFF, 65536, 5600, 4800));
        table.extend(device(16384, 0, 3200, 0));
        table.extend(device(0, 0, 4800, 4800));
        table.extend([127, 4, 1, 0, 0, 0]);
        let dimms: Vec<Dimm> = structures(&table).filter_map(memory_device).collect();
        assert_eq!(dimms.len(), 3);
        assert_eq!(dimms[0].locator.as_deref(), Some("DIMM_A1"));
        assert_eq!(dimms[0].size_bytes, Some(64 << 30));
        assert_eq!((dimms[0].rated_mts, dimms[0].configured_mts), (Some(5600), Some(4800)));
        assert_eq!(dimms[0].kind.as_deref(), Some("DDR5"));
        assert_eq!((dimms[1].size_bytes, dimms[1].configured_mts), (Some(16 << 30), None));
        assert_eq!((dimms[2].size_bytes, dimms[2].rated_mts, &dimms[2].kind), (None, None, &None));
    }

    #[test]
    fn damaged_tables_end_quietly() {
        let whole = device(16384, 0, 3200, 3200);
        for length in 0..whole.len() {
            let _ = structures(&whole[..length]).filter_map(memory_device).count();
        }
        assert_eq!(structures(&[17, 2, 0, 0, 0, 0]).count(), 0);
    }
}
