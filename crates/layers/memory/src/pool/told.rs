//! A pool's placement as a measurement: shares, what they cost by a matrix, and what makes them so.

use narrows_model::{
    Conditions, Key, Layer, Measurement, MetricValue, Platform, condition, metric,
};
use serde_json::{Value, json};

use super::{Counters, NodeCounters, Placement, Pool, SysV};
use crate::matrix::{Known, Mix, Predicted, predict};

/// From here on one node holds nearly all of it.
const ONE_NODE: f64 = 0.9;
/// By so much the largest share may be over an even one, and an even one over the smallest.
const EVEN: f64 = 1.25;

/// How a pool lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// The machine has one node with memory.
    OnlyNode,
    /// Nearly all of it on one of several: the "cyclops".
    OneNode(u32),
    /// About as much on each node.
    Even,
    /// Something between.
    Uneven(u32),
    /// Nothing is known.
    Unknown,
}

impl Shape {
    /// The word in the conditions.
    pub fn word(self) -> &'static str {
        match self {
            Shape::OnlyNode => "the only node",
            Shape::OneNode(_) => "one node",
            Shape::Even => "even",
            Shape::Uneven(_) => "uneven",
            Shape::Unknown => "unknown",
        }
    }

    /// By the share of each node that has any, on so many nodes with memory.
    pub fn of(shares: &[(u32, f64)], nodes: usize) -> Shape {
        let Some((node, most)) = shares.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1)) else {
            return Shape::Unknown;
        };
        let least = shares.iter().map(|(_, share)| *share).fold(f64::INFINITY, f64::min);
        let even = 1.0 / nodes as f64;
        let everywhere = shares.len() >= nodes && least * EVEN >= even;
        match most {
            _ if nodes < 2 => Shape::OnlyNode,
            most if most >= ONE_NODE => Shape::OneNode(node),
            most if everywhere && most <= EVEN * even => Shape::Even,
            _ => Shape::Uneven(node),
        }
    }
}

/// The nodes with memory of their own.
fn with_memory(platform: &Platform) -> Vec<u32> {
    let main = platform.nodes.iter().filter(|node| node.memory_bytes > 0 && node.device.is_none());
    main.map(|node| node.id).collect()
}

/// What reading at these shares gives, by CPUs of all nodes alike.
pub fn costs(platform: &Platform, known: &Known, shares: &[(u32, f64)]) -> Predicted {
    let with_cpus = platform.nodes.iter().filter(|node| !node.cpus.is_empty());
    let mix = Mix { of: with_cpus.map(|node| (node.id, shares.to_vec())).collect() };
    predict(&mix, known)
}

