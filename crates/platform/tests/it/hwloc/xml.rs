//! What `lstopo` writes as XML: one tag a line.

use crate::hwloc::expected::Expected;
use crate::hwloc::object::{Object, nest};

pub fn parse(text: &str) -> Expected {
    let mut flat = Vec::new();
    let mut depth = 0;
    for line in text.lines().map(str::trim) {
        if line.starts_with("<object ") {
            flat.push((depth, object(line)));
            depth += usize::from(!line.ends_with("/>"));
        } else if line == "</object>" {
            depth -= 1;
        }
    }
    Expected { machine: nest(flat), distances: distances(text), ..Expected::default() }
}

fn object(line: &str) -> Object {
    let attribute = |name: &str| attribute(line, name).map(str::to_string);
    let kind = attribute("type").expect("a type");
    let cache = attribute("cache_type").map(|of| match of.as_str() {
        "1" => "d",
        "2" => "i",
        _ => "",
    });
    let names = [
        ("cache_size", "size"),
        ("cache_linesize", "linesize"),
        ("local_memory", "local"),
        ("pci_busid", "busid"),
    ];
    Object {
        kind: match (cache, kind.as_str()) {
            (Some(of), kind) => format!("{}{of}Cache", &kind[..2]),
            (None, "PCIDev") => "PCI".to_string(),
            (None, kind) => kind.to_string(),
        },
        subtype: attribute("subtype").unwrap_or_default(),
        os_index: attribute("os_index").and_then(|text| text.parse().ok()),
        attributes: names
            .iter()
            .filter_map(|(theirs, name)| Some((name.to_string(), attribute(theirs)?)))
            .collect(),
        ..Object::default()
    }
}

fn attribute<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let mark = format!(" {name}=\"");
    let start = line.find(&mark)? + mark.len();
    line[start..].split('"').next()
}

fn distances(text: &str) -> Option<(Vec<u32>, Vec<Vec<u32>>)> {
    let start = text.find("name=\"NUMALatency\"")?;
    let end = start + text[start..].find("</distances2>")?;
    let numbers = |tag: &str| -> Vec<u32> {
        let lines = text[start..end].lines().filter(|line| line.trim().starts_with(tag));
        let inside = lines.filter_map(|line| line.split(['>', '<']).nth(2));
        inside.flat_map(str::split_whitespace).filter_map(|word| word.parse().ok()).collect()
    };
    let ids = numbers("<indexes");
    let matrix = numbers("<u64values").chunks(ids.len()).map(<[u32]>::to_vec).collect();
    Some((ids, matrix))
}
