//! Counters of block devices (Linux `Documentation/admin-guide/iostats.rst`, `Documentation/block/stat.rst`).

use crate::counters::Counters;

/// The unit of these counters whatever the drive's own sectors are.
const SECTOR_BYTES: u64 = 512;

/// Counters of one device since boot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct DriveCounts {
    pub(crate) reads: u64,
    pub(crate) read_bytes: u64,
    pub(crate) writes: u64,
    pub(crate) write_bytes: u64,
    pub(crate) busy_ms: u64,
    /// Requests joined to others before they were sent, reads and writes.
    pub(crate) merges: u64,
    /// Since Linux 5.5.
    pub(crate) flushes: Option<u64>,
}

/// The counter file of one device. `None` if there is no such device or its counters are switched off, in which case
/// they stand still and would look like an idle drive.
pub(crate) fn open(name: &str) -> Option<Counters> {
    // Names with a slash (`cciss/c0d0`) have an exclamation mark there in /sys.
    let name = name.replace('/', "!");
    let switch = format!("/sys/class/block/{name}/queue/iostats");
    if std::fs::read_to_string(switch).is_ok_and(|text| text.trim() == "0") {
        return None;
    }
    let counters = Counters::open(&format!("/sys/class/block/{name}/stat"))?;
    parse(&counters.text()?).is_some().then_some(counters)
}

/// reads merged sectors ms, writes merged sectors ms, in-flight, busy ms, weighted ms, then (4.18) four of
/// discards, then (5.5) flushes and their ms.
pub(crate) fn parse(text: &str) -> Option<DriveCounts> {
    let numbers: Vec<u64> = text.split_whitespace().map_while(|word| word.parse().ok()).collect();
    let at = |index: usize| numbers.get(index).copied();
    Some(DriveCounts {
        reads: at(0)?,
        read_bytes: at(2)? * SECTOR_BYTES,
        writes: at(4)?,
        write_bytes: at(6)? * SECTOR_BYTES,
        busy_ms: at(9)?,
        merges: at(1)? + at(5)?,
        flushes: at(15),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_old_and_new_kernels() {
        let new = "  10 1 80 5 20 2 160 6 0 33 40 1 0 8 0 7 3\n";
        let counts = parse(new).unwrap();
        assert_eq!((counts.reads, counts.read_bytes), (10, 40960));
        assert_eq!((counts.writes, counts.write_bytes, counts.busy_ms), (20, 81920, 33));
        assert_eq!((counts.merges, counts.flushes), (3, Some(7)));
        // Linux 5.4: no flush columns, which is not the same as no flush.
        assert_eq!(parse("10 1 80 5 20 2 160 6 0 33 40 1 0 8 0").unwrap().flushes, None);
        assert_eq!(parse("10 1 80 5"), None);
    }

    #[test]
    fn no_device_no_counters() {
        assert!(open("no-such-device").is_none());
        assert!(open("../../proc").is_none());
    }
}
