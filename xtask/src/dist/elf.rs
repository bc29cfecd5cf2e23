//! Whether a program is static: it names no interpreter (ELF, program header `PT_INTERP`; elf(5)).

const PT_INTERP: u32 = 3;
const HEADER_BYTES: usize = 56;

/// The dynamic linker that a 64-bit little-endian program asks for; `None` for a static one.
pub(super) fn interpreter(file: &[u8]) -> Option<String> {
    let number = |at: usize, bytes: usize| -> Option<u64> {
        let mut all = [0; 8];
        all[..bytes].copy_from_slice(file.get(at..at + bytes)?);
        Some(u64::from_le_bytes(all))
    };
    let (table, count) = (number(32, 8)? as usize, number(56, 2)? as usize);
    let headers = (0..count).map(|index| table + index * HEADER_BYTES);
    let header = headers.into_iter().find(|at| number(*at, 4) == Some(u64::from(PT_INTERP)))?;
    let (from, length) = (number(header + 8, 8)? as usize, number(header + 32, 8)? as usize);
    let name = file.get(from..from + length)?;
    Some(String::from_utf8_lossy(name).trim_end_matches('\0').to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_program_asks_for_a_linker_and_no_program_for_none() {
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert!(interpreter(&own).is_some_and(|name| name.starts_with('/')));
        assert_eq!(interpreter(b"\x7fELF"), None);
    }
}
