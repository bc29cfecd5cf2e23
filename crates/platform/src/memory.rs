//! Memory as a whole: `/proc/meminfo`, huge-page pools, transparent huge pages (Linux
//! `Documentation/admin-guide/mm/hugetlbpage.rst`, `transhuge.rst`).

use narrows_facts::Source;
use narrows_model::{HugePages, Memory};

use crate::dimm;
use crate::unknown::Unknowns;

pub(crate) fn read(source: &dyn Source, unknown: &mut Unknowns) -> Memory {
    let meminfo = source.text("/proc/meminfo").unwrap_or_default();
    let bytes = |name| kib(&meminfo, name).and_then(|kib| kib.checked_mul(1024));
    Memory {
        total_bytes: bytes("MemTotal").unwrap_or(0),
        available_bytes: bytes("MemAvailable"),
        swap_bytes: bytes("SwapTotal").unwrap_or(0),
        dimms: dimm::read(source, unknown),
        huge_pages: huge_pages(source, &meminfo),
        transparent_huge_pages: source
            .text("/sys/kernel/mm/transparent_hugepage/enabled")
            .and_then(|text| chosen(&text)),
        numa_balancing: source
            .number::<u32>("/proc/sys/kernel/numa_balancing")
            .map(|mode| mode != 0),
        free_page_reporting: free_page_reporting(source),
    }
}

/// Whether a balloon has told the kernel that it wants to hear of free pages (Linux `mm/page_reporting.c`): the
/// order of pages to report is a usable number only once one has; where there is no such parameter, a virtio
/// balloon shows the feature it agreed on (VIRTIO 1.2, 5.5.3).
fn free_page_reporting(source: &dyn Source) -> Option<bool> {
    const ORDER: &str = "/sys/module/page_reporting/parameters/page_reporting_order";
    const DEVICES: &str = "/sys/bus/virtio/devices";
    const BALLOON: &str = "0x0005";
    const REPORTING_BIT: usize = 5;
    if let Some(order) = source.text(ORDER) {
        // Zero or all ones: nobody has registered.
        return Some(order.trim().parse::<u32>().is_ok_and(|order| (1..32).contains(&order)));
    }
    let devices = source.list(DEVICES).ok()?;
    Some(devices.iter().any(|name| {
        let read = |file| source.text(&format!("{DEVICES}/{name}/{file}"));
        read("device").is_some_and(|kind| kind.trim() == BALLOON)
            && read("features")
                .is_some_and(|bits| bits.as_bytes().get(REPORTING_BIT) == Some(&b'1'))
    }))
}

/// A line of `/proc/meminfo`, bytes.
pub(crate) fn meminfo_bytes(source: &dyn Source, name: &str) -> Option<u64> {
    kib(&source.text("/proc/meminfo")?, name)?.checked_mul(1024)
}

/// The number of a line of `/proc/meminfo`.
fn kib(meminfo: &str, name: &str) -> Option<u64> {
    let line = meminfo.lines().find(|line| line.split(':').next() == Some(name))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn huge_pages(source: &dyn Source, meminfo: &str) -> Vec<HugePages> {
    const FOLDER: &str = "/sys/kernel/mm/hugepages";
    let mut pools: Vec<HugePages> = source
        .list(FOLDER)
        .unwrap_or_default()
        .iter()
        .filter_map(|name| {
            let size: u64 = name.strip_prefix("hugepages-")?.strip_suffix("kB")?.parse().ok()?;
            let pages = |file| source.number::<u64>(&format!("{FOLDER}/{name}/{file}"));
            Some(HugePages {
                page_bytes: size.checked_mul(1024)?,
                total: pages("nr_hugepages")?,
                free: pages("free_hugepages")?,
            })
        })
        .collect();
    if pools.is_empty() {
        // Before 2.6.29 there is one pool and only this file.
        let old = kib(meminfo, "Hugepagesize").zip(kib(meminfo, "HugePages_Total"));
        pools.extend(old.map(|(size, total)| HugePages {
            page_bytes: size.saturating_mul(1024),
            total,
            free: kib(meminfo, "HugePages_Free").unwrap_or(0),
        }));
    }
    pools.sort_unstable_by_key(|pool| pool.page_bytes);
    pools
}

/// The bracketed word of a choice such as `always [madvise] never`.
pub(crate) fn chosen(text: &str) -> Option<String> {
    let start = text.find('[')? + 1;
    let end = start + text[start..].find(']')?;
    Some(text[start..end].to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bracketed_word_is_the_choice() {
        assert_eq!(chosen("always [madvise] never").as_deref(), Some("madvise"));
        assert_eq!(chosen("[none] mq-deadline").as_deref(), Some("none"));
        assert_eq!(chosen("none"), None);
        assert_eq!(chosen("a [b"), None);
    }
}
