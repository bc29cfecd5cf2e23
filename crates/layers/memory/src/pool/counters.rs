//! What anybody may read: how much shared memory and how many huge pages each node holds, and the System V segments.

use narrows_facts::Source;

/// Of all nodes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counters {
    /// By node, ascending.
    pub nodes: Vec<NodeCounters>,
    /// System V segments.
    pub segments: Vec<SysV>,
}

/// Of one node.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeCounters {
    /// Its id.
    pub node: u32,
    /// Shared memory on ordinary and transparent huge pages, bytes, whoever's; files of memory file systems are in it too.
    pub shared_bytes: u64,
    /// Explicit huge pages that are taken, bytes.
    pub huge_used_bytes: u64,
    /// Explicit huge pages that are left, bytes.
    pub huge_free_bytes: u64,
}

/// A System V segment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SysV {
    /// Its number.
    pub id: u32,
    /// Bytes that it may have.
    pub bytes: u64,
    /// Bytes that it has in memory.
    pub resident_bytes: u64,
    /// Bytes in swap.
    pub swap_bytes: u64,
    /// Processes that are attached.
    pub attached: u32,
}

impl Counters {
    /// The share of each node of all shared memory and huge pages in use; empty where there are none.
    pub fn shares(&self) -> Vec<(u32, f64)> {
        let of = |node: &NodeCounters| node.shared_bytes + node.huge_used_bytes;
        let all: u64 = self.nodes.iter().map(of).sum();
        if all == 0 {
            return Vec::new();
        }
        self.nodes.iter().map(|node| (node.node, of(node) as f64 / all as f64)).collect()
    }
}

const NODES: &str = "/sys/devices/system/node";

/// Reads them; what a kernel doesn't say is zero, and no node is named where it shows none.
pub fn counters(source: &dyn Source) -> Counters {
    let names = source.list(NODES).unwrap_or_default();
    let mut nodes: Vec<NodeCounters> = names
        .iter()
        .filter_map(|name| name.strip_prefix("node")?.parse().ok())
        .filter_map(|node| of_node(source, node))
        .collect();
    nodes.sort_unstable_by_key(|node| node.node);
    let segments = source.text("/proc/sysvipc/shm").map(|text| segments(&text));
    Counters { nodes, segments: segments.unwrap_or_default() }
}

fn of_node(source: &dyn Source, node: u32) -> Option<NodeCounters> {
    let folder = format!("{NODES}/node{node}");
    let meminfo = source.text(&format!("{folder}/meminfo"))?;
    let mut counters = NodeCounters { node, ..NodeCounters::default() };
    // Node 0 Shmem:            1234 kB
    let kb = |name: &str| {
        let mut lines = meminfo.lines().map(|line| line.split_whitespace().skip(2));
        lines.find_map(|mut words| {
            (words.next()? == name).then(|| words.next()?.parse::<u64>().ok())?
        })
    };
    // Nothing lies on a node of processors alone.
    kb("MemTotal:").filter(|kb| *kb > 0)?;
    counters.shared_bytes = kb("Shmem:")? << 10;
    // Of every size that there is a pool of.
    let pools = format!("{folder}/hugepages");
    for pool in source.list(&pools).unwrap_or_default() {
        let size = pool.strip_prefix("hugepages-").and_then(|rest| rest.strip_suffix("kB"));
        let Some(kb) = size.and_then(|kb| kb.parse::<u64>().ok()) else { continue };
        let number =
            |what: &str| source.number::<u64>(&format!("{pools}/{pool}/{what}")).unwrap_or(0);
        let (all, free) = (number("nr_hugepages"), number("free_hugepages"));
        counters.huge_used_bytes += all.saturating_sub(free) * (kb << 10);
        counters.huge_free_bytes += free * (kb << 10);
    }
    Some(counters)
}

fn segments(text: &str) -> Vec<SysV> {
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split_whitespace().collect();
    let column = |name: &str| names.iter().position(|other| *other == name);
    lines
        .filter_map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let of = |name: &str| words.get(column(name)?)?.parse::<u64>().ok();
            Some(SysV {
                id: of("shmid")?.try_into().ok()?,
                bytes: of("size")?,
                resident_bytes: of("rss").unwrap_or(0),
                swap_bytes: of("swap").unwrap_or(0),
                attached: of("nattch").and_then(|n| n.try_into().ok()).unwrap_or(0),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_read_by_the_names_of_their_columns() {
        let text = "       key      shmid perms                  size  cpid  lpid nattch   uid   gid  cuid  cgid      atime      dtime      ctime                   rss                  swap
   5432001          3   600                    56   900   901     12   105   112   105   112          1          2          3                  4096                     0
         0          9   660           17179869184   800   801    120    54    54    54    54          1          2          3           17179869184                  8192
";
        let found = segments(text);
        assert_eq!(found.len(), 2);
        let oracle = SysV {
            id: 9,
            bytes: 16 << 30,
            resident_bytes: 16 << 30,
            swap_bytes: 8192,
            attached: 120,
        };
        assert_eq!(found[1], oracle);
        assert!(super::segments("").is_empty());
    }
}
