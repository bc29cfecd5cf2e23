//! What a process maps: `/proc/PID/maps` and `/proc/PID/numa_maps` (Documentation/filesystems/proc.rst).

use std::collections::BTreeMap;

/// A range of a process's addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapped {
    /// First address.
    pub from: u64,
    /// The one behind the last.
    pub to: u64,
    /// Whether what is written there is seen by the others that map it.
    pub shared: bool,
    /// Whether it may be read: address space that is only kept free may not.
    pub readable: bool,
    /// Where it begins in what is mapped, bytes.
    pub offset: u64,
    /// Device and inode of what is mapped; of anonymous shared memory too. `None` for private anonymous memory.
    pub identity: Option<(String, u64)>,
    /// As the kernel names it: `/dev/zero (deleted)`, `/SYSV0052e2c1 (deleted)`, `/anon_hugepage (deleted)`, `[heap]`.
    pub name: String,
}

impl Mapped {
    /// Bytes.
    pub fn len(&self) -> u64 {
        self.to - self.from
    }

    /// Whether it is a file in memory or no file at all, and not a drive's.
    pub fn is_memory(&self) -> bool {
        const IN_MEMORY: [&str; 5] =
            ["/dev/zero", "/SYSV", "/memfd:", "/anon_hugepage", "/dev/shm/"];
        IN_MEMORY.iter().any(|begin| self.name.starts_with(begin))
            || self.name.contains("/hugepages")
    }

    /// Explicit huge pages.
    pub fn is_huge(&self) -> bool {
        is_huge_name(&self.name)
    }
}

/// Whether the kernel calls explicit huge pages so.
pub fn is_huge_name(name: &str) -> bool {
    name.starts_with("/anon_hugepage")
        || name.contains("/hugepages")
        || name == "private huge pages"
}

/// All ranges of the text of `maps`; lines that are none are left out.
pub fn parse(maps: &str) -> Vec<Mapped> {
    maps.lines().filter_map(line).collect()
}

fn line(text: &str) -> Option<Mapped> {
    // 7f52e8000000-7f52f8000000 rw-s 00000000 00:01 1024                       /dev/zero (deleted)
    let mut words = text.splitn(6, ' ');
    let (from, to) = words.next()?.split_once('-')?;
    let (from, to) = (u64::from_str_radix(from, 16).ok()?, u64::from_str_radix(to, 16).ok()?);
    let rights = words.next()?;
    let offset = u64::from_str_radix(words.next()?, 16).ok()?;
    let device = words.next()?;
    let inode: u64 = words.next()?.trim().parse().ok()?;
    let name = words.next().unwrap_or_default().trim();
    (from < to).then(|| Mapped {
        from,
        to,
        shared: rights.as_bytes().get(3) == Some(&b's'),
        readable: rights.starts_with('r'),
        offset,
        // The number of a System V segment, which begins with 0, stands for its inode.
        identity: (inode != 0 || name.starts_with('/')).then(|| (device.to_string(), inode)),
        name: name.to_string(),
    })
}

/// What the kernel says of the pages of a range that are in this process's tables.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tables {
    /// `default`, `bind:0`, `interleave:0-1`, `prefer:1`, `local`.
    pub policy: String,
    /// Pages by node.
    pub by_node: BTreeMap<u32, u64>,
    /// Size of these pages, bytes.
    pub page_bytes: Option<u64>,
}

/// The ranges of `numa_maps` by their first address.
pub fn tables(numa_maps: &str) -> BTreeMap<u64, Tables> {
    numa_maps.lines().filter_map(table).collect()
}

fn table(text: &str) -> Option<(u64, Tables)> {
    // 7f52e8000000 interleave:0-1 file=/dev/zero\040(deleted) dirty=3 mapped=4 N0=2 N1=2 kernelpagesize_kB=2048
    let mut words = text.split(' ');
    let from = u64::from_str_radix(words.next()?, 16).ok()?;
    let mut tables = Tables { policy: words.next()?.to_string(), ..Tables::default() };
    for (key, value) in words.filter_map(|word| word.split_once('=')) {
        let Ok(number) = value.parse::<u64>() else { continue };
        if key == "kernelpagesize_kB" {
            tables.page_bytes = Some(number << 10);
        } else if let Some(node) = key.strip_prefix('N').and_then(|node| node.parse().ok()) {
            *tables.by_node.entry(node).or_default() += number;
        }
    }
    Some((from, tables))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_told_apart_by_what_they_map() {
        let maps = "\
5581c0000000-5581c0021000 rw-p 00000000 00:00 0                          [heap]
7f52e8000000-7f52f8000000 rw-s 00001000 00:01 1024                       /dev/zero (deleted)
7f5300000000-7f5300200000 rw-s 00000000 00:0f 7                          /anon_hugepage (deleted)
broken
7f5300200000-7f5300210000 rw-s 00000000 00:01 0                          /SYSV00000000 (deleted)
7f5300200000-7f5300300000 r-xp 00000000 fe:00 99                         /usr/lib/lib with space.so
";
        let found = parse(maps);
        assert_eq!(found.len(), 5);
        assert_eq!((found[0].identity.as_ref(), found[0].shared), (None, false));
        assert_eq!(found[1].identity, Some(("00:01".to_string(), 1024)));
        assert_eq!((found[1].len(), found[1].offset), (256 << 20, 4096));
        assert!(found[1].shared && found[2].shared && found[2].readable);
        let memory: Vec<bool> = found.iter().map(Mapped::is_memory).collect();
        assert_eq!(memory, [false, true, true, true, false]);
        let kept_free = parse("7f00-7f10 ---p 00000000 00:00 0");
        assert!(!kept_free[0].readable);
        assert_eq!(found[2].name, "/anon_hugepage (deleted)");
        assert_eq!(
            found[3].identity,
            Some(("00:01".to_string(), 0)),
            "the first segment of System V"
        );
        assert_eq!(found[4].name, "/usr/lib/lib with space.so");
    }

    #[test]
    fn tables_count_pages_by_node_whatever_the_file_is_called() {
        let text = "\
7f52e8000000 interleave:0-1 file=/dev/zero\\040(deleted) dirty=3 mapped=4 active=0 N0=2 N10=2 kernelpagesize_kB=2048
7f5300200000 default file=/usr/lib/N1=x.so mapped=3 N1=3 kernelpagesize_kB=4
7f5300300000 prefer:1
";
        let found = tables(text);
        assert_eq!(found.len(), 3);
        let pool = &found[&0x7f52_e800_0000];
        assert_eq!((pool.policy.as_str(), pool.page_bytes), ("interleave:0-1", Some(2 << 20)));
        assert_eq!(pool.by_node, [(0, 2), (10, 2)].into());
        assert_eq!(found[&0x7f53_0020_0000].by_node, [(1, 3)].into());
        assert!(found[&0x7f53_0030_0000].by_node.is_empty());
    }
}
