//! Counters of block devices (Linux `Documentation/admin-guide/iostats.rst`, `Documentation/block/stat.rst`).

use std::path::Path;

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
    /// Time of all requests that have completed, from their start in the device's queue, summed.
    pub(crate) queue_ms: u64,
    /// Requests joined to others before they were sent, reads and writes.
    pub(crate) merges: u64,
    /// Since Linux 5.5.
    pub(crate) flushes: Option<u64>,
}

/// The counter files of one device.
#[derive(Debug)]
pub(crate) struct DriveCounters {
    stat: Counters,
    /// Of the paths of an NVMe namespace with several of them. What is sent to it is counted there too; flushes only there, because a device
    /// that hands its requests on counts none (Linux `drivers/nvme/host/multipath.c`, `block/blk-flush.c`).
    paths: Vec<Counters>,
}

impl DriveCounters {
    /// `None` if there is no such device or its counters are switched off, in which case they stand still and would look like an idle
    /// drive.
    pub(crate) fn open(name: &str) -> Option<DriveCounters> {
        DriveCounters::open_in(Path::new("/sys/class/block"), name)
    }

    fn open_in(class: &Path, name: &str) -> Option<DriveCounters> {
        // Names with a slash (`cciss/c0d0`) have an exclamation mark there in /sys.
        let name = name.replace('/', "!");
        let file = |device: &str, file: &str| class.join(device).join(file).display().to_string();
        if std::fs::read_to_string(file(&name, "queue/iostats"))
            .is_ok_and(|text| text.trim() == "0")
        {
            return None;
        }
        let stat = Counters::open(&file(&name, "stat"))?;
        parse(&stat.text()?)?;
        let devices = std::fs::read_dir(class).into_iter().flatten().flatten();
        let devices = devices.filter_map(|device| device.file_name().into_string().ok());
        let paths = devices.filter(|device| is_path_of(&name, device));
        let paths = paths.filter_map(|path| Counters::open(&file(&path, "stat"))).collect();
        Some(DriveCounters { stat, paths })
    }

    /// What they say now; absent where the device is gone.
    pub(crate) fn read(&self) -> Option<DriveCounts> {
        let counts = parse(&self.stat.text()?)?;
        if self.paths.is_empty() {
            return Some(counts);
        }
        let flushes = self.paths.iter().map(|path| parse(&path.text()?)?.flushes);
        Some(DriveCounts { flushes: flushes.sum(), ..counts })
    }
}

/// Whether `nvme0c1n2` is a path to `nvme0n2`: one of its controllers.
fn is_path_of(head: &str, device: &str) -> bool {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let parts = head.strip_prefix("nvme").and_then(|rest| rest.split_once('n'));
    let Some((subsystem, namespace)) = parts.filter(|(s, n)| number(s) && number(n)) else {
        return false;
    };
    let controller = device
        .strip_prefix(&format!("nvme{subsystem}c"))
        .and_then(|rest| rest.strip_suffix(&format!("n{namespace}")));
    controller.is_some_and(number)
}

