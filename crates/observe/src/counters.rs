//! Files that stay open and are read again from their start.

use std::fs::File;
use std::os::unix::fs::FileExt;

/// A counter file of `/proc` or `/sys`. Reading at offset 0 makes the kernel write it anew, so opening it once is
/// enough, and works even if the path later becomes unreachable.
#[derive(Debug)]
pub(crate) struct Counters(File);

impl Counters {
    /// `None` if it can't be opened or read: a file that opens and then refuses (pressure with `psi=0`) counts as
    /// absent.
    pub(crate) fn open(path: &str) -> Option<Self> {
        let counters = Counters::open_empty(path)?;
        counters.text().is_some_and(|text| !text.is_empty()).then_some(counters)
    }

    /// The same of a file in which nothing may stand yet.
    pub(crate) fn open_empty(path: &str) -> Option<Self> {
        let counters = Counters(File::open(path).ok()?);
        counters.text().is_some().then_some(counters)
    }

    /// The whole file now.
    pub(crate) fn text(&self) -> Option<String> {
        let mut bytes = vec![0; 4096];
        let mut filled = 0;
        loop {
            match self.0.read_at(&mut bytes[filled..], filled as u64) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(_) => return None,
            }
            if filled == bytes.len() {
                bytes.resize(filled * 4, 0);
            }
        }
        bytes.truncate(filled);
        String::from_utf8(bytes).ok()
    }
}

/// `total` of the `some` line of a pressure file, µs.
pub(crate) fn parse_pressure(text: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with("some "))?;
    line.split_whitespace().find_map(|part| part.strip_prefix("total=")?.parse().ok())
}

/// Pages that the machine moved on its own, since it started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct MovedPages {
    /// To swap and back.
    pub(crate) swapped: u64,
    /// From node to node by automatic NUMA balancing; `None` where the kernel has none.
    pub(crate) balanced: Option<u64>,
}

/// Those of `/proc/vmstat`; `None` where it doesn't count swapping.
pub(crate) fn parse_moved(vmstat: &str) -> Option<MovedPages> {
    let of = |name: &str| {
        let mut lines = vmstat.lines().filter_map(|line| line.split_once(' '));
        lines.find(|(key, _)| *key == name)?.1.trim().parse::<u64>().ok()
    };
    let swapped = of("pswpin")? + of("pswpout")?;
    Some(MovedPages { swapped, balanced: of("numa_pages_migrated") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_made_anew_at_each_reading() {
        let uptime = Counters::open("/proc/uptime").unwrap();
        let first = uptime.text().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(30));
        assert_ne!(first, uptime.text().unwrap());
        assert!(Counters::open("/proc/no-such-file").is_none());
    }

    #[test]
    fn files_longer_than_the_first_buffer_are_read_whole() {
        let maps = "/proc/kallsyms";
        let (Some(counters), Ok(all)) = (Counters::open(maps), std::fs::read_to_string(maps))
        else {
            eprintln!("SKIPPED: {maps} can't be read");
            return;
        };
        assert_eq!(counters.text().unwrap().len(), all.len());
    }

    #[test]
    fn moved_pages_are_told_by_who_moved_them() {
        let text = "pswpin 3\npswpout 4\nnuma_pte_updates 9\nnuma_pages_migrated 5\n";
        assert_eq!(parse_moved(text), Some(MovedPages { swapped: 7, balanced: Some(5) }));
        let none = "pswpin 3\npswpout 4\n";
        assert_eq!(parse_moved(none), Some(MovedPages { swapped: 7, balanced: None }));
        assert_eq!(parse_moved("nr_free_pages 1\n"), None);
    }

    #[test]
    fn pressure_total_of_some() {
        let text = "some avg10=0.00 avg60=1.20 avg300=0.00 total=12345\nfull avg10=0.00 total=99\n";
        assert_eq!(parse_pressure(text), Some(12345));
        assert_eq!(parse_pressure("full avg10=0.00 total=99\n"), None);
    }
}
