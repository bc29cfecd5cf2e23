//! Which machine this is, and which of its boots.

use narrows_facts::Source;

/// A digest of the machine's id, which itself is not to be shown (machine-id(5)); `None` where there is none.
pub fn machine_digest(source: &dyn Source) -> Option<String> {
    source.text("/etc/machine-id").map(|id| digest(&id))
}

/// A digest of the serial number or world wide name of the drive that the kernel calls `name`.
pub fn drive_digest(source: &dyn Source, name: &str) -> Option<String> {
    narrows_facts::power::identity(source, name).map(|id| digest(&id))
}

/// The kernel's random id of this boot (random(4)); containers share their host's.
pub fn boot_id(source: &dyn Source) -> Option<String> {
    source.text("/proc/sys/kernel/random/boot_id")
}

/// FNV-1a, 64 bits: tells machines apart and doesn't show the id.
fn digest(text: &str) -> String {
    let hash = text.bytes().fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    });
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_itself_is_not_shown() {
        // The published test value of FNV-1a for `a`.
        assert_eq!(digest("a"), "af63dc4c8601ec8c");
        assert_ne!(digest("0123456789abcdef"), digest("0123456789abcdee"));
    }
}
