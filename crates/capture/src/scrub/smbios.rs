//! The firmware's tables (DMTF DSP0134) without what names the machine: of the kinds of structure that describe hardware,
//! and of their texts those that describe it too. Everything else is blank.

/// Kinds that are kept, with the places of the texts in them that are kept.
const KEPT: &[(u8, &[usize])] = &[
    // BIOS: vendor, version, date.
    (0, &[0x04, 0x05, 0x08]),
    // Processor: socket, maker, version, part number.
    (4, &[0x04, 0x07, 0x10, 0x22]),
    // Cache: its name.
    (7, &[0x04]),
    // Slot: its name.
    (9, &[0x04]),
    // Memory array, device, mapped addresses: slot, bank, maker, part number, firmware.
    (16, &[]),
    (17, &[0x10, 0x11, 0x17, 0x1A, 0x2B]),
    (19, &[]),
    (20, &[]),
    (127, &[]),
];

/// A processor's own number, in the structure itself.
const PROCESSOR_ID: (u8, std::ops::Range<usize>) = (4, 0x08..0x10);

/// The tables, or one entry of them, with only what is kept. Stops where they are damaged.
pub(super) fn scrub(table: &[u8]) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut rest = table;
    while let Some(length) = rest.get(1).map(|length| usize::from(*length)) {
        if length < 4 || length > rest.len() {
            break;
        }
        let (formatted, after) = rest.split_at(length);
        let Some(end) = after.windows(2).position(|pair| pair == [0, 0]) else { break };
        if let Some((_, places)) = KEPT.iter().find(|(kind, _)| *kind == formatted[0]) {
            structure(formatted, &after[..end], places, &mut kept);
        }
        rest = &after[end + 2..];
    }
    kept
}

fn structure(formatted: &[u8], strings: &[u8], places: &[usize], kept: &mut Vec<u8>) {
    let shown: Vec<usize> =
        places.iter().filter_map(|place| formatted.get(*place).map(|n| usize::from(*n))).collect();
    let mut formatted = formatted.to_vec();
    let (kind, own) = PROCESSOR_ID;
    if formatted[0] == kind
        && let Some(bytes) = formatted.get_mut(own)
    {
        bytes.fill(0);
    }
    kept.extend(formatted);
    for (index, text) in strings.split(|byte| *byte == 0).enumerate() {
        // Numbered from 1; a text that went keeps its place, and can't be empty.
        let text = if shown.contains(&(index + 1)) || text.is_empty() { text } else { b"-" };
        kept.extend(text);
        kept.push(0);
    }
    // Without any text the set of them is one more NUL, which the empty text above was.
    kept.push(0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_stay_and_serial_numbers_and_other_structures_go() {
        let mut table = vec![1, 4, 0, 0];
        table.extend(b"Maker\0Model\0SYS-SERIAL\0\0");
        let mut memory = vec![0u8; 0x28];
        (memory[0], memory[1]) = (17, 0x28);
        (memory[0x10], memory[0x17], memory[0x18], memory[0x19], memory[0x1A]) = (1, 2, 3, 4, 5);
        table.extend(&memory);
        table.extend(b"DIMM_A1\0Samsung\0DIMM-SERIAL\0ASSET-7\0M321R8GA0\0\0");
        table.extend([127, 4, 1, 0, 0, 0]);
        let mut expected = memory;
        expected.extend(b"DIMM_A1\0Samsung\0-\0-\0M321R8GA0\0\0");
        expected.extend([127, 4, 1, 0, 0, 0]);
        assert_eq!(scrub(&table), expected);
        assert_eq!(scrub(&expected), expected, "what is clean stays");
    }

    #[test]
    fn damaged_tables_end() {
        let table = [17, 4, 0, 0, b'x', 0, 0, 4, 200, 0];
        for length in 0..table.len() {
            assert!(scrub(&table[..length]).len() <= length + 1);
        }
    }
}
