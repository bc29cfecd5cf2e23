//! What the firmware says of the way to a node's memory (ACPI HMAT; Linux `Documentation/admin-guide/mm/numaperf.rst`).
//!
//! The kernel shows the best initiators only, bandwidth in MiB/s, and 0 for what the firmware left out.

use narrows_facts::Source;
use narrows_model::{IdSet, MemoryCache, NodeAccess};

/// Class 0, the best initiators of any kind, and class 1, the best processors; those that name an initiator.
pub(super) fn read(source: &dyn Source, folder: &str) -> Vec<NodeAccess> {
    (0..2).filter_map(|class| access(source, folder, class)).collect()
}

fn access(source: &dyn Source, folder: &str, class: u32) -> Option<NodeAccess> {
    let folder = format!("{folder}/access{class}/initiators");
    let names = source.list(&folder).ok()?;
    let ids = names.iter().filter_map(|name| name.strip_prefix("node")?.parse().ok());
    let initiators: IdSet = ids.filter(|id| *id < IdSet::END).collect();
    if initiators.is_empty() {
        return None;
    }
    let stated =
        |name: &str| source.number::<u32>(&format!("{folder}/{name}")).filter(|number| *number > 0);
    let bandwidth = |name: &str| stated(name).map(|mib| u64::from(mib) << 20);
    Some(NodeAccess {
        class,
        initiators,
        read_bytes_per_s: bandwidth("read_bandwidth"),
        write_bytes_per_s: bandwidth("write_bandwidth"),
        read_latency_ns: stated("read_latency"),
        write_latency_ns: stated("write_latency"),
    })
}

/// Caches on the memory's side, the nearest to the memory first.
pub(super) fn memory_caches(source: &dyn Source, folder: &str) -> Vec<MemoryCache> {
    let folder = format!("{folder}/memory_side_cache");
    let names = source.list(&folder).unwrap_or_default();
    let mut caches: Vec<MemoryCache> = names
        .iter()
        .filter_map(|name| {
            let level = name.strip_prefix("index")?.parse().ok()?;
            let text = |file: &str| source.text(&format!("{folder}/{name}/{file}"));
            let word = |file: &str, words: [&str; 2]| {
                let number: usize = text(file)?.parse().ok()?;
                Some(words.get(number).copied().unwrap_or("other").to_string())
            };
            Some(MemoryCache {
                level,
                size_bytes: text("size").and_then(|text| text.parse().ok()).filter(|n| *n > 0),
                line_bytes: text("line_size").and_then(|text| text.parse().ok()).filter(|n| *n > 0),
                // Linux `include/linux/node.h`: cache_indexing and cache_write_policy.
                indexing: word("indexing", ["direct-mapped", "indexed"]),
                write_policy: word("write_policy", ["write-back", "write-through"]),
            })
        })
        .collect();
    caches.sort_by_key(|cache| cache.level);
    caches
}
