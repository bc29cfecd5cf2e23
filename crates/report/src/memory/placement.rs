//! On which nodes pools of memory lie, what that costs, and what makes it even.

use serde_json::{Map, Value};
use std::collections::BTreeMap;

use narrows_model::{Key, Measurement, Run, condition};
use narrows_units::significant;

use super::{significant_ns, usable};
use crate::document::{AnnotatedTable, Remarks, Row, Table};
use crate::print::{Units, percent, size};
use narrows_model::Unit;

const PREFIX: &str = "memory.placement.";
const COUNTERS: &str = "memory.placement.counters";
/// More nodes have no columns of their own: the fullest and how many hold something are shown.
const COLUMNS: usize = 8;

/// The table; `None` where nobody looked.
pub(super) fn view(run: &Run, units: Units) -> Option<AnnotatedTable> {
    let counters = usable(run, COUNTERS)?;
    let pools: Vec<&Measurement> = run
        .measurements
        .iter()
        .filter(|m| {
            m.id.starts_with(PREFIX)
                && m.id != COUNTERS
                && m.validity != narrows_model::Validity::Invalid
        })
        .collect();
    let nodes: Vec<u32> = by_node(counters, condition::SHARED_BYTES_BY_NODE).into_keys().collect();
    let few = nodes.len() <= COLUMNS;
    let mut columns = vec!["size".to_string(), condition::PAGES.to_string()];
    if few {
        columns.extend(nodes.iter().map(|node| format!("node {node}")));
    } else {
        columns.extend(["fullest".to_string(), "has".to_string()]);
    }
    let cells = |shares: &BTreeMap<u32, f64>| -> Vec<String> {
        if few {
            let share = |node| shares.get(node).map_or("-".to_string(), |share| percent(*share));
            return nodes.iter().map(share).collect();
        }
        let fullest = shares.iter().max_by(|a, b| a.1.total_cmp(b.1));
        match fullest {
            Some((node, share)) => vec![format!("node {node}"), percent(*share)],
            None => vec!["-".to_string(); 2],
        }
    };
    let row = |m: &&Measurement| {
        let mut all = vec![
            m.number(condition::BYTES).map_or("-".to_string(), size),
            m.number(condition::PAGE_BYTES).map_or("-".to_string(), size),
        ];
        all.extend(cells(&by_node(m, condition::SHARE_BY_NODE)));
        Row::figures(name(m), all, proof(m))
    };
    let mut rows: Vec<Row> = pools.iter().map(row).collect();
    let all: f64 = [condition::SHARED_BYTES_BY_NODE, condition::HUGE_USED_BYTES_BY_NODE]
        .iter()
        .flat_map(|key| by_node(counters, *key).into_values())
        .sum();
    let mut everything = vec![size(all), "-".to_string()];
    everything.extend(cells(&by_node(counters, condition::SHARE_BY_NODE)));
    rows.push(Row::figures("all shared memory", everything, "counters"));
    let table = Table::figures("MEMORY PLACEMENT", columns, rows)
        .remarked("how it is known", Remarks::Behind(2));
    let mut sentences: Vec<String> =
        pools.iter().flat_map(|m| placement_sentences(m, units)).collect();
    sentences.push(
        "All shared memory: by the nodes' own counters, with files in memory and huge pages in use."
            .to_string(),
    );
    sentences.extend(closed(counters, &pools));
    Some(AnnotatedTable { table, sentences })
}

fn by_node(m: &Measurement, key: Key<Map<String, Value>>) -> BTreeMap<u32, f64> {
    let object = m.conditions.get(key);
    let pairs = object.into_iter().flatten();
    pairs.filter_map(|(node, value)| Some((node.parse().ok()?, value.as_f64()?))).collect()
}

/// `postgres, shared, 9 processes`
fn name(m: &Measurement) -> String {
    let text = |key: Key<str>| m.workload.get(key);
    let owner = text(condition::OWNER).unwrap_or("?");
    let kind = match text(condition::POOL).unwrap_or_default() {
        "private" => "private",
        pool if pool.starts_with("/SYSV") => "System V",
        pool if pool.contains("hugepage") => "huge pages",
        pool if pool.starts_with("/dev/zero") => "anonymous",
        pool if pool.starts_with("/memfd:") => "memfd",
        pool => pool.rsplit('/').next().unwrap_or(pool),
    };
    let processes = m.number(condition::PROCESSES).unwrap_or(1.0) as usize;
    match processes {
        1 => format!("{owner}, {kind}"),
        n => format!("{owner}, {kind}, {n} processes"),
    }
}

fn proof(m: &Measurement) -> String {
    let number = |key| m.number(key).unwrap_or(0.0);
    let (asked, pages) = (number(condition::PAGES_ASKED), number(condition::PAGES));
    if number(condition::PROCESSES_ASKED) == 0.0 {
        return match by_node(m, condition::PAGES_BY_ONE_PROCESS_TABLES).is_empty() {
            true => "unknown".to_string(),
            false => "a part".to_string(),
        };
    }
    let off = number(condition::SHARE_UNCERTAINTY);
    if asked >= pages { "each page".to_string() } else { format!("± {}", percent(off)) }
}