/// The measurement of the `number`-th pool; `owner` says whose it is.
pub fn measurement(
    number: usize,
    owner: &str,
    pool: &Pool,
    placement: &Placement,
    platform: &Platform,
    known: &Known,
) -> Measurement {
    let shares = placement.shares();
    let memories = with_memory(platform);
    let shape = Shape::of(&shares, memories.len());
    let mut m = Measurement::new(format!("memory.placement.{number}"), Layer::Memory);
    m.repeats = 1;
    fullest(&mut m, &shares);
    let processes = pool.processes();
    let workload = &mut m.workload;
    workload.insert(condition::POOL, json!(pool.name));
    workload.insert(condition::OWNER, json!(owner));
    workload.insert(condition::SHARED, json!(pool.shared));
    workload.insert(condition::BYTES, json!(pool.bytes));
    workload.insert(condition::PROCESSES, json!(processes.len()));
    workload.insert(condition::PID, json!(processes.first()));
    let by = |of: &std::collections::BTreeMap<u32, u64>| -> Value {
        of.iter().map(|(node, pages)| (node.to_string(), json!(pages))).collect()
    };
    let conditions = &mut m.conditions;
    conditions.insert(condition::SHAPE, json!(shape.word()));
    conditions.insert(condition::PAGE_BYTES, json!(placement.page_bytes));
    conditions.insert(condition::PAGES, json!(placement.pages));
    conditions.insert(condition::PAGES_ASKED, json!(placement.asked()));
    conditions.insert(condition::PAGES_BY_NODE, by(&placement.by_node));
    conditions.insert(condition::PAGES_IN_NO_TABLE, json!(placement.nowhere));
    conditions.insert(condition::PROCESSES_ASKED, json!(placement.asked_processes));
    if placement.refused_processes > 0 {
        conditions.insert(condition::PROCESSES_REFUSED, json!(placement.refused_processes));
    }
    if placement.large_processes > 0 {
        conditions.insert(condition::PROCESSES_TOO_LARGE, json!(placement.large_processes));
    }
    if placement.by_node.is_empty() && !placement.by_tables.is_empty() {
        conditions.insert(condition::PAGES_BY_ONE_PROCESS_TABLES, by(&placement.by_tables));
    }
    conditions.insert(condition::SHARE_BY_NODE, shares_of(&shares));
    let uncertainty = shares.iter().map(|(node, _)| placement.uncertainty(*node));
    conditions.insert(condition::SHARE_UNCERTAINTY, json!(uncertainty.fold(0.0, f64::max)));
    if let Some(policy) = &placement.policy {
        conditions.insert(condition::POLICY, json!(policy));
    }
    if placement.transparent_bytes > 0 {
        conditions.insert(condition::TRANSPARENT_HUGE_BYTES, json!(placement.transparent_bytes));
    }
    if placement.swap_bytes > 0 {
        conditions.insert(condition::SWAP_BYTES, json!(placement.swap_bytes));
    }
    if memories.len() > 1 && !shares.is_empty() {
        let even: Vec<(u32, f64)> =
            memories.iter().map(|node| (*node, 1.0 / memories.len() as f64)).collect();
        add_costs(
            conditions,
            (condition::LOAD_NS, condition::READ_BYTES_PER_S),
            costs(platform, known, &shares),
        );
        let interleaved = (condition::INTERLEAVED_LOAD_NS, condition::INTERLEAVED_READ_BYTES_PER_S);
        add_costs(conditions, interleaved, costs(platform, known, &even));
    }
    m
}

fn shares_of(shares: &[(u32, f64)]) -> Value {
    shares.iter().map(|(node, share)| (node.to_string(), json!(share))).collect()
}

fn add_costs(
    conditions: &mut Conditions,
    (load_ns, read_bytes_per_s): (Key<f64>, Key<[Value]>),
    predicted: Predicted,
) {
    if let Some(ns) = predicted.ns {
        conditions.insert(load_ns, json!(ns));
    }
    if let Some((least, most)) = predicted.bytes_per_s {
        conditions.insert(read_bytes_per_s, json!([least, most]));
    }
}

/// What anybody may read, as a measurement of that id; with the number of processes that could not be looked into.
pub fn counted(id: &str, counters: &Counters, closed: usize) -> Measurement {
    let mut m = Measurement::new(id, Layer::Memory);
    m.repeats = 1;
    let by = |of: fn(&NodeCounters) -> u64| -> Value {
        counters.nodes.iter().map(|node| (node.node.to_string(), json!(of(node)))).collect()
    };
    let shares = counters.shares();
    fullest(&mut m, &shares);
    let conditions = &mut m.conditions;
    conditions.insert(condition::SHARED_BYTES_BY_NODE, by(|node| node.shared_bytes));
    conditions.insert(condition::HUGE_USED_BYTES_BY_NODE, by(|node| node.huge_used_bytes));
    conditions.insert(condition::HUGE_FREE_BYTES_BY_NODE, by(|node| node.huge_free_bytes));
    conditions.insert(condition::SHARE_BY_NODE, shares_of(&shares));
    conditions.insert(condition::SHAPE, json!(Shape::of(&shares, counters.nodes.len()).word()));
    if closed > 0 {
        conditions.insert(condition::PROCESSES_CLOSED, json!(closed));
    }
    let segment = |s: &SysV| {
        json!({"id": s.id, "bytes": s.bytes, "resident_bytes": s.resident_bytes,
               "swap_bytes": s.swap_bytes, "attached": s.attached})
    };
    let segments: Vec<Value> = counters.segments.iter().map(segment).collect();
    if !segments.is_empty() {
        conditions.insert(condition::SYSV_SEGMENTS, json!(segments));
    }
    m
}

fn fullest(m: &mut Measurement, shares: &[(u32, f64)]) {
    if let Some(most) = shares.iter().map(|(_, share)| *share).reduce(f64::max) {
        m.metrics.push(MetricValue::new(metric::FULLEST_NODE_SHARE, most, None, vec![most]));
    }
}
