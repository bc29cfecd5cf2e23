//! Processor caches from `/sys/devices/system/cpu/cpuN/cache/indexM`.

use std::collections::{BTreeMap, BTreeSet};

use narrows_facts::{Source, parse_cpu_list, parse_cpu_mask};
use narrows_model::{Cache, IdSet};

const CPUS: &str = "/sys/devices/system/cpu";

/// (level, kind), in the order in which they are shown.
type Key = (u32, String);

/// Caches of one level and kind.
#[derive(Default)]
struct CacheInstances {
    covered: BTreeSet<u32>,
    // By size and line size: cores of one machine may differ.
    instances: BTreeMap<(u64, Option<u32>), Vec<IdSet>>,
}

/// One entry per level, kind, size and line size.
pub(crate) fn read(source: &dyn Source, online: &[u32]) -> Vec<Cache> {
    let mut found: BTreeMap<Key, CacheInstances> = BTreeMap::new();
    for &cpu in online {
        // A processor all of whose caches belong to a neighbour seen before needs no look of its own; on a large
        // machine that is most of the files.
        if !found.is_empty() && found.values().all(|found| found.covered.contains(&cpu)) {
            continue;
        }
        let folder = format!("{CPUS}/cpu{cpu}/cache");
        for index in source.list(&folder).unwrap_or_default() {
            if index.starts_with("index") {
                instance(source, cpu, &format!("{folder}/{index}"), online, &mut found);
            }
        }
    }
    found
        .into_iter()
        .flat_map(|((level, kind), found)| {
            found.instances.into_iter().map(move |((size_bytes, line_bytes), cpus)| Cache {
                level,
                kind: kind.clone(),
                size_bytes,
                line_bytes,
                instances: cpus.len() as u32,
                cpus,
            })
        })
        .collect()
}

/// Adds the cache in `folder`, unless it was found behind another processor. `None` where the files say too little.
fn instance(
    source: &dyn Source,
    cpu: u32,
    folder: &str,
    online: &[u32],
    found: &mut BTreeMap<Key, CacheInstances>,
) -> Option<()> {
    let text = |name: &str| source.text(&format!("{folder}/{name}"));
    let key = (text("level")?.parse().ok()?, text("type")?);
    let entry = found.entry(key).or_default();
    if entry.covered.contains(&cpu) {
        return None;
    }
    let size = text("size").and_then(|text| parse_size(&text))?;
    let line = source.number(&format!("{folder}/coherency_line_size")).filter(|&bytes| bytes > 0);
    // The mask first: it is the older file, and the one that is right in a copy whose two contradict each other.
    let shared = text("shared_cpu_map")
        .and_then(|text| parse_cpu_mask(&text))
        .or_else(|| Some(parse_cpu_list(&text("shared_cpu_list")?)))
        .unwrap_or_default();
    // Each thread is behind one cache of a level, even where the files say otherwise.
    let shared = shared
        .into_iter()
        .filter(|cpu| online.binary_search(cpu).is_ok() && !entry.covered.contains(cpu));
    let cpus: IdSet = shared.chain([cpu]).collect();
    entry.covered.extend(cpus.ids());
    entry.instances.entry((size, line)).or_default().push(cpus);
    Some(())
}

/// `48K`, `2048K`, `32M`; the kernel means powers of 1024. Zero means that it doesn't know.
fn parse_size(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number: u64 = text[..end].parse().ok()?;
    let shift = match &text[end..] {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        _ => return None,
    };
    number.checked_shl(shift).filter(|bytes| *bytes > 0 && bytes >> shift == number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(parse_size("48K"), Some(49_152));
        assert_eq!(parse_size("32M"), Some(32 << 20));
        assert_eq!(parse_size("0K"), None);
        assert_eq!(parse_size("big"), None);
        assert_eq!(parse_size("18446744073709551615M"), None);
    }
}