/// How it lies, what that costs, and what to do.
fn placement_sentences(m: &Measurement, units: Units) -> Vec<String> {
    let mut said = Vec::new();
    let name = name(m);
    let number = |key| m.number(key);
    let nowhere = number(condition::PAGES_IN_NO_TABLE).unwrap_or(0.0)
        / number(condition::PAGES_ASKED).unwrap_or(1.0);
    let policy = m.text(condition::POLICY).unwrap_or("default");
    let shares = by_node(m, condition::SHARE_BY_NODE);
    let fullest = shares.iter().max_by(|a, b| a.1.total_cmp(b.1));
    match (m.text(condition::SHAPE), fullest) {
        (Some("one node"), Some((node, share))) => said.push(format!(
            "{name}: node {node} holds {} of it (a \"cyclops\"; policy {policy}).{}",
            percent(*share),
            cost(m, units)
        )),
        (Some("uneven"), Some((node, share))) => said.push(format!(
            "{name}: uneven, node {node} holds {} of it (policy {policy}).{}",
            percent(*share),
            cost(m, units)
        )),
        (Some("even"), _) => {
            said.push(format!("{name}: even over the nodes (policy {policy}).{}", cost(m, units)));
        }
        (Some("the only node"), _) => {
            said.push(format!("{name}: the machine has one node, so nothing can be misplaced."));
        }
        _ => said.push(format!("{name}: placement unknown, this user may not read it.")),
    }
    if matches!(m.text(condition::SHAPE), Some("one node" | "uneven")) {
        said.push(cure(m));
    }
    if nowhere > 0.01 && number(condition::PROCESSES_ASKED).is_some_and(|asked| asked > 0.0) {
        said.push(format!(
            "{name}: {} of its pages are in no process's table: not touched yet, or only by processes that have ended. The nodes' shares \
             are of the other {}.",
            percent(nowhere),
            number(condition::BYTES).map_or(condition::PAGES.to_string(), |bytes| size(bytes * (1.0 - nowhere)))
        ));
    }
    if let Some(bytes) = number(condition::SWAP_BYTES) {
        said.push(format!("{name}: at least {} of it are in swap.", size(bytes)));
    }
    said
}

/// By the matrix of nodes, where one was given.
fn cost(m: &Measurement, units: Units) -> String {
    let span = |key: Key<[Value]>| {
        let of = m.conditions.get(key)?;
        let (least, most) = (of.first()?.as_f64()?, of.get(1)?.as_f64()?);
        let (low, high) =
            (units.quantity(least, Unit::BytesPerS), units.quantity(most, Unit::BytesPerS));
        Some(if low == high { high } else { format!("{low} to {high}") })
    };
    let (Some(now), Some(even)) =
        (m.number(condition::LOAD_NS), m.number(condition::INTERLEAVED_LOAD_NS))
    else {
        return " What it costs is unknown without a matrix of these nodes: --matrix RUN, from `narrows memory matrix`.".to_string();
    };
    let mut text = format!(
        " By the matrix, for CPUs of all nodes alike without other load, a load takes {} on average, interleaved {} (× {})",
        significant_ns(now),
        significant_ns(even),
        significant(even / now, 3)
    );
    if let (Some(now), Some(even)) =
        (span(condition::READ_BYTES_PER_S), span(condition::INTERLEAVED_READ_BYTES_PER_S))
    {
        text += &format!("; all can read {now}, interleaved {even}");
    }
    text + "."
}

fn cure(m: &Measurement) -> String {
    let owner = m.workload.get(condition::OWNER).unwrap_or_default();
    let pages = if m.number(condition::PAGE_BYTES).is_some_and(|bytes| bytes > 65536.0) {
        "with huge pages reserved on every node alike"
    } else if owner.starts_with("postgres") {
        "with huge_pages = on and huge pages reserved on every node alike"
    } else {
        "with huge pages reserved on every node alike, if the server can use them"
    };
    format!(
        "Remedy: start the server under `numactl --interleave=all` ({pages}); for a systemd unit NUMAPolicy=interleave and NUMAMask=all. Pages already touched stay where they are until then: a pool that one process fills is on that process's node. Private memory of each session is spread too."
    )
}

/// What could not be seen, and what the counters let one suspect.
fn closed(counters: &Measurement, pools: &[&Measurement]) -> Vec<String> {
    let mut said = Vec::new();
    if let Some(closed) = counters.number(condition::PROCESSES_CLOSED) {
        said.push(format!(
            "{closed} {} cannot be read with these rights: what only they map is missing above. Their own user, or root with CAP_SYS_PTRACE, can read it.",
            if closed == 1.0 { "process" } else { "processes" }
        ));
    }
    if pools.is_empty() {
        said.push(
            "No process that could be read maps shared memory of 16 MiB or more.".to_string(),
        );
        let shares = by_node(counters, condition::SHARE_BY_NODE);
        let fullest = shares.iter().max_by(|a, b| a.1.total_cmp(b.1));
        if let (Some("one node"), Some((node, share))) = (counters.text(condition::SHAPE), fullest)
        {
            said.push(format!(
                "Node {node} holds {} of all shared memory and huge pages in use: it is not spread evenly.",
                percent(*share)
            ));
        }
    }
    said
}
