//! The memory rows: as many as the machine has nodes and distances.

use narrows_model::{Layer, Measurement, Run, Unit, Validity, condition, metric};

use super::{CapacityRow, absent_row, row};
use crate::notes::{Notes, absent};
use crate::print::{self, Units};

pub(super) fn rows(run: &Run, units: Units, notes: &mut Notes) -> Vec<CapacityRow> {
    const BANDWIDTH: &str = "memory.bandwidth.read";
    let mut rows = Vec::new();
    let nodes: Vec<&Measurement> = run
        .measurements
        .iter()
        .filter(|m| m.id.starts_with(BANDWIDTH) && !m.id.contains(".cpus"))
        .collect();
    for m in &nodes {
        let place = &m.id[BANDWIDTH.len()..];
        let name = match place.strip_prefix(".node") {
            Some(node) => format!("read, node {node}"),
            None if place == ".core" => "read, one CPU".to_string(),
            None if place == ".all" => "read, all nodes".to_string(),
            None => "read".to_string(),
        };
        // One reading thread is pinned to each CPU.
        let cpus = m.number(condition::THREADS).map(|n| format!("on {}", super::several(n, "CPU")));
        let remark = cpus.into_iter().collect();
        rows.push(row(
            run,
            notes,
            m,
            name,
            &[metric::BANDWIDTH, metric::THROUGHPUT],
            remark,
            &[&m.id],
        ));
    }
    rows.extend(latency_rows(run, units, notes));
    rows.extend(run.measurement("memory.smt_yield").map(|m| smt_row(run, m, notes)));
    if rows.is_empty()
        && let Some(finding) = absent(run, "memory")
    {
        rows.push(absent_row(Layer::Memory, "read, latency".into(), finding.summary.clone()));
    }
    rows
}

/// What the CPUs of a core do together over one of them: a factor, so neither a rate nor a share.
fn smt_row(run: &Run, m: &Measurement, notes: &mut Notes) -> CapacityRow {
    let remark = match m.number(condition::THREADS) {
        Some(2.0) => "both CPUs to one alone".to_string(),
        Some(n) => format!("{} CPUs to one alone", print::count(n)),
        None => "all CPUs to one alone".to_string(),
    };
    let name = "SMT yield of a core".to_string();
    let mut row = row(run, notes, m, name, &[metric::SMT_YIELD], vec![remark], &[&m.id]);
    if let Some(measured) = &mut row.measured {
        measured.unit = Unit::Count;
    }
    row
}

/// One row per distance; large pages lead because they leave the TLB out, small ones stand in the remark.
fn latency_rows(run: &Run, units: Units, notes: &mut Notes) -> Vec<CapacityRow> {
    const LATENCY: &str = "memory.latency.";
    let mut groups: Vec<(String, Vec<&Measurement>)> = Vec::new();
    for m in run.measurements.iter().filter(|m| m.id.starts_with(LATENCY)) {
        let place: Vec<&str> =
            m.id[LATENCY.len()..].split('.').filter(|w| !matches!(*w, "4k" | "2m")).collect();
        let place = place.join(" ");
        match groups.iter_mut().find(|(known, _)| *known == place) {
            Some((_, members)) => members.push(m),
            None => groups.push((place, vec![m])),
        }
    }
    let several = groups.len() > 1;
    let mut rows = Vec::new();
    for (place, mut members) in groups {
        members.sort_by(|a, b| page_bytes(b).total_cmp(&page_bytes(a)));
        let name = match place.as_str() {
            "" if several => "latency, near".to_string(),
            "" => "latency".to_string(),
            place => format!("latency, {}", place.replace("node", "node ")),
        };
        let lead = members.iter().find(|m| m.validity != Validity::Invalid).unwrap_or(&members[0]);
        let mut remark = format!("{} pages", print::size(page_bytes(lead)));
        for other in members.iter().filter(|m| m.id != lead.id && m.validity == Validity::Valid) {
            if let Some(cost) = cost(other) {
                // The unit stands in the row already, unless the two differ.
                let small = units.quantity(cost, Unit::Ns);
                let small = small.strip_suffix(" ns").unwrap_or(&small);
                remark += &format!("; {} {small}", print::size(page_bytes(other)));
            }
        }
        let ids: Vec<&str> = members.iter().map(|m| m.id.as_str()).collect();
        rows.push(row(
            run,
            notes,
            lead,
            name,
            &[metric::COST, metric::LATENCY_MEAN, metric::LATENCY_P50],
            vec![remark],
            &ids,
        ));
    }
    rows
}

fn cost(m: &Measurement) -> Option<f64> {
    [metric::COST, metric::LATENCY_MEAN, metric::LATENCY_P50]
        .into_iter()
        .find_map(|metric| m.value(metric))
}

/// The page size obtained; the id only says what was asked for.
fn page_bytes(m: &Measurement) -> f64 {
    m.number(condition::PAGE_BYTES).unwrap_or(if m.id.contains(".2m") {
        2_097_152.0
    } else {
        4096.0
    })
}
