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

/// Drives together.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DriveSeen {
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub write_bytes: u64,
    /// Read requests completed.
    pub reads: u64,
    /// Write requests completed.
    pub writes: u64,
    /// Flush requests completed; absent before Linux 5.5.
    pub flushes: Option<u64>,
    /// Requests joined to others before they were sent, reads and writes.
    pub merges: u64,
    /// Share of the window in which the busiest of them had at least one request, 0 to 1.
    pub busy: f64,
}

/// What happened between two looks at the same drives, `seconds` apart.
pub(crate) fn between(
    before: Option<&[DriveCounts]>,
    after: Option<&[DriveCounts]>,
    seconds: f64,
) -> Option<DriveSeen> {
    let (before, after) = (before?, after?);
    let mut seen = DriveSeen { flushes: Some(0), ..DriveSeen::default() };
    for (before, after) in before.iter().zip(after) {
        seen.read_bytes += after.read_bytes.checked_sub(before.read_bytes)?;
        seen.write_bytes += after.write_bytes.checked_sub(before.write_bytes)?;
        seen.reads += after.reads.checked_sub(before.reads)?;
        seen.writes += after.writes.checked_sub(before.writes)?;
        seen.merges += after.merges.checked_sub(before.merges)?;
        let flushes = after.flushes.zip(before.flushes).and_then(|(a, b)| a.checked_sub(b));
        seen.flushes = seen.flushes.zip(flushes).map(|(sum, count)| sum + count);
        let busy_s = after.busy_ms.saturating_sub(before.busy_ms) as f64 / 1000.0;
        let busy = if seconds > 0.0 { busy_s / seconds } else { 0.0 };
        // Its millisecond steps can lead the window by one.
        seen.busy = seen.busy.max(busy.min(1.0));
    }
    Some(seen)
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

    #[test]
    fn drives_add_up_and_the_busiest_counts() {
        let counts = |n: u64, flushes| DriveCounts {
            reads: n,
            read_bytes: n * 512,
            writes: 2 * n,
            write_bytes: n * 1024,
            busy_ms: n,
            merges: 3 * n,
            flushes,
        };
        let before = [counts(0, Some(1)), counts(100, Some(2))];
        let after = [counts(200, Some(4)), counts(600, Some(2))];
        let seen = between(Some(&before), Some(&after), 1.0).unwrap();
        assert_eq!((seen.reads, seen.writes, seen.merges), (700, 1400, 2100));
        assert_eq!((seen.read_bytes, seen.write_bytes), (700 * 512, 700 * 1024));
        assert_eq!(seen.flushes, Some(3));
        assert!((seen.busy - 0.5).abs() < 1e-9);
        // One drive that doesn't count flushes makes the sum unknown, not smaller.
        let partly = [counts(200, Some(4)), counts(600, None)];
        assert_eq!(between(Some(&before), Some(&partly), 1.0).unwrap().flushes, None);
        // A drive that was taken out and put back starts at zero.
        assert_eq!(between(Some(&after), Some(&before), 1.0), None);
        assert_eq!(between(None, Some(&before), 1.0), None);
    }
}