/// Requests that the drive's hardware queues hold together; `None` of drivers without such queues, and where it can't be read.
pub(crate) fn tags(name: &str) -> Option<u64> {
    let folder = format!("/sys/class/block/{}/mq", name.replace('/', "!"));
    let queues = std::fs::read_dir(&folder).ok()?.flatten().count() as u64;
    let number = |file: String| std::fs::read_to_string(file).ok()?.trim().parse::<u64>().ok();
    let held = number(format!("{folder}/0/nr_tags"))?;
    // Somebody may have allowed fewer than the hardware has.
    let allowed = number(format!("{folder}/../queue/nr_requests")).unwrap_or(held);
    Some(queues * held.min(allowed)).filter(|tags| *tags > 0)
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
        queue_ms: at(3)? + at(7)?,
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
    /// Of the drives that received writes, the flushes of the one that received fewest; absent as above, and without such a drive.
    pub least_flushes: Option<u64>,
    /// Requests joined to others before they were sent, reads and writes.
    pub merges: u64,
    /// Reads and writes that the drives had on average, from their start in the drive's queue: what iostat calls `aqu-sz`. The kernel's
    /// account, by the requests that completed.
    pub in_flight: f64,
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
    let mut flushes_of_written: Vec<Option<u64>> = Vec::new();
    for (before, after) in before.iter().zip(after) {
        seen.read_bytes += after.read_bytes.checked_sub(before.read_bytes)?;
        seen.write_bytes += after.write_bytes.checked_sub(before.write_bytes)?;
        seen.reads += after.reads.checked_sub(before.reads)?;
        seen.writes += after.writes.checked_sub(before.writes)?;
        seen.merges += after.merges.checked_sub(before.merges)?;
        let flushes = after.flushes.zip(before.flushes).and_then(|(a, b)| a.checked_sub(b));
        seen.flushes = seen.flushes.zip(flushes).map(|(sum, count)| sum + count);
        if after.write_bytes > before.write_bytes {
            flushes_of_written.push(flushes);
        }
        let queue_s = after.queue_ms.saturating_sub(before.queue_ms) as f64 / 1000.0;
        seen.in_flight += if seconds > 0.0 { queue_s / seconds } else { 0.0 };
        let busy_s = after.busy_ms.saturating_sub(before.busy_ms) as f64 / 1000.0;
        let busy = if seconds > 0.0 { busy_s / seconds } else { 0.0 };
        // Its millisecond steps can lead the window by one.
        seen.busy = seen.busy.max(busy.min(1.0));
    }
    // A spare of an array is sent neither writes nor flushes. One that doesn't count flushes makes the least unknown.
    let known: Option<Vec<u64>> = flushes_of_written.into_iter().collect();
    seen.least_flushes = known.and_then(|flushes| flushes.into_iter().min());
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
        assert_eq!((counts.merges, counts.flushes, counts.queue_ms), (3, Some(7), 11));
        // Linux 5.4: no flush columns, which is not the same as no flush.
        assert_eq!(parse("10 1 80 5 20 2 160 6 0 33 40 1 0 8 0").unwrap().flushes, None);
        assert_eq!(parse("10 1 80 5"), None);
    }

    #[test]
    fn the_member_with_fewest_flushes_is_known_beside_their_sum() {
        let counts = |write_bytes, flushes| DriveCounts {
            write_bytes,
            flushes: Some(flushes),
            ..DriveCounts::default()
        };
        let before = [counts(0, 5), counts(0, 5), counts(0, 5)];
        // A mirror one half of which is sent almost no flush, and a spare that is sent nothing.
        let after = [counts(8192, 105), counts(8192, 15), counts(0, 5)];
        let seen = between(Some(&before), Some(&after), 1.0).unwrap();
        assert_eq!((seen.flushes, seen.least_flushes), (Some(110), Some(10)));
        let idle = between(Some(&before), Some(&before), 1.0).unwrap();
        assert_eq!((idle.flushes, idle.least_flushes), (Some(0), None));
    }

    #[test]
    fn no_device_no_counters() {
        assert!(DriveCounters::open("no-such-device").is_none());
        assert!(DriveCounters::open("../../proc").is_none());
    }

    #[test]
    fn flushes_of_a_namespace_with_several_paths_are_those_of_its_paths() {
        let class = tempfile::tempdir().unwrap();
        let device = |name: &str, writes: u64, flushes: u64| {
            let folder = class.path().join(name);
            std::fs::create_dir_all(&folder).unwrap();
            let stat = format!("1 0 8 0 {writes} 0 160 0 0 0 0 0 0 0 0 {flushes} 0\n");
            std::fs::write(folder.join("stat"), stat).unwrap();
        };
        // As Linux 6.12 shows them: the namespace itself counts writes and no flush.
        device("nvme0n1", 71, 0);
        device("nvme0c0n1", 60, 20);
        device("nvme0c1n1", 25, 4);
        // Paths to another namespace, and of another subsystem.
        device("nvme0c0n11", 9, 9);
        device("nvme1c0n1", 9, 9);
        let drive = DriveCounters::open_in(class.path(), "nvme0n1").unwrap();
        let counts = drive.read().unwrap();
        assert_eq!((counts.writes, counts.flushes), (71, Some(24)));
        device("nvme0c1n1", 26, 5);
        assert_eq!(drive.read().unwrap().flushes, Some(25));
        // A drive without such paths counts its own.
        device("nvme2n1", 5, 3);
        let drive = DriveCounters::open_in(class.path(), "nvme2n1").unwrap();
        assert_eq!(drive.read().unwrap().flushes, Some(3));
        assert!(!is_path_of("sda", "nvme0c0n1") && !is_path_of("nvme0n1p1", "nvme0c0n1"));
        assert!(!is_path_of("nvme0n1", "nvme0cn1") && !is_path_of("nvme0n1", "nvme0n1"));
    }

    #[test]
    fn drives_add_up_and_the_busiest_counts() {
        let counts = |n: u64, flushes| DriveCounts {
            reads: n,
            read_bytes: n * 512,
            writes: 2 * n,
            write_bytes: n * 1024,
            busy_ms: n,
            queue_ms: 4 * n,
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
        // Requests of 800 ms and of 2 s in all, in one second.
        assert!((seen.in_flight - 2.8).abs() < 1e-9);
        // One drive that doesn't count flushes makes the sum unknown, not smaller.
        let partly = [counts(200, Some(4)), counts(600, None)];
        let unknown = between(Some(&before), Some(&partly), 1.0).unwrap();
        assert_eq!((unknown.flushes, unknown.least_flushes), (None, None));
        // A drive that was taken out and put back starts at zero.
        assert_eq!(between(Some(&after), Some(&before), 1.0), None);
        assert_eq!(between(None, Some(&before), 1.0), None);
    }
}
