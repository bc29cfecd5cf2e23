//! What `lstopo -v` prints.

use crate::hwloc::expected::{CoreKind, Expected, MemoryAttribute};
use crate::hwloc::object::{Object, mask, nest};

pub fn parse(text: &str) -> Expected {
    let (tree, rest) = text.split_once("\ndepth 0:").expect("a tree, then the depths");
    let flat = tree.lines().map(|line| {
        let depth = (line.len() - line.trim_start().len()) / 2;
        (depth, object(line.trim_start()))
    });
    let machine = nest(flat.collect());
    let node = |logical: u32| {
        let nodes = machine.of_kind("NUMANode");
        nodes.iter().find(|node| node.logical == Some(logical)).and_then(|node| node.os_index)
    };
    let distances = distances(rest).map(|(logical, matrix)| {
        (logical.into_iter().map(|index| node(index).expect("a node")).collect(), matrix)
    });
    let attributes = attributes(rest, &node);
    Expected { distances, kinds: kinds(rest), attributes, machine }
}

/// `L3Cache L#0 (P#0 size=28MiB linesize=64 ways=11)`, `NUMANode(GPUMemory) L#1 (P#253 local=15GiB)`.
fn object(line: &str) -> Object {
    let (head, inside) = line.split_once(" (").unwrap_or((line, ""));
    let mut words = head.split_whitespace();
    let name = words.next().unwrap_or_default();
    let logical = words.next().and_then(|word| word.strip_prefix("L#")?.parse().ok());
    let (kind, subtype) = name.split_once('(').unwrap_or((name, ""));
    let kind = if kind.starts_with("Group") { "Group" } else { kind };
    let mut object = Object {
        kind: if kind.ends_with("Bridge") { "Bridge" } else { kind }.to_string(),
        subtype: subtype.trim_end_matches(')').to_string(),
        logical,
        ..Object::default()
    };
    for word in inside.split([' ', ')']) {
        if let Some(index) = word.strip_prefix("P#") {
            object.os_index = index.parse().ok();
        } else if let Some((key, value)) = word.split_once('=') {
            object.attributes.entry(key.to_string()).or_insert(value.to_string());
        }
    }
    object
}

/// Logical indexes of the nodes, and the matrix in their order.
fn distances(text: &str) -> Option<(Vec<u32>, Vec<Vec<u32>>)> {
    let (_, text) = text.split_once("NUMALatency")?;
    let mut lines = text.lines().skip(1);
    let numbers = |line: &str| -> Vec<u32> {
        line.split_whitespace().filter_map(|word| word.parse().ok()).collect()
    };
    let header = numbers(lines.next()?);
    let rows = lines.map(numbers).take(header.len());
    Some((header, rows.map(|row| row[1..].to_vec()).collect()))
}

/// `CPU kind #0 efficiency 0 cpuset 0x000ff000`, and lines with figures below.
fn kinds(text: &str) -> Vec<CoreKind> {
    let mut kinds: Vec<CoreKind> = Vec::new();
    for line in text.lines() {
        if line.starts_with("CPU kind") {
            let cpus = line.rsplit(' ').next().map(mask).unwrap_or_default();
            kinds.push(CoreKind { cpus, ..CoreKind::default() });
        }
        let Some((kind, (key, value))) = kinds.last_mut().zip(line.split_once(" = ")) else {
            continue;
        };
        match key.trim() {
            "FrequencyBaseMHz" => kind.base_mhz = value.parse().ok(),
            "FrequencyMaxMHz" => kind.max_mhz = value.parse().ok(),
            "LinuxCapacity" => kind.capacity = value.parse().ok(),
            _ => {}
        }
    }
    kinds
}

/// ``Memory attribute #4 name `ReadBandwidth' flags 5``, and a line per node below:
/// `NUMANode L#0 = 131072 from cpuset 0x00000003 (Group L#0)`.
fn attributes(text: &str, node: &dyn Fn(u32) -> Option<u32>) -> Vec<MemoryAttribute> {
    let mut name = String::new();
    let mut found = Vec::new();
    for line in text.lines() {
        if line.starts_with("Memory attribute") {
            name = line.split(['`', '\'']).nth(1).unwrap_or_default().to_string();
        } else if let Some(rest) = line.trim_start().strip_prefix("NUMANode L#") {
            let words: Vec<&str> = rest.split_whitespace().collect();
            let [logical, "=", value, "from", "cpuset", cpus, ..] = words.as_slice() else {
                panic!("no figure of a node: {line}");
            };
            found.push(MemoryAttribute {
                name: name.clone(),
                node: node(logical.parse().expect("an index")).expect("a node"),
                value: value.parse().expect("a figure"),
                from: mask(cpus),
            });
        }
    }
    found
}
