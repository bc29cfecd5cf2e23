//! What page size the kernel really gave: the parts of `/proc/self/smaps` that lie in an address range.
//!
//! Fields: Documentation/filesystems/proc.rst. `KernelPageSize` tells explicit huge pages, `AnonHugePages` and
//! `ShmemPmdMapped` the bytes mapped by transparent ones; `Private_Hugetlb` counts what of an explicit mapping is populated, which
//! `Rss` leaves out.

/// Sums over the mappings inside a range.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Mapped {
    /// Address space, bytes.
    pub size_bytes: u64,
    /// Resident in ordinary and transparent huge pages, bytes.
    pub rss_bytes: u64,
    /// Of these in transparent huge pages mapped as such, bytes.
    pub transparent_bytes: u64,
    /// Resident in explicit huge pages, bytes.
    pub hugetlb_bytes: u64,
    /// In swap, bytes.
    pub swap_bytes: u64,
    /// Smallest page size of the mappings, bytes.
    pub page_bytes: Option<u64>,
}

/// Reads the range `from..to` of the text of `smaps`. A mapping that reaches beyond the range gives `None`: its
/// sums would not be the range's.
pub fn in_range(text: &str, from: u64, to: u64) -> Option<Mapped> {
    let mut mapped = Mapped::default();
    let mut inside = false;
    for line in text.lines() {
        if let Some((low, high)) = header(line) {
            inside = low < to && high > from;
            if inside {
                if low < from || high > to {
                    return None;
                }
                mapped.size_bytes += high - low;
            }
            continue;
        }
        if !inside {
            continue;
        }
        let Some((key, bytes)) = field(line) else { continue };
        match key {
            "Rss" => mapped.rss_bytes += bytes,
            "AnonHugePages" | "ShmemPmdMapped" => mapped.transparent_bytes += bytes,
            "Private_Hugetlb" | "Shared_Hugetlb" => mapped.hugetlb_bytes += bytes,
            "Swap" => mapped.swap_bytes += bytes,
            "KernelPageSize" => {
                mapped.page_bytes = Some(mapped.page_bytes.map_or(bytes, |page| page.min(bytes)));
            }
            _ => {}
        }
    }
    Some(mapped)
}

/// `7f00-7f10 rw-p ...` as addresses.
fn header(line: &str) -> Option<(u64, u64)> {
    let (range, _) = line.split_once(' ')?;
    let (low, high) = range.split_once('-')?;
    Some((u64::from_str_radix(low, 16).ok()?, u64::from_str_radix(high, 16).ok()?))
}

/// `Rss:   12 kB` as bytes.
fn field(line: &str) -> Option<(&str, u64)> {
    let (key, rest) = line.split_once(':')?;
    let number: u64 = rest.trim().strip_suffix(" kB")?.parse().ok()?;
    Some((key, number * 1024))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
7f0000000000-7f0000200000 ---p 00000000 00:00 0 
Size:               2048 kB
KernelPageSize:        4 kB
Rss:                   0 kB
AnonHugePages:         0 kB
VmFlags: mr mw me
7f0000200000-7f0000800000 rw-p 00000000 00:00 0 
Size:               6144 kB
KernelPageSize:        4 kB
MMUPageSize:           4 kB
Rss:                5120 kB
Private_Dirty:      5120 kB
AnonHugePages:      4096 kB
Private_Hugetlb:       0 kB
Swap:                  8 kB
THPeligible:           1
VmFlags: rd wr mr mw me ac hg
7f0000800000-7f0000c00000 rw-p 00000000 00:0f 123 /anon_hugepage (deleted)
Size:               4096 kB
KernelPageSize:     2048 kB
Rss:                   0 kB
Private_Hugetlb:    2048 kB
Swap:                  0 kB
";

    #[test]
    fn only_the_range_counts() {
        let mapped = in_range(TEXT, 0x7f00_0020_0000, 0x7f00_0080_0000).unwrap();
        assert_eq!(
            mapped,
            Mapped {
                size_bytes: 6 << 20,
                rss_bytes: 5 << 20,
                transparent_bytes: 4 << 20,
                hugetlb_bytes: 0,
                swap_bytes: 8192,
                page_bytes: Some(4096),
            }
        );
        let huge = in_range(TEXT, 0x7f00_0080_0000, 0x7f00_00c0_0000).unwrap();
        assert_eq!((huge.hugetlb_bytes, huge.page_bytes), (2 << 20, Some(2 << 20)));
    }

    #[test]
    fn a_mapping_that_sticks_out_is_not_guessed_at() {
        assert_eq!(in_range(TEXT, 0x7f00_0030_0000, 0x7f00_0080_0000), None);
    }

    #[test]
    fn the_smallest_page_of_several_mappings_counts() {
        let both = in_range(TEXT, 0x7f00_0020_0000, 0x7f00_00c0_0000).unwrap();
        assert_eq!((both.size_bytes, both.page_bytes), (10 << 20, Some(4096)));
    }
}
