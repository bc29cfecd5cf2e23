//! From the CPUs of each node to the memory of each, and placements side by side with what they should give.

use std::collections::{BTreeMap, BTreeSet};

use narrows_model::{Measurement, Run, Unit, Validity, metric};
use narrows_stats::median;
use narrows_units::significant;

use super::{significant_ns, usable};
use crate::document::{AnnotatedTable, Remarks, Row, Table};
use crate::print::{Units, half_width, plus_minus};
use crate::words::counted;

const LATENCY: &str = "memory.matrix.latency.";
const READ: &str = "memory.matrix.read.";
/// More nodes than that don't fit a screen: then there are distances only, and the page has the picture.
const COLUMNS: usize = 8;

/// From, to, and the value.
pub(crate) type Cells = BTreeMap<(u32, u32), f64>;

/// Latencies in ns, and bandwidths in bytes/s.
pub(crate) fn cells(run: &Run) -> [Cells; 2] {
    [(LATENCY, metric::COST), (READ, metric::BANDWIDTH)].map(|(prefix, name)| {
        let found = run.measurements.iter().filter(|m| m.validity != Validity::Invalid);
        found.filter_map(|m| Some((cell(m, prefix)?, m.value(name)?))).collect()
    })
}

fn cell(m: &Measurement, prefix: &str) -> Option<(u32, u32)> {
    let (from, to) = m.id.strip_prefix(prefix)?.strip_prefix("from")?.split_once(".to")?;
    Some((from.parse().ok()?, to.parse().ok()?))
}

/// The tables; none where the machine has one node or nobody measured it.
pub(super) fn views(run: &Run, units: Units) -> Vec<AnnotatedTable> {
    let [latency, read] = cells(run);
    if latency.is_empty() && read.is_empty() {
        return Vec::new();
    }
    let mut views = vec![by_distance(run, units)];
    let ns = |ns: f64| significant(ns, 3);
    let per_s = |bytes: f64| units.quantity(bytes, Unit::BytesPerS);
    views.extend(square("LATENCY OF EACH NODE'S MEMORY, ns", &latency, ns));
    views.extend(square("READ BANDWIDTH OF EACH NODE'S MEMORY", &read, per_s));
    views.extend(placements(run, units));
    views
}

/// Rows are the CPUs' nodes, columns the memory's.
fn square(title: &str, cells: &Cells, print: impl Fn(f64) -> String) -> Option<AnnotatedTable> {
    let from: BTreeSet<u32> = cells.keys().map(|(from, _)| *from).collect();
    let to: BTreeSet<u32> = cells.keys().map(|(_, to)| *to).collect();
    if cells.is_empty() || to.len() > COLUMNS {
        return None;
    }
    let row = |from: &u32| {
        Row::figures(
            format!("CPUs of node {from}"),
            to.iter()
                .map(|to| cells.get(&(*from, *to)).map_or("·".to_string(), |value| print(*value))),
            "",
        )
    };
    let all = from.len() * to.len();
    let sentences = if cells.len() < all {
        vec![format!(
            "{} of {all} cells were measured; · stands for cells represented by others of their distance (--thorough measures all).",
            cells.len()
        )]
    } else {
        Vec::new()
    };
    let table =
        Table::figures(title, to.iter().map(|node| format!("node {node}")), from.iter().map(row));
    Some(AnnotatedTable { table, sentences })
}

