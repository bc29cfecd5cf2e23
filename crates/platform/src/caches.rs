//! Processor caches from `/sys/devices/system/cpu/cpuN/cache/indexM`.

use std::collections::{BTreeMap, BTreeSet};

use narrows_facts::{Source, parse_cpu_list, parse_cpu_mask};
use narrows_model::Cache;

/// (level, kind), in the order in which they are shown.
type Key = (u32, String);

#[derive(Default)]
struct Found {
    covered: BTreeSet<u32>,
    // Instances per (size, line): cores of one machine may differ.
    instances: BTreeMap<(u64, Option<u32>), u32>,
}

/// One entry per level, kind, size and line size.
pub(crate) fn read(source: &dyn Source, online: &[u32]) -> Vec<Cache> {
    let mut found: BTreeMap<Key, Found> = BTreeMap::new();
    for &cpu in online {
        let folder = format!("/sys/devices/system/cpu/cpu{cpu}/cache");
        // A processor all of whose caches belong to a neighbour seen before needs no look of its own; on a large
        // machine that is most of the files.
        if !found.is_empty() && found.values().all(|found| found.covered.contains(&cpu)) {
            continue;
        }
        for index in source.list(&folder).unwrap_or_default() {
            if !index.starts_with("index") {
                continue;
            }
            let at = |name: &str| format!("{folder}/{index}/{name}");
            let Some(level) = source.number::<u32>(&at("level")) else { continue };
            let Some(kind) = source.text(&at("type")) else { continue };
            let key = (level, kind);
            let entry = found.entry(key).or_default();
            if entry.covered.contains(&cpu) {
                continue;
            }
            let Some(size) = source.text(&at("size")).and_then(|text| parse_size(&text)) else {
                continue;
            };
            let line = source.number(&at("coherency_line_size")).filter(|&bytes| bytes > 0);
            let shared = source
                .text(&at("shared_cpu_list"))
                .map(|text| parse_cpu_list(&text))
                .or_else(|| parse_cpu_mask(&source.text(&at("shared_cpu_map"))?))
                .unwrap_or_default();
            entry.covered.insert(cpu);
            entry.covered.extend(shared);
            *entry.instances.entry((size, line)).or_default() += 1;
        }
    }
    found
        .into_iter()
        .flat_map(|((level, kind), found)| {
            found.instances.into_iter().map(move |((size_bytes, line_bytes), instances)| Cache {
                level,
                kind: kind.clone(),
                size_bytes,
                line_bytes,
                instances,
            })
        })
        .collect()
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
    (number > 0).then(|| number << shift)
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
    }
}