fn by_distance(run: &Run, units: Units) -> AnnotatedTable {
    // Distance, and whether it is a node's own.
    let mut classes: BTreeMap<(Option<u64>, bool), [Vec<f64>; 2]> = BTreeMap::new();
    let mut sentences = Vec::new();
    for m in run.measurements.iter().filter(|m| m.validity != Validity::Invalid) {
        for (kind, (prefix, name)) in
            [(LATENCY, metric::COST), (READ, metric::BANDWIDTH)].into_iter().enumerate()
        {
            let (Some((from, to)), Some(value)) = (cell(m, prefix), m.value(name)) else {
                continue;
            };
            let distance =
                m.number(narrows_model::condition::DISTANCE).map(|distance| distance as u64);
            classes.entry((distance, from == to)).or_default()[kind].push(value);
            if let Some(ratio) = m.number(narrows_model::condition::OVER_ITS_DISTANCE) {
                let (what, others) = match kind {
                    0 => ("a load takes", "takes"),
                    _ => ("reading gives", "gives"),
                };
                let pair = format!("From CPUs of node {from} to memory of node {to} {what}");
                let ratio = significant(ratio, 2);
                sentences.push(match m.number(narrows_model::condition::CELLS_OF_ITS_DISTANCE) {
                    Some(n) if n <= 2.0 => format!(
                        "{pair} × {ratio} of what it {others} in the other direction, in both tests: one of the two is wrong."
                    ),
                    _ => format!(
                        "{pair} × {ratio} of what it {others} at that distance elsewhere, in both tests: something is wrong there, or the firmware's distance is."
                    ),
                });
            } else if m.conditions.contains(narrows_model::condition::LOOKED_AT_BEFORE) {
                sentences.push(format!(
                    "From CPUs of node {from} to memory of node {to}: a first test of its {} differed and the second did not; both are kept.",
                    if kind == 0 { "latency" } else { "bandwidth" }
                ));
            }
        }
    }
    let rows = classes.iter().map(|((distance, near), [ns, per_s])| {
        let range = |values: &[f64], print: &dyn Fn(f64) -> String| {
            let least = values.iter().copied().reduce(f64::min)?;
            let most = values.iter().copied().reduce(f64::max)?;
            Some((print(median(values)?), format!("{} to {}", print(least), print(most))))
        };
        let dash = || ("-".to_string(), "-".to_string());
        let latency = range(ns, &significant_ns).unwrap_or_else(dash);
        let read = range(per_s, &|b| units.quantity(b, Unit::BytesPerS)).unwrap_or_else(dash);
        let name = match (near, distance) {
            (true, _) => "own node".to_string(),
            (_, Some(distance)) => format!("distance {distance}"),
            _ => "other nodes".to_string(),
        };
        Row::figures(
            name,
            [latency.0, latency.1, read.0, read.1],
            counted(ns.len().max(per_s.len()), "cell"),
        )
    });
    let table = Table::figures(
        "NODES BY DISTANCE",
        ["a load", "lowest to highest", "read", "lowest to highest"],
        rows,
    )
    .remarked("measured", Remarks::Behind(2));
    AnnotatedTable { table, sentences }
}

const POLICIES: [(&str, &str); 5] = [
    ("local", "each its own node"),
    ("remote", "each the next node"),
    ("interleaved", "interleaved"),
    ("weighted", "by the nodes' bandwidth"),
    ("one_node", "all on one node"),
];

fn placements(run: &Run, units: Units) -> Option<AnnotatedTable> {
    let rows: Vec<Row> = POLICIES
        .iter()
        .filter_map(|(word, name)| {
            let of = |what: &str| usable(run, &format!("memory.policy.{what}.{word}"));
            let (latency, read) = (of("latency"), of("read"));
            latency.or(read)?;
            let dash = || "-".to_string();
            let cost = latency.and_then(|m| m.value(metric::COST));
            let predicted = latency.and_then(|m| m.number(narrows_model::condition::PREDICTED_NS));
            let bandwidth = read.and_then(|m| m.metric(metric::BANDWIDTH));
            let span = read.and_then(|m| {
                let of = m.conditions.get(narrows_model::condition::PREDICTED_BYTES_PER_S)?;
                Some((of.first()?.as_f64()?, of.get(1)?.as_f64()?))
            });
            let per_s = |bytes| units.quantity(bytes, Unit::BytesPerS);
            let range = |(least, most): (f64, f64)| {
                let (least, most) = (per_s(least), per_s(most));
                if least == most { most } else { format!("{least} to {most}") }
            };
            Some(Row::figures(
                *name,
                [
                    cost.map_or_else(dash, significant_ns),
                    predicted.map_or_else(dash, significant_ns),
                    bandwidth.map_or_else(dash, |m| per_s(m.value)),
                    half_width(bandwidth.and_then(|m| m.interval_95.as_ref()))
                        .map_or_else(dash, plus_minus),
                    span.map_or_else(dash, range),
                ],
                "",
            ))
        })
        .collect();
    let table = Table::figures(
        "PLACEMENTS SIDE BY SIDE  CPUs of all nodes busy",
        ["a load", "by the matrix", "all read", "±95%", "by the matrix"].map(String::from).to_vec(),
        rows,
    );
    let sentences = vec![
        "By the matrix: the mean over the nodes of what each pays for its mix; reads if the times of a CPU's paths add up, to reads if the paths carry at once. A link that several nodes share counts in full for each. Unmeasured cells use the median of their distance."
            .to_string(),
    ];
    (!table.rows.is_empty()).then_some(AnnotatedTable { table, sentences })
}
